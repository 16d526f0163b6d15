"""The data sets that ``compsplit fetch`` knows: addresses, licences, and the record counts that were published.

A count without a published figure is still counted and shown, as "unchecked": such a figure is never taken from a run
of ours. Each figure says where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from compsplit.errors import UnknownNameError

How = Literal["records", "distinct", "items"]


@dataclass(frozen=True, slots=True)
class Count:
    """What to count in the members of an archive.

    Attributes:
        what: What the count is of, in the plural: "questions", "images".
        members: Pattern of the members' names, without their folders; the counts of all that match are added up.
        at: Key of the array that holds the records; empty for the entries of the top-level array or object.
        how: ``records`` counts records, ``distinct`` the different values of ``field`` in them (over all members
            together), ``items`` the entries of the lists in ``field``.
        field: Field of a record; empty for ``records``.
        published: The published figure, or None where there is none.
        source: Where the figure is published.
    """

    what: str
    members: str
    at: str = ""
    how: How = "records"
    field: str = ""
    published: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a data set, as its publisher names it; ``size`` is the publisher's own text, empty if unsaid."""

    name: str
    what: str
    counts: tuple[Count, ...] = ()
    size: str = ""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A published data set.

    Attributes:
        name: Its name on the command line.
        base: Address of the folder that holds all the files; ends with a slash.
        licence: What the publisher says of it, shown before anything is fetched.
        home: The page that says so.
    """

    name: str
    what: str
    base: str
    licence: str
    home: str
    files: tuple[RemoteFile, ...]


_VQA_BASE = "https://s3.amazonaws.com/cvmlp/vqa/mscoco/vqa/"
_VQA_LICENCE = "questions and answers: CC BY 4.0; the images belong to MS COCO and are not fetched"
_CLEVR_BASE = "https://dl.fbaipublicfiles.com/clevr/"
_CLEVR_HOME = "https://cs.stanford.edu/people/jcjohns/clevr/"


def _vqa_questions(
    file: str, member: str, part: str, n_questions: int, n_images: int | None, source: str, layouts: tuple[str, ...]
) -> RemoteFile:
    counts = [
        Count("questions", member.format(layout), "questions", published=n_questions, source=source)
        for layout in layouts
    ]
    counts.append(
        Count(
            "images",
            member.format(layouts[0]),
            "questions",
            "distinct",
            "image_id",
            published=n_images,
            source="" if n_images is None else "Agrawal et al. 2017, arXiv 1704.08243, table 1",
        )
    )
    return RemoteFile(file, f"questions of {part}", tuple(counts))


def _vqa_answers(file: str, member: str, part: str, n_questions: int, n_answers: int, source: str) -> RemoteFile:
    return RemoteFile(
        file,
        f"answers of {part}",
        (
            Count("annotated questions", member, "annotations", published=n_questions, source=source),
            Count("answers", member, "annotations", "items", "answers", published=n_answers, source=source),
        ),
    )


_VQA_1_PAGE = "https://visualqa.org/vqa_v1_download.html"
_VQA_1 = DataSet(
    "vqa-v1",
    "VQA v1.0, open-ended and multiple-choice questions on real images, train and val",
    _VQA_BASE,
    _VQA_LICENCE,
    _VQA_1_PAGE,
    (
        _vqa_questions(
            "Questions_Train_mscoco.zip",
            "{}_mscoco_train2014_questions.json",
            "train",
            248_349,
            82_783,
            _VQA_1_PAGE,
            ("OpenEnded", "MultipleChoice"),
        ),
        _vqa_questions(
            "Questions_Val_mscoco.zip",
            "{}_mscoco_val2014_questions.json",
            "val",
            121_512,
            40_504,
            _VQA_1_PAGE,
            ("OpenEnded", "MultipleChoice"),
        ),
        _vqa_answers(
            "Annotations_Train_mscoco.zip",
            "mscoco_train2014_annotations.json",
            "train",
            248_349,
            2_483_490,
            _VQA_1_PAGE,
        ),
        _vqa_answers(
            "Annotations_Val_mscoco.zip", "mscoco_val2014_annotations.json", "val", 121_512, 1_215_120, _VQA_1_PAGE
        ),
    ),
)

_VQA_2_PAGE = "https://visualqa.org/download.html"
_VQA_2 = DataSet(
    "vqa-v2",
    "VQA v2.0, balanced questions on real images, train and val",
    _VQA_BASE,
    _VQA_LICENCE,
    _VQA_2_PAGE,
    (
        _vqa_questions(
            "v2_Questions_Train_mscoco.zip",
            "v2_{}_mscoco_train2014_questions.json",
            "train",
            443_757,
            None,
            _VQA_2_PAGE,
            ("OpenEnded",),
        ),
        _vqa_questions(
            "v2_Questions_Val_mscoco.zip",
            "v2_{}_mscoco_val2014_questions.json",
            "val",
            214_354,
            None,
            _VQA_2_PAGE,
            ("OpenEnded",),
        ),
        _vqa_answers(
            "v2_Annotations_Train_mscoco.zip",
            "v2_mscoco_train2014_annotations.json",
            "train",
            443_757,
            4_437_570,
            _VQA_2_PAGE,
        ),
        _vqa_answers(
            "v2_Annotations_Val_mscoco.zip",
            "v2_mscoco_val2014_annotations.json",
            "val",
            214_354,
            2_143_540,
            _VQA_2_PAGE,
        ),
    ),
)

# The publisher gives no count of a single GQA file. These are what the builder of the data set in
# google-research/big_vision (datasets/gqa) documents, so a third party's figures; they are named as such.
_BIG_VISION = "google-research/big_vision, big_vision/datasets/gqa/gqa.py (not the publisher)"
_GQA = DataSet(
    "gqa",
    "GQA v1.2 questions and v1.1 scene graphs, all and balanced",
    "https://downloads.cs.stanford.edu/nlp/data/gqa/",
    "not stated by the publisher; made from Visual Genome (CC BY 4.0)",
    "https://cs.stanford.edu/people/dorarad/gqa/download.html",
    (
        RemoteFile(
            "questions1.2.zip",
            "questions of train, val, testdev, test, challenge",
            tuple(
                Count("questions", members, published=published, source=_BIG_VISION)
                for members, published in (
                    ("train_all_questions_*.json", 14_305_356),
                    ("train_balanced_questions.json", 943_000),
                    ("val_all_questions.json", 2_011_853),
                    ("val_balanced_questions.json", 132_062),
                    ("testdev_all_questions.json", 172_174),
                    ("testdev_balanced_questions.json", 12_578),
                )
            ),
            "1.4 GB",
        ),
        RemoteFile(
            "sceneGraphs.zip",
            "scene graphs of train and val",
            (Count("images", "train_sceneGraphs.json"), Count("images", "val_sceneGraphs.json")),
            "42.7 MB",
        ),
    ),
)

_VG_IMAGES = 108_077
_VG_SOURCE = "Krishna et al. 2017, arXiv 1602.07332"


def _vg(name: str, what: str, *more: Count) -> RemoteFile:
    images = Count("images", f"{name}.json", published=_VG_IMAGES, source=_VG_SOURCE)
    return RemoteFile(f"{name}.json.zip", what, (images, *more))


_VISUAL_GENOME = DataSet(
    "visual-genome",
    "Visual Genome: scene graphs, their parts, and question-answer pairs",
    "https://homes.cs.washington.edu/~ranjay/visualgenome/data/dataset/",
    "CC BY 4.0",
    "https://homes.cs.washington.edu/~ranjay/visualgenome/api.html",
    (
        _vg("image_data", "sizes and origins of the images"),
        _vg("scene_graphs", "objects, attributes and relations of an image together"),
        _vg("objects", "objects", Count("objects", "objects.json", "", "items", "objects")),
        _vg(
            "relationships",
            "relations between two objects",
            Count("relations", "relationships.json", "", "items", "relationships"),
        ),
        _vg("attributes", "attributes of objects"),
        _vg("question_answers", "question-answer pairs", Count("pairs", "question_answers.json", "", "items", "qas")),
        RemoteFile("object_alias.txt", "other names of object classes"),
        RemoteFile("relationship_alias.txt", "other names of predicates"),
    ),
)


def _clevr_questions(part: str, published: int | None, source: str) -> Count:
    return Count("questions", f"CLEVR_{part}_questions.json", "questions", published=published, source=source)


def _clevr_scenes(part: str, published: int) -> Count:
    return Count("images", f"CLEVR_{part}_scenes.json", "scenes", published=published, source=_CLEVR_HOME)


def _clevr_unseen(part: str) -> Count:
    # The test parts come without scenes, so their images are those that the questions name.
    return Count(
        "images",
        f"CLEVR_{part}_questions.json",
        "questions",
        "distinct",
        "image_index",
        published=15_000,
        source=_CLEVR_HOME,
    )


_CLEVR = DataSet(
    "clevr",
    "CLEVR v1.0: questions, programs and scenes, without the images",
    _CLEVR_BASE,
    "CC BY 4.0",
    _CLEVR_HOME,
    (
        RemoteFile(
            "CLEVR_v1.0_no_images.zip",
            "questions of train, val, test; scenes of train and val",
            (
                _clevr_scenes("train", 70_000),
                _clevr_scenes("val", 15_000),
                _clevr_unseen("test"),
                _clevr_questions("train", 699_989, _CLEVR_HOME),
                _clevr_questions("val", 149_991, _CLEVR_HOME),
                # The home page prints 14,988, which cannot be: the paper's total of 999,968 leaves 149,988.
                _clevr_questions("test", 149_988, "Johnson et al. 2017, arXiv 1612.06890"),
            ),
            "86 MB",
        ),
    ),
)

_COGENT = DataSet(
    "clevr-cogent",
    "CLEVR-CoGenT v1.0: conditions A and B of the compositional test, without the images",
    _CLEVR_BASE,
    "CC BY 4.0",
    _CLEVR_HOME,
    (
        RemoteFile(
            "CLEVR_CoGenT_v1.0_no_images.zip",
            "questions of trainA, valA, valB, testA, testB; scenes of trainA, valA, valB",
            (
                _clevr_scenes("trainA", 70_000),
                _clevr_scenes("valA", 15_000),
                _clevr_scenes("valB", 15_000),
                _clevr_unseen("testA"),
                _clevr_unseen("testB"),
                _clevr_questions("trainA", 699_960, _CLEVR_HOME),
                *(_clevr_questions(part, None, "") for part in ("valA", "valB", "testA", "testB")),
            ),
            "106 MB",
        ),
    ),
)

DATA_SETS: Mapping[str, DataSet] = MappingProxyType(
    {one.name: one for one in (_VQA_1, _VQA_2, _GQA, _VISUAL_GENOME, _CLEVR, _COGENT)}
)


def data_set(name: str, known: Mapping[str, DataSet] = DATA_SETS) -> DataSet:
    """Return a data set by name.

    Raises:
        UnknownNameError: There is none of that name; the nearest is named.
    """
    if name not in known:
        raise UnknownNameError("data set", name, known)
    return known[name]
