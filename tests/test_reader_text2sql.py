"""text2sql-data: sentences with their SQL, on the published files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from compsplit.errors import RecordsError
from compsplit.model.table import QATable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin


def read(*files: Path, **options: object) -> QATable:
    table: QATable = plugin("reader", "text2sql").make(inputs(files), **options)
    return table


def put(folder: Path, *queries: object) -> Path:
    path = folder / "q.json"
    path.write_text(json.dumps(queries))
    return path


def query(**changes: object) -> dict[str, Any]:
    sentence = {"text": "cities in state_name0", "variables": {"state_name0": "texas"}, "question-split": "train"}
    made = {"sql": ["SELECT 1", "SELECT 2"], "sentences": [sentence], "query-split": "test", "variables": []}
    return {name: value for name, value in (made | changes).items() if value is not None}


@pytest.mark.parametrize(("name", "n_queries", "n_questions"), [("geography", 246, 877), ("scholar", 193, 817)])
def test_published_files(shared: Path, name: str, n_queries: int, n_questions: int) -> None:
    path = shared / "data" / "text2sql" / f"{name}.json"
    raw = json.loads(path.read_text())
    table = read(path)
    assert detected(inputs([path])) == "text2sql"
    assert (len(raw), len(table)) == (n_queries, n_questions)
    assert table.ids.tolist() == [f"{name}:{n}" for n in range(1, n_questions + 1)]
    flat = [(q, s) for q in raw for s in q["sentences"]]
    assert table.columns["query"].values() == [q["sql"][0] for q, _ in flat] == table.answers.values()
    assert table.columns["query_split"].values() == [str(q["query-split"]) for q, _ in flat]
    assert table.columns["question_split"].values() == [s["question-split"] for _, s in flat]
    # Each placeholder is a word; the longest first, so that name1 does not stand in name10.
    for text, (_, sentence) in zip(table.questions.values(), flat, strict=True):
        filled = sentence["text"]
        for variable in sorted(sentence["variables"], key=len, reverse=True):
            filled = filled.replace(variable, sentence["variables"][variable])
        assert text == filled
    named = read(path, variables="named")
    assert named.questions.values() == [sentence["text"] for _, sentence in flat]
    assert table.decisions["SQL texts after a query's first, passed over"] == sum(len(q["sql"]) - 1 for q in raw)


@pytest.mark.parametrize(
    ("name", "split", "shared_queries", "test_queries"),
    [
        ("geography", "question", 74, 130),
        ("scholar", "question", 73, 107),
        ("geography", "query", 0, 50),
        ("scholar", "query", 0, 63),  # 67 queries, some with the same first text
    ],
)
def test_test_queries_that_are_in_train_by_sql_text(
    shared: Path, command: Any, name: str, split: str, shared_queries: int, test_queries: int
) -> None:
    path = shared / "data" / "text2sql" / f"{name}.json"
    # The naive count, from the file.
    held: dict[str, set[str]] = {"train": set(), "dev": set(), "test": set()}
    for each in json.loads(path.read_text()):
        for sentence in each["sentences"]:
            held[sentence["question-split"] if split == "question" else each["query-split"]].add(each["sql"][0])
    assert (len(held["train"] & held["test"]), len(held["test"])) == (shared_queries, test_queries)
    # The same, from the audit.
    report = command("audit", path, "--part-column", f"{split}_split", "--reference", "train", "--json").json
    (found,) = (
        m for m in report["measures"]
        if (m["name"], m["of"], m["reference"], m["part"]) == ("template-overlap", "query", "train", "test")
        and m["options"] == {"unit": "distinct"}
    )  # fmt: skip
    assert found["n"] == test_queries
    assert found["value"] == pytest.approx(shared_queries / test_queries, abs=1e-11)


@pytest.mark.parametrize(
    ("text", "variables", "expected"),
    [
        ("near name1 and name10", {"name1": "a", "name10": "b"}, "near a and b"),
        ("name0's rivers", {"name0": "texas"}, "texas's rivers"),
        ("from name0 to name1", {"name0": "name1", "name1": "x"}, "from name1 to x"),
        ("in name0", {}, "in name0"),
        ("in name0", {"name0": ""}, "in name0"),
        ("in name0", {"name0": r"a\1"}, r"in a\1"),
    ],
)
def test_placeholders_are_filled_once(tmp_path: Path, text: str, variables: dict[str, str], expected: str) -> None:
    path = put(tmp_path, query(sentences=[{"text": text, "variables": variables}]))
    assert read(path).questions.values() == [expected]


def test_queries_without_a_sentence_are_counted(tmp_path: Path) -> None:
    table = read(put(tmp_path, query(sentences=[]), query()))
    assert len(table) == 1
    assert table.decisions["queries without a sentence, not rows"] == 1


def test_every_bad_record_is_named_with_its_field(tmp_path: Path) -> None:
    path = put(tmp_path, query(), query(sql=[]), query(sql=None), query(sentences=[{"variables": {}}]), query(sql="S"))
    with pytest.raises(RecordsError) as caught:
        read(path)
    assert caught.value.facts["n_problems"] == 4
    found = [re.match(r"q\.json, record (\d), (\w+): ", line) for line in caught.value.facts["first"]]
    assert [match and match.groups() for match in found] == [
        ("2", "sql"),
        ("3", "sql"),
        ("4", "sentences"),
        ("5", "sql"),
    ]


def test_a_run_needs_a_writer_of_rows(tmp_path: Path, command: Any) -> None:
    path = put(tmp_path, *(query(sql=[f"SELECT {n}"]) for n in range(6)))
    ran = command("run", "random", path, "--out", "d")
    assert ran.code == 2
    assert "A record of text2sql holds several rows" in ran.message
    assert command("run", "random", path, "--out", "d", "--set", "write.as=csv").code == 0
    assert command("verify", "d", "--input", path).code == 0
