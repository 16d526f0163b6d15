"""Measure a written split again: groups, sizes, the recipe's checks, the report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.errors import counted, listed
from compsplit.files import canonical_json
from compsplit.model.grouping import Grouping
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.recipe.checks import IID
from compsplit.recipe.folder import REPORT
from compsplit.recipe.parsing import Recipe
from compsplit.recipe.promises import Promise, unless
from compsplit.recipe.running import Run, extracted, narrowed, run_on_table

_ABSENT = "not measured"
"""What stands for a value where one of two reports lacks the measure, as one of another version does."""


class MeasuredAgain:
    """A split as its folder has it, measured from the inputs, beside the one that its recipe makes now.

    Args:
        manifest: What the folder says of itself.
        recipe: The split's.
        table: All rows.
        split: The part, or the reason for none, that the folder assigns to each.
    """

    def __init__(self, manifest: Mapping[str, Any], recipe: Recipe, table: RowTable, split: Split) -> None:
        rows, described = extracted(recipe, table)
        self._manifest = manifest
        self._same_reducer = described is None or dict(described) == manifest["reducer"]
        self._again = run_on_table(recipe, table) if self._same_reducer else None
        known = (split.asked, {}) if self._again is None else (self._again.split.asked, dict(self._again.split.facts))
        asked = manifest["asked"] if self._again is None else known[0]
        split = Split(split.parts, split.part_of_row, asked, known[1], split.left_out)
        self.run = narrowed(Run(recipe, table, rows, recipe.group.make(rows), split, described))

    def promises(self, folder: Path, groups: Mapping[str, str], left_out: Sequence[tuple[str, str]]) -> list[Promise]:
        """Return the promises about groups, sizes, checks, report and what is left out.

        Args:
            folder: Where the report is.
            groups: id -> group, as the folder has it.
            left_out: What the folder says is left out, in order.
        """
        run, manifest = self.run, self._manifest
        table, grouping, split = run.table, run.grouping, run.split
        ids = table.ids.tolist()
        digits = [f"{value:016x}" for value in grouping.hashes.tolist()]
        elsewhere = [n for n, g in zip(ids, grouping.group_of_row.tolist(), strict=True) if groups[n] != digits[g]]
        n_groups = counted(grouping.n_groups, "group")
        other_tables = "another version of its tables: groups may differ"
        told = f"{len(left_out):,} listed, {len(table.left_out):,} left out"
        promises = [
            Promise("what is left out is listed", list(left_out) == sorted(table.left_out), told),
            Promise(
                "reducer", self._same_reducer, "same name, options and tables" if self._same_reducer else other_tables
            ),
            unless(sorted(elsewhere), "every row is in its group", "{} in another group".format, n_groups),
            unless(_torn(grouping, split), "no group is in two parts", "{}".format, f"{n_groups}, each in one part"),
        ]
        sizes = ", ".join(
            f"{part} " + (f"asked {split.asked[part]:,} " if part in split.asked else "") + f"got {n:,}"
            for part, n in split.sizes.items()
        )
        kept = split.sizes == manifest["sizes"] and dict(split.asked) == manifest["asked"]
        promises.append(Promise("sizes are those of the manifest", kept, sizes))
        if self._again is not None:
            promises.append(_same_assignment(run, self._again))
        failed = [finding.message for finding in run.report.findings if finding.level == "fail"]
        promises += [Promise("a check of the recipe", False, message) for message in failed]
        if not failed:
            promises.append(Promise("checks of the recipe", True, f"all {len(run.checks)} hold"))
        return [*promises, _same_report(folder, canonical_json(run.report.to_json()))]


def _same_assignment(run: Run, again: Run) -> Promise:
    """Return the promise that the recipe assigns each row to the part that the folder has, or leaves it out too."""
    parts, others = (
        {
            name: each.split.parts[p]
            for name, p in zip(each.table.ids.tolist(), each.split.part_of_row.tolist(), strict=True)
        }
        for each in (run, again)
    )
    differ = sorted(name for name in parts.keys() | others.keys() if parts.get(name) != others.get(name))
    return unless(
        differ,
        "the recipe makes this assignment again",
        f"{counted(len(differ), 'row belongs', 'rows belong')} in another part ({{}})".format,
        f"seed {run.recipe.seed}",
    )


def _torn(grouping: Grouping, split: Split) -> list[str]:
    """Return the names of groups that are in more than one part; val-iid is like train on purpose."""
    least = np.full(grouping.n_groups, len(split.parts), dtype=np.int16)
    most = np.full(grouping.n_groups, -1, dtype=np.int16)
    made = np.flatnonzero(split.part_of_row != split.parts.index(IID)) if IID in split.parts else slice(None)
    np.minimum.at(least, grouping.group_of_row[made], split.part_of_row[made])
    np.maximum.at(most, grouping.group_of_row[made], split.part_of_row[made])
    return sorted(str(grouping.names[g]) for g in np.flatnonzero(least < most).tolist())


def _same_report(folder: Path, again: str) -> Promise:
    name = f"{REPORT} says what is measured again"
    path = folder / REPORT
    written = path.read_bytes().decode("utf-8", "replace") if path.is_file() else "{}"
    if written == again:
        return Promise(name, True, "byte for byte")
    try:
        before, now = _values(json.loads(written)), _values(json.loads(again))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Promise(name, False, "it is not a report")
    differ = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    shown = [f"{key}: reported {before.get(key, _ABSENT)}, is {now.get(key, _ABSENT)}" for key in differ]
    if not differ:
        return Promise(name, False, "findings, tables or subject differ")
    told = f"{counted(len(differ), 'measure differs', 'measures differ')} ({listed(shown, 2)})"
    return Promise(name, False, told)


def _values(report: dict[str, Any]) -> dict[str, Any]:
    """Return the value of each measure by everything that tells it apart."""
    named = {}
    for m in report.get("measures", []):
        parts = f"[{m['reference']}->{m['part']}]" if m["reference"] else f"[{m['part']}]" if m["part"] else ""
        options = "".join(f", {name} {value}" for name, value in sorted(m["options"].items()))
        named[f"{m['name']}[{m['of']}]{parts}{options}"] = m["value"]
    return named
