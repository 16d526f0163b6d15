"""The folder that an audit leaves: the report, and a manifest that says what it was made from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from compsplit.files import canonical_json, check_free, new_folder, sha256
from compsplit.model.report import Report
from compsplit.model.table import Input
from compsplit.version import VERSION

FORMAT = "compsplit-audit"
"""What a manifest says that it is."""
_KIND = "an audit, an evaluation, a probe or a profile"


def write_audit(
    report: Report,
    made_from: Mapping[str, Sequence[Input]],
    options: Mapping[str, Any],
    out: Path,
    *,
    force: bool = False,
    beside: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    documents: Callable[[Report], Mapping[str, str]] | None = None,
) -> None:
    """Write a report with its provenance to a folder, which appears only once it is whole.

    Args:
        report: What was measured.
        made_from: Part, or another use -> the files.
        options: What was asked, as JSON values.
        out: The folder.
        force: Replace an older one.
        beside: Part, or another use -> the entries of files that were read beside its own.
        documents: Makes further files of the report: name -> text.

    Raises:
        OutputExistsError: The folder is there, and ``force`` is not set, or it is none of ours.
    """
    check_audit_out(out, force)
    with new_folder(out, force, is_audit, _KIND) as folder:
        texts = {"report.json": canonical_json(report.to_json()), **(documents(report) if documents else {})}
        outputs = []
        for name, text in sorted(texts.items()):
            (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
            outputs.append({"file": name, "sha256": sha256(folder / name)})
        manifest = {
            "format": FORMAT,
            "format_version": 1,
            "versions": {"compsplit": VERSION},
            "inputs": [
                entry
                for use, files in made_from.items()
                for entry in (*(_entry(use, file) for file in files), *_told(use, (beside or {}).get(use, ())))
            ],
            "options": dict(options),
            "outputs": outputs,
        }
        (folder / "manifest.json").write_text(canonical_json(manifest), encoding="utf-8", newline="")


def _entry(use: str, file: Input) -> dict[str, Any]:
    return {
        "used_as": use,
        "file": file.path.name,
        # A relative path as it was given finds the file again; an absolute one is of one machine only.
        **({} if file.path.is_absolute() else {"given": file.path.as_posix()}),
        "member": file.member,
        "sha256": sha256(file.path),
    }


def _told(use: str, beside: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"used_as": use, **{k: v for k, v in each.items() if (k, v) != ("given", None)}} for each in beside]


def check_audit_out(out: Path, force: bool) -> None:
    """Raise if a folder is there already and must not be replaced.

    Raises:
        OutputExistsError: ``force`` is not set, or it is none that ``write_audit`` wrote.
        FileError: Its parent is not there, or it is a file.
    """
    check_free(out, force, is_audit, _KIND)


def is_audit(folder: Path) -> bool:
    """Tell whether a folder is one that an audit wrote."""
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and manifest.get("format") == FORMAT
