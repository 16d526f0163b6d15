"""Rule-like pieces of SCAN's commands, whose atoms are the words.

Source: Keysers et al. 2020, arXiv 1912.09713, section 5 (SCAN's compounds are what neighbouring grammar rules make
together), on the grammar of Lake and Baroni 2018, arXiv 1711.00350, figure 6. A command is one phrase, or two joined by
"and" or "after"; a phrase is a verb, perhaps with a manner (around, opposite), a direction (left, right) and a count
(twice, thrice). Its pieces: verb + direction, manner + direction, phrase + count, and for each side of a conjunction
phrase + conjunction, with the side it is on. Deviation: the paper takes sub-trees of its rules and weights them; these
are four kinds of them, unweighted. Cost: O(words of distinct commands).
"""

from __future__ import annotations

import re

from compsplit.errors import UsageError
from compsplit.extractors.words import text_column
from compsplit.model.compounds import Compounds, of_texts
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.registry import register

_PHRASE = r"(?:turn|walk|look|run|jump)(?: (?:around|opposite))?(?: (?:left|right))?(?: (?:twice|thrice))?"
_COMMAND = re.compile(rf"(?P<first>{_PHRASE})(?: (?P<conjunction>and|after) (?P<second>{_PHRASE}))?")
_MANNERS, _DIRECTIONS, _COUNTS = ("around", "opposite"), ("left", "right"), ("twice", "thrice")


@register("extractor", "scan-pieces", source="Keysers et al. 2020, arXiv 1912.09713, section 5")
def extract(table: RowTable, rows: Rows) -> Compounds:
    """Take the pieces of SCAN's commands: verb + direction, manner + direction, phrase + count, phrase + conjunction.

    Args:
        table: Commands, as questions.
        rows: The same, prepared.

    Raises:
        UsageError: A question is no command of SCAN.
    """
    column = text_column(table, "question")
    strange = [code for code, name in enumerate(column.names) if not _COMMAND.fullmatch(name)]
    if strange:
        there = (column.codes == strange[0]).nonzero()[0]
        row = f" ({rows.ids[there].min()})" if len(there) else ""
        raise UsageError(
            f'"{column.names[strange[0]]}"{row} is no command of SCAN, which scan-pieces take apart; it and '
            f"{len(strange) - 1:,} more. Expected such as jump around left twice and walk. For other texts extract "
            "word-ngrams.",
            field="question",
        )
    taken = (([(name, made_of) for name, made_of in pieces(name)], name.split()) for name in column.names)
    return of_texts("scan pieces", "piece", column, taken, {"pieces": "of grammar rules"}, atoms_of="command words")


def pieces(command: str) -> list[tuple[str, list[str]]]:
    """Return the pieces of a command, each with the words that it is made of.

    Example:
        >>> [name for name, _ in pieces("jump around left twice and run")]
        ['jump + left', 'around + left', 'jump around left + twice', 'jump around left + and', 'and + run']
    """
    found = _COMMAND.fullmatch(command)
    if found is None:
        raise ValueError(f"no command of SCAN: {command}")
    conjunction = found["conjunction"]
    made: list[list[str]] = []
    for side in ("first", "second"):
        if found[side] is None:
            continue
        words = found[side].split()
        phrase, count = (words[:-1], words[-1]) if words[-1] in _COUNTS else (words, "")
        if phrase[-1] in _DIRECTIONS:
            made.append([phrase[0], phrase[-1]])
            if phrase[1] in _MANNERS:
                made.append([phrase[1], phrase[-1]])
        if count:
            made.append([" ".join(phrase), count])
        if conjunction:
            joined = [" ".join(phrase), conjunction]
            made.append(joined if side == "first" else joined[::-1])
    return [(" + ".join(members), " ".join(members).split()) for members in made]
