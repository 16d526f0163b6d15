"""Values that everything else passes around; all of them are frozen, with their arrays."""

from compsplit.model.column import Column, crossed, texts
from compsplit.model.compounds import Compounds, ObjectPairs
from compsplit.model.grouping import Grouping
from compsplit.model.incidence import Incidence, bagged
from compsplit.model.report import Audited, Finding, Measure, Report, Table, Undefined
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.model.table import Input, QATable, Records
from compsplit.model.targets import Targets

__all__ = [
    "Audited",
    "Column",
    "Compounds",
    "Finding",
    "Grouping",
    "Incidence",
    "Input",
    "Measure",
    "ObjectPairs",
    "QATable",
    "Records",
    "Report",
    "RowTable",
    "Rows",
    "SceneTable",
    "Split",
    "Table",
    "Targets",
    "Undefined",
    "bagged",
    "crossed",
    "texts",
]
