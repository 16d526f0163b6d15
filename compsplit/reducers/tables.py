"""The word lists that decide a reduction: our files under ``tables/``, or a stop list of the user's own.

Four layouts, all with comments from ``#`` to the end of the line: words (``axis``), base forms (``man < men``),
replacements (``2 = two``), and families of stop words, opened by a comment ``# name: reason``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from compsplit.errors import FileError, OptionValueError


@cache
def text_of(name: str) -> str:
    """Return the text of one of our tables."""
    return (resources.files("compsplit.reducers") / "tables" / f"{name}.txt").read_text("utf-8")


@cache
def words(name: str) -> frozenset[str]:
    """Return the words of a table with one word a line."""
    return frozenset(_lines(text_of(name)))


@cache
def base_forms(name: str) -> Mapping[str, str]:
    """Return form -> base of a table with lines ``base < form form``."""
    forms: dict[str, str] = {}
    for line in _lines(text_of(name)):
        base, _, written = line.partition(" < ")
        forms.update(dict.fromkeys(written.split(), base))
    return forms


@cache
def replacements(name: str) -> Mapping[str, tuple[str, ...]]:
    """Return written form -> words of a table with lines ``form = word word``."""
    pairs = (line.split(" = ") for line in _lines(text_of(name)))
    return {written: tuple(stands_for.split()) for written, stands_for in pairs}


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        content = line.partition("#")[0].strip()
        if content:
            yield content


@dataclass(frozen=True, slots=True)
class StopList:
    """Stop words by family.

    Attributes:
        families: Family -> its words.
        optional: Families that are kept unless someone asks to drop them.
    """

    families: Mapping[str, frozenset[str]]
    optional: frozenset[str]

    @classmethod
    def read(cls, path: str | None) -> StopList:
        """Read the user's file, or our own where ``path`` is None.

        Words that stand before the first heading are of the family ``words``.

        Raises:
            FileError: The file is not there, or is not UTF-8 text.
        """
        text = text_of("stop_words") if path is None else _user_text(path)
        families: dict[str, set[str]] = {}
        optional = set()
        family = "words"
        for line in text.splitlines():
            if line.startswith("#"):
                name, colon, _ = line[1:].strip().partition(":")
                if colon and " " not in name:
                    family = name.strip("[]")
                    if name.startswith("["):
                        optional.add(family)
                continue
            families.setdefault(family, set()).update(line.partition("#")[0].lower().split())
        listed = {name: frozenset(members) for name, members in families.items() if members}
        return cls(listed, frozenset(optional))

    def dropped(self, keep: Collection[str], drop: Collection[str]) -> frozenset[str]:
        """Return the words to drop when the families ``keep`` stay and the optional families ``drop`` go too.

        Raises:
            OptionValueError: A family that the list does not have.
        """
        kept = self.words(keep, "keep_families")
        names = (set(self.families) - self.optional) | set(drop)
        return self.words(names, "drop_families") - kept

    def words(self, families: Collection[str], option: str) -> frozenset[str]:
        """Return the words of some families; ``option`` is who asked.

        Raises:
            OptionValueError: A family that the list does not have.
        """
        for family in families:
            if family not in self.families:
                raise OptionValueError(option, family, "families among " + ", ".join(sorted(self.families)))
        return frozenset().union(*(self.families[family] for family in families))


def _user_text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise FileError(path, f"the stop list cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise FileError(path, f"the stop list is not UTF-8, first bad byte at offset {error.start}") from error


def checksum(texts: Iterable[str]) -> str:
    """Return the SHA-256 of texts, each told from the next, in hexadecimal digits."""
    digest = hashlib.sha256()
    for text in texts:
        content = text.encode("utf-8")
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()
