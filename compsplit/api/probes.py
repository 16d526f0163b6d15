"""Probe a split with models that see the questions alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compsplit.api.given import recipe_named, split_named
from compsplit.errors import UsageError
from compsplit.evaluation.intervals import REPLICATES
from compsplit.evaluation.scoring import Drawing
from compsplit.model.report import Report
from compsplit.probing.divisions import Saying, divided, order_of
from compsplit.probing.files import probe_files
from compsplit.probing.probing import ProbedRows, Probing, answerable, named_probes, probed, read_questions
from compsplit.probing.reporting import reported as probe_report
from compsplit.readers import inputs
from compsplit.recipe.audit_folder import write_audit
from compsplit.recipe.id_lists import SplitLists, list_files
from compsplit.recipe.parsing import Recipe, from_mapping
from compsplit.recipe.running import Watch, no_watch
from compsplit.report import markdown

if TYPE_CHECKING:
    pass


class Probed:
    """A split that was probed: the report, and what can be written of it."""

    def __init__(
        self, found: ProbedRows, report: Report, files: Mapping[str, Sequence[Any]], asked: Mapping[str, Any]
    ) -> None:
        self._found = found
        self._files = files
        self._asked = asked
        self.report = report

    def __repr__(self) -> str:
        return f"Probed({self.report.verdict})"

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write report.json, report.md, predictions and difficulty as CSV, and manifest.json to a folder."""
        made_from = {
            use: inputs([file for file in files if isinstance(file, str | Path)]) for use, files in self._files.items()
        }
        write_audit(
            self.report, made_from, self._asked, Path(out), force=force,
            documents=lambda report: {"report.md": markdown(report), **probe_files(self._found)},
        )  # fmt: skip


def probe(
    *files: Any,
    split: SplitLists | None = None,
    by: str | None = None,
    part_column: str | None = None,
    recipe: str | Recipe | None = None,
    settings: Sequence[str] = (),
    reference: str | None = None,
    part: str | None = None,
    original: SplitLists | None = None,
    original_by: str | None = None,
    original_column: str | None = None,
    original_part: str | None = None,
    probes: Sequence[str] = (),
    random_splits: int = 5,
    halvings: int = 4,
    least_rows: int = 20,
    replicates: int = REPLICATES,
    seed: int = 0,
    allow_unjoined: bool = False,
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> Probed:
    """Return what can be answered from questions alone on a split, held against the original split and random ones.

    Args:
        files: As for ``read``, all together; a table that was read already will do, too.
        split: The split to probe: a folder that ``run`` wrote, an id list, or part -> file of ids.
        by: What ``split`` lists instead of ids, such as image.
        part_column: The column that names each row's part, in place of ``split``.
        recipe: The recipe that makes the split, in place of ``split``; beside one, it says how questions are reduced.
        settings: ``section.key=value`` overrides of the recipe.
        reference: The part to learn from; train, else the one whose name begins so, else the first.
        part: The part to answer; test, else the one whose name begins so, else val.
        original: The split to hold it against, as ``split``.
        original_by: What ``original`` lists instead of ids.
        original_column: The column that names each row's part in the original split, such as source or origin.
        original_part: The part of the original split to answer.
        probes: Names, with options as ``"local-prior,column=image"``; every probe without it.
        random_splits: Random splits of the same sizes that are measured beside the original one, or stand for it.
        halvings: A learning curve begins at 1 / 2 ** halvings of train; 0 for none.
        least_rows: Question types are held against each other that have so many rows in each test part.
        replicates: Draws of images for the intervals; 0 for none.
        seed: Of the draws.
        allow_unjoined: Pass over entries of id lists that the data do not have, and count them.
        format: Name of a reader.
        watch: Told each stage.
        options: The reader's options.
    """
    told = split is not None or part_column is not None
    used = recipe_named(recipe, settings) if recipe is not None else from_mapping("probe", {"title": "Blind probes"})
    if recipe is None and settings:
        raise UsageError("Settings belong to a recipe that is named: --recipe NAME.", field="--set")
    saying = Saying(
        lists=split, by=by, column=part_column, recipe=None if told or recipe is None else used, reference=reference,
        part=part, allow_unjoined=allow_unjoined,
    )  # fmt: skip
    before = None
    if original is not None or original_column is not None:
        before = Saying(
            lists=original, by=original_by, column=original_column, part=original_part, allow_unjoined=allow_unjoined
        )
    how = Probing(
        probes=named_probes(probes), random_splits=random_splits, halvings=halvings, least_rows=least_rows,
        drawing=Drawing(replicates=replicates, seed=seed), recipe=used, watch=watch,
    )  # fmt: skip
    watch("reading")
    whole = read_questions(files, format or used.format, {**used.read_options, **options})
    table = answerable(whole)
    order = order_of(table)
    watch("splitting")
    new, notes = divided("new", saying, whole, table, order)
    old, further = (None, ()) if before is None else divided("original", before, whole, table, order)
    found = probed(table, new, old, how)
    asked = {
        "split": split_named(split), "by": by, "part_column": part_column, "reference": reference, "part": part,
        "original": split_named(original), "original_by": original_by, "original_column": original_column,
        "original_part": original_part, "probes": list(probes), "random_splits": random_splits, "halvings": halvings,
        "least_rows": least_rows, "replicates": replicates, "seed": seed, "allow_unjoined": allow_unjoined,
        "format": format, "recipe": dict(used.resolved),
        "read": {name: str(value) for name, value in sorted(options.items())},
    }  # fmt: skip
    lists = {"split": list_files(split), "original": list_files(original)}
    made_from = {"data": list(files), **{use: named for use, named in lists.items() if named}}
    return Probed(found, probe_report(found, how, (*notes, *further)), made_from, asked)
