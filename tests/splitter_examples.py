"""Small data of every kind, and for each splitter recipes that divide them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compsplit.order import uniforms

QUESTIONS, SCENES = "questions.csv", "scenes.jsonl"

THINGS = ("ball", "cat", "cube", "dog", "hat")
COLOURS = ("blue", "green", "grey", "red")
KINDS = ("what colour is the", "where is the", "is there a")
_HEADER = ("id", "image", "question", "answer", "question_type", "colour", "thing", "step", "of")


@dataclass(frozen=True)
class Example:
    """A recipe, and the data it is for."""

    data: str
    recipe: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)

    def placed(self, folder: Path) -> dict[str, Any]:
        """Write the files that the recipe names (@NAME) to a folder, and return the recipe with their paths."""
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")

        def put(value: Any) -> Any:
            if isinstance(value, Mapping):
                return {key: put(each) for key, each in value.items()}
            return str(folder / value[1:]) if isinstance(value, str) and value.startswith("@") else value

        return put(self.recipe)  # type: ignore[no-any-return]  # a mapping gives one

    def written(self, folder: Path, seed: int, n: int) -> Path:
        """Write data of n rows that a seed decides, and return their file."""
        path = folder / self.data
        path.write_text(rows_of(self.data, seed, n), encoding="utf-8", newline="")
        return path


def rows_of(data: str, seed: int, n: int, order: list[int] | None = None) -> str:
    """Return n rows, which a seed decides, as text; in another order where one is given."""
    rows = [_question(i, _draws(seed, i)) if data == QUESTIONS else _scene(i, _draws(seed, i)) for i in range(n)]
    rows = rows if order is None else [rows[i] for i in order]
    if data == SCENES:
        return "".join(json.dumps(row) + "\n" for row in rows)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([_HEADER, *rows])
    return text.getvalue()


def _draws(seed: int, row: int) -> list[float]:
    return uniforms(seed, f"row {row}", 24).tolist()  # type: ignore[no-any-return]  # numpy gives floats


def _among(values: Any, draw: float) -> Any:
    # Squared, so that the first values are common and the last are rare.
    return values[int(draw * draw * len(values))]


def _question(number: int, draws: list[float]) -> tuple[str, ...]:
    kind, thing, colour = _among(KINDS, draws[0]), _among(THINGS, draws[1]), _among(COLOURS, draws[2])
    more = f" {_among(COLOURS, draws[3])} {_among(THINGS, draws[4])}" if draws[5] > 0.6 else ""
    question = f"{kind} {thing}{' near the' if more else ''}{more}?"
    if draws[10] < 0.15:
        question = thing
    answer = colour if kind == KINDS[0] else _among(("yes", "no", "left"), draws[6])
    steps = " ".join(["select"] * (1 + int(draws[7] * 4)))
    part = "test" if draws[8] > 0.7 else "train"
    return (f"q{number:03}", f"i{int(draws[9] * 12):02}", question, answer, kind, colour, thing, steps, part)


def _scene(number: int, draws: list[float]) -> dict[str, Any]:
    n = int(draws[0] * 4)
    objects = [
        {"class": _among(THINGS, draws[1 + 2 * k]), "attributes": [_among(COLOURS, draws[2 + 2 * k])]} for k in range(n)
    ]
    relations = [[0, _among(("on", "by"), draws[20]), 1]] if n > 1 and draws[21] > 0.3 else []
    return {"id": f"s{number:03}", "image": f"i{int(draws[22] * 20):02}", "objects": objects, "relations": relations}


EXAMPLES: dict[str, list[Example]] = {
    "random": [
        Example(QUESTIONS, {"group": {"by": "image"}, "split": {"method": "random"}}),
        Example(QUESTIONS, {"group": {"by": "image"}, "split": {"method": "random", "shares_of": "groups"}}),
    ],
    "by-group": [Example(QUESTIONS, {"split": {"method": "by-group", "column": "image"}})],
    "cover": [
        Example(
            QUESTIONS,
            {"extract": {"of": "qa"}, "group": {"by": "question-answer"}, "split": {"method": "cover"}},
        )
    ],
    "greedy-coverage": [
        Example(
            QUESTIONS,
            {"extract": {"of": "qa"}, "group": {"by": "question-answer"}, "split": {"method": "greedy-coverage"}},
        )
    ],
    "changing-priors": [
        Example(QUESTIONS, {"group": {"by": "question-type-answer"}, "split": {"method": "changing-priors"}})
    ],
    "declared": [Example(QUESTIONS, {"split": {"method": "declared", "column": "of"}})],
    "compound-holdout": [
        Example(QUESTIONS, {"extract": {"of": "colour+thing"}, "split": {"method": "compound-holdout"}}),
        Example(
            SCENES, {"extract": {"of": "object-pairs"}, "split": {"method": "compound-holdout", "choose": "rarest"}}
        ),
        Example(
            SCENES,
            {
                "extract": {"of": "attribute-objects"},
                "group": {"by": "image"},
                "split": {"method": "compound-holdout", "choose": "commonest"},
            },
        ),
    ],
    "condition": [
        Example(
            QUESTIONS,
            {"split": {"method": "condition", "train": "colour != blue", "test": "thing == ball"}},
        ),
        Example(
            SCENES,
            {
                "extract": {"of": "attribute-objects"},
                "split": {"method": "condition", "train_file": "@condition.json"},
            },
            {"condition.json": json.dumps({"ball": ["blue"], "cat": ["green", "grey", "red"]})},
        ),
    ],
    "co-occurrence-groups": [
        Example(SCENES, {"extract": {"of": "object-pairs"}, "split": {"method": "co-occurrence-groups", "k": 2}}),
        Example(
            SCENES,
            {
                "extract": {"of": "object-pairs"},
                "split": {"method": "co-occurrence-groups", "k": 2, "partition": "search", "swapped": True},
            },
        ),
    ],
    "head-tail": [Example(QUESTIONS, {"split": {"method": "head-tail", "group": "question_type", "alpha": 0.5}})],
    "length": [Example(QUESTIONS, {"split": {"method": "length", "parts": {"train": "1/2", "test": "1/2"}}})],
    "primitive": [Example(QUESTIONS, {"split": {"method": "primitive", "word": "ball"}})],
    "template": [Example(QUESTIONS, {"split": {"method": "template"}})],
    "unseen-word": [
        Example(
            QUESTIONS, {"extract": {"of": "question-words"}, "split": {"method": "unseen-word", "of": "question words"}}
        )
    ],
    "unseen-object": [
        Example(SCENES, {"extract": {"of": "object-classes"}, "split": {"method": "unseen-object", "choose": "rare"}})
    ],
    "union": [
        Example(
            QUESTIONS,
            {
                "extract": {"of": "colour+thing"},
                "split": {
                    "method": "union",
                    "of": [
                        {"method": "compound-holdout", "parts": {"train": "3/4", "test": "1/4"}},
                        {"method": "condition", "test": "thing == ball"},
                    ],
                },
            },
        )
    ],
    "intersection": [
        Example(
            QUESTIONS,
            {
                "split": {
                    "method": "intersection",
                    "of": [{"method": "condition", "test": "colour == blue"}, {"method": "random"}],
                }
            },
        )
    ],
    "inside": [
        Example(
            QUESTIONS,
            {
                "split": {
                    "method": "inside",
                    "first": {"method": "random"},
                    "part": "train",
                    "then": {"method": "random", "parts": {"train": "3/4", "val": "1/4"}},
                }
            },
        )
    ],
    "divergence": [
        Example(
            QUESTIONS,
            {
                "extract": {"of": "word-ngrams"},
                "split": {"method": "divergence", "left_out": 0.25, "atom_divergence": 0.1, "proposals": 2000},
            },
        )
    ],
}
"""For each splitter, what it is shown with; tests of all splitters go over these."""
