"""What is made of programs, and of answers given the type of their question."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import OptionValueError, UsageError
from compsplit.extractors import prepared
from compsplit.model.compounds import Compounds
from compsplit.model.incidence import Incidence, Kinds
from compsplit.model.table import QATable
from compsplit.readers import inputs
from compsplit.registry import plugin

Steps = list[tuple[str, str, list[int]]]

CAR: Steps = [
    ("select", "car (1)", []),
    ("filter color", "not(white)", [0]),
    ("relate", "_,holding,o (-)", [1]),
    ("choose color", "red|blue", [2]),
]
TWO: Steps = [
    ("select", "scene", []),
    ("exist", "?", [0]),
    ("select", "car (2)", []),
    ("exist", "?", [2]),
    ("and", "", [1, 3]),
]


def table_of(folder: Path, *programs: Steps | None) -> QATable:
    questions = {}
    for n, steps in enumerate(programs):
        semantic = [{"operation": o, "argument": a, "dependencies": d} for o, a, d in steps or []]
        questions[str(n)] = {"question": f"q {n}", "imageId": "1", "answer": "yes", "semantic": semantic}
    path = folder / "q.json"
    path.write_text(json.dumps(questions))
    table: QATable = plugin("reader", "gqa").make(inputs([path]))
    return table


def extract(name: str, table: QATable, **options: object) -> Compounds:
    compounds: Compounds = plugin("extractor", name).make(table, prepared(table), **options)
    return compounds


def held(incidence: Incidence | Kinds, row: int) -> Counter[str]:
    counts = incidence.occurrences(np.arange(incidence.n_rows) == row).tolist()
    return Counter({name: n for name, n in zip(incidence.names, counts, strict=True) if n})


def codes(compounds: Compounds) -> dict[str, list[int]]:
    """The codes of each compound's atoms, by its name."""
    n, given = len(compounds.rows.names), compounds.starts
    starts = list(range(0, given * n + 1, given)) if isinstance(given, int) else given.tolist()
    return {name: compounds.parts[starts[i] : starts[i + 1]].tolist() for i, name in enumerate(compounds.rows.names)}


def made_of(compounds: Compounds) -> dict[str, list[str]]:
    """The names of each compound's atoms, by its name."""
    return {name: [compounds.atoms.names[code] for code in parts] for name, parts in codes(compounds).items()}


def test_operations_are_made_of_what_their_arguments_name(tmp_path: Path) -> None:
    found = extract("program-operations", table_of(tmp_path, CAR, None, TWO, CAR))
    assert held(found.rows, 0) == {
        "select : car": 1, "filter color : not(white)": 1, "relate : _ : holding : o": 1, "choose color : red|blue": 1,
    }  # fmt: skip
    assert held(found.rows, 1) == {}
    assert held(found.rows, 2) == {"select : scene": 1, "select : car": 1, "exist": 2, "and": 1}
    assert held(found.rows, 3) == held(found.rows, 0)
    assert made_of(found) == {
        "select : car": ["select", "car"],
        "filter color : not(white)": ["filter color", "white"],
        "relate : _ : holding : o": ["relate", "holding"],
        "choose color : red|blue": ["choose color", "red", "blue"],
        "select : scene": ["select"],
        "exist": ["exist"],
        "and": ["and"],
    }
    assert held(found.atoms, 2) == {"select": 2, "car": 1, "exist": 2, "and": 1}
    assert not {"-", "_", "o", "not(white)", "red|blue", "car (1)"} & set(found.atoms.names)


def test_pairs_are_a_step_and_one_that_takes_its_result(tmp_path: Path) -> None:
    table = table_of(tmp_path, CAR, None, TWO)
    found = extract("program-pairs", table)
    assert held(found.rows, 0) == {
        "select > filter color": 1, "filter color > relate": 1, "relate > choose color": 1,
    }  # fmt: skip
    assert held(found.rows, 1) == {}
    assert held(found.rows, 2) == {"select > exist": 2, "exist > and": 2}
    assert made_of(found)["select > exist"] == ["select", "exist"]
    assert held(found.atoms, 2) == {"select": 2, "exist": 2, "and": 1}
    told = extract("program-pairs", table, arguments=True)
    assert held(told.rows, 2) == {"select : scene > exist": 1, "select : car > exist": 1, "exist > and": 2}
    assert made_of(told)["select : car > exist"] == ["select : car", "exist"]


def test_trees_are_cut_off_at_each_depth(tmp_path: Path) -> None:
    table = table_of(tmp_path, TWO, CAR)
    found = extract("program-trees", table)
    assert held(found.rows, 0) == {
        "exist(select)": 2, "and(exist(...), exist(...))": 1, "and(exist(select), exist(select))": 1,
    }  # fmt: skip
    assert held(found.rows, 1) == {
        "filter color(select)": 1,
        "relate(filter color(...))": 1,
        "relate(filter color(select))": 1,
        "choose color(relate(...))": 1,
        "choose color(relate(filter color(...)))": 1,
    }
    assert made_of(found)["and(exist(select), exist(select))"] == ["and", "exist", "select", "exist", "select"]
    assert made_of(found)["and(exist(...), exist(...))"] == ["and", "exist", "exist"]
    deep = extract("program-trees", table, depth=9)
    assert held(deep.rows, 1)["choose color(relate(filter color(select)))"] == 1
    assert set(extract("program-trees", table, depth=2).rows.names) == {
        "exist(select)",
        "and(exist(...), exist(...))",
        "filter color(select)",
        "relate(filter color(...))",
        "choose color(relate(...))",
    }


