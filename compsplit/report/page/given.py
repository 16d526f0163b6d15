"""What a page is made of: reports as files hold them, with what is known of how each was made."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compsplit.errors import FileError, UsageError
from compsplit.files import MANIFEST
from compsplit.model.report import Report
from compsplit.model.report_reading import manifest_of, report_of
from compsplit.report.comparing import read_report

REPORT = "report.json"


@dataclass(frozen=True, slots=True)
class Given:
    """One report.

    Attributes:
        name: What it is called: the name of its folder, or of its file, with a number before it if others have it, too.
        report: The report.
        manifest: What it was made from and how, without the list of what was written; empty where that is not known.
        called: The name alone, where a number stands before it.
    """

    name: str
    report: Report
    manifest: Mapping[str, Any]
    called: str = ""

    @property
    def folder(self) -> str:
        """The name of the folder, as a command has it."""
        return self.called or self.name

    @property
    def inputs(self) -> tuple[Mapping[str, Any], ...]:
        """What the manifest says of each file that was given."""
        return tuple(each for each in self._entries() if "beside" not in each)

    @property
    def further_files(self) -> tuple[tuple[str, str, str], ...]:
        """(place, what for, SHA-256) of each file that was not given but read: beside an input, or by an option."""
        told = [(f"beside {each['beside']}", each) for each in self._entries() if "beside" in each]
        told += self.manifest.get("files", {}).items()
        return tuple((str(each.get("given") or each["file"]), what, str(each["sha256"])) for what, each in told)

    def _entries(self) -> list[Mapping[str, Any]]:
        return [each for each in self.manifest.get("inputs", ()) if isinstance(each, Mapping)]


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
    return tuple(
        dataclasses.replace(each, name=f"{at} {each.name}", called=each.folder)
        for at, each in enumerate(given, start=1)
    )


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
    if not path.is_file():
        # A pipe may never end, and cannot be read again for figures.
        raise FileError(str(path), "is neither a file nor a folder; write the report to a file first")
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
    return {name: value for name, value in manifest_of(found, file).items() if name != "outputs"}
