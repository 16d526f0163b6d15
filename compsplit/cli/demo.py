"""compsplit demo: C-VQA's procedure on real data, beside a random split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compsplit.cli import options as shared

_RECIPES = {"cvqa": "agrawal2017_cvqa_easyvqa", "random": "random"}
"""Folder of a split -> how it is made."""
_PAGE = "report.html"


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the two splits and their page.")
    ] = Path("demo"),
) -> None:
    """Build a C-VQA split of easy-VQA, and show the same data under a random split by row beside it, and as a page.

    easy-VQA comes as a package (pip install "compsplit[demo]"), so nothing is downloaded.

    Example: compsplit demo
    """
    from compsplit import api
    from compsplit.errors import FileError
    from compsplit.report import headlines, listing, plain, show
    from compsplit.report.page import check_page_out

    files = easy_vqa_files()
    if out.exists() and not out.is_dir():
        raise FileError(str(out), "is a file, a folder was expected")
    # Only a page that an earlier demo can have left is replaced.
    again = all(_is_ours(out / name) for name in _RECIPES)
    if not again and out.is_dir():
        check_page_out(out / _PAGE, force=False)
    out.mkdir(exist_ok=True)
    with shared.progress() as watch:
        made = {
            name: api.run(recipe, *files, out=out / name, force=_is_ours(out / name), watch=watch)
            for name, recipe in _RECIPES.items()
        }
        watch("making the page")
        page = api.page(*(out / name for name in _RECIPES), out=out / _PAGE, force=again)
    console = shared.console()
    show(made["cvqa"].report, console)
    random = {(line.label, line.parts): line.value for line in headlines(made["random"].report)}
    lines = [
        (line.label, line.parts, line.value, random[line.label, line.parts])
        for line in headlines(made["cvqa"].report)
        if (line.label, line.parts) in random and line.label != "torn groups"
    ]
    console.print()
    columns = ("measure", "parts", "C-VQA", "random by row")
    console.print(listing(columns, lines, right=columns[2:], title="The same rows, split two ways"))
    console.print(f"Both splits are in {plain(out)}/. What next: compsplit describe YOUR_FILES", markup=False)
    console.print(f"Open {plain(page)} in a browser: a page of both, with figures.", markup=False, soft_wrap=True)


def easy_vqa_files() -> list[str]:
    """Return the question files of the package easy-vqa.

    Raises:
        ResourceError: It is not installed.
    """
    from compsplit.errors import ResourceError

    found = installed_files()
    if not found:
        raise ResourceError("The data set easy-VQA", "the extra demo", 'Install it: pip install "compsplit[demo]".')
    return found


def installed_files() -> list[str]:
    """Return the question files of the package easy-vqa, none if it is not installed."""
    import importlib.util

    found = importlib.util.find_spec("easy_vqa")
    if found is None or found.origin is None:
        return []
    folder = Path(found.origin).parent / "data"
    return [str(folder / part / "questions.json") for part in ("train", "test")]


def _is_ours(folder: Path) -> bool:
    """Tell whether a folder is a split of ours, which the demo may replace."""
    from compsplit.recipe.folder import is_split

    return is_split(folder)
