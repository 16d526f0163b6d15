"""What every function takes: files, several of them, tables that were read already, scenes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compsplit.errors import UsageError
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.table import QATable
from compsplit.readers import detected, inputs
from compsplit.recipe.id_lists import SplitLists
from compsplit.recipe.parsing import Recipe, from_mapping, load
from compsplit.recipe.running import read_table
from compsplit.registry import plugin

if TYPE_CHECKING:
    pass


def table_of(given: Sequence[Any], format: str | None, options: Mapping[str, Any]) -> RowTable:
    """Return the rows of files, or the table itself where it was read already."""
    return given[0] if isinstance(given[0], QATable | SceneTable) else read_table(given, format, options)


def several(given: Any) -> list[Any]:
    """Return what is given as a list: one file, or several."""
    return list(given) if isinstance(given, list | tuple) else [given]


def known_scenes(given: Any, options: Mapping[str, Any]) -> SceneTable | None:
    """Return the scenes of questions, with the ids of their objects where their reader keeps them."""
    if given is None or isinstance(given, SceneTable):
        return given
    found = inputs(several(given))
    reader = plugin("reader", detected(found))
    table = reader.make(found, **({"keep_object_ids": True} if "keep_object_ids" in reader.options else {}))
    if not isinstance(table, SceneTable):
        raise UsageError(f"{found[0].name} holds no scenes; it looks like {reader.name}.", file=found[0].name)
    return table


def split_named(split: SplitLists | None) -> Any:
    """Return the names of the files that say a split, as JSON values; a relative path stays, no other folder does."""
    if isinstance(split, Mapping):
        return {part: _named(file) for part, file in split.items()}
    return None if split is None else _named(split)


def _named(file: str | Path) -> str:
    path = Path(file)
    return path.name if path.is_absolute() else path.as_posix()


def recipe_named(recipe: str | Recipe | None, settings: Sequence[str]) -> Recipe:
    """Return the recipe that says how questions are reduced; the default reduction without one."""
    if isinstance(recipe, Recipe):
        return recipe
    if recipe is not None:
        return load(recipe, list(settings))
    return from_mapping("evaluate", {"title": "Evaluation"}, list(settings))
