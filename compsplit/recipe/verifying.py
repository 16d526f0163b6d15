"""Verify a run's folder: read inputs and outputs again, and prove or refute every promise of the split."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.errors import CompsplitError, FileError, UsageError, counted, listed
from compsplit.files import sha256
from compsplit.model.column import Column
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.model.table import Input
from compsplit.recipe.folder import ASSIGNMENT, FORMAT, LEFT_OUT, MANIFEST
from compsplit.recipe.measuring_again import MeasuredAgain
from compsplit.recipe.parsing import Recipe, from_mapping
from compsplit.recipe.part_orders import in_order
from compsplit.recipe.promises import Promise, unless
from compsplit.recipe.running import Watch, completed, no_watch
from compsplit.recipe.unchanged import records_unchanged
from compsplit.recipe.user_files import with_files
from compsplit.registry import plugin


def verify_folder(
    folder: Path, inputs: Sequence[str | Path] = (), watch: Watch = no_watch, near: Sequence[Path] = ()
) -> list[Promise]:
    """Return every promise of a run's folder with whether it is kept; broken ones first.

    Args:
        folder: What ``run`` wrote.
        inputs: The inputs, or folders that hold them, where they are not in the current folder or beside this one
            under their names.
        watch: Told each stage.
        near: Further files that are inputs if their content is.

    Raises:
        FileError, UsageError: The folder is none of ours, or an input cannot be found.
    """
    manifest = _manifest(folder)
    try:
        promises = _promises(manifest, folder, inputs, near, watch)
    except CompsplitError:
        raise
    except (KeyError, TypeError, AttributeError) as error:
        raise FileError(str(folder / MANIFEST), f"is not a whole manifest ({error!r})") from error
    return sorted(promises, key=lambda promise: promise.kept)


def _promises(
    manifest: Mapping[str, Any], folder: Path, inputs: Sequence[str | Path], near: Sequence[Path], watch: Watch
) -> list[Promise]:
    if manifest["read"]["options"] is None or not manifest["inputs"]:
        raise UsageError("This split was made from a table in memory; its input cannot be read again.")
    own = manifest["files"]
    entries = [each for each in manifest["inputs"] if "beside" not in each]
    given = _given(inputs, {entry["file"] for entry in (*entries, *own.values())})
    inputs_found = _inputs(entries, folder, given, near)
    beside = [each for each in manifest["inputs"] if "beside" in each]
    every = [*inputs_found, *_beside(beside, inputs_found)]
    promises = [_same_inputs([*entries, *beside], every), *_same_outputs(manifest["outputs"], folder)]
    if not promises[0].kept:
        return promises
    watch("reading inputs")
    written = _with_own_files(manifest, folder, given)
    recipe = _recipe(manifest, written["recipe"])
    reader = plugin("reader", manifest["read"]["format"])
    table = completed(recipe, reader.make(tuple(inputs_found), **reader.check(written["read"])))
    assigned = _assignment(folder)
    if isinstance(assigned, Promise):
        return [*promises, assigned]
    out = dict(_listed_out(folder / LEFT_OUT))
    promises += _every_row_once(table, assigned, out)
    ids = table.ids.tolist()
    parts = tuple(manifest["parts"])
    strange = sorted(set(assigned.parts.values()) - set(parts))
    promises.append(unless(strange, "every part is one of the split's", "{} is not".format, listed(parts)))
    if strange or any((name in assigned.parts) == (name in out) for name in ids):
        return promises
    number = {part: p for p, part in enumerate(parts)}
    part_of_row = np.array([number[assigned.parts[name]] if name in assigned.parts else -1 for name in ids], np.int16)
    reasons = Column.of(None if name in assigned.parts else out[name] for name in ids)
    split = Split(parts, part_of_row, left_out=reasons if (part_of_row < 0).any() else None)
    watch("measuring")
    again = MeasuredAgain(manifest, recipe, table, split)
    promises += again.promises(folder, assigned.groups, sorted(_listed_out(folder / LEFT_OUT)))
    watch("reading outputs")
    return [*promises, *records_unchanged(manifest, folder, recipe, again.run.table, again.run.split)]


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not folder.exists():
        raise FileError(str(folder), "there is no such folder")
    if not path.is_file():
        raise FileError(str(folder), f"holds no {MANIFEST}, so it is no folder that compsplit run wrote")
    try:
        manifest = json.loads(path.read_bytes().decode())
    except (ValueError, RecursionError) as error:
        raise FileError(str(path), f"is not JSON ({error})") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise FileError(str(path), "is not the manifest of a split")
    if manifest.get("format_version") != 1:
        raise FileError(str(path), f"has format version {manifest.get('format_version')}; this compsplit knows 1")
    return manifest


def _inputs(
    entries: Sequence[Mapping[str, Any]], folder: Path, given: Sequence[Path], near: Sequence[Path]
) -> list[Input]:
    """Return where each input is now: by its content, else by its name, where each file stands for one input only.

    Raises:
        FileError: One cannot be found.
    """
    found: dict[int, Path] = {}
    near_by = [_near(entry, folder) for entry in entries]
    known = dict.fromkeys([*given, *(path for paths in near_by for path in paths), *near])
    sums = {path: sha256(path) for path in known if path.is_file()}
    for number, entry in enumerate(entries):
        # A file that was named may have another name by now.
        same = next((p for p in (*given, *near_by[number], *near) if sums.get(p) == entry["sha256"]), None)
        if same is not None:
            found[number] = same
    taken = {path.resolve(): entries[number]["sha256"] for number, path in found.items()}
    for number, entry in enumerate(entries):
        if number in found:
            continue
        named = (path for path in (*given, *near_by[number]) if path.name == entry["file"])
        # Members of one archive share its file.
        other = next((path for path in named if taken.get(path.resolve(), entry["sha256"]) == entry["sha256"]), None)
        if other is None:
            raise FileError(
                f"{entry['file']} (source {entry['source']})",
                "the input is neither in this folder nor beside the split; name it with --input",
            )
        found[number] = other
        taken[other.resolve()] = entry["sha256"]
    return [Input(found[number], entry["source"], entry["member"]) for number, entry in enumerate(entries)]


def _beside(entries: Sequence[Mapping[str, Any]], inputs: Sequence[Input]) -> list[Input]:
    """Return the files that the reader finds beside its inputs.

    Raises:
        FileError: One is not there.
    """
    folders = {each.source: each.path.parent for each in inputs}
    found = []
    for entry in entries:
        # A name that was tampered with leads nowhere else.
        path = folders[entry["source"]] / Path(entry["file"]).name
        if not path.is_file():
            raise FileError(str(path), f"there is no such file; it is read beside {entry['beside']}: put it there")
        found.append(Input(path, entry["source"]))
    return found


def _near(entry: Mapping[str, Any], folder: Path) -> list[Path]:
    """Return the files that may be one that nobody named."""
    places = [Path.cwd() / entry["file"], folder.resolve().parent / entry["file"]]
    given = [Path.cwd() / entry["given"]] if entry.get("given") else []
    return [path for path in (*given, *places) if path.is_file()]


def _given(paths: Sequence[str | Path], names: set[str]) -> list[Path]:
    """Return the files that were named; of a folder, those of these names in it or one folder below.

    Raises:
        FileError: There is no such file.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = [*sorted(path.iterdir()), *sorted(path.glob("*/*"))]
            found += [each for each in inside if each.name in names and each.is_file()]
        elif path.is_file():
            found.append(path)
        else:
            raise FileError(str(path), "there is no such file")
    return found


