"""Verify a run's folder: read inputs and outputs again, and prove or refute every promise of the split."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.errors import CompsplitError, FileError, UsageError, listed
from compsplit.files import canonical_json, sha256
from compsplit.model.split import Split
from compsplit.model.table import Input, QATable, Records
from compsplit.recipe.folder import ASSIGNMENT, LEFT_OUT, MANIFEST, REPORT
from compsplit.recipe.parsing import Recipe, from_mapping
from compsplit.recipe.reporting import reported
from compsplit.recipe.running import Watch, answered, extracted, no_watch, run_on_table
from compsplit.registry import plugin
from compsplit.writers.spans import Pieces


@dataclass(frozen=True, slots=True)
class Promise:
    """One promise of a split, and whether it is kept.

    Attributes:
        name: What is promised.
        kept: Whether it holds.
        told: What was compared, or what is broken.
    """

    name: str
    kept: bool
    told: str

    def to_json(self) -> dict[str, Any]:
        """Return the promise as plain values."""
        return {"promise": self.name, "kept": self.kept, "told": self.told}


def verify_folder(folder: Path, inputs: Sequence[str | Path] = (), watch: Watch = no_watch) -> list[Promise]:
    """Return every promise of a run's folder with whether it is kept; broken ones first.

    Args:
        folder: What ``run`` wrote.
        inputs: The inputs, where they are not in the current folder or beside this one under their names.
        watch: Told each stage.

    Raises:
        FileError, UsageError: The folder is none of ours, or an input cannot be found.
    """
    manifest = _manifest(folder)
    found = _inputs(manifest, folder, inputs)
    promises = [_same_inputs(manifest, found), *_same_outputs(manifest, folder)]
    if not promises[0].kept:
        return sorted(promises, key=lambda promise: promise.kept)
    watch("reading inputs")
    recipe = _recipe(manifest)
    table = plugin("reader", manifest["read"]["format"]).make(tuple(found), **_reading(manifest))
    table = answered(table, recipe)
    assigned = _assignment(folder)
    if isinstance(assigned, Promise):
        promises.append(assigned)
        return sorted(promises, key=lambda promise: promise.kept)
    table = _without_groups(recipe, table)
    promises += _every_row_once(table, assigned, folder)
    watch("reading outputs")
    promises += _records_unchanged(manifest, folder, table, assigned)
    watch("measuring")
    if all(name in assigned for name in table.ids.tolist()):
        promises += _measured(manifest, folder, recipe, table, assigned)
    return sorted(promises, key=lambda promise: promise.kept)


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.is_file():
        raise FileError(str(folder), f"holds no {MANIFEST}, so it is no folder that compsplit run wrote")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FileError(str(path), f"is not JSON ({error})") from error
    if manifest.get("format") != "compsplit-split":
        raise FileError(str(path), "is not the manifest of a split")
    return manifest  # type: ignore[no-any-return]


def _inputs(manifest: dict[str, Any], folder: Path, given: Sequence[str | Path]) -> list[Input]:
    places = [Path(path) for path in given]
    found = []
    entries = manifest["inputs"]
    if not entries:
        raise UsageError("This split was made from a table in memory; its input cannot be read again.")
    for entry in entries:
        named = [place for place in places if place.name == entry["file"]]
        near = [Path.cwd() / entry["file"], folder.resolve().parent / entry["file"]]
        if entry.get("given"):
            near.insert(0, Path.cwd() / entry["given"])
        candidates = [path for path in (*named, *near) if path.is_file()]
        right = next((path for path in candidates if sha256(path) == entry["sha256"]), None)
        if right is None and not candidates:
            raise FileError(
                entry["file"], "the input is neither in this folder nor beside the split; name it with --input"
            )
        found.append(Input(right or candidates[0], entry["source"], entry["member"]))
    return found


def _same_inputs(manifest: dict[str, Any], found: Sequence[Input]) -> Promise:
    wrong = [
        file.name for file, entry in zip(found, manifest["inputs"], strict=True) if sha256(file.path) != entry["sha256"]
    ]
    told = (
        f"{listed(wrong)}: other content than the split was made from" if wrong else f"{len(found)} files, same SHA-256"
    )
    return Promise("inputs are those of the split", not wrong, told)


def _same_outputs(manifest: dict[str, Any], folder: Path) -> list[Promise]:
    promises = []
    expected = {entry["file"]: entry for entry in manifest["outputs"]}
    for name, entry in expected.items():
        path = folder / name
        if not path.is_file():
            promises.append(Promise(f"{name} is as it was written", False, f"{name} is missing"))
        elif sha256(path) != entry["sha256"]:
            size = path.stat().st_size
            promises.append(
                Promise(f"{name} is as it was written", False, f"{name} has other bytes ({size:,} of them)")
            )
    extra = sorted(path.name for path in folder.iterdir() if path.name not in expected and path.name != MANIFEST)
    if extra:
        promises.append(Promise("no other file is in the folder", False, f"{listed(extra)} is not of this split"))
    if not promises:
        promises.append(Promise("every file is as it was written", True, f"{len(expected)} files, same SHA-256"))
    return promises


def _recipe(manifest: dict[str, Any]) -> Recipe:
    # JSON with sorted keys does not keep the order of the parts, whose first is the reference.
    split = {**manifest["recipe"]["split"], "parts": {part: manifest["targets"][part] for part in manifest["parts"]}}
    return from_mapping(manifest["recipe_name"], {**manifest["recipe"], "seed": manifest["seed"], "split": split})


def _reading(manifest: dict[str, Any]) -> dict[str, Any]:
    return plugin("reader", manifest["read"]["format"]).check(manifest["read"]["options"])


def _assignment(folder: Path) -> dict[str, tuple[str, str]] | Promise:
    """Return id -> (part, group)."""
    try:
        text = (folder / ASSIGNMENT).read_bytes().decode()
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        twice = [name for name, n in Counter(row["id"] for row in rows).items() if n > 1]
        if twice:
            return Promise("no row is assigned twice", False, f"{ASSIGNMENT} holds {listed(twice)} more than once")
        return {row["id"]: (row["part"], row["group"]) for row in rows}
    except (OSError, UnicodeDecodeError, KeyError, csv.Error) as error:
        return Promise("the assignment can be read", False, f"{ASSIGNMENT}: {error}")


def _without_groups(recipe: Recipe, table: QATable) -> QATable:
    if recipe.group.plugin.name != "column" or recipe.missing == "stop":
        return table
    name = recipe.group.options["column"]
    rows = extracted(recipe, table)[0]
    return table.keep(rows.column(name).codes >= 0, f"no {name}", f"rows without {name} left out")


def _every_row_once(table: QATable, assigned: dict[str, tuple[str, str]], folder: Path) -> list[Promise]:
    ids = set(table.ids.tolist())
    lost = sorted(ids - assigned.keys())
    strange = sorted(assigned.keys() - ids)
    listed_out = _listed_out(folder / LEFT_OUT)
    return [
        Promise("no row is lost", not lost, f"{len(lost):,} rows have no part ({listed(lost)})" if lost else f"{len(ids):,} rows assigned"),
        Promise("no row is made up", not strange, f"{listed(strange)} is not in the inputs" if strange else "every id is in the inputs"),
        Promise(
            "what is left out is listed",
            listed_out == sorted(table.left_out),
            f"{len(listed_out):,} listed, {len(table.left_out):,} left out",
        ),
    ]  # fmt: skip


def _listed_out(path: Path) -> list[tuple[str, str]]:
    text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return sorted((row.get("id") or "", row.get("reason") or "") for row in rows)


def _records_unchanged(
    manifest: dict[str, Any], folder: Path, table: QATable, assigned: dict[str, tuple[str, str]]
) -> list[Promise]:
    """Hold the records of each part file against those of the inputs."""
    promises = []
    ids = table.ids.tolist()
    part_files = [entry for entry in manifest["outputs"] if entry["part"] is not None]
    copied = manifest["plugins"]["writer"] == "same" and all(r.layout != "arrow" for r in table.records)
    expected: dict[tuple[str, str], dict[bytes, list[str]]] = {}
    for records in table.records if copied else ():
        for digest, row in zip(_digests(records), records.rows.tolist(), strict=True):
            if row >= 0 and ids[row] in assigned:
                by_digest = expected.setdefault((assigned[ids[row]][0], records.kind), {})
                by_digest.setdefault(digest, []).append(ids[row])
    by_part: dict[str, list[Path]] = {}
    for entry in part_files:
        by_part.setdefault(entry["part"], []).append(folder / entry["file"])
    for part, paths in by_part.items():
        name = f"{', '.join(path.name for path in paths)} hold the records of {part}, unchanged"
        if not copied:
            n = sum(1 for where, _ in assigned.values() if where == part)
            counts = [entry["records"] for entry in part_files if entry["part"] == part]
            promises.append(
                Promise(name, all(c == n for c in counts), f"{n:,} rows assigned, {listed(counts)} written")
            )
            continue
        try:
            wrong = _compared(part, paths, table, expected)
        except CompsplitError as error:
            wrong = error.message
        promises.append(Promise(name, not wrong, wrong or "byte for byte"))
    return promises


def _compared(
    part: str, paths: Sequence[Path], table: QATable, expected: dict[tuple[str, str], dict[bytes, list[str]]]
) -> str:
    """Return what differs between the part files and what they should hold, nothing if nothing does."""
    reading: dict[str, Any] = {"allow_unjoined": True} if table.format == "vqa" else {}
    written = plugin("reader", table.format).make(tuple(Input(path, path.stem) for path in paths), **reading)
    wrong = []
    for kind in sorted({kind for where, kind in expected if where == part}):
        got: Counter[bytes] = Counter()
        for records in written.records:
            if records.kind == kind:
                got.update(_digests(records))
        want = expected[part, kind]
        lost = [names[0] for digest, names in want.items() if got[digest] < len(names)]
        strange = sum(n - len(want.get(digest, ())) for digest, n in got.items() if n > len(want.get(digest, ())))
        if lost:
            wrong.append(f"{len(lost):,} {kind} of {part} are missing or changed (id {listed(sorted(lost))})")
        if strange:
            wrong.append(f"{strange:,} {kind} of {part} are not those of the inputs")
    return "; ".join(wrong)


def _digests(records: Records) -> list[bytes]:
    """Return a digest of each record's bytes, line ends aside."""
    with Pieces(records) as piece:
        spans = zip(records.starts.tolist(), records.stops.tolist(), strict=True)
        return [hashlib.blake2b(piece(a, b).rstrip(b"\r\n"), digest_size=16).digest() for a, b in spans]


