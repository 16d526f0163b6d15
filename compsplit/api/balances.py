"""Balance the answers of question groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compsplit.balancing.balancing import Balance, BalancePlan, balance_recipe, balance_table, type_shares
from compsplit.balancing.bounds import Bounds, exact
from compsplit.balancing.folder import check_balance_out, write_balance
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.readers import inputs
from compsplit.recipe.running import Watch, no_watch, read_table
from compsplit.report import markdown

if TYPE_CHECKING:
    pass


def balance(
    *files: Any,
    out: str | Path | None = None,
    force: bool = False,
    bound: Any = "1",
    r_min: Any = "0.5",
    r_max: Any = "0.9",
    head: Any = "0.2",
    floor: int = 1,
    levels: Sequence[str] | None = None,
    groups: str | None = None,
    global_column: str | None = None,
    local_column: str | None = None,
    answers: str = "exact",
    near_repeats: bool = True,
    types: Sequence[str] = (),
    tolerance: Any = "0.01",
    rounds: int | None = None,
    seed: int | None = None,
    settings: Sequence[str] = (),
    format: str | None = None,
    plan: bool = False,
    watch: Watch = no_watch,
    **options: Any,
) -> Balance:
    """Throw rows away so that the answers of each group are spread more evenly, and return all that was found out.

    Args:
        files: As for ``read``, all together; a table that was read already will do, too.
        out: Folder to write; nothing is written without one.
        force: Replace an older folder.
        bound: Most rows of the head for each row of the tail, at the end of the head and before.
        r_min: Least ratio of a head answer's next neighbour to it.
        r_max: Most that this ratio may become, where it was lower.
        head: Share of the different answers that is the head.
        floor: Rows that an answer keeps, or all that it has.
        levels: ``"global"`` and ``"local"`` in the order of their turns; those that have labels without it.
        groups: Where labels come from: ``"labels"`` (GQA's own), ``"program"`` or ``"question"``.
        global_column: The column of global groups, or several as ``a+b``.
        local_column: The column of local groups, or several as ``a+b``.
        answers: Whether answers are compared ``"exact"`` or ``"normalised"``.
        near_repeats: Whether rows are dropped that ask an image what another row asks it.
        types: Shares of types, as ``"structural:query=0.53"``.
        tolerance: How far shares of types may be from what is asked.
        rounds: At most so many; without it, until one changes nothing.
        seed: Seed of the order; 0 without it.
        settings: ``section.key=value`` of the sections reduce and write.
        format: Name of a reader.
        plan: Ask the writer whether it could write the rows, though nothing is written.
        watch: Told each stage.
        options: The reader's options.
    """
    named = {"global": global_column, "local": local_column}
    asked = BalancePlan(
        bounds=Bounds(bound=bound, r_min=r_min, r_max=r_max, head=head, floor=floor),
        levels=None if levels is None else tuple(levels),
        groups=groups,
        columns={level: column for level, column in named.items() if column is not None},
        answers=answers,
        near_repeats=near_repeats,
        types=type_shares(types),
        tolerance=exact("tolerance", tolerance, "a share from 0 to below 1, such as 0.01"),
        rounds=rounds,
        recipe=balance_recipe(settings, seed),
    )
    if out is not None:
        # Before any work, not after it.
        read = [file for file in files if isinstance(file, str | Path)]
        check_balance_out(Path(out), force, [each.path for each in inputs(read)] if read else [])
    watch("reading")
    given = len(files) == 1 and isinstance(files[0], QATable | SceneTable)
    reading = {**asked.recipe.read_options, **options}
    table = files[0] if given else read_table(files, format or asked.recipe.format, reading)
    # How many files are read at a time shows in no result.
    reading = {name: value for name, value in reading.items() if name != "threads"}
    made = balance_table(table, asked, read_options=reading, writes=plan or out is not None, watch=watch)
    if out is not None:
        write_balance(made, Path(out), force=force, documents=lambda r: {"report.md": markdown(r)}, watch=watch)
    return made
