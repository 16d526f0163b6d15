"""Rules for the names of a scene: aliases that are one name, and vocabularies outside of which nothing is kept.

An alias file has ``name,alias,alias`` lines. Lines that share a word are one class, whatever their order; it is called
by the word that stands first in most of its lines (ties: alphabetical order). A vocabulary is a file of names, one a
line, or the JSON of VG150. Words are made plain first. What was done is part of the table's rules, by the file's name
and checksum. Cost: O(names).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, FileError, UnknownNameError, counted
from compsplit.files import text_of
from compsplit.model.column import Column, concatenated
from compsplit.model.report import Finding
from compsplit.model.scenes import SceneTable, starts_of
from compsplit.model.table import Input
from compsplit.readers.scene_building import plain_name

_KINDS = ("objects", "predicates", "attributes")
_VG150 = {"objects": "label_to_idx", "predicates": "predicate_to_idx", "attributes": "attribute_to_idx"}


def with_rules(
    table: SceneTable, *, aliases: Mapping[str, str] | None = None, vocabulary: Mapping[str, str] | None = None
) -> SceneTable:
    """Return the scenes with their names replaced by the classes of alias files, and those outside vocabularies out.

    Args:
        table: Scenes.
        aliases: objects, predicates or attributes -> alias file.
        vocabulary: objects, predicates or attributes -> file of names.

    Raises:
        UnknownNameError: Another key.
        FileError, BrokenFileError: A file is not there, or is no such file.
    """
    for given in (aliases or {}, vocabulary or {}):
        for kind in given:
            if kind not in _KINDS:
                raise UnknownNameError("kind of name", kind, _KINDS)
    for kind, file in sorted((aliases or {}).items()):
        table = _aliased(table, kind, Path(file))
    for kind, file in sorted((vocabulary or {}).items()):
        table = _within(table, kind, Path(file))
    return table


def alias_classes(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return word -> the name of its class, and the words that stand in several lines, in alphabetical order.

    Example:
        >>> alias_classes(["under,below", "beneath,lower than", "below,beneath"])[0]["lower than"]
        'below'
    """
    above: dict[str, str] = {}

    def top(word: str) -> str:
        while above.setdefault(word, word) != word:
            word = above[word]
        return word

    firsts: Counter[str] = Counter()
    lines_of: Counter[str] = Counter()
    for line in lines:
        words = [word for word in map(plain_name, line.split(",")) if word]
        firsts.update(words[:1])
        lines_of.update(set(words))
        for word in words:
            one, other = sorted((top(words[0]), top(word)))
            above[other] = one
    members: dict[str, list[str]] = {}
    for word in sorted(above):
        members.setdefault(top(word), []).append(word)
    names = {each: min(words, key=lambda word: (-firsts[word], word)) for each, words in members.items()}
    shared = sorted(word for word, n in lines_of.items() if n > 1)
    return {word: names[top(word)] for word in sorted(above)}, shared


def _aliased(table: SceneTable, kind: str, path: Path) -> SceneTable:
    text = _text(path, "aliases")
    names, shared = alias_classes(text.splitlines())
    column = _column(table, kind)
    renamed = column.renamed([names.get(name, name) for name in column.names])
    other = np.array([names.get(name, name) != name for name in column.names] + [False], dtype=bool)
    n_renamed = int(other[column.codes].sum())
    rule = {"file": path.name, "sha256": _digest(text), "classes": len(set(names.values()))}
    findings = list(table.findings)
    if shared:
        findings.append(
            Finding(
                kind="alias-lines-joined",
                count=len(shared),
                first=tuple(shared[:5]),
                message=f"{counted(len(shared), 'word stands', 'words stand')} in several lines of {path.name}; such "
                "lines are one class.",
            )
        )
    decisions = {**table.decisions, f"{kind} renamed by aliases": n_renamed}
    table = dataclasses.replace(
        table,
        rules={**table.rules, f"aliases of {kind}": rule},
        findings=tuple(findings),
        decisions={name: n for name, n in decisions.items() if n},
    )
    if kind == "predicates":
        return dataclasses.replace(table, predicates=renamed)
    if kind == "attributes":
        return _once_each(dataclasses.replace(table, attributes=renamed))
    further = table.further_names.renamed([names.get(name, name) for name in table.further_names.names])
    return _further_once_each(dataclasses.replace(table, classes=renamed, further_names=further))


