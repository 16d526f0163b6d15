"""Profile the questions of one data set, or of two side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compsplit.describing.profiling import Tagging, profile_tables, speech_of
from compsplit.errors import UsageError
from compsplit.model.report import Report
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.readers import detected, inputs
from compsplit.recipe.audit_folder import write_audit
from compsplit.recipe.running import Watch, no_watch
from compsplit.reducers.tagging import Tagger
from compsplit.registry import plugin
from compsplit.report import markdown

if TYPE_CHECKING:
    pass
from compsplit.api.given import several, table_of


class Profiled:
    """A profile that was made: its report, and what can be written of it."""

    def __init__(self, report: Report, files: Mapping[str, Sequence[Any]], asked: Mapping[str, Any]) -> None:
        self.report = report
        self._files = files
        self._asked = asked

    def __repr__(self) -> str:
        return f"Profiled({self.report.verdict})"

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write report.json, report.md and manifest.json (inputs with checksums, options, versions) to a folder."""
        made_from = {
            name: inputs([file for file in files if isinstance(file, str | Path)])
            for name, files in self._files.items()
        }
        write_audit(
            self.report, made_from, self._asked, Path(out), force=force,
            documents=lambda report: {"report.md": markdown(report)},
        )  # fmt: skip


def profile(
    sets: Mapping[str, Any],
    *,
    tagger: str = "auto",
    tags: Sequence[str] = (),
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> Profiled:
    """Return how the questions of one data set are made, or of two side by side.

    Args:
        sets: Name -> file, files or table of a data set; at most two.
        tagger: A spaCy pipeline, by name or folder, for parts of speech; ``"auto"`` takes an installed English one, and
            leaves those figures undefined where there is none; ``"none"`` takes none.
        tags: ``KIND=TAG,TAG``: what counts as verbs, nouns, adjectives or prepositions, such as ``"verbs=VERB"``.
        format: Name of a reader; the content decides for each data set if it is not given.
        watch: Told each stage.
        options: Options of the readers; each goes to the readers that have it.

    Raises:
        ResourceError: A pipeline that is named is not there, or has no tagger.
        BrokenResourceError: It is there and cannot be used.
        UsageError: A data set holds scenes, or no question.
    """
    kinds = speech_of(tags)
    if tagger == "none":
        tagging = Tagging.turned_off()
    elif tagger == "auto":
        tagging = Tagging.installed(kinds)
    else:
        tagging = Tagging(tagger=Tagger(tagger), kinds=kinds)
    files = {each: several(given) for each, given in sets.items()}
    watch("reading")
    tables = {each: _questions(each, given, format, options, len(files)) for each, given in files.items()}
    asked = {
        "tagger": tagger,
        "tags": {kind: ", ".join(found) for kind, found in kinds.items()},
        "format": format,
        "read": {option: str(value) for option, value in sorted(options.items())},
    }
    return Profiled(profile_tables(tables, tagging, watch=watch), files, asked)


def _questions(name: str, given: Sequence[Any], format: str | None, options: Mapping[str, Any], n_sets: int) -> QATable:
    """Return the questions of a data set; of two, a reader takes the options that it has."""
    taken = dict(options)
    if n_sets > 1 and options and all(isinstance(file, str | Path) for file in given):
        reader = plugin("reader", format or detected(inputs(given)))
        taken = {option: value for option, value in options.items() if option in reader.options}
    table = table_of(given, format, taken)
    if isinstance(table, SceneTable):
        raise UsageError(f"{name} holds scenes ({table.format}); a profile is of questions.")
    return table