def _measured(
    manifest: dict[str, Any], folder: Path, recipe: Recipe, table: QATable, assigned: dict[str, tuple[str, str]]
) -> list[Promise]:
    """Hold groups, sizes, report and the recipe's checks against the assignment."""
    promises = []
    parts = recipe.targets.parts
    ids = table.ids.tolist()
    unknown = sorted({assigned[name][0] for name in ids} - set(parts))
    if unknown:
        return [Promise("every part is one of the recipe's", False, f"{ASSIGNMENT} names {listed(unknown)}")]
    rows, described = extracted(recipe, table)
    same_reducer = described is None or dict(described) == manifest["reducer"]
    promises.append(
        Promise(
            "the reducer is that of the split",
            same_reducer,
            "same name, options and tables" if same_reducer else "another version of its tables: groups may differ",
        )
    )
    grouping = recipe.group.make(rows)
    number = {part: p for p, part in enumerate(parts)}
    part_of_row = np.array([number[assigned[name][0]] for name in ids], dtype=np.int16)
    digits = [f"{value:016x}" for value in grouping.hashes.tolist()]
    moved = [n for n, g in zip(ids, grouping.group_of_row.tolist(), strict=True) if assigned[n][1] != digits[g]]
    promises.append(
        Promise(
            "every row is in its group",
            not moved,
            f"{listed(sorted(moved))}" if moved else f"{grouping.n_groups:,} groups",
        )
    )
    least = np.full(grouping.n_groups, len(parts), dtype=np.int16)
    most = np.full(grouping.n_groups, -1, dtype=np.int16)
    np.minimum.at(least, grouping.group_of_row, part_of_row)
    np.maximum.at(most, grouping.group_of_row, part_of_row)
    torn = np.flatnonzero(least < most)
    shown = sorted(grouping.names[g] for g in torn.tolist())
    promises.append(
        Promise(
            "no group is in two parts",
            not len(torn),
            f"{len(torn):,} groups are ({listed(shown)})"
            if len(torn)
            else f"{grouping.n_groups:,} groups, each in one part",
        )
    )
    again = run_on_table(recipe, table) if same_reducer else None
    split = Split(parts, part_of_row, recipe.targets.sizes(len(table)), dict(again.split.facts) if again else {})
    sizes = split.sizes
    promises.append(
        Promise(
            "sizes are those of the manifest",
            sizes == manifest["sizes"],
            ", ".join(f"{part} asked {manifest['asked'].get(part, 0):,} got {n:,}" for part, n in sizes.items()),
        )
    )
    if again is not None:
        differ = sorted(np.array(ids)[again.split.part_of_row != part_of_row].tolist())
        promises.append(
            Promise(
                "the recipe makes this assignment again",
                not differ,
                f"{len(differ):,} rows would be in another part ({listed(differ)})"
                if differ
                else f"seed {recipe.seed}, same parts",
            )
        )
    report = reported(recipe, table, rows, grouping, split, described)
    promises += [
        Promise("checks of the recipe hold", False, finding.message)
        for finding in report.findings
        if finding.level == "fail"
    ] or [Promise("checks of the recipe hold", True, f"{len(recipe.checks)} checks")]
    promises.append(_same_report(folder, canonical_json(report.to_json())))
    return promises


def _same_report(folder: Path, again: str) -> Promise:
    path = folder / REPORT
    written = path.read_text(encoding="utf-8") if path.is_file() else "{}"
    if written == again:
        return Promise("the report says what is measured again", True, f"{REPORT}, byte for byte")
    try:
        old, new = json.loads(written), json.loads(again)
    except ValueError as error:
        return Promise("the report says what is measured again", False, f"{REPORT} is not JSON ({error})")

    def keyed(report: dict[str, Any]) -> dict[str, Any]:
        return {
            json.dumps([m["name"], m["of"], m["options"], m["reference"], m["part"], m["run"]]): m["value"]
            for m in report.get("measures", [])
        }

    before, now = keyed(old), keyed(new)
    differ = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    told = f"{len(differ)} measures differ" if differ else "findings, tables or subject differ"
    if differ:
        name, of, _, reference, part, _ = json.loads(differ[0])
        told += f", first {name}[{of}][{reference}->{part}]: reported {before.get(differ[0])}, is {now.get(differ[0])}"
    return Promise("the report says what is measured again", False, told)
