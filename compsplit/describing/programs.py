"""Describe the programs of questions: types, steps, labels and equivalents, each beside what the data say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.describing.answering import ProgramAnswers, answered_programs
from compsplit.describing.program_facts import NONE, ProgramFacts, program_facts
from compsplit.errors import counted
from compsplit.model.column import Column, crossed
from compsplit.model.report import Finding, Measure, Report, Table, Undefined, failures_first, ratio
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.programs.labels import RULES
from compsplit.programs.types import LOGICAL_MEANS, NOT_OF_GQA, SEMANTIC, STRUCTURAL
from compsplit.programs.vocabulary import Vocabulary, common_words
from compsplit.recipe.reporting import decided, left_out_told
from compsplit.recipe.running import Watch, no_watch
from compsplit.recipe.scene_join import SceneJoin, join_scenes

_FIRST = 5
_PUBLISHED_TYPES = {
    "verify": 22, "query": 53, "choose": 12, "logical": 10, "compare": 3,
    "obj": 11, "attr": 28, "cat": 6, "rel": 52, "global": 3,
}  # fmt: skip
"""Per cent of GQA's questions, Hudson and Manning 2019, arXiv 1902.09506, figure 6."""
_PUBLISHED_STEPS = {1: 6, 2: 42, 3: 44}
_COMPOSITIONAL, _MANY_STEPS, _PUBLISHED_MANY = 3, 4, 8
_ROWS = "rows with a program"


@dataclass(frozen=True, slots=True, eq=False)
class DescribedPrograms:
    """Questions, what their programs say, and the report of it.

    Attributes:
        table: The questions.
        facts: What the programs say.
        answers: What they answer on scenes, for ``join.table``; None without scenes.
        join: Questions and their scenes; None without scenes.
        report: All of it, to be read.
        words: The tables of words that were used.
    """

    table: QATable
    facts: ProgramFacts
    answers: ProgramAnswers | None
    join: SceneJoin | None
    report: Report
    words: Vocabulary

    @property
    def local_labels(self) -> Column:
        """Local labels, with the anchor's own name where its scene is there."""
        return _local_labels(self.table, self.facts, self.answers, self.join)


def described_programs(
    table: QATable,
    scenes: SceneTable | None = None,
    *,
    words: Vocabulary | None = None,
    allow_unjoined: bool = False,
    watch: Watch = no_watch,
) -> DescribedPrograms:
    """Derive everything that programs say, and hold it against what the data say.

    Args:
        table: Questions with programs.
        scenes: Scenes of their images; each program is answered on its scene.
        words: Kinds, classes and converses; our own tables by default.
        allow_unjoined: Whether questions may be about images without a scene; they are not answered, and counted.
        watch: Told each stage.

    Raises:
        UsageError: No question has a program, or questions have no scene.
    """
    words = words or common_words()
    watch("reading programs")
    facts = program_facts(table, words)
    answers, join = None, None
    if scenes is not None:
        watch("answering programs")
        join = join_scenes(table, scenes, allow_unjoined=allow_unjoined)
        answers = answered_programs(join, words)
    watch("comparing")
    report = _report(table, facts, answers, join)
    return DescribedPrograms(table, facts, answers, join, report, words)


def _report(table: QATable, facts: ProgramFacts, answers: ProgramAnswers | None, join: SceneJoin | None) -> Report:
    has = facts.programs.codes >= 0
    compared = _compared(table, facts, _local_labels(table, facts, answers, join))
    equal = _Equivalents(table, facts.canonical)
    measures = [_count(name, n, unit) for name, n, unit in _counts(table, facts, equal)]
    measures += [
        _count(f"no-{each.name.replace(' ', '-')}", each.neither, f"rows with a program, {_neither(each)}")
        for each in compared
        if each.neither
    ]
    measures += [each.measure for each in compared] + equal.measures + _share_measures(facts)
    tables = _tables(table, facts, has) | _compared_tables(compared)
    lines = [(what, reason, n) for what, found in facts.undefined.items() for reason, n in found.items()]
    lines += [(f"{each.name} share", NOT_OF_GQA, int(has.sum())) for each in _shares(facts) if not each.of]
    if lines:
        tables["undefined"] = Table(("what", "reason", "rows"), tuple(lines))
    findings = [*table.findings, *decided(table), *(f for each in compared for f in each.findings), *equal.findings]
    if answers is not None and join is not None:
        both = answers.agree + len(answers.disagree)
        measures.append(_agreement("answer-agreement", "answers by the interpreter", answers.agree, both))
        tables["answers by the interpreter"] = _answer_table(answers)
        findings += [*join.findings, *_answer_findings(answers)]
    by_word = int((facts.local_label.codes >= 0).sum())
    if by_word and not (answers and answers.with_ids):
        findings.append(_words_used(by_word))
    tables["agreement with the data"] = _agreement_table(measures, compared)
    shown = [name for name in _SHOWN if name in tables]
    subject = {
        "kind": "programs",
        "format": table.format,
        "rows": len(table),
        "label rules": RULES,
        "published": "shares of all of GQA" if table.format == "gqa" else "none: GQA's shares are of other data",
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "shown tables": shown,
        "measures in tables": True,
        "verdict": _verdict(table, facts, compared, answers),
    }
    return Report(subject, tuple(measures), tables, failures_first(findings))


