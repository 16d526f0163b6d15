"""GQA's metrics: the official figures, the readings of the paper, what is corrected, and what is said where none is."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gqa_oracle import EXCEPTIONS, answered, eval_figures, read
from hypothesis import given
from hypothesis import strategies as st
from vqa_oracle import Figure

from compsplit import api
from compsplit.errors import CompsplitError, JoinError, MissingFieldError, PredictionsError, RecordsError, UsageError
from compsplit.kernels.attention import attention_in_all, attention_in_each
from compsplit.metrics import gqa_corrected, gqa_official, gqa_paper
from compsplit.model.answered import Answered, Choices, Grounding, RowMean, Scored
from compsplit.model.lists import Lists
from compsplit.model.report import Finding, Undefined
from compsplit.readers import inputs
from compsplit.readers.gqa_choices import read_choices
from compsplit.readers.gqa_grounding import read_grounding
from compsplit.registry import plugin

COMPUTED = "not asked for: printed as 0, computed here all the same"


def put(folder: Path, name: str, value: object) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(value), "utf-8")
    return path


def question(answer: str = "yes", **changes: Any) -> dict[str, Any]:
    made = {
        "question": "Is it red?",
        "answer": answer,
        "imageId": "1",
        "isBalanced": True,
        "entailed": [],
        "equivalent": [],
        "semantic": [
            {"operation": "select", "dependencies": [], "argument": "cup (11)"},
            {"operation": "verify color", "dependencies": [0], "argument": "red"},
        ],
        "groups": {"global": "c", "local": None},
        "types": {"detailed": "verifyAttr", "semantic": "attr", "structural": "verify"},
        "annotations": {"answer": {}, "question": {}, "fullAnswer": {}},
    }
    return made | changes


def rows(folder: Path, questions: Mapping[str, Any], predictions: Mapping[str, Any]) -> Answered:
    return answered(read(put(folder, "questions", questions)), predictions)


def value(said: Scored, name: str) -> Fraction | float | str:
    """Return a measure over all rows, the reason where it is undefined."""
    found: Any = next((m.value for m in said.measures if m.name == name), None)
    if found is None:
        mean = next(mean for mean in said.means if mean.name == name)
        found, _ = mean.over(np.ones(len(mean.scores), dtype=bool))
    return found.reason if isinstance(found, Undefined) else found


def mean_of(said: Scored, name: str) -> RowMean:
    return next(mean for mean in said.means if mean.name == name)


def told(findings: Iterable[Finding], kind: str) -> Finding:
    return next(finding for finding in findings if finding.kind == kind)


def edge_case(shared: Path, name: str) -> dict[str, Any]:
    cases = json.loads((shared / "oracles" / "gqa_eval" / "edge_cases.json").read_text("utf-8"))
    return next(case for case in cases if case["name"] == name)


# --- the official program


@pytest.fixture(scope="module")
def figures(shared: Path) -> list[Figure]:
    """Every figure of the oracle, made once."""
    return list(eval_figures(shared / "oracles" / "gqa_eval"))


@pytest.mark.large
def test_every_figure_of_the_official_program_is_given_but_for_the_listed(figures):
    names = [each.name for each in figures]
    assert len(set(names)) == len(names) > 1000
    differ = {each.name for each in figures if not each.agrees}
    assert differ == {name for name in names if name in EXCEPTIONS}
    assert not differ - EXCEPTIONS.keys()
    # No exception stands for another number: each is undefined with its reason, or has no counterpart.
    for each in figures:
        if each.name in EXCEPTIONS and EXCEPTIONS[each.name] != COMPUTED:
            assert isinstance(each.ours, str)
            assert len(each.ours) > 10
    asked = next(each for each in figures if each.name == "main/consistency/consistency")
    computed = {each.name: each.ours for each in figures if EXCEPTIONS.get(each.name) == COMPUTED}
    assert {computed[name] for name in computed if name.startswith("main")} == {asked.ours}
    assert computed["edge_cases/consistency_not_asked/consistency"] == pytest.approx(100 * 11 / 18)


def test_the_oracle_has_all_its_runs(shared, figures):
    cases = json.loads((shared / "oracles" / "gqa_eval" / "edge_cases.json").read_text("utf-8"))
    assert len(cases) == 43
    names = [each.name for each in figures]
    assert {name.split("/")[1] for name in names if name.startswith("edge")} == {case["name"] for case in cases}
    assert {name.split("/")[1] for name in names if name.startswith("main")} == {
        "consistency", "plain_balanced_predictions_only", "balanced_predictions_only_with_consistency",
        "grounding_map7", "grounding_map3", "all_metrics", "no_choices_file", "object_features",
    }  # fmt: skip


CRASHES: dict[str, tuple[type[CompsplitError], str, object, str | None]] = {
    "missing_prediction_balanced": (PredictionsError, "predictions.json", "y", "question_id"),
    "choices_missing_entry": (JoinError, "choices.json", "y", "question_id"),
    "grounding_missing_attention": (JoinError, "attentions.json", "x", "question_id"),
    "grounding_missing_scene_graphs": (UsageError, "", None, "--scenes"),
    "grounding_unknown_object": (RecordsError, "sceneGraphs.json", 1, "objects"),
    "grounding_map_too_small": (RecordsError, "attentions.json", 1, "attention"),
    "is_balanced_absent": (MissingFieldError, "questions.json", None, "isBalanced"),
    "no_balanced_questions": (UsageError, "", None, "answer"),
}


@pytest.mark.parametrize("name", CRASHES)
def test_where_the_official_program_crashes_an_error_names_file_record_and_field(shared, tmp_path, name):
    case = edge_case(shared, name)
    kinds = ("questions", "predictions", "choices", "sceneGraphs", "attentions")
    files = {kind: put(tmp_path, kind, case[kind]) for kind in kinds if case[kind] is not None}
    data, predictions = files.pop("questions"), files.pop("predictions")
    if "sceneGraphs" in files:
        files["scenes"] = files.pop("sceneGraphs")
    error, file, record, field = CRASHES[name]
    with pytest.raises(error) as caught:
        api.evaluate(data, predictions, **files, map_size=2, format="gqa", replicates=0)
    assert (caught.value.file or "", caught.value.record, caught.value.field) == (file, record, field)


def test_accuracy_is_exact_and_broken_down_by_what_the_official_program_prints(shared):
    main = shared / "oracles" / "gqa_eval" / "main"
    given = json.loads((main / "val_all_predictions.json").read_text("utf-8"))
    found = answered(read(main / "val_all_questions.json"), {each["questionId"]: each["prediction"] for each in given})
    said = gqa_official.measure(found)
    assert value(said, "accuracy") == Fraction(96 * 100, 142)
    assert list(mean_of(said, "accuracy").by) == ["structural type", "semantic type", "steps", "words"]
    # 0.7708333 is 18.5 of 24 as the oracle has it: no rounding is left in the exact value.
    assert value(said, "consistency") == Fraction(1850, 24)


def test_the_official_metric_runs_on_gqa_data_and_the_others_when_they_are_asked_for(tmp_path):
    found = rows(tmp_path, {"1": question()}, {"1": "yes"})
    metrics = ("gqa-official", "gqa-paper", "gqa-corrected", "gqa-ood")
    assert [plugin("metric", name).facts["fits"](found) for name in metrics] == [True, False, False, False]
    other = dataclasses.replace(found, table=dataclasses.replace(found.table, format="table"))
    assert not plugin("metric", "gqa-official").facts["fits"](other)


def test_nothing_depends_on_the_order_of_questions(shared, tmp_path):
    main = shared / "oracles" / "gqa_eval" / "main"
    questions = json.loads((main / "val_all_questions.json").read_text("utf-8"))
    turned = put(tmp_path, "questions", dict(reversed(questions.items())))
    files = {
        "choices": main / "val_all_choices.json",
        "scenes": main / "val_all_sceneGraphs.json",
        "attentions": main / "val_all_attentions_map7.json",
    }
    metrics = ["gqa-official", "gqa-paper", "gqa-corrected", "gqa-ood"]
    reports = [
        api.evaluate(data, main / "val_all_predictions.json", **files, metrics=metrics, replicates=0).report.to_json()
        for data in (main / "val_all_questions.json", turned)
    ]
    assert json.dumps(reports[0]) == json.dumps(reports[1])


# --- users' cases


def case_08(shared: Path, data: str, **more: Any) -> Any:
    folder = shared / "cases" / "08-gqa-entailed-outside-tier"
    return api.evaluate(folder / f"{data}.json", folder / "predictions.json", **more).report


@pytest.mark.parametrize(("data", "all_questions"), [("all_questions", None), ("balanced_questions", "all_questions")])
def test_case_08_an_entailed_id_that_exists_nowhere_is_left_out_and_reported(shared, data, all_questions):
    folder = shared / "cases" / "08-gqa-entailed-outside-tier"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    more = {} if all_questions is None else {"all_questions": folder / f"{all_questions}.json"}
    report = case_08(shared, data, **more)
    assert report.get("accuracy").number == pytest.approx(expected["accuracy"], abs=5e-4)
    consistency = report.get("consistency")
    assert (consistency.number, consistency.n) == (expected["all"]["consistency"], expected["all"]["questions_used"])
    assert list(told(report.findings, "entailed-missing").first) == expected["all"]["entailed_missing"]


def test_case_08_the_balanced_file_alone_leaves_consistency_undefined_with_the_reason(shared):
    folder = shared / "cases" / "08-gqa-entailed-outside-tier"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    report = case_08(shared, "balanced_questions", allow_unjoined=True)
    assert report.get("accuracy").number == pytest.approx(expected["accuracy"], abs=5e-4)
    consistency = report.get("consistency").value
    assert isinstance(consistency, Undefined)
    assert consistency.reason.startswith("not computed: 3 entailed questions are not in this file")
    assert list(told(report.findings, "entailed-missing").first) == expected["balanced_only"]["entailed_missing"]


def test_case_12_predictions_that_only_cleaning_would_match_are_told_and_scored_on_request(shared):
    folder = shared / "cases" / "12-gqa-trailing-period"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    report = api.evaluate(folder / "questions.json", folder / "predictions.json").report
    assert next(m.of for m in report.measures if m.name == "accuracy") == "gqa official"
    assert report.get("accuracy").number == expected["exact"]
    assert told(report.findings, "would-match-cleaned").count == expected["would_match_after_cleaning"]
    assert not any(measure.of == "cleaned" for measure in report.measures)
    cleaned = api.evaluate(folder / "questions.json", folder / "predictions.json", metrics=["cleaned"]).report
    assert cleaned.get("accuracy", "cleaned").number == expected["cleaned"]


# --- consistency


def entailing(folder: Path, predictions: Mapping[str, str], **questions: dict[str, Any]) -> Answered:
    return rows(folder, {name: question(**changes) for name, changes in questions.items()}, predictions)


def test_the_paper_takes_equivalent_questions_too_and_each_once(tmp_path):
    found = entailing(
        tmp_path,
        {"a": "yes", "b": "no", "c": "yes", "d": "yes"},
        a={"entailed": ["a", "b", "b", "c"], "equivalent": ["a", "c", "d"]},
        b={"isBalanced": False}, c={"isBalanced": False}, d={"isBalanced": False},
    )  # fmt: skip
    # Official: b twice and c, so 1 of 3; corrected: b and c; paper: b, c and d.
    assert value(gqa_official.measure(found), "consistency") == Fraction(100, 3)
    assert value(gqa_corrected.measure(found), "consistency") == 50
    assert value(gqa_paper.measure(found), "consistency") == Fraction(200, 3)


def test_an_entailed_question_without_a_prediction_leaves_consistency_undefined(tmp_path):
    found = entailing(tmp_path, {"a": "yes"}, a={"entailed": ["b"]}, b={"isBalanced": False})
    reason = value(gqa_official.measure(found), "consistency")
    assert reason == "not computed: 1 entailed question has no prediction (b)"
    assert value(gqa_official.measure(found), "accuracy") == 100


def test_a_balanced_file_is_not_all_questions_because_some_are_not_scored(tmp_path):
    found = entailing(tmp_path, {"a": "yes", "b": "yes"}, a={"entailed": ["b", "gone"]}, b={})
    alone = dataclasses.replace(found, scored=np.array([True, False]))
    assert value(gqa_official.measure(alone), "consistency") == (
        "not computed: 1 entailed question is not in this file (gone)"
    )


def test_a_scored_question_that_counts_as_wrong_is_wrong_where_it_is_entailed(tmp_path):
    file = put(tmp_path, "questions", {"a": question(entailed=["b"]), "b": question()})
    report = api.evaluate(file, {"a": "yes"}, missing="wrong", replicates=0).report
    assert report.get("consistency").value == 0


def test_entailed_ids_are_of_the_same_file_where_ids_are_qualified_by_file(tmp_path):
    for name, right in (("one", "yes"), ("two", "no")):
        put(tmp_path, name, {"a": question(entailed=["b"]), "b": question(right, isBalanced=False)})
    table = plugin("reader", "gqa").make(
        inputs([tmp_path / "one.json", tmp_path / "two.json"]), keep_lists=True, id_scope="file"
    )
    found = answered(table, {"one:a": "yes", "one:b": "yes", "two:a": "yes", "two:b": "yes"})
    assert value(gqa_official.measure(found), "consistency") == 50


def test_new_ids_leave_consistency_undefined(tmp_path):
    file = put(tmp_path, "questions", {"a": question(entailed=["b"]), "b": question()})
    table = plugin("reader", "gqa").make(inputs([file]), keep_lists=True, new_ids=True)
    found = answered(table, {"questions:1": "yes", "questions:2": "yes"})
    assert value(gqa_official.measure(found), "consistency") == "the rows have new ids, and the lists name the old ones"


def test_lists_that_were_not_read_are_no_lists(tmp_path):
    table = plugin("reader", "gqa").make(inputs([put(tmp_path, "questions", {"a": question(entailed=["b"])})]))
    found = answered(table, {"a": "yes"})
    assert value(gqa_official.measure(found), "consistency") == "the data list no entailed questions"
    for_reason = dataclasses.replace(found, absent={"entailed": "told elsewhere"})
    assert value(gqa_official.measure(for_reason), "consistency") == "told elsewhere"


# --- distribution


def worked(shared: Path, tmp_path: Path, name: str) -> Answered:
    case = edge_case(shared, name)
    return rows(tmp_path, case["questions"], {each["questionId"]: each["prediction"] for each in case["predictions"]})


@pytest.mark.parametrize("metric", [gqa_paper, gqa_corrected])
def test_shares_of_answers_give_ten_copies_the_same_distribution(shared, tmp_path, metric):
    # By hand: color 1/3 over 4 questions is 1/12, animal 2 over 2 is 1; (4 * 1/12 + 2 * 1) / 6 = 7/18.
    for name in ("distribution_worked", "distribution_scales_with_size"):
        assert value(metric.measure(worked(shared, tmp_path, name)), "distribution") == pytest.approx(7 / 18, abs=1e-12)


def test_the_groups_behind_the_distribution_are_shown(shared, tmp_path):
    tables = gqa_official.measure(worked(shared, tmp_path, "distribution_worked")).tables
    groups = tables["distribution by global group"].rows
    assert [(name, n) for name, n, *_ in groups] == [("animal", 2), ("color", 4)]
    assert [line[2] for line in groups] == pytest.approx([2, 1 / 3])
    assert [line[3] for line in groups] == pytest.approx([1, 1 / 12])
    # Wrong answers that are right nowhere in the group are shown, and add nothing.
    assert ("color", "green", 0, 1) in tables["answers of global groups"].rows


def test_a_prediction_that_is_no_text_is_no_answer_of_a_group(tmp_path):
    found = rows(tmp_path, {"a": question("2"), "b": question("2")}, {"a": 2, "b": "2"})
    said = gqa_official.measure(found)
    assert value(said, "accuracy") == 50
    assert said.tables["answers of global groups"].rows == (("c", "2", 2, 1),)
    assert value(said, "distribution") == pytest.approx((1 - 2) ** 2 / 2 / 100)


# --- choices


def chosen(folder: Path, choices: Mapping[str, Any], **questions: dict[str, Any]) -> Answered:
    found = rows(folder, {n: question(**each) for n, each in questions.items()}, dict.fromkeys(questions, "red"))
    return dataclasses.replace(
        found, choices=read_choices(inputs([put(folder, "choices", choices)])[0], found.table.ids)
    )


def test_questions_without_choices_are_left_out_and_counted(tmp_path):
    found = chosen(
        tmp_path, {"b": {"valid": ["red"], "plausible": []}, "z": {"valid": [], "plausible": []}}, a={}, b={}
    )
    said = gqa_official.measure(found)
    assert (value(said, "validity"), value(said, "plausibility")) == (100, 0)
    missing = told(said.findings, "without-choices")
    assert (missing.count, missing.first) == (1, ("a",))


def test_a_number_is_in_no_list_of_choices(tmp_path):
    found = chosen(tmp_path, {"a": {"valid": ["red", "2"], "plausible": []}}, a={})
    assert value(gqa_official.measure(found), "validity") == 100
    number = dataclasses.replace(found, not_text=np.array([True]))
    assert value(gqa_official.measure(number), "validity") == 0


def test_needed_choices_that_are_not_there_stop_unless_the_file_is_empty(tmp_path):
    table = read(put(tmp_path, "questions", {"a": question(), "b": question()}))
    needed = np.array([True, True])
    (some,) = inputs([put(tmp_path, "some", {"b": {"valid": [], "plausible": []}})])
    with pytest.raises(JoinError, match=r"1 joined; 1 questions without choices \(a\)"):
        read_choices(some, table.ids, needed)
    assert read_choices(some, table.ids, np.array([False, True])).there.tolist() == [False, True]
    (empty,) = inputs([put(tmp_path, "empty", {})])
    assert not read_choices(empty, table.ids, needed).there.any()


def test_choices_that_are_no_lists_of_text_are_named(tmp_path):
    (broken,) = inputs([put(tmp_path, "choices", {"a": {"valid": ["yes"], "plausible": [1]}, "b": {"valid": []}})])
    with pytest.raises(RecordsError) as caught:
        read_choices(broken, read(put(tmp_path, "questions", {"a": question()})).ids)
    assert [line.split(": ")[0] for line in caught.value.facts["first"]] == [
        "choices.json, record 1, plausible", "choices.json, record 2, plausible",
    ]  # fmt: skip


# --- grounding


SCENES = {
    "1": {
        "width": 200,
        "height": 100,
        "objects": {
            "11": {"x": 0, "y": 0, "w": 100, "h": 100},
            "12": {"x": 50, "y": 0, "w": 100, "h": 50},
            "13": {"x": 150, "y": 50, "w": 100, "h": 100},
        },
    }
}


def pointing(folder: Path, objects: Sequence[str], attention: Any, **changes: Any) -> Answered:
    annotations = {
        "question": {str(k): name for k, name in enumerate(objects)},
        "fullAnswer": {},
        "answer": {"0": "99"},
    }
    found = rows(folder, {"a": question(annotations=annotations, **changes)}, {"a": "yes"})
    grounding = read_grounding(
        *inputs([put(folder, "attentions", {"a": attention}), put(folder, "scenes", SCENES)]), found.table, 2
    )
    return dataclasses.replace(found, grounding=grounding)


def test_official_grounding_adds_objects_up_and_the_paper_takes_them_together(tmp_path):
    # 11 covers cells [0][0], [0][1]; 12 the right half of [0][0] and the left half of [1][0].
    found = pointing(tmp_path, ["11", "12"], [[1, 2], [3, 4]])
    assert value(gqa_official.measure(found), "grounding") == pytest.approx(100 * (1 + 2 + 0.5 * 1 + 0.5 * 3))
    for metric in (gqa_paper, gqa_corrected):
        assert value(metric.measure(found), "grounding") == pytest.approx(100 * (1 + 2 + 0.5 * 3) / 10)


def test_a_box_beyond_the_image_holds_no_attention_outside(tmp_path):
    # 13 is the right half, and half as high, of cell [1][1], and twice as large as the image shows.
    found = pointing(tmp_path, ["13"], [[0, 0], [0, 1]])
    assert value(gqa_paper.measure(found), "grounding") == pytest.approx(50)


def test_a_question_about_the_scene_is_about_the_whole_image_where_that_is_corrected(tmp_path):
    steps = [
        {"operation": "select", "dependencies": [], "argument": "scene"},
        {"operation": "query", "dependencies": [0], "argument": "place"},
    ]
    found = pointing(tmp_path, [], [[1, 0], [0, 3]], semantic=steps)
    assert value(gqa_official.measure(found), "grounding") == 0
    assert value(gqa_corrected.measure(found), "grounding") == 100
    paper = gqa_paper.measure(found)
    assert value(paper, "grounding").startswith("no scored question points at a region")
    assert told(paper.findings, "no-region").first == ("a",)


def test_attention_that_is_negative_is_no_share_and_is_left_out(tmp_path):
    found = pointing(tmp_path, ["11"], [[-1, 2], [0, 0]])
    assert value(gqa_official.measure(found), "grounding") == pytest.approx(100)
    paper = gqa_paper.measure(found)
    assert not mean_of(paper, "grounding").counted.any()
    assert told(paper.findings, "negative-attention").count == 1


def test_attention_that_sums_to_nothing_is_on_no_region(tmp_path):
    assert value(gqa_paper.measure(pointing(tmp_path, ["11"], [[0, 0], [0, 0]])), "grounding") == 0


@pytest.mark.parametrize("attention", [[[0.25, 0.5, 9], [0, 0]], [[0.25, 0.5], [0, 0], [9, 9]]])
def test_cells_beyond_the_map_are_ignored_and_told(tmp_path, attention):
    found = pointing(tmp_path, ["11"], attention)
    said = gqa_official.measure(found)
    assert value(said, "grounding") == pytest.approx(75)
    assert told(said.findings, "attention-cells-ignored").count == 1


def attended(folder: Path, questions: Mapping[str, Any], attentions: Any, scenes: Any, *needed: bool) -> Grounding:
    files = inputs([put(folder, "attentions", attentions), put(folder, "scenes", scenes)])
    table = read(put(folder, "questions", questions))
    return read_grounding(*files, table, 2, np.array(needed) if needed else None)


def pointed(*objects: str, **changes: Any) -> dict[str, Any]:
    return question(annotations={"question": {}, "fullAnswer": dict(enumerate(objects))}, **changes)


def test_questions_without_attention_or_scene_graph_stop_or_are_not_there(tmp_path):
    questions = {"a": pointed("11"), "b": pointed("11", imageId="2"), "c": pointed("11"), "d": pointed(imageId="2")}
    maps = [{"questionId": name, "attention": [[1, 0], [0, 0]]} for name in ("a", "b", "d")]
    found = attended(tmp_path, questions, maps, SCENES)
    assert found.there.tolist() == [True, False, False, True]
    assert found.starts.tolist() == [0, 1, 1, 1, 1]
    with pytest.raises(JoinError, match=r"questions without attention \(c\)"):
        attended(tmp_path, questions, maps, SCENES, True, True, True, True)
    with pytest.raises(JoinError, match=r"1 joined; 1 images without a scene graph \(2\)"):
        attended(tmp_path, questions, maps, SCENES, True, True, False, True)
    # A question that need not be there is not looked for, nor is its map or its image.
    assert attended(tmp_path, questions, maps, SCENES, True, False, False, True).boxes.tolist() == [[0, 0, 0.5, 1]]


def test_without_any_annotations_the_regions_are_unknown_and_grounding_is_undefined(tmp_path):
    bare = {name: question() for name in ("a", "b")}
    for each in bare.values():
        del each["annotations"]
    maps = {"a": [[1, 2], [3, 4]], "b": [[1, 2], [3, 4]]}
    files = inputs([put(tmp_path, "attentions", maps), put(tmp_path, "scenes", SCENES)])

    def grounding_of(questions: Mapping[str, Any], metric: Any) -> Fraction | float | str:
        found = rows(tmp_path, questions, {"a": "yes", "b": "yes"})
        return value(
            metric.measure(dataclasses.replace(found, grounding=read_grounding(*files, found.table, 2))), "grounding"
        )

    for metric in (gqa_official, gqa_paper, gqa_corrected):
        assert grounding_of(bare, metric) == (
            "no question has the field annotations, which names the objects that it points at"
        )
    # Where the file has annotations, a question that points at nothing, or has none, scores 0 as in that program.
    assert grounding_of({**bare, "b": question()}, gqa_official) == 0
    assert grounding_of({**bare, "b": pointed("11")}, gqa_official) == pytest.approx(100 * 3 / 2)


def test_attention_is_held_against_questions_of_gqa_alone(tmp_path):
    data, other = (tmp_path / name for name in ("data.csv", "attentions.json"))
    data.write_text("id,question,answer\na,dog?,yes\n", "utf-8")
    other.write_text(json.dumps({"a": [[1, 0], [0, 0]]}), "utf-8")
    table = plugin("reader", "table").make(inputs([data]))
    with pytest.raises(UsageError, match=r"attentions\.json: attention is held against the objects that GQA's") as told:
        read_grounding(*inputs([other, put(tmp_path, "scenes", SCENES)]), table, 2)
    assert told.value.field == "--attentions"


@pytest.mark.parametrize("attention", ["[[1e400, 0], [0, 0]]", "[[1, 0], [0, -1e999]]", "[[1e308, 1e308], [0, 0]]"])
def test_attention_without_a_finite_sum_is_named(tmp_path, attention):
    (tmp_path / "attentions.json").write_text(f'{{"a": [[1, 0], [0, 0]], "b": {attention}}}', "utf-8")
    table = read(put(tmp_path, "questions", {"a": pointed("11"), "b": pointed("11")}))
    files = inputs([tmp_path / "attentions.json", put(tmp_path, "scenes", SCENES)])
    with pytest.raises(RecordsError, match=r"attentions\.json, record 2, attention: .* finite"):
        read_grounding(*files, table, 2)


@pytest.mark.parametrize(
    ("scene", "place"),
    [
        (
            '{"width": 200, "height": 100, "objects": {"11": {"x": 0, "y": 0, "w": 1e400, "h": 1}}}',
            "objects: object 11",
        ),
        ('{"width": 1e400, "height": 100, "objects": {"11": {"x": 0, "y": 0, "w": 1, "h": 1}}}', "width: "),
        (
            '{"width": 1e-300, "height": 1, "objects": {"11": {"x": 0, "y": 0, "w": 1e99, "h": 1}}}',
            "objects: object 11",
        ),
    ],
)
def test_a_box_or_an_image_without_a_finite_size_is_named(tmp_path, scene, place):
    (tmp_path / "scenes.json").write_text(f'{{"1": {scene}}}', "utf-8")
    table = read(put(tmp_path, "questions", {"a": pointed("11"), "b": pointed("11")}))
    maps = {name: [[1, 0], [0, 0]] for name in "ab"}
    files = inputs([put(tmp_path, "attentions", maps), tmp_path / "scenes.json"])
    # Once, however many questions point at it.
    with pytest.raises(RecordsError, match=rf"^1 bad record\. scenes\.json, record 1, {place}.* finite"):
        read_grounding(*files, table, 2)


def test_every_bad_map_and_box_is_named(tmp_path):
    questions = {"a": pointed("11", "14"), "b": pointed("15")}
    two = [[1, 0], [0, 0]]
    maps = [
        {"questionId": "a", "attention": two},
        {"questionId": "a", "attention": two},
        {"attention": two},
        {"questionId": "b", "attention": [[1, 0], [0]]},
        {"questionId": "b", "attention": [["1", 0], [0, 0]]},
    ]
    with pytest.raises(RecordsError) as caught:
        attended(tmp_path, questions, maps, SCENES)
    assert [line.split(": ")[0] for line in caught.value.facts["first"]] == [
        "attentions.json, record 2, questionId", "attentions.json, record 3, questionId",
        "attentions.json, record 4, attention", "attentions.json, record 5, attention",
    ]  # fmt: skip
    scenes = {"1": {**SCENES["1"], "objects": {**SCENES["1"]["objects"], "15": {"x": 1, "y": 1, "w": 1}}}}  # type: ignore[dict-item]  # JSON of any type
    with pytest.raises(RecordsError) as caught:
        attended(tmp_path, questions, {"a": two, "b": two}, scenes)
    assert caught.value.facts["first"] == [
        "scenes.json, record 1, objects: image 1 has no object 14, which question a points at",
        "scenes.json, record 1, objects: object 15 has no box (x, y, w, h)",
    ]
    with pytest.raises(RecordsError, match=r"scenes\.json, record 1, width: is 0 by 100, expected a positive size"):
        attended(tmp_path, questions, {"a": two}, {"1": {**SCENES["1"], "width": 0}})


def test_lists_are_not_files_of_choices_or_scenes(tmp_path):
    table = read(put(tmp_path, "questions", {"a": question()}))
    (choices,) = inputs([put(tmp_path, "choices", [{"valid": [], "plausible": []}])])
    with pytest.raises(CompsplitError, match=r"choices\.json: is a list"):
        read_choices(choices, table.ids)
    with pytest.raises(CompsplitError, match=r"scenes\.json: is a list"):
        attended(tmp_path, {"a": pointed("11")}, {"a": [[1, 0], [0, 0]]}, [SCENES["1"]])


GRID = 8
"""Boxes end at eighths, so that a box is a whole number of small squares."""


@st.composite
def attention_and_boxes(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], list[list[tuple[int, int, int, int]]]]:
    n = draw(st.sampled_from([1, 2, 4]))
    place = st.integers(-3, GRID + 3)
    boxes = draw(st.lists(st.lists(st.tuples(place, place, place, place), max_size=4), min_size=1, max_size=3))
    cells = draw(st.lists(st.integers(0, 5), min_size=len(boxes) * n * n, max_size=len(boxes) * n * n))
    return np.array(cells, dtype=np.float64).reshape(len(boxes), n, n), boxes


@given(attention_and_boxes())
def test_attention_in_boxes_is_what_small_squares_say(made):
    maps, boxes = made
    n = maps.shape[1]
    each, together = [], []
    for cells, own in zip(maps, boxes, strict=True):
        share = (n / GRID) ** 2
        held = {
            (x, y): sum(left <= x < right and top <= y < bottom for left, top, right, bottom in own)
            for x in range(GRID)
            for y in range(GRID)
        }
        at = {square: cells[square[0] * n // GRID, square[1] * n // GRID] * share for square in held}
        each.append(sum(times * at[square] for square, times in held.items()))
        total = cells.sum()
        together.append(sum(at[square] for square, times in held.items() if times) / total if total else 0)
    starts = np.append(0, np.cumsum([len(own) for own in boxes]))
    flat = np.array([box for own in boxes for box in own], dtype=np.float64).reshape(-1, 4) / GRID
    assert attention_in_each(maps, starts, flat) == pytest.approx(each)
    assert attention_in_all(maps, starts, flat) == pytest.approx(together)


# --- types and steps


def test_steps_are_told_by_operations_where_that_is_corrected(shared, tmp_path):
    case = edge_case(shared, "steps_number")
    found = rows(tmp_path, case["questions"], dict.fromkeys(case["questions"], "yes"))
    official = mean_of(gqa_official.measure(found), "accuracy").by["steps"]
    corrected = mean_of(gqa_corrected.measure(found), "accuracy").by["steps"]
    steps = {
        name: (before, after)
        for name, before, after in zip(found.table.ids.tolist(), official.values(), corrected.values(), strict=True)
    }
    # select: existing wall and query: nameplate are steps; exist, query: name and choose name are none.
    assert (steps["s1"], steps["s2"], steps["s3"]) == (("1", "1"),) * 3
    assert (steps["s4"], steps["s5"]) == (("1", "2"),) * 2


def test_a_question_without_a_structural_type_is_neither_open_nor_binary(tmp_path):
    found = rows(tmp_path, {"a": question(types=None), "b": question()}, {"a": "yes", "b": "no"})
    said = gqa_official.measure(found)
    assert (value(said, "accuracy"), value(said, "binary")) == (50, 0)
    assert value(said, "open") == "no scored question has the structural type query"
    assert told(said.findings, "no-structural-type").first == ("a",)


def test_what_was_not_given_is_undefined_for_the_reason_that_is_known(tmp_path):
    found = rows(tmp_path, {"a": question()}, {"a": "yes"})
    said = gqa_official.measure(found)
    assert [value(said, name) for name in ("validity", "plausibility", "grounding")] == [
        "no choices were given", "no choices were given", "no attention was given",
    ]  # fmt: skip
    none = Lists.of([[]])
    empty = dataclasses.replace(found, choices=Choices(none, none, np.array([False])), absent={"grounding": "told"})
    said = gqa_official.measure(empty)
    assert [value(said, name) for name in ("validity", "grounding")] == ["the file of choices holds none", "told"]
    assert value(gqa_paper.measure(empty), "grounding") == "told"


# --- the reader


def test_lists_are_read_as_they_stand_where_they_are_asked_for(tmp_path):
    annotations = {"question": {"0": "11", "2:4": "12"}, "fullAnswer": {"1": 11}, "answer": {"0": "99"}}
    file = put(
        tmp_path,
        "questions",
        {
            "a": question(entailed=["b", "a", "b"], equivalent=["a"], annotations=annotations),
            "b": question(entailed=None, annotations=None),
        },
    )
    table = read(file)
    assert {name: [lists.of_row(0), lists.of_row(1)] for name, lists in table.lists.items()} == {
        "entailed": [["b", "a", "b"], []],
        "equivalent": [["a"], []],
        "regions": [["11", "12", "11"], []],
    }
    assert not plugin("reader", "gqa").make(inputs([file])).lists
    broken = put(tmp_path, "broken", {"a": question(entailed="b")})
    with pytest.raises(RecordsError, match=r"broken\.json, record 1, entailed"):
        read(broken)
    # What nobody asked for need not be right.
    assert len(plugin("reader", "gqa").make(inputs([broken]))) == 1


def test_steps_are_counted_as_the_official_program_does_and_absent_without_a_program(tmp_path):
    steps = [
        {"operation": "select", "dependencies": [], "argument": "existing wall (12)"},
        {"operation": "relate", "dependencies": [0], "argument": "_,on,s (2)"},
        {"operation": "query", "dependencies": [1], "argument": "name"},
    ]
    table = read(
        put(
            tmp_path,
            "questions",
            {"a": question(semantic=steps), "b": question(semantic=[]), "c": question(semantic=None)},
        )
    )
    assert table.columns["steps"].values() == ["1", "0", None]
