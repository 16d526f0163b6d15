"""Measure a written split again: groups, sizes, the recipe's checks, the report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from compsplit.errors import counted, listed
from compsplit.files import canonical_json
from compsplit.model.grouping import Grouping
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.recipe.folder import REPORT
from compsplit.recipe.parsing import Recipe
from compsplit.recipe.promises import Promise, unless
from compsplit.recipe.reporting import reported
from compsplit.recipe.running import extracted, run_on_table


def measured_again(
    manifest: Mapping[str, Any], folder: Path, recipe: Recipe, table: QATable, split: Split, groups: Mapping[str, str]
) -> list[Promise]:
    """Return the promises about groups, sizes, checks and report.

    Args:
        manifest: What the folder says of itself.
        folder: Where the report is.
        recipe: The split's.
        table: Its rows.
        split: The part that the folder assigns to each.
        groups: id -> group, as the folder has it.
    """
    rows, described = extracted(recipe, table)
    same_reducer = described is None or dict(described) == manifest["reducer"]
    grouping: Grouping = recipe.group.make(rows)
    ids = table.ids.tolist()
    digits = [f"{value:016x}" for value in grouping.hashes.tolist()]
    elsewhere = [n for n, g in zip(ids, grouping.group_of_row.tolist(), strict=True) if groups[n] != digits[g]]
    n_groups = counted(grouping.n_groups, "group")
    other_tables = "another version of its tables: groups may differ"
    promises = [
        Promise("reducer", same_reducer, "same name, options and tables" if same_reducer else other_tables),
        unless(sorted(elsewhere), "every row is in its group", "{} in another group".format, n_groups),
        unless(_torn(grouping, split), "no group is in two parts", "{}".format, f"{n_groups}, each in one part"),
    ]
    again = run_on_table(recipe, table) if same_reducer else None
    split = Split(
        split.parts, split.part_of_row, recipe.targets.sizes(len(table)), dict(again.split.facts) if again else {}
    )
    sizes = ", ".join(f"{part} asked {split.asked[part]:,} got {n:,}" for part, n in split.sizes.items())
    told = split.sizes == manifest["sizes"] and dict(split.asked) == manifest["asked"]
    promises.append(Promise("sizes are those of the manifest", told, sizes))
    if again is not None:
        differ = sorted(table.ids[again.split.part_of_row != split.part_of_row].tolist())
        name = "the recipe makes this assignment again"
        promises.append(
            unless(
                differ,
                name,
                f"{counted(len(differ), 'row belongs', 'rows belong')} in another part ({{}})".format,
                f"seed {recipe.seed}",
            )
        )
    report = reported(recipe, table, rows, grouping, split, described)
    failed = [finding.message for finding in report.findings if finding.level == "fail"]
    promises += [Promise("a check of the recipe", False, message) for message in failed]
    if not failed:
        promises.append(Promise("checks of the recipe", True, f"all {len(recipe.checks)} hold"))
    return [*promises, _same_report(folder, canonical_json(report.to_json()))]


def _torn(grouping: Grouping, split: Split) -> list[str]:
    """Return the names of groups that are in more than one part."""
    least = np.full(grouping.n_groups, len(split.parts), dtype=np.int16)
    most = np.full(grouping.n_groups, -1, dtype=np.int16)
    np.minimum.at(least, grouping.group_of_row, split.part_of_row)
    np.maximum.at(most, grouping.group_of_row, split.part_of_row)
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
    shown = [f"{key}: reported {before.get(key)}, is {now.get(key)}" for key in differ]
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
