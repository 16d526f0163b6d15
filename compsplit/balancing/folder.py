"""The folder that a balance leaves: the kept rows, a ledger of all others, counts, groups, report and manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.balancing.balancing import NEAR_REPEAT, Balance
from compsplit.balancing.reporting import GROUP_COLUMNS, group_lines, settings
from compsplit.errors import OutputExistsError
from compsplit.files import canonical_json, check_free, csv_lines, new_folder
from compsplit.model.column import Column
from compsplit.model.report import Report
from compsplit.recipe.folder import input_entries, left_out_text
from compsplit.recipe.running import Watch, no_watch
from compsplit.recipe.user_files import with_files
from compsplit.version import VERSION
from compsplit.writers import Written
from compsplit.writers.spans import row_places

FORMAT = "compsplit-balance"
"""What a manifest says that it is."""
_KIND = "a balance"
LEDGER, COUNTS, GROUPS, LEFT_OUT = "ledger.csv", "counts.csv", "groups.csv", "left_out.csv"
_ROWS = 1 << 14


def write_balance(
    balance: Balance,
    out: Path,
    *,
    force: bool = False,
    documents: Callable[[Report], Mapping[str, str]] | None = None,
    watch: Watch = no_watch,
) -> None:
    """Write everything of a balance to a folder, which appears only once it is whole.

    Args:
        balance: What to write.
        out: The folder.
        force: Replace an older one.
        documents: Makes further files of the report: name -> text.
        watch: Told each stage.

    Raises:
        OutputExistsError: The folder is there, and ``force`` is not set, or it is none of ours, or an input is in it.
        UsageError: The kept rows cannot be written in that format.
    """
    table = balance.table
    check_balance_out(out, force, [given.path for given in table.inputs])
    watch("writing")
    with new_folder(out, force, is_balance, _KIND) as folder:
        writer = balance.plan.recipe.write
        told = (_about(balance),) if writer.plugin.facts.get("card") else ()
        written: list[Written] = writer.make(table, balance.split, folder, *told)
        outputs = [
            {
                "file": each.name,
                "kind": each.kind,
                "records": each.n_records,
                "sha256": each.sha256,
                **({"lost": dict(each.lost)} if each.lost else {}),
            }
            for each in written
        ]
        for name, texts in (
            (LEDGER, _ledger(balance)),
            (COUNTS, _counts(balance)),
            (GROUPS, _groups(balance)),
            (LEFT_OUT, iter([left_out_text(table)])),
            ("report.json", iter([canonical_json(balance.report.to_json())])),
            *((name, iter([text])) for name, text in (documents(balance.report) if documents else {}).items()),
        ):
            outputs.append({"file": name, "kind": None, "records": None, "sha256": _write(folder / name, texts)})
        manifest = _manifest(balance, sorted(outputs, key=lambda entry: str(entry["file"])))
        (folder / "manifest.json").write_text(canonical_json(manifest), encoding="utf-8", newline="")


def check_balance_out(out: Path, force: bool, inputs: Iterable[Path] = ()) -> None:
    """Raise if a folder is there already and must not be replaced.

    Raises:
        OutputExistsError: ``force`` is not set, or it is not one that a balance wrote, or an input is in it.
        FileError: Its parent is not there, or it is a file.
    """
    check_free(out, force, is_balance, _KIND)
    for path in inputs:
        if out.resolve() in path.resolve().parents:
            raise OutputExistsError(str(out), f"holds the input {path.name}")


def is_balance(folder: Path) -> bool:
    """Tell whether a folder is one that a balance wrote."""
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and manifest.get("format") == FORMAT


def _write(path: Path, texts: Iterator[str]) -> str:
    """Write texts one after the other, and return the SHA-256 of all."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            file.write(data)
            digest.update(data)
    return digest.hexdigest()


