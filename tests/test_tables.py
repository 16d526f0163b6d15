"""A table of a report as CSV, Markdown and LaTeX: values are right, and no text of the data acts."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit.figures.drawing import shortened
from compsplit.model.report import Measure, Report, Table, Undefined
from compsplit.plain import plain
from compsplit.report.tables import (
    MEASURES,
    as_csv,
    as_latex,
    as_markdown,
    as_text,
    latex_escaped,
    tables_of,
)

HOSTILE = '\\input{x}%&#$_{}~^<b>|"`[*]\u202eevil\x1b[31m\nnaïve 🎉'
TABLE = Table(
    ("answer & co", "n", "share", "first"),
    (
        ("50 % of $5", 1234567, 0.123456789, ["a", "b"]),
        (HOSTILE, -3, 1.5e-7, None),
        (None, None, 0.99999999, True),
    ),
    total=1200,
)


def test_latex_is_a_tabular_in_which_nothing_acts():
    shown = (
        r"\textbackslash{}input\{x\}\%\&\#\$\_\{\}\textasciitilde{}\textasciicircum{}"
        r"\textless{}b\textgreater{}\textbar{}\symbol{34}\textasciigrave{}{[}{*}{]}"
        r"\textbackslash{}u202eevil\textbackslash{}x1b{[}31m\textbackslash{}nnaïve 🎉"
    )
    assert (
        as_latex(TABLE, "answers {of}\n\\input{x}")
        == r"""% answers {of}\n\input{x}; the first 3 of 1,200 rows; needs \usepackage{booktabs}
\begin{tabular}{lrrl}
\toprule
answer \& co & n & share & first \\
\midrule
50 \% of \$5 & 1234567 & 0.123457 & a / b \\
HOSTILE & $-3$ & $1.5 \times 10^{-7}$ & -- \\
-- & -- & 0.99999999 & true \\
\bottomrule
\end{tabular}
""".replace("HOSTILE", shown)
    )


def test_markdown_is_a_grid_in_which_nothing_acts():
    assert (
        as_markdown(TABLE)
        == r"""| answer &amp; co | n | share | first |
| --- | ---: | ---: | --- |
| 50 % of \$5 | 1234567 | 0.123457 | a / b |
| \\input{x}%&amp;#\$\_{}\~^&lt;b&gt;\|"\`\[\*\]\\u202eevil\\x1b\[31m\\nnaïve 🎉 | -3 | 1.5e-07 | - |
| - | - | 0.99999999 | true |

These are the first 3 of 1,200 rows.
"""
    )


def test_csv_has_values_whole():
    read = list(csv.reader(io.StringIO(as_csv(TABLE))))
    assert read == [
        ["answer & co", "n", "share", "first"],
        ["50 % of $5", "1234567", "0.123456789", "a | b"],
        [HOSTILE, "-3", "1.5e-07", ""],
        ["", "", "0.99999999", "true"],
    ]


def test_no_text_of_any_length_is_shortened():
    long = Table(("name",), (("x" * 10_000,),))
    for form in ("csv", "markdown", "latex"):
        assert "x" * 10_000 in as_text(long, form, "long")


def test_several_tables_are_told_apart():
    table = Table(("a",), ((1,),))
    assert as_text(table, "markdown", "two_words", titled=True).startswith("## two\\_words\n\n| a |\n")
    assert as_text(table, "latex", "two_words", titled=True).startswith("% two_words; needs ")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("''q'' ,,r", "'{}'q'{}' ,{},r"),
        ("?`!`", r"?\textasciigrave{}!\textasciigrave{}"),
        ("\x00", r"\textbackslash{}x00"),
    ],
)
def test_latex_makes_no_dash_quote_or_control_of_characters(text, shown):
    assert latex_escaped(text) == shown


# What shows a character -> the character: written from LaTeX's own documentation, the other way round.
SHOWS = {
    r"\textbackslash{}": "\\", r"\textasciicircum{}": "^", r"\textasciitilde{}": "~", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\textasciigrave{}": "`", r"\symbol{34}": '"',
    r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\#": "#", r"\%": "%", r"\_": "_",
    "{[}": "[", "{]}": "]", "{*}": "*", "{}": "",
}  # fmt: skip
ACTS = set('\\{}$&#%_^~<>|"`[]*')


@given(st.text(st.sampled_from("\\{}$&#%_^~<>|\"`'[]*-,?! ab\n\t\x00\u202e\u2028é🎉") | st.characters(), max_size=20))
@example("\udc80")
@settings(max_examples=n_shown(300))
def test_latex_shows_what_the_text_says_and_no_character_acts(text):
    written = latex_escaped(text)
    pieces = re.split("|".join(re.escape(each) for each in SHOWS), written)
    assert not ACTS.intersection("".join(pieces))
    known = re.findall("|".join(re.escape(each) for each in SHOWS), written)
    said = pieces[0] + "".join(SHOWS[each] + piece for each, piece in zip(known, pieces[1:], strict=True))
    assert said == plain(text)
    bare = written.replace(r"\{", "").replace(r"\}", "")
    depth = 0
    for each in bare:
        depth += {"{": 1, "}": -1}.get(each, 0)
        assert depth in (0, 1)
    assert depth == 0


def test_measures_are_a_table_of_every_report():
    told = {"of": "concepts", "n": 8, "n_unit": "rows of test", "unit": "fraction"}
    report = Report(
        {"kind": "audit"},
        (
            Measure(name="coverage", value=Fraction(1, 3), reference="train", part="test", run=2,
                    options={"unit": "rows", "alpha": 0.5, "of": ["a", "b"]}, **told),
            Measure(name="coverage", value=Undefined("no concept"), part="val", **told),
        ),
        {"rows": Table(("id",), (("a",),))},
    )  # fmt: skip
    assert list(tables_of(report)) == [MEASURES, "rows"]
    assert as_csv(tables_of(report)[MEASURES]) == (
        "measure,of,reading,reference,part,value,n,n_unit,reason\n"
        'coverage,concepts,"alpha 0.5, of a | b, run 2, unit rows",train,test,0.3333333333333333,8,rows of test,\n'
        "coverage,concepts,,,val,,8,rows of test,no concept\n"
    )


def test_a_column_of_gaps_or_of_numbers_and_texts_is_no_column_of_numbers():
    table = Table(("gaps", "mixed", "truth"), ((None, 1, True), (None, "b", False)))
    assert "{lll}" in as_latex(table, "t")


def test_a_table_without_columns_is_nothing_in_any_form():
    empty = Table((), ())
    assert as_csv(empty) == ""
    assert "\\begin{tabular}{}" in as_latex(empty, "t")
    assert as_markdown(empty) == "|  |\n|  |\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("co\u00adop", "co\u00adop"),
        ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),
        ("a\ue000b", "a\ue000b"),
        ("a\uffffb", r"a\uffffb"),
        ("a\ufdd0b", r"a\ufdd0b"),
        ("a\U0001fffeb", r"a\U0001fffeb"),
        ("a\u202eb", r"a\u202eb"),
    ],
)
def test_what_steers_text_is_shown_alike_in_texts_figures_and_latex(text, shown):
    assert plain(text) == shown
    assert shortened(text, 40) == shown
    assert latex_escaped(text) == shown.replace("\\", r"\textbackslash{}")
