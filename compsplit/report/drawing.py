"""Figures drawn by vl-convert, without a browser: SVG for a page, and SVG, PDF or PNG as files."""

from __future__ import annotations

import copy
import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from compsplit.figures.drawing import FONT, INK, LINE
from compsplit.model.figure import Figure
from compsplit.model.report import Report
from compsplit.model.report_reading import read_as_data
from compsplit.registry import plugins
from compsplit.report.svg import cleaned

Kind = Literal["svg", "pdf", "png"]
KINDS: tuple[Kind, ...] = ("svg", "pdf", "png")

_VEGA_LITE = "5.20"
_RESOURCES = re.compile(rb"(?<=<<\n)(?: +/[a-z]+[0-9]+ [0-9]+ 0 R\n){2,}(?= *>>)")
"""The entries of a dictionary of a PDF that are numbered names of objects, a line each."""
_PIXELS = 2.0
"""Of a PNG, for one unit of a figure."""

_CONFIG: dict[str, Any] = {
    "background": None,
    "font": FONT,
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "domainColor": LINE,
        "tickColor": LINE,
        "gridColor": LINE,
        "gridOpacity": 0.5,
        "labelLimit": 0,
        "labelPadding": 4,
        "labelSeparation": 4,
        "titleLimit": 0,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 0,
        "columnPadding": 14,
        "symbolStrokeWidth": 0,
    },
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "labelFontWeight": "normal"},
    "title": {"color": INK, "fontSize": 12, "fontWeight": "normal"},
    "text": {"color": INK},
    "rule": {"color": INK},
    "view": {"stroke": None},
}


def figures_of(report: Report, file: str = "The report") -> tuple[Figure, ...]:
    """Return every figure that can be drawn of a report, in the order in which they are best looked at.

    Names that are the same, as those of parts in scripts that no file's name keeps may be, end with a number.

    Args:
        report: The report.
        file: Its name, for errors.

    Raises:
        UsageError: A table or measure is not as a figure needs it.
    """
    kinds = sorted(plugins("figure").values(), key=lambda each: (each.facts["place"], each.name))
    made: list[Figure] = []
    for each in kinds:
        with read_as_data(file, f"the figure {each.name}"):
            made += each.make(report)
    figures: dict[str, Figure] = {}
    for figure in made:
        name, again = figure.name, 1
        while name in figures:
            again += 1
            name = f"{figure.name}-{again}"
        figures[name] = figure if again == 1 else dataclasses.replace(figure, name=name)
    return tuple(figures.values())


def drawn(figure: Figure, kind: Kind) -> bytes:
    """Return a figure as a file of a kind, with a white ground.

    Raises:
        ValueError: The specification cannot be drawn.
    """
    import vl_convert

    spec = _whole(figure.spec, "white")
    # Functions of a library without exact types: every one takes a specification and gives text or bytes.
    make: Any = getattr(vl_convert, f"{'vega' if _is_vega(spec) else 'vegalite'}_to_{kind}")
    options: dict[str, Any] = {} if _is_vega(spec) else {"vl_version": _VEGA_LITE}
    if kind == "png":
        options["scale"] = _PIXELS
    made: str | bytes = make(_json(spec), **options)
    if isinstance(made, str):
        return made.encode()
    return _RESOURCES.sub(_in_order, made) if kind == "pdf" else made


def _in_order(names: re.Match[bytes]) -> bytes:
    """Return the entries of a dictionary in a PDF in the order of their names.

    vl-convert writes those of a page's resources in another order each time. They have none (ISO 32000-1, 7.3.7), and
    no byte moves to another place in the file: its table of offsets still holds.
    """
    return b"".join(sorted(names[0].splitlines(keepends=True)))


def inline(figure: Figure, name: str = "") -> str:
    """Return a figure as SVG that stands in a page: its colours follow the page, a mark's ``tip`` is its title.

    What is text in the figure is text in the SVG, escaped; nothing in it can run.

    Args:
        figure: The figure.
        name: What ids in it begin with, unique in the page; the figure's name if nothing else is said.
    """
    import vl_convert

    spec = _whole(figure.spec, None)
    text = _json(spec)
    svg = vl_convert.vega_to_svg(text) if _is_vega(spec) else vl_convert.vegalite_to_svg(text, vl_version=_VEGA_LITE)
    return cleaned(svg, name or figure.name, figure.alt)


def _whole(spec: Mapping[str, Any], background: str | None) -> dict[str, Any]:
    found = copy.deepcopy(dict(spec))
    found["config"] = {**_CONFIG, "background": background, **found.get("config", {})}
    if _is_vega(found):
        found["background"] = background
    return found


def _json(spec: Mapping[str, Any]) -> str:
    """Return a specification as text; bytes of names that are no text (lone surrogates) are drawn as ``?``."""
    return json.dumps(spec, ensure_ascii=False).encode("utf-8", "replace").decode()


def _is_vega(spec: Mapping[str, Any]) -> bool:
    return "/schema/vega/" in str(spec.get("$schema", ""))
