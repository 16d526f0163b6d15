"""JSON files of records that a writer makes: an object with a header and a list, written as the records come."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from compsplit.files import canonical_json
from compsplit.writers.spans import framed, in_batches


def one_line(value: Any) -> str:
    """Return a value as JSON on one line, keys sorted."""
    return canonical_json(value, indent=None).rstrip("\n")


def list_of(records: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield the bytes of a list of records, one a line."""
    yield from framed(b"[\n", b",\n", b"\n]\n", in_batches(one_line(record).encode() for record in records))


def object_of(
    header: Mapping[str, Any], key: str, records: Iterable[Mapping[str, Any]], part: str, lost: Mapping[str, int]
) -> Iterator[bytes]:
    """Yield the bytes of an object with a header and a list of records, one a line.

    Args:
        header: Its members before the list.
        key: The member that holds the list.
        records: The records.
        part: The part, which the member ``compsplit`` notes.
        lost: What the records lack; counted while they are written, and noted behind them.
    """
    members = b"".join(f"{json.dumps(name)}: {one_line(value)},\n".encode() for name, value in header.items())
    pieces = (one_line(record).encode() for record in records)
    yield from framed(b"{%b%b: [\n" % (members, json.dumps(key).encode()), b",\n", b"\n],\n", in_batches(pieces))
    noted: dict[str, Any] = {"part": part, **({"lost": dict(lost)} if lost else {})}
    yield f'"compsplit": {one_line(noted)}}}\n'.encode()
