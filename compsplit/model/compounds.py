"""Compounds of rows with the atoms that they are made of: listed, or as all pairs of a row's objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted
from compsplit.model.column import Codes, Column, JointNames, distinct, frozen
from compsplit.model.incidence import Incidence, Kinds

_ROWS = 1 << 13
"""Rows that are counted at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Compounds:
    """Compounds that are listed row by row: triples, attribute-object pairs, n-grams, question-answer pairs.

    Attributes:
        noun: What one is called, such as ``"triple"``.
        rows: The compounds of each row.
        atoms: The atoms of each row, whether they are in a compound or not.
        starts: Compound c is made of ``parts[starts[c]:starts[c + 1]]``; shape (n_compounds + 1,). A number, where all
            are made of so many.
        parts: Codes of ``atoms``; shape (n_parts,).
        rules: What was decided before counting: case, aliases, symmetric predicates, order; as JSON values.
        as_written: The same before rules made different compounds one, where there are such.
    """

    noun: str
    rows: Incidence
    atoms: Incidence | Kinds
    starts: NDArray[np.int64] | int
    parts: Codes
    rules: Mapping[str, Any] = field(default_factory=dict)
    as_written: Compounds | None = None

    def __post_init__(self) -> None:
        n = len(self.rows.names)
        if isinstance(self.starts, int):
            if self.starts * n != len(self.parts):
                raise ValueError(f"{n} compounds of {self.starts} atoms cannot have {len(self.parts)} parts")
        elif len(self.starts) != n + 1 or self.starts[0] != 0 or self.starts[-1] != len(self.parts):
            raise ValueError("starts must run from 0 to the number of parts, one step a compound")
        else:
            frozen(self.starts)
        if self.rows.n_rows != self.atoms.n_rows:
            raise ValueError("compounds and atoms must be of the same rows")
        frozen(self.parts)
        object.__setattr__(self, "rules", MappingProxyType(dict(self.rules)))

    def __repr__(self) -> str:
        return f"Compounds({self.of}, {counted(len(self.rows.names), 'compound')} in {counted(self.n_rows, 'row')})"

    @property
    def of(self) -> str:
        """What was extracted, such as ``"relations"``."""
        return self.rows.of

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.rows.n_rows

    def made_of(self, seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which compounds are made of marked atoms alone; shape (n_compounds,)."""
        if isinstance(self.starts, int):
            found = np.ones(len(self.rows.names), dtype=bool)
            for k in range(self.starts):
                found &= seen[self.parts[k :: self.starts]]
            return found
        whole: NDArray[np.bool_] = np.diff(self.starts) == 0
        there = np.flatnonzero(~whole) if whole.any() else slice(None)
        if len(self.parts):
            whole[there] = np.logical_and.reduceat(seen[self.parts], self.starts[:-1][there])
        return whole

    def taken(self, rows: NDArray[Any]) -> Compounds:
        """Return the compounds of these rows, by place; a row may be taken more than once."""
        return Compounds(
            self.noun,
            self.rows.taken(rows),
            self.atoms.taken(rows),
            self.starts,
            self.parts,
            dict(self.rules),
            None if self.as_written is None else self.as_written.taken(rows),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ObjectPairs:
    """All unordered pairs of different objects of a row; the pairs themselves are never stored.

    Attributes:
        atoms: The object classes of each row, as often as it has objects of that class.
        rules: What was decided before counting; as JSON values.
        of: What was extracted.
        noun: What one is called.
    """

    atoms: Incidence
    rules: Mapping[str, Any] = field(default_factory=dict)
    of: str = "object pairs"
    noun: str = "pair"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", MappingProxyType(dict(self.rules)))

    def __repr__(self) -> str:
        return f"ObjectPairs({counted(len(self.atoms.names), 'class', 'classes')} in {counted(self.n_rows, 'row')})"

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.atoms.n_rows

    def taken(self, rows: NDArray[Any]) -> ObjectPairs:
        """Return the pairs of these rows, by place; a row may be taken more than once."""
        return ObjectPairs(self.atoms.taken(rows), dict(self.rules), self.of, self.noun)


def sorted_column(column: Column) -> Column:
    """Return the column with its names in alphabetical order and none that no row has.

    Codes that follow the names make every tie the same, whatever the order of the rows.
    """
    used = np.bincount(column.codes + 1, minlength=len(column.names) + 1)[1:] > 0
    codes = np.flatnonzero(used).tolist()
    names = [column.names[code] for code in codes]
    order = sorted(range(len(names)), key=names.__getitem__)
    table = np.full(len(column.names) + 1, -1, dtype=np.int32)
    table[np.array(codes, dtype=np.int64)[order]] = np.arange(len(order), dtype=np.int32)
    return Column(table[column.codes], tuple(names[i] for i in order))


def occurring(of: str, n_rows: int, rows: NDArray[Any], concepts: Column) -> Incidence:
    """Return the incidence of concepts that are given one by one; equal rows share a bag.

    Args:
        of: What they are.
        n_rows: Number of rows; some may have none.
        rows: The row of each occurrence, shape (n,).
        concepts: The concept of each occurrence; those without a value are passed over.

    Cost: O(n log n).
    """
    concepts = sorted_column(concepts)
    return counted_by_row(of, n_rows, rows, concepts.codes, concepts.names)


def counted_by_row(of: str, n_rows: int, rows: NDArray[Any], codes: NDArray[Any], names: Sequence[str]) -> Incidence:
    """Return the incidence of codes that are given one by one, some rows at a time; -1 is passed over.

    Args:
        of: What they are.
        n_rows: Number of rows.
        rows: The row of each code, shape (n,).
        codes: Shape (n,).
        names: Of the codes.
    """
    if len(rows) and (np.diff(rows) < 0).any():
        order = np.argsort(rows, kind="stable")
        rows, codes = rows[order], codes[order]
    width = max(len(names), 1)
    lengths = np.zeros(n_rows, dtype=np.int64)
    # Filled block by block, so that no list of blocks is held beside it.
    concept = np.empty(len(codes), dtype=np.int32)
    counts_of_blocks: list[NDArray[Any]] = []
    total = 0
    for first in range(0, n_rows, _ROWS):
        last = min(first + _ROWS, n_rows)
        low, high = np.searchsorted(rows, (first, last)).tolist()
        there = codes[low:high] >= 0
        packed = (rows[low:high][there].astype(np.int64) - first) * width + codes[low:high][there]
        found, counts = distinct(packed)
        owners, concepts = np.divmod(found, width)
        lengths[first:last] = np.bincount(owners, minlength=last - first)
        concept[total : total + len(concepts)] = concepts
        total += len(concepts)
        counts_of_blocks.append(counts.astype(np.uint8 if int(counts.max(initial=0)) < 256 else np.int32))
    concept = concept[:total] if 10 * total > 9 * len(concept) else concept[:total].copy()
    count = np.concatenate([np.zeros(0, dtype=np.uint8), *counts_of_blocks])
    return shared_bags(of, lengths, concept, count, names)


def shared_bags(
    of: str, lengths: NDArray[Any], concepts: Codes, counts: NDArray[Any], names: Sequence[str]
) -> Incidence:
    """Return the incidence in which rows with the same bag share it.

    Args:
        of: What the concepts are.
        lengths: Different concepts of each row; shape (n_rows,).
        concepts: The concepts of all rows, ascending within a row.
        counts: How often each occurs there.
        names: Of the concepts.
    """
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    keys = np.empty((len(lengths), 2), dtype=np.uint64)
    for k, salt in enumerate(_SALTS):
        keys[:, k] = _bag_keys(starts, concepts, counts, salt)
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    changes = np.any(keys[order][1:] != keys[order][:-1], axis=1)
    number = np.zeros(len(lengths), dtype=np.int64)
    number[order] = np.cumsum(np.append(0, changes)) if len(lengths) else 0
    _, first, number = np.unique(number, return_index=True, return_inverse=True)
    # Bags in the order of their first rows.
    by_first = np.argsort(first, kind="stable")
    rank = np.empty(len(first), dtype=np.int32)
    rank[by_first] = np.arange(len(first), dtype=np.int32)
    kept = np.zeros(len(lengths), dtype=bool)
    kept[first] = True
    if not kept.all():
        entries = np.repeat(kept, lengths)
        concepts, counts, lengths = concepts[entries], counts[entries], np.asarray(lengths)[kept]
        starts = np.zeros(len(first) + 1, dtype=np.int64)
        np.cumsum(lengths, out=starts[1:])
    return Incidence(of, rank[number], starts, concepts, counts, names)


_SALTS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def _bag_keys(starts: NDArray[np.int64], concepts: Codes, counts: NDArray[Any], salt: np.uint64) -> NDArray[np.uint64]:
    """Return 64 bits of each bag: the sum of its mixed entries, some bags at a time; two of them tell bags apart."""
    keys = np.empty(len(starts) - 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for first in range(0, len(keys), _ROWS):
            last = min(first + _ROWS, len(keys))
            entries = slice(starts[first], starts[last])
            mixed = concepts[entries].astype(np.uint64) << np.uint64(32) | counts[entries].astype(np.uint64)
            mixed = (mixed + salt) * _MIX[0]
            mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX[1]
            mixed ^= mixed >> np.uint64(32)
            sums = np.append(np.uint64(0), np.cumsum(mixed, dtype=np.uint64))
            places = starts[first : last + 1] - starts[first]
            keys[first:last] = sums[places[1:]] - sums[places[:-1]]
    return keys


def combined(
    of: str,
    noun: str,
    n_rows: int,
    rows: NDArray[Any],
    members: Sequence[Column],
    vocabulary: Sequence[int],
    atoms: Sequence[Incidence],
    rules: Mapping[str, Any],
) -> Compounds:
    """Return compounds that have the same number of members, given one by one.

    Args:
        of: What they are.
        noun: What one is called.
        n_rows: Number of rows.
        rows: The row of each occurrence; shape (n,).
        members: Column k holds member k of each occurrence; an occurrence that lacks one is passed over.
        vocabulary: For each member, which of the atom incidences its values belong to.
        atoms: Atoms of the rows, one incidence for each kind; a kind's names must hold the values of its members.
        rules: What was decided before counting.
    """
    there = np.all([column.codes >= 0 for column in members], axis=0)
    every = bool(there.all())
    n_members = len(members)
    columns = [sorted_column(column if every else column.take(np.flatnonzero(there))) for column in members]
    del members
    numbers, first = _told_apart(columns)
    columns = [column.take(first) for column in columns]
    parts = np.empty((len(first), n_members), dtype=np.int32)
    for k, (column, kind) in enumerate(zip(columns, vocabulary, strict=True)):
        place = {name: i for i, name in enumerate(atoms[kind].names)}
        offset = sum(len(each.names) for each in atoms[:kind])
        table = np.array([place[name] + offset for name in column.names], dtype=np.int32)
        parts[:, k] = table[column.codes] if len(first) else 0
    del columns
    whole = Kinds(tuple(atoms)) if len(atoms) > 1 else atoms[0]
    names = JointNames([whole.names] * n_members, [parts[:, k] for k in range(n_members)])
    incidence = counted_by_row(of, n_rows, rows if every else rows[there], numbers, names)
    del numbers, there
    return Compounds(noun, incidence, whole, n_members, parts.ravel(), rules)


def _told_apart(columns: Sequence[Column]) -> tuple[Codes, NDArray[np.int64]]:
    """Return a number for each combination of values, in the order of codes, and a row of each combination."""
    packed = columns[0].codes.astype(np.int64)
    size = max(len(columns[0].names), 1)
    for column in columns[1:]:
        width = max(len(column.names), 1)
        if size * width >= 1 << 62:
            # Numbering the combinations met so far keeps the product of vocabularies inside 64 bits.
            met, packed = np.unique(packed, return_inverse=True)
            size = len(met)
        packed *= width
        packed += column.codes
        size *= width
    order = np.argsort(packed)
    # In place: another vector of this size is more than a second sort costs.
    packed.sort()
    fresh = np.ones(len(packed), dtype=bool)
    np.not_equal(packed[1:], packed[:-1], out=fresh[1:])
    del packed
    numbers = np.empty(len(order), dtype=np.int32)
    numbers[order] = np.cumsum(fresh, dtype=np.int32) - np.int32(1)
    return numbers, order[fresh]


def of_texts(
    of: str,
    noun: str,
    column: Column,
    taken: Iterable[tuple[Sequence[tuple[str, Sequence[str]]], Sequence[str]]],
    rules: Mapping[str, Any],
    *,
    atoms_of: str,
) -> Compounds:
    """Return compounds of any number of atoms, made of the distinct values of a column; equal rows share a bag.

    Args:
        of: What they are.
        noun: What one is called.
        column: The value of each row; a row without one has nothing.
        taken: For each name of the column its compounds, by name with their atoms, and its atoms; each as often as it
            occurs. The name tells compounds apart.
        rules: What was decided before counting.
        atoms_of: What the atoms are.

    Cost: O(names and what they hold); a name is looked at once.
    """
    atom_numbers: dict[str, int] = {}
    compound_numbers: dict[str, int] = {}
    members: list[list[int]] = []
    bags: list[list[int]] = []
    atom_bags: list[list[int]] = []
    for compounds, atoms in taken:
        atom_bags.append([atom_numbers.setdefault(atom, len(atom_numbers)) for atom in atoms])
        bag = [compound_numbers.setdefault(name, len(compound_numbers)) for name, _ in compounds]
        bags.append(bag)
        if max(bag, default=-1) >= len(members):
            for number, (_, made_of) in zip(bag, compounds, strict=True):
                if number == len(members):
                    members.append([atom_numbers.setdefault(a, len(atom_numbers)) for a in made_of])
    atom_names = list(atom_numbers)
    place, order = _alphabetical(atom_names)
    names = list(compound_numbers)
    compound_place, compound_order = _alphabetical(names)
    # A row without a value has the last, empty bag.
    bag_of_row = np.where(column.codes >= 0, column.codes, len(bags)).astype(np.int32)
    sorted_names = tuple(names[i] for i in compound_order)
    rows = _numbered(of, bag_of_row, bags, compound_place, sorted_names)
    atoms_named = tuple(atom_names[i] for i in order)
    atom_rows = _numbered(atoms_of, bag_of_row, atom_bags, place, atoms_named)
    in_order = [members[i] for i in compound_order]
    lengths = np.fromiter(map(len, in_order), dtype=np.int64, count=len(in_order))
    starts = np.zeros(len(in_order) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    flat = np.fromiter((a for each in in_order for a in each), dtype=np.int64, count=int(lengths.sum()))
    parts = (place[flat] if len(flat) else flat).astype(np.int32)
    return Compounds(noun, rows, atom_rows, starts, parts, rules)


def _alphabetical(names: Sequence[str]) -> tuple[NDArray[np.int64], list[int]]:
    """Return the place of each name in alphabetical order, and the names' numbers in that order."""
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.zeros(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    return place, order


def _numbered(
    of: str, bag_of_row: Codes, bags: Sequence[Sequence[int]], place: NDArray[np.int64], names: Sequence[str]
) -> Incidence:
    """Return the incidence of bags of numbers, and one empty bag, numbers replaced by their places."""
    lengths = np.fromiter(map(len, bags), dtype=np.int64, count=len(bags))
    flat = np.fromiter((code for bag in bags for code in bag), dtype=np.int64, count=int(lengths.sum()))
    width = max(len(names), 1)
    owners = np.repeat(np.arange(len(bags), dtype=np.int64), lengths)
    packed, counts = distinct(owners * width + (place[flat] if len(flat) else flat))
    owners, concepts = np.divmod(packed, width)
    starts = np.zeros(len(bags) + 2, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=len(bags) + 1), out=starts[1:])
    return Incidence(of, bag_of_row, starts, concepts.astype(np.int32), counts.astype(np.int32), names)
