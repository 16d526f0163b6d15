"""compsplit demo: C-VQA's procedure on real data, beside a random split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compsplit.cli import options as shared


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the two splits.")] = Path("demo"),
) -> None:
    """Build a C-VQA split of easy-VQA, and show the same data under a random split by row beside it.

    easy-VQA comes as a package (pip install "compsplit[demo]"), so nothing is downloaded.

    Example: compsplit demo
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from compsplit import api
    from compsplit.report import headlines, show

    files = easy_vqa_files()
    out.mkdir(exist_ok=True)
    with shared.progress() as watch:
        made = {
            name: api.run(recipe, *files, out=out / name, force=_is_ours(out / name), watch=watch)
            for name, recipe in (("cvqa", "agrawal2017_cvqa_easyvqa"), ("random", "random"))
        }
    console = shared.console()
    show(made["cvqa"].report, console)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="The same rows, split two ways", title_justify="left")
    for column, justify in (("measure", "left"), ("of", "left"), ("C-VQA", "right"), ("random by row", "right")):
        table.add_column(column, justify=justify, overflow="fold")  # type: ignore[arg-type]  # left and right are known
    random = {(line.told, line.of, line.parts): line.value for line in headlines(made["random"].report)}
    for line in headlines(made["cvqa"].report):
        key = (line.told, line.of, line.parts)
        if key in random and line.of != "group":
            table.add_row(*map(Text, (line.told, line.of, line.value, random[key])))
    console.print()
    console.print(table)
    console.print(f"Both splits are in {out}/. What next: compsplit describe YOUR_FILES", markup=False)


def easy_vqa_files() -> list[str]:
    """Return the question files of the package easy-vqa.

    Raises:
        ResourceError: It is not installed.
    """
    import importlib.util

    from compsplit.errors import ResourceError

    found = importlib.util.find_spec("easy_vqa")
    if found is None or found.origin is None:
        raise ResourceError("The data set easy-VQA", "the extra demo", 'Install it: pip install "compsplit[demo]".')
    folder = Path(found.origin).parent / "data"
    return [str(folder / part / "questions.json") for part in ("train", "test")]


def _is_ours(folder: Path) -> bool:
    """Tell whether a folder is a split of ours, which the demo may replace."""
    return (folder / "manifest.json").is_file()
