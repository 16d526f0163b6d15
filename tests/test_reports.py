"""Reports for people say what the JSON says: in the terminal, and as Markdown."""

from __future__ import annotations

import io
from fractions import Fraction

import pytest
from rich.console import Console

from compsplit.model.report import Finding, Measure, Report, Table, Undefined
from compsplit.report import headlines, markdown, plain, show
from compsplit.report.headlines import written


def measure(name: str, of: str = "concepts", value: object = Fraction(1, 2), **more: object) -> Measure:
    told = {"n": 8, "n_unit": "rows of test", "unit": "fraction", "reference": "train", "part": "test", **more}
    return Measure(name=name, of=of, value=value, **told)  # type: ignore[arg-type]  # one dict for all


def report(
    *measures: Measure, findings: tuple[Finding, ...] = (), parts: tuple[str, ...] = ("train", "test")
) -> Report:
    sizes = {
        part: {
            "asked": 10, "got": 9, "asked share": 0.5, "got share": 0.45, "images": 3, "images share": 0.75,
        }
        for part in parts
    }  # fmt: skip
    subject = {"kind": "split", "title": "Mine", "verdict": "Mine: 18 rows.", "parts": sizes}
    return Report(subject, measures, {"culprits": Table(("id", "n"), (("a|b", 3), (None, 0.5)))}, findings)


def shown(given: Report, width: int = 100) -> str:
    out = io.StringIO()
    show(given, Console(file=out, width=width, highlight=False))
    return out.getvalue()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0.0000"),
        (Fraction(1), "1.0000"),
        (Fraction(99999, 100000), "0.9999+"),
        (Fraction(1, 3), "0.3333"),
        (Fraction(1, 10**6), "1.00e-06"),
        (0.25, "0.2500"),
        (Undefined("why"), "undefined"),
    ],
)
def test_a_share_is_never_rounded_to_what_it_is_not(value, text):
    assert written(measure("coverage", value=value)) == text


def test_counts_have_commas():
    assert written(measure("questions", value=1234567, unit="count")) == "1,234,567"


def test_the_first_line_is_the_verdict():
    assert shown(report()).startswith("Mine: 18 rows.\n")
    assert markdown(report()).startswith("# Mine\n\nMine: 18 rows.\n")


def test_asked_and_got_stand_on_one_line():
    line = next(line for line in shown(report()).split("\n") if line.startswith(" test "))
    assert line.split() == ["test", "10", "9", "50.00", "45.00", "3", "75.00"]


def test_every_measure_shows_its_n():
    text = shown(report(measure("coverage"), measure("coverage", part="val"), parts=("train", "test", "val")))
    assert "0.5000 (8)" in text
    assert "8 rows of test" in shown(report(measure("coverage")))


def test_few_pairs_of_parts_stand_side_by_side_and_many_below_one_another():
    few = [measure("image-overlap", "image", part=part, options={"unit": "rows"}) for part in "abc"]
    many = [measure("image-overlap", "image", part=part, options={"unit": "rows"}) for part in "abcd"]
    assert shown(report(*few)).count("image overlap") == 1
    assert shown(report(*many)).count("image overlap") == 4


def test_why_a_value_is_undefined_is_told():
    undefined = measure("coverage", value=Undefined("test holds no concept"))
    assert "undefined  coverage: test holds no concept" in shown(report(undefined))
    assert "undefined: test holds no concept" in markdown(report(undefined))


def test_headlines_are_rows_first_and_leave_out_what_only_programs_read():
    given = report(
        measure("divergence", "answers"),
        measure("qa-overlap", "qa (normalised)", options={"unit": "rows"}),
        measure("qa-overlap", "qa (exact)", options={"unit": "distinct"}),
        measure("coverage"),
    )
    assert [line.label for line in headlines(given)] == ["QA overlap, exact, distinct", "coverage"]
    assert len(headlines(given, every=True)) == 4


