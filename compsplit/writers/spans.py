"""Copy records, byte for byte as they came in, to the file of their part.

Records are written in the order of their ids, so that the same rows give the same bytes however they were ordered or
cut into files. Each record is read where it stands; nothing is held but a batch. Cost: O(bytes + rows log rows).
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import BrokenFileError, UsageError
from compsplit.files import Bytes, compression
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.model.table import Records

_BATCH = 4096
_JSON = ("object", "keyed", "list", "lines")
"""Layouts whose records are JSON and hold one row each."""
_GAP = 4096
"""Records of a batch that stand at most this many bytes apart are read in one go."""


@dataclass(frozen=True, slots=True)
class Written:
    """One file that a writer wrote.

    Attributes:
        name: Its name in the folder.
        part: The part; None where it is about all of them.
        kind: What its records are: questions, annotations, records, scenes, pairs or ids.
        n_records: How many.
        sha256: Of its bytes.
        lost: What the rows say and the file does not, or what the file should say and nobody knows -> in how many
            records.
    """

    name: str
    part: str | None
    kind: str
    n_records: int
    sha256: str
    lost: Mapping[str, int] = field(default_factory=dict)


class Pieces:
    """The bytes of records, in any order; compressed inputs are unpacked to a temporary file first."""

    def __init__(self, records: Records) -> None:
        if records.input is None:
            raise UsageError("A table given in memory has no records to copy; write another format, such as jsonl.")
        self._name = records.input.name
        self._file: IO[bytes] = records.input.path.open("rb")
        if compression(records.input.path):
            self._file.close()
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  # closed with this object
            with Bytes(records.input, text=False) as stream:
                # Spans count a byte order mark, which the stream passes over.
                first = stream.read()
                self._file.write(b"\xef\xbb\xbf"[: stream.offset - len(first)] + first)
                while block := stream.read():
                    self._file.write(block)
            self._file.flush()
        self._handle = self._file.fileno()

    def __enter__(self) -> Pieces:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __call__(self, start: int, stop: int) -> bytes:
        """Return the bytes from start to stop."""
        piece = os.pread(self._handle, stop - start, start)
        if len(piece) != stop - start:
            raise BrokenFileError(self._name, "has changed while it was used", byte=start)
        return piece


def copy_records(
    folder: Path,
    name: Callable[[str], str],
    kind: str,
    sources: Sequence[Records],
    split: Split,
    place_of_row: NDArray[np.int64],
    around: Callable[[str], tuple[bytes, bytes, bytes]],
    changed: Callable[[bytes, int], bytes] | None = None,
) -> list[Written]:
    """Copy the records of all sources to one file a part.

    Args:
        folder: Where to.
        name: Part -> file name.
        kind: What the records are.
        sources: Where they stand.
        split: The part of each row.
        place_of_row: Records are written in this order of their rows; shape (n_rows,).
        around: Part -> the bytes before all records, between two, and after all.
        changed: (bytes, row) -> the bytes to write in their place.
    """
    stand = _Stand.of(sources)
    part_of_record = np.where(stand.rows >= 0, split.part_of_row[stand.rows], -1)
    with contextlib.ExitStack() as stack:
        pieces = [stack.enter_context(Pieces(records)) for records in sources]

        def write_part(p: int) -> Written:
            part = split.parts[p]
            mine = np.flatnonzero(part_of_record == p)
            mine = mine[np.argsort(place_of_row[stand.rows[mine]], kind="stable")]
            before, between, after = around(part)
            batches = _batches(stand, pieces, mine, changed)
            digest = write_bytes(folder / name(part), framed(before, between, after, batches))
            return Written(name(part), part, kind, len(mine), digest)

        # Reading, writing and hashing let go of the interpreter, so parts are written side by side.
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(write_part, range(len(split.parts))))


def copied(
    pieces: Sequence[Pieces], sources: Sequence[Records], wanted: NDArray[np.bool_], place_of_row: NDArray[np.int64]
) -> Iterator[list[bytes]]:
    """Yield the bytes of records, some at a time, in the order of their rows.

    Args:
        pieces: The opened sources.
        sources: Where the records stand.
        wanted: Which of all sources' records; shape (n_records,).
        place_of_row: As for ``copy_records``; records of no row come in the order in which they stand.
    """
    stand = _Stand.of(sources)
    mine = np.flatnonzero(wanted)
    rows = stand.rows[mine]
    places = np.where(rows >= 0, place_of_row[rows] if len(place_of_row) else 0, -1)
    yield from _batches(stand, pieces, mine[np.argsort(places, kind="stable")], None)


def json_records(table: RowTable, rows: NDArray[np.int64]) -> Iterator[Mapping[str, Any]]:
    """Yield what the input's own JSON record of each of these rows says, nothing where a row has none of its own.

    Args:
        table: The rows.
        rows: Which of them, in the order in which they are wanted.
    """
    kind = next((records.kind for records in table.records), None)
    sources = [records for records in table.records if records.kind == kind and records.layout in _JSON]
    record_of_row = np.full(len(table), -1, dtype=np.int64)
    keyed: list[bool] = []
    if sources:
        stand = _Stand.of(sources)
        there = np.flatnonzero(stand.rows >= 0)
        record_of_row[stand.rows[there]] = there
        keyed = [records.layout == "keyed" for records in sources]
    wanted = record_of_row[rows]
    with contextlib.ExitStack() as stack:
        pieces = [stack.enter_context(Pieces(records)) for records in sources]
        batches = _batches(stand, pieces, wanted[wanted >= 0], None) if sources else iter(())
        texts = (text for batch in batches for text in batch)
        for number in wanted.tolist():
            if number < 0:
                yield {}
                continue
            text = next(texts)
            source = int(stand.owner[number])
            try:
                value = json.loads(b"{%b}" % text if keyed[source] else text)
            except ValueError as error:
                given = sources[source].input
                assert given is not None
                at = int(stand.starts[number])
                raise BrokenFileError(given.name, "has changed while it was used", byte=at) from error
            if keyed[source]:
                value = next(iter(value.values()))
            yield value if isinstance(value, dict) else {}


def write_bytes(path: Path, pieces: Iterator[bytes]) -> str:
    """Write a file and return the SHA-256 of its bytes, in hex."""
    digest = hashlib.sha256()
    with path.open("wb", buffering=0) as file:
        for data in pieces:
            file.write(data)
            digest.update(data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class _Stand:
    """Where the records of all sources stand: source, first byte, byte after, and row; shape (n_records,) each."""

    owner: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    rows: NDArray[np.int32]

    @classmethod
    def of(cls, sources: Sequence[Records]) -> _Stand:
        return cls(
            np.repeat(np.arange(len(sources)), [len(records.rows) for records in sources]),
            np.concatenate([records.starts for records in sources]),
            np.concatenate([records.stops for records in sources]),
            np.concatenate([records.rows for records in sources]),
        )


def framed(before: bytes, between: bytes, after: bytes, batches: Iterator[list[bytes]]) -> Iterator[bytes]:
    """Yield the bytes of a file: what is before its records, the records with something between them, the end."""
    yield before
    for number, batch in enumerate(batches):
        yield (between if number else b"") + between.join(batch)
    yield after


def _batches(
    stand: _Stand,
    pieces: Sequence[Pieces],
    wanted: NDArray[np.int64],
    changed: Callable[[bytes, int], bytes] | None,
) -> Iterator[list[bytes]]:
    """Yield the bytes of the wanted records, some at a time; neighbours in a file are read together."""
    for first in range(0, len(wanted), _BATCH):
        some = wanted[first : first + _BATCH]
        by_place = np.lexsort((stand.starts[some], stand.owner[some]))
        owner, starts, stops = (each[some][by_place] for each in (stand.owner, stand.starts, stand.stops))
        apart = (owner[1:] != owner[:-1]) | (starts[1:] - stops[:-1] > _GAP)
        cuts = [0, *(np.flatnonzero(apart) + 1).tolist(), len(some)]
        batch = [b""] * len(some)
        for a, b in pairwise(cuts):
            base = int(starts[a])
            data = pieces[int(owner[a])](base, int(stops[b - 1]))
            spans = zip(
                by_place[a:b].tolist(), (starts[a:b] - base).tolist(), (stops[a:b] - base).tolist(), strict=True
            )
            for place, start, stop in spans:
                batch[place] = data[start:stop]
        yield batch if changed is None else list(map(changed, batch, stand.rows[some].tolist()))


def in_batches(pieces: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Yield pieces some at a time."""
    while batch := list(itertools.islice(pieces, _BATCH)):
        yield batch


def rows_of_part(table: RowTable, split: Split, part: str) -> NDArray[np.int64]:
    """Return the rows of a part in the order in which they are written."""
    rows = np.flatnonzero(split.rows_in(part))
    return rows[np.argsort(row_places(table)[rows], kind="stable")]


def row_places(table: RowTable) -> NDArray[np.int64]:
    """Return the place at which each row is written: by id as text, so that the order of the input shows nowhere; in
    the order of the input where ids only number the rows. Shape (n_rows,)."""
    if table.numbered:
        return np.arange(len(table), dtype=np.int64)
    places = np.empty(len(table), dtype=np.int64)
    places[np.argsort(table.ids, kind="stable")] = np.arange(len(table))
    return places