@pytest.mark.parametrize("depth", [1, 0, -3])
def test_a_tree_has_two_steps_or_more(tmp_path: Path, depth: int) -> None:
    with pytest.raises(OptionValueError, match="at least 2"):
        extract("program-trees", table_of(tmp_path, CAR), depth=depth)


def test_a_program_whose_steps_take_the_same_result_again_and_again_ends(tmp_path: Path) -> None:
    steps: Steps = [("select", "car (1)", [])]
    steps += [("and", "", [i, i]) for i in range(2000)]
    found = extract("program-trees", table_of(tmp_path, steps))
    assert held(found.rows, 0) == {
        "and(select, select)": 1,
        "and(and(...), and(...))": 1999,
        "and(and(select, select), and(select, select))": 1,
        "and(and(and(...), and(...)), and(and(...), and(...)))": 1998,
    }


@given(data=st.data())
def test_pairs_and_trees_of_depth_two_agree_with_their_definitions(data: st.DataObject, tmp_path_factory: Any) -> None:
    programs: list[Steps] = []
    for _ in range(data.draw(st.integers(1, 4))):
        n = data.draw(st.integers(1, 5))
        programs.append(
            [
                (
                    data.draw(st.sampled_from("abc")),
                    "",
                    data.draw(st.lists(st.integers(0, i - 1), max_size=2)) if i else [],
                )
                for i in range(n)
            ]
        )
    table = table_of(tmp_path_factory.mktemp("programs"), *programs)
    if not any(step[2] for steps in programs for step in steps):
        return
    pairs, trees = extract("program-pairs", table), extract("program-trees", table, depth=2)
    for row, steps in enumerate(programs):
        assert held(pairs.rows, row) == Counter(f"{steps[i][0]} > {name}" for name, _, inputs in steps for i in inputs)
        below = Counter(
            f"{name}({', '.join(steps[i][0] + '(...)' * bool(steps[i][2]) for i in inputs)})"
            for name, _, inputs in steps
            if inputs
        )
        assert held(trees.rows, row) == below
        assert held(pairs.atoms, row) == held(trees.atoms, row) == Counter(name for name, _, _ in steps)


@pytest.mark.parametrize("name", ["program-operations", "program-pairs", "program-trees"])
def test_rows_without_programs_are_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no row has one; GQA and CLEVR questions have them"):
        extract(name, table_of(tmp_path, None, None))


def test_a_column_of_that_name_may_hold_something_else(command: Any) -> None:
    Path("t.csv").write_text("id,question,answer,program\n1,what?,a,P-7\n2,who?,b,P-8\n")
    ran = command("audit", "t.csv", "--random-splits", "2", "--of", "program-pairs")
    assert ran.code == 2
    assert 'The column "program" holds no program: P-7' in ran.message
    # By default nothing is made of it.
    ran = command("audit", "t.csv", "--random-splits", "2", "--json")
    assert ran.code == 0
    assert "program pairs" not in ran.json["subject"]["extracted"]


def test_published_programs_give_as_many_steps_as_the_file_has(shared: Path) -> None:
    path = shared / "data" / "clevr" / "ns_vqa" / "orig-val.json"
    raw = json.loads(path.read_text())["questions"]
    table: QATable = plugin("reader", "clevr").make(inputs([path]))
    steps, pairs = extract("program-operations", table), extract("program-pairs", table)
    for row, each in enumerate(raw):
        program = each["program"]
        assert held(steps.rows, row) == Counter(" : ".join((s["function"], *s["value_inputs"])) for s in program)
        assert held(steps.atoms, row) == Counter(a for s in program for a in (s["function"], *s["value_inputs"]))
        assert held(pairs.rows, row) == Counter(
            f"{program[i]['function']} > {s['function']}" for s in program for i in s["inputs"]
        )


def test_answers_given_type_keep_types_and_answers_apart(command: Any) -> None:
    rows = [("1", "Is it red?", "yes"), ("2", "is it red?", "yes"), ("3", "What is it?", "Red"), ("4", "What is", "")]
    Path("t.csv").write_text("id,question,answer\n" + "".join(f"{','.join(row)}\n" for row in rows))
    table: QATable = plugin("reader", "table").make(inputs([Path("t.csv")]))
    found = extract("answer-given-type", table)
    assert [sorted(held(found.rows, row).elements()) for row in range(4)] == [
        ["is it | yes"], ["is it | yes"], ["what is | Red"], [],
    ]  # fmt: skip
    assert [sorted(held(found.atoms, row)) for row in range(4)] == [
        ["is it", "yes"], ["is it", "yes"], ["Red", "what is"], ["what is"],
    ]  # fmt: skip


def test_an_answer_that_is_named_like_a_type_is_another_atom(command: Any) -> None:
    Path("t.csv").write_text("id,question,answer,question_type\n1,a?,same,same\n2,b?,x,same\n")
    table: QATable = plugin("reader", "table").make(inputs([Path("t.csv")]))
    found = extract("answer-given-type", table)
    assert sorted(found.atoms.names) == ["same", "same", "x"]
    kind, answer = codes(found)["same | same"]
    assert kind != answer


def test_answers_given_type_need_answers(command: Any) -> None:
    Path("t.csv").write_text("id,question\n1,a?\n2,b?\n")
    table: QATable = plugin("reader", "table").make(inputs([Path("t.csv")]))
    with pytest.raises(UsageError, match="need rows with a question and an answer"):
        extract("answer-given-type", table)
