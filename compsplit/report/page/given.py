"""What a page is made of: reports as files hold them, with what is known of how each was made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compsplit.errors import FileError, UsageError
from compsplit.model.report import Report
from compsplit.model.report_reading import report_of
from compsplit.report.comparing import read_report

REPORT, MANIFEST = "report.json", "manifest.json"


@dataclass(frozen=True, slots=True)
class Given:
    """One report.

    Attributes:
        name: What it is called: the name of its folder, or of its file.
        report: The report.
        manifest: What it was made from and how, without the list of what was written; empty where that is not known.
    """

    name: str
    report: Report
    manifest: Mapping[str, Any]


def read_given(paths: Sequence[Path | Given]) -> tuple[Given, ...]:
    """Return the reports that are at some places, in their order.

    Args:
        paths: Folders that ``run``, ``audit``, ``balance``, ``evaluate``, ``probe``, ``profile`` or ``compare`` wrote,
            folders of several such, or report files; what was read already will do, too.

    Raises:
        FileError: There is nothing there.
        UsageError: It holds no report, or a broken one.
    """
    given = [each for path in paths for each in _at(path)]
    names = [each.name for each in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is None:
        return tuple(given)
    # Two folders of one name are told apart by a number, in the order in which they are given.
    return tuple(Given(f"{at} {each.name}", each.report, each.manifest) for at, each in enumerate(given, start=1))


def _at(path: Path | Given) -> list[Given]:
    if isinstance(path, Given):
        return [path]
    if path.is_dir():
        if (path / REPORT).is_file():
            return [_folder(path, path.resolve().name)]
        inside = sorted(each for each in path.iterdir() if (each / REPORT).is_file())
        if not inside:
            raise UsageError(
                f"{path.name or path} holds no {REPORT}; expected a folder that run, audit, balance, evaluate, probe, "
                "profile or compare wrote, or a report.json.",
                file=str(path),
            )
        return [_folder(each, each.name) for each in inside]
    if not path.exists():
        raise FileError(str(path), "there is no such file or folder")
    return [Given(path.stem, report_of(read_report(path), path.name), {})]


def _folder(path: Path, name: str) -> Given:
    report = report_of(read_report(path / REPORT), f"{name}/{REPORT}")
    return Given(name, report, _manifest(path / MANIFEST, f"{name}/{MANIFEST}"))


def _manifest(path: Path, file: str) -> Mapping[str, Any]:
    """Return what a manifest says; what was written is left out, since a page may be part of it."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is broken: it is not JSON.", file=file) from error
    if not isinstance(found, dict) or not str(found.get("format", "")).startswith("compsplit-"):
        raise UsageError(f"{file} is no manifest of compsplit.", file=file)
    return {name: value for name, value in found.items() if name != "outputs"}
