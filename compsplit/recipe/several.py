"""Several splits of one recipe: one a seed, or one a fold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from compsplit.errors import UsageError
from compsplit.recipe.folder import is_split
from compsplit.recipe.parsing import Recipe, Setting, load
from compsplit.recipe.running import Run, Watch, no_watch, read_table, run_on_table, with_reading


def seeds_of(written: str) -> tuple[int, ...]:
    """Return the seeds that a text says: how many, from 0, or a list of them.

    Raises:
        UsageError: It says neither.

    Example:
        >>> seeds_of("3"), seeds_of("4,7")
        ((0, 1, 2), (4, 7))
    """
    if re.fullmatch(r"\d+", written) and int(written):
        return tuple(range(int(written)))
    if re.fullmatch(r"-?\d+(,-?\d+)+", written):
        seeds = tuple(map(int, written.split(",")))
        if len(set(seeds)) == len(seeds):
            return seeds
    raise UsageError(
        f'"{written}" is neither a number of seeds, such as 5, nor a list, such as 0,1,7.', field="--seeds"
    )


def variants(
    recipe: str, settings: Sequence[str | Setting], *, seeds: Sequence[int] = (), folds: int = 0
) -> dict[str, Recipe]:
    """Return the recipe with each seed, or for each fold, by the name of the folder that its split goes to.

    Args:
        recipe: Name or path.
        settings: What is laid over it.
        seeds: Seeds.
        folds: How many folds; only for splitters that make them.

    Raises:
        CompsplitError: As for ``load``.
    """
    if seeds and folds:
        raise UsageError("Ask for several seeds or for folds, not for both.", field="--folds")
    if folds == 1 or folds < 0:
        raise UsageError(f"Ask for 2 folds or more, got {folds}.", field="--folds")
    if folds:
        each = {f"fold-{i}": Setting("split.fold", f"{i}/{folds}", "--folds") for i in range(1, folds + 1)}
    else:
        each = {f"seed-{seed}": Setting("seed", seed, "--seeds") for seed in seeds}
    return {name: load(recipe, [*settings, setting]) for name, setting in each.items()}


def run_each(
    recipes: Mapping[str, Recipe],
    files: Sequence[Any],
    *,
    format: str | None = None,
    options: Mapping[str, Any] | None = None,
    watch: Watch = no_watch,
    writes: bool = False,
) -> Iterator[tuple[str, Run]]:
    """Run several recipes on the same files, which are read once, and yield each run by name.

    Args:
        recipes: Name -> recipe; all read files in the same way.
        files: As for ``read_table``.
        format: Reader, in place of the recipes'.
        options: Options of the reader, over the recipes'.
        watch: Told each stage.
        writes: Whether the splits are to be written.
    """
    watch("reading")
    first = next(iter(recipes.values()))
    reading = {**first.read_options, **(options or {})}
    table = read_table(files, format or first.format, reading)
    for name, recipe in recipes.items():

        def tell(stage: str, name: str = name) -> None:
            watch(f"{name}: {stage}")

        yield name, with_reading(run_on_table(recipe, table, tell, writes=writes), reading)


def are_splits(folder: Path) -> bool:
    """Tell whether a folder holds splits that we wrote, one a seed or fold, and nothing else."""
    inside = list(folder.iterdir()) if folder.is_dir() else []
    return bool(inside) and all(path.is_dir() and is_split(path) for path in inside)
