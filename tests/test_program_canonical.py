"""Canonical programs, equivalent questions, and the report of `compsplit programs`."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit import api
from compsplit.errors import BrokenFileError, OutputExistsError, UsageError
from compsplit.model.program import Program
from compsplit.model.report import Report, Undefined
from compsplit.model.scenes import SceneTable
from compsplit.model.table import QATable
from compsplit.programs.canonical import canonical, canonical_text
from compsplit.programs.clevr_interpreter import clevr_answer
from compsplit.programs.gqa_interpreter import GqaInterpreter
from compsplit.programs.scene import graph_of, scene_graph
from compsplit.programs.tree import (
    MOST_STEPS,
    Node,
    both,
    choose,
    choose_relation,
    either,
    exist,
    filtered,
    program_of,
    query,
    related,
    select,
    tree_of,
    verify,
    verify_relation,
)
from compsplit.programs.vocabulary import common_words

A, B = select("apple"), select("plate")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (both(exist(A), exist(B)), both(exist(B), exist(A))),
        (either(exist(A), exist(B)), either(exist(B), exist(A))),
        (Node("same color", (), (A, B)), Node("same color", (), (B, A))),
        (Node("different color", (), (A, B)), Node("different color", (), (B, A))),
        (Node("common", (), (A, B)), Node("common", (), (B, A))),
        (Node("choose older", (), (A, B)), Node("choose older", (), (B, A))),
        (choose(A, ["red", "green"], "color"), choose(A, ["green", "red"], "color")),
        (filtered(filtered(A, "red", "color"), "big", "size"), filtered(filtered(A, "big", "size"), "red", "color")),
        (filtered(filtered(A, "red", "color"), "red", "color"), filtered(A, "red", "color")),
        (related(B, "apple", "to the left of", "s"), related(B, "apple", "to the right of", "o")),
        (related(B, "apple", "near", "s"), related(B, "apple", "near", "o")),
        (verify_relation(B, "apple", "above", "s"), verify_relation(B, "apple", "below", "o")),
        (Node("filter not color", ("red",), (A,)), filtered(A, "red", "color", negated=True)),
        (Node("filter color", ("not(not(red))",), (A,)), filtered(A, "red", "color")),
        (Node("select", ("apple",), ids=("7",)), A),
        (Node("select", ("apple",), exists=False), A),
        (Node("union", (), (Node("scene"), Node("count"))), Node("union", (), (Node("count"), Node("scene")))),
    ],
)
def test_programs_that_ask_the_same_have_one_form(one: Node, other: Node) -> None:
    assert canonical(one) == canonical(other)
    assert canonical_text(one) == canonical_text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (exist(filtered(A, "red", "color")), verify(A, "red", "color")),
        (both(exist(A), exist(B)), either(exist(A), exist(B))),
        (related(B, "apple", "on", "s"), related(B, "apple", "on", "o")),
        (related(B, "apple", "to the left of", "s"), related(B, "apple", "to the left of", "o")),
        (filtered(A, "red", "color"), filtered(A, "red", "color", negated=True)),
        (filtered(A, "red", "color"), filtered(A, "red")),
        (query(A, "color"), query(A, "size")),
        # Left or right of the plate, and the plate left or right of it: one is answered "left", the other "right".
        (
            choose_relation(B, "apple", ["to the left of", "to the right of"], "s"),
            choose_relation(B, "apple", ["to the left of", "to the right of"], "o"),
        ),
        (Node("less_than", (), (A, B)), Node("less_than", (), (B, A))),
    ],
)
def test_programs_that_ask_something_else_stay_apart(one: Node, other: Node) -> None:
    assert canonical_text(one) != canonical_text(other)


def _real(shared: Path) -> list[QATable]:
    gqa, clevr = shared / "data" / "gqa", shared / "data" / "clevr"
    tables = [
        api.read(gqa / "codevqa" / "gqa_examples50.json"),
        api.read(shared / "oracles" / "gqa_eval" / "main" / "val_all_questions.json"),
        api.read(clevr / "closure" / "closure_train_questions.json"),
    ]
    return [each for each in tables if isinstance(each, QATable)]


def _tree(written: str | None) -> Node:
    tree = tree_of(Program.parse(str(written)))
    assert isinstance(tree, Node)
    return tree


def test_canonical_form_of_a_canonical_form_is_itself_and_a_program(shared: Path) -> None:
    for table in _real(shared):
        for written in table.columns["program"].names:
            form = canonical(_tree(written))
            assert canonical(form) == form
            text = canonical_text(form)
            # Read again it is the same tree: the text is what a column "program" may hold.
            assert canonical(_tree(text)) == form
            assert canonical_text(_tree(text)) == text


@pytest.mark.large
def test_canonical_programs_have_the_answers_of_their_programs(shared: Path) -> None:
    folder = shared / "oracles" / "gqa_eval" / "main"
    questions, scenes = api.read(folder / "val_all_questions.json"), api.read(folder / "val_all_sceneGraphs.json")
    assert isinstance(questions, QATable)
    assert isinstance(scenes, SceneTable)
    place = {image: k for k, image in enumerate(scenes.images.values())}
    ask = GqaInterpreter.of(scenes.classes.names).answer
    defined = 0
    for image, written in zip(questions.images.values(), questions.columns["program"].values(), strict=True):
        scene = graph_of(scenes, place[image])
        answer = ask(_tree(written), scene)
        assert ask(canonical(_tree(written)), scene) == answer
        defined += isinstance(answer, str)
    assert defined == 192
    clevr = shared / "data" / "clevr"
    table = api.read(clevr / "closure" / "closure_train_questions.json")
    known = api.read(clevr / "too_clevr" / "CLEVR_train_scenes_1000.json")
    assert isinstance(table, QATable)
    assert isinstance(known, SceneTable)
    place = {image: k for k, image in enumerate(known.images.values())}
    for image, own, written in zip(
        table.images.values(), table.answers.values(), table.columns["program"].values(), strict=True
    ):
        assert clevr_answer(canonical(_tree(written)), graph_of(known, place[image])) == own


_NAMES = ("apple", "plate", "chair")
_VALUES = (("red", "color"), ("green", "color"), ("small", "size"), ("round", ""))


@st.composite
def _things(draw: Any, depth: int = 2) -> Node:
    node = select(draw(st.sampled_from((*_NAMES, "fruit"))))
    for _ in range(draw(st.integers(0, depth))):
        if draw(st.booleans()):
            value, kind = draw(st.sampled_from(_VALUES))
            node = filtered(node, value, kind, negated=draw(st.booleans()))
        else:
            relation = draw(st.sampled_from(("on", "near", "above", "below", "same color")))
            node = related(node, draw(st.sampled_from(_NAMES)), relation, draw(st.sampled_from("so")))
    return node


@st.composite
def _questions(draw: Any) -> Node:
    things = draw(_things())
    kind = draw(st.sampled_from(("exist", "verify", "query", "choose", "rel", "join", "same")))
    if kind == "exist":
        return exist(things)
    if kind == "verify":
        return verify(things, *draw(st.sampled_from(_VALUES)))
    if kind == "query":
        return query(things, draw(st.sampled_from(("name", "color"))))
    if kind == "choose":
        return choose(things, ["red", "green"], "color")
    if kind == "rel":
        return verify_relation(things, "plate", draw(st.sampled_from(("near", "above", "on"))), "s")
    if kind == "join":
        return draw(st.sampled_from((both, either)))(exist(things), exist(draw(_things())))  # type: ignore[no-any-return]  # both make nodes
    return Node("same color", (), (things, draw(_things())))


@given(
    _questions(),
    st.lists(st.tuples(st.sampled_from(_NAMES), st.sets(st.sampled_from([v for v, _ in _VALUES]))), max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(("on", "near", "above")), st.integers(0, 3)), max_size=5),
)
def test_canonical_form_keeps_the_answer_on_any_scene(
    question: Node, objects: list[tuple[str, set[str]]], triples: list[tuple[int, str, int]]
) -> None:
    ids = [str(k) for k in range(len(objects))]
    scene = scene_graph(
        "1",
        {key: (name, sorted(values)) for key, (name, values) in zip(ids, objects, strict=True)},
        [(str(s % len(ids)), p, str(o % len(ids))) for s, p, o in triples if ids],
    )
    ask = GqaInterpreter.of().answer
    one, other = ask(question, scene), ask(canonical(question), scene)
    # The reasons of what is undefined may differ with the order in which steps are looked at.
    assert one == other or (isinstance(one, Undefined) and isinstance(other, Undefined))


# The report


def _question(number: int, image: str, answer: str, program: Node, **more: Any) -> tuple[str, dict[str, Any]]:
    steps = [
        {"operation": s.operation, "argument": ",".join(s.arguments), "dependencies": list(s.inputs)}
        for s in program_of(program).steps
    ]
    said = {"question": f"Question {number}?", "imageId": image, "answer": answer, "semantic": steps}
    return str(number), {**said, **more}


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    red = filtered(A, "red", "color")
    rows = [
        _question(1, "i", "yes", both(exist(A), exist(B)), equivalent=["1", "2", "3"]),
        _question(2, "i", "no", both(exist(B), exist(A)), equivalent=["1", "2"]),
        _question(3, "i", "yes", exist(red), equivalent=["3"]),
        _question(4, "j", "yes", both(exist(A), exist(B)), equivalent=["4", "9"]),
        _question(5, "j", "red", query(A, "color"), equivalent=["5"], groups={"local": "10q-apple_color"}),
        _question(6, "j", "red", query(red, "color"), groups={"local": "10q-fruit_color"}),
        _question(7, "j", "yes", select("apple"), types={"structural": "verify", "semantic": "obj"}),
    ]
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(dict(rows)))
    return path


def _value(report: Report, name: str) -> Any:
    return report.get(name).value


def test_equivalent_questions_are_of_one_image_and_canonical_program(questions: Path) -> None:
    report = api.describe_programs(questions).report
    assert _value(report, "equivalent-sets") == 1
    assert _value(report, "rows-in-equivalent-sets") == 2
    assert _value(report, "canonical-programs") == 5
    (conflict,) = [each for each in report.findings if each.kind == "conflicting-equivalents"]
    assert (conflict.count, conflict.first) == (1, (("1", "yes"), ("2", "no")))


def test_lists_of_equivalents_are_compared_pair_by_pair(questions: Path) -> None:
    report = api.describe_programs(questions).report
    listed, derived = report.get("listed-equivalents-derived"), report.get("derived-equivalents-listed")
    # Listed and here: (1, 2), (1, 3), (2, 1); derived: (1, 2), (2, 1). "9" is not here, the own id does not count.
    assert (listed.n, round(listed.value * 3)) == (3, 2)  # type: ignore[operator]  # both are fractions
    assert (derived.n, derived.value) == (2, 1)


def test_labels_and_types_are_held_against_those_of_the_data(questions: Path) -> None:
    report = api.describe_programs(questions).report
    assert (report.get("local-label-agreement").n, float(_value(report, "local-label-agreement"))) == (2, 0.5)
    assert (report.get("structural-type-agreement").n, _value(report, "structural-type-agreement")) == (1, 0)
    found = {each.kind: each for each in report.findings}
    assert found["local-label-differs"].first == (("6", "10q-fruit_color", "10q-apple_color"),)
    assert found["structural-type-differs"].first == (("7", "verify", "none"),)
    assert isinstance(_value(report, "global-label-agreement"), Undefined)
    assert ("structural type", 'the last step is "select", of which no rule speaks', 1) in report.tables[
        "undefined"
    ].rows


def test_global_labels_that_neither_has_are_no_agreement(tmp_path: Path) -> None:
    """By hand: 1 and 2 have one on both sides, 3 derived alone, 4 in the data alone, 5 and 6 on neither side."""
    apple, dish = ("select", "apple (1)", []), ("select", "dish (1)", [])
    programs = {
        "1": ([apple, ("query", "color", [0])], "color"),
        "2": ([dish, ("query", "color", [0])], "shape"),
        "3": ([dish, ("query", "shape", [0])], None),
        "4": ([dish, ("exist", "?", [0])], "object"),
        "5": ([apple, ("exist", "?", [0])], ""),
        "6": ([apple, ("verify color", "red", [0])], None),
    }
    records = {
        name: {
            "question": f"Question {name}?", "imageId": "1", "answer": "red",
            "groups": {"global": label, "local": None},
            "semantic": [{"operation": o, "argument": a, "dependencies": d} for o, a, d in steps],
        }
        for name, (steps, label) in programs.items()
    }  # fmt: skip
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(records))
    report = api.describe_programs(path).report
    assert (_value(report, "global-label-agreement"), report.get("global-label-agreement").n) == (0.25, 4)
    assert _value(report, "no-global-label") == 2
    assert "global label 1 of 4 (2 without on both sides)" in report.verdict
    lines = {line[0]: line[1:] for line in report.tables["agreement with the data"].rows}
    assert lines["global label, derived"] == (1, 4, 0.25)
    assert lines["no global label on both sides"] == (2, None, None)
    out = tmp_path / "rows.csv"
    api.describe_programs(path, out=out)
    with out.open(newline="") as file:
        rules = [(bool(row["local_label"] or row["global_label"]), row["label_rules"]) for row in csv.DictReader(file)]
    assert all((rule == "compsplit-gqa-1") is made for made, rule in rules)


def test_no_label_rules_stand_where_no_label_was_made(shared: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    api.describe_programs(shared / "data" / "clevr" / "ns_vqa" / "orig-val.json", out=out)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["local_label"], row["global_label"], row["label_rules"]) for row in rows} == {("", "", "")}


def test_published_shares_stand_beside_gqa_alone(shared: Path) -> None:
    folder = shared / "data" / "gqa"
    files = [
        folder / "codevqa" / "gqa_examples50.json",
        folder / "gazevlm" / "SAMPLE-val_balanced_questions.json",
        *(folder / "allennlp" / name for name in ("questions.json", "questions1.json")),
    ]
    gqa = api.describe_programs(*files).report
    raw = [json.loads(path.read_text()) for path in files]
    records = [record for each in raw for record in (each if isinstance(each, list) else each.values())]
    n_query = sum(record["types"]["structural"] == "query" for record in records)
    assert gqa.tables["structural types"].rows[1] == ("query", n_query, round(100 * n_query / 57, 2), 53)
    logical = {row[0]: row for row in gqa.tables["shares"].rows}["logical"]
    # Three times "and", once "or", once not(white).
    assert logical[1:] == ("programs that hold and, or, not(...) or different", 5, 8.77, "19.0 (other definition)")
    steps = {row[0]: (row[1], row[5]) for row in gqa.tables["steps"].rows}
    assert [steps[name] for name in ("1", "2", "3", "4 and more, together")] == [(2, 6), (33, 42), (19, 44), (3, 8)]
    clevr = api.describe_programs(shared / "data" / "clevr" / "ns_vqa" / "orig-val.json").report
    assert "other data" in clevr.subject["published"]
    assert all("published" not in " ".join(table.columns) for table in clevr.tables.values())
    assert isinstance(_value(clevr, "logical-share"), Undefined)


def test_rows_are_written_by_id_and_say_whose_labels_they_are(questions: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    api.describe_programs(questions, out=out)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == ["1", "2", "3", "4", "5", "6", "7"]
    assert rows[0]["canonical_program"] == rows[1]["canonical_program"]
    assert {key: rows[4][key] for key in ("structural", "semantic", "steps_official", "steps_all", "local_label")} == {
        "structural": "query",
        "semantic": "attr",
        "steps_official": "2",
        "steps_all": "2",
        "local_label": "10q-apple_color",
    }
    assert rows[4]["label_rules"] == "compsplit-gqa-1"
    assert rows[6]["structural"] == ""
    with pytest.raises(OutputExistsError):
        api.describe_programs(questions, out=out)
    lines = tmp_path / "rows.jsonl"
    api.describe_programs(questions, out=lines)
    assert [json.loads(line)["local_label"] for line in lines.read_text().splitlines()][4] == "10q-apple_color"
    with pytest.raises(UsageError, match=r"rows\.txt should end in \.csv or \.jsonl"):
        api.describe_programs(questions, out=tmp_path / "rows.txt")


def test_order_of_rows_changes_nothing(questions: Path, tmp_path: Path) -> None:
    turned = tmp_path / "turned.json"
    turned.write_text(json.dumps(dict(reversed(json.loads(questions.read_text()).items()))))
    one, other = (api.describe_programs(path, out=tmp_path / f"{path.stem}.csv").report for path in (questions, turned))
    assert one.to_json() == other.to_json()
    assert (tmp_path / "questions.csv").read_bytes() == (tmp_path / "turned.csv").read_bytes()


def test_a_user_file_adds_words(questions: Path, tmp_path: Path) -> None:
    path = tmp_path / "words.json"
    path.write_text(json.dumps({"classes": {"gadget": ["gizmo"]}, "converses": [["feeding", "fed by"]]}))
    words = api.describe_programs(questions, vocabulary=path).words
    assert (words.is_a("gizmo", "gadget"), words.converse("fed by")) == (True, "feeding")
    assert words.is_a("duck", "animal")
    path.write_text("[]")
    with pytest.raises(BrokenFileError, match=r"words\.json"):
        api.describe_programs(questions, vocabulary=path)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"kind": {}}, 'a vocabulary has no member "kind". Did you mean "kinds"?'),
        ({"converses": [["left of", "right"], ["left of", "above"]]},
         '"left of" has two converses, "right" and "above"; it can have one.'),
        ({"converses": [["a", "b"], ["c", "b"]]}, '"b" has two converses, "a" and "c"; it can have one.'),
        ({"opposites": [["a", "b"], ["b", "c"]]}, '"b" has two opposites, "a" and "c"; it can have one.'),
        ({"converses": [["a", "a"]]}, '"a" is given as its own converse; put it under symmetric instead.'),
        ({"converses": [["a", "b"]], "symmetric": ["b"]},
         '"b" is symmetric, and "a" and "b" are converses; only one of both can be.'),
        ({"classes": {"a": ["b"], "c": ["a"], "b": ["c"]}},
         'classes go in a circle: "b" is below "a" is below "c" is below "b". Take one of them out.'),
        ({"classes": {"a": ["a"]}}, 'classes go in a circle: "a" is below "a". Take one of them out.'),
        ({"classes": {"duck": ["animal"]}},
         'classes go in a circle: "animal" is below "duck" is below "bird" is below "animal". Take one of them out.'),
        ({"exclusive": ["colour"]}, 'there is no kind "colour" of attributes. Did you mean "color"?'),
    ],
)  # fmt: skip
def test_words_of_a_user_that_cannot_be_are_one_error(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        common_words().with_file(json.dumps(given), "words.json")
    assert str(raised.value) == f"words.json: {told}"
    assert raised.value.file == "words.json"


def test_what_a_user_says_of_a_relation_stands_instead_of_our_own() -> None:
    words = common_words().with_file(
        json.dumps(
            {
                "converses": [["left of", "east of"], ["near", "far off"]],
                "symmetric": ["above"],
                "opposites": [["behind", "next to"]],
            }
        ),
        "words.json",
    )
    found = {name: words.converse(name) for name in ("left of", "east of", "right of", "near", "above", "below")}
    assert found == {
        "left of": "east of", "east of": "left of", "right of": None, "near": "far off", "above": "above",
        "below": None,
    }  # fmt: skip
    assert words.converse("over") == "under"
    opposites = {name: words.opposites.get(name) for name in ("behind", "next to", "in front of", "left of")}
    assert opposites == {"behind": "next to", "next to": "behind", "in front of": None, "left of": "right of"}


def test_a_kind_of_the_file_itself_may_be_exclusive() -> None:
    given = {"kinds": {"Mood": ["glad", "sad"]}, "exclusive": ["MOOD"]}
    words = common_words().with_file(json.dumps(given), "words.json")
    assert "mood" in words.exclusive


def test_classes_that_the_table_has_below_a_name_are_not_put_above_it() -> None:
    words = common_words().with_classes([("animal", "duck"), ("gizmo", "animal")])
    assert "duck" not in words.above("animal")
    assert words.is_a("gizmo", "animal")


def test_the_command_prints_the_agreement(command: Callable[..., Any], shared: Path, questions: Path) -> None:
    folder = shared / "data" / "gqa"
    made = command(
        "programs", folder / "codevqa" / "gqa_examples50.json", folder / "allennlp" / "questions.json", "--json"
    )
    assert "structural type 51 of 51, semantic type 51 of 51" in made.json["subject"]["verdict"]
    shown = command("programs", questions)
    assert shown.code == 0
    assert "agreement with the data" in shown.out
    scenes = command("programs", questions, "--scenes", questions)
    assert (scenes.code, "holds no scenes" in scenes.err) == (2, True)


def test_questions_without_programs_or_scenes_are_one_clear_error(tmp_path: Path, shared: Path) -> None:
    path = tmp_path / "bare.json"
    path.write_text(json.dumps({"1": {"question": "Why?", "imageId": "1", "answer": "no", "isBalanced": True}}))
    with pytest.raises(UsageError, match="No question has a program"):
        api.describe_programs(path, format="gqa")
    folder = shared / "data" / "clevr"
    with pytest.raises(UsageError, match="images without a scene"):
        api.describe_programs(
            folder / "closure" / "closure_train_questions.json",
            scenes=folder / "too_clevr" / "CLEVR_val_scenes_500.json",
        )


def test_a_column_of_another_tool_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("id,image,question,answer,program\n1,i,Why?,no,select(car)\n")
    with pytest.raises(UsageError, match=r'The column "program" holds no program: select\(car\)'):
        api.describe_programs(path)


def test_the_longest_programs_are_read_answered_and_written(tmp_path: Path) -> None:
    node = select("apple")
    for _ in range(MOST_STEPS - 2):
        node = filtered(node, "red", "color")
    clevr = Node("scene")
    for _ in range(MOST_STEPS - 2):
        clevr = Node("filter_color", ("red",), (clevr,))
    scene = scene_graph("i", {"1": ("apple", ["red"])})
    for question in (exist(node), Node("count", (), (clevr,))):
        tree = tree_of(program_of(question))
        assert isinstance(tree, Node)
        assert len(program_of(canonical(tree)).steps) == 3
    assert GqaInterpreter.of().answer(exist(node), scene) == "yes"
    assert clevr_answer(Node("count", (), (clevr,)), scene) == "1"
    path = tmp_path / "long.json"
    path.write_text(json.dumps(dict([_question(1, "i", "yes", exist(filtered(node, "red")))])))
    report = api.describe_programs(path).report
    assert {row[:2] for row in report.tables["undefined"].rows} >= {
        ("structural type", f"the program has more than {MOST_STEPS} steps as a tree"),
        ("canonical program", f"the program has more than {MOST_STEPS} steps as a tree"),
    }


def test_questions_without_a_scene_may_be_left_unanswered(tmp_path: Path, questions: Path) -> None:
    path = tmp_path / "scenes.json"
    objects = {"7": {"name": "apple", "attributes": ["red"], "relations": []}}
    path.write_text(json.dumps({"j": {"objects": objects}}))
    found = api.describe_programs(questions, scenes=path, allow_unjoined=True)
    assert found.answers is not None
    assert np.flatnonzero(found.join.kept).tolist() == [3, 4, 5, 6]  # type: ignore[union-attr]  # there are scenes
    # The plate is not there: "both" is answered no by the scene, yes by the data.
    assert found.answers.disagree == (("4", "yes", "no"),)
    assert found.answers.agree == 2
    assert found.report.get("answer-agreement").n == 3


def test_whether_a_computer_desk_is_a_desk_is_not_told_by_the_last_word_of_its_name() -> None:
    words = common_words()
    for name, head in (("computer desk", "desk"), ("hot dog", "dog"), ("tennis racket", "racket")):
        assert words.is_a(name, head) is None
        assert words.is_a(head, name) is False
    assert words.is_a("palm tree", "tree")
    assert words.is_a("computer desk", "furniture")
    assert words.is_a("computer desk", "computer") is False
