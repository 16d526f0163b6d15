"""What the README says of plug-ins, commands and recipes is what there is."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from compsplit.recipe.parsing import recipe_names
from compsplit.registry import KINDS, plugins

README = Path(__file__).resolve().parents[1] / "README.md"
CHOOSING = README.parent / "docs" / "choosing.md"


@pytest.mark.parametrize("kind", KINDS)
def test_table_of_plug_ins_is_the_registry(kind: str):
    """COMPSPLIT_WRITE_DOCS=1 writes the table anew."""
    text = README.read_text(encoding="utf-8")
    marked = re.compile(rf"(\| {kind} \| what it does .*\n\| ---.*\n)((?:\|.*\n)+)")
    written = marked.search(text)
    assert written is not None
    cells = [
        (f"`{name}`", found.summary, ", ".join(f"`{option}`" for option in found.options) or "-", found.source)
        for name, found in plugins(kind).items()
    ]
    rows = [f"| {' | '.join(each)} |\n" for each in cells]
    if os.environ.get("COMPSPLIT_WRITE_DOCS"):
        README.write_text(marked.sub(lambda found: found[1] + "".join(rows), text), encoding="utf-8")
        return
    assert written[2].splitlines(keepends=True) == rows


def test_the_table_of_guarantees_is_what_splitters_declare():
    text = CHOOSING.read_text(encoding="utf-8")
    marked = re.compile(r"(\| splitter \| guarantee .*\n\| ---.*\n)((?:\|.*\n)+)")
    written = marked.search(text)
    assert written is not None
    rows = [
        f"| `{name}` | {found.facts['guarantee']} | {found.facts['cost']} |\n"
        for name, found in plugins("splitter").items()
    ]
    if os.environ.get("COMPSPLIT_WRITE_DOCS"):
        CHOOSING.write_text(marked.sub(lambda found: found[1] + "".join(rows), text), encoding="utf-8")
        return
    assert written[2].splitlines(keepends=True) == rows


def test_recipes_that_the_readme_runs_exist():
    named = re.findall(r"compsplit run (\S+)", README.read_text(encoding="utf-8"))
    assert named
    assert set(named) <= set(recipe_names())


@pytest.mark.large
def test_the_demo_prints_what_the_readme_shows(command):
    block = re.search(r"```text\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    ran = command("demo")
    assert ran.code == 0
    printed = {" ".join(line.split()) for line in ran.out.splitlines()}
    shown = {" ".join(line.split()) for line in block[1].splitlines()}
    assert len(shown) > 5
    assert shown - {"", *(line for line in shown if set(line) == {"─"})} <= printed


def test_files_that_the_readme_links_are_there():
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    assert not [link for link in links if not (README.parent / link).is_file()]
