"""Files that a reader finds by itself beside its inputs: lists of names without which the records say nothing.

A manifest holds them among its inputs, each with the name of the input that it stands beside (``beside``): who has the
inputs in a folder needs them there, and other bytes in one make another table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from compsplit.files import sha256
from compsplit.model.table import Input
from compsplit.registry import plugin


def entries_beside(reader: str, files: Iterable[Input], options: Collection[str]) -> list[dict[str, Any]]:
    """Return what a manifest says of each file that was found beside an input.

    Args:
        reader: Name of the reader.
        files: Its inputs.
        options: Options that it was given; a file that one names is not looked for.
    """
    return [
        {
            "file": name,
            "beside": file.path.name,
            "given": None if file.path.is_absolute() else (file.path.parent / name).as_posix(),
            "member": None,
            "sha256": sha256(file.path.parent / name),
        }
        for file in files
        for option, name in plugin("reader", reader).facts.get("beside", {}).items()
        if option not in options
    ]