def _further_once_each(table: SceneTable) -> SceneTable:
    """Return the scenes without further names that became the object's class or another one of it; counted."""
    joint = concatenated([table.classes, table.further_names])
    codes = joint.codes[table.n_objects :]
    packed = table.further_objects.astype(np.int64) * max(len(joint.names), 1) + codes
    first = np.zeros(len(codes), dtype=bool)
    first[np.unique(packed, return_index=True)[1]] = True
    name = "further names that became equal by aliases, counted once"
    return _without_further(table, first & (joint.codes[table.further_objects] != codes), name)


def _without_further(table: SceneTable, kept: NDArray[np.bool_], decision: str) -> SceneTable:
    if kept.all():
        return table
    return dataclasses.replace(
        table,
        further_objects=table.further_objects[kept],
        further_names=table.further_names.take(np.flatnonzero(kept)),
        decisions={**table.decisions, decision: int((~kept).sum())},
    )


def _once_each(table: SceneTable) -> SceneTable:
    """Return the scenes with an attribute once for each object, where several became one; counted."""
    owners = table.object_of_attribute.astype(np.int64)
    packed = owners * max(len(table.attributes.names), 1) + table.attributes.codes
    _, first = np.unique(packed, return_index=True)
    if len(first) == len(packed):
        return table
    first = np.sort(first)
    name = "attributes that became equal by aliases, counted once"
    return dataclasses.replace(
        table,
        attribute_starts=starts_of(np.bincount(owners[first], minlength=table.n_objects)),
        attributes=table.attributes.take(first),
        decisions={**table.decisions, name: len(packed) - len(first)},
    )


def _within(table: SceneTable, kind: str, path: Path) -> SceneTable:
    text = _text(path, "vocabulary")
    known = _names(text, kind, path)
    column = _column(table, kind)
    kept = np.array([name in known for name in column.names] + [True], dtype=bool)[column.codes]
    rule = {"file": path.name, "sha256": _digest(text), "names": len(known)}
    table = dataclasses.replace(table, rules={**table.rules, f"vocabulary of {kind}": rule})
    told = f"{kind} outside the vocabulary left out"
    if kind == "objects":
        table = table.keep_objects(kept, {told: int((~kept).sum())})
        inside = np.array([name in known for name in table.further_names.names], dtype=bool)
        return _without_further(
            table, inside[table.further_names.codes], "further names outside the vocabulary left out"
        )
    if kept.all():
        return table
    rows = np.flatnonzero(kept)
    decisions = {**table.decisions, told: int((~kept).sum())}
    if kind == "attributes":
        starts = starts_of(np.bincount(table.object_of_attribute[kept], minlength=table.n_objects))
        return dataclasses.replace(
            table, attribute_starts=starts, attributes=table.attributes.take(rows), decisions=decisions
        )
    return dataclasses.replace(
        table,
        relation_starts=starts_of(np.bincount(table.scene_of_relation[kept], minlength=len(table))),
        subjects=table.subjects[rows],
        objects=table.objects[rows],
        predicates=table.predicates.take(rows),
        decisions=decisions,
    )


def _names(text: str, kind: str, path: Path) -> frozenset[str]:
    if not text.lstrip().startswith("{"):
        return frozenset(map(plain_name, text.splitlines())) - {""}
    try:
        numbers = json.loads(text)[_VG150[kind]]
        return frozenset(plain_name(name) for name in numbers)
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenFileError(
            path.name, f"is no vocabulary: neither names, one a line, nor JSON with {_VG150[kind]}"
        ) from error


def _column(table: SceneTable, kind: str) -> Column:
    return {"objects": table.classes, "predicates": table.predicates, "attributes": table.attributes}[kind]


def _text(path: Path, what: str) -> str:
    if not path.is_file():
        raise FileError(str(path), f"there is no such file; {what} are given as KIND=FILE")
    return text_of(Input(path, path.stem))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
