"""Vocabulary coverage: questions of a part whose every word the reference part has, and answers that it has.

Source: Hudson and Manning 2019, arXiv 1902.09506, section 3 (GQA's vocabulary covers 88.8 % of VQA's questions and
70.6 % of its answers). Words: lower-cased, split at white space, outer punctuation off, as extracted; answers in
normalised form. Made for two data sets; between parts of one it says what a model trained on words can read. Cost:
O(non-zeros).
"""

from __future__ import annotations

import numpy as np

from compsplit.audits.parts import held, references
from compsplit.model.incidence import Incidence
from compsplit.model.report import Audited, Measure, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.registry import register

_SOURCE = "Hudson and Manning 2019, arXiv 1902.09506, section 3"
_WORDS = "question words"


@register("audit", "vocabulary-coverage", source=_SOURCE, unit="fraction", bounds=(0, 1), better="higher")
def vocabulary_coverage(rows: Rows, split: Split) -> Audited:
    """Share of the questions of a part all of whose words are in the reference part, and of answers that are."""
    measures = []
    atoms = (each.atoms for each in rows.compounds.values())
    words = next((each for each in atoms if isinstance(each, Incidence) and each.of == _WORDS), None)
    if words is not None:
        filled = np.diff(words.starts) > 0
        for reference, part in references(split):
            ours = split.rows_in(reference)
            known = words.occurrences(ours) > 0
            lacking = np.zeros(len(words.concepts) + 1, dtype=np.int64)
            np.cumsum(~known[words.concepts], out=lacking[1:])
            covered = (np.diff(lacking[words.starts]) == 0) & filled
            weights = words.rows_of_bags(split.rows_in(part))
            n = int(weights[filled].sum())
            told = f"{part if known.any() else reference} has no question with a word"
            value = ratio(int(weights[covered].sum()), n if known.any() else 0, told)
            measures.append(
                Measure(
                    name="vocabulary-coverage", of="questions by their words", value=value, n=n,
                    n_unit=f"questions of {part}", unit="fraction", reference=reference, part=part,
                )
            )  # fmt: skip
    answers = rows.columns.get("answer (normalised)")
    if answers is not None:
        for reference, part in references(split):
            shown, asked = (held(answers, split.rows_in(each)) for each in (reference, part))
            n = int(asked.sum())
            told = f"{part if shown.any() else reference} has no answer"
            value = ratio(int(asked[shown > 0].sum()), n if shown.any() else 0, told)
            measures.append(
                Measure(
                    name="vocabulary-coverage", of="answers", value=value, n=n, n_unit=f"answers of {part}",
                    unit="fraction", reference=reference, part=part, options={"form": "normalised"},
                )
            )  # fmt: skip
    return Audited(tuple(measures))
