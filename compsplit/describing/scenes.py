"""Describe a data set of scenes: what is in it, and what is odd about it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.model.column import Column
from compsplit.model.report import Finding, Measure, Report, Table, ratio
from compsplit.model.scenes import SceneTable
from compsplit.recipe.reporting import decided, left_out_told
from compsplit.recipe.running import Watch, no_watch

_SHOWN = 20


def describe_scenes(table: SceneTable, *, watch: Watch = no_watch) -> Report:
    """Return counts, commonest and rarest classes, predicates and attributes, and findings of scenes."""
    watch("counting")
    n_objects = np.diff(table.object_starts)
    with_attributes = int((np.diff(table.attribute_starts) > 0).sum())
    unnamed = int((table.classes.codes < 0).sum())
    counts = (
        ("scenes", len(table), "scenes"),
        ("images", table.images.n_used, "distinct images"),
        ("objects", table.n_objects, "objects"),
        ("objects-without-name", unnamed, "objects"),
        ("objects-with-attribute", with_attributes, "objects"),
        ("relations", table.n_relations, "relations"),
        ("attributes", len(table.attributes), "attributes of objects"),
        ("object-classes", table.classes.n_used, "distinct classes"),
        ("predicates", table.predicates.n_used, "distinct predicates"),
        ("distinct-attributes", table.attributes.n_used, "distinct attributes"),
        ("scenes-without-pair", int((n_objects < 2).sum()), "scenes"),
        ("object-pairs", int((n_objects * (n_objects - 1) // 2).sum()), "unordered pairs of objects"),
    )
    measures = [Measure(name=n, of=u, value=v, n=v, n_unit=u, unit="count") for n, v, u in counts]
    for name, total, unit in (
        ("objects-a-scene", table.n_objects, "objects a scene"),
        ("relations-a-scene", table.n_relations, "relations a scene"),
    ):
        value = ratio(total, len(table), "there is no scene")
        measures.append(Measure(name=name, of="scenes", value=value, n=len(table), n_unit="scenes", unit=unit))
    findings = (*table.findings, *decided(table), *_repeated(table))
    subject = {
        "kind": "description",
        "format": table.format,
        "rows": len(table),
        "row": "scene",
        "decisions": dict(table.decisions),
        "rules": dict(table.rules),
        "left out": len(table.left_out),
        "verdict": f"{counted(len(table), 'scene')} in format {table.format}: {counted(table.n_objects, 'object')} of "
        f"{counted(table.classes.n_used, 'class', 'classes')}, {counted(table.n_relations, 'relation')} of "
        f"{counted(table.predicates.n_used, 'predicate')}, {counted(len(table.attributes), 'attribute')} of "
        f"{counted(table.attributes.n_used, 'kind')}{left_out_told(table)}.",
    }
    return Report(subject, tuple(measures), _tables(table, n_objects), findings)


def _tables(table: SceneTable, n_objects: NDArray[np.int64]) -> dict[str, Table]:
    tables = {}
    for name, column in (
        ("classes", table.classes),
        ("predicates", table.predicates),
        ("attributes", table.attributes),
    ):
        counts = np.bincount(column.codes + 1, minlength=len(column.names) + 1)[1:]
        for kind, sign in (("commonest", -1), ("rarest", 1)):
            best = _best(counts, column, sign)
            if best:
                tables[f"{kind} {name}"] = Table.first_of(
                    (name, "occurrences"), best, _SHOWN, total=int(np.count_nonzero(counts))
                )
    sizes, rows = np.unique(n_objects, return_counts=True)
    tables["objects a scene"] = Table(("objects", "scenes"), tuple(zip(sizes.tolist(), rows.tolist(), strict=True)))
    return tables


def _best(counts: NDArray[np.int64], column: Column, sign: int) -> Sequence[tuple[str, int]]:
    used = np.flatnonzero(counts)
    ranked = sorted(used.tolist(), key=lambda code: (sign * int(counts[code]), column.names[code]))
    return [(column.names[code], int(counts[code])) for code in ranked[:_SHOWN]]


def _repeated(table: SceneTable) -> list[Finding]:
    """Say how many relations stand more than once in a scene."""
    width = max(len(table.predicates.names), 1)
    ends = table.subjects.astype(np.int64) * max(table.n_objects, 1) + table.objects
    order = np.lexsort((table.predicates.codes, ends))
    same = np.diff(ends[order]) == 0
    same &= np.diff(table.predicates.codes[order] % width) == 0
    n = int(same.sum())
    if not n:
        return []
    return [
        Finding(
            kind="repeated-relations",
            count=n,
            message=f"{counted(n, 'relation repeats', 'relations repeat')} another of the same two objects and "
            "predicate; each counts.",
        )
    ]
