"""Questions that follow from questions: derived image by image, and held against the data and the scene graphs.

Each conclusion is looked for among the questions about its image (by canonical program), answered by the interpreter on
the scene graph where there is one, and looked for in the list ``entailed`` of its question, where that is there. A
question lists others by id; its own id and equivalents do not count, nor do questions that are not in the data, and a
question that lists no other one of the data says nothing on what it leaves out. Cost: some 2 to 4 ms a question, by its
conclusions; the scene and the questions of one image are held at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.describing.answering import learnt_classes
from compsplit.describing.program_facts import parsed, program_column
from compsplit.errors import OptionValueError, UnknownNameError, counted
from compsplit.model.report import Finding, Measure, Report, Table, Undefined, ratio
from compsplit.model.table import QATable
from compsplit.programs.entailment import LIMIT, Conclusion, Entailed, context_of, entailed, same_answer
from compsplit.programs.entailment_rules import NAMES
from compsplit.programs.gqa_interpreter import GqaInterpreter
from compsplit.programs.question_texts import question_text
from compsplit.programs.scene import graph_of
from compsplit.programs.surroundings import Surroundings
from compsplit.programs.tree import Node, is_clevr, program_of, shared, tree_of
from compsplit.programs.vocabulary import Vocabulary
from compsplit.recipe.reporting import decided, left_out_told
from compsplit.recipe.running import Watch, no_watch
from compsplit.recipe.scene_join import SceneJoin

MODES = ("match", "generate")
COLUMNS = (
    "id", "image", "path", "question", "answer", "program", "canonical_program", "existing_ids", "answer_in_data",
    "answer_by_scene",
)  # fmt: skip
"""What is written of each derived question."""
_FIRST = 5
_REASONS = 20
_BY_RULE = {
    "by rule": ("derived", "distinct", "in the data", "same answer", "other answer"),
    "by rule on scene graphs": ("agree", "disagree", "premise too", "undefined"),
    "by rule in lists": ("of questions that list", "listed"),
}
"""What is counted of each rule, by table."""

Line = tuple[Any, ...]
Write = Callable[[Sequence[Line]], None]


@dataclass(frozen=True, slots=True)
class Entailing:
    """What is asked for.

    Attributes:
        mode: ``"match"`` lists questions of the data, ``"generate"`` makes questions.
        limit: Conclusions of one question at most.
        closed: Kinds of attributes with two values of which a thing always has one.
    """

    mode: str = "match"
    limit: int = LIMIT
    closed: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise OptionValueError("entailed", self.mode, "match or generate")
        if self.limit < 1:
            raise OptionValueError("limit", self.limit, "a whole number from 1 up")

    def check_closed(self, words: Vocabulary) -> None:
        """Raise if a closed kind is none that has two values.

        Raises:
            UnknownNameError: No table has the kind.
            OptionValueError: It has more or fewer values.
        """
        two = sorted(kind for kind, values in words.kinds.items() if len(values) == 2)
        for kind in sorted(self.closed - set(two)):
            if kind not in words.kinds:
                raise UnknownNameError("kind of attributes", kind, words.kinds)
            n = counted(len(words.kinds[kind]), "value")
            raise OptionValueError("closed", kind, f"a kind of two values ({', '.join(two)}); {kind} has {n}")


def derive_questions(
    table: QATable,
    join: SceneJoin | None,
    words: Vocabulary,
    asked: Entailing,
    *,
    write: Write | None = None,
    watch: Watch = no_watch,
) -> Report:
    """Derive questions from all questions with a program and an answer, and report on the rules.

    Args:
        table: Questions with programs.
        join: Their scenes, of those that have one; None without scenes.
        words: Kinds, classes and converses; what scenes show of classes is added.
        asked: Which questions are listed.
        write: Takes the lines of ``COLUMNS`` of each image, images ordered by their ids, lines by question id.
        watch: Told each stage.

    Raises:
        UsageError: No question has a program.
        UnknownNameError, OptionValueError: A closed kind is none that has two values.
    """
    asked.check_closed(words)
    watch("deriving questions")
    if join is not None:
        words, _ = learnt_classes(join, words)
    names = () if join is None else join.scenes.classes.names
    counts = _Counts()
    work = _Work(table, join, asked, GqaInterpreter.of(names, words), counts)
    for image in work.images():
        lines = [line for row in image.rows for line in _lines_of(image, row, counts, write is not None)]
        if write is not None:
            write(lines)
        counts.end_image()
    return _report(table, join, asked, counts)


@dataclass(eq=False)
class _Counts:
    """What is counted over all images."""

    by_rule: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in NAMES})
    reasons: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    premises: int = 0
    fruitful: int = 0
    limited: int = 0
    listing: int = 0
    targets: int = 0
    targets_derived: int = 0
    targets_elsewhere: int = 0
    no_text: int = 0
    disagreements: list[tuple[str, ...]] = field(default_factory=list)
    others: list[tuple[str, ...]] = field(default_factory=list)
    conflicts: list[tuple[str, ...]] = field(default_factory=list)
    _met: dict[str, set[str]] = field(default_factory=dict)

    def met(self, rule: str, text: str) -> None:
        """Note a program that a rule derived for the image."""
        self._met.setdefault(rule, set()).add(text)

    def end_image(self) -> None:
        """Count the different programs of the image."""
        for rule, texts in self._met.items():
            self.by_rule[rule]["distinct"] += len(texts)
        self._met = {}

    def total(self, kind: str) -> int:
        """Return a count over all rules."""
        return sum(counts[kind] for counts in self.by_rule.values())


@dataclass(eq=False)
class _Image:
    """One image, with its questions in the order of their ids."""

    table: QATable
    asked: Entailing
    known: Surroundings
    rows: Sequence[int]
    nodes: Mapping[int, Node]
    _answers: dict[str, str | Undefined] = field(default_factory=dict)

    @cached_property
    def rows_of(self) -> Mapping[str, Sequence[int]]:
        """The rows of each canonical program."""
        found: dict[str, list[int]] = {}
        for row in self.rows:
            found.setdefault(self.known.text(self.nodes[row]), []).append(row)
        return found

    def follows(self, row: int) -> Entailed:
        """Return what follows from a row."""
        existing = self.rows_of.keys() if self.asked.mode == "match" else None
        answer = str(self.table.answers[row])
        return entailed(self.nodes[row], answer, self.known, limit=self.asked.limit, existing=existing)

    def by_scene(self, node: Node) -> str | Undefined:
        """Return the answer of the scene graph."""
        text = self.known.text(node)
        if text not in self._answers:
            self._answers[text] = self.known.answer(node)
        return self._answers[text]

    def agrees(self, node: Node, answer: str) -> bool | None:
        """Return whether the scene graph gives an answer, None where it gives none."""
        found = self.by_scene(node)
        return None if isinstance(found, Undefined) else same_answer(found, answer)


class _Work:
    """The questions of a table, image by image."""

    def __init__(
        self, table: QATable, join: SceneJoin | None, asked: Entailing, interpreter: GqaInterpreter, counts: _Counts
    ) -> None:
        self._table = table
        self._join = join
        self._asked = asked
        self._interpreter = interpreter
        self._counts = counts
        self._programs = program_column(table)
        self._scene = np.full(len(table), -1, dtype=np.int64)
        if join is not None:
            self._scene[join.kept] = join.scene_of_row

    def images(self) -> Iterator[_Image]:
        """Yield the images that questions can be derived about, in the order of their ids."""
        images = self._table.images
        order = np.argsort(images.codes, kind="stable")
        codes, first = np.unique(images.codes[order], return_index=True)
        groups = dict(zip(codes.tolist(), np.split(order, first[1:]), strict=True))
        without = groups.pop(-1, None)
        if without is not None:
            self._counts.left_out["no image"] += len(without)
        for code in sorted(groups, key=images.names.__getitem__):
            image = self._image(groups[code])
            if image.rows:
                yield image

    def _image(self, rows: NDArray[np.int64]) -> _Image:
        table, counts = self._table, self._counts
        nodes: dict[int, Node] = {}
        for row in rows.tolist():
            written = self._programs[row]
            tree = None if written is None else tree_of(parsed(written))
            if not isinstance(tree, Node):
                counts.left_out["no program" if tree is None else tree.reason] += 1
            elif is_clevr(tree):
                counts.left_out["CLEVR's dialect, which the rules do not speak of"] += 1
            elif table.answers[row] is None:
                counts.left_out["no answer"] += 1
            else:
                nodes[row] = tree
        place = int(self._scene[rows[0]])
        scene = graph_of(self._join.scenes, place) if self._join is not None and place >= 0 else None
        # By what they are, not by where they stand: nothing may depend on the order of rows.
        asked = {program_of(shared(node)).written: node for node in nodes.values()}
        known = Surroundings(
            self._interpreter,
            self._asked.mode == "generate",
            scene,
            tuple(asked[each] for each in sorted(asked)),
            self._asked.closed,
        )
        return _Image(table, self._asked, known, sorted(nodes, key=lambda row: str(table.ids[row])), nodes)


def _lines_of(image: _Image, row: int, counts: _Counts, wanted: bool) -> Iterator[Line]:
    """Count what follows from one question, and yield its lines if they are wanted."""
    name = str(image.table.ids[row])
    found = image.follows(row)
    counts.premises += 1
    counts.fruitful += bool(found.conclusions)
    counts.limited += found.limited
    for conflict in found.conflicts:
        paths = (" > ".join(path) or "the question itself" for path in conflict.paths)
        counts.conflicts.append((name, conflict.text, *conflict.answers, *paths))
    listed = _listed(image, row, counts)
    if listed:
        counts.targets_derived += len(listed & {each.text for each in found.conclusions})
    premise = image.agrees(image.nodes[row], str(image.table.answers[row]))
    context = context_of(image.nodes[row], image.known)
    for each in found.conclusions:
        _count(image, name, each, counts, premise_agrees=premise, listed=listed)
        if wanted:
            rows = image.rows_of.get(each.text, ())
            text: str | Undefined
            if image.asked.mode == "match":
                text = str(image.table.questions[rows[0]])
            else:
                text = question_text(each.node, context.is_definite)
            counts.no_text += isinstance(text, Undefined)
            by_scene = image.by_scene(each.node)
            yield (
                name,
                image.table.images[row],
                " > ".join(each.path),
                None if isinstance(text, Undefined) else text,
                each.answer,
                program_of(shared(each.node)).written,
                each.text,
                " ".join(str(image.table.ids[one]) for one in rows) or None,
                image.table.answers[rows[0]] if rows else None,
                None if isinstance(by_scene, Undefined) else by_scene,
            )


def _listed(image: _Image, row: int, counts: _Counts) -> frozenset[str]:
    """Return the canonical programs of the questions of the data that a question lists as entailed."""
    lists = image.table.lists.get("entailed")
    if lists is None:
        return frozenset()
    here = {str(image.table.ids[each]): each for each in image.rows}
    own = image.known.text(image.nodes[row])
    named = {str(each) for each in lists.of_row(row)}
    texts = {image.known.text(image.nodes[here[each]]) for each in named if each in here} - {own}
    counts.targets_elsewhere += sum(each not in here for each in named)
    counts.targets += len(texts)
    counts.listing += bool(texts)
    return frozenset(texts)


def _count(
    image: _Image,
    name: str,
    found: Conclusion,
    counts: _Counts,
    *,
    premise_agrees: bool | None,
    listed: frozenset[str],
) -> None:
    """Count one conclusion for its last rule."""
    rule, table = counts.by_rule[found.rule], image.table
    rule["derived"] += 1
    counts.met(found.rule, found.text)
    path = " > ".join(found.path)
    rows = image.rows_of.get(found.text, ())
    if rows:
        rule["in the data"] += 1
        others = [row for row in rows if not same_answer(str(table.answers[row]), found.answer)]
        rule["other answer" if others else "same answer"] += 1
        if others:
            row = others[0]
            counts.others.append((name, path, found.answer, str(table.ids[row]), str(table.answers[row])))
        if listed:
            rule["of questions that list"] += 1
            rule["listed"] += found.text in listed
    agrees = image.agrees(found.node, found.answer)
    if agrees is None:
        rule["undefined"] += 1
        by_scene = image.by_scene(found.node)
        counts.reasons[by_scene.reason if isinstance(by_scene, Undefined) else ""] += 1
    elif agrees:
        rule["agree"] += 1
    else:
        rule["disagree"] += 1
        rule["premise too"] += premise_agrees is False
        counts.disagreements.append((name, path, found.text, found.answer, str(image.by_scene(found.node))))


def _report(table: QATable, join: SceneJoin | None, asked: Entailing, counts: _Counts) -> Report:
    measures = _measures(counts)
    tables = {
        name: Table(("rule", *kinds), tuple((rule, *(n[kind] for kind in kinds)) for rule, n in counts.by_rule.items()))
        for name, kinds in _BY_RULE.items()
        if name == "by rule" or any(counts.total(kind) for kind in kinds)
    }
    if join is None:
        tables.pop("by rule on scene graphs", None)
    if join is not None and counts.reasons:
        reasons = sorted(counts.reasons.items(), key=lambda entry: (-entry[1], entry[0]))
        tables["undefined on the scene graph"] = Table.first_of(("reason", "derived questions"), reasons, _REASONS)
    if counts.left_out:
        tables["nothing derived from"] = Table(("reason", "questions"), tuple(sorted(counts.left_out.items())))
    subject = {
        "kind": "entailed questions",
        "format": table.format,
        "rows": len(table),
        "mode": asked.mode,
        "limit": asked.limit,
        "closed kinds": sorted(asked.closed),
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "shown tables": list(tables),
        "verdict": _verdict(table, join, asked, counts),
    }
    findings = (*table.findings, *decided(table), *(() if join is None else join.findings), *_findings(counts))
    return Report(subject, tuple(measures), tables, findings)


def _measures(counts: _Counts) -> list[Measure]:
    premises = "questions with a program and an answer"
    total = counts.total
    agree, disagree = total("agree"), total("disagree")
    same, existing = total("same answer"), total("in the data")
    none = "no question lists another one of the data as entailed, or the lists were not read"
    found = [
        Measure(name=name, of=of, value=n, n=n, n_unit=of, unit="count")
        for name, n, of in (
            ("premises", counts.premises, premises),
            ("fruitful-premises", counts.fruitful, "questions from which another one follows"),
            ("derived-questions", total("derived"), "derived questions, once a premise"),
            ("limited-premises", counts.limited, "questions at which the limit was reached"),
            ("conflicts", len(counts.conflicts), "derived programs with two answers"),
        )
    ]
    for name, of, value, n, reason in (
        ("scene-agreement", "answers of derived questions on scene graphs", agree, agree + disagree, "none has one"),
        ("data-agreement", "answers of derived questions in the data", same, existing, "none is in the data"),
        ("listed-derived", "listed questions", counts.targets_derived, counts.targets, none),
        ("derived-listed", "derived questions of the data", total("listed"), total("of questions that list"), none),
    ):
        found.append(Measure(name=name, of=of, value=ratio(value, n, reason), n=n, n_unit=of, unit="fraction"))
    return found


def _verdict(table: QATable, join: SceneJoin | None, asked: Entailing, counts: _Counts) -> str:
    made = "that the data have" if asked.mode == "match" else "made"
    said = (
        f"{counted(counts.total('derived'), 'question')} {made} follow from {counts.fruitful:,} of "
        f"{counted(counts.premises, 'question')}"
    )
    agree, disagree = counts.total("agree"), counts.total("disagree")
    if join is None:
        said += "; there is no scene graph to answer them on"
    else:
        said += f"; the scene graphs answer {agree + disagree:,} of them, {disagree:,} of these otherwise"
    if counts.targets:
        said += f"; {counts.targets_derived:,} of {counted(counts.targets, 'listed question')} derived"
    return f"{said}; {counted(len(counts.conflicts), 'conflict')}{left_out_told(table)}."


def _findings(counts: _Counts) -> list[Finding]:
    found = []

    def note(kind: str, cases: list[tuple[str, ...]], one: str, many: str, rest: str) -> None:
        if cases:
            message = f"{counted(len(cases), one, many)} {rest}."
            found.append(Finding(kind=kind, count=len(cases), first=tuple(sorted(cases)[:_FIRST]), message=message))

    note(
        "scene-disagrees",
        counts.disagreements,
        "derived answer is",
        "derived answers are",
        "not what the scene graph says (question, rules, program, derived, on the scene graph)",
    )
    note(
        "data-disagree",
        counts.others,
        "derived answer is",
        "derived answers are",
        "not what the data say (question, rules, derived, question of the data, its answer)",
    )
    note(
        "entailment-conflicts",
        counts.conflicts,
        "program has two answers",
        "programs have two answers",
        "by the rules; nothing is derived from such (question, program, answers, rules to each)",
    )
    for kind, n, one, many, rest in (
        (
            "limit-reached",
            counts.limited,
            "question has",
            "questions have",
            "more conclusions than the limit; the nearest are kept",
        ),
        (
            "listed-elsewhere",
            counts.targets_elsewhere,
            "listed entailed question is",
            "listed entailed questions are",
            "not among the questions of the image that have a program and an answer, and do not count",
        ),
        ("no-pattern", counts.no_text, "derived question has", "derived questions have", "no text: no pattern fits"),
    ):
        if n:
            found.append(Finding(kind=kind, count=n, message=f"{counted(n, one, many)} {rest}."))
    return found
