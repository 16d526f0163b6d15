"""Audit parts that exist already, or random ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compsplit.errors import UsageError
from compsplit.model.report import Report
from compsplit.model.report_reading import report_of
from compsplit.readers import detected, inputs
from compsplit.recipe.audit_folder import write_audit
from compsplit.recipe.auditing import (
    Audit,
    Plan,
    audit_assigned,
    audit_random,
    parts_of_column,
    parts_of_files,
    parts_of_lists,
    random_shares,
)
from compsplit.recipe.beside import entries_beside
from compsplit.recipe.id_lists import SplitLists, list_files
from compsplit.recipe.pair_table import write_pair_table
from compsplit.recipe.parsing import Recipe, Setting, from_mapping, load
from compsplit.recipe.readings import readings_of
from compsplit.recipe.running import Watch, no_watch
from compsplit.recipe.thresholds import MinCount
from compsplit.report import markdown, read_report

if TYPE_CHECKING:
    pass
from compsplit.api.given import known_scenes, several, split_named, table_of


class Audited:
    """An audit that was made: its report, and what can be written of it."""

    def __init__(self, found: Audit, files: Mapping[str, Sequence[Any]], asked: Mapping[str, Any]) -> None:
        self._found = found
        self._files = files
        self._asked = asked

    def __repr__(self) -> str:
        return f"Audited({self.report.verdict})"

    @property
    def report(self) -> Report:
        """All measures, tables and findings."""
        return self._found.report

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write report.json, report.md and manifest.json (inputs with checksums, options, versions) to a folder."""
        made_from = {
            use: inputs([file for file in files if isinstance(file, str | Path)]) for use, files in self._files.items()
        }
        # Lists of ids have no reader; scenes are read without the options of the questions.
        read = {
            use: (None if use == "scenes" else self._asked["format"], {} if use == "scenes" else self._asked["read"])
            for use, files in made_from.items()
            if files and (use != "split" or self._asked["split"] is None)
        }
        beside = {
            use: entries_beside(format or detected(made_from[use]), made_from[use], options)
            for use, (format, options) in read.items()
        }
        write_audit(
            self.report, made_from, self._asked, Path(out), force=force, beside=beside,
            documents=lambda report: {"report.md": markdown(report)},
        )  # fmt: skip

    def write_pairs(self, path: str | Path, *, force: bool = False) -> int:
        """Write every pair of object classes with its counts in each part to a Parquet file; return how many."""
        return write_pair_table(self._found.rows, self._found.split, Path(path), force=force)


def audit(parts: Mapping[str, Any] | Any, **how: Any) -> Report:
    """Return the report of parts that exist already, or of random ones; the options are those of ``measure``."""
    return measure(parts, **how).report


def earlier_report(path: str | Path) -> Mapping[str, Any]:
    """Return a report that an audit printed or wrote.

    Raises:
        UsageError: The file holds none, or a broken one.
    """
    found = read_report(Path(path))
    report_of(found, Path(path).name)  # every member is of its type
    return found


