"""The file door: compressed or plain bytes in, canonical JSON out, atomic writes."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from compsplit.errors import BrokenFileError, EmptyFileError, EncodingError, FileError, OutputExistsError, UsageError
from compsplit.model.table import Input

MANIFEST = "manifest.json"
BLOCK = 8 << 20
"""Bytes read at a time."""

_MAGIC = {b"\x1f\x8b": "gz", b"PK\x03\x04": "zip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_BOM = b"\xef\xbb\xbf"
# What steers a terminal or turns text around. In JSON it stands inside strings only, where an escape says it.
_UNSEEN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# Text of records shrinks 10 to 30 times; what grows more than this is made to fill a disk or a memory.
_MOST_GROWTH = 250
_GROWTH_FREE = 64 << 20
# Kinds of values in JSON: the ones that are common, first.
_PLAIN, _MAPPING = (str, int, type(None)), (dict, Mapping)


def compression(path: Path) -> str | None:
    """Return gz, zip, xz, zst, or None for plain bytes; by content, whatever the name says."""
    try:
        with path.open("rb") as file:
            head = file.read(6)
    except OSError as error:
        raise FileError(str(path), _said(error)) from error
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


def _said(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "is a folder, a file was expected"
    return (error.strerror or str(error)).lower()


def zip_members(path: Path) -> list[str]:
    """Return the names of the files in an archive, in its order; system droppings left out.

    Raises:
        BrokenFileError: It is not a whole archive, holds no file, or a name leads out of it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
    except zipfile.BadZipFile as error:
        raise BrokenFileError(path.name, f"is not a whole zip archive ({error})") from error
    for name in names:
        if name.startswith("/") or ".." in name.split("/"):
            raise BrokenFileError(path.name, f"the member {name!r} leads out of the archive; refused")
    kept = [name for name in names if not name.startswith("__MACOSX/") and not name.split("/")[-1].startswith(".")]
    if not kept:
        raise BrokenFileError(path.name, "is an archive without a file")
    return kept


class Bytes:
    """The decompressed bytes of an input, block by block, checked to be UTF-8.

    A byte order mark is passed over; offsets count from the first byte of the decompressed file, mark included.
    """

    def __init__(self, source: Input, *, text: bool = True) -> None:
        self.name = source.name
        self.offset = 0
        self._text = text
        self._tail = b""
        self._kind = compression(source.path)
        self._packed = max(source.path.stat().st_size, 1)
        self._file = _opened(source, self._kind)

    def __enter__(self) -> Bytes:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, size: int = BLOCK) -> bytes:
        """Return the next bytes, nothing at the end.

        Raises:
            BrokenFileError: The compressed stream is damaged, cut, or grows beyond reason.
            EncodingError: A byte is not UTF-8.
        """
        try:
            block = self._file.read(max(size, len(_BOM)))
        except (EOFError, OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError) as error:
            what = f"the {self._kind or 'file'} stream is damaged or cut ({error})"
            raise BrokenFileError(self.name, what) from error
        at_start = self.offset == 0
        if self._text and block and not block.isascii():
            self._check(block)
        elif self._tail:
            raise EncodingError(self.name, self.offset - len(self._tail))
        self.offset += len(block)
        if self._kind and self.offset > _GROWTH_FREE + _MOST_GROWTH * self._packed:
            raise BrokenFileError(self.name, f"grows more than {_MOST_GROWTH} times when unpacked; refused")
        if at_start and block.startswith(_BOM):
            return block[len(_BOM) :] or self.read(size)
        return block

    def _check(self, block: bytes) -> None:
        whole = self._tail + block
        try:
            whole.decode()
            self._tail = b""
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data" and len(whole) - error.start < 4:
                self._tail = whole[error.start :]
                return
            raise EncodingError(self.name, self.offset - len(self._tail) + error.start) from None


def _opened(source: Input, kind: str | None) -> IO[bytes]:
    path = source.path
    if path.stat().st_size == 0:
        raise EmptyFileError(source.name)
    if kind == "gz":
        return gzip.open(path, "rb")  # type: ignore[return-value]  # a GzipFile reads like any binary file
    if kind == "xz":
        return lzma.open(path, "rb")
    if kind == "zst":
        import pyarrow

        return pyarrow.CompressedInputStream(pyarrow.OSFile(str(path)), "zstd")  # type: ignore[no-any-return]  # no types
    if kind == "zip":
        if source.member is None:
            raise UsageError(f"{source.name} is an archive: name a member, {source.name}//MEMBER", file=source.name)
        try:
            with zipfile.ZipFile(path) as archive:  # the archive stays open until its member is closed
                return archive.open(source.member)
        except KeyError:
            raise FileError(source.name, "there is no such member in the archive") from None
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:  # damaged, odd method, locked
            raise BrokenFileError(source.name, f"cannot be unpacked ({error})") from error
    return path.open("rb", buffering=0)


def text_of(source: Input) -> str:
    """Return the whole text of a small input, CRLF and BOM folded away."""
    with Bytes(source) as stream:
        blocks = list(iter(stream.read, b""))
        if stream.offset == 0:
            raise EmptyFileError(source.name)
    return b"".join(blocks).decode().replace("\r\n", "\n")


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes as they are on disk, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _rounded(value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, _MAPPING):
        return {str(key): _rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(entry) for entry in value]
    return value


