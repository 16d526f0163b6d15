"""What a split or an audit reports: all audits, the checks held against them, published figures, one verdict."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from compsplit.errors import counted
from compsplit.model.column import Column
from compsplit.model.grouping import Grouping
from compsplit.model.report import Audited, Finding, Measure, Report, Table, Undefined
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.recipe.checks import Check
from compsplit.recipe.example_rows import with_example_rows
from compsplit.recipe.parsing import Recipe
from compsplit.recipe.readings import asked_by, audit_names
from compsplit.registry import plugin

_FIRST_READ = (
    "identical-parts",
    "shared-ids",
    "shared-image-question-answer",
    "shared-question-answer",
    "shared-images",
    "torn-groups",
    "size-not-reached",
    "rows-that-cannot-move",
    "strata-of-one-group",
)
"""Kinds of findings in the order in which they are read; broken checks stand before them, all others behind."""


class Reads(Protocol):
    """What was read: decisions with their counts, and what is left out."""

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """(id, reason) of records that are not rows."""

    @property
    def decisions(self) -> Mapping[str, int]:
        """What was decided -> how often."""


def grouped(rows: Rows, grouping: Grouping) -> Rows:
    """Return the rows with the column ``group``."""
    return dataclasses.replace(rows, columns={**rows.columns, "group": Column(grouping.group_of_row, grouping.names)})


def audited(
    rows: Rows,
    split: Split,
    readings: Mapping[str, Mapping[str, Any]] | None = None,
    further: Sequence[str] = (),
) -> Audited:
    """Return what the audits say that run by default, in the order of their names but sizes first; examples last.

    Args:
        rows: The rows.
        split: Their parts.
        readings: Audit -> its options.
        further: Audits that run besides; those with a reading do, too.
    """
    options = readings or {}
    names = sorted(audit_names((*further, *options)), key=lambda name: (name != "sizes", name))
    found = [plugin("audit", name).make(rows, split, **options.get(name, {})) for name in names]
    return Audited(
        tuple(measure for each in found for measure in each.measures),
        with_example_rows(rows, split, {name: table for each in found for name, table in each.tables.items()}),
        tuple(finding for each in found for finding in each.findings),
    )


def checked(found: Audited, checks: Iterable[Check], findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings in the order in which they are read, those of broken checks in front."""
    held = [(check, check.broken(found.measures)) for check in checks]
    broken = [check.finding(wrong, _culprits(wrong[0], found.tables)) for check, wrong in held if wrong]
    places = {kind: place for place, kind in enumerate(_FIRST_READ)}
    rest = sorted((*findings, *found.findings), key=lambda finding: places.get(finding.kind, len(places)))
    return (*broken, *rest)


def _culprits(measure: Measure, tables: Mapping[str, Table]) -> tuple[Any, ...]:
    """Return the first ids, or concepts, that a measure between two parts is about."""
    shared = f" of {measure.part} that are in {measure.reference} ({measure.of})"
    unseen = f"concepts of {measure.part} unseen in {measure.reference}"
    for name, table in tables.items():
        if name.endswith(shared):
            return tuple(row[0] if measure.of in ("id", "image") else row[3:5] for row in table.rows[:5])
        if name == unseen and measure.name.endswith("coverage"):
            return tuple(row[0] for row in table.rows[:5])
    return ()


def reported(
    recipe: Recipe,
    table: RowTable,
    rows: Rows,
    grouping: Grouping,
    split: Split,
    reducer: Mapping[str, Any] | None,
    checks: Sequence[Check],
) -> Report:
    """Return the report of a split.

    Args:
        recipe: How it was made.
        table: The rows that have a part, and what is left out.
        rows: The same rows.
        grouping: Rows that stay together.
        split: Their parts.
        reducer: What the reducer says of itself.
        checks: What must hold: the recipe's checks, and the splitter's guarantee.
    """
    found = audited(grouped(rows, grouping), split, further=asked_by(checks))
    tables = {
        **found.tables,
        **_kept_tables(recipe, split, grouping.unit),
        **published_beside(recipe, "figure", rows, found.measures),
    }
    findings = checked(found, checks, (*table.findings, *decided(table), *_split_findings(split)))
    facts = {name: value for name, value in split.facts.items() if not isinstance(value, dict | list)}
    subject = {
        "kind": "split",
        "title": recipe.title,
        "source": recipe.source,
        "method": recipe.split.plugin.name,
        "seed": recipe.seed,
        "rows": len(rows),
        "groups": grouping.n_groups,
        "group": grouping.unit,
        "guarantee": recipe.split.plugin.facts.get("guarantee", ""),
        "checks": [check.written for check in checks],
        "largest group": int(grouping.sizes.max()),
        "reference": split.parts[0],
        "parts": part_sizes(rows, split, _as_written(recipe, split, len(rows))),
        "reducer": without_tables(reducer),
        "decisions": dict(table.decisions),
        "left out": len(table.left_out),
        "extraction": dict(rows.facts),
        "splitter": facts,
    }
    subject["verdict"] = broken_first(findings) + _verdict(recipe, table, rows, split, found.measures, checks)
    return Report(subject, found.measures, tables, findings)


