"""Template overlap: rows of a part whose template, program, query or question family is in the reference part.

Source: Finegan-Dollak et al. 2018, arXiv 1806.09029 (the query split keeps SQL templates apart). CLEVR's numbers of
question families mean nothing outside their file, so they are compared only if all parts are of the same files. The
operations of programs, without what they are told, are templates, too. Cost: O(rows), one parse a distinct program.
"""

from __future__ import annotations

import dataclasses

from compsplit.audits.parts import held
from compsplit.audits.sharing import overlaps
from compsplit.model.column import Column
from compsplit.model.program import operations
from compsplit.model.report import Audited
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_COLUMNS = ("program", "query", "template", "family")
_IN_FILE = "family_in_file"
_SOURCE = "Finegan-Dollak et al. 2018, arXiv 1806.09029"


@register("audit", "template-overlap", source=_SOURCE, unit="fraction", bounds=(0, 1), better="lower")
def template_overlap(rows: Rows, split: Split) -> Audited:
    """Share of the rows of a part whose program, query, template or question family is in the reference part."""
    names = (*_COLUMNS, _IN_FILE) if _same_files(rows, split) else _COLUMNS
    there = {name: rows.columns[name] for name in names if name in rows.columns and rows.columns[name].names}
    if "program" in there:
        there |= _operations(there["program"])
    known = dataclasses.replace(rows, columns={"id": rows.column("id"), **there})
    return overlaps(known, split, "template-overlap", list(there), finding="shared-templates", told="templates")


def _operations(programs: Column) -> dict[str, Column]:
    """Return the operations of programs as a column; none where a table of one's own has something else there."""
    try:
        return {"program (operations)": programs.mapped(operations)}
    except ValueError:
        return {}


def _same_files(rows: Rows, split: Split) -> bool:
    """Tell whether every part has rows of every file."""
    sources = rows.columns.get("source")
    return sources is not None and all(bool((held(sources, split.rows_in(part)) > 0).all()) for part in split.parts)
