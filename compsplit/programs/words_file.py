"""What a user's file adds to the tables of words, checked by itself; ``docs/programs.md`` says what it may hold.

A relation has one converse and one opposite, and is symmetric or has a converse; classes are above each other in no
circle. Cost: O(words of the file).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from compsplit.errors import BrokenFileError, UsageError, nearest


class WordsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The members of such a file.

    Attributes:
        kinds: Kind of attribute -> values of it.
        classes: Class -> names below it.
        converses: Pairs of relations: X r Y is Y r' X.
        opposites: Pairs of relations: X r Y excludes X s Y.
        symmetric: Relations that are their own converse.
        spatial: Relations that say where a thing is.
        exclusive: Kinds of which a thing has one value.
    """

    kinds: dict[str, list[str]] = {}
    classes: dict[str, list[str]] = {}
    converses: list[tuple[str, str]] = []
    opposites: list[tuple[str, str]] = []
    symmetric: list[str] = []
    spatial: list[str] = []
    exclusive: list[str] = []

    @property
    def class_pairs(self) -> list[tuple[str, str]]:
        """All (name, class above it)."""
        return [(name, above) for above, names in self.classes.items() for name in names]


def words_file(content: str | bytes, file: str) -> WordsFile:
    """Return what a file holds.

    Raises:
        BrokenFileError: It is no such object.
        UsageError: Its members do not fit together, or it has one that there is not.
    """
    try:
        raw = msgspec.json.decode(content)
        if isinstance(raw, dict):
            for name in raw:
                if name not in WordsFile.__struct_fields__:
                    known = nearest(name, WordsFile.__struct_fields__)
                    raise wrong_words(file, f'a vocabulary has no member "{name}". {known}', name)
        given = msgspec.convert(raw, WordsFile)
    except msgspec.MsgspecError as error:
        raise BrokenFileError(file, f"is no vocabulary: {error}") from error
    for member, pairs in (("converses", given.converses), ("opposites", given.opposites)):
        _one_each(file, member, pairs)
    for relation, other in given.converses:
        if relation == other:
            raise wrong_words(
                file, f'"{relation}" is given as its own converse; put it under symmetric instead.', "converses"
            )
    of_pairs = {relation: pair for pair in given.converses for relation in pair}
    for relation in given.symmetric:
        if relation in of_pairs:
            pair = " and ".join(f'"{each}"' for each in of_pairs[relation])
            raise wrong_words(
                file, f'"{relation}" is symmetric, and {pair} are converses; only one of both can be.', "symmetric"
            )
    return given


def wrong_words(file: str, what: str, member: str) -> UsageError:
    """Return the error for words of a file that cannot be so."""
    return UsageError(f"{file}: {what}", file=file, field=member)


def check_circles(file: str, pairs: Iterable[tuple[str, str]], known: Iterable[tuple[str, str]]) -> None:
    """Raise if a name is put below itself.

    Args:
        file: The file.
        pairs: (name, class above it), as the file has them.
        known: The same of our own tables.

    Raises:
        UsageError: It is, by the file alone or with our own tables.
    """
    above: dict[str, list[str]] = {}
    for name, upper in (*known, *pairs):
        above.setdefault(name, []).append(upper)
    for name, upper in pairs:
        way = _way(upper, name, above)
        if way:
            circle = " is below ".join(f'"{each}"' for each in (name, *way))
            raise wrong_words(file, f"classes go in a circle: {circle}. Take one of them out.", "classes")


def _way(start: str, end: str, above: dict[str, list[str]]) -> list[str]:
    """Return the names from one up to another, both with it; none where no way leads there."""
    came: dict[str, str | None] = {start: None}
    waiting = [start]
    while waiting:
        name = waiting.pop(0)
        if name == end:
            way: list[str] = []
            at: str | None = name
            while at is not None:
                way.append(at)
                at = came[at]
            return way[::-1]
        for upper in above.get(name, ()):
            if upper not in came:
                came[upper] = name
                waiting.append(upper)
    return []


def _one_each(file: str, member: str, pairs: Sequence[tuple[str, str]]) -> None:
    other_of: dict[str, str] = {}
    for pair in pairs:
        for relation, other in (pair, pair[::-1]):
            known = other_of.setdefault(relation, other)
            if known != other:
                raise wrong_words(
                    file, f'"{relation}" has two {member}, "{known}" and "{other}"; it can have one.', member
                )
