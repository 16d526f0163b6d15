"""Types, steps and labels that programs give, against the published ones."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from compsplit.api import read
from compsplit.describing.program_facts import program_facts
from compsplit.describing.programs import described_programs
from compsplit.model.program import Program, Step, gqa_program, ids_by_step, objects_by_step
from compsplit.model.report import Undefined
from compsplit.model.table import QATable
from compsplit.programs.labels import global_label, local_label
from compsplit.programs.steps import all_steps, official_steps, official_steps_of
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
    replaced,
    select,
    tree_of,
    verify,
    verify_relation,
)
from compsplit.programs.types import (
    asked_relations,
    is_logical,
    is_spatial,
    mentions,
    semantic_type,
    structural_type,
)
from compsplit.programs.vocabulary import common_words

_REAL = (
    "gqa/codevqa/gqa_examples50.json",
    "gqa/gazevlm/SAMPLE-val_balanced_questions.json",
    "gqa/allennlp/questions.json",
    "gqa/allennlp/questions1.json",
)


@pytest.fixture(scope="module")
def real(shared: Path) -> QATable:
    table = read(*(shared / "data" / name for name in _REAL), keep_object_ids=True)
    assert isinstance(table, QATable)
    return table


def _trees(table: QATable) -> list[Node]:
    made = [tree_of(Program.parse(str(written))) for written in table.columns["program"].values()]
    assert all(isinstance(each, Node) for each in made)
    return [each for each in made if isinstance(each, Node)]


def test_types_of_all_57_real_questions_are_the_published_ones(real: QATable) -> None:
    trees = _trees(real)
    assert len(trees) == 57
    assert [structural_type(each) for each in trees] == real.columns["structural"].values()
    assert [semantic_type(each) for each in trees] == real.columns["semantic"].values()


def test_types_of_the_oracle_set_are_its_labels(shared: Path) -> None:
    table = read(shared / "oracles" / "gqa_eval" / "main" / "val_all_questions.json")
    assert isinstance(table, QATable)
    trees = _trees(table)
    assert len(trees) == 208
    assert [structural_type(each) for each in trees] == table.columns["structural"].values()
    assert [semantic_type(each) for each in trees] == table.columns["semantic"].values()


def test_step_counts_of_the_six_examples(real: QATable, shared: Path) -> None:
    expected = {
        "What is on the motorbike?": (2, 3),
        "Are there kids in the picture?": (1, 2),
        "Is it an outdoors scene?": (2, 2),
        "What color is the dish of the food?": (3, 3),
        "Is the giraffe that is standing tall and brown?": (5, 5),
        "Are there either any giraffes or zebras in this picture?": (3, 5),
    }
    raw = {each["question"]: each["semantic"] for each in json.loads((shared / "data" / _REAL[0]).read_text())}
    questions = real.questions.values()
    for question, (official, every) in expected.items():
        assert official_steps([(step["operation"], step["argument"]) for step in raw[question]]) == official
        program = Program.parse(str(real.columns["program"][questions.index(question)]))
        assert (official_steps_of(program), all_steps(program)) == (official, every)
    assert sorted(official_steps_of(Program.parse(str(each))) for each in real.columns["program"].values()) == (
        [1] * 2 + [2] * 33 + [3] * 19 + [4] + [5] * 2
    )


@pytest.mark.parametrize(
    ("operation", "argument", "counts"),
    [
        ("select", "existing wall (17)", False),
        ("query", "nameplate", False),
        ("query", "name", False),
        ("choose", "name", True),
        ("choose name", "desk|chair", False),
        ("Exist", "?", True),
    ],
)
def test_official_steps_are_a_plain_substring_rule(operation: str, argument: str, counts: bool) -> None:
    assert official_steps([(operation, argument)]) == int(counts)


DISH = related(select("food"), "dish", "of", "s")
SCENE = select("scene")


@pytest.mark.parametrize(
    ("node", "structural", "semantic"),
    [
        (both(exist(select("a")), verify(SCENE, "sunny", "weather")), "logical", "obj"),
        (either(verify(SCENE, "sunny", "weather"), exist(select("a"))), "logical", "global"),
        (Node("different color", (), (select("a"), select("b"))), "compare", "attr"),
        (Node("common", (), (select("a"), select("b"))), "compare", "attr"),
        (Node("choose older", (), (select("a"), select("b"))), "compare", "attr"),
        (Node("choose name", (), (select("a"), select("b"))), "compare", "attr"),
        (Node("same", ("weather",), (SCENE,)), "compare", "attr"),
        (choose(SCENE, ["park", "beach"], "place"), "choose", "global"),
        (choose_relation(select("a"), "b", ["on", "under"], "s"), "choose", "rel"),
        (verify_relation(select("a"), "b", "on", "s"), "verify", "rel"),
        (exist(filtered(DISH, "red", "color")), "verify", "rel"),
        (exist(filtered(select("a"), "red", "color")), "verify", "obj"),
        (query(filtered(DISH, "red", "color"), "name"), "query", "rel"),
        (choose(DISH, ["plate", "bowl"], "name"), "choose", "rel"),
        (choose(select("a"), ["b", "c"], "name"), "choose", "cat"),
        (query(DISH, "color"), "query", "attr"),
        (query(select("a"), "hposition"), "query", "attr"),
    ],
)
def test_first_rule_that_fits_gives_the_type(node: Node, structural: str, semantic: str) -> None:
    assert (structural_type(node), semantic_type(node)) == (structural, semantic)


@pytest.mark.parametrize(
    "node",
    [
        select("car"),
        filtered(select("car"), "red"),
        Node("count", (), (Node("scene"),)),
        Node("choose color", ("a|b",)),
    ],
)
def test_other_last_steps_have_no_type_and_say_why(node: Node) -> None:
    for found in (structural_type(node), semantic_type(node)):
        assert isinstance(found, Undefined)
        assert f'"{node.operation}"' in found.reason


def test_clevr_programs_have_types_only_where_the_rules_decide() -> None:
    scene = Node("scene")
    one = Node("unique", (), (Node("filter_color", ("red",), (scene,)),))
    assert (structural_type(Node("query_size", (), (one,))), semantic_type(Node("query_size", (), (one,)))) == (
        "query",
        "attr",
    )
    assert semantic_type(exist(Node("filter_size", ("small",), (scene,)))) == "obj"
    assert semantic_type(exist(Node("filter_size", ("small",), (Node("relate", ("left",), (one,)),)))) == "rel"
    assert isinstance(semantic_type(exist(Node("same_size", (), (one,)))), Undefined)
    assert isinstance(structural_type(Node("same_size", (), (one,))), Undefined)


def test_logical_and_spatial_questions_are_those_of_the_definition() -> None:
    words = common_words()
    a, b = select("a"), select("b")
    assert is_logical(both(exist(a), exist(b)))
    assert is_logical(query(filtered(a, "white", "color", negated=True), "name"))
    assert is_logical(Node("different color", (), (a, b)))
    assert not is_logical(Node("same color", (), (a, b)))
    assert is_spatial(query(a, "vposition"), words)
    assert is_spatial(verify_relation(a, "b", "behind", "s"), words)
    assert not is_spatial(verify_relation(a, "b", "holding", "s"), words)
    # Only the last relation is asked for.
    assert asked_relations(query(related(related(a, "b", "on", "s"), None, "holding", "o"), "name")) == ("holding",)
    assert not is_spatial(query(related(related(a, "b", "on", "s"), None, "holding", "o"), "name"), words)


def test_mentions_count_a_shared_step_once() -> None:
    giraffe = select("giraffe")
    question = both(verify(giraffe, "tall", "height"), verify(giraffe, "brown", "color"))
    assert mentions(question)["entities"] == ("giraffe",)
    chosen = choose_relation(select("girl"), "chair", ["to the left of", "to the right of"], "s")
    assert mentions(chosen) == {
        "entities": ("girl", "chair"),
        "relations": ("to the left of", "to the right of"),
    }


def test_program_and_tree_are_each_others_way_back(real: QATable) -> None:
    for written in real.columns["program"].values():
        program = Program.parse(str(written))
        tree = tree_of(program)
        assert isinstance(tree, Node)
        assert program_of(tree) == program


def test_a_step_that_two_take_stays_one_step() -> None:
    giraffe = select("giraffe")
    program = program_of(both(verify(giraffe, "tall"), verify(giraffe, "brown")))
    assert [step.inputs for step in program.steps] == [(), (0,), (0,), (1, 2)]


def test_programs_that_grow_without_bounds_are_no_trees() -> None:
    steps = [Step("exist", ())] + [Step("and", (), (i, i)) for i in range(64)]
    found = tree_of(Program(tuple(steps)))
    assert isinstance(found, Undefined)
    assert str(MOST_STEPS) in found.reason
    assert isinstance(tree_of(Program(())), Undefined)


def test_replaced_changes_one_node_and_keeps_the_others() -> None:
    food = select("food")
    tree = query(related(food, "dish", "of", "s"), "color")
    assert replaced(tree, {id(food): select("soup")}) == query(related(select("soup"), "dish", "of", "s"), "color")
    assert replaced(tree, {}) is tree


def test_ids_of_objects_are_kept_step_by_step(real: QATable, shared: Path) -> None:
    raw = json.loads((shared / "data" / _REAL[0]).read_text())
    column = real.columns["program_step_objects"]
    same = [each["question"] for each in raw].index("Do the animals have the same species?")
    assert column[same] == "1759843,2186303 -"
    assert ids_by_step(str(column[same])) == (("1759843", "2186303"), ())
    assert objects_by_step(["child (-)", "?"]) == "- -"
    for row, record in enumerate(raw):
        assert len(ids_by_step(str(column[row]))) == len(record["semantic"])


# Labels


def _labels(table: QATable) -> list[tuple[Any, Any]]:
    found = zip(_trees(table), table.answers.values(), strict=True)
    return [(local_label(tree), global_label(tree, answer)) for tree, answer in found]


def test_labels_of_real_questions_agree_but_for_reasons_that_are_known(real: QATable) -> None:
    own = list(zip(real.columns["group_local"].values(), real.columns["group_global"].values(), strict=True))
    made = _labels(real)
    local = {(given, label) for (given, _), (label, _) in zip(own, made, strict=True) if given != label}
    # Names of objects that only a scene graph has, and "What animal ...", which GQA puts into family 14.
    assert local == {
        ("15-giraffe_to the right of,s", "15-animal_to the right of,s"),
        ("13-sandwiches_lettuce", "13-food_lettuce"),
        ("13-pizza_meat", "13-food_meat"),
        ("13-laptop_keyboard", "13-device_keyboard"),
        ("14-tree_in front of,s", "15-tree_in front of,s"),
        ("14-water_leaving,s", "15-water_leaving,s"),
        ("14-grass_leaning on,s", "15-grass_leaning on,s"),
    }
    agree = sum(
        given == (None if isinstance(label, Undefined) else label)
        for (_, given), (_, label) in zip(own, made, strict=True)
    )
    assert agree == 52


def test_anchor_is_called_by_its_own_name_where_it_is_known() -> None:
    program, _ = gqa_program([("select", "animal (7)", []), ("relate", "toy,near,s (8)", [0]), ("query", "name", [1])])
    tree = tree_of(program, [("7",), ("8",), ()])
    assert isinstance(tree, Node)
    assert local_label(tree) == "15-animal_near,s"
    assert local_label(tree, lambda node: "giraffe" if node.ids == ("7",) else None) == "15-giraffe_near,s"


@pytest.mark.parametrize(
    ("node", "label"),
    [
        (verify(select("dog"), "brown", "color"), "05-brown"),
        (choose(SCENE, ["park", "beach"], "place"), "02c-place"),
        (both(exist(select("zebra")), exist(select("cat"))), "09existAnd-cat_zebra"),
        (Node("different color", (), (select("b"), select("a"))), "09different-a_b"),
        (Node("same", ("type",), (select("animals"),)), "07same-allanimals"),
        (choose(select("furniture"), ["desk", "bed"], "name"), "11c-furniture"),
        (query(select("dog"), "size"), "10q-dog_size"),
    ],
)
def test_labels_follow_the_scheme(node: Node, label: str) -> None:
    assert local_label(node) == label


def test_global_label_is_the_category_of_the_answer_and_never_a_guess() -> None:
    what = query(related(select("plate"), None, "on", "o"), "name")
    assert global_label(what, "desk") == "furniture"
    assert isinstance(global_label(what, "gizmo"), Undefined)
    assert isinstance(global_label(what, None), Undefined)
    assert global_label(query(select("dish"), "color"), "red") == "color"
    assert isinstance(global_label(query(select("dish"), "hposition"), "left"), Undefined)
    # Right above are "plant" and "tree": the first by text.
    assert global_label(what, "palm tree") == "plant"
    assert isinstance(global_label(exist(select("dish")), "yes"), Undefined)
    assert isinstance(global_label(query(SCENE, "place"), "park"), Undefined)


def test_a_choice_between_three_things_has_no_type_and_no_label() -> None:
    three = Node("choose older", (), (select("a"), select("b"), select("c")))
    why = Undefined('the last step is "choose older" and takes 3 results, of which no rule speaks')
    assert structural_type(three) == semantic_type(three) == local_label(three) == global_label(three, "a") == why
    assert structural_type(Node("choose older", (), three.inputs[:2])) == "compare"


def test_labels_of_a_whole_table_are_those_of_its_rows(real: QATable, shared: Path) -> None:
    oracle = read(shared / "oracles" / "gqa_eval" / "main" / "val_all_questions.json")
    closure = read(shared / "data" / "clevr" / "closure" / "closure_train_questions.json")
    for table in (real, oracle, closure):
        assert isinstance(table, QATable)
        facts = program_facts(table, common_words())
        made = _labels(table)
        for k, (column, name) in enumerate(((facts.local_label, "local label"), (facts.global_label, "global label"))):
            each = [label[k] for label in made]
            assert column.values() == [None if isinstance(label, Undefined) else label for label in each]
            assert facts.undefined.get(name, {}) == Counter(
                label.reason for label in each if isinstance(label, Undefined)
            )
        steps = [all_steps(Program.parse(str(written))) for written in table.columns["program"].values()]
        assert facts.steps_all.tolist() == steps


def test_the_page_has_the_figures_of_this_file(real: QATable) -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "programs.md").read_text()
    report = described_programs(real).report
    for name in ("structural type", "semantic type", "local group label", "global group label"):
        measure = report.get(f"{name.replace(' group', '').replace(' ', '-')}-agreement")
        assert isinstance(measure.value, Fraction)
        assert f"| {name} | {round(measure.value * measure.n)} of {measure.n} |" in page
