"""The members that stand before a list of records: those of all inputs together, the part noted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from compsplit.model.table import Records


def header_of(sources: Sequence[Records], part: str) -> bytes:
    """Return the members that go before the list, as JSON text: those of the inputs, the part noted.

    A member that all inputs share is kept as it is. Where they differ, texts are joined by "+" in alphabetical order
    (train2014+val2014) and of other values the first in canonical form stands; all headers are listed whole.
    """
    headers = [header for records in sources for header in _originals(records)]
    names = list(dict.fromkeys(name for header in headers for name in header))
    members = []
    for name in names:
        written = sorted({header[name] for header in headers if name in header}, reverse=True)
        raws = {_canonical(raw): raw for raw in written}
        values = [json.loads(raw) for raw in sorted(raws)]
        if len(raws) > 1 and all(isinstance(value, str) for value in values):
            members.append((name, json.dumps("+".join(sorted(set(values))), ensure_ascii=False).encode()))
        else:
            members.append((name, raws[min(raws)]))
    noted: dict[str, Any] = {"part": part}
    different = sorted({_canonical(b"{%b}" % _joined(header, b", ")) for header in headers})
    if len(different) > 1:
        noted["headers"] = [json.loads(header) for header in different]
    members.append(("compsplit", json.dumps(noted, sort_keys=True, ensure_ascii=False).encode()))
    return _joined(dict(members), b",\n") + b",\n"


def _originals(records: Records) -> list[dict[str, bytes]]:
    """Return the header of a file; those that were merged into it, if it is one of ours."""
    header = dict(records.header)
    noted = json.loads(header.pop("compsplit", b"{}"))
    merged = noted.get("headers") if isinstance(noted, dict) else None
    if not isinstance(merged, list) or not all(isinstance(each, dict) for each in merged):
        return [header]
    return [{name: json.dumps(value, ensure_ascii=False).encode() for name, value in each.items()} for each in merged]


def _canonical(raw: bytes) -> str:
    return json.dumps(json.loads(raw), sort_keys=True, ensure_ascii=False)


def _joined(members: Mapping[str, bytes], between: bytes) -> bytes:
    return between.join(json.dumps(name, ensure_ascii=False).encode() + b": " + raw for name, raw in members.items())
