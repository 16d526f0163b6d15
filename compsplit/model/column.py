"""Columns: one field of all rows as integer codes, and row ids as packed text."""

from __future__ import annotations

import operator
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import counted

Codes: TypeAlias = NDArray[np.int32]
Texts: TypeAlias = NDArray[Any]
"""A numpy array of variable-width text (``StringDType``), 16 bytes an entry as long as it has at most 15 bytes."""


_SHORT = 16
"""Bytes of a short text: two words. Ids of all published data are that short."""

_MIX = np.uint64(0x9E3779B97F4A7C15)


def texts(values: Iterable[str]) -> Texts:
    """Return frozen packed text, shape (n,)."""
    return frozen(np.array(list(values), dtype=np.dtypes.StringDType()))


def as_texts(ids: NDArray[Any]) -> Texts:
    """Return ids as packed text, whole numbers written out; shape (n,)."""
    return frozen(ids.astype(np.dtypes.StringDType()))


def positions(keys: NDArray[Any], wanted: NDArray[Any]) -> Codes:
    """Return where each wanted id stands among the keys, -1 where it does not; ids match as text.

    Args:
        keys: Ids, all different; int64 or packed text, shape (n,).
        wanted: Ids; int64 or packed text, shape (m,).
    """
    if keys.dtype == wanted.dtype == np.int64 and len(keys):
        order = np.argsort(keys, kind="stable")
        at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
        return np.where(keys[order[at]] == wanted, order[at], -1).astype(np.int32)
    keys, wanted = as_texts(keys), as_texts(wanted)
    found = _short_positions(keys, wanted)
    if found is not None:
        return found
    place = {name: i for i, name in enumerate(keys.tolist())}
    return np.array([place.get(name, -1) for name in wanted.tolist()], dtype=np.int32)


def all_differ(ids: Texts) -> bool:
    """Tell whether no two texts are equal."""
    marks = _marks(_words(ids))
    if marks is not None:
        marks.sort()
        if not (marks[1:] == marks[:-1]).any():
            return True
    return len(set(ids.tolist())) == len(ids)


def _short_positions(keys: Texts, wanted: Texts) -> Codes | None:
    """Return what ``positions`` does where all texts are short, by sorting, five times as fast; None where not."""
    key_words, wanted_words = _words(keys), _words(wanted)
    key_marks, wanted_marks = _marks(key_words), _marks(wanted_words)
    if key_words is None or wanted_words is None or key_marks is None or wanted_marks is None or not len(keys):
        return None
    order = np.argsort(key_marks)
    ordered = key_marks[order]
    if (ordered[1:] == ordered[:-1]).any():
        return None
    # Marks that are looked up in their order stand near each other, which is several times as fast.
    by_mark = np.argsort(wanted_marks)
    at = np.empty(len(wanted), dtype=np.int64)
    at[by_mark] = order[np.minimum(np.searchsorted(ordered, wanted_marks[by_mark]), len(keys) - 1)]
    return np.where((key_words[at] == wanted_words).all(axis=1), at, -1).astype(np.int32)


def _words(ids: Texts) -> NDArray[np.uint64] | None:
    """Return texts as two numbers each, shape (n, 2); None if one has more bytes, is not ASCII, or ends with a NUL."""
    try:
        packed = ids.astype(f"S{_SHORT}")
    except UnicodeEncodeError:
        return None
    # What is too long is cut, and a NUL at the end is lost, so that a text would seem to be another one.
    return packed.view(np.uint64).reshape(-1, 2) if (packed.astype(ids.dtype) == ids).all() else None


