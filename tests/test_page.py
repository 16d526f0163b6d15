"""Pages of reports: what stands in them, that they stay small, that nothing in them runs, the same again."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch
from urllib.parse import unquote

import pytest
from page_examples import HOSTILE, Seen, example, figure, heavy, measure, subject

from compsplit.errors import UsageError
from compsplit.model.report import Finding, Measure, Report, Table
from compsplit.plain import plain
from compsplit.report.page import Given, Page, making, page_of
from compsplit.report.page.definitions import Definition
from compsplit.report.page.made_again import MadeAgain
from compsplit.report.page.making import LARGEST
from compsplit.report.svg import cleaned
from compsplit.report.tables import as_csv


@cache
def page(kind: str) -> Page:
    """Return a page: each is made once."""
    given = {
        "one": lambda: [example()],
        "hostile": lambda: [example(HOSTILE)],
        "two": lambda: [replace(example(), name="a"), replace(example(HOSTILE), name="b")],
        "empty": lambda: [Given("nothing", Report(subject("audit")), {})],
    }[kind]()
    return made(given, 2, HOSTILE if kind == "hostile" else ("red cone", "blue cube"))


def made(given: list[Given], n_figures: int, names: tuple[str, ...] = ("red cone",), n_bars: int = 20) -> Page:
    """Return a page whose reports have each so many figures, whatever can be drawn of them."""
    figures = tuple(figure(at, names, n_bars) for at in range(n_figures))
    with patch.object(making, "figures_of", lambda report, *_: figures if report.measures else ()):
        return page_of(given, "page.tables")


KINDS = ("one", "hostile", "two", "empty")


@pytest.fixture(params=KINDS)
def seen(request: pytest.FixtureRequest) -> Seen:
    """Each page, as a parser sees it."""
    return Seen(page(request.param).html)


def test_ids_are_unique_headings_in_order_and_links_lead_somewhere(seen: Seen):
    assert len(seen.ids) == len(set(seen.ids))
    levels = [int(tag[1]) for tag, _ in seen.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    inside = [link[1:] for link in seen.attributes("href") if link.startswith("#")]
    assert len(inside) > 1
    assert set(inside) <= set(seen.ids)


def test_nothing_is_fetched_and_nothing_runs_but_the_page_s_own_script(seen: Seen):
    tags = [tag for tag, _ in seen.tags]
    assert tags.count("script") == 1
    assert not {"img", "link", "iframe", "object", "image", "use", "base", "form"} & set(tags)
    names = {name for _, found in seen.tags for name in found}
    assert not [name for name in names if name.startswith("on")]
    assert not {"src", "style", "srcset", "action", "xlink:href"} & names
    assert all(re.fullmatch(r"#[\w.-]+|page\.tables/[\w-]+\.csv", link) for link in seen.attributes("href"))
    assert not re.search(r"url\(|@import|https?:", dict(seen.inline)["style"])
    assert not re.search(r"fetch|XMLHttp|import|https?:", dict(seen.inline)["script"])


def test_the_policy_names_the_script_and_the_style_by_their_hashes(seen: Seen):
    (policy,) = (found["content"] for _, found in seen.tags if found.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert [tag for tag, _ in seen.inline] == ["style", "script"]
    for tag, text in seen.inline:
        assert rules[f"{tag}-src"] == f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_hostile_names_are_text_and_what_turns_text_around_is_escaped():
    html = page("hostile").html
    text = Seen(html).text
    for name in HOSTILE[:-1]:
        assert plain(name) in text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\x00-\x08\x1b]", html)
    assert "\\u202etfel\\u202c" in text
    assert "... (10,002 characters)" in text  # a cell: the name, a space and a digit
    assert "x" * 2_500 not in html


@pytest.mark.parametrize("kind", ["one", "hostile", "two"])
def test_every_figure_has_its_alternative_text_and_the_numbers_behind_it(kind: str):
    html = page(kind).html
    figures = re.findall(r"<figure .*?</figure>", html, re.DOTALL)
    assert len(figures) == (4 if kind == "two" else 2)
    for each in figures:
        seen = Seen(each)
        (svg,) = (found for tag, found in seen.tags if tag == "svg")
        assert svg["role"] == "img"
        assert len(svg["aria-label"]) > 20
        assert [tag for tag, _ in seen.tags].index("details") < [tag for tag, _ in seen.tags].index("table")
        assert seen.attributes("class").count("mark") == 20


def test_a_table_that_is_cut_says_so_and_its_csv_is_whole():
    cut = made([example(n_rows=9_000)], 2)
    said = re.search(r"([\d,]+) of 9,020 rows are here\. The report has the first 9,000\.\s*<a href=", cut.html)
    assert said
    n = int(said[1].replace(",", ""))
    assert n == 50
    assert len(re.findall(rf"<td>(?:red cone|blue cube) {n - 1}<", cut.html)) == 1
    assert re.findall(rf"<td>(?:red cone|blue cube) {n}<", cut.html) == []
    assert f"<summary>novel pairs of test: {n:,} of 9,020</summary>" in cut.html
    (link,) = (link for link in Seen(cut.html).attributes("href") if "novel-pairs" in link)
    folder, name = unquote(link).split("/")
    assert folder == "page.tables"
    assert as_csv(cut.tables[name]).count("\n") == 9_001
    # A search says what it does not see.
    # 8,950 of this table, and 48 of 99 example rows, which no shown row names.
    rest = 'data-rest="Not on the page: 8,998 rows, in CSV files and 20 that are only counted."'
    assert rest in cut.html


def test_an_example_leads_to_its_row_and_back():
    html = page("one").html
    cell = re.search(r'<td><a href="#(r-e\d+)">q7</a><small>what is blue cube\? → blue cube</small>', html)
    assert cell
    row = re.search(rf'<tr id="{cell[1]}">(.*)', html)
    assert row
    # The seventh row names it first, as its example in test.
    assert row[1].startswith('<td><a href="#r-t1-6">q7</a><td>train<td>what is blue cube?')
    assert '<tr id="r-t1-6"><td>red cone 6<' in html
    # Only rows that the fifty shown name are there: q0 to q50, of 99.
    assert len(re.findall(r'<tr id="r-e\d+">', html)) == 51


def test_what_stands_beside_an_example_is_short():
    given = example(("y" * 300,))
    beside = re.findall(r"</a><small>(.*?)</small>", made([given], 0).html)
    assert beside
    assert {len(each) for each in beside} == {80}
    assert beside[0] == f"what is {'y' * 71}…"


def test_each_measure_leads_to_its_definition_and_has_its_n():
    html = page("one").html
    row = re.search(r'<tr><th scope="row"><a href="#d-coverage">coverage</a>(.*)', html)
    assert row
    assert row[1] == '<td>train → test<td class="n">0.7500<td class="n">1,148<td>concepts'
    assert '<th scope="col">unit' not in html
    assert re.search(r'<dt id="d-coverage">coverage<dd>\w', html)
    assert "undefined <small>there is no red cone</small>" in html


def test_numbers_are_written_alike():
    measures = (
        measure("length", "words", unit="words", value=Fraction(28), reference=None, part="test"),
        measure("mean-length", "words", unit="words", value=Fraction(19, 2), reference=None, part="test"),
        measure("rows", "rows", unit="count", value=12_468, reference=None),
        measure("accuracy", "exact", unit="%", value=50.0, reference=None),
    )
    html = made([Given("numbers", Report(subject("audit"), measures), {})], 0).html
    rows = re.findall(
        r'<tr><th scope="row">(?:<a[^>]*>)?([^<]*).*?<td class="n">([^<]*)<td class="n">[^<]*<td>.*', html
    )
    assert rows == [("mean length, words", "9.5000"), ("length", "28"), ("accuracy", "50.0000"), ("rows", "12,468")]
    assert '<th scope="col">unit' in html


def test_a_mean_over_random_splits_has_its_spread_and_range():
    def mean(name: str, value: Fraction, unit: str) -> Measure:
        return measure(
            name, "words", value=value, unit=unit, n=2, n_unit="random splits", options={"over runs": "mean"}
        )

    # Of 700 and 700, and of 1/4 and 3/4: the mean is 1/2, and each is 1/4 from it.
    measures = (mean("rows", Fraction(700), "count"), mean("coverage", Fraction(1, 2), "fraction"))
    table = Table(
        ("measure", "reading", "mean", "spread", "least", "largest"),
        (("rows[words][train->test]", "", 700.0, 0.0, 700.0, 700.0),
         ("coverage[words][train->test]", "", 0.5, 0.25, 0.25, 0.75)),
    )  # fmt: skip
    html = made([Given("r", Report(subject("audit"), measures, {"over random splits": table}), {})], 0).html
    assert '<td class="n">0.5000 ± 0.2500 <small>0.2500 to 0.7500</small><td class="n">2<td>random splits' in html
    assert '<td class="n">700 ± 0<td class="n">2<td>random splits' in html
    assert "the mean ± the population standard deviation over 2 random splits" in html


def test_findings_stand_by_their_weight_and_lead_to_their_culprits():
    shared = "3 images are in train and in {} (image), in 5 rows of {}."
    tables = {
        f"images of {part} that are in train (image)": Table(("value",), (("a",),), culprits=True)
        for part in ("test", "val", "val-iid")
    }
    findings = (
        Finding(kind="part-absent", count=1, message="There is no part dev."),
        Finding(kind="odd", count=1, message="Odd."),
        Finding(kind="shared-images", count=3, message=shared.format("val-iid", "val-iid")),
        Finding(kind="shared-images", count=3, message=shared.format("test", "test")),
        Finding(kind="check", level="fail", count=1, message="Broken."),
    )
    html = made([Given("f", Report(subject("audit"), (), tables, findings), {})], 0).html
    (listed,) = re.findall(r'<ul class="findings">(.*?)</ul>', html, re.DOTALL)
    found = re.findall(r"<li[^>]*>(?:<strong[^>]*>Broken</strong> )?(\w+)[^\n]*?(?:href=\"#(r-t\d)\"[^\n]*)?\n", listed)
    assert found == [("Broken", ""), ("3", "r-t3"), ("3", "r-t1"), ("Odd", ""), ("There", "")]


def test_what_leaks_comes_first_and_is_open():
    row = Table(("value",), (("a",),), culprits=True)
    names = ("concepts of test unseen in train", "images of test that are in train (image)", "rows that moved")
    html = made([Given("l", Report(subject("audit"), (), dict.fromkeys(names, row)), {})], 0).html
    found = re.findall(r'<details id="r-t\d"( open)?><summary>(.*?): 1</summary>', html)
    assert found == [(" open", names[1]), ("", names[0]), ("", names[2])]


def test_several_reports_of_one_kind_stand_side_by_side():
    html = page("two").html
    (section,) = re.findall(r"Side by side</h2>(.*?)</section>", html, re.DOTALL)
    assert 'aria-label="2 splits side by side"' in section
    assert (
        '<tr><th scope="col">measure<th scope="col">parts<th scope="col" class="n">a<th scope="col" class="n">b'
        in section
    )
    assert "<tr><td>coverage<td>train → test<td class=n>0.7500<td class=n>0.7500" in section
    assert "<tr><td>rows<td>train<td class=n>8<td class=n>8" in section
    assert re.search(r"<h1>2 splits: red cone and ", html)
    assert "Side by side" not in page("one").html


def test_the_recipe_is_always_there():
    html = page("one").html
    assert "<summary>The recipe</summary>" in html
    given = example()
    with patch.object(making, "made_again", lambda given: MadeAgain("", "compsplit run random x.json", "")):
        shipped = made([given], 0).html
    assert "<summary>What the recipe came to</summary>" in shipped
    assert "parts = { train = &#34;2/3&#34;, test = &#34;1/3&#34; }" in shipped


def test_code_in_definitions_is_code_and_escaped():
    found = Definition("Of `a < b` and `c`.", "A source")
    with patch.object(making, "definition", lambda name: found):
        html = made([example()], 0).html
    assert "<dd>Of <code>a &lt; b</code> and <code>c</code>. <small>A source</small>" in html


@pytest.mark.large
@pytest.mark.parametrize(("n_reports", "n_figures", "n_rows"), [(1, 45, 1_500), (5, 12, 400)])
def test_a_page_that_has_no_room_for_something_is_full(n_reports: int, n_figures: int, n_rows: int):
    given = [replace(example(n_rows=n_rows), name=f"r{at}") for at in range(n_reports)]
    full = made(given, n_figures, n_bars=60)
    assert full.tables
    size = len(full.html.encode())
    assert 0.85 * LARGEST <= size <= LARGEST
    # Figures come first: half of the page at least is theirs if they want it.
    figures = re.findall(r"<svg.*?</svg>", full.html, re.DOTALL)
    assert len(figures) == n_reports * n_figures or sum(map(len, figures)) > LARGEST / 2


def test_measures_of_one_name_are_told_apart_by_what_differs_in_their_reading():
    def accuracy(**options: str) -> Measure:
        return measure("accuracy", "exact", unit="%", reference=None, part=None, options={"rule": "exact", **options})

    given = Given("scored", Report(subject("audit"), (accuracy(), accuracy(by="novelty", **{"class": "novel"}))), {})
    labels = re.findall(r'<tr><th scope="row">(?:<a[^>]*>)?([^<]*)', page_of([given], "t").html)
    assert labels == ["accuracy", "accuracy, by novelty, class novel"]


def test_what_is_broken_is_said_in_words():
    html = page("one").html
    assert '<li class="fail"><strong class="badge broken">Broken</strong> red cone is in both parts.' in html
    assert "Broken: a check does not hold" in html
    assert "Broken" not in page("empty").html


def test_a_report_of_nothing_has_no_empty_sections():
    headings = re.findall(r"<h2[^>]*>([^<]*)", page("empty").html)
    assert headings == ["How it was made", "How to cite"]


def test_a_report_that_lacks_what_every_one_has_is_told():
    with pytest.raises(UsageError, match=r"^nothing is a broken report: .*'rows'"):
        page_of([Given("nothing", Report({"kind": "audit"}), {})], "t")


@cache
def full() -> tuple[Report, Page]:
    """Return a report with more of everything than a page has room for, and its page.

    No fixture: where a test fails, pytest would write out the whole, which is gigabytes.
    """
    report = heavy()
    return report, made([Given("heavy", report, {})], 60)


@pytest.mark.large
def test_a_page_of_any_report_is_at_most_300_kB_and_says_what_is_left_out():
    report, small = full()
    size = len(small.html.encode())
    assert size <= LARGEST == 300_000
    said = re.search(r"([\d,]+) of 5,000 measures are here", small.html)
    assert said
    n_shown, n_measures = small.html.count('<tr><th scope="row">'), len(report.measures)
    assert n_shown == int(said[1]) < n_measures == 5_000
    assert as_csv(small.tables["heavy-measures.csv"]).count("\n") == 5_001
    left_out = re.search(r"The page has no room for (\d+) more figures", small.html)
    assert small.html.count("<figure ") + (int(left_out[1]) if left_out else 0) == 60
    assert "compsplit report DIR --figures FOLDER" in small.html
    # Every table that is not there, or not whole, is a file.
    wide = next(iter(report.tables.values()))
    n_files = sum(table is wide for table in small.tables.values())
    assert n_files == 200
    assert re.search(r"[\d,]+ more findings are in report\.json", small.html)


@pytest.mark.large
def test_a_page_of_many_reports_is_at_most_300_kB():
    whole = full()[0]
    report = replace(whole, tables=dict([*whole.tables.items()][:3]), measures=whole.measures[:100], findings=())
    small = page_of([Given(f"heavy{at}", report, {}) for at in range(70)], "t")
    size = len(small.html.encode())
    assert size <= LARGEST
    assert re.search(r"\d+ of 70 reports are here", small.html)


def test_a_figure_that_has_no_room_is_named_and_its_numbers_are_a_file():
    small = made([example()], 40, n_bars=80)
    size = len(small.html.encode())
    assert size <= LARGEST
    found = re.search(r"no room for (\d+) more figures", small.html)
    assert found
    left_out = int(found[1])
    assert 5 < left_out < 35
    titles = [f"Bars {at} of red cone" for at in range(40)]
    assert re.findall(r"<strong>(Bars \d+ of red cone)", small.html) == titles[: 40 - left_out]
    assert [line.strip() for line in re.findall(r"<li>(Bars.*)", small.html)] == titles[40 - left_out :]
    assert all(f"red-cone-figure-bars-{at}.csv" in small.tables for at in range(40 - left_out, 40))


_MAKE = """
import json, sys
from pathlib import Path
from compsplit.report.page import write_page
write_page([Path(sys.argv[1])], Path(sys.argv[2]))
"""


@pytest.mark.large
def test_the_same_files_give_the_same_bytes_wherever_they_are(tmp_path: Path):
    given = example()
    made = []
    for seed, place in (("1", "here"), ("2", "elsewhere/and deeper")):
        folder = tmp_path / place / "run"
        folder.mkdir(parents=True)
        (folder / "report.json").write_text(json.dumps(given.report.to_json()))
        (folder / "manifest.json").write_text(json.dumps(dict(given.manifest)))
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", _MAKE, folder, folder.parent / "run.html"], check=True, env=environment)
        tables = sorted((folder.parent / "run.tables").iterdir())
        made.append([(folder.parent / "run.html").read_bytes(), *((each.name, each.read_bytes()) for each in tables)])
    assert made[0] == made[1]
    assert len(made[0]) > 1
    assert str(tmp_path).encode() not in made[0][0]


_SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100 50"><defs>
<linearGradient id="g0"><stop offset="0" stop-color="#222222"/></linearGradient></defs>
<g fill="none" transform="translate(10,0)"><g transform="translate(0,0)"><path class="background" d="M0,0h0v0h0Z"/>
<g transform="translate(1.5,2)"><line transform="translate(0,1)" x2="0" y2="-9" stroke="#b8bcc4" opacity="1"/>
<line transform="translate(60.123456,1)" x2="5" y2="0" stroke="#b8bcc4" opacity="1"/></g>
<path role="graphics-symbol" aria-label="a &lt;b&gt; \u202e" d="M0,0.5h1.999999v-0Z" fill="url(#g0)" onclick="x"/>
<path role="graphics-symbol" aria-label="" fill="#222222" d="M0,0h1v1Z"/><image href="https://x"/>
<text transform="translate(3,4)" fill="#222222" font-size="11px">one</text>
<text transform="translate(3,5) rotate(-90)" fill="#222222" font-size="9px">two</text></g></g></svg>"""


