"""compsplit builds and judges compositional train/test splits.

A reader makes a table; a reducer or extractor turns it into an incidence; a grouper puts rows into groups; a splitter
gives every group a part; an audit turns a split into a number; a writer gives the parts back in the format they came
in.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from compsplit.version import VERSION as __version__

if TYPE_CHECKING:
    from compsplit.api import (
        audit,
        balance,
        compare,
        describe,
        describe_programs,
        evaluate,
        page,
        probe,
        profile,
        read,
        reduce,
        run,
        split,
        verify,
        write_figures,
    )
    from compsplit.errors import CompsplitError
    from compsplit.model import Incidence, QATable, Report, Split, Targets, Undefined
    from compsplit.registry import plugins
    from compsplit.scikit_learn import CompositionalSplit

_HOME = {
    **dict.fromkeys(
        (
            "audit",
            "balance",
            "compare",
            "describe",
            "describe_programs",
            "evaluate",
            "page",
            "probe",
            "profile",
            "read",
            "reduce",
            "run",
            "split",
            "verify",
            "write_figures",
        ),
        "compsplit.api",
    ),
    **dict.fromkeys(("Incidence", "QATable", "Report", "Split", "Targets", "Undefined"), "compsplit.model"),
    "CompositionalSplit": "compsplit.scikit_learn",
    "CompsplitError": "compsplit.errors",
    "plugins": "compsplit.registry",
}
"""Public name -> where it is; each is imported when it is first used, so that the command line starts at once."""

__all__ = [
    "CompositionalSplit",
    "CompsplitError",
    "Incidence",
    "QATable",
    "Report",
    "Split",
    "Targets",
    "Undefined",
    "__version__",
    "audit",
    "balance",
    "compare",
    "describe",
    "describe_programs",
    "evaluate",
    "page",
    "plugins",
    "probe",
    "profile",
    "read",
    "reduce",
    "run",
    "split",
    "verify",
    "write_figures",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'compsplit' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
