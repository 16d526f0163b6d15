"""Splitters that follow a rule: a word, a length, templates, groups, unseen words and objects; folds."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.errors import (
    CompsplitError,
    ImpossibleError,
    MissingValueError,
    OptionValueError,
    RecipeError,
    UnknownNameError,
    UsageError,
)
from compsplit.model import Column, Grouping, Rows, Split, Targets, bagged, texts
from compsplit.model.program import operations
from compsplit.recipe.guarantees import guaranteed
from compsplit.recipe.parsing import Recipe, Stage, from_mapping
from compsplit.recipe.reporting import grouped
from compsplit.recipe.running import Run, extracted, run_on_table
from compsplit.registry import plugin
from compsplit.splitters import Fold, Problem

HALF = Targets({"train": "1/2", "test": "1/2"})
BY_ANSWER = {"group": {"by": "question-answer"}}
HALVES = {"train": "1/2", "test": "1/2"}


def divided(table: Any, split: Mapping[str, Any], **sections: Any) -> Run:
    return run_on_table(from_mapping("made", {"split": dict(split), **sections}), table)


def assert_kept(run: Run, *audits: str) -> None:
    """Hold the stated guarantee against these audits."""
    assert_holds(run.recipe, run.rows, run.grouping, run.split, "group-overlap", *audits)


def assert_holds(recipe: Recipe, rows: Rows, grouping: Grouping, split: Split, *audits: str) -> None:
    """Hold the stated guarantee against these audits; each check must be about what one of them measures."""
    with_groups = grouped(rows, grouping)
    measures = [m for name in audits for m in plugin("audit", name).make(with_groups, split).measures]
    checks = guaranteed(recipe.split, rows, split.parts)
    assert {check.name for check in checks} <= {measure.name for measure in measures}
    assert {"group-overlap"} <= {check.name for check in checks}
    assert len({check.name for check in checks}) > 1 or set(audits) == {"group-overlap"}
    for check in checks:
        assert not check.broken(measures), check.written


def texts_of(run: Run, part: str, aspect: str = "question (exact)") -> list[str]:
    column = run.rows.column(aspect)
    return [str(column[row]) for row in np.flatnonzero(run.split.rows_in(part)).tolist()]


# --- SCAN


@pytest.fixture(scope="module")
def scan(shared: Path) -> Any:
    folder = shared / "data" / "scan" / "simple_split"
    return api.read(folder / "tasks_train_simple.txt", folder / "tasks_test_simple.txt")


def lines_of(shared: Path, name: str) -> list[str]:
    return [line.strip() for line in (shared / "data" / "scan" / name).read_text("utf-8").splitlines() if line.strip()]


def written(run: Run, part: str) -> list[str]:
    pairs = zip(texts_of(run, part), texts_of(run, part, "answer (exact)"), strict=True)
    return [f"IN: {command} OUT: {actions}" for command, actions in pairs]


def test_jump_held_out_of_scan_gives_the_published_files_line_by_line(scan, shared):
    run = api.run("lake2018_addprim_scan", scan)
    train, test = written(run, "train"), written(run, "test")
    published = lines_of(shared, "add_prim_split/tasks_train_addprim_jump.txt")
    assert (len(train), len(test)) == (13_204, 7_706)
    assert sorted(test) == sorted(lines_of(shared, "add_prim_split/tasks_test_addprim_jump.txt"))
    assert (len(published), set(published)) == (14_670, set(train))
    assert len(set(train)) == len(train)
    assert Counter(published)["IN: jump OUT: I_JUMP"] == 14_670 - 13_203
    assert_kept(run, "lone-words")
    assert not [finding for finding in run.report.findings if finding.level == "fail"]


def test_long_commands_of_scan_are_the_published_files_line_by_line(scan, shared):
    run = api.run("lake2018_length_scan", scan)
    train, test = written(run, "train"), written(run, "test")
    assert (len(train), len(test)) == (16_990, 3_920)
    assert sorted(train) == sorted(lines_of(shared, "length_split/tasks_train_length.txt"))
    assert sorted(test) == sorted(lines_of(shared, "length_split/tasks_test_length.txt"))
    assert_kept(run, "length-overlap")
    beside = run.report.tables["published beside obtained"].rows
    assert [(published, got) for _, published, got, _ in beside] == [(16_990, 16_990), (3_920, 3_920)]


def test_around_right_leaves_the_published_train_and_the_published_test_is_a_part_of_what_is_tested(scan, shared):
    run = api.run("loula2018_template_scan", scan)
    train, test = written(run, "train"), written(run, "test")
    assert sorted(train) == sorted(lines_of(shared, "template_split/tasks_train_template_around_right.txt"))
    assert set(test) > set(lines_of(shared, "template_split/tasks_test_template_around_right.txt"))
    assert len(test) == 5_685 == sum("around right" in command for command in texts_of(run, "test"))


# --- primitive


def frame(questions: Sequence[str], answers: Sequence[str] | None = None, **columns: Sequence[Any]) -> Any:
    n = len(questions)
    data: dict[str, Any] = {"id": [f"r{i}" for i in range(n)], "question": list(questions)}
    data["answer"] = list(answers) if answers is not None else ["yes"] * n
    return api.read(pandas.DataFrame({**data, **columns}))


def test_a_word_is_a_word_whatever_its_case_and_outer_punctuation():
    table = frame(["Jump!", "walk, then jump.", "jumping is fun", "walk", "'JUMP' twice?"])
    run = divided(table, {"method": "primitive", "word": "jump"})
    assert sorted(texts_of(run, "test")) == ["'JUMP' twice?", "walk, then jump."]
    assert run.split.facts["rows of the bare word"] == 1


def test_the_bare_word_must_be_there_to_stay_in_train():
    table = frame(["what red thing", "is it red", "walk"])
    with pytest.raises(ImpossibleError, match=r"No question that may stay in train is \"red\".*unseen-word"):
        divided(table, {"method": "primitive", "word": "red"})
    with pytest.raises(ImpossibleError, match='"walk" stands beside other words in no question: all 1 row with it'):
        divided(table, {"method": "primitive", "word": "walk"})
    with pytest.raises(ImpossibleError, match='"blue" stands beside other words in no question: no row holds it'):
        divided(table, {"method": "primitive", "word": "blue"})
    for word in ("", "two words", "?"):
        with pytest.raises(OptionValueError, match=r"split\.word is .*; expected one word"):
            divided(table, {"method": "primitive", "word": word})


def test_a_group_that_a_rule_would_tear_is_left_out_with_its_reason():
    table = frame(["jump", "jump left", "walk", "jump right", "run"], image=["a", "b", "b", "c", "d"])
    run = divided(table, {"method": "primitive", "word": "jump"}, group={"by": "image"})
    assert run.parts == {"train": ["r0", "r4"], "test": ["r3"]}
    assert dict(run.table.left_out) == dict.fromkeys(["r1", "r2"], "rows of its group do not belong to one part")
    assert_kept(run, "lone-words")


def test_a_group_that_must_stay_in_train_is_left_out_where_the_rule_does_not_want_it_there():
    # Questions of stop words alone reduce to nothing, so that each is a group that stays in train.
    run = divided(
        frame(["is the", "is the a", "is", "red dog", "dog"]), {"method": "length", "longest": 1}, **BY_ANSWER
    )
    assert run.grouping.stays.any()
    assert dict(run.table.left_out) == dict.fromkeys(["r0", "r1"], "its group must stay in train")
    assert run.parts == {"train": ["r2", "r4"], "test": ["r3"]}


# --- length


def test_lengths_are_bounded_or_listed_or_what_the_target_takes():
    table = frame(["a", "a b", "a b", "a b c", "a b c d", "a b c d"])
    assert sorted(map(len, texts_of(divided(table, {"method": "length", "longest": 3}), "test"))) == [7, 7]
    listed = divided(table, {"method": "length", "lengths": [1, 3]})
    assert sorted(texts_of(listed, "test")) == ["a", "a b c"]
    assert listed.split.asked == {}
    assert_kept(listed, "length-overlap")
    # Half of six is three: both rows of length 4 and the one of 3; the two of 2 would pass it.
    shared_out = divided(table, {"method": "length", "parts": HALVES})
    assert (shared_out.split.sizes, shared_out.split.asked) == ({"train": 3, "test": 3}, {"train": 3, "test": 3})
    assert shared_out.split.facts == {"longest of train": 2}
    less = divided(table, {"method": "length", "parts": {"train": "0.6", "test": "0.4"}})
    assert (less.split.sizes["test"], less.split.asked["test"]) == (2, 2)


def test_a_target_below_the_longest_rows_says_what_test_can_hold():
    table = frame(["a", "a b", "a b c d", "a b c d"])
    with pytest.raises(
        ImpossibleError,
        match=r"2 rows have the greatest length of a question, 4 words, and test may hold 1. Test can hold 3 "
        r"\(longest = 1\), 2 \(longest = 2\)",
    ):
        divided(table, {"method": "length", "parts": {"train": "3/4", "test": "1/4"}})
    with pytest.raises(ImpossibleError, match="No question has a length for test: lengths are 1 to 4 words"):
        divided(table, {"method": "length", "longest": 4})
    with pytest.raises(ImpossibleError, match="Every question has a length for test"):
        divided(table, {"method": "length", "longest": 0})
    with pytest.raises(UsageError, match=r"split\.longest and split\.lengths are both given"):
        divided(table, {"method": "length", "longest": 2, "lengths": [3]})
    with pytest.raises(RecipeError, match="a list of whole numbers"):
        divided(table, {"method": "length", "lengths": ["3"]})
    with pytest.raises(ImpossibleError, match="All have it"):
        divided(frame(["a b", "b c"]), {"method": "length"})


# --- templates


@pytest.mark.parametrize(("name", "queries"), [("geography", 245), ("scholar", 186)])
def test_no_sql_text_is_on_both_sides_of_a_query_split(shared, command, tmp_path, name, queries):
    file = shared / "data" / "text2sql" / f"{name}.json"
    ran = command("run", "template_text2sql", file, "--out", "made")
    assert ran.code == 0
    sql = {}
    for part in ("train", "test"):
        lines = (tmp_path / "made" / f"{part}.jsonl").read_text("utf-8").splitlines()
        sql[part] = [json.loads(line)["answer"] for line in lines]
    assert sql["train"]
    assert not set(sql["train"]) & set(sql["test"])
    known = {query["sql"][0] for query in json.loads(file.read_text("utf-8")) if query["sentences"]}
    assert set(sql["train"]) | set(sql["test"]) == known
    assert len(known) == queries
    n = len(sql["train"]) + len(sql["test"])
    largest = max(Counter(sql["train"] + sql["test"]).values())
    assert 0 <= n // 5 - len(sql["test"]) < largest
    assert command("verify", "made", "--input", file).code == 0


def test_the_query_split_that_the_data_come_with_keeps_queries_apart_and_the_question_split_does_not(shared):
    file = shared / "data" / "text2sql" / "geography.json"

    def shared_queries(column: str) -> float:
        report = api.audit(file, part_column=column)
        (found,) = [
            m.number for m in report.measures
            if (m.name, m.of, m.reference, m.part) == ("template-overlap", "query", "train", "test")
            and m.options["unit"] == "rows"
        ]  # fmt: skip
        return found

    assert shared_queries("query_split") == 0
    assert shared_queries("question_split") > 0.5


@pytest.mark.large
def test_templates_of_easy_vqa_and_daquar_are_whole(shared):
    data = shared / "data"
    easy = api.read(data / "easy_vqa" / "train" / "questions.json", data / "easy_vqa" / "test" / "questions.json")
    for table in (easy, api.read(data / "daquar" / "all_qa_pairs.txt")):
        run = api.run("template_questions", table)
        assert not set(texts_of(run, "train", "question (reduced)")) & set(texts_of(run, "test", "question (reduced)"))
        assert run.split.sizes["test"] == run.split.asked["test"] == len(table) // 3
        assert_kept(run, "question-overlap")


def test_operations_of_gqa_programs_are_templates(shared):
    file = shared / "data" / "gqa" / "codevqa" / "gqa_examples50.json"
    run = divided(api.read(file), {"method": "template", "by": "program (operations)"})
    operations = {
        str(record["question_id"]): [step["operation"] for step in record["semantic"]]
        for record in json.loads(file.read_text("utf-8"))
    }
    sides = [{tuple(operations[name]) for name in run.parts[part]} for part in ("train", "test")]
    assert not sides[0] & sides[1]
    assert len(sides[0]) + len(sides[1]) == 22 == len({tuple(each) for each in operations.values()})
    assert_kept(run, "template-overlap")


TEMPLATED = ["what red dog", "what red cat", "is it red", "is it blue", "what red dog", "how many"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"phrases": ["Red dog", "it"]}, {"r0", "r2", "r3", "r4"}),
        ({"phrases": ["re"]}, None),
        ({"pattern": "^is .*e$"}, {"r3"}),
        ({"templates": ["how many", "what red dog"]}, {"r0", "r4", "r5"}),
        ({"pattern": "zebra"}, None),
        ({"pattern": ".*"}, None),
    ],
)
def test_templates_are_chosen_by_phrase_by_pattern_or_by_list(options, expected):
    split = {"method": "template", "by": "question (exact)", **options}
    if expected is None:
        with pytest.raises(ImpossibleError, match=r"of 5 templates \(question \(exact\)\) is chosen by"):
            divided(frame(TEMPLATED), split)
        return
    run = divided(frame(TEMPLATED), split)
    assert set(run.parts["test"]) == expected
    assert run.split.asked == {}
    assert_kept(run, "question-overlap")
    held = run.split.held
    assert held is not None
    assert {held.names[c] for c in np.flatnonzero(held.occurrences(run.split.rows_in("test")))} == set(
        texts_of(run, "test")
    )


def test_templates_are_listed_in_a_file(tmp_path):
    (tmp_path / "held.txt").write_text("how many\n\nis it red\n", encoding="utf-8")
    split = {"method": "template", "by": "question (exact)", "listed_in": str(tmp_path / "held.txt")}
    run = divided(frame(TEMPLATED), split)
    assert sorted(run.parts["test"]) == ["r2", "r5"]
    assert "held.txt" in json.dumps(run.recipe.resolved)
    assert str(tmp_path) not in json.dumps(run.recipe.resolved)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"by": "colour"}, OptionValueError, r"split\.by is 'colour'; expected one of image,.*--by colour"),
        ({"pattern": "("}, OptionValueError, r"expected a regular expression \(missing \)"),
        ({"phrases": ["?"]}, OptionValueError, "a list of phrases"),
        ({"phrases": [3]}, RecipeError, "a list of texts"),
        ({"templates": ["what red dogs"]}, UnknownNameError, 'Did you mean "what red dog"'),
        ({"templates": ["how many"], "pattern": "x"}, UsageError, "chosen by templates and by pattern"),
        ({"templates": ["how many"], "fold": "1/2"}, UsageError, "there are no folds"),
        ({"by": "program (operations)"}, UnknownNameError, 'no column "program"'),
    ],
)
def test_wrong_choices_of_templates_are_refused(options, error, said):
    with pytest.raises(error, match=said):
        divided(frame(TEMPLATED), {"method": "template", "by": "question (exact)", **options})


def test_a_column_of_programs_that_holds_none_has_no_operations():
    table = frame(["a", "b"], program=["x", "y"])
    with pytest.raises(UsageError, match='The column "program" holds no program: x; it has no operations'):
        divided(table, {"method": "template", "by": "program (operations)"})
    # and the audit passes over it
    assert {m.of for m in divided(table, {"method": "random"}).report.measures if m.name == "template-overlap"} == {
        "program"
    }


@pytest.mark.parametrize("text", ["", "x", "5", "[]", '"select"', "{}", '["select"]', "[[]]", "[[1]]", "[" * 100_000])
def test_what_is_no_program_has_no_operations(text):
    with pytest.raises(ValueError, match="no program"):
        operations(text)


def test_rows_without_a_template_stop_the_split():
    table = frame(["a", "b", "c"], query=["x", None, "y"])
    with pytest.raises(MissingValueError, match=r"1 row has no value in query.*\(r1\).*leave such rows out before"):
        divided(table, {"method": "template", "by": "query"})


# --- by group


def test_images_and_groups_are_both_whole():
    # Questions join images a-b and c-d, so that three units hang apart: ab, cd, e.
    table = frame(["p", "q", "q", "r", "s", "s", "t"], image=list("aabccde"))
    run = divided(table, {"method": "by-group", "parts": HALVES}, group={"by": "question (exact)"})
    parts = {frozenset(ids) for ids in run.parts.values()}
    units = [{"r0", "r1", "r2"}, {"r3", "r4", "r5"}, {"r6"}]
    assert all(any(unit <= part for part in parts) for unit in units)
    assert run.split.sizes["test"] == run.split.asked["test"] == 3
    assert (run.split.facts["units"], run.split.facts["largest unit"]) == (3, 3)
    assert_kept(run, "image-overlap")


def test_a_value_that_a_group_of_train_has_stays_there():
    table = frame(["is the", "dog", "cat", "owl"], image=list("aabc"))
    for seed in range(8):
        run = divided(table, {"method": "by-group", "parts": HALVES}, seed=seed, **BY_ANSWER)
        assert run.parts == {"train": ["r0", "r1"], "test": ["r2", "r3"]}


def test_only_what_audits_measure_can_be_kept_whole_besides_groups():
    table = frame(["p", "q", "r"], site=["x", "y", "x"])
    with pytest.raises(OptionValueError, match=r"split\.column is 'site'.*group by it: --by site"):
        divided(table, {"method": "by-group", "column": "site"})
    run = divided(table, {"method": "by-group", "column": "site"}, group={"by": "site"})
    assert run.split.sizes == {"train": 2, "test": 1}


# --- words and objects that train never shows


def test_every_test_question_of_daquar_holds_a_word_that_train_never_shows(shared):
    run = api.run("unseen_word", api.read(shared / "data" / "daquar" / "all_qa_pairs.txt"))
    assert run.rows.concepts is not None

    def held(part: str) -> list[set[int]]:
        concepts = run.rows.concepts
        bags = concepts.bag_of_row[run.split.rows_in(part)]
        return [set(concepts.concepts[concepts.starts[b] : concepts.starts[b + 1]].tolist()) for b in bags.tolist()]

    shown = set().union(*held("train"))
    assert all(bag - shown for bag in held("test"))
    assert 0 <= run.split.asked["test"] - run.split.sizes["test"] < 20
    assert_kept(run, "unseen-concepts")


def test_words_are_named_or_taken_from_what_is_extracted():
    table = frame(["a red dog", "a blue dog", "a blue cat", "no colours"])
    named = divided(table, {"method": "unseen-word", "words": ["red", "cat"]})
    assert sorted(named.parts["test"]) == ["r0", "r2"]
    assert named.split.facts["held_out"] == ["cat", "red"]
    extracted = divided(
        table, {"method": "unseen-word", "of": "question words", "words": ["a"]}, extract={"of": "question-words"}
    )
    assert extracted.parts["train"] == ["r3"]
    assert_kept(extracted, "novel-compounds")
    with pytest.raises(UnknownNameError, match=r'no word "reds"\. Did you mean "red"'):
        divided(table, {"method": "unseen-word", "words": ["reds"]})
    with pytest.raises(ImpossibleError, match=r"4 rows hold words.*train would be empty"):
        divided(table, {"method": "unseen-word", "words": ["red", "blue", "color"]})


def test_the_rarest_words_come_first_where_that_is_asked():
    questions = ["dog red", "dog cat", "dog owl", "dog red", "dog", "dog"]
    found = {choose: set() for choose in ("rare", "random")}
    for seed in range(8):
        for choose in found:
            split = {"method": "unseen-word", "choose": choose, "parts": {"train": "2/3", "test": "1/3"}}
            run = divided(frame(questions, ["yes"] * 6), split, seed=seed)
            found[choose].add(tuple(sorted(run.parts["test"])))
    assert found == {"rare": {("r1", "r2")}, "random": {("r1", "r2"), ("r0", "r3")}}


def test_no_word_is_chosen_that_leaves_out_more_than_it_brings_or_that_a_group_of_train_holds():
    # "cat" fills image a, and would spoil image b of three rows; "owl" fills image c.
    table = frame(["cat", "cat", "dog", "dog", "owl", *["dog"] * 4], image=list("abbbcdefg"))
    for seed in range(8):
        split = {"method": "unseen-word", "parts": {"train": "3/4", "test": "1/4"}}
        run = divided(table, split, group={"by": "image"}, seed=seed)
        assert run.parts["test"] == ["r4"]
    # The answer owl is that of a question without a word, which stays in train.
    table = frame(["is the", "red", "dog", "cat", "cat"], ["owl", "owl", "owl", "yes", "no"])
    for seed in range(40):
        run = divided(
            table, {"method": "unseen-word", "parts": {"train": "2/5", "test": "3/5"}}, seed=seed, **BY_ANSWER
        )
        assert "r0" in run.parts["train"]
        assert not run.table.left_out


def test_no_word_that_fits_is_said_with_the_rarest():
    with pytest.raises(
        ImpossibleError, match=r"a test of at most 1 row: 2 words may be chosen, the rarest in 3 rows\. Ask"
    ):
        divided(frame(["red dog"] * 3, ["red"] * 3), {"method": "unseen-word"})
    with pytest.raises(UsageError, match="no concepts to choose words from"):
        divided(api.read(pandas.DataFrame({"id": ["1", "2"], "question": ["a", "b"]})), {"method": "unseen-word"})


@pytest.mark.large
def test_objects_of_scenes_are_their_classes(shared, command, tmp_path):
    file = shared / "data" / "vrd" / "annotations_test.json"
    assert command("run", "unseen_object", file, "--out", "made").code == 0
    assignment = pandas.read_csv(tmp_path / "made" / "assignment.csv", dtype=str)
    scenes = json.loads(file.read_text("utf-8"))
    classes = {
        name: {each[role]["category"] for each in relations for role in ("subject", "object")}
        for name, relations in scenes.items()
    }
    held = assignment.groupby("part")["id"].apply(list)
    shown = set().union(*(classes[name] for name in held["train"]))
    assert all(classes[name] - shown for name in held["test"])
    assert 190 <= len(held["test"]) <= 200
    assert command("verify", "made", "--input", file).code == 0


def test_objects_of_questions_are_named_or_listed_in_a_file(shared, tmp_path):
    table = api.read(shared / "data" / "daquar" / "all_qa_pairs.txt")
    words = {"answers": "words"}
    named = divided(table, {"method": "unseen-object", "objects": ["table", "chair"]}, extract=words)
    reduced = named.rows.column("qa (reduced)")
    about = {
        str(named.table.ids[row])
        for row, text in enumerate(reduced.values())
        if {"table", "chair"} & set(str(text).replace("|", " ").split())
    }
    assert about == set(named.parts["test"])
    assert_kept(named, "unseen-concepts")
    names = tmp_path / "classes.txt"
    names.write_text("Chair\ntable\nlamp\npillow\ngarbage bin\nunicorn\n", encoding="utf-8")
    listed = divided(table, {"method": "unseen-object", "classes": str(names), "parts": HALVES}, extract=words)
    assert set(listed.split.facts["held_out"]) <= {"chair", "table", "lamp", "pillow"}
    assert listed.split.facts["names of several words"] == 1
    assert listed.split.facts["names that no row holds"] == 1
    assert_kept(listed, "unseen-concepts")


def test_nothing_says_which_words_are_objects():
    table = frame(["a red dog", "a blue cat"])
    with pytest.raises(UsageError, match="Nothing says which words are objects"):
        divided(table, {"method": "unseen-object"})
    with pytest.raises(OptionValueError, match=r"split\.objects is 'stop light'; expected single words"):
        divided(table, {"method": "unseen-object", "objects": ["stop light", "dog"]})


def test_a_file_of_objects_that_no_row_holds_is_refused(tmp_path):
    (tmp_path / "names.txt").write_text("owl\n", encoding="utf-8")
    with pytest.raises(OptionValueError, match=r"'names\.txt'; expected names that rows hold: none of its 1 name"):
        divided(frame(["a dog", "a cat"]), {"method": "unseen-object", "classes": str(tmp_path / "names.txt")})


# --- strata and folds


def test_case_31_an_answer_that_occurs_once_stays_in_train_and_is_listed(shared, command, tmp_path):
    folder = shared / "cases" / "31-split-singleton-answer"
    said = json.loads((folder / "expected.json").read_text("utf-8"))
    ran = command(
        "run", "random", folder / "questions.csv", "--share", "test=1/2", "--set", 'split.strata=["answer"]',
        "--out", "made",
    )  # fmt: skip
    assert ran.code == 0
    for part in ("train", "test"):
        answers = pandas.read_csv(tmp_path / "made" / f"{part}.csv", dtype=str)["answer"]
        assert answers.value_counts().to_dict() == said[part]
    report = json.loads((tmp_path / "made" / "report.json").read_text("utf-8"))
    (finding,) = [each for each in report["findings"] if each["kind"] == "strata-of-one-group"]
    assert finding["first"] == said["rare_answers"]
    assert command("verify", "made", "--input", folder / "questions.csv").code == 0


def test_folds_of_case_31_test_every_answer_that_train_shows_once(shared):
    table = api.read(shared / "cases" / "31-split-singleton-answer" / "questions.csv")
    tested: Counter[str] = Counter()
    for number in (1, 2):
        run = divided(table, {"method": "random", "strata": ["answer"], "fold": f"{number}/2"})
        answers = texts_of(run, "test", "answer (exact)")
        assert Counter(answers) == {"yes": 3, "no": 2}
        assert set(answers) <= set(texts_of(run, "train", "answer (exact)"))
        tested.update(run.parts["test"])
    assert set(tested.values()) == {1}
    assert len(tested) == 10


def holders(keys: Sequence[str], strata: Column) -> dict[str | None, set[str]]:
    """Return which groups have rows of each stratum."""
    found: dict[str | None, set[str]] = {}
    for key, stratum in zip(keys, strata.values(), strict=True):
        found.setdefault(stratum, set()).add(key)
    return found


def folds(problem: Problem, k: int) -> list[Split]:
    make = plugin("splitter", "random").make
    return [make(dataclasses.replace(problem, fold=Fold(number, k))) for number in range(1, k + 1)]


@settings(deadline=None, max_examples=n_shown(200))
@given(
    st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=40),
    st.integers(2, 5),
    st.integers(0, 5),
    st.sets(st.sampled_from("abc")),
    st.booleans(),
    st.data(),
)
def test_each_row_that_may_leave_train_is_in_one_fold(keys, k, seed, stay, stratified, data):
    column = Column.of(keys)
    grouping = Grouping.of("letter", column, np.array([name in stay for name in column.names]))
    strata = Column.of([data.draw(st.sampled_from("xyz")) for _ in keys]) if stratified else None
    problem = Problem(grouping, HALF, seed, strata=strata)
    sizes = Counter(keys)
    kinds = {} if strata is None else holders(keys, strata)
    alone = {next(iter(of)) for of in kinds.values() if len(of) == 1}
    free = [key for key in keys if key not in stay | alone]
    try:
        splits = folds(problem, k)
    except ImpossibleError:
        # Only too few groups, or one so large that it spans a fold, leave a fold empty.
        assert len(set(free)) < k or max(sizes[key] for key in free) * k > len(free)
        return
    tested = Counter(row for split in splits for row in np.flatnonzero(split.rows_in("test")).tolist())
    assert tested == Counter(row for row, key in enumerate(keys) if key in free)
    for split in splits:
        assert len({(key, part) for key, part in zip(keys, split.part_of_row.tolist(), strict=True)}) == len(sizes)
        assert split.asked == {"train": len(keys) - len(keys) // k, "test": len(keys) // k}
        if strata is None:
            assert abs(split.sizes["test"] - len(free) / k) < max(sizes[key] for key in free)


def test_folds_of_single_rows_differ_by_one_row_at_most():
    for n in (7, 10, 101):
        problem = Problem(Grouping.of("row", Column.of(map(str, range(n)))), HALF)
        for k in (2, 3, 7):
            sizes = [split.sizes["test"] for split in folds(problem, k)]
            assert max(sizes) - min(sizes) <= 1
        spread = Column.of("xyyzzz"[i % 6] for i in range(n))
        for split in folds(Problem(problem.grouping, HALF, strata=spread), 3):
            held = Counter(v for v, there in zip(spread.values(), split.rows_in("test"), strict=True) if there)
            assert all(abs(held[s] - spread.values().count(s) / 3) < 1 for s in "xyz")


def test_a_fold_is_the_second_of_two_parts_and_needs_groups():
    grouping = Grouping.of("row", Column.of("abc"))
    three = Targets({"a": "1/3", "b": "1/3", "c": "1/3"})
    with pytest.raises(UsageError, match="A fold is the second of two parts, got a, b, c"):
        plugin("splitter", "random").make(Problem(grouping, three, fold=Fold(1, 3)))
    with pytest.raises(ImpossibleError, match="5 folds cannot each have a row: 3 of 3 rows may leave train"):
        plugin("splitter", "random").make(Problem(grouping, HALF, fold=Fold(1, 5)))


def test_folds_by_image_and_by_template(shared):
    table = api.read(shared / "data" / "daquar" / "all_qa_pairs.txt")
    for method, audit in (("by-group", "image-overlap"), ("template", "question-overlap")):
        seen: list[str] = []
        for number in (1, 2, 3):
            run = divided(table, {"method": method, "fold": f"{number}/3"})
            assert_kept(run, audit)
            seen += run.parts["test"]
        assert sorted(seen) == sorted(table.ids.tolist())


# --- guarantees, as audits measure them, on anything

HEADER = ["id", "question", "answer", "image"]
QUESTIONS = st.lists(st.sampled_from(["jump", "walk", "red", "dog", "left"]), min_size=1, max_size=4).map(" ".join)
ROW = st.tuples(QUESTIONS, st.sampled_from(["yes", "no", "red", "a", "a b"]), st.sampled_from("uvwxyz"))
RULES: list[tuple[dict[str, Any], str]] = [
    ({"method": "primitive", "word": "jump"}, "lone-words"),
    ({"method": "primitive", "word": "a", "text": "answer"}, "lone-words"),
    ({"method": "length", "longest": 2}, "length-overlap"),
    ({"method": "length", "lengths": [1, 3]}, "length-overlap"),
    ({"method": "length", "parts": HALVES}, "length-overlap"),
    ({"method": "template"}, "question-overlap"),
    ({"method": "template", "by": "qa (exact)", "parts": HALVES}, "qa-overlap"),
    ({"method": "template", "by": "question (exact)", "phrases": ["red dog", "left"]}, "question-overlap"),
    ({"method": "template", "by": "image", "pattern": "[uv]"}, "image-overlap"),
    ({"method": "by-group", "parts": {"train": "1/2", "val": "1/4", "test": "1/4"}}, "image-overlap"),
    ({"method": "unseen-word", "parts": HALVES}, "unseen-concepts"),
    ({"method": "unseen-word", "choose": "rare"}, "unseen-concepts"),
    ({"method": "unseen-word", "of": "question words", "parts": HALVES}, "novel-compounds"),
    ({"method": "unseen-word", "words": ["dog"]}, "unseen-concepts"),
    ({"method": "unseen-object", "objects": ["dog"]}, "unseen-concepts"),
    ({"method": "random", "fold": "2/3"}, "group-overlap"),
]
RECIPES = [
    (from_mapping("made", {"split": split, "extract": {"of": "question-words"}}), audit) for split, audit in RULES
]
_never_passed = ("length", "unseen-word")


def parts_by_id(rows: Rows, split: Split) -> dict[str, str]:
    """Return the part of each row, or why it is left out."""
    reasons = [None] * len(rows) if split.left_out is None else split.left_out.values()
    part = [split.parts[p] if p >= 0 else f"out: {why}" for p, why in zip(split.part_of_row, reasons, strict=True)]
    return dict(zip(rows.ids.tolist(), part, strict=True))


@pytest.mark.large
def test_what_each_rule_promises_holds_as_audits_measure_it():
    made: Counter[int] = Counter()

    def rows_of(given: Sequence[tuple[str, ...]]) -> Rows:
        return extracted(RECIPES[0][0], api.read(pandas.DataFrame(given, columns=HEADER)))[0]

    @settings(deadline=None, max_examples=n_shown(200))
    @given(
        st.lists(ROW, min_size=2, max_size=25),
        st.integers(0, 9),
        st.sampled_from(["row", "question-answer", "image"]),
        st.randoms(use_true_random=False),
    )
    def promise(given: list[tuple[str, str, str]], seed: int, by: str, random: Any) -> None:
        named = [(f"r{i}", *row) for i, row in enumerate(given)]
        rows = rows_of(named)
        random.shuffle(named)
        shuffled = rows_of(named)
        group = (
            Stage(plugin("grouper", by), {}) if by != "image" else Stage(plugin("grouper", "column"), {"column": by})
        )
        for number, (recipe, audit) in enumerate(RECIPES):

            def split_of(which: Rows, recipe: Recipe = recipe) -> Split:
                problem = Problem(group.make(which), recipe.targets, seed, which.concepts, None, which, recipe.fold)
                split: Split = recipe.split.make(problem)
                return split

            try:
                split = split_of(rows)
            except (ImpossibleError, UnknownNameError) as impossible:
                with pytest.raises(type(impossible), match=re.escape(impossible.args[0])):
                    split_of(shuffled)
                continue
            if not all(split.sizes.values()):
                continue
            made[number] += 1
            placed = np.flatnonzero(split.placed)
            kept, parts = rows.taken(placed), split.taken(placed)
            assert_holds(recipe, kept, group.make(rows).taken(placed), parts, "group-overlap", audit)
            other = split_of(shuffled)
            assert parts_by_id(shuffled, other) == parts_by_id(rows, split)
            assert dict(other.facts) == dict(split.facts)
            for part in split.asked:
                if part != "train" and recipe.split.plugin.name in _never_passed:
                    assert split.sizes[part] <= split.asked[part]

    promise()
    assert all(made[number] > 25 for number in range(len(RECIPES))), made


# --- the audits themselves, by hand


def rows_and_split(questions: Sequence[str], n_train: int) -> tuple[Rows, Split]:
    n = len(questions)
    rows = Rows(texts(map(str, range(n))), {"question (exact)": Column.of(questions)}, None, np.zeros(n, dtype=bool))
    return rows, Split(("train", "test"), (np.arange(n) >= n_train).astype(np.int16))


def test_a_lone_word_is_shown_by_itself_and_nowhere_else():
    rows, split = rows_and_split(["jump", "run", "run left", "jump left", "left run", "Jump", "walk"], 3)
    (measure,) = plugin("audit", "lone-words").make(rows, split).measures
    # Of four, "jump left" alone: run stands beside left in train, and "Jump" is beside nothing.
    assert (measure.value, measure.n) == (pytest.approx(1 / 4), 4)


def test_lengths_are_held_against_each_other():
    rows, split = rows_and_split(["a", "a b c d", "a", "a b", "a b c e", "a b c d e"], 2)
    found = {m.name: m.value for m in plugin("audit", "length-overlap").make(rows, split).measures}
    # Lengths 1 and 4 against 1, 2, 4 and 5.
    assert found == {"length-overlap": 0.5, "rows-not-longer": 0.75}


def test_rows_with_an_unseen_concept_are_counted():
    bags = bagged("concepts", np.array([0, 1, 2, 1], dtype=np.int32), [[0], [0, 1], [0]], ("red", "dog"))
    rows = Rows(texts("0123"), {}, bags, np.zeros(4, dtype=bool))
    split = Split(("train", "test"), np.array([0, 1, 1, 1], dtype=np.int16))
    (measure,) = plugin("audit", "unseen-concepts").make(rows, split).measures
    assert (measure.value, measure.n_unit) == (pytest.approx(2 / 3), "rows of test")
    # A train that shows nothing has rows all the same: whatever test holds is unseen.
    split = Split(("train", "test"), np.array([1, 1, 0, 1], dtype=np.int16))
    nothing = dataclasses.replace(rows, concepts=bagged("concepts", bags.bag_of_row, [[0], [1], []], bags.names))
    assert [m.value for m in plugin("audit", "unseen-concepts").make(nothing, split).measures] == [1]


def test_errors_of_rules_say_exit_codes_by_kind():
    assert (ImpossibleError.exit_code, OptionValueError.exit_code) == (3, 2)
    with pytest.raises(CompsplitError):
        from_mapping("made", {"split": {"method": "primitive", "parts": {"train": 0.5, "test": 0.5}, "word": "x"}})
    with pytest.raises(RecipeError, match="primitive makes no folds"):
        from_mapping("made", {"split": {"method": "primitive", "fold": "1/2", "word": "x"}})


def test_images_of_a_split_by_image_stay_whole_in_validation_parts(command, tmp_path):
    lines = [f"{i},i{i // 5},what is {i % 7}?,yes" for i in range(200)]
    (tmp_path / "rows.csv").write_text("id,image,question,answer\n" + "\n".join(lines) + "\n")
    parts = ("--val-iid", "0.2", "--val-ood", "0.5")
    assert command("run", "by_group", "rows.csv", "--out", "d", *parts).code == 0
    rows = [line.split(",") for line in (tmp_path / "d/assignment.csv").read_text().splitlines()[1:]]
    assert len({(row[1], row[3]) for row in rows}) == 40
    assert {row[3] for row in rows} == {"train", "val-iid", "test", "val-ood"}
