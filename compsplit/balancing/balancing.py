"""Balance the answers of a data set: near-repeats first, then rounds of levels and types, on all rows together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.balancing.bounds import Bounds, exact
from compsplit.balancing.entropy import Spread, spread
from compsplit.balancing.labels import Aspects, Labels, labels_of, question_keys
from compsplit.balancing.levels import Level
from compsplit.balancing.near_repeats import first_of_each
from compsplit.balancing.rounds import Balanced, balanced
from compsplit.balancing.type_shares import TypeShares
from compsplit.errors import OptionValueError, UsageError
from compsplit.extractors.text_forms import normalised
from compsplit.model.column import Codes, Column, frozen
from compsplit.model.report import Report
from compsplit.model.scenes import RowTable
from compsplit.model.split import Split
from compsplit.model.table import QATable
from compsplit.order import name_hashes, seeded_order
from compsplit.recipe.parsing import Recipe, Setting, from_mapping
from compsplit.recipe.running import Watch, no_watch

KEPT = "kept"
"""The one part of what is written."""
NEAR_REPEAT = "near-repeat"
_HASHED = 1 << 16
_SETTINGS = ("seed", "read", "reduce", "write")
"""Sections of a recipe that a balance knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancePlan:
    """What is asked of a balance.

    Attributes:
        bounds: What is asked of each group.
        levels: The levels that take turns, in their order; None for those that have labels.
        groups: Where labels come from; None for the data's own.
        columns: Level -> the column of its labels.
        answers: Whether answers are compared as exact text, or normalised.
        near_repeats: Whether near-repeats are dropped.
        types: Column -> type -> share that is asked for.
        tolerance: How far a reached share may be from the one asked for.
        rounds: At most so many; None until one changes nothing.
        recipe: Says how questions are reduced, how the kept rows are written, and the seed.
    """

    bounds: Bounds = field(default_factory=Bounds)
    levels: tuple[str, ...] | None = None
    groups: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    answers: str = "exact"
    near_repeats: bool = True
    types: Mapping[str, Mapping[str, Fraction]] = field(default_factory=dict)
    tolerance: Fraction = Fraction(1, 100)
    rounds: int | None = None
    recipe: Recipe

    def __post_init__(self) -> None:
        if self.answers not in ("exact", "normalised"):
            raise OptionValueError("answers", self.answers, "exact or normalised")
        if not 0 <= self.tolerance < 1:
            raise OptionValueError("tolerance", str(self.tolerance), "a share from 0 to below 1, such as 0.01")
        if self.rounds is not None and self.rounds < 1:
            raise OptionValueError("rounds", self.rounds, "a whole number, 1 or more")


def type_shares(written: Sequence[str]) -> dict[str, dict[str, Fraction]]:
    """Return column -> type -> share, as ``COLUMN:TYPE=SHARE`` texts say.

    Raises:
        UsageError: A text is not of this form, or a type has two shares.

    Example:
        >>> type_shares(["structural:query=0.75", "structural:verify=1/4"])
        {'structural': {'query': Fraction(3, 4), 'verify': Fraction(1, 4)}}
    """
    found: dict[str, dict[str, Fraction]] = {}
    for each in written:
        name, equals, share = each.rpartition("=")
        column, colon, of = (part.strip() for part in name.partition(":"))
        if not (equals and colon and column and of):
            raise UsageError(f'"{each}" is not COLUMN:TYPE=SHARE, such as structural:query=0.53.', field="--type")
        if of in found.setdefault(column, {}):
            raise UsageError(f"Two shares are asked for of {of} of {column}.", field="--type")
        found[column][of] = exact(f"type {column}:{of}", share, "a share from 0 to 1, such as 0.53 or 1/3")
    return found


def balance_recipe(settings: Sequence[str | Setting] = (), seed: int | None = None) -> Recipe:
    """Return the recipe of a balance: ``seed``, ``[reduce]`` and ``[write]``.

    Raises:
        RecipeError: A setting is none that there is.
        UsageError: It is of another section, which a balance does not know.
    """
    parsed = [Setting.parse(each) if isinstance(each, str) else each for each in settings]
    for each in parsed:
        if each.key.split(".")[0] not in _SETTINGS:
            raise UsageError(
                f'A balance does not know the setting "{each.key}"; it takes seed and the sections read, reduce and '
                "write.",
                field=each.key,
            )
    seeds = [] if seed is None else [Setting("seed", seed, "--seed")]
    return from_mapping("balance", {"title": "Balance"}, [*parsed, *seeds])


