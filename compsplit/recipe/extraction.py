"""What a recipe takes from its rows: how they are prepared, which compounds are made of them.

``[extract] of`` names extractors, one or a list; ``auto`` takes those that the table is fit for. Other keys are options
of the preparation or of any of the extractors named. ``of = "a+b"`` crosses the columns a and b.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compsplit.errors import CompsplitError, UnknownOptionError
from compsplit.extractors import prepared
from compsplit.model.rows import Rows
from compsplit.model.scenes import RowTable
from compsplit.recipe.scene_join import SceneJoin
from compsplit.recipe.written import Written
from compsplit.registry import Plugin, plugin, plugins

AUTO = "auto"
_COLUMNS = "columns"


@dataclass(frozen=True, slots=True)
class Extraction:
    """How rows are prepared and what is extracted from them.

    Attributes:
        prepare: Options of the preparation.
        of: Names of extractors, or ``auto`` alone.
        options: Options of extractors, given to each that has them.
    """

    prepare: Mapping[str, Any]
    of: tuple[str, ...]
    options: Mapping[str, Any]

    def rows(self, table: RowTable, reducer: Any, joint: SceneJoin | None = None) -> Rows:
        """Return the rows of a table with the compounds that are wanted.

        Args:
            table: Questions, or scenes.
            reducer: Of the questions.
            joint: The scenes of the questions, whose compounds are taken for them.

        Raises:
            CompsplitError: An extractor does not fit the table.
        """
        rows = prepared(table, reducer, **self.prepare)
        kinds: list[tuple[RowTable, Rows, Any]] = [(table, rows, None)]
        if joint is not None:
            kinds.append((joint.scenes, prepared(joint.scenes), joint.scene_of_row))
        found = {}
        for k, (source, its_rows, places) in enumerate(kinds):
            names = fitting(source, its_rows) if self.of == (AUTO,) else self.of
            for name in names:
                made, options = _named(name, self.options)
                if len(kinds) == 2 and made.facts.get("scenes", False) is not (k == 1):
                    continue
                compounds = made.make(source, its_rows, **options)
                found[compounds.of] = compounds if places is None else compounds.taken(places)
        return dataclasses.replace(rows, compounds=found)


def fitting(table: RowTable, rows: Rows) -> list[str]:
    """Return the names of the extractors that say of themselves that they fit a table, in alphabetical order."""
    return [name for name, found in plugins("extractor").items() if found.facts.get("fits", _never)(table, rows)]


def extraction(written: Written) -> Extraction:
    """Return what the recipe's ``[extract]`` says.

    Raises:
        RecipeError: It names what there is not.
    """
    values = dict(written.values["extract"])
    of = values.pop("of")
    names = tuple(of) if isinstance(of, list) else (of,)
    if not names or not all(isinstance(name, str) for name in names):
        raise written.fault(f"of is {of!r}; expected the name of an extractor, or a list of names.", "extract", "of")
    preparing = Plugin("preparation", "rows", prepared, "compsplit")
    known = [_known(written, name) for name in names if name != AUTO] if names != (AUTO,) else []
    known = known or list(plugins("extractor").values())
    try:
        own = preparing.check({k: v for k, v in values.items() if k.replace("-", "_") in preparing.options}, "extract")
        options: dict[str, Any] = {}
        for name, value in values.items():
            key = name.replace("-", "_")
            if key in own:
                continue
            takers = [each for each in known if key in each.options]
            if not takers:
                raise UnknownOptionError(
                    f"Extracting {', '.join(names)}", f"extract.{name}",
                    sorted({*preparing.options, *(option for each in known for option in each.options)}),
                )  # fmt: skip
            for each in takers:
                options |= each.check({key: value}, "extract")
    except CompsplitError as error:
        wrong = (error.field or "of").split(".")[-1]
        raise written.fault(error.message, "extract", wrong if wrong in values else "of") from error
    return Extraction(own, names, options)


def _known(written: Written, name: str) -> Plugin:
    try:
        return _named(name, {})[0]
    except CompsplitError as error:
        raise written.fault(error.message, "extract", "of") from error


def _named(name: str, options: Mapping[str, Any]) -> tuple[Plugin, dict[str, Any]]:
    """Return an extractor and its own options among those given; ``a+b`` is a cross of columns."""
    if "+" in name:
        return plugin("extractor", _COLUMNS), {"columns": name.split("+")}
    found = plugin("extractor", name)
    return found, {key: value for key, value in options.items() if key in found.options}


def _never(table: RowTable, rows: Rows) -> bool:
    return False
