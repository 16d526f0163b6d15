"""Programs of questions: what arguments say, and one line of text for each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.model.program import Program, Step, gqa_argument, gqa_program, without_ids


@st.composite
def programs(draw: st.DrawFn) -> Program:
    steps = []
    for i in range(draw(st.integers(0, 6))):
        inputs = draw(st.lists(st.integers(0, i - 1), max_size=2)) if i else []
        arguments = draw(st.lists(st.text(), max_size=3))
        steps.append(Step(draw(st.text()), tuple(arguments), tuple(inputs), draw(st.booleans())))
    return Program(tuple(steps))


@given(programs())
def test_a_program_is_parsed_back_exactly(program: Program) -> None:
    assert Program.parse(program.written) == program
    assert "\n" not in program.written


@given(programs(), programs())
def test_only_equal_programs_are_written_alike(one: Program, other: Program) -> None:
    assert (one.written == other.written) == (one == other)


@pytest.mark.parametrize(
    "written",
    [
        "", "select", "{}", "3", "null", "[3]", "[[]]", '[["select"]]', '[["select",["a"]]]', '[["select","ab",[]]]',
        '[["select",[5],[]]]', '[[5,[],[]]]', '[["select",[],[0]]]', '[["a",[],[]],["b",[],[-1]]]',
        '[["a",[],[]],["b",[],[0.0]]]', '[["a",[],[]],["b",[],[false]]]', '[["a",[],[],true]]', '[["a",[],[],0]]',
        '[["a", [], []]]', "[" * 100_000,
    ],
)  # fmt: skip
def test_nothing_else_passes_for_a_program(written: str) -> None:
    with pytest.raises(ValueError, match=r"^no program: "):
        Program.parse(written)


@pytest.mark.parametrize(("taken", "step"), [(1, 1), (2, 1), (-1, 1), (0, 0)])
def test_a_step_takes_only_results_of_steps_before_it(taken: int, step: int) -> None:
    steps = [Step("scene"), Step("exist")]
    steps[step] = Step("exist", (), (taken,))
    with pytest.raises(ValueError, match=f"step {step} takes the result of {taken}, which is no step before it"):
        Program(tuple(steps))


def test_equal_programs_about_different_images_are_equal() -> None:
    def of(*ids: str) -> tuple[Program, tuple[str, ...]]:
        car, man = ids
        return gqa_program(
            [("select", f"car ({car}) ", ()), ("relate", f"man,in,s ({man})", (0,)), ("exist", "?", (1,))]
        )

    one, ids = of("11", "12,13")
    other, _ = of("904", "7")
    absent, no_ids = of("904", "-")
    assert one == other
    assert one.written == '[["select",["car"],[]],["relate",["man","in","s"],[0]],["exist",[],[1]]]'
    assert ids == ("11", "12", "13")
    # What is not in the image makes another program; its id list is empty.
    assert absent.steps[1].exists is False
    assert absent != one
    assert no_ids == ("904",)


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("wood ", ("wood", (), None)),
        ("pitcher (2827701) ", ("pitcher", ("2827701",), True)),
        ("lamp (1,  2)", ("lamp", ("1", "2"), True)),
        ("clock (-)", ("clock", (), False)),
        ("not(white)", ("not(white)", (), None)),
        ("not(5)", ("not", ("5",), True)),
        ("cup (of tea)", ("cup (of tea)", (), None)),
        ("cup (of tea) (5)", ("cup (of tea)", ("5",), True)),
        ("a (5", ("a (5", (), None)),
        ("5)", ("5)", (), None)),
        ("", ("", (), None)),
    ],
)
def test_ids_stand_at_the_end_in_brackets(argument: str, expected: tuple[str, tuple[str, ...], bool | None]) -> None:
    assert without_ids(argument) == expected


def test_a_long_argument_of_blanks_takes_no_time() -> None:
    hostile = "a" + " " * 2_000_000 + "("
    assert without_ids(hostile)[1] == ()


def test_an_argument_of_a_choice_of_relations() -> None:
    said = gqa_argument("choose rel", "chair,to the right of|to the left of,s (1177403)")
    assert (said.name, said.choices, said.role, said.relation) == (
        "chair", ("to the right of", "to the left of"), "subject", None,
    )  # fmt: skip
    assert said.ids == ("1177403",)
    same = gqa_argument("relate", "appliance,same color,_ (1317233)")
    assert (same.name, same.relation, same.role) == ("appliance", "same color", None)


@pytest.mark.parametrize(
    ("operation", "argument"), [("select", "scene"), ("exist", "?"), ("and", ""), ("same type", "")]
)
def test_some_arguments_say_nothing(operation: str, argument: str) -> None:
    said = gqa_argument(operation, argument)
    assert (said.name, said.attribute, said.property, said.choices) == (None, None, None, ())


def test_the_words_of_a_step_are_what_its_arguments_name() -> None:
    program, _ = gqa_program(
        [
            ("select", "traffic light (1,2)", ()),
            ("relate", "_,holding,o (3)", (0,)),
            ("filter color", "not(dark brown)", (1,)),
            ("choose rel", "chair,on|under,s (4)", (2,)),
            ("select", "scene", ()),
            ("exist", "?", (0,)),
        ]
    )
    assert [step.words for step in program.steps] == [
        ("traffic light",), ("holding",), ("dark brown",), ("chair", "on", "under"), (), (),
    ]  # fmt: skip


def test_every_published_program_is_kept_but_for_its_ids(shared: Path) -> None:
    records = json.loads((shared / "data" / "gqa" / "codevqa" / "gqa_examples50.json").read_text())
    assert len(records) == 50
    for record in records:
        steps = record["semantic"]
        program, ids = gqa_program([(s["operation"], s["argument"], s["dependencies"]) for s in steps])
        program = Program.parse(program.written)
        assert [s.operation for s in program.steps] == [s["operation"] for s in steps]
        assert [list(s.inputs) for s in program.steps] == [s["dependencies"] for s in steps]
        # Each argument can be put together again of what is kept.
        for step, given_step in zip(program.steps, steps, strict=True):
            text = ",".join(step.arguments) or given_step["argument"].partition(" (")[0].strip()
            rest = given_step["argument"].strip().removeprefix(text).strip(" ()")
            assert all(each in ids for each in rest.split(",") if each.isdigit())
            assert step.exists is (rest != "-")
            assert rest in ("", "-") or all(each.isdigit() for each in rest.split(","))
