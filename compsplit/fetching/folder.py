"""The folder that a data set is fetched into: what is there, what is missing, and the record of what came.

Beside the files stands ``NAME.fetched.json`` with the address, byte count, SHA-256 and counts of each file that is
complete. A file is complete when its bytes are those and its counts agreed with the published ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from compsplit.errors import (
    BrokenFileError,
    CompsplitError,
    DownloadError,
    FileError,
    OptionValueError,
    UnknownNameError,
    listed,
)
from compsplit.fetching.catalogue import Count, DataSet, RemoteFile
from compsplit.fetching.counts import Counted, count
from compsplit.fetching.download import SILENT, Download, Watch
from compsplit.fetching.unpack import unpack
from compsplit.files import canonical_json, replaced, sha256

State = Literal["missing", "partial", "found", "complete", "fetched", "resumed"]


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """One file, as it stands at the end.

    Attributes:
        state: ``fetched`` or, after a break, ``resumed``; ``complete`` from an earlier run; ``found`` in the folder and
            now checked; in a dry run also ``missing`` or ``partial``, and ``found`` is unchecked.
        bytes: Bytes on disk, None if there are none.
        unpacked: Name of the folder that it was unpacked into.
    """

    name: str
    address: str
    state: State
    bytes: int | None = None
    sha256: str | None = None
    counts: tuple[Counted, ...] = ()
    unpacked: str | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one run of ``fetch`` did, or with ``dry_run`` would find."""

    data_set: DataSet
    folder: Path
    files: tuple[FetchedFile, ...]
    dry_run: bool = False

    @property
    def verdict(self) -> str:
        """One sentence with the counts."""
        n = len(self.files)
        states = [file.state for file in self.files]
        if self.dry_run:
            parts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
            return f"{self.data_set.name}: dry run, {n} files: {', '.join(parts)}; nothing was fetched."
        verdicts = [one.verdict for file in self.files for one in file.counts]
        checks = (
            f"{verdicts.count('agrees')} of {len(verdicts)} record counts agree with published figures, "
            f"{verdicts.count('unchecked')} have none"
        )
        n_new = states.count("fetched") + states.count("resumed")
        if not n_new:
            return f"{self.data_set.name}: nothing to fetch, {n} of {n} files are complete; {checks}."
        return f"{self.data_set.name}: {n} of {n} files are complete, {n_new} fetched now; {checks}."


@dataclass(frozen=True, slots=True)
class _Held:
    """One complete file, as the manifest knows it."""

    address: str
    bytes: int
    sha256: str
    counts: tuple[Counted, ...] = ()


@dataclass(frozen=True, slots=True)
class _Manifest:
    dataset: str
    files: dict[str, _Held] = field(default_factory=dict)
    format: Literal["compsplit-fetched"] = "compsplit-fetched"
    format_version: Literal[1] = 1


def fetch(
    data_set: DataSet,
    folder: Path,
    *,
    only: Iterable[str] = (),
    mirror: str | None = None,
    pins: Mapping[str, str] | None = None,
    unpacked: bool = False,
    force: bool = False,
    dry_run: bool = False,
    watch: Watch = SILENT,
    tries: int = 5,
    pause: float = 1.0,
    timeout: float = 30.0,
) -> Fetched:
    """Bring the files of a data set into a folder, check them, and note them as complete.

    Args:
        data_set: What to fetch.
        folder: Where to; made if it is not there.
        only: Names of files, or patterns of names; all files if empty.
        mirror: Address of a folder to use in place of the publisher's.
        pins: File name -> SHA-256 that it must have.
        unpacked: Unpack zip archives too, each into a folder of its own.
        force: Fetch again what is already there.
        dry_run: Only say what is there and what is not.
        watch: Who is told how it goes on.
        tries: How often to try again in a row without one new byte.
        pause: Seconds before the second try; doubles each time.
        timeout: Seconds to wait for a connection, and for the next bytes.

    Raises:
        UnknownNameError: The data set has no such file.
        DownloadError: A file cannot be had.
        BrokenFileError: A file is not what was fetched, pinned or published. It stays in place, not marked complete.
        FileError: The disk refused.
    """
    try:
        return _fetch(
            data_set,
            folder,
            files=_selected(data_set, only),
            base=data_set.base if mirror is None else _address(mirror),
            pins=_pins(data_set, pins or {}),
            unpacked=unpacked,
            force=force,
            dry_run=dry_run,
            make=lambda part: Download(part, watch, tries=tries, pause=pause, timeout=timeout),
            watch=watch,
        )
    except OSError as error:
        if isinstance(error, CompsplitError):
            raise
        raise FileError(str(error.filename or folder), error.strerror or str(error)) from error


def _fetch(
    data_set: DataSet,
    folder: Path,
    *,
    files: list[RemoteFile],
    base: str,
    pins: Mapping[str, str],
    unpacked: bool,
    force: bool,
    dry_run: bool,
    make: Callable[[Path], Download],
    watch: Watch,
) -> Fetched:
    manifest = _read_manifest(folder, data_set.name)
    found = [_on_disk(file, base + file.name, folder, manifest, force) for file in files]
    if dry_run:
        return Fetched(data_set, folder, tuple(found), dry_run=True)
    folder.mkdir(parents=True, exist_ok=True)
    done = []
    for file, there in zip(files, found, strict=True):
        pin = pins.get(file.name)
        result = there
        if force or there.state in ("missing", "partial"):
            manifest = _noted(folder, manifest, file.name, None)
            result = _bring(file.name, base + file.name, folder, make(folder / f"{file.name}.part"), pin)
        elif pin is not None and there.sha256 != pin:
            raise BrokenFileError(
                file.name, f"SHA-256 is {there.sha256}, pinned is {pin}; pass --force to fetch it again"
            )
        if result.state != "complete":
            result = replace(result, counts=_agreed(folder / file.name, file, watch))
            held = _Held(result.address, result.bytes or 0, result.sha256 or "", result.counts)
            manifest = _noted(folder, manifest, file.name, held)
        if unpacked and file.name.endswith(".zip"):
            result = replace(result, unpacked=unpack(folder / file.name, force=force).name)
        done.append(result)
    return Fetched(data_set, folder, tuple(done))