@dataclass(frozen=True, eq=False)
class Balance:
    """Everything that a balance found out.

    Attributes:
        plan: What was asked.
        table: The rows that have an answer, and what is left out.
        order: The rows in the seeded order.
        answers: The answer of each row, as compared.
        labels: The groups of each level.
        levels: Rows by group and answer, for each level.
        types: Shares that were asked for.
        stays: The row of the same key that stays, for each row; itself where it is no near-repeat.
        repeats_by: What tells near-repeats.
        no_programs: Rows that have something else in the column of programs, and so none; shape (n_rows,).
        rounds: What the rounds did.
        reducer: What the reducer says of itself, None where nothing was reduced.
        read_options: The reader's options.
    """

    plan: BalancePlan
    table: QATable
    order: NDArray[np.int64]
    answers: Column
    labels: tuple[Labels, ...]
    levels: tuple[Level, ...]
    types: tuple[TypeShares, ...]
    stays: Codes
    repeats_by: str
    no_programs: NDArray[np.bool_]
    rounds: Balanced
    reducer: Mapping[str, Any] | None
    read_options: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Balance({self.report.verdict})"

    @cached_property
    def repeats(self) -> NDArray[np.bool_]:
        """Which rows were dropped as near-repeats, shape (n_rows,)."""
        return frozen(np.asarray(self.stays != np.arange(len(self.stays))))

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which rows are kept, shape (n_rows,)."""
        return self.rounds.kept

    @property
    def ids(self) -> list[str]:
        """The ids of the rows that are kept, in the order of the table."""
        return self.table.ids[self.kept].tolist()  # type: ignore[no-any-return]  # text arrays have no types

    @cached_property
    def split(self) -> Split:
        """The kept rows as the one part of a split, the others left out."""
        reasons = (NEAR_REPEAT, *self.rounds.stages)
        codes = np.where(self.kept, -1, np.where(self.repeats, 0, self.rounds.stage_of_row + 1)).astype(np.int32)
        left_out = None if self.kept.all() else Column(codes, reasons)
        return Split((KEPT,), np.where(self.kept, 0, -1).astype(np.int16), left_out=left_out)

    @cached_property
    def counts(self) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
        """For each level the rows of each of its cells, before everything and at the end."""
        everything = np.ones(len(self.table), dtype=bool)
        return tuple((level.counts(everything), level.counts(self.kept)) for level in self.levels)

    @cached_property
    def spreads(self) -> tuple[tuple[Spread, Spread], ...]:
        """For each level how its groups' answers are spread, before everything and at the end."""
        bounds = self.plan.bounds
        return tuple(
            (spread(level, before, bounds), spread(level, after, bounds))
            for level, (before, after) in zip(self.levels, self.counts, strict=True)
        )

    @cached_property
    def report(self) -> Report:
        """Everything that was measured."""
        from compsplit.balancing.reporting import reported

        return reported(self)


def _order(ids: Any, seed: int) -> NDArray[np.int64]:
    """Return the rows in the seeded order of their ids, shape (n_rows,)."""
    # Some at a time, since the digests of all of them take more room than their 64 bits.
    parts = [ids[first : first + _HASHED] for first in range(0, len(ids), _HASHED)]
    return seeded_order(np.concatenate([name_hashes(part, len(part)) for part in parts]), seed, ids)


def balance_table(
    table: RowTable,
    plan: BalancePlan,
    *,
    read_options: Mapping[str, Any] | None = None,
    writes: bool = False,
    watch: Watch = no_watch,
) -> Balance:
    """Balance the rows of a table; nothing is written.

    Args:
        table: Questions with answers, or whatever rows have answers.
        plan: What is asked.
        read_options: The options that the table was read with.
        writes: Whether rows are to be written, so that a writer that cannot says so before any work.
        watch: Told each stage.

    Raises:
        UsageError: The rows are scenes, none has an answer or a group, or types do not fit.
        ImpossibleError: A type that shall have a share has no rows.
    """
    if not isinstance(table, QATable):
        raise UsageError(f"A balance is of rows with answers, and these are scenes ({table.format}).", field="format")
    asks = plan.recipe.write.plugin.facts.get("check")
    if writes and asks is not None:
        asks(table)
    has_answer = table.answers.codes >= 0
    if not has_answer.any():
        raise UsageError(
            "No row has an answer, and a balance is of answers. Add the annotations file, or name the column with "
            "--column answer=NAME.",
            field="answer",
        )
    table = table.keep(has_answer, "no answer", "rows without an answer left out")
    watch("finding groups")
    aspects = Aspects(table, plan.recipe.reduce.make)
    labels = labels_of(aspects, levels=plan.levels, groups=plan.groups, columns=plan.columns)
    asked = [(name, aspects.named(name), shares) for name, shares in plan.types.items()]
    types = tuple(TypeShares(name, column, shares, plan.tolerance) for name, column, shares in asked)
    answers = table.answers.mapped(normalised) if plan.answers == "normalised" else table.answers
    watch("ordering rows")
    order = _order(table.ids, plan.recipe.seed)
    stays, repeats_by = np.arange(len(table), dtype=np.int32), ""
    if plan.near_repeats:
        watch("looking for near-repeats")
        keys, repeats_by = question_keys(aspects, answers)
        stays = first_of_each(keys, order)
    watch("balancing")
    levels = tuple(Level.of(each.level, each.column, answers, order) for each in labels)
    entering = stays == np.arange(len(table))
    rounds = balanced(entering, order, levels, types, plan.bounds, rounds=plan.rounds, watch=watch)
    return Balance(
        plan, table, order, answers, tuple(labels), levels, types, frozen(stays), repeats_by,
        frozen(aspects.no_programs), rounds,
        dict(aspects.described) or None, {} if read_options is None else dict(read_options),
    )  # fmt: skip