def _marks(words: NDArray[np.uint64] | None) -> NDArray[np.uint64] | None:
    """Return one number for each text: equal texts have equal numbers, others hardly ever; shape (n,)."""
    if words is None:
        return None
    marks = (words[:, 0] * _MIX) ^ words[:, 1]
    marks *= _MIX
    marks ^= marks >> np.uint64(32)
    return marks


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, closed for writing."""
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One field of all rows.

    Attributes:
        codes: A position in ``names`` for each row, or -1 where the row has no value; shape (n_rows,).
        names: The distinct values.
    """

    codes: Codes
    names: Sequence[str]

    def __post_init__(self) -> None:
        if self.codes.dtype != np.int32 or self.codes.ndim != 1:
            raise ValueError(f"codes must be a vector of int32, got {self.codes.dtype} of {self.codes.ndim} dimensions")
        if len(self.codes) and (self.codes.min() < -1 or self.codes.max() >= len(self.names)):
            raise ValueError("codes must lie in [-1, n_names)")
        frozen(self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Column({counted(len(self), 'row')}, {counted(self.n_used, 'distinct value')})"

    @property
    def n_used(self) -> int:
        """How many names some row has."""
        return int(np.count_nonzero(np.bincount(self.codes + 1, minlength=len(self.names) + 1)[1:]))

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Column:
        """Return the column of these values; None is no value.

        Example:
            >>> Column.of(["red", None, "red"]).codes
            array([ 0, -1,  0], dtype=int32)
        """
        builder = ColumnBuilder()
        builder.extend(values)
        return builder.column()

    @classmethod
    def absent(cls, n_rows: int) -> Column:
        """Return a column without any value."""
        return cls(np.full(n_rows, -1, dtype=np.int32), ())

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else self.names[code]

    def values(self) -> list[str | None]:
        """Return the value of each row."""
        names: list[str | None] = [*self.names, None]
        return [names[code] for code in self.codes.tolist()]

    def take(self, rows: NDArray[np.integer[Any]]) -> Column:
        """Return the column of these rows, the names unchanged."""
        return Column(self.codes[rows], self.names)

    def renamed(self, names: Sequence[str | None]) -> Column:
        """Return the column in which value i is called ``names[i]``; equal names fall together, None is no value."""
        if len(names) != len(self.names):
            raise ValueError(f"{len(self.names)} values need as many names, got {len(names)}")
        if all(map(operator.is_, names, self.names)):
            return self
        merged = Column.of(names)
        table = np.append(merged.codes, np.int32(-1)).astype(np.int32)
        return Column(table[self.codes], merged.names)

    def mapped(self, function: Callable[[str], str]) -> Column:
        """Return the column in which each value becomes ``function(value)``; equal results fall together.

        The new names are made again when they are asked for, so that a form of every text is not held.

        Example:
            >>> Column.of(["Red", "red"]).mapped(str.lower).values()
            ['red', 'red']
        """
        if all(map(operator.eq, map(function, self.names), self.names)):
            return self
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        table = np.fromiter(map(numbers.__getitem__, map(function, self.names)), dtype=np.int32, count=len(self.names))
        first = np.zeros(len(numbers), dtype=np.int32)
        # The last of equal codes is kept by the assignment; any of them gives the name.
        first[table] = np.arange(len(table), dtype=np.int32)
        return Column(np.append(table, np.int32(-1))[self.codes], _MappedNames(function, self.names, first))

    def or_else(self, other: Column) -> Column:
        """Return the column with the other's value where this one has none."""
        merged = Column.of([*self.names, *other.names])
        mine = np.append(merged.codes[: len(self.names)], np.int32(-1))[self.codes]
        theirs = np.append(merged.codes[len(self.names) :], np.int32(-1))[other.codes]
        return Column(np.where(mine >= 0, mine, theirs).astype(np.int32), merged.names)


class _MappedNames(Sequence[str]):
    """Names made from other names when they are asked for."""

    def __init__(self, function: Callable[[str], str], names: Sequence[str], codes: Codes) -> None:
        self._function = function
        self._names = names
        self._codes = codes

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return _MappedNames(self._function, self._names, self._codes[place])
        return self._function(self._names[int(self._codes[place])])

    def __iter__(self) -> Iterator[str]:
        return map(self._function, map(self._names.__getitem__, self._codes.tolist()))


class JointNames(Sequence[str]):
    """Names of value combinations, put together when they are asked for: most are only counted.

    A bar inside any value but the last becomes ``\\|``, so that different combinations have different names.
    """

    def __init__(self, names: list[Sequence[str]], codes: list[Codes]) -> None:
        self._names = names
        self._codes = codes

    def __len__(self) -> int:
        return len(self._codes[0])

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return JointNames(self._names, [codes[place] for codes in self._codes])
        pairs = zip(self._names, self._codes, strict=True)
        return _joined([names[int(codes[place])] for names, codes in pairs])

    def __iter__(self) -> Iterator[str]:
        *others, last = self._names
        # Each different value is escaped once, not once for each combination that it is in.
        escaped: list[Sequence[str]] = [[_escaped(name) for name in names] for names in others]
        pairs = zip([*escaped, last], self._codes, strict=True)
        return map(" | ".join, zip(*(map(names.__getitem__, codes.tolist()) for names, codes in pairs), strict=True))


def _joined(values: Sequence[str]) -> str:
    *others, last = values
    return " | ".join([*map(_escaped, others), last])


def _escaped(value: str) -> str:
    return value.replace("|", "\\|")


def distinct(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different values, ascending, and how often each occurs; sorting beats numpy's hash table here."""
    ordered = np.sort(values)
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, np.int64)
    return ordered[first], np.diff(np.append(first, len(ordered)))


def crossed(*columns: Column) -> Column:
    """Return the column of value combinations; a row that lacks one of them has none.

    Example:
        >>> crossed(Column.of(["q", "q"]), Column.of(["a", None])).values()
        ['q | a', None]
    """
    there = columns[0].codes >= 0
    for column in columns[1:]:
        there = there & (column.codes >= 0)
    packed = columns[0].codes[there].astype(np.int64)
    size = max(len(columns[0].names), 1)
    for column in columns[1:]:
        width = max(len(column.names), 1)
        if size * width >= 1 << 62:
            # Numbering the combinations met so far keeps the product of vocabularies inside 64 bits.
            met, packed = np.unique(packed, return_inverse=True)
            size = len(met)
        packed = packed * width + column.codes[there]
        size *= width
    _, first, codes = np.unique(packed, return_index=True, return_inverse=True)
    rows = np.flatnonzero(there)[first]
    whole = np.full(len(there), -1, dtype=np.int32)
    whole[there] = codes
    return Column(whole, JointNames([c.names for c in columns], [c.codes[rows] for c in columns]))


def concatenated(columns: Sequence[Column]) -> Column:
    """Return the columns one after the other; O(names + rows), no value is looked at twice.

    Example:
        >>> concatenated([Column.of(["a"]), Column.of(["b", "a"])]).values()
        ['a', 'b', 'a']
    """
    merged = Column.of(name for column in columns for name in column.names)
    offset = 0
    codes = [np.zeros(0, dtype=np.int32)]
    for column in columns:
        table = np.append(merged.codes[offset : offset + len(column.names)], np.int32(-1)).astype(np.int32)
        codes.append(table[column.codes])
        offset += len(column.names)
    return Column(np.concatenate(codes), merged.names)


class Growing:
    """Whole numbers that come block by block; they grow in place, so that none of them is ever held twice.

    Example:
        >>> growing = Growing()
        >>> for block in ([1, 2], [], [3]):
        ...     growing.extend(np.array(block, dtype=np.int32))
        >>> growing.taken(), growing.taken()
        (array([1, 2, 3], dtype=int32), array([], dtype=int32))
    """

    def __init__(self) -> None:
        self._numbers = array("i")

    def extend(self, numbers: NDArray[Any]) -> None:
        """Add further numbers."""
        self._numbers.frombytes(np.ascontiguousarray(numbers, dtype=np.int32).data.cast("B") if len(numbers) else b"")

    def taken(self) -> Codes:
        """Return all numbers, and begin anew."""
        numbers, self._numbers = self._numbers, array("i")
        return np.frombuffer(numbers, dtype=np.int32)


class ColumnBuilder:
    """Numbers values as they come, block by block; whole numbers become text at the end."""

    def __init__(self) -> None:
        self._numbers: defaultdict[int | str | None, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._none = self._numbers[None]
        self._codes = Growing()

    def extend(self, values: Iterable[int | str | None]) -> None:
        """Add the values of further rows."""
        numbers = self._numbers
        self._codes.extend(np.array([numbers[value] for value in values], dtype=np.int32) - np.int32(1))

    def numbers_of(self, values: Iterable[int | str | None]) -> Codes:
        """Return the numbers of values, for ``extend_numbered``; new ones are numbered, no row is added."""
        numbers = self._numbers
        return np.array([numbers[value] for value in values], dtype=np.int32) - np.int32(1)

    def extend_numbered(self, numbers: Codes) -> None:
        """Add the values of further rows by their numbers, -1 for none."""
        self._codes.extend(numbers)

    def column(self) -> Column:
        """Return the column of all values given since the last one."""
        written = [name for name in self._numbers if name is not None]
        codes = self._codes.taken()
        names = tuple(map(str, written))
        if len(set(names)) == len(names):
            return Column(codes, names)
        # 7 and "7" are one id: ids are text.
        numbers = {name: code for code, name in enumerate(dict.fromkeys(names))}
        table = np.array([*(numbers[name] for name in names), -1], dtype=np.int32)
        return Column(table[codes], tuple(numbers))
