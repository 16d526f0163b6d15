"""Template overlap: rows of a part whose template, program, query or question family is in the reference part.

Source: Finegan-Dollak et al. 2018, arXiv 1806.09029 (the query split keeps SQL templates apart). Cost: O(rows).
"""

from __future__ import annotations

import dataclasses

from compsplit.audits.sharing import overlaps
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_COLUMNS = ("program", "query", "template", "family")
_SOURCE = "Finegan-Dollak et al. 2018, arXiv 1806.09029"


@register("audit", "template-overlap", source=_SOURCE, unit="fraction", bounds=(0, 1), better="lower")
def template_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose program, query, template or question family is in the reference part."""
    there = {name: rows.columns[name] for name in _COLUMNS if name in rows.columns and rows.columns[name].names}
    known = dataclasses.replace(rows, columns={"id": rows.column("id"), **there})
    return overlaps(known, split, "template-overlap", list(there), finding="shared-templates", told="templates")