_SHOWN = (
    "agreement with the data",
    "structural types",
    "semantic types",
    "steps",
    "shares",
    "mentions",
    "local labels by family",
    "answers by the interpreter",
    "undefined",
)


@dataclass(frozen=True, slots=True, eq=False)
class _Comparison:
    """One thing derived, beside what the data say of it."""

    name: str
    measure: Measure
    findings: tuple[Finding, ...] = ()
    by_family: Table | None = None
    neither: int = 0
    """Rows without it on both sides, which are in no share."""


def _compared(table: QATable, facts: ProgramFacts, local: Column) -> list[_Comparison]:
    has = facts.programs.codes >= 0
    given = table.columns
    return [
        _comparison(table, "structural type", facts.structural, given.get("structural"), has),
        _comparison(table, "semantic type", facts.semantic, given.get("semantic"), has),
        _comparison(table, "local label", local, given.get("group_local"), has, families=True),
        _comparison(table, "global label", facts.global_label, given.get("group_global"), has, none_counts=True),
    ]


def _comparison(
    table: QATable,
    name: str,
    derived: Column,
    given: Column | None,
    has: NDArray[np.bool_],
    *,
    families: bool = False,
    none_counts: bool = False,
) -> _Comparison:
    """Hold a derived column against the data's own.

    Args:
        table: The questions.
        name: What it is.
        derived: What the rules say.
        given: What the data say; None or empty where they say nothing.
        has: Rows with a program; only these are compared.
        families: Whether to count by what stands before the first dash.
        none_counts: Whether "none" is something that one side says against the other; rows of which both say so are
            apart.
    """
    of = f"{name}, derived"
    measure = f"{name.replace(' ', '-')}-agreement"
    if given is None or not given.n_used:
        return _Comparison(name, _agreement(measure, of, 0, 0, f"the data have no {name} of their own"))
    said = given.codes >= 0
    looked = has & (said | (derived.codes >= 0)) if none_counts else has & said
    both = Column.of([*derived.names, *given.names]).codes
    mine = np.append(both[: len(derived.names)], np.int32(-1))[derived.codes]
    theirs = np.append(both[len(derived.names) :], np.int32(-1))[given.codes]
    agree = looked & (mine == theirs)
    differ = np.flatnonzero(looked & ~agree)
    findings: tuple[Finding, ...] = ()
    if len(differ):
        first = sorted((str(table.ids[row]), given[row] or "none", derived[row] or "none") for row in differ.tolist())
        message = (
            f"{counted(len(differ), f'{name} differs', f'{name}s differ')} from the data's own (id, own, derived)."
        )
        kind = f"{name.replace(' ', '-')}-differs"
        findings = (Finding(kind=kind, count=len(differ), first=tuple(first[:_FIRST]), message=message),)
    by_family = None
    if families:
        family = given.mapped(lambda label: label.partition("-")[0])
        n, right = (np.bincount(family.codes[rows], minlength=len(family.names)) for rows in (looked, agree))
        lines = sorted(zip(family.names, n.tolist(), right.tolist(), strict=True))
        by_family = Table(("family", "rows", "agree"), tuple(line for line in lines if line[1]))
    value = _agreement(measure, of, int(agree.sum()), int(looked.sum()), f"no question has a {name} of its own")
    return _Comparison(name, value, findings, by_family, int((has & ~looked).sum()) if none_counts else 0)