def test_svg_is_cut_down_to_what_it_shows():
    assert cleaned(_SVG, "r-1", "Bars.") == (
        '<svg class="drawn" role="img" aria-label="Bars." viewBox="0 0 100 50" width="120" height="60">'
        '<defs><linearGradient id="r-1-g0"><stop offset="0" stop-color="#222222"/></linearGradient></defs>'
        '<g fill="none" transform="translate(10,0)">'
        '<g transform="translate(1.5,2)"><path stroke="var(--line)" d="M0,1v-9M60.12,1h5"/></g>'
        '<path d="M0,.5h2v-0Z" fill="url(#r-1-g0)" class="mark"><title>a &lt;b&gt; \\u202e</title></path>'
        '<g fill="currentColor"><path d="M0,0h1v1Z"/><text x="3" y="4">one</text>'
        '<text transform="translate(3,5) rotate(-90)" font-size="9">two</text></g></g></svg>'
    )


@pytest.mark.parametrize(("n_rows", "n_shown"), [(51, 51), (52, 50)])
def test_the_line_that_counts_all_others_is_not_cut_off_alone(n_rows: int, n_shown: int):
    given = example()
    answers = Table(("answer", "train"), tuple((f"answer {at}", at) for at in range(n_rows)))
    report = replace(given.report, tables={**given.report.tables, "answers": answers})
    html = made([replace(given, report=report)], 0).html
    assert len(set(re.findall(r"<td>(answer \d+)<", html))) == n_shown
