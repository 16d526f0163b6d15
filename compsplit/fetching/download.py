"""Brings one file over HTTP and goes on where it stopped.

What has come stands in a file named ``.part``, with a note beside it of which content it is the beginning of: the
address, and the entity tag or date that the server gave. A later request asks for the rest on the condition that this
still holds (``If-Range``, RFC 9110 section 13.1.5), so that two states of a changed file are never put together. A
server that gives neither, or ignores the range, is asked for the whole file again.
"""

from __future__ import annotations

import json
import os
import re
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from compsplit.errors import DownloadError

if TYPE_CHECKING:
    import requests

_BLOCK = 1 << 14
_LONGEST_PAUSE = 30.0


def _nothing(*_: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told how the work goes on.

    Attributes:
        say: Called with a sentence: a dropped connection, a start from the beginning.
        moved: Called with what is being done, the bytes done, and their total (None if unknown).
    """

    say: Callable[[str], object] = _nothing
    moved: Callable[[str, int, int | None], object] = _nothing


SILENT = Watch()


@dataclass(frozen=True, slots=True)
class _Note:
    """What a part is the beginning of."""

    address: str
    validator: str
    total: int | None


class _Dropped(Exception):
    """The connection ended early, or the server asked to come again."""


class _Unresolved(_Dropped):
    """The name of the host has no address, as where there is no network."""


class Download:
    """A downloader for ``pooch.retrieve`` that resumes.

    Args:
        part: Where the bytes are kept until all have come.
        watch: Who is told.
        tries: How often to try again in a row without one new byte.
        pause: Seconds before the second try; doubles each time, at most 30.
        timeout: Seconds to wait for a connection, and for the next bytes.

    Attributes:
        resumed_from: At which byte it was first gone on with, in this run or after an earlier one; 0 if the file came
            in one go.
    """

    def __init__(
        self, part: Path, watch: Watch = SILENT, *, tries: int = 5, pause: float = 1.0, timeout: float = 30.0
    ) -> None:
        self.resumed_from = 0
        self._part = part
        self._note_file = part.with_name(part.name + ".json")
        self._watch = watch
        self._tries = tries
        self._pause = pause
        self._timeout = timeout
        self._n_kept = 0

    def __call__(self, url: str, output_file: Any, pooch: Any = None, check_only: bool | None = False) -> None:
        """Bring ``url`` to the path ``output_file``, trying again after a dropped connection.

        Raises:
            DownloadError: The server refused, the connection was dropped too often, or the host is not known.
        """
        n_before = self._n_bytes()
        most, left, pause = self._n_bytes(), self._tries, self._pause
        while True:
            try:
                self._go_on(url)
                break
            except _Dropped as dropped:
                n_bytes = self._n_bytes()
                if isinstance(dropped, _Unresolved) and n_bytes == n_before:
                    raise DownloadError(
                        url, f"{dropped}: is this machine online? Otherwise name a mirror with --from"
                    ) from dropped
                if n_bytes > most:
                    most, left, pause = n_bytes, self._tries, self._pause
                if left == 0:
                    raise DownloadError(
                        url,
                        f"{dropped}, {self._tries + 1} times in a row without one new byte; {n_bytes:,} bytes are "
                        "kept, run the command again to go on from there",
                    ) from dropped
                left -= 1
                self._watch.say(f"{url}: {dropped}; {n_bytes:,} bytes are kept; trying again in {pause:g} s")
                time.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
        os.replace(self._part, output_file)
        self._note_file.unlink(missing_ok=True)
        self.resumed_from = self._n_kept

    def _n_bytes(self) -> int:
        return self._part.stat().st_size if self._part.exists() else 0

    def _go_on(self, url: str) -> None:
        """Ask once for what is missing, and write what comes.

        Raises:
            _Dropped: It is worth to try again.
        """
        import requests

        n_bytes, note = self._n_bytes(), self._note()
        if n_bytes and note and note.address == url and note.total == n_bytes:
            self._n_kept = n_bytes
            return
        # Bytes that the server packs on the way would make offsets and totals wrong.
        headers = {"Accept-Encoding": "identity"}
        resuming = bool(n_bytes and note and note.address == url and note.validator)
        if resuming and note:
            headers |= {"Range": f"bytes={n_bytes}-", "If-Range": note.validator}
        try:
            with requests.get(url, headers=headers, stream=True, timeout=self._timeout) as response:
                self._refuse(response, url)
                if resuming and note and self._continues(response, note, n_bytes):
                    self._n_kept = self._n_kept or n_bytes
                    self._write(response, url, note.total, n_bytes)
                    return
                if response.status_code == 206 or response.status_code == 416:
                    self._discard()
                    raise _Dropped("the server's copy does not fit what was kept")
                if n_bytes:
                    self._watch.say(f"{url}: {self._why_anew(resuming)}; starting from the beginning")
                self._n_kept = 0
                note = _Note(url, _validator(response), _length(response))
                # Emptied first: whatever happens between these lines, a note never stands beside other content.
                self._part.write_bytes(b"")
                self._write_note(note)
                self._write(response, url, note.total, 0)
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as error:
            if _is_unresolved(error):
                raise _Unresolved(f"the name {urlsplit(url).hostname} cannot be resolved") from error
            reason = getattr(error.args[0], "reason", error.args[0]) if error.args else error
            raise _Dropped(f"connection dropped or not to be had ({reason})") from error
        except requests.RequestException as error:
            raise DownloadError(url, f"cannot be asked for ({error})") from error

    def _write(self, response: requests.Response, url: str, total: int | None, n_bytes: int) -> None:
        label = f"fetch {url.rsplit('/', 1)[-1]}"
        # Else the bytes before a break would be thrown away with the block that they begin; the total is checked below.
        # Packed bytes have no total here, so there the break itself must tell.
        response.raw.enforce_content_length = _is_packed(response)
        with self._part.open("ab") as out:
            for block in response.iter_content(_BLOCK):
                out.write(block)
                n_bytes += len(block)
                self._watch.moved(label, n_bytes, total)
        if total is not None and n_bytes < total:
            raise _Dropped(f"connection dropped at byte {n_bytes:,} of {total:,}")
        if total is not None and n_bytes > total:
            self._discard()
            raise _Dropped(f"the server sent {n_bytes:,} bytes where it had said {total:,}")

    def _refuse(self, response: requests.Response, url: str) -> None:
        status = response.status_code
        if status in (408, 429) or status >= 500:
            raise _Dropped(f"the server answered {status} {response.reason}")
        if status >= 400 and status != 416:
            hint = "; the address may have moved: see the data set's home page, or name a mirror with --from"
            raise DownloadError(url, f"the server answered {status} {response.reason}{hint}")

    def _continues(self, response: requests.Response, note: _Note, n_bytes: int) -> bool:
        """Return whether the answer is the rest of exactly what was kept."""
        if response.status_code != 206:
            return False
        place = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
        if not place or int(place[1]) != n_bytes:
            return False
        same_total = note.total is None or place[2] == "*" or int(place[2]) == note.total
        # Some servers send a range without a look at If-Range; what they say of the content still tells.
        return same_total and _validator(response) in ("", note.validator)

    def _why_anew(self, resuming: bool) -> str:
        if resuming:
            return "the file changed on the server, or the server cannot send a part of it"
        return "what was kept is of another address, or the server names no version of it"

    def _note(self) -> _Note | None:
        try:
            return _Note(**json.loads(self._note_file.read_bytes()))
        except (FileNotFoundError, ValueError, TypeError):
            # Without a readable note the bytes are of unknown origin, so they are not gone on with.
            return None

    def _write_note(self, note: _Note) -> None:
        self._note_file.write_text(json.dumps(asdict(note), sort_keys=True) + "\n", encoding="utf-8")

    def _discard(self) -> None:
        self._part.unlink(missing_ok=True)
        self._note_file.unlink(missing_ok=True)


def _is_unresolved(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, socket.gaierror):
        error = error.__cause__ or error.__context__
    return error is not None


def _is_packed(response: requests.Response) -> bool:
    return response.headers.get("Content-Encoding", "identity") != "identity"


def _length(response: requests.Response) -> int | None:
    """Return how many bytes come, or None if that is not said, or said of packed bytes."""
    length = response.headers.get("Content-Length", "")
    return int(length) if length.isdecimal() and not _is_packed(response) else None


def _validator(response: requests.Response) -> str:
    """Return the strong entity tag, else the date of change, else nothing."""
    if _is_packed(response):
        return ""
    tag: str = response.headers.get("ETag", "")
    if tag and not tag.startswith("W/"):
        return tag
    date: str = response.headers.get("Last-Modified", "")
    return date