def _agreement(name: str, of: str, agree: int, n: int, reason: str = "no question is answered by both") -> Measure:
    return Measure(name=name, of=of, value=ratio(agree, n, reason), n=n, n_unit="rows", unit="fraction")


def _neither(each: _Comparison) -> str:
    return f"no {each.name} on both sides"


def _agreement_table(measures: Sequence[Measure], compared: Sequence[_Comparison]) -> Table:
    """Return what was derived and what the data say, side by side; none where one of them says nothing."""
    lines: list[tuple[Any, ...]] = [
        (each.of, None if isinstance(each.value, Undefined) else round(each.value * each.n), each.n, each.number)
        for each in measures
        if each.unit == "fraction" and not each.name.endswith("-share")
    ]
    lines += [(_neither(each), each.neither, None, None) for each in compared if each.neither]
    return Table(("what", "agree", "of", "share"), tuple(lines))


def _compared_tables(compared: Sequence[_Comparison]) -> dict[str, Table]:
    return {f"{each.name}s by family": each.by_family for each in compared if each.by_family is not None}


class _Equivalents:
    """Rows of one image with one canonical program, and what the data list as equivalent."""

    def __init__(self, table: QATable, canonical: Column) -> None:
        self._table = table
        self._groups = crossed(table.images, canonical).codes
        sizes = np.bincount(self._groups[self._groups >= 0])
        self.n_sets = int((sizes > 1).sum())
        self.n_rows = int(sizes[sizes > 1].sum())
        self.measures: list[Measure] = []
        self.findings: list[Finding] = []
        self.n_conflicts = self._conflicts(len(sizes))
        self._listed(int((sizes * (sizes - 1)).sum()))

    def _conflicts(self, n_groups: int) -> int:
        """Find sets in which answers differ, and return their number."""
        table, groups = self._table, self._groups
        there = np.flatnonzero((groups >= 0) & (table.answers.codes >= 0))
        answers = len(table.answers.names) + 1
        pairs = np.unique(groups[there].astype(np.int64) * answers + table.answers.codes[there]) // answers
        several = np.flatnonzero(np.bincount(pairs, minlength=n_groups) > 1)
        if len(several):
            marked = np.zeros(n_groups, dtype=bool)
            marked[several] = True
            rows = there[marked[groups[there]]]
            first = sorted((str(table.ids[row]), str(table.answers[row])) for row in rows.tolist())[: 2 * _FIRST]
            message = (
                f"{counted(len(several), 'set of equivalent questions has', 'sets of equivalent questions have')} "
                "different answers: the data contradict themselves (id, answer)."
            )
            self.findings.append(
                Finding(kind="conflicting-equivalents", count=len(several), first=tuple(first), message=message)
            )
        return len(several)

    def _listed(self, n_derived: int) -> None:
        """Hold the sets against the data's lists: pairs of different questions that are both in the table."""
        listed = self._table.lists.get("equivalent")
        none = "the data list no equivalent questions, or the lists were not read"
        derivable = found = 0
        if listed is not None and len(listed.values):
            none = "no question lists another one of these as equivalent"
            place = {name: row for row, name in enumerate(self._table.ids.tolist())}
            to = np.array([*(place.get(name, -1) for name in listed.values.names), -1])[listed.values.codes]
            rows = listed.row_of_value
            other = (to >= 0) & (to != rows)
            pairs = np.unique(rows[other] * len(self._table) + to[other])
            one, two = np.divmod(pairs, len(self._table))
            derivable = len(pairs)
            found = int(((self._groups[one] == self._groups[two]) & (self._groups[one] >= 0)).sum())
        self.measures.append(
            _agreement("listed-equivalents-derived", "listed equivalents, ordered pairs", found, derivable, none)
        )
        backward = none if not derivable else "no two questions are equivalent"
        self.measures.append(
            _agreement(
                "derived-equivalents-listed",
                "derived equivalents, ordered pairs",
                found,
                n_derived if derivable else 0,
                backward,
            )
        )


def _count(name: str, value: int, unit: str) -> Measure:
    return Measure(name=name, of=unit, value=value, n=value, n_unit=unit, unit="count")


