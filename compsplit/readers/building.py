"""What every reader of question-answer pairs does with its rows: ids, scopes, repeated ids, the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import RepeatedIdError, counted
from compsplit.model.column import Column, Texts, all_differ, as_texts, frozen, texts
from compsplit.model.report import Finding
from compsplit.model.table import QATable

IdScope = Literal["all", "file"]


def row_ids(
    written: Sequence[NDArray[Any]],
    sources: Sequence[str],
    images: Column,
    *,
    field: str,
    id_scope: IdScope,
    new_ids: bool,
    file: str | None,
    noun: str = "question",
    mend: str | None = None,
) -> tuple[Texts, bool]:
    """Return the ids of all rows, and whether they are qualified by source.

    Args:
        written: The ids of each file, int64 or packed text.
        sources: The name of each file.
        images: The image of each row, to explain repeated ids.
        field: Name of the id field.
        id_scope: ``"all"``: ids must differ over all files; ``"file"``: within each file, and are qualified.
        new_ids: Number the rows instead.
        file: The file to name in an error.
        noun: What has an id.
        mend: What to do about ids that one file repeats, where it is not --new-ids.

    Raises:
        RepeatedIdError: An id names two rows.
    """
    if new_ids:
        return texts(
            f"{name}:{i + 1}" for name, ids in zip(sources, written, strict=True) for i in range(len(ids))
        ), True
    if id_scope == "all" and _all_differ(written):
        return frozen(np.concatenate([as_texts(each) for each in written])), False
    if id_scope == "file":
        flat = [f"{name}:{each}" for name, ids in zip(sources, written, strict=True) for each in ids.tolist()]
        ids = texts(flat)
    else:
        ids = np.concatenate([as_texts(each) for each in written]) if len(written) != 1 else as_texts(written[0])
    if not all_differ(ids):
        raise _repeated(ids.tolist(), written, images, field, id_scope, file, noun, mend)
    return frozen(ids), id_scope == "file"


def _all_differ(written: Sequence[NDArray[Any]]) -> bool:
    """Tell whether the ids are whole numbers, all different; a sort is faster and smaller than a set of texts."""
    if any(each.dtype != np.int64 for each in written):
        return False
    whole = np.sort(np.concatenate(written))
    return not bool((whole[1:] == whole[:-1]).any())


def _repeated(
    ids: list[str],
    written: Sequence[NDArray[Any]],
    images: Column,
    field: str,
    id_scope: IdScope,
    file: str | None,
    noun: str,
    mend: str | None,
) -> RepeatedIdError:
    counts = Counter(ids)
    plain = [str(each) for part in written for each in part.tolist()]
    return RepeatedIdError(
        field,
        sorted(name for name, count in counts.items() if count > 1),
        file=file,
        n_ids=len(counts),
        n_rows=len(ids),
        # Ids that each file holds only once are repeated across files.
        across_files=id_scope == "all" and all(len(set(part.tolist())) == len(part) for part in written),
        noun=noun,
        mend=mend,
        # An id of a scene is often its image's.
        equal_to="image_id" if noun == "question" else None,
        n_equal=sum(name == image for name, image in zip(plain, images.values(), strict=True)),
    )


def not_number_findings(names: Iterable[str]) -> tuple[Finding, ...]:
    """Return a finding of the records, by id, that hold NaN or Infinity in a field that is not used."""
    known = sorted(names)
    if not known:
        return ()
    return (
        Finding(
            kind="not-a-number",
            count=len(known),
            first=tuple(known[:5]),
            message=f"{counted(len(known), 'record')} with NaN or Infinity in an unused field, copied as it is.",
        ),
    )


def twins(answers: Column) -> tuple[Finding, ...]:
    """Return a finding of the answers that differ in Unicode form or quotes alone."""
    forms: dict[str, list[str]] = {}
    for name in answers.names:
        if not name.isascii():
            forms.setdefault(folded(name), [])
    if forms:
        for name in answers.names:
            same = forms.get(folded(name))
            if same is not None:
                same.append(name)
    pairs = tuple(sorted(tuple(sorted(same)) for same in forms.values() if len(same) > 1))
    if not pairs:
        return ()
    return (
        Finding(
            kind="answer-twins",
            count=len(pairs),
            first=pairs[:5],
            message=f"{len(pairs):,} sets of answers differ only in Unicode form (NFKC) or in curly quotes; they are "
            "kept apart as written.",
        ),
    )


def folded(text: str) -> str:
    """Return text in Unicode form NFKC with straight quotes."""
    import unicodedata

    straight = text.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'})
    return unicodedata.normalize("NFKC", straight)


def built(**fields: Any) -> QATable:
    """Return the table, blank answers as no answer and findings about the answers added."""
    answers: Column = fields.pop("answers")
    answers = answers.renamed([name if name.strip() else None for name in answers.names])
    decisions: Mapping[str, int] = {name: n for name, n in fields.pop("decisions", {}).items() if n}
    findings = (*fields.pop("findings", ()), *twins(answers))
    return QATable(answers=answers, decisions=decisions, findings=findings, **fields)


def counted_once(answers: Column) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the number of answers where each row has one or none, shape (n_rows,)."""
    return (answers.codes >= 0).astype(np.int64)