def _ledger(balance: Balance) -> Iterator[str]:
    """Yield a line for each row that was dropped, by id as text: the stage, and its group and answer there."""
    table, rounds = balance.table, balance.rounds
    n_levels = len(balance.levels)
    yield "id,image,stage,round,level,group,answer,stays\n"
    dropped = np.flatnonzero(~balance.kept)
    dropped = dropped[np.argsort(row_places(table)[dropped], kind="stable")]
    groups = [*(level.groups for level in balance.levels), *(each.types for each in balance.types)]
    repeats = balance.repeats
    # Some rows at a time, since the texts of all of them take more room than their codes.
    for first in range(0, len(dropped), _ROWS):
        rows = dropped[first : first + _ROWS]
        stages = rounds.stage_of_row[rows]
        again = repeats[rows]
        names = np.full(len(rows), "", dtype=object)
        for place, column in enumerate(groups):
            here = np.flatnonzero((stages == place) & ~again)
            names[here] = _texts(column, rows[here])
        stays = np.full(len(rows), "", dtype=object)
        stays[again] = table.ids[balance.stays[rows[again]]].tolist()
        levels = [*rounds.stages, ""]
        yield csv_lines(
            [
                table.ids[rows].tolist(),
                _texts(table.images, rows),
                [
                    NEAR_REPEAT if repeat else "groups" if stage < n_levels else "types"
                    for stage, repeat in zip(stages.tolist(), again.tolist(), strict=True)
                ],
                ["" if not number else str(number) for number in rounds.round_of_row[rows].tolist()],
                [levels[stage] for stage in stages.tolist()],
                names.tolist(),
                _texts(balance.answers, rows),
                stays.tolist(),
            ]
        )


def _texts(column: Column, rows: np.ndarray[Any, Any]) -> list[str]:
    return [column.names[code] if code >= 0 else "" for code in column.codes[rows].tolist()]


def _counts(balance: Balance) -> Iterator[str]:
    """Yield a line for each group and answer: its rows before and after; by level, group, falling rows, answer."""
    yield "level,group,answer,before,after\n"
    for level, (before, after) in zip(balance.levels, balance.counts, strict=True):
        cells = level.ordered(before)
        starts = level.starts(cells)
        groups = level.group_of_cell[cells[starts[:-1]]].tolist()
        for place in sorted(range(len(groups)), key=lambda place: level.groups.names[groups[place]]):
            some = cells[starts[place] : starts[place + 1]]
            answers = [balance.answers.names[a] for a in level.answer_of_cell[some].tolist()]
            n = len(some)
            yield csv_lines(
                [
                    [level.name] * n,
                    [level.groups.names[groups[place]]] * n,
                    answers,
                    list(map(str, before[some].tolist())),
                    list(map(str, after[some].tolist())),
                ]
            )


def _groups(balance: Balance) -> Iterator[str]:
    """Yield a line for each group: rows, answers, entropy, commonest answer, head to tail, before and after."""
    yield ",".join(("level", *(name.replace(" / ", "_to_").replace(" ", "_") for name in GROUP_COLUMNS))) + "\n"
    for level, (before, after) in zip(balance.levels, balance.spreads, strict=True):
        names = level.groups.names
        there = sorted(np.flatnonzero(before.there).tolist(), key=lambda g: names[g])
        lines = group_lines(np.array(there, dtype=np.int64), level, before, after)
        for first in range(0, len(lines), _ROWS):
            some = lines[first : first + _ROWS]
            yield csv_lines(
                [[level.name] * len(some), *(list(map(_cell, column)) for column in zip(*some, strict=True))]
            )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _about(balance: Balance) -> dict[str, Any]:
    """Return what a dataset card says of how the rows were chosen."""
    return {
        "title": "Balanced answers",
        "source": balance.report.subject["source"],
        "recipe": "balance",
        "splitter": "balance",
        "guarantee": "No answer of a group gains rows, and the order of its answers is kept in each step.",
        "seed": balance.plan.recipe.seed,
        "options": {name: value for name, value in settings(balance).items() if value not in ({}, None)},
        "inputs": sorted({given.path.name for given in balance.table.inputs}),
        "checks": [],
    }


def _manifest(balance: Balance, outputs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what was balanced, how, and what came out."""
    resolved = balance.plan.recipe.resolved
    read = with_files({"read": balance.read_options}, lambda section, key, path: Path(path).name)["read"]
    return {
        "format": FORMAT,
        "format_version": 1,
        "versions": {"compsplit": VERSION},
        "settings": settings(balance),
        "seed": balance.plan.recipe.seed,
        "recipe": {section: resolved[section] for section in ("reduce", "write")},
        "read": {"format": balance.table.format, "options": read},
        "reducer": balance.reducer,
        "rows": {"before": len(balance.table), "after": int(balance.kept.sum())},
        "left_out": len(balance.table.left_out),
        "decisions": dict(balance.table.decisions),
        "inputs": input_entries(balance.table),
        "outputs": list(outputs),
    }
