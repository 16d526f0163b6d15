"""Two splits of the same rows held against each other: who moved, what is divided, what was set otherwise.

Every number is of rows, known by their ids; the order of rows and of files plays no role. A row has moved if its part
has another name; where the splits share no name of a part, that is undefined, and rows are told by pairs of parts.
The adjusted Rand index asks of all pairs of rows whether both splits put them together, whatever parts are called:
(sum of C(n_ij, 2) - e) / ((sum of C(a_i, 2) + sum of C(b_j, 2)) / 2 - e) with e the first two sums' product over
C(n, 2); 1 for the same parts, 0 on average for parts that have nothing to do with each other.

Source: Hubert and Arabie 1985, "Comparing partitions", equation 5; the rest is compsplit's own.
Cost: O(rows) to hash the ids, and O(parts x (parts + groups)); `compsplit compare A B` of 22 million rows took 63 s and
6.8 GB on two processors, most of it to read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError, counted, listed
from compsplit.model.report import Finding, Measure, Report, Table, Undefined, ratio
from compsplit.recipe.assignments import Assignment
from compsplit.recipe.folder import MANIFEST, is_split

ROWS_BY_PART, SAME_PARTS, MOVED, SETTINGS = "rows by part", "parts of both", "rows that moved", "settings that differ"
_MOST = 1000
"""Rows, and groups, that a table names."""
_FIRST = 5
_NO_SHARED_NAME = "A and B have no name of a part in common"


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSplit:
    """One of the two splits.

    Attributes:
        name: What it is called: its folder or its files.
        rows: Who is in which part.
        manifest: How it was made; None where that is not known.
    """

    name: str
    rows: Assignment
    manifest: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """Both splits over the rows of either.

    Attributes:
        names: Every id, as a pyarrow array of text.
        parts: Names of the parts of A and of B, in order.
        part: A position in ``parts`` for each id, in A and in B; -1 where a split lacks it.
        rows: The id of each row of A and of B, as a position in ``names``; those of A are numbered first.
    """

    names: Any
    parts: tuple[tuple[str, ...], tuple[str, ...]]
    part: tuple[NDArray[np.int32], NDArray[np.int32]]
    rows: tuple[NDArray[np.int32], NDArray[np.int32]]

    @property
    def both(self) -> NDArray[np.bool_]:
        return np.asarray((self.part[0] >= 0) & (self.part[1] >= 0))

    def only(self, which: int) -> NDArray[np.int64]:
        """Return the numbers of ids that one split alone has."""
        return np.flatnonzero((self.part[which] >= 0) & (self.part[1 - which] < 0))

    def counts(self) -> NDArray[np.int64]:
        """Return how many rows are in each part of A and of B, shape (parts of A, parts of B)."""
        n, m = map(len, self.parts)
        both = self.both
        cells = np.bincount(self.part[0][both].astype(np.int64) * m + self.part[1][both], minlength=n * m)
        return cells.reshape(n, m)

    def first(self, numbers: NDArray[np.int64], most: int) -> list[int]:
        """Return the numbers whose ids come first as text, in that order."""
        import pyarrow.compute

        texts = self.names.take(numbers)
        place = pyarrow.compute.sort_indices(texts).to_numpy() if len(texts) <= most else _least(texts, most)
        return [int(number) for number in numbers[place[:most]]]

    def ids(self, numbers: Sequence[int]) -> list[str]:
        """Return ids by their numbers."""
        found: list[str] = self.names.take(np.asarray(numbers, dtype=np.int64)).to_pylist()
        return found


def _least(texts: Any, most: int) -> NDArray[np.int64]:
    """Return the places of the texts that come first, in order; no more than a heap of them is sorted."""
    import pyarrow
    import pyarrow.compute

    table = pyarrow.table({"id": texts})
    found: NDArray[np.int64] = pyarrow.compute.select_k_unstable(table, most, [("id", "ascending")]).to_numpy()
    return found


def manifest_of_split(path: Path) -> dict[str, Any] | None:
    """Return how a folder that ``run`` wrote was made; None for any other."""
    if not path.is_dir() or not is_split(path):
        return None
    found: dict[str, Any] = json.loads((path / MANIFEST).read_bytes())
    return found


def compared(one: ComparedSplit, other: ComparedSplit, *, allow_unjoined: bool = False) -> Report:
    """Return what is told of two splits, A and B, of the same rows.

    Args:
        one: A.
        other: B.
        allow_unjoined: Hold the rows that both have against each other, and count the others.

    Raises:
        UsageError: Rows are in one of them only and ``allow_unjoined`` is not set, or none is in both.
    """
    joined = _joined(one, other)
    n_both = int(joined.both.sum())
    if not n_both or (not allow_unjoined and any(len(joined.only(which)) for which in (0, 1))):
        raise _not_the_same_rows(joined, one, other, n_both)
    counts = joined.counts()
    tables = {
        ROWS_BY_PART: _rows_by_part(joined, counts),
        **_same_parts_table(joined, counts),
        **_settings(one.manifest, other.manifest),
        **_moved_table(joined, one.rows),
    }
    divided = [_divided(joined, which, (one, other)[which].rows) for which in (0, 1)]
    tables |= {name: table for _, found, _ in divided for name, table in found.items()}
    findings = [*_unjoined(joined), *_inputs(one, other), *(finding for _, _, found in divided for finding in found)]
    measures = (*_measures(joined, counts), *(measure for found, _, _ in divided for measure in found))
    subject = {
        "kind": "comparison",
        "title": "Two splits compared",
        "splits": {
            letter: {
                "name": each.name,
                "rows": len(each.rows),
                "parts": _sizes(each),
                "recipe": None if each.manifest is None else each.manifest.get("recipe_name"),
            }
            for letter, each in (("A", one), ("B", other))
        },
        "rows": n_both,
        "measures in tables": True,
        "verdict": _verdict(joined, counts, one, other),
    }
    shown = [name for name in (ROWS_BY_PART, SAME_PARTS, SETTINGS) if name in tables]
    return Report({**subject, "shown tables": shown}, measures, tables, tuple(findings))


def _joined(one: ComparedSplit, other: ComparedSplit) -> _Joined:
    import pyarrow

    whole = pyarrow.chunked_array([one.rows.ids, other.rows.ids]).combine_chunks().dictionary_encode()
    codes = whole.indices.to_numpy(zero_copy_only=False)
    n = len(whole.dictionary)
    parts, part = [], []
    rows = (codes[: len(one.rows)], codes[len(one.rows) :])
    for each, mine in zip((one, other), rows, strict=True):
        names = _ordered(each)
        number = np.array([names.index(name) for name in each.rows.parts], dtype=np.int32)
        of_id = np.full(n, -1, dtype=np.int32)
        of_id[mine] = number[each.rows.part_of_row]
        parts.append(names)
        part.append(of_id)
    return _Joined(whole.dictionary, (parts[0], parts[1]), (part[0], part[1]), rows)


def _ordered(split: ComparedSplit) -> tuple[str, ...]:
    """Return the names of the parts as the manifest orders them, empty ones included."""
    said = (split.manifest or {}).get("parts", ())
    return tuple(dict.fromkeys((*map(str, said), *split.rows.parts)))


def _sizes(split: ComparedSplit) -> dict[str, int]:
    sizes = np.bincount(split.rows.part_of_row, minlength=len(split.rows.parts)).tolist()
    got = dict(zip(split.rows.parts, sizes, strict=True))
    return {part: got.get(part, 0) for part in _ordered(split)}


def _not_the_same_rows(joined: _Joined, one: ComparedSplit, other: ComparedSplit, n_both: int) -> UsageError:
    told, facts = [], {}
    for which, (letter, each) in enumerate((("A", one), ("B", other))):
        alone = joined.only(which)
        first = joined.ids(joined.first(alone, _FIRST))
        facts[f"in {letter} only"] = {"count": len(alone), "first": first}
        if len(alone):
            more = f" and {len(alone) - _FIRST:,} more" if len(alone) > _FIRST else ""
            told.append(f"{len(alone):,} in {letter} ({each.name}) only ({listed(first)}{more})")
    mend = (
        "Give two splits of the same data."
        if not n_both
        else "Give two splits of the same data, or pass --allow-unjoined to compare the rows that both have and count "
        "the others."
    )
    return UsageError(
        f"A and B are not splits of the same rows: {counted(n_both, 'row is', 'rows are')} in both, "
        f"{', '.join(told)}. {mend}",
        field="id",
        facts={"in both": n_both, **facts},
    )


def _measures(joined: _Joined, counts: NDArray[np.int64]) -> Iterator[Measure]:
    n = int(counts.sum())
    yield _count("rows-in-both", n, "rows in both")
    for which, letter in enumerate("AB"):
        yield _count(f"rows-in-{letter}-only", len(joined.only(which)), f"rows in {letter} only")
    shared = _shared(joined)
    moved = n - sum(int(counts[k, j]) for _, k, j in shared)
    yield Measure(
        name="rows-moved", of="rows", value=moved if shared else Undefined(_NO_SHARED_NAME), n=n,
        n_unit="rows in both", unit="count",
    )  # fmt: skip
    yield Measure(
        name="moved-share", of="rows", value=Fraction(moved, n) if shared else Undefined(_NO_SHARED_NAME), n=n,
        n_unit="rows in both", unit="fraction",
    )  # fmt: skip
    for part, k, j in shared:
        a, b, both = int(counts[k].sum()), int(counts[:, j].sum()), int(counts[k, j])
        yield Measure(
            name="part-overlap", of="rows", part=part, value=ratio(both, a, f"no row is in {part} of A"), n=a,
            n_unit=f"rows of {part} in A", unit="fraction",
        )  # fmt: skip
        yield Measure(
            name="part-jaccard", of="rows", part=part,
            value=ratio(both, a + b - both, f"no row is in {part} of A or of B"), n=a + b - both,
            n_unit=f"rows of {part} in A or B", unit="fraction",
        )  # fmt: skip
    yield Measure(
        name="adjusted-rand-index", of="rows", value=adjusted_rand_index(counts.tolist()), n=n, n_unit="rows in both",
        unit="index",
    )  # fmt: skip
    for k, a_part in enumerate(joined.parts[0]):
        for j, b_part in enumerate(joined.parts[1]):
            yield Measure(
                name="rows-by-part", of="rows", reference=a_part, part=b_part, value=int(counts[k, j]),
                n=int(counts[k, j]), n_unit=f"rows of {a_part} in A and {b_part} in B", unit="count",
            )  # fmt: skip


def _count(name: str, n: int, unit: str) -> Measure:
    return Measure(name=name, of="rows", value=n, n=n, n_unit=unit, unit="count")


def adjusted_rand_index(counts: Sequence[Sequence[int]]) -> Fraction | Undefined:
    """Return how far two divisions of rows agree, exactly.

    Args:
        counts: Rows in each part of one and of the other.

    Example:
        >>> adjusted_rand_index([[2, 0], [0, 2]]), adjusted_rand_index([[1, 1], [1, 1]])
        (Fraction(1, 1), Fraction(-1, 2))
    """

    def pairs(n: int) -> int:
        return n * (n - 1) // 2

    together = sum(pairs(n) for row in counts for n in row)
    a = sum(pairs(sum(row)) for row in counts)
    b = sum(pairs(sum(column)) for column in zip(*counts, strict=True))
    every = pairs(sum(map(sum, counts)))
    if not every:
        return Undefined("there are no two rows")
    expected = Fraction(a * b, every)
    most = Fraction(a + b, 2)
    if most == expected:
        return Undefined("every row is in one part of each split, or in one of its own")
    return (together - expected) / (most - expected)


def _shared(joined: _Joined) -> list[tuple[str, int, int]]:
    """Return the names of parts that both have, with their places."""
    one, other = joined.parts
    return [(part, one.index(part), other.index(part)) for part in one if part in other]


def _rows_by_part(joined: _Joined, counts: NDArray[np.int64]) -> Table:
    lines = []
    for k, a_part in enumerate(joined.parts[0]):
        for j, b_part in enumerate(joined.parts[1]):
            n, a, b = int(counts[k, j]), int(counts[k].sum()), int(counts[:, j].sum())
            lines.append((a_part, b_part, n, _share(n, a), _share(n, b)))
    columns = ("part in A", "part in B", "rows", "share of the part in A", "share of the part in B")
    return Table(columns, tuple(lines))


def _same_parts_table(joined: _Joined, counts: NDArray[np.int64]) -> dict[str, Table]:
    """Return how far the parts of one name are the same rows; nothing where there are none."""
    lines = []
    for part, k, j in _shared(joined):
        both, a, b = int(counts[k, j]), int(counts[k].sum()), int(counts[:, j].sum())
        lines.append((part, a, b, both, _share(both, a), _share(both, b), _share(both, a + b - both)))
    columns = ("part", "rows in A", "rows in B", "rows in both", "share of A's", "share of B's", "Jaccard")
    return {SAME_PARTS: Table(columns, tuple(lines))} if lines else {}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _moved_table(joined: _Joined, rows: Assignment) -> dict[str, Table]:
    """Return the first rows whose part has another name; nothing where no name is shared."""
    shared = _shared(joined)
    if not shared:
        return {}
    to = np.full(len(joined.parts[0]), -1, dtype=np.int32)
    for _, k, j in shared:
        to[k] = j
    one, other = joined.part
    moved = np.flatnonzero(joined.both & (to[one] != other))
    first = joined.first(moved, _MOST)
    lines: list[tuple[Any, ...]] = [
        (name, joined.parts[0][one[number]], joined.parts[1][other[number]])
        for name, number in zip(joined.ids(first), first, strict=True)
    ]
    columns: tuple[str, ...] = ("id", "part in A", "part in B")
    if rows.group_of_row is not None:
        # Ids of A are numbered first, in their order.
        codes = rows.group_of_row[np.asarray(first, dtype=np.int64)].tolist()
        names = rows.groups.take(np.maximum(codes, 0)).to_pylist() if codes else []
        groups = [name if code >= 0 else None for name, code in zip(names, codes, strict=True)]
        lines = [(*line, group) for line, group in zip(lines, groups, strict=True)]
        columns = (*columns, "group")
    return {MOVED: Table(columns, tuple(lines), total=len(moved), culprits=True)}


def _divided(joined: _Joined, which: int, rows: Assignment) -> tuple[list[Measure], dict[str, Table], list[Finding]]:
    """Return which groups of one split the other divides: measure, table and finding; nothing where none are named."""
    if rows.group_of_row is None:
        return [], {}, []
    letter, other = "AB"[which], "BA"[which]
    numbers = joined.rows[which]
    theirs = joined.part[1 - which][numbers]
    there = (theirs >= 0) & (rows.group_of_row >= 0)
    groups, theirs, numbers = rows.group_of_row[there], theirs[there], numbers[there]
    n_groups = len(rows.groups)
    in_parts = np.zeros(n_groups, dtype=np.int16)
    for part in range(len(joined.parts[1 - which])):
        in_parts += np.bincount(groups[theirs == part], minlength=n_groups) > 0
    n, torn = int((in_parts > 0).sum()), np.flatnonzero(in_parts > 1)
    measure = Measure(
        name=f"groups-of-{letter}-divided", of="groups",
        value=ratio(len(torn), n, f"no row in both has a group in {letter}"), n=n,
        n_unit=f"groups of {letter} with rows in both", unit="fraction",
    )  # fmt: skip
    if not len(torn):
        return [measure], {}, []
    table = _divided_table(joined, rows.groups, torn, (groups, theirs, numbers), letter)
    found = Finding(
        kind="groups-divided",
        count=len(torn),
        first=tuple(row[0] for row in table.rows[:_FIRST]),
        message=f"{len(torn):,} of {counted(n, 'group')} of {letter} "
        f"{'is' if len(torn) == 1 else 'are'} in several parts of {other}.",
    )
    return [measure], {f"groups of {letter} that {other} divides": table}, [found]


def _divided_table(
    joined: _Joined,
    names: Any,
    torn: NDArray[np.int64],
    rows: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
    letter: str,
) -> Table:
    """Return the groups that are divided, largest first, with their rows in each part of the other split.

    Args:
        joined: Both splits.
        names: Names of all groups, as a pyarrow array.
        torn: The groups that are divided.
        rows: Group, part in the other split, and number of each row.
        letter: The split whose groups they are.
    """
    import pyarrow.compute

    groups, theirs, numbers = rows
    parts = joined.parts["BA".index(letter)]
    sizes = np.bincount(groups, minlength=len(names))[torn]
    place = np.lexsort((pyarrow.compute.rank(names.take(torn)).to_numpy(), -sizes))[:_MOST]
    shown = torn[place]
    at = np.full(len(names), -1, dtype=np.int64)
    at[shown] = np.arange(len(shown))
    mine = at[groups] >= 0
    row_of, theirs, numbers = at[groups[mine]], theirs[mine], numbers[mine]
    counts = np.bincount(row_of * len(parts) + theirs, minlength=len(shown) * len(parts)).reshape(-1, len(parts))
    by_id = pyarrow.compute.sort_indices(joined.names.take(numbers)).to_numpy()
    _, first = np.unique(row_of[by_id], return_index=True)
    examples = joined.ids(numbers[by_id[first]])
    lines = zip(names.take(shown).to_pylist(), sizes[place].tolist(), counts.tolist(), examples, strict=True)
    columns = ("group", "rows", *(f"in {part}" for part in parts), "example")
    return Table(columns, tuple((name, n, *cells, one) for name, n, cells, one in lines), len(torn), culprits=True)


def _settings(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> dict[str, Table]:
    """Return what was set otherwise; nothing where that is not known of both, or nothing was."""
    if one is None or other is None:
        return {}
    a, b = (dict(_flat(_set(manifest))) for manifest in (one, other))
    lines = [(key, a.get(key), b.get(key)) for key in sorted(a.keys() | b.keys()) if a.get(key) != b.get(key)]
    return {SETTINGS: Table(("setting", "A", "B"), tuple(lines))} if lines else {}


def _set(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides a split: its recipe, seed, reader and versions."""
    recipe = {name: value for name, value in manifest.get("recipe", {}).items() if name != "published"}
    return {
        **recipe,
        "recipe": manifest.get("recipe_name"),
        "seed": manifest.get("seed"),
        "read": {**recipe.get("read", {}), "format": manifest.get("read", {}).get("format")},
        "version of compsplit": manifest.get("versions", {}).get("compsplit"),
    }


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each setting under its whole name; lists as JSON text."""
    if isinstance(value, Mapping):
        for key in sorted(value):
            yield from _flat(value[key], f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        yield name, json.dumps(value, ensure_ascii=False, sort_keys=True)
    else:
        yield name, value


def _unjoined(joined: _Joined) -> Iterator[Finding]:
    for which, letter in enumerate("AB"):
        alone = joined.only(which)
        if len(alone):
            yield Finding(
                kind=f"rows-in-{letter}-only",
                count=len(alone),
                first=tuple(joined.ids(joined.first(alone, _FIRST))),
                message=f"{counted(len(alone), 'row is', 'rows are')} in {letter} only and not compared.",
            )


def _inputs(one: ComparedSplit, other: ComparedSplit) -> Iterator[Finding]:
    """Tell where the splits were not made from the same bytes."""
    if one.manifest is None or other.manifest is None:
        return
    a, b = ({each["sha256"]: str(each["file"]) for each in split.manifest.get("inputs", ())} for split in (one, other))  # type: ignore[union-attr]  # both are there
    differ = sorted({*(a[digest] for digest in a.keys() - b.keys()), *(b[digest] for digest in b.keys() - a.keys())})
    if differ:
        yield Finding(
            kind="other-inputs",
            count=len(differ),
            first=tuple(differ[:_FIRST]),
            message=f"A and B were not made from the same files: {listed(differ)} "
            f"{'has' if len(differ) == 1 else 'have'} another checksum in the other, or no place there.",
        )


def _verdict(joined: _Joined, counts: NDArray[np.int64], one: ComparedSplit, other: ComparedSplit) -> str:
    n = int(counts.sum())
    shared = _shared(joined)
    said = f"A ({one.name}) and B ({other.name}), {counted(n, 'row')} in both"
    if not shared:
        return f"{said}: {_NO_SHARED_NAME} ({listed(joined.parts[0])}; {listed(joined.parts[1])})."
    moved = n - sum(int(counts[k, j]) for _, k, j in shared)
    part, k, j = next((each for each in shared if each[0] == "test"), shared[-1])
    a, b, both = int(counts[k].sum()), int(counts[:, j].sum()), int(counts[k, j])
    same = f"{both:,} of {a:,} rows of A's {part} are in B's {part} ({b:,})"
    alone = [
        f"{len(joined.only(which)):,} in {letter} only" for which, letter in enumerate("AB") if len(joined.only(which))
    ]
    rest = f"; {', '.join(alone)}" if alone else ""
    return f"{said}: {moved:,} ({moved / n:.1%}) moved; {same}{rest}."
