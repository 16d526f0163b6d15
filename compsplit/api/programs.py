"""Describe the programs of questions, and derive questions from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compsplit.describing.entailed_rows import entailed_file
from compsplit.describing.entailing import Entailing, derive_questions
from compsplit.describing.program_rows import check_rows_file, write_rows
from compsplit.describing.programs import DescribedPrograms, described_programs
from compsplit.errors import UsageError
from compsplit.files import text_of
from compsplit.model.report import Report
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.table import Input, QATable
from compsplit.programs.entailment import LIMIT
from compsplit.programs.vocabulary import Vocabulary, common_words
from compsplit.readers import detected, inputs
from compsplit.recipe.running import Watch, no_watch, read_table
from compsplit.recipe.scene_join import join_scenes
from compsplit.registry import plugin

if TYPE_CHECKING:
    pass
from compsplit.api.given import known_scenes


def describe_programs(
    *files: Any,
    scenes: Any = None,
    vocabulary: str | Path | None = None,
    out: str | Path | None = None,
    force: bool = False,
    allow_unjoined: bool = False,
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> DescribedPrograms:
    """Return what the programs of questions say: types, steps, labels, equivalents, and answers on scenes.

    Args:
        files: As for ``read``; a table that was read already will do, too.
        scenes: Files of the images' scenes, or scenes; each program is answered on its scene.
        vocabulary: File of kinds, classes and converses, beside our own tables.
        out: File to write, one line a question: ``.csv`` or ``.jsonl``.
        force: Replace what is there.
        allow_unjoined: Whether questions may be about images without a scene.
        format: Name of a reader.
        watch: Told each stage.
        options: The reader's options; lists, and ids of objects where there are scenes, are kept where it can.

    Raises:
        UsageError: No question has a program, or questions have no scene.
        OutputExistsError: The file is there, and ``force`` is not set.
    """
    if out is not None:
        check_rows_file(Path(out), force)
    table, known, words = _programs_read(files, scenes, vocabulary, format, watch, options)
    found = described_programs(table, known, words=words, allow_unjoined=allow_unjoined, watch=watch)
    if out is not None:
        watch("writing")
        write_rows(found, Path(out), force=force)
    return found


def entail(
    *files: Any,
    mode: str = "match",
    scenes: Any = None,
    vocabulary: str | Path | None = None,
    limit: int = LIMIT,
    closed: Sequence[str] = (),
    out: str | Path | None = None,
    force: bool = False,
    allow_unjoined: bool = False,
    format: str | None = None,
    watch: Watch = no_watch,
    **options: Any,
) -> Report:
    """Return what the rules of entailment derive from questions with their answers, and how far the data agree.

    Args:
        files: As for ``describe_programs``.
        mode: ``"match"`` derives questions that the data have about the image, ``"generate"`` makes them.
        scenes: Files of the images' scenes, or scenes; each derived question is answered on its scene.
        vocabulary: File of kinds, classes and relations, beside our own tables; its ``exclusive`` kinds have one value.
        limit: Derived questions at most, of one question.
        closed: Kinds with two values of which a thing always has one: no to one is yes to the other.
        out: File to write, one line a derived question: ``.csv`` or ``.jsonl``.
        force: Replace what is there.
        allow_unjoined: Whether questions may be about images without a scene.
        format: Name of a reader.
        watch: Told each stage.
        options: The reader's options.

    Raises:
        UsageError: No question has a program, or questions have no scene.
        OptionValueError: ``mode`` or ``limit`` cannot be.
        OutputExistsError: The file is there, and ``force`` is not set.
    """
    asked = Entailing(mode, limit, frozenset(closed))
    if out is not None:
        check_rows_file(Path(out), force)
    table, known, words = _programs_read(files, scenes, vocabulary, format, watch, options)
    join = None if known is None else join_scenes(table, known, allow_unjoined=allow_unjoined)
    if out is None:
        return derive_questions(table, join, words, asked, watch=watch)
    with entailed_file(Path(out), force=force) as write:
        return derive_questions(table, join, words, asked, write=write, watch=watch)


def _programs_read(
    files: Sequence[Any],
    scenes: Any,
    vocabulary: str | Path | None,
    format: str | None,
    watch: Watch,
    options: Mapping[str, Any],
) -> tuple[QATable, SceneTable | None, Vocabulary]:
    """Return questions with their lists, and with the ids of objects where there are scenes; scenes; and words."""
    words = common_words()
    if vocabulary is not None:
        path = Path(vocabulary)
        words = words.with_file(text_of(Input(path, path.stem)), path.name)
    watch("reading")
    known = known_scenes(scenes, options)
    if len(files) == 1 and isinstance(files[0], QATable):
        table: RowTable = files[0]
    else:
        if files and all(isinstance(file, str | Path) for file in files):
            files = inputs(files)
            format = format or detected(files)
            wanted = {"keep_lists": True, **({"keep_object_ids": True} if known is not None else {})}
            kept = plugin("reader", format).options
            options = {**{name: value for name, value in wanted.items() if name in kept}, **options}
        table = read_table(files, format, options)
    if not isinstance(table, QATable):
        raise UsageError(f"The files hold scenes ({table.format}); programs are of questions.", field="format")
    return table, known, words
