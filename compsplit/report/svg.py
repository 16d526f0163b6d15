"""SVG that stands in a page: shapes and text alone, in the page's colours, in as few bytes as show the same.

Kept are groups, paths, text and gradients; roles and labels of parts are dropped, since the whole figure is one image
to whoever does not see it. What the description of a mark says becomes its ``<title>``, which is shown when a pointer
rests on it. Numbers have two decimals. Lines of one look become one path, an attribute that all in a group have is said
once, groups that say nothing are gone. Nothing is clipped: figures draw inside their frame. Cost: one pass over the
elements.
"""

from __future__ import annotations

import re
from itertools import groupby
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from compsplit.figures.drawing import INK, LINE
from compsplit.plain import plain

_SPACE = "{http://www.w3.org/2000/svg}"
_TAGS = {"svg", "g", "path", "line", "rect", "circle", "text", "tspan", "defs", "linearGradient", "stop"}
_ONCE = ("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "text-anchor",
         "font-size", "font-weight", "font-style")  # fmt: skip
"""Attributes that children have from their group if they do not say otherwise."""
_KEPT = {
    *_ONCE, "d", "x", "y", "dx", "dy", "x1", "x2", "y1", "y2", "r", "cx", "cy", "width", "height", "viewBox",
    "transform", "opacity", "stroke-linecap", "stroke-linejoin", "id", "offset", "stop-color", "gradientUnits",
}  # fmt: skip
_UNSAID = {
    ("opacity", "1"), ("fill-opacity", "1"), ("stroke-opacity", "1"), ("stroke-width", "1"), ("font-size", "11px"),
    ("font-weight", "normal"), ("font-style", "normal"), ("text-anchor", "start"), ("transform", "translate(0,0)"),
    ("stroke-linecap", "butt"), ("stroke-linejoin", "miter"),
}  # fmt: skip
"""Values that the page says once for all figures, or that go without saying."""
_NUMBER = re.compile(r"-?(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[-+]?\d+)?")
_MOVED = re.compile(r"translate\(([-.\d]+),([-.\d]+)\)")
_LONGEST_TITLE = 300
_SCALE = 1.2
"""Of a figure where the page is wide enough, so that its text is about as large as that of tables."""


def cleaned(svg: str, name: str, alt: str) -> str:
    """Return a figure as an SVG element of a page.

    Args:
        svg: The whole document, as it was drawn.
        name: What ids in it begin with; unique in the page.
        alt: What a reader who does not see it should know.
    """
    root = ElementTree.fromstring(re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", "\ufffd", svg))
    _clean(root, name)
    root.attrib = {
        "class": "drawn",
        "role": "img",
        "aria-label": plain(alt, 1000),
        "viewBox": root.attrib["viewBox"],
        "width": _short(float(root.attrib["width"]) * _SCALE),
        "height": _short(float(root.attrib["height"]) * _SCALE),
    }
    # In text and attributes `>` is escaped, so that this is the end of an element everywhere.
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _clean(element: Element, name: str) -> None:
    element.tag = element.tag.removeprefix(_SPACE)
    label = element.get("aria-label") if element.get("role") == "graphics-symbol" else None
    element.attrib = dict(_attributes(element, name))
    element.text = plain(element.text) if element.text and element.tag in ("text", "tspan") else None
    element.tail = None
    for child in list(element):
        if child.tag.removeprefix(_SPACE) not in _TAGS:
            element.remove(child)
            continue
        _clean(child, name)
        if _is_nothing(child):
            element.remove(child)
    if element.tag in ("g", "svg"):
        _simplify(element)
    elif element.tag in ("line", "text"):
        _place(element)
    if label and element.tag in ("path", "text", "rect", "circle"):
        element.set("class", "mark")
        title = Element("title")
        title.text = plain(label, _LONGEST_TITLE)
        element.insert(0, title)


def _attributes(element: Element, name: str) -> list[tuple[str, str]]:
    kept = []
    for key, value in element.attrib.items():
        value = _NUMBER.sub(_rounded, value) if key not in ("id", "fill", "stroke", "stop-color") else value
        if key not in _KEPT or (key, value) in _UNSAID:
            continue
        if key in ("fill", "stroke"):
            value = {INK: "currentColor", LINE: "var(--line)"}.get(value, value).replace("url(#", f"url(#{name}-")
        elif key == "id":
            value = f"{name}-{value}"
        elif key == "font-size":
            value = value.removesuffix("px")
        kept.append((key, value))
    return kept


def _rounded(number: re.Match[str]) -> str:
    text = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "0") else re.sub(r"^(-?)0\.", r"\1.", text)