def _counts(table: QATable, facts: ProgramFacts, equal: _Equivalents) -> list[tuple[str, int, str]]:
    return [
        ("questions", len(table), "rows"),
        ("rows-with-program", int((facts.programs.codes >= 0).sum()), "rows"),
        ("distinct-programs", facts.programs.n_used, "distinct programs"),
        ("canonical-programs", facts.canonical.n_used, "distinct canonical programs"),
        ("equivalent-sets", equal.n_sets, "sets of two and more rows of one image and canonical program"),
        ("rows-in-equivalent-sets", equal.n_rows, "rows"),
        ("conflicting-equivalents", equal.n_conflicts, "sets with different answers"),
        ("local-labels", facts.local_label.n_used, "distinct labels of our rules"),
        ("global-labels", facts.global_label.n_used, "distinct labels of our rules"),
    ]


@dataclass(frozen=True, slots=True)
class _Share:
    """A share of the questions.

    Attributes:
        name: What it is called.
        means: What is counted.
        rows: How many questions are.
        of: How many it is a share of.
        published: What is published of GQA, in per cent.
    """

    name: str
    means: str
    rows: int
    of: int
    published: str


def _shares(facts: ProgramFacts) -> list[_Share]:
    """Return the shares; types and logic are GQA's, and counted over programs in its dialect alone."""
    n, gqa = int((facts.programs.codes >= 0).sum()), int(facts.in_scheme.sum())
    compositional = int((facts.steps_official >= _COMPOSITIONAL).sum())
    comparative = _n_of(facts.structural, "compare")
    relation, logical = _n_of(facts.semantic, "rel", facts.in_scheme), int((facts.logical & facts.in_scheme).sum())
    space = "asked relation in space, or position asked"
    return [
        _Share("compositional", f"{_COMPOSITIONAL} and more steps, official", compositional, n, "52.0"),
        _Share("relation", "semantic type rel", relation, gqa, "51.6"),
        _Share("comparative", "structural type compare", comparative, gqa, "3.0"),
        _Share("logical", LOGICAL_MEANS, logical, gqa, "19.0 (other definition)"),
        _Share("spatial", space, int(facts.spatial.sum()), n, "22.4"),
    ]


def _share_measures(facts: ProgramFacts) -> list[Measure]:
    found = [
        Measure(
            name=f"{each.name}-share",
            of=each.means,
            value=ratio(each.rows, each.of, NOT_OF_GQA),
            n=each.of,
            n_unit=_ROWS,
            unit="fraction",
        )
        for each in _shares(facts)
    ]
    n = int((facts.programs.codes >= 0).sum())
    for name, numbers in (("entities-a-question", facts.entities), ("relations-a-question", facts.relations)):
        value = ratio(int(numbers.sum()), n, "no row has a program")
        found.append(Measure(name=name, of="mentions", value=value, n=n, n_unit=_ROWS, unit="mentions a row"))
    return found


def _n_of(column: Column, name: str, among: NDArray[np.bool_] | None = None) -> int:
    """Return how many rows have a value, among some or all of them."""
    codes = column.codes if among is None else column.codes[among]
    return sum(int((codes == code).sum()) for code, each in enumerate(column.names) if each == name)


def _tables(table: QATable, facts: ProgramFacts, has: NDArray[np.bool_]) -> dict[str, Table]:
    n = int(has.sum())
    gqa = table.format == "gqa"
    tables = {}
    for name, column, order in (
        ("structural types", facts.structural, STRUCTURAL),
        ("semantic types", facts.semantic, SEMANTIC),
    ):
        lines = [
            (each, rows, _percent(rows, n), _PUBLISHED_TYPES[each])
            for each in order
            if (rows := _n_of(column, each)) or gqa
        ]
        tables[name] = _with_published((name[:-1], "rows", "%"), lines, gqa)
    tables["steps"] = _with_published(
        ("steps", "rows, official", "%, official", "rows, all", "%, all"), _step_lines(facts, n, many=gqa), gqa
    )
    shares = [(e.name, e.means, e.rows if e.of else None, _percent(e.rows, e.of), e.published) for e in _shares(facts)]
    tables["mentions"] = Table(
        ("mentions", "all", "a question"),
        tuple(
            (name, int(numbers.sum()), round(int(numbers.sum()) / n, 4) if n else None)
            for name, numbers in (("entities", facts.entities), ("relations", facts.relations))
        ),
    )
    tables["shares"] = _with_published(("share", "means", "rows", "%"), shares, gqa)
    return tables


