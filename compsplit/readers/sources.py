"""Which files to read, and what ids and messages call them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from compsplit.errors import FileError, UsageError
from compsplit.files import compression, zip_members
from compsplit.model.table import Input

_NAMED = re.compile(r"(?P<name>[^=/\\]+)=(?P<file>.+)", re.DOTALL)


def inputs(files: Iterable[str | Path]) -> tuple[Input, ...]:
    """Return what to read: each file, or each member of an archive.

    A file may be given as ``NAME=FILE``; otherwise its source is its stem, with as many parent folders in front as it
    takes to tell all sources apart. ``ARCHIVE.zip//MEMBER`` is one member.

    Raises:
        FileError: A file is not there.
        UsageError: Two files have the same name, or one is given twice.
    """
    named: list[tuple[str | None, Path, str | None]] = []
    for given in files:
        name, path, member = _parted(given)
        if not path.exists():
            raise FileError(str(path), "there is no such file")
        archived = compression(path) == "zip"
        if member is not None and not archived:
            raise FileError(f"{path}//{member}", f"{path.name} is no zip archive")
        if member is None and archived:
            members = zip_members(path)
            several = name is not None and len(members) > 1
            named += [(f"{name}/{_stem(each)}" if several else name, path, each) for each in members]
        else:
            named.append((name, path, member))
    seen = set()
    for _, path, member in named:
        if (path.resolve(), member) in seen:
            shown = str(path) if member is None else f"{path}//{member}"
            raise UsageError(f"A file is given twice: {shown}.", file=shown)
        seen.add((path.resolve(), member))
    stems = _told_apart([_steps(path, member) for name, path, member in named if name is None])
    sources = [name if name is not None else next(stems) for name, _, _ in named]
    for source in sources:
        if sources.count(source) > 1:
            raise UsageError(f'Two files are called "{source}"; name them apart with NAME=FILE.')
    return tuple(Input(path, source, member) for source, (_, path, member) in zip(sources, named, strict=True))


def _parted(given: str | Path) -> tuple[str | None, Path, str | None]:
    name: str | None = None
    text = str(given)
    found = _NAMED.fullmatch(text) if isinstance(given, str) and not Path(given).exists() else None
    if found:
        name, text = found["name"], found["file"]
    member: str | None = None
    if "//" in text and not Path(text).exists():
        text, _, member = text.partition("//")
    elif isinstance(given, Path) and not given.exists():
        # A Path folds the two slashes to one; nothing but an archive is a file that holds another.
        archive = next((each for each in given.parents if each.is_file()), None)
        if archive is not None:
            text, member = str(archive), given.relative_to(archive).as_posix()
    return name, Path(text), member


def _steps(path: Path, member: str | None) -> list[str]:
    inside = Path(member).parts if member else ()
    whole = [
        *path.resolve().parts[:-1],
        *([_stem(path.name), *inside[:-1], _stem(inside[-1])] if inside else [_stem(path.name)]),
    ]
    return whole[::-1]


def _stem(name: str) -> str:
    return re.sub(r"(?i)(\.(json|jsonl|csv|tsv|txt|parquet))?(\.(gz|xz|zst|zip))?$", "", name) or name


def _told_apart(steps: Sequence[list[str]]) -> Iterator[str]:
    depth = 1
    longest = max((len(each) for each in steps), default=1)
    while depth < longest:
        names = ["/".join(reversed(each[:depth])) for each in steps]
        if len(set(names)) == len(names):
            break
        depth += 1
    return iter(["/".join(reversed(each[:depth])) for each in steps])
