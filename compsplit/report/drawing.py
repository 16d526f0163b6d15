"""Figures drawn by vl-convert, without a browser: SVG for a page, and SVG, PDF or PNG as files."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from typing import Any, Literal
from xml.etree import ElementTree

from compsplit.figures.drawing import INK, LINE
from compsplit.model.figure import Figure

Kind = Literal["svg", "pdf", "png"]
KINDS: tuple[Kind, ...] = ("svg", "pdf", "png")

_FONT = "Liberation Sans"
"""vl-convert brings it along, so that text is as wide on every platform."""
_VEGA_LITE = "5.20"
_PIXELS = 2.0
"""Of a PNG, for one unit of a figure."""

_CONFIG: dict[str, Any] = {
    "background": None,
    "font": _FONT,
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
        "titleLimit": 0,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 0,
        "symbolStrokeWidth": 0,
    },
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "labelFontWeight": "normal"},
    "title": {"color": INK, "fontSize": 12, "fontWeight": "normal"},
    "text": {"color": INK},
    "rule": {"color": INK},
    "view": {"stroke": None},
}
_SVG = "http://www.w3.org/2000/svg"
_KEPT = {
    "d", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "viewBox", "transform", "fill", "fill-opacity", "stroke",
    "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-miterlimit", "opacity", "text-anchor", "font-size",
    "font-weight", "font-style",
}  # fmt: skip
"""Attributes that a page keeps; roles and labels of parts of a figure would be read one by one."""
_DROPPED_VALUES = {("opacity", "1"), ("stroke-width", "1"), ("font-size", "11px"), ("stroke-miterlimit", "10")}
"""Values that the page says once for all figures, or that go without saying."""


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
    made: str | bytes = make(json.dumps(spec, ensure_ascii=True), **options)
    return made.encode() if isinstance(made, str) else made


def inline(figure: Figure) -> str:
    """Return a figure as SVG that stands in a page: its colours follow the page, a mark's ``tip`` is its title.

    What is text in the figure is text in the SVG, escaped; nothing in it can run.
    """
    import vl_convert

    spec = _whole(figure.spec, None)
    text = json.dumps(spec, ensure_ascii=True)
    svg = vl_convert.vega_to_svg(text) if _is_vega(spec) else vl_convert.vegalite_to_svg(text, vl_version=_VEGA_LITE)
    root = ElementTree.fromstring(_without_controls(svg))
    _cleaned(root)
    root.attrib = {"viewBox": root.attrib["viewBox"], "width": root.attrib["width"], "height": root.attrib["height"]}
    root.set("class", "drawn")
    root.set("role", "img")
    root.set("aria-label", figure.alt)
    return ElementTree.tostring(root, encoding="unicode")


def _whole(spec: Mapping[str, Any], background: str | None) -> dict[str, Any]:
    found = copy.deepcopy(dict(spec))
    found["config"] = {**_CONFIG, "background": background, **found.get("config", {})}
    if _is_vega(found):
        found["background"] = background
    return found


def _is_vega(spec: Mapping[str, Any]) -> bool:
    return "/schema/vega/" in str(spec.get("$schema", ""))


def _without_controls(svg: str) -> str:
    """Return the text without characters that XML does not have."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", "\ufffd", svg)


def _cleaned(element: ElementTree.Element) -> None:
    """Keep shapes and text, put the page's colours in place, and turn the label of a mark into its title."""
    element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    label = element.get("aria-label") if element.get("role") == "graphics-symbol" else None
    is_mark = label is not None and element.tag in ("path", "text", "line", "rect", "image")
    for child in list(element):
        _cleaned(child)
        if _is_nothing(child):
            element.remove(child)
    kept = {}
    for name, value in element.attrib.items():
        if name in _KEPT and (name, value) not in _DROPPED_VALUES:
            if name in ("fill", "stroke"):
                value = {INK: "currentColor", LINE: "var(--line)"}.get(value, value)
            kept[name] = re.sub(r"(\d+\.\d\d)\d+", r"\1", value) if name in ("d", "transform") else value
    element.attrib = kept
    if is_mark and label:
        element.set("class", "mark")
        title = ElementTree.Element("title")
        title.text = label
        element.insert(0, title)


def _is_nothing(element: ElementTree.Element) -> bool:
    """Tell whether an element draws nothing."""
    if element.tag == "g":
        return not len(element)
    return element.tag == "path" and (
        element.get("d", "") in ("", "M0,0h0v0h0Z") or not ({"fill", "stroke"} & element.attrib.keys())
    )
