"""Counts the records of a fetched archive, one record in memory at a time.

Cost: one pass over the unpacked bytes at the speed of the standard library's JSON decoder. Memory: one record, one
block, and for ``distinct`` counts the values seen.
"""

from __future__ import annotations

import codecs
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any

from compsplit.errors import BrokenFileError, EncodingError
from compsplit.fetching.catalogue import Count
from compsplit.fetching.download import SILENT, Watch
from compsplit.fetching.unpack import checked_members

_BLOCK = 1 << 20
_LARGEST_RECORD = 1 << 26
_AFTER_VALUE = frozenset(",]}: \t\r\n")


@dataclass(frozen=True, slots=True)
class Counted:
    """A count, and the published figure beside it."""

    what: str
    members: str
    counted: int
    published: int | None
    source: str

    @property
    def verdict(self) -> str:
        """``agrees``, ``differs``, or ``unchecked`` where no figure is published."""
        if self.published is None:
            return "unchecked"
        return "agrees" if self.counted == self.published else "differs"


def count(archive: Path, counts: Sequence[Count], watch: Watch = SILENT) -> tuple[Counted, ...]:
    """Return all counts of a zip archive, in the order asked for.

    Every member is read to its end, those that nothing asks about too, so that a damaged one is found here.

    Raises:
        BrokenFileError: The archive is no zip, is damaged, or holds something that is no JSON where records are.
        EncodingError: A counted member is not UTF-8.
    """
    tallies = [_Tally(one) for one in counts]
    try:
        with zipfile.ZipFile(archive) as opened:
            members = checked_members(opened, archive)
            total = sum(member.file_size for member in members)
            done = 0
            for member in members:
                wanted = [tally for tally in tallies if tally.wants(member.filename)]
                where = f"{archive.name}/{member.filename}"
                with opened.open(member) as stream:
                    window = _Window(stream, where, watch, archive.name, done, total)
                    for n, (at, record) in enumerate(_records(window) if wanted else window.drained(), start=1):
                        for tally in wanted:
                            if tally.asked.at == at:
                                tally.add(record, where, n)
                done += member.file_size
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BrokenFileError(archive.name, f"not a whole zip archive ({error})") from error
    return tuple(
        Counted(tally.asked.what, tally.asked.members, tally.n, tally.asked.published, tally.asked.source)
        for tally in tallies
    )


@dataclass(slots=True)
class _Tally:
    asked: Count
    items: int = 0
    values: set[int | str] = field(default_factory=set)

    @property
    def n(self) -> int:
        return len(self.values) if self.asked.how == "distinct" else self.items

    def wants(self, member: str) -> bool:
        return fnmatchcase(member.rsplit("/", 1)[-1], self.asked.members)

    def add(self, record: Any, where: str, n: int) -> None:
        if self.asked.how == "records":
            self.items += 1
            return
        name = self.asked.field
        value = record.get(name) if isinstance(record, dict) else None
        if self.asked.how == "items" and isinstance(value, list):
            self.items += len(value)
        elif self.asked.how == "distinct" and isinstance(value, (int, str)):
            self.values.add(value)
        else:
            expected = "a list" if self.asked.how == "items" else "an id"
            raise BrokenFileError(where, f"record {n} has no {name} that is {expected}", record=n)


def _records(window: _Window) -> Iterator[tuple[str, Any]]:
    """Yield the entries of the arrays one level down with their key, and all else at the top with an empty key."""
    opening = window.take("{[")
    if opening == "[":
        yield from (("", value) for value in _elements(window))
    elif window.peek() == "}":
        window.take("}")
    else:
        while True:
            key = window.value()
            if not isinstance(key, str):
                raise window.broken("a key that is not text")
            window.take(":")
            if window.peek() == "[":
                window.take("[")
                yield from ((key, value) for value in _elements(window))
            else:
                yield "", window.value()
            if window.take(",}") == "}":
                break
    if window.peek():
        raise window.broken("content after the end of the JSON value")


def _elements(window: _Window) -> Iterator[Any]:
    if window.peek() == "]":
        window.take("]")
        return
    while True:
        yield window.value()
        if window.take(",]") == "]":
            return


class _Window:
    """A view of JSON text that moves on over a stream of bytes."""

    def __init__(self, stream: IO[bytes], where: str, watch: Watch, label: str, done: int, total: int) -> None:
        self._stream = stream
        self._where = where
        self._watch = watch
        self._label = label
        self._done = done
        self._total = total
        self._n_bytes = 0
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder()
        self._text = ""
        self._at = 0

    def peek(self) -> str:
        """Return the next character that is no white space, or nothing at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in " \t\r\n":
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def take(self, expected: str) -> str:
        """Return the next character, which must be one of those expected, and move past it."""
        found = self.peek()
        if not found or found not in expected:
            what = f"{found!r}" if found else "the end of the file"
            raise self.broken(f"{what} where {' or '.join(expected)} is expected; damaged, or not a file of records")
        self._at += 1
        return found

    def value(self) -> Any:
        """Return the next whole JSON value and move past it."""
        self.peek()
        while True:
            problem = "cut off inside a value"
            try:
                found, end = self._json.raw_decode(self._text, self._at)
                # A number may go on in the next block.
                if self._text[end : end + 1] in _AFTER_VALUE:
                    self._at = end
                    return found
            except RecursionError as error:
                raise self.broken("a value that is nested too deeply") from error
            except ValueError as error:
                problem = str(error)
            if not self._more():
                raise self.broken(f"no whole JSON value ({problem})")

    def drained(self) -> Iterator[tuple[str, Any]]:
        """Read to the end, so that the archive checks the bytes; yield nothing."""
        while self._read(_BLOCK):
            yield from ()

    def broken(self, what: str) -> BrokenFileError:
        """Return the error for this place."""
        return BrokenFileError(self._where, what, byte=self._n_bytes)

    def _read(self, size: int) -> bytes:
        block = self._stream.read(size)
        self._n_bytes += len(block)
        self._watch.moved(f"count {self._label}", self._done + self._n_bytes, self._total)
        return block

    def _more(self) -> bool:
        """Take in the next block; False at the end of the stream."""
        left = self._text[self._at :]
        if len(left) > _LARGEST_RECORD:
            raise self.broken(f"a record of more than {_LARGEST_RECORD:,} characters, or damage before it")
        # Doubling keeps the work on one long record linear: each look at it starts anew.
        block = self._read(max(_BLOCK, len(left)))
        ended = not block
        pending = len(self._utf8.getstate()[0])
        try:
            text = self._utf8.decode(block, final=ended)
        except UnicodeDecodeError as error:
            raise EncodingError(self._where, self._n_bytes - len(block) - pending + error.start) from error
        self._text, self._at = left + text, 0
        return bool(text) or not ended
