"""What follows from a question with its answer: the rules of ``entailment_rules``, again and again to a fixed point.

Source: Hudson and Manning 2019, arXiv 1902.09506, section 3.3: direct rules between programs, then their closure.
Decisions: a conclusion is a canonical program with its answer; the question itself and its equivalents are none. One
program with two answers is a conflict: it is told with both paths, and nothing is derived from it. Rules that join a
conclusion to another question come last, since nothing follows from what they say. Cost: O(conclusions x offered
words); conclusions are worked out nearest first, and a limit ends that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from compsplit.programs.entailment_rules import RULES, Context, Statement, joined
from compsplit.programs.surroundings import Surroundings, references, spoken
from compsplit.programs.tree import Node, is_clevr

LIMIT = 64
"""Conclusions a question, by default."""
_WORKED = 16
"""Conclusions that are worked out for each that may be listed, where only questions of the data are listed."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A question that is answered by another one's answer.

    Attributes:
        node: Its program.
        answer: Its answer.
        text: Its canonical program on one line.
        path: The names of the rules that lead to it, the first one first.
    """

    node: Node
    answer: str
    text: str
    path: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The last rule of the path."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A program that two paths give two answers.

    Attributes:
        text: The canonical program on one line.
        answers: The two answers.
        paths: The rules that led to each; empty for the answer of the question itself.
    """

    text: str
    answers: tuple[str, str]
    paths: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Entailed:
    """All that follows from one question.

    Attributes:
        conclusions: Nearest first.
        conflicts: Programs with two answers; none of them is a conclusion.
        limited: Whether the limit was reached, so that there may be more.
    """

    conclusions: tuple[Conclusion, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    limited: bool = False


def context_of(node: Node, image: Surroundings) -> Context:
    """Return what conclusions from a question may rest on."""
    return Context(image, node, frozenset(image.text(each.node) for each in references(node)))


def same_answer(one: str, other: str) -> bool:
    """Return whether two answers are one; a side may be said in full.

    Example:
        >>> same_answer("left", "to the left of"), same_answer("yes", "no")
        (True, False)
    """
    return one == other or spoken(one) == spoken(other)


def entailed(
    node: Node,
    answer: str,
    image: Surroundings,
    *,
    limit: int = LIMIT,
    existing: Collection[str] | None = None,
) -> Entailed:
    """Return what follows from a question with its answer.

    Args:
        node: The program of the question, in GQA's dialect; nothing follows from CLEVR's, which never says "the".
        answer: Its answer.
        image: What is known of the image.
        limit: Conclusions at most.
        existing: Canonical programs of the image's questions; only they are listed. None lists every conclusion.

    Example:
        >>> from compsplit.programs.gqa_interpreter import GqaInterpreter
        >>> from compsplit.programs.tree import choose, select
        >>> image = Surroundings(GqaInterpreter.of(), asked=(choose(select("apple"), ("green", "red"), "color"),))
        >>> found = entailed(image.asked[0], "red", image)
        >>> [(each.node.operation, each.node.arguments[0], each.answer, each.path) for each in found.conclusions[:2]]
        [('verify color', 'red', 'yes', ('A4',)), ('verify color', 'green', 'no', ('A4',))]
    """
    if is_clevr(node):
        return Entailed()
    found = _Closure(node, answer, image, limit, existing)
    while found.run():
        # A conflict was met: once more, deriving nothing from it.
        continue
    return found.told()


class _Closure:
    """The conclusions of one question, in the order they were met."""

    def __init__(
        self, node: Node, answer: str, image: Surroundings, limit: int, existing: Collection[str] | None
    ) -> None:
        self.image = image
        self.limit = limit
        self.existing = existing
        self.root = Conclusion(node, answer, image.text(node), ())
        self.context = context_of(node, image)
        self.conflicts: dict[str, Conflict] = {}
        self.met: dict[str, Conclusion] = {}
        self.limited = False

    def run(self) -> bool:
        """Work out the conclusions; return whether a conflict was met, so that they are to be worked out again."""
        self.met = {self.root.text: self.root}
        self.limited = False
        if self.root.text in self.conflicts:
            return False
        waiting = deque([self.root])
        most = self.limit if self.existing is None else self.limit * _WORKED
        while waiting:
            from_ = waiting.popleft()
            for rule, said in self._following(from_):
                made = self._add(from_, rule, said, most)
                if made is not None:
                    waiting.append(made)
                if self.limited:
                    return self._again()
        # Made questions join what is nearest to something that is not decided: else there would be as many as pairs.
        nearest = 1 if self.existing is None else len(RULES) * most
        for from_ in [each for each in self.met.values() if len(each.path) <= nearest]:
            for rule, said in joined(Statement(from_.node, from_.answer), self.image):
                if self.existing is None and any(self.image.text(part) in self.met for part in said.node.inputs[1:]):
                    continue
                self._add(from_, rule, said, most)
                if self.limited:
                    return self._again()
        return self._again()

    def told(self) -> Entailed:
        """Return what was found."""
        listed = [each for each in self.met.values() if each is not self.root]
        if self.root.text in self.conflicts:
            listed = []
        if self.existing is not None:
            listed = [each for each in listed if each.text in self.existing]
        limited = self.limited or len(listed) > self.limit
        conflicts = tuple(self.conflicts[text] for text in sorted(self.conflicts))
        return Entailed(tuple(listed[: self.limit]), conflicts, limited)

    def _following(self, from_: Conclusion) -> Iterator[tuple[str, Statement]]:
        for name, rule in RULES:
            for said in rule(Statement(from_.node, from_.answer), self.context):
                yield name, said

    def _again(self) -> bool:
        return any(text in self.met for text in self.conflicts if text != self.root.text) or (
            self.root.text in self.conflicts and len(self.met) > 1
        )

    def _add(self, from_: Conclusion, rule: str, said: Statement, most: int) -> Conclusion | None:
        """Note a conclusion; return it if it is a new one."""
        text = self.image.text(said.node)
        if text in self.conflicts:
            return None
        made = Conclusion(said.node, said.answer, text, (*from_.path, rule))
        known = self.met.get(text)
        if known is None:
            if len(self.met) > most:
                self.limited = True
                return None
            self.met[text] = made
            return made
        if not same_answer(known.answer, made.answer):
            self.conflicts[text] = Conflict(text, (known.answer, made.answer), (known.path, made.path))
        return None