def measure(
    parts: Mapping[str, Any] | Any,
    *,
    part_column: str | None = None,
    split: SplitLists | None = None,
    random_splits: int | None = None,
    share: Mapping[str, Any] | None = None,
    by: str | None = None,
    scenes: Any = None,
    reference: str | None = None,
    checks: Sequence[str] = (),
    readings: Mapping[str, Any] | Sequence[str] = (),
    further: Sequence[str] = (),
    min_count: int | str | None = None,
    subsample: int | None = None,
    format: str | None = None,
    recipe: str | Recipe | None = None,
    of: Sequence[str] = (),
    settings: Sequence[str] = (),
    watch: Watch = no_watch,
    **options: Any,
) -> Audited:
    """Return what was measured of parts that exist already, or of random ones: a report that can be written.

    Args:
        parts: Part -> file, files or table; or one file or table with ``part_column``, ``split`` or ``random_splits``.
        part_column: The column that names each row's part.
        split: A folder that ``run`` wrote, an id list, or part -> file of ids, that says each row's part.
        random_splits: Number of random splits to measure; 5 is usual.
        share: Part -> share of the units in a random split; test 0.3 and train the rest without it.
        by: What random splits keep together (row, or a column such as image), or what ``split`` lists instead of ids.
        scenes: The scenes of questions: file, files or table.
        reference: The part that others are held against: train, else the first.
        checks: Bounds, such as ``"avg-co-pair <= 5"``.
        readings: Options of audits, ``{"same_class": "out"}`` or ``{"avg-co-pair.unit": "classes"}``.
        further: Audits that do not run by default, such as ``"adversarial"``.
        min_count: Least count of an object class, ``3`` or ``"3,unit=images,counted=all"``.
        subsample: At most so many rows of each part, for a first look.
        format: Name of a reader.
        recipe: Says how questions are reduced, what is extracted and what is checked.
        of: Extractors; those that fit the data without it.
        settings: ``section.key=value`` overrides of the recipe.
        watch: Told each stage.
        options: The reader's options.
    """
    plan = Plan(
        recipe=_audit_recipe(recipe, of, settings),
        reference=reference,
        checks=tuple(checks),
        readings=readings_of(readings),
        further=tuple(further),
        min_count=None if min_count is None else MinCount.parse(str(min_count)),
        subsample=subsample,
        allow_unjoined=bool(options.get("allow_unjoined", False)),
        watch=watch,
    )
    if sum(each is not None for each in (part_column, split, random_splits)) > 1:
        raise UsageError("Say parts in one way: by files, part_column, split or random_splits.")
    asked = {
        "part_column": part_column,
        "split": split_named(split),
        "random_splits": random_splits,
        "share": {part: str(value) for part, value in (share or {}).items()},
        "by": by,
        "reference": reference,
        "checks": list(checks),
        "readings": plan.readings,
        "further": list(further),
        "min_count": None if min_count is None else str(min_count),
        "subsample": subsample,
        "format": format,
        "recipe": dict(plan.recipe.resolved),
        "read": {name: str(value) for name, value in sorted(options.items())},
    }
    watch("reading")
    known = known_scenes(scenes, options)
    if isinstance(parts, Mapping):
        files = {part: several(given) for part, given in parts.items()}
        found = audit_assigned(parts_of_files(files, format=format, options=options), plan, known)
    else:
        files = {"all": several(parts)}
        given = files["all"]
        # The table is handed on and not kept: what is extracted of it stands for it.
        if part_column is not None:
            found = audit_assigned(parts_of_column(table_of(given, format, options), part_column), plan, known)
        elif split is not None:
            # The option is about the lists here; most readers have nothing to join.
            reading = {name: value for name, value in options.items() if name != "allow_unjoined"}
            found = audit_assigned(
                parts_of_lists(table_of(given, format, reading), split, by, allow_unjoined=plan.allow_unjoined),
                plan,
                known,
            )
        elif random_splits is not None:
            shares, unit = random_shares(share), by or "row"
            found = audit_random(
                table_of(given, format, options), plan, n_splits=random_splits, shares=shares, by=unit, scenes=known
            )
        else:
            raise UsageError("Say which row is in which part: {part: file}, part_column, split, or random_splits.")
    if split is not None:
        files["split"] = list_files(split)
    if scenes is not None:
        files["scenes"] = several(scenes)
    return Audited(found, files, asked)


def _audit_recipe(recipe: str | Recipe | None, of: Sequence[str], settings: Sequence[str]) -> Recipe:
    # What names an extractor comes first: it takes away the options of the one before.
    overrides: list[str | Setting] = [*([Setting("extract.of", list(of), "--of")] if of else []), *settings]
    if isinstance(recipe, Recipe):
        if overrides:
            raise UsageError("Settings belong to a recipe that is named; this one is loaded already.")
        return recipe
    return load(recipe, overrides) if recipe else from_mapping("audit", {"title": "Audit"}, overrides)
