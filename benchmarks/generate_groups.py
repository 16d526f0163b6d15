"""Make the rows that the group rule is measured on: questions of GQA's shape, and scenes of UOUC's make-up.

    python benchmarks/generate_groups.py questions FILE.csv [--rows N]
    python benchmarks/generate_groups.py scenes FILE.jsonl GROUPS.csv [--rows N]

Everything comes from a counter-based generator keyed by names, so the same call gives the same bytes everywhere.

**Questions** (942,000 on 72,140 images over 1,703 classes; the numbers are of GQA's balanced train part, and of UOUC's
table 1): a CSV with id, image, question, answer and the classes that the question mentions.

* Classes a question: 0, 1, 2, 3, 4 with chances 3.5, 36.8, 45.6, 12.1, 2.0 %. The 57 real GQA records that this project
  has mention 0 in 2, 1 in 21, 2 in 26 and 3 in 8 of them (3.5, 36.8, 45.6, 14.0 %); that a seventh of the last mention
  four is assumed, since 8 % of GQA's questions have four steps or more. Mean 1.72.
* Class c (by rank, from 0) has a weight of 1 / (c + 5) ** 1.05: a long tail, whose commonest class has 3 % of the
  mentions. The exponent is assumed (Zipf's law with Mandelbrot's shift); nothing that we have tells it.
* Topics: 30, such as kitchen or street. Class c belongs to one or two of them, at random. An image has a topic (topic t
  with a weight of 1 / (t + 3)) and 16 objects; 7 of 10 are drawn from the classes of its topic, the others from all,
  by weight. The classes that a question mentions are different ones of its image's objects.

**Scenes** (20,000 for each of 10 groups in train, 30,000 in test): 380 classes in 10 groups of 38; 4, 5 or 6 objects,
each with chance 1/3; train scenes draw from one group with replacement, test scenes one class of each of as many
different groups. To both 5 % are added that the rule forbids, half of them a train scene with an object of another
group, half a test scene with a class twice, so that what is left out is known. The ids say what a scene is.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from compsplit.order import uniforms

N_QUESTIONS, N_IMAGES, N_CLASSES = 942_000, 72_140, 1_703
MENTIONS = (0.035, 0.368, 0.456, 0.121, 0.020)
N_TOPICS, N_OBJECTS = 30, 16
SHIFT, POWER = 5.0, 1.05
FROM_TOPIC = 0.7
UOUC_CLASSES, UOUC_GROUPS = 380, 10
UOUC_TRAIN, UOUC_TEST = 200_000, 30_000


def drawn(weights: NDArray[np.float64], name: str, count: int) -> NDArray[np.int64]:
    """Return places of weights, as often as their share says; shape (count,)."""
    whole = np.cumsum(weights)
    return np.searchsorted(whole / whole[-1], uniforms(0, name, count), side="right").astype(np.int64)


def image_objects(n_images: int) -> NDArray[np.int64]:
    """Return the classes of each image's objects, shape (n_images, N_OBJECTS)."""
    weights = 1 / (np.arange(N_CLASSES) + SHIFT) ** POWER
    topic = drawn(1 / (np.arange(N_TOPICS) + 3.0), "topics of images", n_images)
    first = (uniforms(0, "topics of classes", N_CLASSES) * N_TOPICS).astype(np.int64)
    second = (uniforms(0, "second topics", 2 * N_CLASSES) * N_TOPICS).astype(np.int64)[:N_CLASSES]
    objects = drawn(weights, "objects", n_images * N_OBJECTS).reshape(n_images, N_OBJECTS)
    of_topic = (uniforms(0, "objects of topics", n_images * N_OBJECTS) < FROM_TOPIC).reshape(n_images, N_OBJECTS)
    for t in range(N_TOPICS):
        images = np.flatnonzero(topic == t)
        members = np.flatnonzero((first == t) | (second == t))
        mine = drawn(weights[members], f"objects of topic {t}", len(images) * N_OBJECTS)
        objects[images] = np.where(of_topic[images], members[mine].reshape(len(images), N_OBJECTS), objects[images])
    return objects