def canonical_json(value: Any, indent: int | None = 1) -> str:
    """Return strict JSON: keys sorted, floats at 12 significant digits, no NaN, a line end at the end.

    Raises:
        ValueError: A number is NaN or infinite.
    """
    text = json.dumps(_rounded(value), ensure_ascii=False, allow_nan=False, sort_keys=True)
    if indent is not None:
        import msgspec

        # json itself indents in Python, which takes longer than measuring a small split.
        indented = msgspec.json.format(text.encode("utf-8", "surrogatepass"), indent=indent)
        text = indented.decode("utf-8", "surrogatepass")
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def csv_lines(columns: Sequence[Sequence[str]], delimiter: str = ",") -> str:
    """Return rows as delimited text without a header line; fields are quoted where they have to be.

    A carriage return counts as a reason, which Python's own writer does not see in all its versions.

    Example:
        >>> csv_lines([["1", "2"], ["a,b", ""]])
        '1,"a,b"\\n2,\\n'
    """
    n_rows = len(columns[0])
    lines = "".join([f"{line}\n" for line in map(delimiter.join, zip(*columns, strict=True))])
    plain = '"' not in lines and "\r" not in lines
    if plain and lines.count(delimiter) == n_rows * (len(columns) - 1) and lines.count("\n") == n_rows:
        return lines
    special = {delimiter, '"', "\r", "\n"}
    quoted = [
        [field if special.isdisjoint(field) else '"' + field.replace('"', '""') + '"' for field in column]
        for column in columns
    ]
    return "".join([f"{delimiter.join(row)}\n" for row in zip(*quoted, strict=True)])


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Give a file that takes the place of ``path`` once it is written whole, and vanishes on an error.

    Raises:
        FileError: It cannot be written.
    """
    with _naming(path):
        handle, aside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with io.BufferedWriter(io.FileIO(handle, "wb"), 1 << 20) as file:
            yield file
        os.chmod(aside, 0o644)
        os.replace(aside, path)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(aside)
        if type(error) is OSError and error.filename is None:  # a file that is open does not say its name
            raise FileError(str(path), _said(error)) from error
        raise


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name ``path`` where something beside it, under a hidden name, cannot be made.

    Raises:
        FileError: It cannot.
    """
    try:
        yield
    except OSError as error:
        raise FileError(str(path), f"cannot be written ({(error.strerror or str(error)).lower()})") from error


def check_outside(path: Path) -> None:
    """Raise if something is to be written into a folder that has a manifest of ours, which says what is in it.

    Raises:
        UsageError: It is; no ``force`` changes that.
    """
    within = next((folder for folder in path.absolute().parents if _has_manifest(folder)), None)
    if within is not None:
        raise UsageError(
            f"{path} would be in {within.name}, which compsplit wrote and whose {MANIFEST} says what is in it. "
            "Name a place outside it.",
            file=str(path),
        )


def _has_manifest(folder: Path) -> bool:
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and str(found.get("format", "")).startswith("compsplit-")


def check_free(path: Path, force: bool, ours: Callable[[Path], bool] | None = None, kind: str = "") -> None:
    """Raise if a folder is there already and must not be replaced.

    Args:
        path: The folder.
        force: Whether an older one may be replaced.
        ours: Tells whether we wrote a folder; one that we did not is replaced only if it is empty. Any is, without.
        kind: What must have been written to a folder that may be replaced, such as "a balance".

    Raises:
        OutputExistsError: It is there, and ``force`` is not set, or not enough.
        FileError: Its parent is not there, or it is a file.
        UsageError: It would be in a folder that we wrote.
    """
    check_outside(path)
    if path.is_symlink():
        raise OutputExistsError(str(path), "is a symbolic link")
    if path.is_dir() and path.resolve() in (Path.cwd().resolve(), *Path.cwd().resolve().parents):
        raise OutputExistsError(str(path), "is the current folder or holds it")
    if path.is_dir() and ours is not None and any(path.iterdir()) and not ours(path):
        wrote = f"that compsplit wrote {kind} to" if kind else "that compsplit wrote"
        raise OutputExistsError(str(path), f"is not a folder {wrote}")
    if not path.parent.is_dir():
        raise FileError(str(path.parent), "there is no such folder")
    if path.exists() and not path.is_dir():
        raise FileError(str(path), "is a file, a folder was expected")
    if path.exists() and not force:
        raise OutputExistsError(str(path))


def check_free_file(path: Path, force: bool) -> None:
    """Raise if a file must not be written there.

    Raises:
        OutputExistsError: It is there, and ``force`` is not set, or it is a symbolic link.
        FileError: Its parent is not there, or it is a folder.
        UsageError: It would be in a folder that we wrote.
    """
    check_outside(path)
    if path.is_symlink():
        raise OutputExistsError(str(path), "is a symbolic link")
    if not path.parent.is_dir():
        raise FileError(str(path.parent), "there is no such folder")
    if path.is_dir():
        raise FileError(str(path), "is a folder, a file was expected")
    if path.exists() and not force:
        raise OutputExistsError(str(path))


@contextlib.contextmanager
def new_folder(path: Path, force: bool, ours: Callable[[Path], bool] | None = None, kind: str = "") -> Iterator[Path]:
    """Give an empty folder that becomes ``path`` once everything is in it, and vanishes on an error.

    An older folder of that name is replaced with ``force`` only, as ``check_free`` allows it, and only then.

    Raises:
        FileError: It cannot be written.
    """
    path = Path(os.path.abspath(path))
    check_free(path, force, ours, kind)
    with _naming(path):
        aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield aside
        os.chmod(aside, 0o755)
        if path.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
            os.replace(path, old / path.name)
            try:
                os.replace(aside, path)
            except OSError:
                os.replace(old / path.name, path)
                raise
            finally:
                shutil.rmtree(old, ignore_errors=True)
        else:
            os.replace(aside, path)
    except BaseException as error:
        shutil.rmtree(aside, ignore_errors=True)
        if type(error) is OSError and error.filename is None:  # a file that is open does not say its name
            raise FileError(str(path), _said(error)) from error
        raise
