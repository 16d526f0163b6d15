"""What a notebook needs: read, split, run, audit, evaluate, probe ..., with the numbers of the command line."""

from __future__ import annotations

from compsplit.api.audits import Audited, audit, earlier_report, measure
from compsplit.api.balances import balance
from compsplit.api.comparisons import Compared, compare
from compsplit.api.evaluations import Evaluated, evaluate
from compsplit.api.pages import figures, opened, page, place_of, tables, write_figures
from compsplit.api.probes import Probed, probe
from compsplit.api.profiles import Profiled, profile
from compsplit.api.programs import describe_programs, entail
from compsplit.api.splits import convert, describe, read, reduce, run, run_several, split, verify

__all__ = [
    "Audited",
    "Compared",
    "Evaluated",
    "Probed",
    "Profiled",
    "audit",
    "balance",
    "compare",
    "convert",
    "describe",
    "describe_programs",
    "earlier_report",
    "entail",
    "evaluate",
    "figures",
    "measure",
    "opened",
    "page",
    "place_of",
    "probe",
    "profile",
    "read",
    "reduce",
    "run",
    "run_several",
    "split",
    "tables",
    "verify",
    "write_figures",
]