def _with_own_files(manifest: Mapping[str, Any], folder: Path, given: Sequence[Path]) -> dict[str, Any]:
    """Return the recipe of a manifest, and the options of its reader, with the places of files that they name.

    Raises:
        FileError: One cannot be found.
    """
    found: dict[str, str] = {}
    for option, entry in manifest["files"].items():
        near = _near(entry, folder)
        named = [path for path in given if path.name == entry["file"]]
        same = (path for path in (*given, *near) if sha256(path) == entry["sha256"])
        path = next(same, next(iter([*named, *near]), None))
        if path is None:
            raise FileError(
                entry["file"],
                f"the file of {option} is neither in this folder nor beside the split; name it with --input",
            )
        found[option] = str(path)

    def place(section: str, key: str, _: str) -> str:
        return found[f"{section}.{key}"]

    read = with_files({"read": manifest["read"]["options"]}, place)["read"]
    return {"recipe": with_files(manifest["recipe"], place), "read": read}


def _same_inputs(entries: Sequence[Mapping[str, Any]], found: Sequence[Input]) -> Promise:
    wrong = [file.name for file, entry in zip(found, entries, strict=True) if sha256(file.path) != entry["sha256"]]
    return unless(
        wrong,
        "inputs are those of the split",
        "{} has other content than the split was made from".format,
        f"{counted(len(found), 'file')}, same SHA-256",
    )


