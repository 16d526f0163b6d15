"""Reports and manifests as data: whatever a file holds, it is read, or one sentence says what is wrong in it."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit import api
from compsplit.errors import CompsplitError, UnknownNameError, UsageError
from compsplit.files import canonical_json
from compsplit.model.figure import Figure
from compsplit.model.report import Report
from compsplit.model.report_reading import manifest_of, report_of
from compsplit.registry import Plugin
from compsplit.report.figure_files import figures_by_name
from compsplit.report.page import Given, Page, write_page
from compsplit.report.page.writing import page_made
from compsplit.report.tables import FORMS, as_text, tables_of

QUESTIONS = "id,image,question,answer,question_type,part\n" + "".join(
    f"{n},{n % 10},{('What color is the', 'Is this a')[n % 2]} {('cone', 'dog', 'hat')[n % 3]}?,"
    f"{(('red', 'blue', 'red'), ('yes', 'no', 'yes'))[n % 2][n // 2 % 3]},{('what', 'is')[n % 2]},"
    f"{('train', 'test')[n % 3 == 0]}\n"
    for n in range(36)
)  # fmt: skip
SCENES = "".join(
    json.dumps({"id": str(n), "objects": [(*"abc",)[n % 3], (*"bcd",)[n % 2], "e"]}) + "\n" for n in range(12)
)
KINDS = ("split", "scenes", "audit", "balance", "evaluation", "probe", "profile", "comparison")
OTHERS = (None, -1, "x", [], {}, True, 1.5, 10**40, [[]])

Document = dict[str, Any]
Folders = dict[str, tuple[Document, Document]]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """The report and the manifest of a folder of each kind, as their files hold them."""
    folder = tmp_path_factory.mktemp("written")
    data, scenes, predictions = (folder / name for name in ("data.csv", "scenes.jsonl", "predictions.csv"))
    data.write_text(QUESTIONS)
    scenes.write_text(SCENES)
    predictions.write_text("id,prediction\n" + "".join(f"{n},red\n" for n in range(36)))
    places = {kind: folder / kind for kind in KINDS}
    api.run("random", data, out=places["split"])
    api.run("random", scenes, out=places["scenes"])
    api.measure(data, part_column="part").write(places["audit"])
    api.balance(data, groups="question", out=places["balance"])
    api.evaluate(data, predictions, part_column="part", replicates=0).write(places["evaluation"])
    api.probe(data, part_column="part", random_splits=1, replicates=0, halvings=0).write(places["probe"])
    api.profile({"data": data}, tagger="none").write(places["profile"])
    api.compare(places["split"], places["split"]).write(places["comparison"])
    return {
        kind: tuple(json.loads((place / f"{name}.json").read_bytes()) for name in ("report", "manifest"))
        for kind, place in places.items()
    }  # type: ignore[misc]  # two of them


def test_a_report_comes_back_as_it_was(written: Folders) -> None:
    for kind, (report, _) in written.items():
        assert canonical_json(report_of(report, kind).to_json()) == canonical_json(report)


def places_in(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document, of long lists the first and the last."""
    if place:
        yield place
    if isinstance(value, dict):
        for name, each in value.items():
            yield from places_in(each, (*place, name))
    elif isinstance(value, list):
        for at in sorted({0, len(value) - 1} if value else ()):
            yield from places_in(value[at], (*place, at))


def changed(document: Document, place: tuple[Any, ...], value: Any) -> Document:
    made = copy.deepcopy(document)
    inner: Any = made
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return made


@settings(max_examples=n_shown(40), deadline=None)
@given(draw=st.data())
def test_whatever_a_member_is_there_are_pages_figures_and_tables_or_one_error(written: Folders, draw: Any) -> None:
    kind = draw.draw(st.sampled_from(KINDS))
    documents = list(written[kind])
    at = draw.draw(st.sampled_from([0, 0, 0, 1]))
    place = draw.draw(st.sampled_from([*places_in(documents[at])]))
    documents[at] = changed(documents[at], place, draw.draw(st.sampled_from(OTHERS)))
    try:
        one = Given(kind, report_of(documents[0], kind), manifest_of(documents[1], kind))
    except UsageError:
        return
    for table, form in itertools.product(tables_of(one.report).values(), FORMS):
        as_text(table, form, "x")
    try:
        figures_by_name([one])
    except UsageError as error:
        assert f"{kind} is a broken report: the figure " in error.message  # noqa: PT017  # it may come or not
    with pytest.MonkeyPatch.context() as patch:
        # Drawing takes most of the time, and what is drawn is a specification already.
        patch.setattr("compsplit.report.page.making.inline", lambda *_: "<svg/>")
        try:
            page_made([one], "x.tables")
        except CompsplitError as error:
            assert kind in error.message  # noqa: PT017  # it may come or not


