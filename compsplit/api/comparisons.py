"""Hold two splits of the same rows against each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compsplit.model.report import Finding, Report
from compsplit.model.report_reading import report_of
from compsplit.model.table import Input
from compsplit.recipe.assignments import files_of, read_assignment
from compsplit.recipe.audit_folder import write_audit
from compsplit.recipe.folder import REPORT
from compsplit.recipe.id_lists import SplitLists, listed_files
from compsplit.recipe.running import Watch, no_watch
from compsplit.recipe.split_comparison import ComparedSplit, compared, manifest_of_split
from compsplit.report import markdown, measures_of_both, most_apart, read_report

MEASURES, APART = "measures of both", "shares that differ most"
_MOST_APART = 15


class Compared:
    """Two splits that were held against each other: the report, and what can be written of it."""

    def __init__(self, report: Report, files: Mapping[str, tuple[Input, ...]], asked: Mapping[str, Any]) -> None:
        self._files = files
        self._asked = asked
        self.report = report

    def __repr__(self) -> str:
        return f"Compared({self.report.verdict})"

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write report.json, report.md and manifest.json (inputs with checksums, options, versions) to a folder."""
        write_audit(
            self.report, self._files, self._asked, Path(out), force=force,
            documents=lambda report: {"report.md": markdown(report)},
        )  # fmt: skip


def compare(a: SplitLists, b: SplitLists, *, allow_unjoined: bool = False, watch: Watch = no_watch) -> Compared:
    """Return who moved between two splits of the same rows, and what changed.

    Args:
        a: A folder that ``run`` wrote, an id list, or part -> file of ids.
        b: The other split, said in the same ways.
        allow_unjoined: Compare the rows that both have, and count the others.
        watch: Told each stage.

    Raises:
        CompsplitError: As its message says.
    """
    splits = []
    for letter, each in (("A", a), ("B", b)):
        watch(f"reading {letter}")
        manifest = None if isinstance(each, Mapping) else manifest_of_split(Path(each))
        splits.append(ComparedSplit(_name(each), read_assignment(each), manifest))
    watch("comparing")
    report = compared(splits[0], splits[1], allow_unjoined=allow_unjoined)
    files = {"A": files_of(a), "B": files_of(b)}
    reports = [_report_file(each) for each in (a, b)]
    if reports[0] is not None and reports[1] is not None:
        one, other = (report_of(read_report(file), file.name) for file in (reports[0], reports[1]))
        report = _with_measures(report, one, other)
        files |= {
            f"measures of {letter}": (Input(file, file.stem),)
            for letter, file in zip("AB", reports, strict=True)
            if file
        }
    else:
        report = _without_measures(report, [file is None for file in reports])
    return Compared(report, files, {"allow_unjoined": allow_unjoined})


def _name(split: SplitLists) -> str:
    return listed_files(split) if isinstance(split, Mapping) else Path(split).resolve().name


def _report_file(split: SplitLists) -> Path | None:
    """Return the report of a folder that ``run`` wrote; None where there is none."""
    if isinstance(split, Mapping):
        return None
    path = Path(split) / REPORT
    return path if path.is_file() else None


def _with_measures(report: Report, one: Report, other: Report) -> Report:
    both = measures_of_both(one, other)
    apart = most_apart(both, _MOST_APART)
    tables = {**report.tables, **({APART: apart} if apart.rows else {}), MEASURES: both}
    shown = [*report.subject["shown tables"], *(name for name in (APART,) if name in tables)]
    return dataclasses.replace(report, subject={**report.subject, "shown tables": shown}, tables=tables)


def _without_measures(report: Report, missing: list[bool]) -> Report:
    """Return the report with a finding that says why no measures are beside each other."""
    which = " and ".join(letter for letter, gone in zip("AB", missing, strict=True) if gone)
    has = "have" if all(missing) else "has"
    found = Finding(
        kind="no-measures",
        count=sum(missing),
        message=f"{which} {has} no {REPORT}, so measures of the two splits are not held against each other.",
    )
    return dataclasses.replace(report, findings=(*report.findings, found))