def _same_outputs(entries: Sequence[Mapping[str, Any]], folder: Path) -> list[Promise]:
    promises = []
    expected = {entry["file"]: entry["sha256"] for entry in entries}
    for name, digest in expected.items():
        path = folder / Path(name).name  # a manifest that was tampered with leads nowhere else
        if not path.is_file():
            promises.append(Promise(f"{name} is as it was written", False, f"{name} is missing"))
        elif sha256(path) != digest:
            size = path.stat().st_size
            promises.append(Promise(f"{name} is as it was written", False, f"{name} has other bytes ({size:,} now)"))
    extra = sorted(path.name for path in folder.iterdir() if path.name not in expected and path.name != MANIFEST)
    promises.append(
        unless(extra, "no other file is in the folder", "{} is not of this split".format, "only what was written")
    )
    if len(promises) == 1:
        told = f"{counted(len(expected), 'file')}, same SHA-256"
        promises.insert(0, Promise("every file is as it was written", True, told))
    return promises


def _recipe(manifest: Mapping[str, Any], written: Mapping[str, Any]) -> Recipe:
    ordered = in_order(written, manifest["part_orders"])
    return from_mapping(manifest["recipe_name"], {**ordered, "seed": manifest["seed"]})


@dataclass(frozen=True, slots=True)
class _Assigned:
    """What assignment.csv says, by id."""

    parts: dict[str, str]
    groups: dict[str, str]


def _assignment(folder: Path) -> _Assigned | Promise:
    try:
        text = (folder / ASSIGNMENT).read_bytes().decode()
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        ids = [row["id"] for row in rows]
        parts, groups = ([row[name] or "" for row in rows] for name in ("part", "group"))
    except (OSError, UnicodeDecodeError, KeyError, csv.Error) as error:
        return Promise("the assignment can be read", False, f"{ASSIGNMENT}: {error}")
    twice = sorted(name for name, n in Counter(ids).items() if n > 1)
    if twice:
        return Promise("no row is assigned twice", False, f"{ASSIGNMENT} holds {listed(twice)} more than once")
    return _Assigned(dict(zip(ids, parts, strict=True)), dict(zip(ids, groups, strict=True)))


def _every_row_once(table: RowTable, assigned: _Assigned, out: Mapping[str, str]) -> list[Promise]:
    ids = set(table.ids.tolist())
    lost = sorted(ids - assigned.parts.keys() - out.keys())
    twice = sorted(assigned.parts.keys() & out.keys())
    strange = sorted(assigned.parts.keys() - ids)
    n_assigned = len(ids & assigned.parts.keys())
    return [
        unless(
            lost,
            "no row is lost",
            f"{len(lost):,} without a part ({{}})".format,
            f"{counted(n_assigned, 'row')} assigned, {len(ids) - n_assigned:,} listed as left out",
        ),
        unless(twice, "no row is assigned and left out", "{} is both".format, "each is one of both"),
        unless(strange, "no row is made up", "{} is not in the inputs".format, "every id is in the inputs"),
    ]


def _listed_out(path: Path) -> list[tuple[str, str]]:
    text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return sorted((row.get("id") or "", row.get("reason") or "") for row in rows)
