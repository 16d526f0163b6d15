"""What a notebook needs: read, split, run, audit, evaluate, probe ..., with the numbers of the command line."""

from __future__ import annotations

from compsplit.api.audits import Audited, audit, earlier_report, measure
from compsplit.api.balances import balance
from compsplit.api.evaluations import Evaluated, evaluate
from compsplit.api.pages import page
from compsplit.api.probes import Probed, probe
from compsplit.api.profiles import Profiled, profile
from compsplit.api.programs import describe_programs, entail
from compsplit.api.splits import convert, describe, read, reduce, run, run_several, split, verify

__all__ = [
    "Audited",
    "Evaluated",
    "Probed",
    "Profiled",
    "audit",
    "balance",
    "convert",
    "describe",
    "describe_programs",
    "earlier_report",
    "entail",
    "evaluate",
    "measure",
    "page",
    "probe",
    "profile",
    "read",
    "reduce",
    "run",
    "run_several",
    "split",
    "verify",
]
