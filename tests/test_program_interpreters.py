"""Answers of programs on scenes: the real ones of CLEVR and CLOSURE, and what a hand-written scene says or does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit import api
from compsplit.model.report import Undefined
from compsplit.model.scenes import SceneTable
from compsplit.programs.clevr_interpreter import clevr_answer
from compsplit.programs.gqa_interpreter import GqaInterpreter
from compsplit.programs.scene import SceneGraph, graph_of, scene_graph
from compsplit.programs.tree import (
    Node,
    both,
    choose,
    choose_relation,
    either,
    exist,
    filtered,
    query,
    related,
    select,
    verify,
    verify_relation,
)
from compsplit.programs.vocabulary import common_words

_CLOSURE = "closure/closure_train_questions.json"
_TRAIN, _VAL = "too_clevr/CLEVR_train_scenes_1000.json", "too_clevr/CLEVR_val_scenes_500.json"


@pytest.mark.large
@pytest.mark.parametrize(("questions", "scenes", "n"), [("ns_vqa/orig-val.json", _VAL, 9), (_CLOSURE, _TRAIN, 252)])
def test_interpreter_gives_every_real_answer_of_clevr(shared: Path, questions: str, scenes: str, n: int) -> None:
    folder = shared / "data" / "clevr"
    found = api.describe_programs(folder / questions, scenes=folder / scenes)
    assert found.answers is not None
    assert (found.answers.agree, found.answers.disagree, found.answers.undefined) == (n, (), {})
    assert found.answers.answers.values() == found.table.answers.values()


def test_programs_that_lack_a_value_are_undefined_and_no_guess(shared: Path) -> None:
    folder = shared / "data" / "clevr" / "too_clevr"
    found = api.describe_programs(folder / "CLEVR_val_1_one_hop.json", scenes=shared / "data" / "clevr" / _VAL).answers
    raw = json.loads((folder / "CLEVR_val_1_one_hop.json").read_text())["questions"]
    lacking = sum(
        any(step["type"].startswith("filter") and not step["value_inputs"] for step in program)
        for question in raw
        for program in question["program"]
    )
    assert found is not None
    assert sum(found.undefined.values()) == lacking
    assert (found.agree, found.disagree) == (sum(len(q["program"]) for q in raw) - lacking, ())
    assert lacking > 0


CLEVR = scene_graph(
    "1",
    {
        "0": ("cube", ["red", "small", "metal"]),
        "1": ("cube", ["blue", "large", "rubber"]),
        "2": ("sphere", ["red", "large", "metal"]),
    },
    [("1", "left", "0"), ("2", "left", "0"), ("1", "left", "2"), ("0", "front", "1")],
)


_TWO = ("union", "intersect", "less_than", "greater_than")


def _clevr(text: str) -> Node:
    """Return a program written as ``count filter_color[red] scene``: a step, then what it takes."""
    words = text.split()

    def one() -> Node:
        name, _, told = words.pop(0).rstrip("]").partition("[")
        n_inputs = 0 if name == "scene" else 2 if name in _TWO or name.startswith("equal") else 1
        return Node(name, (told,) if told else (), tuple([one() for _ in range(n_inputs)]))

    return one()


_RED_CUBE = "unique filter_color[red] filter_shape[cube] scene"
_SPHERE = "unique filter_shape[sphere] scene"


@pytest.mark.parametrize(
    ("program", "answer"),
    [
        ("count scene", "3"),
        (f"count relate[left] {_RED_CUBE}", "2"),
        (f"count relate[right] {_RED_CUBE}", "0"),
        (f"exist relate[front] {_SPHERE}", "no"),
        (f"count same_color {_RED_CUBE}", "1"),
        (f"query_material {_SPHERE}", "metal"),
        ("count union filter_color[blue] scene filter_shape[sphere] scene", "2"),
        ("count intersect filter_color[red] scene filter_size[large] scene", "1"),
        (f"equal_color query_color {_RED_CUBE} query_color {_SPHERE}", "yes"),
        (f"equal_size query_size {_RED_CUBE} query_size {_SPHERE}", "no"),
        (f"equal_object {_RED_CUBE} {_SPHERE}", "no"),
        (f"equal_object {_SPHERE} {_SPHERE}", "yes"),
        ("equal_integer count filter_shape[cube] scene count filter_color[red] scene", "yes"),
        ("less_than count filter_shape[sphere] scene count filter_color[red] scene", "yes"),
        ("less_than count filter_shape[cube] scene count filter_color[red] scene", "no"),
        ("greater_than count filter_shape[sphere] scene count filter_color[red] scene", "no"),
        ("greater_than count filter_shape[cube] scene count filter_color[red] scene", "no"),
        ("greater_than count scene count filter_color[red] scene", "yes"),
    ],
)
def test_every_function_of_clevr(program: str, answer: str) -> None:
    assert clevr_answer(_clevr(program), CLEVR) == answer


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("unique scene", "3 objects"),
        ("unique filter_color[green] scene", "no object"),
        ("count filter_color[magenta] scene", '"magenta" is no color'),
        ("filter_count[red] scene", "is no count"),
        ("describe scene", "no function"),
        ("scene", "no answer"),
        (f"less_than {_SPHERE} count scene", "no numbers"),
        (f"equal_color {_SPHERE} {_SPHERE}", "compares what it cannot"),
        ("relate[left] scene", "no single object"),
    ],
)
def test_what_clevr_does_not_say_is_undefined(program: str, why: str) -> None:
    found = clevr_answer(_clevr(program), CLEVR)
    assert isinstance(found, Undefined)
    assert why in found.reason


def test_a_step_without_what_it_takes_is_undefined() -> None:
    for name in ("union", "equal_color", "less_than", "count", "unique", "relate", "query_size", "same_size"):
        assert isinstance(clevr_answer(Node(name), CLEVR), Undefined)


# GQA

ROOM = scene_graph(
    "7",
    {
        "a": ("apple", ["red", "round"]),
        "b": ("apple", ["green"]),
        "p": ("plate", ["white", "round"]),
        "t": ("table", ["wood", "brown", "large"]),
        "c": ("chair", ["wood", "white", "small", "old"]),
        "w": ("woman", ["standing"]),
        "m": ("man", ["young"]),
        "g": ("gizmo", []),
    },
    [
        ("a", "on", "p"),
        ("p", "on", "t"),
        ("b", "to the left of", "p"),
        ("w", "holding", "b"),
        ("m", "near", "c"),
        ("g", "on", "c"),
    ],
    location="indoors",
    weather="cloudy",
)
NAMES = frozenset(str(each.name) for each in ROOM.objects) | {"zebra"}
APPLE, PLATE, TABLE, CHAIR, WOMAN, MAN, IMAGE = map(
    select, ("apple", "plate", "table", "chair", "woman", "man", "scene")
)
RED_APPLE = filtered(APPLE, "red", "color")


def _answer(node: Node, scene: SceneGraph = ROOM) -> str | Undefined:
    return GqaInterpreter(common_words(), NAMES).answer(node, scene)


@pytest.mark.parametrize(
    ("node", "answer"),
    [
        (exist(APPLE), "yes"),
        (exist(select("zebra")), "no"),
        (exist(select("fruit")), "yes"),
        (exist(filtered(APPLE, "blue", "color")), "no"),
        (query(filtered(APPLE, "red", "color", negated=True), "color"), "green"),
        (query(RED_APPLE, "name"), "apple"),
        (query(related(PLATE, None, "on", "s"), "name"), "apple"),
        (query(related(PLATE, None, "on", "o"), "name"), "table"),
        (query(related(PLATE, "fruit", "to the right of", "o"), "color"), "green"),
        (query(related(PLATE, "fruit", "to the left of", "s"), "color"), "green"),
        (query(related(CHAIR, "person", "near", "s"), "name"), "man"),
        (query(related(CHAIR, "person", "near", "o"), "name"), "man"),
        (query(related(TABLE, "furniture", "same material", "_"), "name"), "chair"),
        (exist(related(PLATE, "zebra", "on", "s")), "no"),
        (exist(related(PLATE, "lettuce", "on", "s", exists=False)), "no"),
        (verify(TABLE, "brown", "color"), "yes"),
        (verify(TABLE, "red", "color"), "no"),
        (verify(TABLE, "brown"), "yes"),
        (verify_relation(PLATE, "table", "on", "o"), "yes"),
        (verify_relation(PLATE, "table", "on", "s"), "no"),
        (verify_relation(PLATE, "furniture", "on", "o"), "yes"),
        (verify_relation(PLATE, "apple", "to the left of", "s"), "yes"),
        (choose(TABLE, ["red", "brown"], "color"), "brown"),
        (choose(filtered(select("furniture"), "small", "size"), ["bed", "chair"], "name"), "chair"),
        (choose_relation(PLATE, "apple", ["to the right of", "to the left of"], "s"), "left"),
        (choose_relation(PLATE, "table", ["on", "under"], "o"), "on"),
        (both(exist(APPLE), exist(select("zebra"))), "no"),
        (either(exist(APPLE), exist(select("zebra"))), "yes"),
        (Node("same color", (), (PLATE, CHAIR)), "yes"),
        (Node("different color", (), (PLATE, TABLE)), "yes"),
        (Node("same shape", (), (RED_APPLE, PLATE)), "yes"),
        (Node("same", ("type",), (APPLE,)), "yes"),
        (Node("same", ("color",), (APPLE,)), "no"),
        (Node("common", (), (TABLE, CHAIR)), "material"),
        (Node("choose older", (), (MAN, CHAIR)), "chair"),
        (Node("choose larger", (), (CHAIR, TABLE)), "table"),
        (verify(IMAGE, "indoors", "location"), "yes"),
        (verify(IMAGE, "outdoors", "location"), "no"),
        (query(IMAGE, "weather"), "cloudy"),
        (choose(IMAGE, ["cloudy", "sunny"], "weather"), "cloudy"),
    ],
)
def test_a_scene_gives_the_answer(node: Node, answer: str) -> None:
    assert _answer(node) == answer


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (query(APPLE, "color"), "several objects"),
        (query(filtered(APPLE, "blue", "color"), "name"), "no object is meant"),
        (query(TABLE, "shape"), "no shape is known of the table"),
        (query(TABLE, "price"), 'no values are known of the kind "price"'),
        (verify(MAN, "red", "color"), "no color is known of the man"),
        (verify(TABLE, "cosy"), 'no kind of attribute is known for "cosy"'),
        (exist(select("quux")), '"quux" is neither'),
        (exist(select("device")), 'the classes above "gizmo" are not known'),
        (exist(related(CHAIR, "device", "on", "s")), 'the classes above "gizmo"'),
        (choose(TABLE, ["red", "blue"], "color"), "none of the options"),
        (choose(PLATE, ["white", "round"]), "several of the options"),
        (Node("common", (), (MAN, WOMAN)), "nothing in common"),
        (Node("choose wiser", (), (MAN, WOMAN)), "is not known"),
        (Node("same color", (), (MAN, TABLE)), "no color is known of the man"),
        (Node("guess", (), (MAN,)), "no operation"),
        (Node("choose older", (), (MAN, CHAIR, TABLE)), '"choose older" takes 3 results, two are compared'),
        (Node("same", ("color",), (TABLE,)), "fewer than two objects are compared"),
        (MAN, "no answer"),
        (Node("query", ("color",)), "takes no result"),
        (query(IMAGE, "place"), "says nothing of the place"),
        (verify(IMAGE, "sunny", "weather"), "does not say whether"),
        (filtered(IMAGE, "red"), "takes what is no object"),
        (query(filtered(TABLE, "left", "hposition"), "name"), "no hposition"),
    ],
)
def test_what_a_scene_does_not_say_is_undefined(node: Node, why: str) -> None:
    found = _answer(node)
    assert isinstance(found, Undefined)
    assert why in found.reason


def test_no_is_never_said_of_what_may_be() -> None:
    # "racket" may be the tennis racket, "boots" the boot, and light blue be blue.
    scene = scene_graph("1", {"r": ("tennis racket", []), "b": ("boots", ["light blue"])})
    ask = GqaInterpreter.of(["racket", "boot"]).answer
    for node in (exist(select("racket")), exist(select("boot")), verify(select("boots"), "blue", "color")):
        assert isinstance(ask(node, scene), Undefined)


def test_ids_of_a_program_say_which_objects_are_meant() -> None:
    meant = Node("select", ("apple",), ids=("b",))
    assert _answer(query(meant, "color")) == "green"
    wrong = _answer(query(Node("select", ("apple",), ids=("z",)), "color"))
    assert isinstance(wrong, Undefined)
    assert "no object z" in wrong.reason
    # An object that is there, but not in the relation, is not what the question asks for.
    assert _answer(exist(Node("relate", ("chair", "on", "s"), (PLATE,), ids=("c",)))) == "no"


def test_location_of_a_scene_is_a_side_a_room_or_a_place() -> None:
    street, kitchen = scene_graph("1", {}, location="street"), scene_graph("1", {}, location="kitchen")
    assert _answer(query(IMAGE, "place"), street) == "street"
    assert _answer(query(IMAGE, "room"), kitchen) == "kitchen"
    assert isinstance(_answer(query(IMAGE, "room"), street), Undefined)
    assert isinstance(_answer(verify(IMAGE, "outdoors", "location"), street), Undefined)


def test_answers_of_the_oracle_set_are_what_its_scenes_say(shared: Path) -> None:
    folder = shared / "oracles" / "gqa_eval" / "main"
    found = api.describe_programs(folder / "val_all_questions.json", scenes=folder / "val_all_sceneGraphs.json").answers
    assert found is not None
    assert (found.agree, found.disagree, sum(found.undefined.values())) == (204, (), 4)
    assert found.with_ids


def test_scene_of_a_table_is_the_scene_of_the_file(shared: Path) -> None:
    path = shared / "data" / "gqa" / "graphvqa" / "debug_sceneGraphs.json"
    raw = json.loads(path.read_text())
    table = api.read(path, keep_object_ids=True)
    assert isinstance(table, SceneTable)
    for place, image in enumerate(table.images.values()):
        scene = graph_of(table, place)
        objects = raw[str(image)]["objects"]
        assert {each.id: (each.name, sorted(each.attributes)) for each in scene.objects} == {
            key: (each["name"], sorted(set(each["attributes"]))) for key, each in objects.items()
        }
        ids = [each.id for each in scene.objects]
        assert sorted((ids[s], p, ids[o]) for s, p, o in scene.relations) == sorted(
            (key, relation["name"], relation["object"])
            for key, each in objects.items()
            for relation in each["relations"]
        )
        assert scene.facts.get("location") == raw[str(image)].get("location")
        for subject, predicate, other in scene.relations:
            assert (predicate, other) in scene.out[subject]
            assert (predicate, subject) in scene.into[other]


def test_real_program_in_words_of_another_tool_has_its_answer(shared: Path) -> None:
    # debug_programs.json: "What is on the white wall?" -> pipe; "Is the sky dark?" -> yes; written in another dialect.
    path = shared / "data" / "gqa" / "graphvqa" / "debug_sceneGraphs.json"
    table = api.read(path, keep_object_ids=True)
    assert isinstance(table, SceneTable)
    scenes = {image: graph_of(table, place) for place, image in enumerate(table.images.values())}
    wall = filtered(Node("select", ("wall",), ids=("722332",)), "white")
    pipe = Node("relate", ("_", "on", "s"), (wall,), ids=("722335",))
    assert _answer(query(pipe, "name"), scenes["2375429"]) == "pipe"
    assert _answer(verify(Node("select", ("sky",), ids=("2486325",)), "dark"), scenes["2354786"]) == "yes"


_RELATIONS = ("on", "near", "above", "below")
_CONVERSE = {"above": "below", "below": "above", "near": "near"}


@given(
    st.lists(st.sampled_from(("apple", "plate", "chair")), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(_RELATIONS), st.integers(0, 4)), max_size=8),
    st.sampled_from(("apple", "plate", "fruit", None)),
    st.sampled_from(_RELATIONS),
    st.sampled_from("so"),
)
def test_relations_are_those_of_the_definition(
    names: list[str], triples: list[tuple[int, str, int]], name: str | None, relation: str, role: str
) -> None:
    held = [(s % len(names), p, o % len(names)) for s, p, o in triples]
    scene = scene_graph(
        "1", {str(i): (each, []) for i, each in enumerate(names)}, [(str(s), p, str(o)) for s, p, o in held]
    )
    both_ways = {*held, *((o, _CONVERSE[p], s) for s, p, o in held if p in _CONVERSE)}
    wanted = {"apple": {"apple"}, "plate": {"plate"}, "fruit": {"apple"}, None: {"apple", "plate", "chair"}}[name]
    expected = any(
        names[anchor] == "chair"
        and names[thing] in wanted
        and ((thing, relation, anchor) if role == "s" else (anchor, relation, thing)) in both_ways
        for anchor in range(len(names))
        for thing in range(len(names))
    )
    asked = exist(related(select("chair"), name, relation, role))
    assert GqaInterpreter.of(["apple", "plate", "chair"]).answer(asked, scene) == ("yes" if expected else "no")


def test_data_show_classes_above_names(tmp_path: Path) -> None:
    scenes = {"1": {"objects": {"7": {"name": "gizmo", "attributes": ["red"], "relations": []}}}}
    steps = [
        {"operation": "select", "argument": "contraption (7)", "dependencies": []},
        {"operation": "query", "argument": "color", "dependencies": [0]},
    ]
    asked = [
        {"operation": "select", "argument": "contraption", "dependencies": []},
        {"operation": "exist", "argument": "?", "dependencies": [0]},
    ]
    questions = {
        "1": {"question": "What color is it?", "imageId": "1", "answer": "red", "semantic": steps},
        "2": {"question": "Is there a contraption?", "imageId": "1", "answer": "yes", "semantic": asked},
    }
    (tmp_path / "s.json").write_text(json.dumps(scenes))
    (tmp_path / "q.json").write_text(json.dumps(questions))
    found = api.describe_programs(tmp_path / "q.json", scenes=tmp_path / "s.json")
    assert found.answers is not None
    assert (found.answers.agree, found.answers.n_learnt) == (2, 1)
    assert found.local_labels.values() == ["10q-gizmo_color", "03-contraption"]