def _step_lines(facts: ProgramFacts, n: int, *, many: bool) -> list[tuple[Any, ...]]:
    """Return steps and how many questions have them; at the end, if asked for, how many have as many as GQA sums up."""
    counts = [np.bincount(steps[steps > NONE]) for steps in (facts.steps_official, facts.steps_all)]
    lines: list[tuple[Any, ...]] = []
    for steps in range(max(map(len, counts))):
        official, every = (int(each[steps]) if steps < len(each) else 0 for each in counts)
        if official or every:
            told = _PUBLISHED_STEPS.get(steps)
            lines.append((str(steps), official, _percent(official, n), every, _percent(every, n), told))
    if many:
        official, every = (int(each[_MANY_STEPS:].sum()) for each in counts)
        name = f"{_MANY_STEPS} and more, together"
        lines.append((name, official, _percent(official, n), every, _percent(every, n), _PUBLISHED_MANY))
    return lines


def _with_published(columns: tuple[str, ...], lines: Sequence[tuple[Any, ...]], gqa: bool) -> Table:
    """Return a table; its last column, what is published of GQA, stands only beside GQA's questions."""
    if gqa:
        return Table((*columns, "GQA, published %"), tuple(lines))
    return Table(columns, tuple(line[:-1] for line in lines))


def _percent(part: int, whole: int) -> float | None:
    return round(float(100 * Fraction(part, whole)), 2) if whole else None


def _answer_table(answers: ProgramAnswers) -> Table:
    lines = [
        ("agree", answers.agree),
        ("disagree", len(answers.disagree)),
        ("answered, no answer of its own", answers.unanswered),
        *((f"undefined: {reason}", n) for reason, n in answers.undefined.items()),
    ]
    return Table(("outcome", "rows"), tuple(lines))


def _answer_findings(answers: ProgramAnswers) -> list[Finding]:
    findings = []
    n = len(answers.disagree)
    if n:
        message = f"{counted(n, 'program answers', 'programs answer')} other than the data (id, own, by the program)."
        findings.append(Finding(kind="answer-differs", count=n, first=answers.disagree[:_FIRST], message=message))
    if answers.n_learnt:
        said = counted(answers.n_learnt, "class above a name was", "classes above names were")
        message = f"{said} learnt from objects that programs mean, beside those of the tables."
        findings.append(Finding(kind="classes-learnt", count=answers.n_learnt, message=message))
    return findings


def _words_used(n: int) -> Finding:
    message = (
        f"{counted(n, 'local label calls', 'local labels call')} things by the program's word: an object's own name "
        "takes its scene graph, and the ids that programs mean."
    )
    return Finding(kind="labels-from-words", count=n, message=message)


def _local_labels(
    table: QATable, facts: ProgramFacts, answers: ProgramAnswers | None, join: SceneJoin | None
) -> Column:
    """Return local labels, those with the anchor's own name where its scene is there."""
    if answers is None or join is None or not answers.with_ids:
        return facts.local_label
    labels = facts.local_label.values()
    for row, label in zip(np.flatnonzero(join.kept).tolist(), answers.local_label.values(), strict=True):
        labels[row] = label
    return Column.of(labels)


def _verdict(
    table: QATable, facts: ProgramFacts, compared: Sequence[_Comparison], answers: ProgramAnswers | None
) -> str:
    n = int((facts.programs.codes >= 0).sum())
    said = (
        f"{counted(len(table), 'row')} ({table.format}), {n:,} with a program: "
        f"{counted(facts.programs.n_used, 'distinct program')}, {facts.canonical.n_used:,} canonical"
    )
    told = []
    for each in compared:
        value = each.measure.value
        if not isinstance(value, Undefined):
            without = f" ({each.neither:,} without on both sides)" if each.neither else ""
            told.append(f"{each.name} {round(value * each.measure.n):,} of {each.measure.n:,}{without}")
    if told:
        said += f"; derived as the data have it: {', '.join(told)}"
    if answers is not None:
        both = answers.agree + len(answers.disagree)
        undefined = sum(answers.undefined.values())
        said += f"; the interpreter gives {answers.agree:,} of {both:,} answers, {undefined:,} are undefined"
    return f"{said}{left_out_told(table)}."