def test_broken_checks_are_marked_and_notes_are_not():
    given = report(
        findings=(
            Finding(kind="check", level="fail", count=1, first=(("a", "b"),), message="It does not hold."),
            Finding(kind="note", count=1, first=("x",), message="Look here."),
        )
    )
    assert "BROKEN  It does not hold.  First: a/b" in shown(given)
    assert "note  Look here.  First: x" in shown(given)
    assert "- **BROKEN** It does not hold. First: a/b." in markdown(given)


def test_many_findings_are_cut_in_the_terminal_with_their_number():
    findings = tuple(Finding(kind="note", count=1, message=f"Finding {n}.") for n in range(20))
    assert "8 more findings are in the JSON." in shown(report(findings=findings))
    assert all(f"Finding {n}." in markdown(report(findings=findings)) for n in range(20))


def test_markdown_cuts_long_tables_with_their_number():
    given = Report({"kind": "x", "verdict": ""}, (), {"t": Table(("n",), tuple((n,) for n in range(25)))})
    assert "5 more rows are in report.json." in markdown(given)


def test_what_a_table_leaves_out_is_counted_wherever_it_is_shown():
    def said(n: int, total: int | None) -> Report:
        table = Table(("measure",), tuple((f"row {k}",) for k in range(n)), total)
        return Report({"kind": "x", "verdict": ""}, (), {"rows that cannot move": table})

    assert "\n\n5 more rows are in report.json, 1,234 in all.\n" in markdown(said(25, 1234))
    assert "\n\nThese are the first 20 of 1,234.\n" in markdown(said(20, 1234))
    assert "These are" not in markdown(said(20, None))
    assert "11 more rows are in the JSON, 1,234 in all." in shown(said(21, 1234))
    assert "1 more row is in the JSON.\n" in shown(said(11, None))
    assert "These are the first 10 of 1,234." in shown(said(10, 1234))
    assert "the JSON" not in shown(said(10, None))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width):
    given = report(
        measure("coverage", value=Undefined("x" * 200)),
        findings=(Finding(kind="note", count=1, first=("y" * 500,), message="m " * 300),),
        parts=("train", "a-part-with-a-rather-long-name"),
    )
    assert max(map(len, shown(given, width).split("\n"))) <= width


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("ünï café 中文 😀", "ünï café 中文 😀"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("\u2028", "\\u2028"),
        ("\ufeffa", "\\ufeffa"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("n\udcc3\udcb8.csv", "nø.csv"),
        ("\ud800", "\\ud800"),
        ("[bold]x[/]", "[bold]x[/]"),
    ],
)
def test_what_steers_a_terminal_is_escaped_and_writing_is_not(text, expected):
    assert plain(text) == expected


def test_long_text_is_shortened_with_its_length():
    assert plain("x" * 10_000, 20) == "x" * 20 + "... (10,000 characters)"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("<b>x</b> &amp;", "&lt;b&gt;x&lt;/b&gt; &amp;amp;"),
        ("a|b", "a\\|b"),
        ("`c` *d* _e_ ~f~", "\\`c\\` \\*d\\* \\_e\\_ \\~f\\~"),
        ("[g](http://h.i)", "\\[g\\](http\\://h.i)"),
        ("![g](x)", "!\\[g\\](x)"),
        ("www.j.k a@b.c", "www\\.j.k a\\@b.c"),
        ("$x$ :smile:", "\\$x\\$ \\:smile:"),
        ("back\\slash", "back\\\\slash"),
        ("two\nlines", "two\\\\nlines"),
    ],
)
def test_markdown_shows_text_as_text(text, escaped):
    given = Report({"kind": "x", "verdict": ""}, (), {"t": Table(("c",), ((text,),))})
    assert f"\n| {escaped} |\n" in markdown(given)


@pytest.mark.parametrize("opening", ["# x", "1. x", "1) x", "- x", "+ x", "=== x"])
def test_no_paragraph_begins_like_a_heading_or_a_list(opening):
    given = Report({"kind": "k", "verdict": opening}, (), {}, (Finding(kind="n", count=1, message=opening),))
    lines = markdown(given).split("\n")
    assert opening not in lines
    assert f"- {opening}" not in lines
    assert any(line.replace("\\", "") == opening for line in lines)