def _is_nothing(element: Element) -> bool:
    """Tell whether an element draws nothing."""
    if element.tag in ("g", "defs"):
        return not len(element)
    if element.tag == "text":
        return not (element.text or len(element))
    if element.tag == "path":
        seen = {element.get("fill", "none"), element.get("stroke", "none")} - {"none", "transparent"}
        return element.get("d", "") in ("", "M0,0h0v0h0Z") or (not seen and element.get("class") != "mark")
    return False


def _place(element: Element) -> None:
    """Turn a moved line into a path, and a moved text into a text at that place."""
    moved = _MOVED.fullmatch(element.get("transform", "translate(0,0)"))
    if moved is None or (element.tag == "text" and len(element)):
        return
    element.attrib.pop("transform", None)
    if element.tag == "text":
        style = element.attrib
        element.attrib = {**{key: at for key, at in zip("xy", moved.groups(), strict=True) if at != "0"}, **style}
        return
    x1, y1, x2, y2 = (float(element.attrib.pop(key, "0")) for key in ("x1", "y1", "x2", "y2"))
    x, y = float(moved[1]) + x1, float(moved[2]) + y1
    run = f"v{_short(y2 - y1)}" if x2 == x1 else f"h{_short(x2 - x1)}" if y2 == y1 else ""
    element.tag = "path"
    element.set("d", f"M{_short(x)},{_short(y)}{run or f'l{_short(x2 - x1)},{_short(y2 - y1)}'}")


def _short(number: float) -> str:
    return _NUMBER.sub(_rounded, repr(float(number)))


def _simplify(group: Element) -> None:
    """Say what the children of a group have in common once."""
    children = [each for child in group for each in (list(child) if _says_nothing(child) else [child])]
    children = _lines_joined(children)
    for child in list(group):
        group.remove(child)
    group.extend(children)
    if group.tag == "g" and len(children) > 1:
        for key in _ONCE:
            values = {child.get(key) for child in children}
            if None not in values and len(values) == 1:
                group.set(key, children[0].attrib[key])
                for child in children:
                    del child.attrib[key]
    _runs_grouped(group)
    if group.tag == "g" and len(group) == 1 and group[0].tag == "g":
        _take_over(group, group[0])


def _says_nothing(element: Element) -> bool:
    return element.tag == "g" and not element.attrib


def _lines_joined(children: list[Element]) -> list[Element]:
    """Return the children with paths of straight lines that look alike, and are no marks, as one."""
    joined: list[Element] = []
    for child in children:
        before = joined[-1] if joined else None
        if before is not None and _is_line(child) and _is_line(before) and _look(child) == _look(before):
            before.set("d", before.attrib["d"] + child.attrib["d"])
        else:
            joined.append(child)
    return joined


def _is_line(element: Element) -> bool:
    straight = element.tag == "path" and not len(element) and re.fullmatch(r"[-M,.\dhvl]+", element.get("d", ""))
    return bool(straight) and "fill" not in element.attrib and "class" not in element.attrib


def _look(element: Element) -> dict[str, str]:
    return {key: value for key, value in element.attrib.items() if key != "d"}


def _runs_grouped(group: Element) -> None:
    """Put three or more neighbours of one fill into a group that has it."""
    children: list[Element] = []
    for fill, run in groupby(list(group), key=lambda child: child.get("fill")):
        same = list(run)
        if fill is None or len(same) < 3:
            children += same
            continue
        inner = Element("g", {"fill": fill})
        for child in same:
            del child.attrib["fill"]
        inner.extend(same)
        children.append(inner)
    for child in list(group):
        group.remove(child)
    group.extend(children)


def _take_over(group: Element, only: Element) -> None:
    """Let a group be its only child, if one can say what both say."""
    outer, inner = group.attrib, only.attrib
    moves = [_MOVED.fullmatch(each["transform"]) for each in (outer, inner) if "transform" in each]
    if None in moves or ("opacity" in outer and "opacity" in inner):
        return
    merged = {**outer, **inner}
    if len(moves) == 2:
        x, y = (sum(float(move[at]) for move in moves if move) for at in (1, 2))
        merged["transform"] = f"translate({_short(x)},{_short(y)})"
    group.attrib = merged
    children = list(only)
    group.remove(only)
    group.extend(children)
