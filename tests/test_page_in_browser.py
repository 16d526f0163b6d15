"""Pages of real runs in a real browser: quiet, drawn, searched, read by axe, narrow, dark, printed, without scripts.

Each page is opened as rarely as will do: what can be looked at in one window is looked at in one test.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import browser, opened
from page_examples import HOSTILE

from compsplit import api
from compsplit.cli.demo import easy_vqa_files
from compsplit.plain import plain
from compsplit.report.drawing import figures_of
from compsplit.report.page import read_given

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["browser"]

pytestmark = pytest.mark.large

RUNS = {
    "easy-vqa": ("agrawal2017_cvqa_easyvqa", None),
    "daquar": ("agrawal2017_cvqa", "daquar/all_qa_pairs.txt"),
    "clevr": ("holdout_pairs_clevr", "clevr/too_clevr/CLEVR_train_scenes_1000.json"),
    "vrd": ("holdout_triples_vrd", "vrd/annotations_test.json"),
}
"""Page -> its recipe and its file, None for the files of the package easy-vqa."""


def hostile_questions(folder: Path) -> Path:
    """Return questions in which everything that can be named is named to do harm."""
    rows = [
        {
            "id": f"{name[:300]} {at} {number}".replace("\0", ""),
            "question": f"what is {name} {number}?",
            "answer": name,
            "image": f"{name[:99]} {at}",
        }
        for at, name in enumerate(HOSTILE)
        for number in range(12)
    ]
    file = folder / "<img src=x onerror=hacked=1>.json"
    file.write_text(json.dumps(rows))
    return file


@pytest.fixture(scope="session")
def page_of(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Gives the page of a run by its name; each is made once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def make(name: str) -> Path:
        if name not in made:
            if name == "hostile":
                api.run("random", hostile_questions(folder), out=folder / name)
            else:
                recipe, file = RUNS[name]
                api.run(recipe, *([shared / "data" / file] if file else easy_vqa_files()), out=folder / name)
            made[name] = api.page(folder / name)
        return made[name]

    return make


def tips(value: Any) -> Iterator[str]:
    """Yield what a specification says of each mark."""
    if isinstance(value, dict):
        if "tip" in value:
            yield str(value["tip"])
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from tips(each)


def light(colour: str) -> float:
    """Return the relative luminance of ``rgb(...)``, as WCAG 2 has it."""
    channels = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ground_and_ink(page: Page) -> tuple[float, float]:
    """Return how light the ground of a page and its text are."""
    style = "getComputedStyle(document.documentElement)"
    return light(page.evaluate(f"{style}.backgroundColor")), light(page.evaluate(f"{style}.color"))


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """Return what axe finds wrong, rule and elements, with all open; rows of a table are alike, so a few will do."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(
        """document.querySelectorAll("details").forEach(each => each.open = true);
        document.querySelectorAll("tbody tr:nth-child(n + 5)").forEach(row => row.remove())"""
    )
    found = Axe().run(page).response["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found]


@pytest.mark.parametrize("name", RUNS)
def test_a_page_loads_in_silence_and_every_mark_is_drawn(name: str, page_of: Callable[[str], Path], browser: Browser):
    file = page_of(name)
    (given,) = read_given([file.with_suffix("")])
    with opened(browser, file) as seen:
        drawn = seen.page.evaluate(
            """[...document.querySelectorAll("figure")].map(figure =>
                [...figure.querySelectorAll(".mark")].map(mark => {
                    const box = mark.getBoundingClientRect();
                    return [mark.querySelector("title").textContent, box.width + box.height > 0];
                }))"""
        )
        wide = seen.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        seen.page.set_viewport_size({"width": 390, "height": 844})
        narrow = seen.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        figure_widths = seen.page.evaluate("[...document.querySelectorAll('.drawn')].map(each => each.clientWidth)")
        stops = seen.page.evaluate(
            """[...document.querySelectorAll(".scroll, pre")].map(each =>
                [each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight, each.tabIndex === 0])"""
        )
        assert seen.requests == [file.as_uri()]
        assert seen.said == []
    figures = figures_of(given.report)
    assert len(drawn) == len(figures) > 1
    for marks, figure in zip(drawn, figures, strict=True):
        assert {tip for tip, _ in marks} == {plain(tip, 300) for tip in tips(figure.spec)}
        assert sum(has_size for _, has_size in marks) >= len(marks) * 0.8
    assert wide == [1440, 1440]
    assert narrow == [390, 390]
    # Figures keep their letters' size there and scroll by themselves; what does not scroll is no stop of the keyboard.
    assert min(figure_widths) >= 440
    assert {(True, True), (False, False)} == {(scrolls, stops) for scrolls, stops in stops}


@pytest.mark.parametrize(
    ("name", "width", "dark"),
    [("easy-vqa", 1440, False), ("daquar", 390, True), ("clevr", 1440, True), ("vrd", 390, False)],
)
def test_axe_finds_no_violation(name: str, width: int, dark: bool, page_of: Callable[[str], Path], browser: Browser):
    with opened(browser, page_of(name), width=width, dark=dark) as seen:
        assert violations(seen.page) == []


def test_light_and_dark_both_have_contrast(page_of: Callable[[str], Path], browser: Browser):
    with opened(browser, page_of("vrd")) as seen:
        ground, ink = ground_and_ink(seen.page)
        assert ground == 1
        assert (ground + 0.05) / (ink + 0.05) > 7
        seen.page.emulate_media(color_scheme="dark")
        ground, ink = ground_and_ink(seen.page)
        assert ground < 0.02
        assert (ink + 0.05) / (ground + 0.05) > 7
        line = seen.page.evaluate("getComputedStyle(document.querySelector('.drawn text')).fill")
        assert light(line) == ink


def test_a_search_shows_the_rows_that_hold_it_says_how_many_and_can_be_taken_back(
    page_of: Callable[[str], Path], browser: Browser
):
    with opened(browser, page_of("vrd")) as seen:
        page = seen.page
        rows = "section:has(> .search) tbody tr"
        before = page.locator(f"{rows}:visible").count()
        every = page.locator(rows).all_text_contents()
        field = page.get_by_label("Find rows that hold")
        field.focus()
        page.keyboard.type("Umbrella")
        found = page.locator(f"{rows}:visible").all_text_contents()
        assert found == [row for row in every if "umbrella" in row.lower()]
        assert 0 < len(found) < before
        rest = page.locator(".search").get_attribute("data-rest")
        said = f"{len(found)} of the {len(every):,} rows on this page hold it. {rest}"
        assert page.locator(".search output").text_content() == said
        # Words of two cells that stand side by side are found with a space between them.
        page.keyboard.press("Control+A")
        first = page.locator(f"{rows}").first.locator("td").all_text_contents()
        page.keyboard.type(f"{first[0]} {first[1]}")
        assert page.locator(f"{rows}:visible").count() >= 1
        page.keyboard.press("Control+A")
        page.keyboard.press("Delete")
        assert page.locator(f"{rows}:visible").count() == before
        assert page.locator(".search output").text_content() == ""
        # An example leads to its row, even where a search hides it.
        link = page.locator(f"{rows} a").first
        target = link.get_attribute("href")
        page.keyboard.type("no such row")
        assert page.locator(f"{rows}:visible").count() == 0
        page.evaluate(f"location.hash = '{target}'")
        page.locator(f"{target}:visible").wait_for(timeout=3_000)
        assert link.text_content() in page.locator(target).text_content()
        assert seen.said == []


def test_print_is_light_open_and_uncut(page_of: Callable[[str], Path], browser: Browser):
    import pypdf

    with opened(browser, page_of("vrd"), dark=True) as seen:
        page = seen.page
        last = [
            re.sub(r"\W", "", table.locator("tbody tr").last.locator("td").last.text_content() or "")
            for table in page.locator("table:not(.measures)").all()
        ]
        text = "".join(each.extract_text() for each in pypdf.PdfReader(io.BytesIO(page.pdf())).pages)
        assert page.locator("details:not([open])").count() > 3  # closed again
        # Where the style alone does not open them, the script does.
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("details:not([open])").count() == 0
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.emulate_media(media="print")
        assert ground_and_ink(page) == (1, 0)
        # Where no script opens them, the style does.
        assert page.locator("details:not([open])").count() > 3
        hidden = page.locator("details:not([open]) td").first
        assert hidden.evaluate("each => each.checkVisibility({contentVisibilityAuto: true})")
        page.set_viewport_size({"width": 700, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 700
    printed = re.sub(r"\W", "", text)
    missing = [each for each in last if each not in printed]
    assert len(last) > 20
    assert missing == []


def test_without_javascript_everything_can_be_read(page_of: Callable[[str], Path], browser: Browser):
    file = page_of("clevr")
    with opened(browser, file, script=False) as seen:
        page = seen.page
        assert not page.locator(".search").is_visible()
        assert page.locator("h1").is_visible()
        page.locator("summary", has_text="The numbers behind it").first.click()
        assert page.locator("figure table").first.is_visible()
        assert page.locator("figure svg").first.is_visible()
        assert seen.said == []


def test_hostile_names_are_shown_and_nothing_of_them_runs(page_of: Callable[[str], Path], browser: Browser):
    file = page_of("hostile")
    with opened(browser, file) as seen:
        page = seen.page
        text = page.locator("body").text_content() or ""
        for link in page.locator("details:not([open]) summary").all()[:3]:
            link.click()
        assert page.evaluate("window.hacked") is None
        assert seen.requests == [file.as_uri()]
        assert seen.said == []
        assert page.evaluate("[document.documentElement.scrollWidth, innerWidth]") == [1440, 1440]
        assert page.locator("script, img, iframe").count() == 1
        assert violations(page) == []
    shown = Counter(name for name in HOSTILE[:-1] if plain(name) in text)
    assert len(shown) >= len(HOSTILE) - 2
    assert "characters)" in text
    assert "\u202e" not in text
