"""Visual Genome: scene graphs and separate files of every version, read as a plain look at the JSON would."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import JoinError, RecordsError, RepeatedIdError, UsageError
from compsplit.model.scenes import SceneTable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin


def read(*paths: Any, **options: Any) -> SceneTable:
    made: SceneTable = plugin("reader", "visual-genome").make(inputs(paths), **options)
    return made


def put(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def thing(known_by: Any, /, *names: Any, **more: Any) -> dict[str, Any]:
    return {"object_id": known_by, "names": list(names), **more}


def related(number: int, subject: Any, predicate: Any, other: Any) -> dict[str, Any]:
    return {"relationship_id": number, "subject_id": subject, "predicate": predicate, "object_id": other}


def nested(number: int, subject: Any, predicate: Any, other: Any) -> dict[str, Any]:
    return {"relationship_id": number, "subject": subject, "predicate": predicate, "object": other}


def graph(name: Any, objects: Any, relationships: Any, **more: Any) -> dict[str, Any]:
    return {"image_id": name, "objects": objects, "relationships": relationships, **more}


def triples(table: SceneTable) -> list[tuple[str | None, str | None, str | None]]:
    ends = table.classes.values()
    subjects, objects = ([ends[k] for k in side] for side in (table.subjects, table.objects))
    return list(zip(subjects, table.predicates.values(), objects, strict=True))


def attributes(table: SceneTable) -> list[set[str | None]]:
    values = table.attributes.values()
    starts = table.attribute_starts.tolist()
    return [set(values[a:b]) for a, b in itertools.pairwise(starts)]


TWO = [thing(1, "man"), thing(2, "horse")]
RIDES = [related(7, 1, "rides", 2)]
PARTS: dict[str, list[dict[str, Any]]] = {
    "objects": [{"image_id": 1, "objects": TWO}],
    "relationships": [{"image_id": 1, "relationships": RIDES}],
    "attributes": [{"image_id": 1, "attributes": [thing(2, "horse", attributes=["old"])]}],
    "image_data": [{"image_id": 1, "coco_id": 700, "width": 3}],
}


def test_the_published_file_is_what_a_plain_count_says(shared: Path) -> None:
    path = shared / "data" / "visual_genome" / "kgtk" / "vg10.tsv"
    images = json.loads(path.read_text())
    table = read(path)
    classes: Counter[str] = Counter()
    expected: Counter[tuple[str, str, str]] = Counter()
    named: Counter[tuple[str, str]] = Counter()
    for image in images:
        first = {each["object_id"]: each["names"][0].strip().lower() for each in image["objects"]}
        classes.update(first.values())
        expected.update(
            (first[r["subject_id"]], r["predicate"].lower().strip(), first[r["object_id"]])
            for r in image["relationships"]
        )
        for each in image["objects"]:
            for value in {v.strip().lower() for v in each.get("attributes", [])}:
                named[first[each["object_id"]], value] += 1
    assert Counter(table.classes.values()) == classes
    assert Counter(triples(table)) == expected
    pairs = zip(table.classes.values(), attributes(table), strict=True)
    assert Counter((name, value) for name, values in pairs for value in values) == named
    assert (len(table), table.n_objects, table.n_relations) == (10, 376, 423)
    # What is said twice of the same two objects is kept; PROVENANCE.md counts 83 such.
    told = zip(table.subjects.tolist(), table.predicates.codes.tolist(), table.objects.tolist(), strict=True)
    assert len(set(told)) == 423 - 83
    assert table.ids.tolist() == [str(image["image_id"]) for image in images]
    assert detected(inputs([path])) == "visual-genome"


NAME = st.sampled_from(["Dog", "dog ", " ", "", "\t", "\u00a0", "\u2003x", "été", "a  b", 'q"', None])
ATTRIBUTES = st.none() | NAME | st.lists(NAME, max_size=3)


def images_of(usual: bool) -> st.SearchStrategy[list[Any]]:
    """Draw (objects, relationships, whether the image id is text); usual ones are those that are read as numbers."""
    ids = st.sampled_from([1, 2, 3, -4]) if usual else st.sampled_from([1, 2, "1", "b", -3])
    texts = NAME.filter(lambda name: name is not None)
    names = st.lists(texts, min_size=1, max_size=3) if usual else st.none() | st.lists(NAME, max_size=2)
    objects: st.SearchStrategy[Any] = st.fixed_dictionaries(
        {"object_id": ids, **({"names": names} if usual else {})},
        optional={"attributes": ATTRIBUTES, **({} if usual else {"names": names, "name": NAME})},
    )
    relations: st.SearchStrategy[Any] = st.fixed_dictionaries({"subject_id": ids, "predicate": NAME, "object_id": ids})
    if not usual:
        nested_ones = {"subject": ids, "predicate": NAME, "object": st.builds(lambda i: {"id": i}, ids)}
        relations |= st.fixed_dictionaries(nested_ones)
    lists = st.lists(relations, max_size=4)
    image = st.tuples(
        st.lists(objects, max_size=4, unique_by=(lambda each: each["object_id"]) if usual else None),
        lists if usual else st.none() | lists,
        st.booleans(),
    )
    return st.lists(image, min_size=1, max_size=6)


def plain(name: str | None) -> str | None:
    return " ".join((name or "").lower().split()) or None


def naively(images: list[dict[str, Any]]) -> tuple[list[Any], list[Any], list[Any]]:
    """Return classes, triples and attribute sets by the definition, one object after the other."""
    classes: list[Any] = []
    found: list[Any] = []
    given: list[Any] = []
    for image in images:
        first: dict[str, tuple[int, str | None]] = {}
        for each in image["objects"]:
            names = [plain(name) for name in [*(each.get("names") or []), each.get("name")]]
            name = next((name for name in names if name), None)
            first[str(each["object_id"])] = (len(classes), name)
            classes.append(name)
            values = each.get("attributes") or []
            given.append({plain(v) for v in ([values] if isinstance(values, str) else values)} - {None})
        for each in image.get("relationships") or []:
            end = each.get("subject_id", each.get("subject")), each.get("object_id", each.get("object"))
            one, other = (first.get(str(e["id"] if isinstance(e, dict) else e), (None, None)) for e in end)
            if one[1] and other[1] and one[0] != other[0] and plain(each["predicate"]):
                found.append((one[1], plain(each["predicate"]), other[1]))
    return classes, found, given


@pytest.mark.parametrize("usual", [True, False])
@given(data=st.data(), ascii_only=st.booleans(), block=st.sampled_from([7, 200, 1 << 16]))
def test_usual_and_odd_images_are_read_as_by_the_definition(
    tmp_path_factory: pytest.TempPathFactory, usual: bool, data: st.DataObject, ascii_only: bool, block: int
) -> None:
    drawn = data.draw(images_of(usual))
    images: list[dict[str, Any]] = []
    for n, (objects, relationships, as_text) in enumerate(drawn):
        image: dict[str, Any] = {"image_id": f"é{n}" if as_text else n, "objects": objects}
        if relationships is not None:
            image["relationships"] = relationships
        images.append(image)
    path = tmp_path_factory.mktemp("vg") / "x.json"
    path.write_text(json.dumps(images, ensure_ascii=ascii_only), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("compsplit.readers.json_spans.BLOCK", block)
        table = read(path)
    classes, found, given_attributes = naively(images)
    assert table.ids.tolist() == [str(image["image_id"]) for image in images]
    assert table.classes.values() == classes
    assert triples(table) == found
    assert attributes(table) == given_attributes
    # Every relationship is a relation, or counted.
    n_out = sum(n for told, n in table.decisions.items() if told.startswith("relations "))
    assert len(found) + n_out == sum(len(image.get("relationships") or []) for image in images)
    # Whichever way an image is read, what is found is told with its count.
    told = {finding.kind: finding.count for finding in table.findings}
    assert told.get("unnamed-objects", 0) == classes.count(None)
    for kind, decision in (
        ("dangling-relations", "relations to an object that the scene does not have, left out"),
        ("self-relations", "relations of an object to itself, left out"),
    ):
        assert told.get(kind, 0) == table.decisions.get(decision, 0)


@pytest.mark.parametrize(
    "image",
    [
        graph(1, TWO, RIDES),
        graph(1, TWO, RIDES, attributes=[]),
        {"id": 1, "objects": [{"id": 1, "name": "man"}, {"id": 2, "name": "horse"}],
         "relationships": [{"id": 7, "subject": 1, "predicate": "rides", "object": 2}]},
        {"id": 1, "objects": [{"id": 1, "names": ["man"]}, {"id": 2, "names": ["horse"]}],
         "relationships": [nested(7, {"id": 1}, "rides", {"id": 2})]},
        {"id": 1, "bounding_boxes": [{"id": 1, "boxed_objects": [{"name": "man", "object_canon": []}]},
                                     {"id": 2, "boxed_objects": [{"name": "horse"}, {"name": "animal"}]}],
         "relationships": [{"id": 7, "subject": 1, "predicate": "rides", "object": 2}]},
    ],
)  # fmt: skip
def test_the_layouts_of_all_versions_give_the_same_scene(tmp_path: Path, image: dict[str, Any]) -> None:
    path = put(tmp_path / "x", [image])
    table = read(path)
    assert table.ids.tolist() == ["1"]
    assert triples(table) == [("man", "rides", "horse")]
    assert not table.decisions
    assert detected(inputs([path])) == "visual-genome"


@pytest.mark.parametrize(
    "listed",
    [
        {"object_id": 2, "attributes": ["Old"]},
        {"attribute_id": 2, "attribute": {"object_id": 2, "names": ["horse"], "attributes": ["Old"]}},
        {"id": 9, "subject": 2, "attribute": "Old"},
        {"attribute_id": 9, "object_id": 2, "attribute": "Old"},
    ],
)
def test_attributes_beside_the_objects_are_given_to_them(tmp_path: Path, listed: dict[str, Any]) -> None:
    image = graph(1, [thing(1, "man"), thing(2, "horse", attributes="brown")], RIDES, attributes=[listed])
    assert attributes(read(put(tmp_path / "x", [image]))) == [set(), {"brown", "old"}]
    alone = read(put(tmp_path / "y", [{"image_id": 1, "attributes": [listed, listed]}]))
    assert attributes(alone) == [{"old"}]
    assert dict(alone.decisions).get("attributes given twice for one object") == 1


def test_separate_files_are_joined_whatever_their_order(tmp_path: Path) -> None:
    paths = [put(tmp_path / name, [*content, {**content[0], "image_id": 2}]) for name, content in PARTS.items()]
    put(paths[1], json.loads(paths[1].read_text())[::-1])
    for order in (paths, paths[::-1], paths[2:] + paths[:2]):
        table = read(*order)
        assert sorted(table.ids.tolist()) == ["1", "2"]
        assert triples(table) == [("man", "rides", "horse")] * 2
        assert attributes(table) == [set(), {"old"}] * 2
        assert table.columns["coco_id"].values() == ["700", "700"]
        assert not table.decisions


def test_any_file_alone_names_its_objects(tmp_path: Path) -> None:
    ends = nested(1, {"object_id": 1, "name": "man"}, "rides", {"object_id": 2, "names": ["horse", "animal"]})
    more = nested(2, {"object_id": "2"}, "near", {"object_id": 3, "name": ""})
    table = read(put(tmp_path / "x", [{"image_id": 1, "relationships": [ends, more]}]))
    assert table.classes.values() == ["man", "horse", None]
    assert triples(table) == [("man", "rides", "horse")]
    assert dict(table.decisions) == {
        "objects without a name": 1,
        "relations of an object without a name, left out": 1,
    }
    assert read(put(tmp_path / "x", PARTS["objects"])).classes.values() == ["man", "horse"]
    assert read(put(tmp_path / "x", PARTS["image_data"])).n_objects == 0
    # An end that was met without a name takes the one that another place gives.
    late = nested(2, {"object_id": 3, "name": "cup"}, "on", {"object_id": 1})
    first = nested(1, {"object_id": 3}, "near", {"object_id": 1, "name": "man"})
    table = read(put(tmp_path / "x", [{"image_id": 1, "relationships": [first, late]}]))
    assert triples(table) == [("cup", "near", "man"), ("cup", "on", "man")]


def test_names_of_objects_stand_above_those_of_relation_ends(tmp_path: Path) -> None:
    objects = put(tmp_path / "o", [{"image_id": 1, "objects": [thing(1, "man", "boy"), thing(2, "horse")]}])
    found = [
        nested(1, {"object_id": 1}, "rides", {"object_id": 2, "name": "Horse "}),
        nested(2, {"object_id": 1, "name": "boy"}, "on", {"object_id": 2, "name": "cow"}),
    ]
    table = read(objects, put(tmp_path / "r", [{"image_id": 1, "relationships": found}]))
    assert triples(table) == [("man", "rides", "horse"), ("man", "on", "horse")]
    assert dict(table.decisions) == {"relation ends that call their object otherwise, the object's own name counts": 1}


@pytest.mark.parametrize("allow", [False, True])
def test_images_that_a_file_lacks_stop_the_join_with_counts_and_ids(tmp_path: Path, allow: bool) -> None:
    objects = put(tmp_path / "o", [{"image_id": n, "objects": TWO} for n in (1, 2, 3)])
    found = put(tmp_path / "r", [{"image_id": n, "relationships": RIDES} for n in (3, 9)])
    if allow:
        table = read(objects, found, allow_unjoined=True)
        assert table.ids.tolist() == ["3", "1", "2", "9"]
        assert table.decisions["images read though a file lacks them"] == 3
        assert triples(table) == [("man", "rides", "horse")]
        return
    with pytest.raises(
        JoinError, match=r"1 joined; 1 images without objects \(9\); 2 images without relationships \(1, 2\)"
    ):
        read(objects, found)


def test_files_that_differ_in_coco_id_do_not_fit(tmp_path: Path) -> None:
    graphs = put(tmp_path / "g", [graph(1, TWO, RIDES, coco_id=5), graph(2, [], [], coco_id=-1)])
    data = put(tmp_path / "d", [{"image_id": 1, "coco_id": 6}, {"image_id": 2, "coco_id": "8"}])
    with pytest.raises(JoinError, match=r"2 joined; 1 images whose files differ in coco_id \(1\)"):
        read(graphs, data)
    table = read(graphs, data, allow_unjoined=True)
    assert table.columns["coco_id"].values() == [None, "8"]
    assert dict(table.decisions) == {"images read without coco_id, as files differ in it": 1}


def test_a_list_in_two_kinds_of_file_is_refused(tmp_path: Path) -> None:
    graphs, objects = put(tmp_path / "g", [graph(1, TWO, RIDES)]), put(tmp_path / "o", PARTS["objects"])
    with pytest.raises(UsageError, match=r"g holds objects and relationships, o holds objects\. Leave out"):
        read(graphs, objects)
    # Files of one kind are read one after the other, though the first image of one lacks a list.
    later = put(tmp_path / "l", [{"image_id": 2, "objects": TWO}, graph(3, TWO, RIDES)])
    assert triples(read(graphs, later)) == [("man", "rides", "horse")] * 2


def test_an_image_twice_is_an_error_that_names_file_and_ids(tmp_path: Path) -> None:
    one = put(tmp_path / "one", [graph(n, TWO, RIDES) for n in (1, 2, "1")])
    with pytest.raises(
        RepeatedIdError, match=r"^1 id is repeated \(1\): 2 ids cover 3 scenes\. .*take the others"
    ) as caught:
        read(one)
    assert caught.value.file == "one"
    other = put(tmp_path / "other", [graph(2, TWO, RIDES)])
    put(one, [graph(n, TWO, RIDES) for n in (1, 2)])
    with pytest.raises(RepeatedIdError, match=r"repeated across files \(2\).*--id-scope file"):
        read(one, other)
    assert read(one, other, id_scope="file").ids.tolist() == ["one:1", "one:2", "other:2"]
    relations = put(tmp_path / "r", [{"image_id": n, "relationships": RIDES} for n in (1, 2, 2)])
    objects = put(tmp_path / "o", [{"image_id": n, "objects": TWO} for n in (1, 2)])
    with pytest.raises(RepeatedIdError, match=r"^1 id is repeated \(2\): 2 ids cover 3 records\. ") as caught:
        read(objects, relations)
    assert caught.value.file == "r"


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ({"objects": TWO, "relationships": RIDES}, r"record 2, image_id: is missing"),
        (graph(None, TWO, RIDES), r"record 2, image_id: is missing"),
        (graph(2, TWO, [{"predicate": "on", "object_id": 2}]),
         r"record 2, relationships: number 1 of image 2 does not say the ids of both"),
        ({"image_id": 2, "relationships": [nested(1, {"name": "man"}, "rides", {"name": "horse"})]},
         r"record 2, relationships: number 1 of image 2 does not say the ids of both"),
        ({"image_id": 2, "attributes": [thing(1, "a"), {"names": ["b"], "attributes": ["c"]}]},
         r"record 2, attributes: number 2 of image 2 does not say the id of its object"),
        (graph(2, [thing(1, 3)], []), r"record 2, objects: expected `str \| null`, got `int`"),
        (graph(2, {"1": {}}, []), r"record 2, objects: expected `array \| null`, got `object`"),
        (graph(2, [thing(1.5, "a")], []), r"record 2, objects: expected `int \| str \| null`, got `float`"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("names", ["first", "all"])
def test_a_bad_record_is_named_with_its_field(tmp_path: Path, image: dict[str, Any], message: str, names: str) -> None:
    with pytest.raises(RecordsError, match=rf"^1 bad record\. x, {message}"):
        read(put(tmp_path / "x", [graph(1, TWO, RIDES), image]), names=names)


def test_an_object_may_have_all_of_its_names(tmp_path: Path) -> None:
    objects = [thing(1, " ", "Man", "person", "man ", "person"), thing(2), thing(3, "cup", name="mug")]
    table = read(put(tmp_path / "x", [graph(1, objects, [related(1, 1, "has", 3)])]), names="all")
    assert table.classes.values() == ["man", None, "cup"]
    assert list(zip(table.further_objects.tolist(), table.further_names.values(), strict=True)) == [
        (0, "person"),
        (2, "mug"),
    ]
    assert triples(table) == [("man", "has", "cup")]
    assert table.rules["names"] == "all"


def test_synsets_stand_for_names_and_their_coverage_is_told(shared: Path, tmp_path: Path) -> None:
    path = shared / "data" / "visual_genome" / "kgtk" / "vg10.tsv"
    images = json.loads(path.read_text())
    table = read(path, names="synsets")
    objects = [each for image in images for each in image["objects"]]
    relations = [each for image in images for each in image["relationships"]]
    assert table.classes.values() == [next(iter(each["synsets"]), None) for each in objects]
    with_one, with_relation = (sum(bool(each["synsets"]) for each in lists) for lists in (objects, relations))
    (finding,) = (each for each in table.findings if each.kind == "synset-coverage")
    assert finding.first == (with_one, with_relation)
    assert f"{with_one} of 376 objects and {with_relation} of 423 relations have a synset" in finding.message
    box = {"id": 1, "boxed_objects": [{"name": "man", "object_canon": [{"synset_name": "man.n.01"}]}]}
    lone = {"id": 2, "boxed_objects": [{"name": "cup", "object_canon": [{"synset_name": "cup.n.01"}]}]}
    related_by = {
        "id": 3,
        "subject": 1,
        "object": 2,
        "predicate": "x",
        "relationship_canon": [{"synset_name": "on.r.01"}],
    }
    old = put(tmp_path / "x", [{"id": 1, "bounding_boxes": [box, lone], "relationships": [related_by]}])
    assert triples(read(old, names="synsets")) == [("man.n.01", "on.r.01", "cup.n.01")]


def test_unknown_coco_ids_are_no_value(tmp_path: Path) -> None:
    path = put(tmp_path / "x", [{"image_id": n, "coco_id": c} for n, c in enumerate([None, -1, "", "-1", 700])])
    assert read(path).columns["coco_id"].values() == [None] * 4 + ["700"]
    assert detected(inputs([path])) == "visual-genome"


@pytest.mark.parametrize("blank", ["\u00a0", "\u1680", "\u2003", "\u3000", "\t", " ", ""])
def test_a_blank_first_name_gives_way_to_the_next_in_an_image_that_is_else_usual(tmp_path: Path, blank: str) -> None:
    images = [graph(n, [thing(1, blank, "Dog"), thing(2, "cup")], [related(1, 1, "on", 2)]) for n in range(3)]
    path = tmp_path / "x"
    path.write_text(json.dumps(images, ensure_ascii=False), encoding="utf-8")
    assert triples(read(path)) == [("dog", "on", "cup")] * 3


@pytest.mark.parametrize(("given_as", "count"), [("Red", 3), (["Red", None], 0)])
def test_attributes_that_are_no_list_of_texts_are_read_in_an_image_that_is_else_usual(
    tmp_path: Path, given_as: Any, count: int
) -> None:
    images = [graph(n, [thing(1, "dog", attributes=given_as), thing(2, "cup")], RIDES) for n in range(3)]
    table = read(put(tmp_path / "x", images))
    assert attributes(table) == [{"red"}, set()] * 3
    assert table.decisions.get("attributes given as one text", 0) == count
