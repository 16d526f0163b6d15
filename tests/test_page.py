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
from functools import cache
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch
from urllib.parse import unquote

import pytest
from page_examples import HOSTILE, Seen, example, figure, heavy, measure, subject

from compsplit.errors import UsageError
from compsplit.model.report import Measure, Report
from compsplit.report.page import Given, Page, making, page_of
from compsplit.report.page.making import LARGEST
from compsplit.report.plain import plain
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
    with patch.object(making, "figures_of", lambda report: figures if report.measures else ()):
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
    cut = page("one")
    assert "red cone 48" in cut.html
    assert "blue cube 51" not in cut.html
    (link,) = (link for link in Seen(cut.html).attributes("href") if "novel-pairs" in link)
    folder, name = unquote(link).split("/")
    assert folder == "page.tables"
    assert cut.tables[name] == example().report.tables["novel pairs of test"]
    assert as_csv(cut.tables[name]).count("\n") == 81
    assert re.search(r"50 of 100 rows are here\. The report has the first 80\.\s*<a href=", cut.html)


def test_an_example_leads_to_its_row():
    html = page("one").html
    cell = re.search(r'<td><a href="#(r-e\d+)">q7</a>', html)
    assert cell
    row = re.search(rf'<tr id="{cell[1]}">(.*)', html)
    assert row
    assert row[1].startswith("<td>q7<td>train<td>what is blue cube?")
    # Only rows that are named are there: 51 of 99.
    assert len(re.findall(r'<tr id="r-e\d+">', html)) == 51


def test_each_measure_leads_to_its_definition_and_has_its_n():
    html = page("one").html
    row = re.search(r'<tr><th scope="row"><a href="#d-coverage">coverage</a>(.*)', html)
    assert row
    assert row[1] == '<td>train → test<td class="n">0.7500<td><td class="n">1,148<td>concepts'
    assert re.search(r'<dt id="d-coverage">coverage<dd>\w', html)
    assert "undefined <small>there is no red cone</small>" in html


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