BASE = {
    "format": "compsplit-report",
    "format_version": 1,
    "subject": {"kind": "mine", "parts": {"train": {"got": 2}}},
    "measures": [
        {"name": "coverage", "of": "concepts", "options": {}, "reference": None, "part": None, "run": None, "n": 3,
         "n_unit": "concepts", "unit": "fraction", "value": 0.5, "fraction": "1/2", "reason": None}
    ],
    "tables": {"t": {"columns": ["id", "n"], "rows": [["a", 1], ["b", None]], "total": 5}},
    "findings": [{"kind": "x", "level": "report", "count": 1, "first": ["a", ["b", 2]], "message": "There is x."}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("findings",), None, "findings is null; expected a list"),
        (("tables",), 3, "tables is 3; expected an object"),
        (("subject", "parts", "train"), None, "subject, parts, train is null; expected an object"),
        (("subject", "kind"), 3, "subject, kind is 3; expected a text"),
        (("measures", 0), "x", 'measures, number 1 is the text "x"; expected an object'),
        (("measures", 0, "run"), [], "measures, number 1, run is a list; expected a whole number or null"),
        (("measures", 0, "run"), True, "measures, number 1, run is true; expected a whole number or null"),
        (("measures", 0, "n"), -1, "measures, number 1, n is -1; expected 0 or more"),
        (("measures", 0, "n"), 1.5, "measures, number 1, n is 1.5; expected a whole number"),
        (("measures", 0, "options"), [], "measures, number 1, options is a list; expected an object"),
        (("measures", 0, "fraction"), "1/0", 'measures, number 1, fraction is the text "1/0"; expected a text such as'),
        (("measures", 0, "fraction"), "9" * 400 + "/1", "9...\"; expected a text such as 2/3"),
        (("tables", "t", "rows", 1, 1), {}, "tables, t, rows, number 2, n is an object; expected a text, a number"),
        (("tables", "t", "rows", 1, 1), [[]], "tables, t, rows, number 2, n is a list; expected a text, a number"),
        (("tables", "t", "rows", 1, 1), float("nan"), "number 2, n is nan; expected a number that is finite"),
        (("tables", "t", "rows", 1), ["b"], "tables, t, rows, number 2 has 1 values; expected 2, one for each column"),
        (("tables", "t", "columns", 0), None, "tables, t, columns, number 1 is null; expected a text"),
        (("tables", "t", "total"), "5", 'tables, t, total is the text "5"; expected a whole number'),
        (("findings", 0, "first", 0), {}, "findings, number 1, first, number 1 is an object; expected a text"),
        (("findings", 0, "level"), "bad", 'findings, number 1, level is the text "bad"; expected "report" or "fail"'),
    ],
)  # fmt: skip
def test_what_is_not_as_the_format_has_it_is_named_with_what_was_expected(
    place: tuple[Any, ...], value: Any, told: str
) -> None:
    assert report_of(BASE, "r").measures[0].n == 3
    with pytest.raises(UsageError) as error:
        report_of(changed(BASE, place, value), "r.json")
    assert error.value.message.startswith("r.json is a broken report: ")
    assert told in error.value.message


def test_a_member_that_is_missing_is_named() -> None:
    for name in ("subject", "measures", "tables", "findings"):
        with pytest.raises(UsageError, match=f'the report has no member "{name}"'):
            report_of({key: value for key, value in BASE.items() if key != name}, "r")
    with pytest.raises(UsageError, match='tables, t has no member "rows"'):
        report_of(changed(BASE, ("tables", "t"), {"columns": []}), "r")


@pytest.mark.parametrize("version", [2, None, True, "1"])
def test_a_later_format_is_not_read(version: Any) -> None:
    with pytest.raises(UsageError, match=r"a report of format .*; this compsplit reads format 1"):
        report_of({**BASE, "format_version": version}, "r")
    with pytest.raises(UsageError, match=r"a manifest of format .*; this compsplit reads format 1"):
        manifest_of({"format": "compsplit-audit", "format_version": version}, "m")


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"inputs": 3}, "inputs is 3; expected a list"),
        ({"inputs": [3]}, "inputs, number 1 is 3; expected an object"),
        ({"versions": []}, "versions is a list; expected an object"),
        ({"recipe": None}, "recipe is null; expected an object"),
        ({"options": "x"}, 'options is the text "x"; expected an object'),
        ({"files": {"a": 1}}, "files, a is 1; expected an object"),
    ],
)
def test_a_broken_manifest_is_told(members: Document, told: str) -> None:
    with pytest.raises(UsageError, match=f"^m is a broken manifest: {told}"):
        manifest_of({"format": "compsplit-audit", "format_version": 1, **members}, "m")


@pytest.mark.parametrize(
    "error",
    [KeyError("x"), TypeError("x"), ValueError("x"), AttributeError("x"), IndexError("x"), ZeroDivisionError("x"),
     OverflowError("x"), UnknownNameError("measure", "x", ())],
)  # fmt: skip
def test_a_figure_that_cannot_be_made_is_named_with_its_report(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def make(_: Report) -> tuple[Figure, ...]:
        raise error

    plugin = Plugin("figure", "odd", make, "here", {"place": 1})
    monkeypatch.setattr("compsplit.report.drawing.plugins", lambda _: {"odd": plugin})
    told = f"^mine is a broken report: the figure odd cannot be made of it .{type(error).__name__}: .*x"
    with pytest.raises(UsageError, match=told):
        figures_by_name([Given("mine", report_of(BASE, "mine"), {})])


def test_of_several_reports_the_broken_one_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def page_of(given: Sequence[Given], _: str) -> Page:
        if any(each.name == "bad" for each in given):
            raise KeyError("x")
        return Page("", {})

    given = [Given(name, report_of(BASE, name), {}) for name in ("good", "bad", "better")]
    monkeypatch.setattr("compsplit.report.page.writing.page_of", page_of)
    with pytest.raises(UsageError, match=r"^bad is a broken report: a page cannot be made of it \(KeyError: 'x'\)"):
        write_page(given, tmp_path / "page.html")
    assert not [*tmp_path.iterdir()]
