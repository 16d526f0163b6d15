"""Print how far each reducer agrees with the hand-labelled questions, and with a tail of rare inflected words.

    python benchmarks/reducer_gold.py [FOLDER] [--spacy-model NAME] [--nltk-data FOLDER]

FOLDER holds ``questions.jsonl``, ``same_pairs.jsonl`` and ``different_pairs.jsonl``; by default ``shared/gold/reducer``
beside the project. A reducer that lacks its data says so.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from compsplit.errors import ResourceError
from compsplit.reducers.front_end import FrontEnd
from compsplit.reducers.lexical import LexicalReducer
from compsplit.reducers.nltk_wordnet import NltkReducer
from compsplit.reducers.spacy_pipeline import SpacyReducer

HERE = Path(__file__).resolve().parent
COLUMNS = ("exact", "joined, needs nothing", "joined, all", "apart", "tail wrong")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=HERE.parents[1] / "shared" / "gold" / "reducer")
    parser.add_argument("--spacy-model")
    parser.add_argument("--nltk-data")
    asked = parser.parse_args(arguments)

    made: dict[str, Callable[[], FrontEnd]] = {
        "lexical": LexicalReducer,
        "lexical, phrases removed": lambda: LexicalReducer(phrases="remove"),
        "spacy, lookup table": SpacyReducer,
        "nltk": lambda: NltkReducer(data=asked.nltk_data),
        "nltk, WordNet alone": lambda: NltkReducer(data=asked.nltk_data, own_tables=False),
    }
    if asked.spacy_model:
        made[f"spacy, {asked.spacy_model}"] = lambda: SpacyReducer(model=asked.spacy_model)

    print(f"{'reducer':32}" + "".join(f"{column:>23}" for column in COLUMNS))
    for name, make in made.items():
        try:
            reducer = make()
        except ResourceError as error:
            print(f"{name:32}{error}")
            continue
        labels = "expected_phrases_removed" if "phrases removed" in name else "expected"
        cells = (f"{n} of {of}" for n, of in agreement(reducer, asked.folder, labels))
        print(f"{name:32}" + "".join(f"{cell:>23}" for cell in cells))


def agreement(reducer: FrontEnd, folder: Path, labels: str) -> list[tuple[int, int]]:
    """Return for each of COLUMNS how many, and of how many."""
    questions = [record for record in _records(folder / "questions.jsonl") if labels in record]
    reduced = reducer.reduce([record["question"] for record in questions])
    same = _records(folder / "same_pairs.jsonl")
    needing_nothing = [record for record in same if record["needs"] == "nothing"]
    different = _records(folder / "different_pairs.jsonl")
    tail = [line.split() for line in (HERE / "reducer_tail.txt").read_text("utf-8").splitlines() if line[0] != "#"]
    return [
        (sum(is_right(*pair, labels) for pair in zip(reduced, questions, strict=True)), len(questions)),
        (sum(_meet(reducer, record) for record in needing_nothing), len(needing_nothing)),
        (sum(_meet(reducer, record) for record in same), len(same)),
        (sum(not _meet(reducer, record) for record in different), len(different)),
        (sum(reducer.answer([form]) != [base] for form, base in tail), len(tail)),
    ]


def is_right(concepts: Sequence[str], record: dict[str, Any], labels: str) -> bool:
    """Tell whether concepts are those of the label, or at each place one that the label also admits."""
    also = record.get("also_ok", {}) if labels == "expected" else {}
    return len(concepts) == len(record[labels]) and all(
        concept == expected or concept in also.get(str(place), ())
        for place, (concept, expected) in enumerate(zip(concepts, record[labels], strict=True))
    )


def _meet(reducer: FrontEnd, pair: dict[str, Any]) -> bool:
    first, second = reducer.reduce([pair["a"], pair["b"]])
    return first == second


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