def _selected(data_set: DataSet, only: Iterable[str]) -> list[RemoteFile]:
    patterns = list(only)
    if not patterns:
        return list(data_set.files)
    names = [file.name for file in data_set.files]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UnknownNameError(f"file of {data_set.name}", pattern, names)
    return [file for file in data_set.files if any(fnmatchcase(file.name, pattern) for pattern in patterns)]


def _pins(data_set: DataSet, pins: Mapping[str, str]) -> dict[str, str]:
    names = [file.name for file in data_set.files]
    for name in pins:
        if name not in names:
            raise UnknownNameError(f"file of {data_set.name}", name, names)
    return {name: pin.lower() for name, pin in pins.items()}


def _address(mirror: str) -> str:
    if not mirror.startswith(("http://", "https://")):
        raise OptionValueError("--from", mirror, "an address that starts with http:// or https://")
    return mirror.rstrip("/") + "/"


def _on_disk(file: RemoteFile, address: str, folder: Path, manifest: _Manifest, force: bool) -> FetchedFile:
    path, part, held = folder / file.name, folder / f"{file.name}.part", manifest.files.get(file.name)
    if not path.exists():
        if part.exists():
            return FetchedFile(file.name, address, "partial", part.stat().st_size)
        return FetchedFile(file.name, address, "missing")
    n_bytes, digest = path.stat().st_size, sha256(path)
    # What a catalogue with other figures once agreed to is checked again.
    if held is None or _figures(held.counts) != _figures(file.counts):
        return FetchedFile(file.name, address, "found", n_bytes, digest)
    if (n_bytes, digest) != (held.bytes, held.sha256) and not force:
        raise BrokenFileError(
            str(path),
            f"no longer what was fetched: {n_bytes:,} bytes with SHA-256 {digest}, was {held.bytes:,} bytes with "
            f"{held.sha256}; pass --force to fetch it again",
        )
    return FetchedFile(file.name, held.address, "complete", n_bytes, digest, held.counts)


def _figures(counts: Sequence[Count | Counted]) -> list[tuple[str, str, int | None]]:
    return [(one.members, one.what, one.published) for one in counts]


def _bring(name: str, address: str, folder: Path, download: Download, pin: str | None) -> FetchedFile:
    import logging

    import pooch

    path = folder / name
    aside = folder / f"{name}.fetched"
    aside.unlink(missing_ok=True)
    logger = pooch.get_logger()
    level = logger.level
    # pooch says the hash on its own logger; the result of this run says it already.
    logger.setLevel(logging.WARNING)
    try:
        pooch.retrieve(address, pin, fname=aside.name, path=folder, downloader=download)
    except ValueError as error:
        raise DownloadError(address, f"not the pinned content ({error})") from error
    finally:
        logger.setLevel(level)
    os.replace(aside, path)
    state: State = "resumed" if download.resumed_from else "fetched"
    return FetchedFile(name, address, state, path.stat().st_size, sha256(path))


def _agreed(path: Path, file: RemoteFile, watch: Watch) -> tuple[Counted, ...]:
    """Return the counts of a file, none of which differs from its published figure."""
    if not file.name.endswith(".zip"):
        return ()
    mend = "it stays in place, not marked complete; pass --force to fetch it again"
    try:
        counts = count(path, file.counts, watch)
    except BrokenFileError as error:
        raise BrokenFileError(str(path), f"{error.message.rstrip('.')}; {mend}") from error
    differing = [one for one in counts if one.verdict == "differs"]
    if differing:
        said = [
            f"{one.members} holds {one.counted:,} {one.what}, published are {one.published:,} ({one.source})"
            for one in differing
        ]
        broken = BrokenFileError(str(path), f"{listed(said)}; {mend}")
        broken.facts["counts"] = [
            {"members": one.members, "what": one.what, "expected": one.published, "got": one.counted}
            for one in differing
        ]
        raise broken
    return counts


def _manifest_file(folder: Path, name: str) -> Path:
    return folder / f"{name}.fetched.json"


def _read_manifest(folder: Path, name: str) -> _Manifest:
    import msgspec

    path = _manifest_file(folder, name)
    if not path.exists():
        return _Manifest(name)
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BrokenFileError(
            str(path), f"not a record of fetched files ({error}); remove it to have the files checked again"
        ) from error


def _noted(folder: Path, manifest: _Manifest, name: str, held: _Held | None) -> _Manifest:
    """Return the manifest with one file noted, or struck out with None, after writing it."""
    import msgspec

    files = {known: value for known, value in manifest.files.items() if known != name}
    if held is not None:
        files[name] = held
    elif name not in manifest.files:
        return manifest
    changed = replace(manifest, files=files)
    with replaced(_manifest_file(folder, manifest.dataset)) as out:
        out.write(canonical_json(msgspec.to_builtins(changed)).encode())
    return changed
