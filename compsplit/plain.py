"""Text from data as text: what would steer a terminal, turn the reading direction or hide itself is shown escaped."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
_HARMLESS = "\u00ad\u200c\u200d"
"""Soft hyphen and the joiners that Persian, Indic scripts and emoji are written with."""


def plain(value: Any, most: int | None = None) -> str:
    """Return a value as one line of text without control characters, shortened to about ``most`` characters.

    Example:
        >>> plain("red\\x1b[31m\\n")
        'red\\\\x1b[31m\\\\n'
    """
    text = str(value)
    if not text.isascii():
        # File names that the locale could not decode are UTF-8 nearly always.
        text = re.sub("[\udc80-\udcff]+", _decoded, text)
    if most is not None and len(text) > most:
        text = f"{text[:most]}... ({len(text):,} characters)"
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    steers = unicodedata.category(character) in _STEERING or _is_no_character(ord(character))
    if not steers or character in _HARMLESS:
        return character
    return character.encode("unicode_escape").decode()


def _is_no_character(code: int) -> bool:
    """Tell whether Unicode never gives a character this number (and XML and LaTeX take it for broken)."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _decoded(undecoded: re.Match[str]) -> str:
    return undecoded[0].encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def joined(value: Any, most: int = 60) -> str:
    """Return an example as text: an id, or several that belong together, each shortened by itself."""
    return "/".join(plain(one, most) for one in value) if isinstance(value, tuple | list) else plain(value, most)
