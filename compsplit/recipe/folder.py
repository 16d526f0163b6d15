"""The folder that a run leaves: parts, assignment, what is left out, report and manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import OutputExistsError
from compsplit.files import canonical_json, check_free, csv_lines, new_folder, sha256
from compsplit.model.column import Column
from compsplit.model.report import Report
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.recipe.beside import entries_beside
from compsplit.recipe.part_orders import part_orders
from compsplit.recipe.running import Run, Watch, no_watch
from compsplit.recipe.user_files import named_files, with_files
from compsplit.version import VERSION
from compsplit.writers import Written

MANIFEST, ASSIGNMENT, LEFT_OUT, REPORT = "manifest.json", "assignment.csv", "left_out.csv", "report.json"
FORMAT = "compsplit-split"
"""What a manifest says that it is."""
_KIND = "a split"
_ROWS = 1 << 14


def write_folder(
    run: Run,
    out: Path,
    *,
    force: bool = False,
    documents: Callable[[Report], Mapping[str, str]] | None = None,
    watch: Watch = no_watch,
) -> dict[str, Any]:
    """Write everything of a run to a folder, which appears only once it is whole, and return its manifest.

    Args:
        run: What to write.
        out: The folder.
        force: Replace an older one.
        documents: Makes further files of the report: name -> text.
        watch: Told each stage.

    Raises:
        OutputExistsError: The folder is there, and ``force`` is not set, or it is none of ours.
    """
    watch("auditing and writing")
    check_out(out, force, [given.path for given in run.table.inputs])
    with new_folder(out, force, is_split, _KIND) as folder, ThreadPoolExecutor(2) as pool:
        # Copying and hashing let go of the interpreter, and go on beside what is measured here.
        writer = run.recipe.write
        told = (about(run),) if writer.plugin.facts.get("card") else ()
        writing = pool.submit(writer.make, run.table, run.split, folder, *told)
        inputs = pool.submit(input_entries, run.table, run.read_options or {})
        report = run.report
        texts: dict[str, tuple[str, int | None]] = {
            ASSIGNMENT: (assignment_text(run), len(run.table)),
            LEFT_OUT: (left_out_text(run.table), len(run.table.left_out)),
            REPORT: (canonical_json(report.to_json()), None),
            **{name: (text, None) for name, text in (documents(report) if documents else {}).items()},
        }
        written: list[Written] = writing.result()
        outputs = [
            {
                "file": w.name,
                "part": w.part,
                "kind": w.kind,
                "records": w.n_records,
                "sha256": w.sha256,
                **({"lost": dict(w.lost)} if w.lost else {}),
            }
            for w in written
        ]
        for name, (text, n_records) in texts.items():
            path = folder / name
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            outputs.append({"file": name, "part": None, "kind": None, "records": n_records, "sha256": sha256(path)})
        manifest = manifest_of(run, inputs.result(), sorted(outputs, key=lambda entry: str(entry["file"])))
        (folder / MANIFEST).write_text(canonical_json(manifest), encoding="utf-8", newline="")
    return manifest


def own_files(run: Run) -> dict[str, Path]:
    """Return the files of the user that a recipe, or the options of its reader, name."""
    read = named_files({"read": run.read_options or {}})
    return {**run.recipe.files, **{f"{section}.{key}": Path(path) for section, key, path in read}}


def about(run: Run) -> dict[str, Any]:
    """Return what a dataset card says of how a split was made."""
    recipe = run.recipe
    return {
        "title": recipe.title,
        "source": recipe.source,
        "recipe": recipe.name,
        "splitter": recipe.split.plugin.name,
        "guarantee": recipe.split.plugin.facts.get("guarantee", ""),
        "seed": recipe.seed,
        "options": {
            name: value
            for name, value in recipe.resolved["split"].items()
            if name != "method" and value not in ([], None)
        },
        "inputs": sorted({given.path.name for given in run.table.inputs}),
        "checks": [check.written for check in run.checks],
    }


def is_split(folder: Path) -> bool:
    """Tell whether a folder is one that ``run`` wrote."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and manifest.get("format") == FORMAT


def check_out(out: Path, force: bool, inputs: Iterable[Path] = ()) -> None:
    """Raise if a folder is there already and must not be replaced.

    Raises:
        OutputExistsError: ``force`` is not set, or it is not one that ``run`` wrote, or an input is in it.
        FileError: Its parent is not there, or it is a file.
    """
    check_free(out, force, is_split, _KIND)
    for path in inputs:
        if out.resolve() in path.resolve().parents:
            raise OutputExistsError(str(out), f"holds the input {path.name}")


