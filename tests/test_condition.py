"""Conditions on rows: CoGenT's files against their data, expressions against a naive reading of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.errors import BrokenFileError, ImpossibleError, RecordsError, UsageError
from compsplit.model import Column, Grouping, Rows, Split, Targets, texts
from compsplit.model.compounds import Compounds, combined, occurring
from compsplit.recipe.guarantees import guaranteed
from compsplit.recipe.parsing import Stage
from compsplit.recipe.readings import asked_by
from compsplit.recipe.reporting import audited, grouped
from compsplit.registry import plugin
from compsplit.splitters import Problem
from compsplit.splitters.expressions import parsed

CONDITION = plugin("splitter", "condition")

Things = Sequence[tuple[str, str]]
"""The attribute and the class of each object of a scene."""


def pairs_of(scenes: Sequence[Things], of: str = "attribute-objects") -> Compounds:
    owners = np.array([i for i, scene in enumerate(scenes) for _ in scene], dtype=np.int64)
    members = [Column.of([pair[k] for scene in scenes for pair in scene]) for k in (0, 1)]
    kinds = [
        occurring(name, len(scenes), owners, c) for name, c in zip(("attributes", "classes"), members, strict=True)
    ]
    return combined(of, "pair", len(scenes), owners, members, (0, 1), kinds, {})


def problem_of(
    scenes: Sequence[Things],
    columns: dict[str, Sequence[str | None]] | None = None,
    groups: Sequence[str] | None = None,
    stays: Sequence[str] = (),
    of: str = "attribute-objects",
) -> Problem:
    ids = Column.of([f"r{i:03}" for i in range(len(scenes))])
    image = ids if groups is None else Column.of(groups)
    pairs = pairs_of(scenes, of)
    rows = Rows(
        texts(ids.names),
        {"id": ids, "image": image, **{name: Column.of(values) for name, values in (columns or {}).items()}},
        None,
        np.zeros(len(scenes), dtype=bool),
        compounds={pairs.of: pairs},
    )
    grouping = Grouping.of("image", image, np.array([name in stays for name in image.names], dtype=bool))
    return Problem(grouping, Targets(by_rule=("train", "test")), 0, None, None, rows)


def parts_of(problem: Problem, **options: Any) -> list[int]:
    return CONDITION.make(problem, **options).part_of_row.tolist()  # type: ignore[no-any-return]  # plug-ins are of any type


def written(tmp_path: Path, name: str, value: Any) -> str:
    path = tmp_path / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


# --- CoGenT


def satisfies(objects: list[dict[str, Any]], condition: dict[str, list[str]]) -> bool:
    """Tell whether every object has a colour that its shape may have."""
    return all(each["color"] in condition[each["shape"]] for each in objects)


def of_cogent(shared: Path) -> tuple[dict[str, Path], dict[str, dict[str, list[str]]]]:
    files = {name: shared / f"data/clevr/dataset_gen/CoGenT_{name}.json" for name in "AB"}
    restated = json.loads((shared / "oracles/cogent_pairs/conditions.json").read_text())
    conditions = {name: restated[f"condition_{name}"] for name in "AB"}
    assert {name: json.loads(path.read_text()) for name, path in files.items()} == conditions
    return files, conditions


@pytest.mark.large
@pytest.mark.parametrize("both", ["train", "test", "leave-out"])
@pytest.mark.parametrize("how", ["files", "expressions"])
def test_cogents_conditions_divide_clevr_scenes(shared, both, how):
    files, conditions = of_cogent(shared)
    path = shared / "data/clevr/too_clevr/CLEVR_train_scenes_1000.json"
    scenes = {
        scene["image_filename"].rsplit(".", 1)[0]: scene["objects"] for scene in json.loads(path.read_text())["scenes"]
    }
    of_a, of_b = ({name for name, each in scenes.items() if satisfies(each, conditions[c])} for c in "AB")
    # 9 of the 1,000 scenes have spheres alone.
    assert len(of_a & of_b) == 9
    assert all(each["shape"] == "sphere" for name in of_a & of_b for each in scenes[name])
    asked = [f"split.both={both}"]
    if how == "files":
        asked += [f"split.train_file={files['A']}", f"split.test_file={files['B']}", "extract.of=attribute-objects"]
    run = api.run("johnson2017_cogent_clevr" if how == "expressions" else "condition", path, settings=asked)
    train, test = (set(run.parts[part]) for part in ("train", "test"))
    assert train == of_a - (of_b if both != "train" else set())
    assert test == of_b - (of_a if both != "test" else set())
    assert run.split.facts["rows that satisfy both"] == 9
    assert run.split.facts["rows that satisfy neither"] == 1000 - len(of_a | of_b)
    broken = [finding.message for finding in run.report.findings if finding.level == "fail"]
    # A scene of spheres alone shows nothing that train forbids: with those in test the recipe's own check must say so.
    assert bool(broken) == (both == "test" and how == "expressions"), broken


def test_made_scenes_of_a_and_b_are_told_apart(shared):
    files, conditions = of_cogent(shared)
    samples = [shared / f"oracles/cogent_pairs/sample_{name}_scenes.json" for name in ("trainA", "valB")]
    scenes = [scene["objects"] for path in samples for scene in json.loads(path.read_text())["scenes"]]
    in_a = [satisfies(each, conditions["A"]) for each in scenes]
    in_b = [satisfies(each, conditions["B"]) for each in scenes]
    assert all(in_a[:140])
    assert all(in_b[140:])
    asked = [f"split.train_file={files['A']}", f"split.test_file={files['B']}", "extract.of=attribute-objects"]
    run = api.run("condition", *samples, settings=asked)
    assert len(run.table.left_out) == 0
    in_train = {name.removeprefix("MADEUP_") for name in run.parts["train"]}
    assert len(in_train) == sum(in_a)
    assert sum(name.startswith("trainA") for name in in_train) == 140
    assert run.split.facts["rows that satisfy both"] == sum(a and b for a, b in zip(in_a, in_b, strict=True))


def test_the_condition_of_one_part_leaves_the_rest_to_the_other(shared):
    files, conditions = of_cogent(shared)
    path = shared / "data/clevr/too_clevr/CLEVR_val_scenes_500.json"
    asked = [f"split.train_file={files['A']}", "extract.of=attribute-pairs"]
    run = api.run("condition", path, settings=asked, classes="size")
    scenes = json.loads(path.read_text())["scenes"]
    expected = {s["image_filename"].rsplit(".", 1)[0] for s in scenes if satisfies(s["objects"], conditions["A"])}
    assert set(run.parts["train"]) == expected
    assert len(run.parts["test"]) == 500 - len(expected)
    assert not [finding for finding in run.report.findings if finding.level == "fail"]


def test_a_file_is_applied_to_two_columns_of_a_table(tmp_path, command):
    frame = pandas.DataFrame(
        {
            "id": [f"n{i}" for i in range(6)],
            "hue": ["red", "blue", "red", "blue", "red", ""],
            "form": ["cube", "cube", "ball", "ball", "cone", "cube"],
        }
    )
    frame.to_csv(tmp_path / "data.csv", index=False)
    a = written(tmp_path, "a.json", {"cube": ["red"], "ball": ["blue"]})
    b = written(tmp_path, "b.json", {"cube": ["blue"], "ball": ["red"]})
    ran = command(
        "run", "condition", "data.csv", "--set", "extract.of=hue+form", "--set", f"split.train_file={a}",
        "--set", f"split.test_file={b}", "--out", "x",
    )  # fmt: skip
    assert ran.code == 0, ran
    # A cone is free, and so is a row without a colour: both satisfy both files and are train.
    assert pandas.read_csv(tmp_path / "x/train.csv")["id"].tolist() == ["n0", "n3", "n4", "n5"]
    assert pandas.read_csv(tmp_path / "x/test.csv")["id"].tolist() == ["n1", "n2"]


def test_names_of_a_file_that_no_row_has_are_told(tmp_path):
    file = written(tmp_path, "a.json", {"cube": ["red"], "cuboid": ["pink"]})
    split = CONDITION.make(problem_of([[("red", "cube")], [("red", "ball")], [("red", "ball"), ("blue", "cube")]]),
                           train_file=file, test="id == r001", both="test")  # fmt: skip
    assert split.facts["never met of the condition of train"] == "cuboid, pink"


def test_scenes_fold_case_and_so_does_a_file(tmp_path):
    path = tmp_path / "scenes.jsonl"
    scenes = [[("Red", "Cube")], [("blue", "cube")]]
    path.write_text(
        "".join(
            json.dumps({"id": f"s{i}", "objects": [{"class": c, "attributes": [a]} for a, c in scene]}) + "\n"
            for i, scene in enumerate(scenes)
        )
    )
    file = written(tmp_path, "a.json", {"Cube": ["RED"], "ball": ["blue"]})
    run = api.run("condition", path, settings=[f"split.train_file={file}", "extract.of=attribute-objects"])
    assert run.parts == {"train": ["s0"], "test": ["s1"]}
    run = api.run("condition", path, settings=["split.test=any(attribute == BLUE)", "extract.of=attribute-objects"])
    assert run.parts == {"train": ["s0"], "test": ["s1"]}


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("{", BrokenFileError, "a.json: is not JSON"),
        ("[]", BrokenFileError, r"is no condition: expected \{class: \[attributes"),
        ("{}", BrokenFileError, "is no condition"),
        ('{"cube": "red"}', RecordsError, "record 1, cube: is no list of attributes"),
        ('{"cube": ["red", 1]}', RecordsError, "record 1, cube: is no list of attributes"),
        ('{"cube": ["red"], "cube": ["blue"]}', BrokenFileError, 'the key "cube" stands twice'),
        ('{"a": ' * 5000 + "1" + "}" * 5000, BrokenFileError, "nested too deeply|no list"),
        (
            '{"dog": ["red"]}',
            UsageError,
            r"no pair of these rows \(attribute-objects\) joins one of its classes \(dog\)",
        ),
        ('{"cube": ["pink"]}', UsageError, r"with one of its attributes \(pink\); they are such as red \| cube"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, text, error, told):
    with pytest.raises(error, match=told):
        CONDITION.make(problem_of([[("red", "cube")]]), train_file=written(tmp_path, "a.json", text))


def test_a_file_is_about_pairs(shared):
    files, _ = of_cogent(shared)
    with pytest.raises(UsageError, match="is about pairs, and relations are none"):
        api.run(
            "condition", shared / "data/vrd/annotations_test.json",
            settings=[f"split.train_file={files['A']}", "extract.of=relations"],
        )  # fmt: skip


# --- parts


SCENES: list[Things] = [
    [("red", "cube")], [("blue", "cube")], [("red", "ball"), ("blue", "ball")], [], [("gray", "cube"), ("red", "ball")],
]  # fmt: skip


def test_rows_that_satisfy_both_go_where_they_are_sent():
    problem = problem_of(SCENES)
    asked = {"train": "not any(attribute == red)", "test": "not any(attribute == blue)"}
    assert parts_of(problem, **asked) == [1, 0, -1, 0, 1]
    assert parts_of(problem, both="test", **asked) == [1, 0, -1, 1, 1]
    split = CONDITION.make(problem, both="leave-out", **asked)
    assert split.part_of_row.tolist() == [1, 0, -1, -1, 1]
    assert split.left_out is not None
    assert split.left_out.values() == [None, None, "satisfies neither condition", "satisfies both conditions", None]
    assert (split.facts["rows that satisfy both"], split.facts["rows that satisfy neither"]) == (1, 1)


def test_a_group_satisfies_a_condition_if_all_its_rows_do():
    problem = problem_of([*SCENES, [("blue", "ball")]], groups=["i", "j", "k", "i", "j", "l"])
    split = CONDITION.make(problem, train="not any(attribute == red)", test="not any(attribute == blue)")
    # Rows 1 and 4 are one image, of which one satisfies each condition.
    assert split.part_of_row.tolist() == [1, -1, -1, 1, -1, 0]
    assert split.left_out is not None
    assert split.left_out[1] == "rows of its group satisfy different conditions"
    assert split.left_out[2] == "satisfies neither condition"


def test_a_group_that_must_stay_in_train_is_there_or_nowhere():
    problem = problem_of(SCENES, stays=["r000", "r001"])
    split = CONDITION.make(problem, train="not any(attribute == red)", test="not any(attribute == blue)")
    assert split.part_of_row.tolist() == [-1, 0, -1, 0, 1]
    assert split.left_out is not None
    assert split.left_out[0] == "its group must stay in train and does not satisfy the condition of train"


def test_what_rows_were_held_out_for_is_what_train_forbids(tmp_path):
    file = written(tmp_path, "a.json", {"cube": ["red"], "ball": ["blue"]})
    split = CONDITION.make(problem_of(SCENES), train_file=file)
    assert split.part_of_row.tolist() == [0, 1, 1, 0, 1]
    assert split.held is not None
    assert set(split.held.names) == {"blue | cube", "red | ball"}
    assert split.held.rows_with(split.rows_in("train")).tolist() == [0, 0]


def test_an_empty_part_says_how_many_rows_satisfy_each_condition():
    with pytest.raises(
        ImpossibleError, match=r"would be in test: of 5 rows these satisfy the condition of train 5, test 2"
    ):
        parts_of(problem_of(SCENES), train="id != r000 or id == r000", test="any(attribute == blue)")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "No condition is given"),
        ({"train": " "}, "No condition is given"),
        ({"train": "id == r000", "train_file": "a.json"}, "split.train and split.train_file both give"),
        ({"test": "id == r000", "test_file": "a.json"}, "split.test and split.test_file both give"),
    ],
)
def test_conditions_that_do_not_fit_together_are_refused(options, told):
    with pytest.raises(UsageError, match=told):
        parts_of(problem_of(SCENES), **options)


COLORS, SHAPES = ("red", "blue", "gray"), ("cube", "ball", "cone")
OBJECTS = st.tuples(st.sampled_from(COLORS), st.sampled_from(SHAPES))
FILES = st.dictionaries(st.sampled_from(SHAPES), st.lists(st.sampled_from(COLORS), unique=True), min_size=1)


@pytest.mark.large
@settings(max_examples=n_shown(200))
@given(
    st.lists(st.tuples(st.sampled_from("ijklmn"), st.lists(OBJECTS, max_size=3)), min_size=3, max_size=12),
    FILES,
    st.one_of(st.none(), FILES),
    st.sampled_from(["train", "test", "leave-out"]),
)
def test_the_audits_find_the_guarantee_of_files_kept(tmp_path_factory, rows, a, b, both):
    folder = tmp_path_factory.mktemp("files")
    groups, scenes = zip(*rows, strict=True)
    problem = problem_of(scenes, groups=groups)
    options = {"train_file": written(folder, "a.json", a), "both": both}
    if b is not None:
        options["test_file"] = written(folder, "b.json", b)

    def forbidden(condition: dict[str, list[str]]) -> set[tuple[str, str]]:
        named = {color for colors in condition.values() for color in colors}
        return {(c, s) for s, colors in condition.items() for c in named - set(colors)}

    in_a = [not forbidden(a) & set(scene) for scene in scenes]
    in_b = [not in_a[i] if b is None else not forbidden(b) & set(scene) for i, scene in enumerate(scenes)]
    try:
        split = CONDITION.make(problem, **options)
    except (ImpossibleError, UsageError):
        return
    for i, group in enumerate(groups):
        mates = [j for j, other in enumerate(groups) if other == group]
        one, other = all(in_a[j] for j in mates), all(in_b[j] for j in mates)
        to = {"train": 0, "test": 1, "leave-out": -1}[both] if one and other else 0 if one else 1 if other else -1
        assert split.part_of_row[i] == to
    assert problem.rows is not None
    placed = np.flatnonzero(split.placed)
    marked = grouped(problem.rows, problem.grouping).taken(placed)
    checks = guaranteed(Stage(CONDITION, options), marked, split.parts)
    measures = audited(marked, split.taken(placed), further=asked_by(checks)).measures
    assert len(checks) == (1 if both == "test" else 2)
    assert [check.written for check in checks if check.broken(measures)] == []


# --- expressions


TABLE: dict[str, Sequence[str | None]] = {
    "color": ["red", "blue", None, "red"], "shape": ["cube", "cube", "ball", "ball"], "a b": ["x y", "if", "x y", "|"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("color == red", [0, 3]),
        ("color != red", [1, 2]),
        ("not color == red", [1, 2]),
        ("not not color == red", [0, 3]),
        ("color in (red, blue)", [0, 1, 3]),
        ("color not in (red)", [1, 2]),
        ("shape == cube and color == red", [0]),
        ("shape == ball or color == red", [0, 2, 3]),
        ("color == red or color == blue and shape == ball", [0, 3]),
        ("(color == red or color == blue) and shape == cube", [0, 1]),
        ("not color == red and shape == cube", [1]),
        ("color == red if shape == cube", [0, 2, 3]),
        ("color == blue or color == red if shape == ball", [0, 1, 3]),
        ('"a b" == "x y"', [0, 2]),
        ("'a b' in (\"if\", '|')", [1, 3]),
        ("color==red and(shape==cube)", [0]),
        ("color == red\n  and shape\t== cube\n", [0]),
    ],
)
def test_an_expression_means_what_it_says(text, rows):
    problem = problem_of([[]] * 4, TABLE)
    assert [i for i, part in enumerate(parts_of(problem, test=text)) if part == 1] == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("any(class == cube and attribute == red)", [0]),
        ("any(class == cube) and any(attribute == red)", [0, 4]),
        ("all(class == cube)", [0, 1, 3]),
        ("not all(class == cube)", [2, 4]),
        ("any(member == red)", [0, 2, 4]),
        ("any(member == red and member == ball)", [2, 4]),
        ("all(attribute in (red, blue) if class == ball)", [0, 1, 2, 3, 4]),
        ("any(attribute == gray) or id == r003", [3, 4]),
    ],
)
def test_any_and_all_ask_for_the_compounds_of_a_row(text, rows):
    if rows == [0, 1, 2, 3, 4]:
        with pytest.raises(ImpossibleError):
            parts_of(problem_of(SCENES), test=text)
        return
    assert [i for i, part in enumerate(parts_of(problem_of(SCENES), test=text)) if part == 1] == rows


def test_members_of_two_columns_are_called_like_these():
    problem = problem_of(SCENES, of="hue+form")
    assert parts_of(problem, test="any(hue == red and form == ball)") == [0, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("color = red", "character 7: '=' is no part of a condition; expected ==, !="),
        ("color", "character 6: expected ==, !=, in or not in, found the end."),
        ("color red", 'character 7: expected ==, !=, in or not in, found "red".'),
        ("color ==", "character 9: expected a value, found the end."),
        ("color == and", 'character 10: expected a value, found "and".'),
        ("color == red shape == cube", 'character 14: expected and, or, if, or the end, found "shape".'),
        ("(color == red", "character 14: expected a closing bracket, found the end."),
        ("color == red)", 'character 13: expected and, or, if, or the end, found ")".'),
        ("color in red", 'character 10: expected values in brackets, such as (red, blue), found "red".'),
        ("color in (red blue)", 'character 15: expected a comma or a closing bracket, found "blue".'),
        ("color in ()", 'character 11: expected a value, found ")".'),
        ("color not red", 'character 11: expected in, found "red".'),
        ("and color == red", 'character 1: expected a name, not, any(...), all(...) or an opening bracket'),
        ("color == red and", "character 17: expected a name, not, any(...), all(...) or an opening bracket"),
        ("colour == red", 'character 1: there is no column "colour". Did you mean "color"?'),
        ("shape == cube and color == rad", 'character 28: there is no value of color "rad". Did you mean "red"?'),
        ("color in (red, 'x y')", 'character 16: there is no value of color "x y". Known: blue, red.'),
        ("any(kind == red)", 'character 5: there is no member of attribute-objects "kind". Known: attribute'),
        ("any(class == red)", 'character 14: there is no value of class "red". Known: ball, cube.'),
        ("any(any(class == cube))", "character 5: expected a test of one compound: any(...) and all(...) do not stand"),
        ("color == \"red", "character 10: '\"' is no part of a condition"),
        ("__import__('os') == x", 'character 11: expected ==, !=, in or not in, found "(".'),
        ("(" * 60 + "color == red" + ")" * 60, 'character 51: expected at most 50 brackets in one another, found "("'),
        ("not " * 5000 + "color", "character 20006: expected ==, !=, in or not in, found the end."),
    ],
)  # fmt: skip
def test_a_wrong_expression_is_refused_with_its_place(text, told):
    with pytest.raises(UsageError) as refused:
        parts_of(problem_of(SCENES[:2] + SCENES[2:4], TABLE), test=text)
    assert refused.value.message.startswith(f"split.test, {told}"), refused.value.message
    assert refused.value.field == "split.test"
    assert not refused.value.message.endswith("?.")


def test_a_long_chain_is_no_deep_one():
    text = " or ".join(["color == red"] * 5000)
    assert parts_of(problem_of([[]] * 4, TABLE), test=text) == [1, 0, 0, 1]


NAMES = {"color": COLORS, "shape": SHAPES}


@st.composite
def expressions(draw: Any, depth: int = 3, members: bool = False) -> tuple[str, Any]:
    """Draw an expression as text, and as a function of a row (or of a compound) that says the same."""
    kinds = ["test", "in"] + (["not", "and", "or", "if", "brackets"] if depth else [])
    if depth and not members:
        kinds += ["any", "all"]
    kind = draw(st.sampled_from(kinds))
    if kind in ("test", "in"):
        name = draw(st.sampled_from(["color", "shape"]))
        values = draw(st.lists(st.sampled_from(NAMES[name]), min_size=1, max_size=1 if kind == "test" else 3))
        negated = draw(st.booleans())
        called = {"color": "attribute", "shape": "class"}[name] if members else name
        if kind == "test":
            text = f"{called} {'!=' if negated else '=='} {values[0]}"
        else:
            text = f"{called} {'not ' if negated else ''}in ({', '.join(values)})"
        return text, lambda row: (row[name] in values) != negated
    if kind in ("any", "all"):
        text, inner = draw(expressions(depth - 1, True))
        every = any if kind == "any" else all
        return f"{kind}({text})", lambda row: every(inner(pair) for pair in row["pairs"])
    text, inner = draw(expressions(depth - 1, members))
    if kind in ("not", "brackets"):
        return (f"not ({text})", lambda row: not inner(row)) if kind == "not" else (f"({text})", inner)
    text2, inner2 = draw(expressions(depth - 1, members))
    if kind == "if":
        return f"({text}) if ({text2})", lambda row: inner(row) or not inner2(row)
    joined = {"and": lambda row: inner(row) and inner2(row), "or": lambda row: inner(row) or inner2(row)}
    return f"({text}) {kind} ({text2})", joined[kind]


COLUMNS = st.tuples(st.sampled_from([*COLORS, None]), st.sampled_from(SHAPES), st.lists(OBJECTS, max_size=3))


@settings(max_examples=n_shown(200))
@given(expressions(), st.lists(COLUMNS, min_size=1, max_size=6))
def test_expressions_hold_for_the_rows_that_a_naive_reading_says(expression, rows):
    text, holds = expression
    # Every value occurs once at least, so that none is refused as unknown.
    rows = [*rows, *((c, s, [(c, s)]) for c, s in zip(COLORS, SHAPES, strict=True))]
    colors, shapes, scenes = zip(*rows, strict=True)
    problem = problem_of(scenes, {"color": colors, "shape": shapes})
    expected = [
        int(holds({"color": c, "shape": s, "pairs": [{"color": a, "shape": b} for a, b in scene]}))
        for c, s, scene in rows
    ]
    if len(set(expected)) < 2:
        with pytest.raises(ImpossibleError):
            parts_of(problem, test=text)
    else:
        assert parts_of(problem, test=text) == expected


@given(st.text(st.sampled_from("ab ()=!,'\"\\ andornotif in any all\n"), max_size=40))
def test_any_text_is_an_expression_or_a_clear_error(text):
    said = "split.train, character "
    try:
        parsed(text, "split.train")
    except UsageError as error:
        said = error.message
    assert said.startswith("split.train, character ")


def test_targets_have_no_share_where_a_rule_decides():
    split: Split = CONDITION.make(problem_of(SCENES), test="any(attribute == red)")
    assert dict(split.asked) == {}
    assert Fraction(split.sizes["test"], 5) == Fraction(3, 5)
