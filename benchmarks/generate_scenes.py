"""Make scenes of the size and shape of Visual Genome: 108,077 images, 33,877 class names, 72.5 million object pairs.

    python benchmarks/generate_scenes.py FILE.json [--images N]

One file in the layout of scene_graphs.json, about 690 MB. Everything comes from a counter-based generator keyed by
names, so the same call gives the same bytes everywhere. What is made to look like the real thing: about 36 objects and
21 relationships an image, names and predicates that are Zipf-distributed with a long tail, boxes, synsets, attributes
of six objects in ten, a third of the relationships' triples met in train. No text of any data set is in it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from compsplit.order import uniforms

VISUAL_GENOME = 108_077
N_CLASSES, N_PREDICATES, N_ATTRIBUTES = 33_877, 36_550, 18_000
SYLLABLES = [first + last for first in "bcdfghjklmnprstvw" for last in "aeiou"]


def n_objects(n_images: int) -> NDArray[np.int64]:
    """Return how many objects each image has: about 36, spread 9, at least none; shape (n_images,)."""
    u = sum(uniforms(0, f"objects {k}", n_images) for k in range(12))
    return np.maximum(np.rint(36 + 9 * (u - 6)), 0).astype(np.int64)


def zipf(name: str, count: int, n_values: int, shift: float = 20.0, power: float = 1.05) -> NDArray[np.int32]:
    """Return values whose shares fall with their rank; shape (count,)."""
    shares = np.cumsum(1 / (np.arange(n_values) + shift) ** power)
    return np.searchsorted(shares / shares[-1], uniforms(0, name, count)).astype(np.int32)


def word(k: int) -> str:
    """Return the k-th made-up word."""
    made = ""
    k += 1
    while k:
        k, rest = divmod(k, len(SYLLABLES))
        made += SYLLABLES[rest]
    return made


def make(path: Path, n_images: int) -> None:
    """Write the scene graphs."""
    sizes = n_objects(n_images)
    total = int(sizes.sum())
    classes = zipf("classes", total, N_CLASSES)
    attributes = zipf("attributes", 2 * total, N_ATTRIBUTES)
    n_attributes = np.searchsorted([0.42, 0.82, 0.96, 1.0], uniforms(0, "attributes", total)).astype(np.int64)
    boxes = (uniforms(0, "boxes", 4 * total) * 700).astype(np.int64)
    n_relations = np.where(sizes > 1, 1 + (uniforms(0, "relations", n_images) * 41).astype(np.int64), 0)
    n_all = int(n_relations.sum())
    predicates = zipf("predicates", n_all, N_PREDICATES, shift=2.0, power=1.3)
    usual = uniforms(0, "usual predicates", n_all) < 0.25
    own = uniforms(0, "own attributes", 2 * total) < 0.8
    # Of four objects that are drawn the commonest one is taken: people write of men and windows.
    ends = uniforms(0, "ends", 8 * n_all)
    names = {k: word(k) for k in range(max(N_CLASSES, N_PREDICATES, N_ATTRIBUTES))}
    o = r = a = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("[")
        for image in range(n_images):
            first = o
            objects = []
            for _ in range(int(sizes[image])):
                made = {
                    "object_id": 1_000_000 + o, "names": [names[int(classes[o])]],
                    "synsets": [f"{names[int(classes[o])]}.n.01"], "x": int(boxes[4 * o]), "y": int(boxes[4 * o + 1]),
                    "w": int(boxes[4 * o + 2]), "h": int(boxes[4 * o + 3]),
                }  # fmt: skip
                k = min(int(n_attributes[o]), 3)
                if k:
                    # Most attributes of a class are among a few.
                    some = zip(attributes[a : a + k].tolist(), own[a : a + k].tolist(), strict=True)
                    known = {(7 * int(classes[o]) + each % 6) % 900 if mine else each for each, mine in some}
                    made["attributes"] = [names[each] for each in sorted(known)]
                    a = (a + k) % (2 * total - 3)
                objects.append(made)
                o += 1
            relations = []
            for _ in range(int(n_relations[image])):
                drawn = [first + int(each * (o - first)) for each in ends[8 * r : 8 * r + 8].tolist()]
                one = min(drawn[:4], key=lambda each: (classes[each], each))
                left = [each for each in drawn[4:] if each != one]
                other = (
                    min(left, key=lambda each: (classes[each], each))
                    if left
                    else first + (one - first + 1) % (o - first)
                )
                predicate = int(classes[one] + 3 * classes[other]) % 40 if usual[r] else int(predicates[r])
                relations.append(
                    {
                        "relationship_id": 5_000_000 + r, "subject_id": 1_000_000 + one,
                        "object_id": 1_000_000 + other, "predicate": names[predicate],
                        "synsets": [f"{names[predicate]}.r.01"],
                    }
                )  # fmt: skip
                r += 1
            file.write(("," if image else "") + "\n")
            json.dump({"image_id": image + 1, "objects": objects, "relationships": relations}, file)
        file.write("\n]\n")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--images", type=int, default=VISUAL_GENOME)
    arguments = parser.parse_args()
    make(arguments.file, arguments.images)


if __name__ == "__main__":
    main()