def manifest_of(run: Run, inputs: list[dict[str, Any]], outputs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a split was made from, how, and what came out."""
    recipe = run.recipe
    stages = {
        "extractor": ", ".join(recipe.extract.of),
        "grouper": recipe.group.plugin.name,
        "reader": run.table.format,
        "splitter": recipe.split.plugin.name,
        "writer": recipe.write.plugin.name,
    }
    return {
        "format": FORMAT,
        "format_version": 1,
        "versions": {"compsplit": VERSION},
        "recipe": dict(recipe.resolved),
        "recipe_name": recipe.name,
        "part_orders": part_orders(recipe.resolved),
        "read": {
            "format": run.table.format,
            "options": None
            if run.read_options is None
            else with_files({"read": run.read_options}, lambda section, key, path: Path(path).name)["read"],
        },
        "seed": recipe.seed,
        "plugins": stages,
        "reducer": None if run.reducer is None else dict(run.reducer),
        "parts": list(run.split.parts),
        "targets": {part: str(value) for part, value in recipe.targets.fractions.items()},
        "asked": dict(run.split.asked),
        "sizes": dict(run.split.sizes),
        "files": {
            option: {"file": path.name, "sha256": sha256(path)} for option, path in sorted(own_files(run).items())
        },
        "left_out": len(run.table.left_out),
        "decisions": dict(run.table.decisions),
        "inputs": inputs,
        "outputs": outputs,
    }


def input_entries(table: RowTable, options: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return name, checksum and number of records of each input, by name, each followed by what is read beside it.

    Args:
        table: What was read.
        options: The options that its reader was given.
    """
    n_records: dict[tuple[str, str], int] = {}
    if isinstance(table, SceneTable):
        n_records = {(each.source, each.name): n for each, n in zip(table.inputs, table.n_scenes, strict=True)}
    kinds: dict[tuple[str, str], str] = {}
    for records in [] if isinstance(table, SceneTable) else table.records:
        if records.input is not None:
            named = (records.input.source, records.input.name)
            kinds.setdefault(named, records.kind)
            n_records[named] = n_records.get(named, 0) + len(records.starts)
    entries = []
    for (source, name), given in sorted({(each.source, each.name): each for each in table.inputs}.items()):
        entries.append(
            {
                "file": given.path.name,
                # A relative path as it was given finds the file again; an absolute one is of one machine only.
                "given": None if given.path.is_absolute() else given.path.as_posix(),
                "member": given.member,
                "source": source,
                "kind": kinds.get((source, name), "scenes"),
                "records": n_records[source, name],
                "sha256": sha256(given.path),
            }
        )
        beside = entries_beside(table.format, [given], options)
        entries += [{**each, "source": source, "kind": "names", "records": None} for each in beside]
    return entries


def assignment_text(run: Run) -> str:
    """Return the part of each row as CSV, ordered by id as text."""
    order = np.argsort(run.table.ids, kind="stable")
    head = ",".join(["source"] * run.table.scoped + ["id", "image", "origin", "part", "group"]) + "\n"
    # Some rows at a time, since the texts of all of them take more room than their codes.
    return head + "".join(_assigned(run, order[first : first + _ROWS]) for first in range(0, len(order), _ROWS))


def _assigned(run: Run, rows: NDArray[np.int64]) -> str:
    table, split, grouping = run.table, run.split, run.grouping
    origins = table.named_columns().get("origin", Column.absent(len(table)))
    named = [table.sources] * table.scoped + [table.images, origins]
    texts = [[column.names[code] if code >= 0 else "" for code in column.codes[rows].tolist()] for column in named]
    columns = [
        *texts[: int(table.scoped)],
        table.ids[rows].tolist(),
        *texts[int(table.scoped) :],
        [split.parts[part] for part in split.part_of_row[rows].tolist()],
        [f"{value:016x}" for value in grouping.hashes[grouping.group_of_row[rows]].tolist()],
    ]
    return csv_lines(columns)


def left_out_text(table: RowTable) -> str:
    """Return what is left out, and why, as CSV, ordered by id as text."""
    pairs = sorted(table.left_out)
    return csv_text({"id": [name for name, _ in pairs], "reason": [reason for _, reason in pairs]})


def csv_text(columns: Mapping[str, list[str]]) -> str:
    """Return columns as CSV with a header line."""
    return ",".join(columns) + "\n" + csv_lines(list(columns.values()))
