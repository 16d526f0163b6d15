"""Every figure of the official VQA program's runs, beside what compsplit gives for it."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import compsplit
from compsplit.errors import CompsplitError
from compsplit.evaluation.prediction_join import JoinRules, joined
from compsplit.metrics import vqa_2017, vqa_2021
from compsplit.metrics.vqa_normalising import normalised, with_digits, without_punctuation
from compsplit.model.answered import Answered, RowMean, Scored
from compsplit.model.column import Column
from compsplit.model.report import Undefined
from compsplit.model.table import QATable
from compsplit.readers.predictions import predictions_of

RELEASES = {"2021_head": vqa_2021, "2017_release": vqa_2017}

_UNCHANGED = (
    "the official program changes the ground truth in place, so that its second call gives another figure; compsplit "
    "changes no input and gives the first figure again"
)
_NOBODY = (
    "a division by zero there; here a question that nobody answered is not counted, which is told, and the accuracy "
    "over no question is undefined"
)
EXCEPTIONS = {
    **{f"edge_cases/evaluated_twice/2021_head/call 2/{name}": _UNCHANGED for name in ("1", "2", "overall")},
    **{f"edge_cases/no_answers/{release}": _NOBODY for release in RELEASES},
}
"""Figures that are not to agree, and why."""


@dataclass(frozen=True)
class Figure:
    """One figure: the official one, and ours."""

    name: str
    official: object
    ours: object

    @property
    def agrees(self) -> bool:
        """Whether both are the same text, or the same number to 1e-9."""
        if isinstance(self.official, str):
            return self.official == self.ours
        return isinstance(self.ours, float) and abs(float(str(self.official)) - self.ours) <= 1e-9


def figures(folder: Path) -> Iterator[Figure]:
    """Yield every figure of the folder: strings, contractions, and both releases' runs, figure by figure."""
    yield from _strings(folder)
    yield from _main(folder)
    yield from _edge_cases(folder)


def rounded(value: Fraction, places: int) -> float:
    """Return a value as Python 2 rounds it: halves away from zero."""
    return float(Fraction(int(abs(value) * 10**places + Fraction(1, 2)), 10**places) * (1 if value >= 0 else -1))


def answered(table: QATable, results: Sequence[Mapping[str, Any]]) -> Answered:
    """Return the rows with their predictions, joined as the official program does: the last of an id wins.

    Empty text is a prediction there: it equals answers of which normalising leaves nothing.
    """
    values = {str(each["question_id"]): each["answer"] for each in results}
    given = predictions_of(values, "model")
    empty = Column.of(["" if value == "" else None for value in values.values()])
    given = dataclasses.replace(given, values=given.values.or_else(empty))
    scored = np.ones(len(table), dtype=bool)
    found = joined(table, given, scored, JoinRules())
    return Answered(table=table, predictions=found.values, not_text=found.not_text, scored=found.scored)


def read(*files: Path) -> QATable:
    """Return questions with the answers of people; annotations alone will do."""
    return compsplit.read(*files, format="vqa", keep_answers=True, without_questions=True)


def _strings(folder: Path) -> Iterator[Figure]:
    steps = {"punctuation": without_punctuation, "digit_article": with_digits, "both": normalised}
    for name in ("normalise_strings", "normalise_contractions"):
        for number, each in enumerate(json.loads((folder / f"{name}.json").read_text("utf-8")), start=1):
            for step, function in steps.items():
                if step in each:
                    yield Figure(f"{name}/{number}/{step}", each[step], function(each["input"]))


def _main(folder: Path) -> Iterator[Figure]:
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    rows = answered(
        read(folder / "questions.json", folder / "annotations.json"),
        json.loads((folder / "results.json").read_text("utf-8")),
    )
    for release, module in RELEASES.items():
        runs = expected[release]
        (mean,) = module.measure(rows).means
        everywhere = np.ones(len(rows), dtype=bool)
        yield from _means(f"main/{release}", runs["main"]["accuracy"], mean, everywhere, 2)
        yield from _means(f"main_precision_10/{release}", runs["main_precision_10"], mean, everywhere, 10)
        for kind in ("evalQA", "evalQuesType", "evalAnsType"):
            yield from _questions(f"main/{release}/{kind}", runs["main"][kind], rows, mean, 2)
        first = runs["first_30_questions"]
        asked = np.isin(rows.table.ids, np.array(list(map(str, first["question_ids"])), dtype=rows.table.ids.dtype))
        yield from _means(f"first_30_questions/{release}", first["accuracy"], mean, asked, 2)


def _means(
    name: str, official: Mapping[str, Any], mean: RowMean, rows: np.ndarray[Any, np.dtype[np.bool_]], places: int
) -> Iterator[Figure]:
    yield Figure(f"{name}/overall", official["overall"], _value(mean, rows, places))
    for key, by in (("perQuestionType", "question type"), ("perAnswerType", "answer type")):
        column = mean.by[by]
        for type_, value in official[key].items():
            of_type = column.codes == column.names.index(type_)
            yield Figure(f"{name}/{key}/{type_}", value, _value(mean, rows & of_type, places))


def _value(mean: RowMean, rows: np.ndarray[Any, np.dtype[np.bool_]], places: int) -> object:
    value, _ = mean.over(rows)
    if isinstance(value, Undefined):
        return value.reason
    return rounded(Fraction(value), places)


def _questions(name: str, official: Mapping[str, Any], rows: Answered, mean: RowMean, places: int) -> Iterator[Figure]:
    place = {each: row for row, each in enumerate(rows.table.ids.tolist())}
    for key, value in official.items():
        for id_, score in (value if isinstance(value, dict) else {key: value}).items():
            alone = np.arange(len(rows)) == place[id_]
            label = f"{name}/{key}/{id_}" if isinstance(value, dict) else f"{name}/{key}"
            yield Figure(label, score, _value(mean, alone, places))


def _edge_cases(folder: Path) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as made:
        for case in json.loads((folder / "edge_cases.json").read_text("utf-8")):
            file = Path(made, f"{case['name']}.json")
            file.write_text(json.dumps(case["annotations"]), "utf-8")
            for release, module in RELEASES.items():
                yield from _case(case, release, module, file)


def _case(case: Mapping[str, Any], release: str, module: Any, file: Path) -> Iterator[Figure]:
    expected = case[f"expected_{release}"]
    name = f"edge_cases/{case['name']}/{release}"
    if "raises" in expected:
        yield Figure(name, "an error", _outcome(case, module, file))
        return
    table = read(file)
    calls = expected.get("calls", [expected])
    for number, call in enumerate(calls, start=1):
        rows = answered(table, case["results"])
        # Without ids for answers, the official program leaves equal records out together.
        (mean,) = module.measure(rows, equal_records="drop").means
        prefix = f"{name}/call {number}" if len(calls) > 1 else name
        yield Figure(f"{prefix}/overall", call["overall"], _value(mean, np.ones(len(rows), dtype=bool), case["n"]))
        yield from _questions(prefix, call["evalQA"], rows, mean, case["n"])


def _outcome(case: Mapping[str, Any], module: Any, file: Path) -> object:
    """Return ``an error`` if there is a clear one, else what there is."""
    try:
        said: Scored = module.measure(answered(read(file), case["results"]))
    except CompsplitError:
        return "an error"
    return _value(said.means[0], np.ones(len(case["annotations"]), dtype=bool), case["n"])
