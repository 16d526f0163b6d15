"""Make a data set of the size and shape of VQA v1.0: 369,861 questions with 10 answers each, about 330 MB of JSON.

    python benchmarks/generate.py FOLDER [--questions N]

Four files in the official layout (questions and annotations, train2014 and val2014, shares as in VQA v1.0). Everything
comes from a counter-based generator keyed by names, so the same call gives the same bytes everywhere. What is made to
look like the real thing: question openings and their shares, Zipf-distributed content words, three or four questions an
image, answer types 38 % yes/no, 12 % number, 50 % other, answers skewed within a question type, and people who
disagree. No text of any data set is in it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from compsplit.order import uniforms

VQA_V1 = {"train2014": 248_349, "val2014": 121_512}
OPENINGS = {
    "yes/no": [
        ("is the {0} {1}?", 9), ("is this a {0}?", 8), ("are the {0}s {1}?", 5), ("is there a {0} in the {1}?", 4),
        ("is this {0} {1}?", 5), ("does the {0} have a {1}?", 3), ("are there {0}s in the {1}?", 3),
        ("is the {0} on the {1} {2}?", 5), ("do you see a {0}?", 2), ("is he wearing a {0}?", 2),
        ("can you see the {0} near the {1}?", 2), ("was this {0} taken in the {1}?", 2), ("could the {0} be {1}?", 1),
        ("is the {0} holding a {1} with {2}?", 3), ("are these {0}s for {1}?", 2),
    ],
    "number": [
        ("how many {0}s are there?", 12), ("how many {0}s are in the {1}?", 7), ("how many {0}s are {1}?", 5),
        ("what number is on the {0}?", 3), ("how many {0}s have {1}s?", 2), ("what time is on the {0} clock?", 1),
    ],
    "other": [
        ("what color is the {0}?", 12), ("what is the {0} {1}?", 7), ("what is on the {0}?", 4),
        ("what kind of {0} is this?", 5), ("what color are the {0}s?", 5), ("what is the color of the {0}?", 3),
        ("what type of {0} is on the {1}?", 4), ("where is the {0}?", 4), ("what is in the {0}?", 3),
        ("what is the {0} holding?", 3), ("what sport is being played on the {0}?", 1), ("who is {0} the {1}?", 2),
        ("why is the {0} {1}?", 3), ("what room is this?", 1), ("which {0} is {1}?", 2), ("what brand is the {0}?", 2),
        ("what animal is next to the {0} {1}?", 3), ("what does the {0} on the {1} say?", 4),
        ("what is the {0} made of?", 2), ("what are the {0}s {1} in the {2}?", 4),
    ],
}  # fmt: skip
SHARES = [("yes/no", 0.38), ("number", 0.12), ("other", 0.50)]
CONTENT = (
    "man woman boy girl people person dog cat horse cow sheep bird bear elephant giraffe zebra car bus truck "
    "train plane boat bike sign light street building house door window wall floor table chair bed couch lamp "
    "clock phone laptop screen keyboard book shirt hat shoe jacket glove tie bag umbrella kite ball bat racket "
    "skateboard surfboard snow beach ocean wave sky cloud tree flower grass field fence rock hill mountain water "
    "river bridge road plate bowl cup glass bottle fork knife spoon pizza cake sandwich apple banana orange "
    "carrot hot cold big small young old red blue green white black brown yellow open closed sunny wet dry "
    "sitting standing walking riding eating playing looking wearing flying sleeping smiling parked kitchen "
    "bathroom bedroom picture player team game food animal"
).split()
N_WORDS = 12_000
N_ANSWERS = 18_000
SYLLABLES = [first + last for first in "bcdfghjklmnprstvw" for last in "aeio"]


def word(number: int) -> str:
    """Return content word ``number``: real ones first, then made ones that no ending rule touches."""
    if number < len(CONTENT):
        return CONTENT[number]
    digits = []
    number = number - len(CONTENT) + len(SYLLABLES)
    while number:
        number, digit = divmod(number, len(SYLLABLES))
        digits.append(SYLLABLES[digit])
    return "".join(digits) + "k"


def zipf(u: np.ndarray, n: int, exponent: float, offset: float) -> np.ndarray:
    """Return ranks in [0, n) by a Zipf-Mandelbrot law, for uniform numbers of any shape."""
    weights = 1.0 / (np.arange(n) + offset) ** exponent
    return np.searchsorted(np.cumsum(weights) / weights.sum(), u).clip(0, n - 1)


def make(folder: Path, n_questions: int) -> list[Path]:
    """Write the four files and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [word(i) for i in range(N_WORDS)]
    answers = [word(i) if i % 3 else f"{word(i // 3)} {word(i)}" for i in range(N_ANSWERS)]
    paths = []
    total = sum(VQA_V1.values())
    for subset, size in VQA_V1.items():
        count = max(round(n_questions * size / total), 3)
        draw = {name: uniforms(0, f"{subset} {name}", count) for name in ("kind", "opening", "answer", "skew")}
        picks = zipf(uniforms(0, f"{subset} words", 3 * count).reshape(count, 3), N_WORDS, 1.05, 4.0)
        dissent = uniforms(0, f"{subset} dissent", 10 * count).reshape(count, 10)
        kinds = np.searchsorted(np.cumsum([share for _, share in SHARES]), draw["kind"]).clip(0, 2)
        weights = {kind: np.cumsum([w for _, w in openings]) for kind, openings in OPENINGS.items()}
        other = zipf(draw["answer"], N_ANSWERS, 1.1, 1.5)
        header = {
            "info": {"description": "Made data of the shape of VQA v1.0.", "version": "1.0", "year": 2015},
            "task_type": "Open-Ended", "data_type": "mscoco", "license": {"url": "", "name": "CC0"},
            "data_subtype": subset,
        }  # fmt: skip
        questions, annotations = [], []
        for i in range(count):
            kind = SHARES[kinds[i]][0]
            steps = weights[kind]
            which = int(np.searchsorted(steps, draw["opening"][i] * steps[-1], side="right"))
            opening = OPENINGS[kind][min(which, len(steps) - 1)][0]
            chosen = [words[k] for k in picks[i]]
            text = opening.format(*chosen)
            text = text[0].upper() + text[1:]
            skew = draw["skew"][i]
            if kind == "yes/no":
                truth, others = ("yes", "no") if draw["answer"][i] < 0.55 else ("no", "yes")
            elif kind == "number":
                truth, others = str(min(int(1 / (skew + 0.05)), 30)), "many"
            else:
                truth = answers[(other[i] + 7 * which) % N_ANSWERS if skew < 0.6 else other[i]]
                others = answers[(other[i] + 1) % N_ANSWERS]
            # Seven questions for two images, so that these data are not taken for VQA v1.0 itself (three for one).
            pair, place = divmod(i, 7)
            image = 1000 + 2 * (2 * pair + place // 4) + (subset == "val2014")
            number = image * 10 + place % 4
            given = [truth if dissent[i, k] > 0.2 or k == 0 else others for k in range(10)]
            questions.append({"question": text, "image_id": image, "question_id": number})
            annotations.append({
                "question_type": " ".join(opening.split("{")[0].split()[:3]),
                "multiple_choice_answer": truth,
                "answers": [
                    {"answer": a, "answer_confidence": "yes" if dissent[i, k] > 0.3 else "maybe", "answer_id": k + 1}
                    for k, a in enumerate(given)
                ],
                "image_id": image, "answer_type": kind, "question_id": number,
            })  # fmt: skip
        for name, key, records in (
            (f"OpenEnded_mscoco_{subset}_questions.json", "questions", questions),
            (f"mscoco_{subset}_annotations.json", "annotations", annotations),
        ):
            path = folder / name
            path.write_text(json.dumps({**header, key: records}), encoding="utf-8")
            paths.append(path)
    return paths


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=sum(VQA_V1.values()))
    arguments = parser.parse_args()
    for path in make(arguments.folder, arguments.questions):
        print(f"{path}  {path.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
