"""What a probe leaves beside its report: every probe's predictions, and how hard each row is, as CSV."""

from __future__ import annotations

import re

import numpy as np

from compsplit.files import csv_lines
from compsplit.model.table import QATable
from compsplit.probing.difficulty import Difficulty
from compsplit.probing.divisions import Division
from compsplit.probing.probing import ProbedRows


def probe_files(found: ProbedRows) -> dict[str, str]:
    """Return file name -> text: ``SPLIT.PROBE.csv`` with id and prediction, and ``difficulty.SPLIT.csv``.

    Random splits are left out but for the first, where they stand for the original one. Rows stand by id as text.
    """
    texts = {}
    for each in found.results:
        for result in (each.base[0], each.new):
            ids = found.table.ids[result.division.test]
            order = np.argsort(ids, kind="stable")
            names = result.predictions.names
            columns = [ids[order].tolist(), [names[code] for code in result.predictions.codes[order].tolist()]]
            texts[f"{_slug(result.division.name)}.{_slug(each.name)}.csv"] = "id,prediction\n" + csv_lines(columns)
    if found.difficulty is not None:
        for division, hard in zip((found.base[0], found.new), found.difficulty, strict=True):
            texts[f"difficulty.{_slug(division.name)}.csv"] = _difficulty_text(found.table, division, hard)
    return texts


def _difficulty_text(table: QATable, division: Division, hard: Difficulty) -> str:
    rows = division.test[np.argsort(table.ids[division.test], kind="stable")]
    names = (*hard.names, "")
    columns = [
        table.ids[rows].tolist(),
        list(map(str, hard.n_pairs[rows].tolist())),
        list(map(str, hard.n_unseen[rows].tolist())),
        [f"{value:.12g}" for value in hard.similarity[rows].tolist()],
        [f"{value:.12g}" for value in hard.difficulty[rows].tolist()],
        [names[code] for code in hard.hardest[rows].tolist()],
    ]
    return "id,pairs,unseen_pairs,similarity,difficulty,hardest_pair\n" + csv_lines(columns)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
