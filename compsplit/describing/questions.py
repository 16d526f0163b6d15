"""Describe one data set: what is in it, and what is odd about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from compsplit.errors import counted
from compsplit.model.column import Column, crossed
from compsplit.model.report import Finding, Measure, Report, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.table import QATable
from compsplit.model.words import words
from compsplit.recipe.parsing import Recipe, from_mapping
from compsplit.recipe.reporting import decided, left_out_told
from compsplit.recipe.running import Watch, extracted, no_watch

_SHOWN = 20


def describe_table(table: QATable, *, recipe: Recipe | None = None, watch: Watch = no_watch) -> Report:
    """Return counts, concepts, commonest and rarest, and findings of a table."""
    recipe = recipe or from_mapping("describe", {"title": "Description"})
    watch("reducing")
    rows, described = extracted(recipe, table)
    watch("counting")
    measures = [_count(name, n, unit) for name, n, unit in _counts(table, rows)]
    measures += _shares(table, rows)
    tables = _tables(table, rows)
    findings = (*table.findings, *decided(table), *_findings(table, rows))
    if described is not None:
        tables["groups under other reductions"] = _other_reductions(table, recipe, rows)
    subject = {
        "kind": "description",
        "format": table.format,
        "rows": len(table),
        "reducer": None if described is None else {k: v for k, v in described.items() if k != "tables"},
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "verdict": _verdict(table, rows, findings),
    }
    return Report(subject, tuple(measures), tables, tuple(findings))


def _counts(table: QATable, rows: Rows) -> list[tuple[str, int, str]]:
    counts = [
        ("questions", len(table), "rows"),
        ("images", table.images.n_used, "distinct images"),
        ("answers", int(table.n_answers.sum()), "given answers"),
        ("distinct-questions", table.questions.n_used, "distinct texts as written"),
        ("distinct-answers", table.answers.n_used, "distinct texts as written"),
        ("question-words", _n_words(table.questions), "distinct words of questions"),
        ("rows-without-answer", int((table.answers.codes < 0).sum()), "rows"),
    ]
    if rows.concepts is not None:
        everywhere = rows.concepts.occurrences(np.ones(len(rows), dtype=bool))
        counts += [
            ("reduced-questions", rows.column("question (reduced)").n_used, "distinct reduced questions"),
            ("reduced-answers", rows.column("answer (reduced)").n_used, "distinct reduced answers"),
            ("groups", rows.column("qa (reduced)").n_used, "distinct reduced question-answer pairs"),
            ("concepts", int((everywhere > 0).sum()), "distinct concepts"),
            ("concepts-met-once", int((everywhere == 1).sum()), "distinct concepts"),
            ("blank-questions", int(rows.blank.sum()), "rows whose question reduces to nothing"),
        ]
    return counts


def _n_words(questions: Column) -> int:
    """Return how many words there are: lower-cased, split at white space, outer punctuation off."""
    used = np.flatnonzero(np.bincount(questions.codes + 1, minlength=len(questions.names) + 1)[1:])
    return len({word for code in used.tolist() for word in words(questions.names[code])})


def _count(name: str, value: int, unit: str) -> Measure:
    return Measure(name=name, of=unit, value=value, n=value, n_unit=unit, unit="count")


def _shares(table: QATable, rows: Rows) -> list[Measure]:
    measures = []
    for of in ("question (exact)", "qa (exact)", "qa (reduced)"):
        if of in rows.columns:
            column = rows.columns[of]
            there = int((column.codes >= 0).sum())
            measures.append(
                Measure(
                    name="distinct-share",
                    of=of,
                    value=ratio(column.n_used, there, f"no row has a {of}"),
                    n=there,
                    n_unit="rows",
                    unit="fraction",
                )
            )
    return measures


def _tables(table: QATable, rows: Rows) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    absent = Column.absent(len(table))
    for name, column in (
        ("question types", rows.columns["question_type"]),
        ("answer types", rows.columns["answer_type"]),
        ("structural types", table.columns.get("structural", absent)),
        ("semantic types", table.columns.get("semantic", absent)),
        ("steps", table.columns.get("steps", absent)),
        ("commonest answers", table.answers),
        ("commonest questions", table.questions),
        ("origins", table.origins),
        ("sources", table.sources if table.scoped else absent),
    ):
        counts = np.bincount(column.codes + 1, minlength=len(column.names) + 1)[1:]
        best = _best(counts, column.names, rarest=False)
        if best:
            tables[name] = _first(name, "rows", best, counts)
    if rows.concepts is not None:
        occurrences = rows.concepts.occurrences(np.ones(len(rows), dtype=bool))
        names = rows.concepts.names
        for kind in ("commonest", "rarest"):
            best = _best(occurrences, names, rarest=kind == "rarest")
            tables[f"{kind} concepts"] = _first("concept", "occurrences", best, occurrences)
        groups = rows.column("qa (reduced)")
        sizes = np.bincount(groups.codes[groups.codes >= 0], minlength=len(groups.names))
        best = _best(sizes, groups.names, rarest=False)
        tables["largest groups"] = _first("question | answer", "rows", best, sizes)
    return tables


def _first(name: str, unit: str, best: list[tuple[str, int]], counts: np.ndarray[Any, Any]) -> Table:
    """Return the table of the values that were chosen, with the number of all."""
    return Table.first_of((name, unit), best, _SHOWN, total=int(np.count_nonzero(counts)))


def _best(counts: np.ndarray[Any, Any], names: Sequence[str], *, rarest: bool) -> list[tuple[str, int]]:
    used = np.flatnonzero(counts)
    if not len(used):
        return []
    sign = 1 if rarest else -1
    keys = sign * counts[used]
    cut = np.sort(keys)[:_SHOWN][-1]
    often = used[keys <= cut].tolist()
    return sorted(((names[c], int(counts[c])) for c in often), key=lambda entry: (sign * entry[1], entry[0]))[:_SHOWN]


def _findings(table: QATable, rows: Rows) -> list[Finding]:
    findings = []

    def note(kind: str, marked: np.ndarray[Any, np.dtype[np.bool_]], one: str, many: str, rest: str) -> None:
        if marked.any():
            ids = sorted(table.ids[marked].tolist())
            message = f"{counted(len(ids), one, many)} {rest}"
            findings.append(Finding(kind=kind, count=len(ids), first=tuple(ids[:5]), message=message))

    if table.answers.names:
        note(
            "no-answer",
            table.answers.codes < 0,
            "row has",
            "rows have",
            "no answer; a split of question-answer pairs leaves such rows out.",
        )
    else:
        findings.append(Finding(kind="no-answers", count=len(table), message="No row has an answer."))
    if table.questions.names:
        note("no-question", table.questions.codes < 0, "row has", "rows have", "no question.")
    nothing = "a question that reduces to nothing; each is a group of its own."
    note("blank-question", rows.blank, "row has", "rows have", nothing)
    if table.images.names:
        note("no-image", table.images.codes < 0, "row has", "rows have", "no image.")
    if table.questions.names and table.images.names:
        asked = crossed(table.images, rows.columns["question (normalised)"])
        note("repeated-question", _repeats(asked), "row asks", "rows ask", "an image what another row asks it too.")
        if table.answers.names:
            note(
                "repeated-row",
                _repeats(crossed(table.images, rows.columns["qa (normalised)"])),
                "row repeats",
                "rows repeat",
                "image, question and answer of another row.",
            )
    if table.left_out:
        findings.append(
            Finding(
                kind="left-out",
                count=len(table.left_out),
                first=tuple(sorted(table.left_out)[:5]),
                message=f"{counted(len(table.left_out), 'record is not a row', 'records are not rows')}.",
            )
        )
    return findings


def _repeats(column: Column) -> np.ndarray[Any, np.dtype[np.bool_]]:
    counts = np.bincount(column.codes + 1, minlength=len(column.names) + 1)
    counts[0] = 0
    return np.asarray(counts[column.codes + 1] > 1)


def _other_reductions(table: QATable, recipe: Recipe, rows: Rows) -> Table:
    """Return how many groups each choice of the reducer leaves, and so would merge."""
    stage = recipe.reduce
    asked = {k: stage.options.get(k, stage.plugin.options[k].default) for k in stage.plugin.options}
    written = table.questions.names
    answers = rows.column("answer (reduced)")
    now = rows.column("qa (reduced)").n_used
    choices: list[tuple[str, Mapping[str, Any]]] = [
        (f"{name} = {value}", {name: value})
        for name, value in (
            ("key_order", "auto"),
            ("key_order", "sorted"),
            ("phrases", "remove"),
            ("which_is_what", True),
        )
        if name in asked and asked[name] != value
    ]
    lines: list[tuple[Any, ...]] = [("as asked", now, 0)]
    for told, change in choices:
        reducer = stage.plugin.make(**{**stage.options, **change})
        reduced = table.questions.renamed([" ".join(words) for words in reducer.reduce(written)])
        groups = crossed(reduced, answers).n_used
        lines.append((told, groups, now - groups))
    return Table(("choice", "groups", "groups merged"), tuple(lines))


def _verdict(table: QATable, rows: Rows, findings: Sequence[Finding]) -> str:
    said = counted(len(table), "row")
    if table.images.names:
        said += f" about {counted(table.images.n_used, 'image')}"
    said += (
        f" ({table.format}); {counted(table.questions.n_used, 'distinct question')}, "
        f"{counted(table.answers.n_used, 'distinct answer')}"
    )
    if rows.concepts is not None:
        said += f", {counted(rows.column('qa (reduced)').n_used, 'group')} of reduced question and answer"
    return f"{said}; {counted(len(findings), 'finding')}{left_out_told(table)}."