def questions(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the image of each question, and the classes that it mentions as starts and classes."""
    n_images = max(n * N_IMAGES // N_QUESTIONS, 1)
    image = (uniforms(0, "images", n) * n_images).astype(np.int64)
    wanted = drawn(np.array(MENTIONS), "mentions", n)
    objects = image_objects(n_images)
    most = len(MENTIONS) - 1
    chosen = np.full((n, most), -1, dtype=np.int64)
    for m in range(most):
        places = (uniforms(0, f"mention {m}", n) * N_OBJECTS).astype(np.int64)
        for step in range(N_OBJECTS):
            # An object of a class that is mentioned already gives way to the next one.
            classes = objects[image, (places + step) % N_OBJECTS]
            open_ = (chosen[:, m] < 0) & (wanted > m) & ~(chosen[:, :m] == classes[:, None]).any(axis=1)
            chosen[open_, m] = classes[open_]
    there = chosen >= 0
    starts = np.append(0, np.cumsum(there.sum(axis=1)))
    return image, starts, chosen[there]


def class_name(code: int) -> str:
    """Return the name of a class."""
    return f"class {code}"


def write_questions(path: Path, n: int) -> None:
    """Write questions as a CSV that the reader of tables knows."""
    image, starts, classes = questions(n)
    verb = drawn(np.ones(7), "verbs", n).tolist()
    answer = drawn(1 / (np.arange(1500) + 2.0), "answers", n).tolist()
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("id", "image", "question", "answer", "mentioned"))
        for row in range(n):
            names = [class_name(code) for code in classes[starts[row] : starts[row + 1]].tolist()]
            text = f"form {verb[row]} of {' and '.join(names) or 'this'}?"
            lines.writerow((f"{row:07}", f"n{image[row]}", text, f"answer {answer[row]}", ";".join(names)))


def scenes(n_train: int = UOUC_TRAIN, n_test: int = UOUC_TEST) -> list[tuple[str, list[int]]]:
    """Return the id and the classes of each scene; the ids begin with what it is: train, test, or left-out.

    Class c is in group c modulo 10.
    """
    made = []
    extra = n_test // 20
    kinds = ["train"] * n_train + ["test"] * n_test + ["left-out-train"] * extra + ["left-out-test"] * extra
    sizes = 4 + (uniforms(0, "sizes", len(kinds)) * 3).astype(np.int64)
    many = uniforms(0, "classes", len(kinds) * 20).reshape(len(kinds), 20)
    per_group = UOUC_CLASSES // UOUC_GROUPS
    for number, (kind, size) in enumerate(zip(kinds, sizes.tolist(), strict=True)):
        draws = many[number]
        places = (draws[:size] * per_group).astype(np.int64)
        if kind.endswith("train"):
            groups = np.full(size, int(draws[19] * UOUC_GROUPS))
            if kind != "train":
                groups[0] = (groups[0] + 1) % UOUC_GROUPS
        else:
            groups = np.argsort(draws[6 : 6 + UOUC_GROUPS], kind="stable")[:size]
        classes = (places * UOUC_GROUPS + groups).tolist()
        if kind == "left-out-test":
            classes[0] = classes[1]
        made.append((f"{kind}-{number:06}", classes))
    return made


def write_scenes(path: Path, groups: Path, n_train: int, n_test: int) -> None:
    """Write scenes in compsplit's own layout, one a line, and the file that says the group of each class."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for name, classes in scenes(n_train, n_test):
            objects = [{"class": class_name(code)} for code in classes]
            file.write(json.dumps({"id": name, "image": name, "objects": objects}) + "\n")
    with groups.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("class", "group"))
        lines.writerows((class_name(code), code % UOUC_GROUPS + 1) for code in range(UOUC_CLASSES))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("questions", "scenes"))
    parser.add_argument("file", type=Path)
    parser.add_argument("groups", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, help="Questions, or train scenes; three test scenes for 20 of these.")
    arguments = parser.parse_args()
    if arguments.what == "questions":
        write_questions(arguments.file, arguments.rows or N_QUESTIONS)
        return
    if arguments.groups is None:
        parser.error("name the file of groups, too")
    n_train = arguments.rows or UOUC_TRAIN
    write_scenes(arguments.file, arguments.groups, n_train, n_train * UOUC_TEST // UOUC_TRAIN)


if __name__ == "__main__":
    main()
