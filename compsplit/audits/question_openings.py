"""Question openings: how often the questions of each part begin with the same one to four words.

Source: Agrawal et al. 2017, arXiv 1704.08243, figure 2, a sunburst of the first four words of 60,000 random questions.
An opening is what the column "first four words" has: lower-cased, divided at white space, outer punctuation off. A
question counts for each of its prefixes; one of two words has two of them. The table's first row is the prefix of no
words, which begins every question that was counted. Prefixes that begin less than 0.5 % of the questions of every part
are left out of the table and counted in its total. Total variation is over all openings, those left out as well, and
exact for the questions that were counted: all of a part, or the sample where one was drawn; see ``shares``. Cost:
O(rows), O(words of distinct openings); a sample hashes the ids of each part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.audits.parts import held, references
from compsplit.audits.shares import total_variation
from compsplit.errors import OptionValueError, counted
from compsplit.model.column import Texts
from compsplit.model.report import Audited, Finding, Table
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.order import name_hashes, seeded_order
from compsplit.registry import register

_OPENING = "first four words"
_WORDS = 4
_TOLD = ("first word", "first two words", "first three words")
"""Openings that distances are measured in; those of four words are measured with the question types."""

_SEED = 0
_LEAST = 200
"""A prefix is shown if it begins one of so many questions of some part, or more: 0.5 %."""


@register(
    "audit", "question-openings", source="Agrawal et al. 2017, arXiv 1704.08243, figure 2", unit="fraction",
    bounds=(0, 1), better="",
)  # fmt: skip
def question_openings(rows: Rows, split: Split, *, most_questions: int | None = None) -> Audited:
    """Openings of the questions of each part, of one to four words, and how far two parts are apart in them.

    Args:
        rows: Questions.
        split: Their parts.
        most_questions: Take at most so many questions of each part, the first in the seeded order of their ids; all
            where nothing is said.

    Raises:
        OptionValueError: most_questions is less than 1.
    """
    if most_questions is not None and most_questions < 1:
        raise OptionValueError("question-openings.most_questions", most_questions, "a whole number of at least 1")
    column = rows.columns.get(_OPENING)
    if column is None or not len(column.names):
        return Audited()
    asked = {part: split.rows_in(part) & (column.codes >= 0) for part in split.parts}
    taken = asked if most_questions is None else {p: _taken(rows.ids, m, most_questions) for p, m in asked.items()}
    counts = {part: held(column, marked) for part, marked in taken.items()}
    used = np.flatnonzero(np.sum(list(counts.values()), axis=0))
    prefixes = Prefixes.of([column.names[code] for code in used.tolist()])
    by_opening = {part: each[used] for part, each in counts.items()}
    options = {} if most_questions is None else {"most_questions": most_questions}
    measures = []
    for depth, told in enumerate(_TOLD):
        begun = {part: prefixes.ends(depth, each) for part, each in by_opening.items()}
        measures += [
            total_variation(
                begun[reference], begun[part], told, reference, part, counted="questions of", options=options
            )
            for reference, part in references(split)
        ]
    findings = (*_sampled(asked, taken), *_wordless(prefixes, by_opening))
    return Audited(tuple(measures), {"openings of questions": _table(prefixes, by_opening)}, findings)


@dataclass(frozen=True, slots=True, eq=False)
class Prefixes:
    """All prefixes of openings.

    Attributes:
        words: The words of each prefix, 1 to 4.
        of_opening: The prefix of each length that an opening begins with, -1 where it has fewer words; shape
            (n_openings, 4).
    """

    words: Sequence[tuple[str, ...]]
    of_opening: NDArray[np.int32]

    @classmethod
    def of(cls, openings: Sequence[str]) -> Prefixes:
        """Return the prefixes of different openings, each words with one space between."""
        numbers: dict[tuple[str, ...], int] = {}
        of_opening = np.full((len(openings), _WORDS), -1, dtype=np.int32)
        for place, opening in enumerate(openings):
            words = tuple(opening.split(" ")) if opening else ()
            for depth in range(len(words)):
                of_opening[place, depth] = numbers.setdefault(words[: depth + 1], len(numbers))
        return cls(tuple(numbers), of_opening)

    def begun(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many questions begin with each prefix, from how many have each opening; shape (n_prefixes,)."""
        sums = np.zeros(len(self.words), dtype=np.int64)
        for prefix in self.of_opening.T:
            there = prefix >= 0
            np.add.at(sums, prefix[there], counts[there])
        return sums

    def ends(self, depth: int, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many questions have each prefix of at most depth + 1 words as their longest, and how many none."""
        # A prefix is numbered before those that go on from it, and -1 is the last place.
        longest = self.of_opening[:, : depth + 1].max(axis=1, initial=-1)
        sums = np.zeros(len(self.words) + 1, dtype=np.int64)
        np.add.at(sums, longest, counts)
        return sums


def _taken(ids: Texts, marked: NDArray[np.bool_], most: int) -> NDArray[np.bool_]:
    """Return at most so many of the marked rows, the first in the seeded order of their ids."""
    there = np.flatnonzero(marked)
    if len(there) <= most:
        return marked
    names = ids[there].tolist()
    taken = np.zeros(len(marked), dtype=bool)
    taken[there[seeded_order(name_hashes(names, len(names)), _SEED, names)[:most]]] = True
    return taken


def _table(prefixes: Prefixes, by_opening: Mapping[str, NDArray[np.int64]]) -> Table:
    begun = {part: prefixes.begun(each) for part, each in by_opening.items()}
    shown = np.zeros(len(prefixes.words), dtype=bool)
    for part, each in begun.items():
        shown |= (each > 0) & (each * _LEAST >= by_opening[part].sum())
    whole = np.sum(list(begun.values()), axis=0)
    kept = np.flatnonzero(shown).tolist()
    words = prefixes.words
    # What is kept has its parent kept, which begins as many questions at least.
    often = {words[code]: -int(whole[code]) for code in kept}

    def place(code: int) -> list[tuple[int, str]]:
        return [(often[words[code][: depth + 1]], word) for depth, word in enumerate(words[code])]

    lines = [(*("",) * _WORDS, *(int(each.sum()) for each in by_opening.values()))]
    lines += [
        (*words[code], *("",) * (_WORDS - len(words[code])), *(int(each[code]) for each in begun.values()))
        for code in sorted(kept, key=place)
    ]
    columns = (*(f"word {depth + 1}" for depth in range(_WORDS)), *by_opening)
    return Table.first_of(columns, lines, len(lines), total=1 + len(words))


def _sampled(asked: Mapping[str, NDArray[Any]], taken: Mapping[str, NDArray[Any]]) -> tuple[Finding, ...]:
    """Return a finding of how many questions were taken of each part, where not all were."""
    sizes = [(part, int(taken[part].sum()), int(asked[part].sum())) for part in asked]
    if all(n == of for _, n, of in sizes):
        return ()
    told = ", ".join(f"{n:,} of {of:,} of {part}" for part, n, of in sizes)
    return (
        Finding(
            kind="sampled-questions",
            count=sum(n for _, n, _ in sizes),
            first=tuple(sizes),
            message=f"Openings are counted of a random sample of questions, in the seeded order of their ids: {told}.",
        ),
    )


def _wordless(prefixes: Prefixes, by_opening: Mapping[str, NDArray[np.int64]]) -> tuple[Finding, ...]:
    """Return a finding of questions that hold no word, and so begin with none."""
    n = sum(int(each[prefixes.of_opening[:, 0] < 0].sum()) for each in by_opening.values())
    if not n:
        return ()
    return (
        Finding(
            kind="questions-without-words",
            count=n,
            message=f"{counted(n, 'question holds', 'questions hold')} no word, and so the openings lack "
            f"{'it' if n == 1 else 'them'}.",
        ),
    )