def _as_written(recipe: Recipe, split: Split, n_rows: int) -> dict[str, Fraction]:
    """Return the shares of the recipe that are what was asked for: not of folds, nor where rows were taken out."""
    sizes = recipe.targets.sizes(n_rows)
    shares = recipe.targets.fractions.items()
    return {part: share for part, share in shares if recipe.fold is None and split.asked.get(part) == sizes[part]}


def without_tables(reducer: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return what a reducer says of itself, without the hashes of its tables, which only the manifest holds."""
    return None if reducer is None else {name: value for name, value in reducer.items() if name != "tables"}


def part_sizes(rows: Rows, split: Split, asked: Mapping[str, Fraction]) -> dict[str, dict[str, Any]]:
    """Return rows and images asked for and got in each part, as counts and as shares of the whole."""
    image = rows.columns.get("image")
    images = None if image is None or not len(image.names) else image
    n_images = 0 if images is None else images.n_used
    sizes: dict[str, dict[str, Any]] = {}
    for part, got in split.sizes.items():
        held = 0 if images is None else images.take(np.flatnonzero(split.rows_in(part))).n_used
        sizes[part] = {
            "asked": split.asked.get(part),
            "got": got,
            "asked share": float(asked[part]) if part in asked else _share(split.asked.get(part), len(rows)),
            "got share": got / len(rows) if len(rows) else None,
            "images": held if n_images else None,
            "images share": held / n_images if n_images else None,
        }
    return sizes


def _share(n: int | None, n_rows: int) -> float | None:
    return n / n_rows if n is not None and n_rows else None


def shown_sizes(sizes: Mapping[str, int], asked: Mapping[str, int] | None = None) -> str:
    """Return sizes as ``train 8,312 (asked 8,312), test 4,156 (asked 4,156)``."""
    return ", ".join(
        f"{part} {n:,}" + (f" (asked {asked[part]:,})" if asked and part in asked else "") for part, n in sizes.items()
    )


def broken_first(findings: Sequence[Finding]) -> str:
    """Return what a verdict begins with where checks are broken, with the first ids; nothing where none is."""
    broken = [finding for finding in findings if finding.level == "fail"]
    if not broken:
        return ""
    first = ", ".join(
        "/".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in broken[0].first[:3]
    )
    return f"BROKEN ({counted(len(broken), 'check')}): {broken[0].message} First: {first}. "


def _verdict(
    recipe: Recipe, table: RowTable, rows: Rows, split: Split, measures: Sequence[Measure], checks: Sequence[Check]
) -> str:
    said = [f"{recipe.title}: {counted(len(table), rows.noun)} into {shown_sizes(split.sizes, split.asked)}"]
    told = set()
    for name, of, label in (
        ("coverage", "concepts", "coverage"),
        ("weighted-coverage", "concepts", "weighted"),
        ("qa-overlap", "qa (reduced)", "QA overlap"),
    ):
        measure = next((m for m in measures if m.name == name and m.of == of), None)
        if measure is not None:
            told.add(measure.written)
            said.append(f"{label} {_figure(measure)}")
    for check in checks:
        # What a guarantee is about is what a reader asks first; that nothing is torn goes without saying.
        about = next((m for m in measures if check.is_about(m)), None) if check.part == split.parts[1] else None
        if about is not None and check.name != "group-overlap" and about.written not in told:
            told.add(about.written)
            said.append(f"{about.name} of {about.of} {_figure(about)}")
    gone = len(table.left_out)
    share = f" ({gone / (gone + len(table)):.1%})" if split.left_out is not None else ""
    return "; ".join(said) + left_out_told(table) + share + "."


def _figure(measure: Measure) -> str:
    return "undefined" if isinstance(measure.value, Undefined) else f"{measure.number:.4g}"


def _split_findings(split: Split) -> list[Finding]:
    """Say where the got sizes are not the asked ones, and what kept rows from moving."""
    findings = []
    short = {part: asked - split.sizes[part] for part, asked in split.asked.items() if asked != split.sizes[part]}
    if short:
        said = ", ".join(f"{part} asked {split.asked[part]:,} got {split.sizes[part]:,}" for part in short)
        findings.append(
            Finding(
                kind="size-not-reached",
                count=max(map(abs, short.values())),
                first=tuple(short),
                message=f"Sizes differ from what was asked: {said}. No group is torn to reach a size.",
            )
        )
    facts: Mapping[str, Any] = split.facts
    stuck = facts.get("rows_that_cannot_move")
    if stuck:
        ways = facts.get("in_the_way", [])
        named = ", ".join(f"{name} ({counted(rows, 'row')})" for name, rows in ways[:5])
        findings.append(
            Finding(
                kind="rows-that-cannot-move",
                count=stuck,
                first=tuple(name for name, _ in ways[:5]),
                message=f"{counted(stuck, 'row holds', 'rows hold')} a concept that too few groups show, so "
                f"{'it stays' if stuck == 1 else 'they stay'} in {split.parts[0]}; the other parts can hold at most "
                f"{counted(facts['ceiling'], 'row')}. In the way first: {named}.",
            )
        )
    alone = facts.get("strata_of_one_group")
    if alone:
        names = list(alone)
        findings.append(
            Finding(
                kind="strata-of-one-group",
                count=len(names),
                first=tuple(names),
                message=f"{counted(len(names), 'stratum has', 'strata have')} one group only, which stays in "
                f"{split.parts[0]}.",
            )
        )
    return findings


def _kept_tables(recipe: Recipe, split: Split, unit: str) -> dict[str, Table]:
    """Return which rows the splitter could not move, by stratum, what concepts kept them, and what it decided."""
    tables = {}
    classes: Any = split.facts.get("class_groups")
    if classes:
        tables["groups of classes"] = Table(("class", "group"), tuple(map(tuple, classes)))
    shares: Any = split.facts.get("shares_of_groups")
    if shares:
        whole = sum(got for _, _, got in shares)
        sizes = split.sizes
        lines = [(part, asked, got, got / whole, sizes[part] / sum(sizes.values())) for part, asked, got in shares]
        columns = ("part", f"{unit}s asked", f"{unit}s got", f"share of {unit}s", "share of rows")
        tables["shares of groups"] = Table(columns, tuple(lines))
    held: Any = split.facts.get("held_out")
    if held:
        # Names, or names with their rows.
        lines = [(each,) if isinstance(each, str) else tuple(each) for each in held]
        # The splitter tells the first, and counts all: "pairs held out", "words held out".
        told = [n for name, n in split.facts.items() if name.endswith(" held out") and isinstance(n, int)]
        tables["held out"] = Table.first_of(
            ("held out", "rows")[: len(lines[0])], lines, len(lines), total=told[0] if told else None
        )
    stuck: Any = split.facts.get("cannot_move")
    if stuck:
        lines = sorted(stuck.items(), key=lambda entry: (-entry[1], entry[0]))
        tables["rows that cannot move"] = Table((" | ".join(recipe.strata), "rows"), tuple(lines), culprits=True)
    ways: Any = split.facts.get("in_the_way")
    if ways:
        n: Any = split.facts.get("concepts_in_the_way")
        tables["concepts in the way"] = Table.first_of(
            ("concept", "rows"), list(map(tuple, ways)), len(ways), total=n, culprits=True
        )
    return tables


def left_out_told(table: Reads) -> str:
    """Return what a verdict ends with where records are left out; nothing where none is."""
    return f"; {counted(len(table.left_out), 'record')} left out" if table.left_out else ""


_COUNTED = re.compile(
    r"(?:[\w-]+ ){0,2}?(row|record|question|annotation|file|object|relation|attribute|scene|image)s\b"
)
"""The noun, plural, that a decision begins with, adjectives aside."""


def decided(table: Reads) -> list[Finding]:
    """Return a finding for each decision made while reading, with its count, and the first ids where they are known."""
    reasons: dict[str, list[str]] = {}
    for name, reason in table.left_out:
        reasons.setdefault(reason, []).append(name)
    findings = []
    for decision, n in table.decisions.items():
        if not n:
            continue
        noun = _COUNTED.match(decision)
        if noun:
            rest = decision[noun.end() :]
            message = f"{counted(n, noun[0].removesuffix('s'), noun[0])}{rest}."
        else:
            message = f"{decision[0].upper()}{decision[1:]}: {counted(n, 'row')}."
        # Ids are kept by reason; a reason belongs to the decision of the same count and words.
        ids = [
            sorted(names)
            for reason, names in reasons.items()
            if len(names) == n and all(word in decision for word in reason.split() if word != "no")
        ]
        first = tuple(ids[0][:5]) if len(ids) == 1 else ()
        findings.append(Finding(kind="decision", count=n, first=first, message=message))
    return findings


def published_beside(recipe: Recipe, figures: str, rows: Rows, measures: Sequence[Measure]) -> dict[str, Table]:
    """Return published beside obtained figures, if the data are known by their counts.

    Args:
        recipe: May hold published figures.
        figures: ``"figure"``: those of the recipe's split; ``"original"``: those of the split that the data come in.
        rows: The data.
        measures: What was obtained.
    """
    known_by = recipe.published.get("known_by")
    if not known_by:
        return {}
    image = rows.columns["image"]
    counts = {
        "questions": len(rows),
        "answers": int(rows.counts["answers"].sum()),
        "images": image.n_used,
    }
    if any(counts.get(name) != n for name, n in known_by.items()):
        return {}
    by_name = {
        measure.written: measure for measure in reversed(measures) if measure.options.get("unit", "rows") == "rows"
    }
    table = []
    for figure in recipe.published.get(figures, []):
        got = by_name.get(figure["measure"])
        table.append((figure["measure"], figure["value"], None if got is None else got.number, figure["place"]))
    return {"published beside obtained": Table(("measure", "published", "obtained", "place"), tuple(table))}
