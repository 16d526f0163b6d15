"""Reports to make pages of, and what a page holds as a parser sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

from compsplit.figures.drawing import TIP, shortened, spec
from compsplit.model.figure import Figure
from compsplit.model.report import Finding, Measure, Report, Table, Undefined
from compsplit.report.page import Given

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "\"'><img src=x onerror=window.hacked=1>",
    "</title></svg></style><script>hacked</script>",
    "{{ 7 * 7 }} {% raw %}",
    "left \u202etfel\u202c right \u2066\u200f",
    "\x1b[31mred\x00",
    "emoji \U0001f469\u200d\U0001f680 and \u05e9\u05dc\u05d5\u05dd",
    "javascript:window.hacked=1",
    "x" * 10_000,
)
"""Names that must be shown as text."""


def figure(at: int, names: tuple[str, ...], n_bars: int = 20) -> Figure:
    """Return a figure of so many bars, whose labels and tips are some names in turn."""
    shown = [f"{at} {names[bar % len(names)]} {bar}" for bar in range(n_bars)]
    data = [{"name": shortened(name), "n": bar + 1, "tip": name} for bar, name in enumerate(shown)]
    encoding = {
        "y": {"field": "name", "type": "nominal"},
        "x": {"field": "n", "type": "quantitative"},
        "description": TIP,
    }
    return Figure(
        name=f"bars-{at}",
        title=f"Bars {at} of {names[0]}",
        caption=f"Each bar is one of {names[-1]}.",
        alt=f"The longest bar is {names[-1]}.",
        spec=spec(data, mark="bar", encoding=encoding),
        table=Table(("name", "n"), tuple((name, bar + 1) for bar, name in enumerate(shown))),
    )


def measure(name: str = "coverage", of: str = "concepts", **members: Any) -> Measure:
    """Return a measure of test against train."""
    whole = {"value": Fraction(3, 4), "n": 1148, "n_unit": "concepts", "unit": "fraction"}
    return Measure(**{"name": name, "of": of, "reference": "train", "part": "test", **whole, **members})


def example(names: tuple[str, ...] = ("red cone", "blue cube"), n_rows: int = 80) -> Given:
    """Return a report with one of everything, its rows named by some names in turn."""
    rows = tuple((f"{names[at % len(names)]} {at}", at, f"q{at}", f"q{at + 1}") for at in range(n_rows))
    tables = {
        "novel pairs of test": Table(
            ("pair", "occurrences in test", "example in train", "example in test"), rows, n_rows + 20, culprits=True
        ),
        "example rows": Table(
            ("id", "part", "question", "answer"),
            tuple(
                (f"q{at}", "train", f"what is {names[at % len(names)]}?", names[at % len(names)]) for at in range(99)
            ),
        ),
        "published beside obtained": Table(("measure", "published", "obtained", "place"), (("rows", 10, 10, "t. 1"),)),
        "lengths": Table(("part", "mean words"), (("train", 7.5), ("test", None))),
    }
    report = Report(
        subject("split", title=names[0][:300], verdict=f"12 rows of {names[-1]}.", guarantee="No group is torn."),
        (
            measure(),
            measure("qa-overlap", "qa (reduced)", value=Undefined(f"there is no {names[0]}"), n=0),
            measure("rows", "rows", value=12, unit="count", reference=None),
            measure("coverage", value=Fraction(1, 2), run=0),
        ),
        tables,
        (
            Finding(kind="check", level="fail", count=1, first=tuple(names), message=f"{names[0]} is in both parts."),
            Finding(kind="decision", count=2, message="2 rows were left out."),
        ),
    )
    return Given(names[0], report, _manifest(f"{names[0][:300]}.json", names[-1]))


def _manifest(file: str, source: str) -> dict[str, Any]:
    """Return the manifest of a split, as ``run`` writes it."""
    recipe = {
        "check": [{"require": "group-overlap == 0"}],
        "extract": {"of": "qa"},
        "group": {"by": "question-answer", "missing": "stop"},
        "read": {},
        "reduce": {"reducer": "lexical"},
        "seed": 0,
        "source": source,
        "split": {"method": "random", "parts": {"test": "1/3", "train": "2/3"}, "strata": []},
        "title": source,
        "validate": {},
        "write": {"as": "same"},
    }
    put = {"file": file, "given": None, "kind": "records", "member": None, "records": 12, "sha256": "ab" * 32}
    return {
        "format": "compsplit-split",
        "format_version": 1,
        "inputs": [{**put, "source": source}],
        "part_orders": {"split.parts": ["train", "test"]},
        "parts": ["train", "test"],
        "read": {"format": "daquar", "options": {}},
        "recipe": recipe,
        "recipe_name": "mine",
        "seed": 0,
        "versions": {"compsplit": "0.1.0"},
    }


def subject(kind: str, **members: Any) -> dict[str, Any]:
    """Return what a split or an audit of twelve rows says of itself."""
    parts = {"train": {"got": 8}, "test": {"got": 4}}
    return {"kind": kind, "rows": 12, "groups": 12, "method": "random", "seed": 0, "parts": parts, **members}


def heavy() -> Report:
    """Return a report with more of everything than a page has room for."""
    long = "<\u202e\U0001f469" * 3_400
    wide = Table(
        ("concept", "n", "example in test"), tuple((long, at, "q1") for at in range(1_000)), 10**6, culprits=True
    )
    tables = {f"common {at} {long[:300]}": wide for at in range(200)}
    measures = tuple(measure("coverage", f"{at} {long[:300]}", n_unit=long[:300]) for at in range(5_000))
    findings = tuple(Finding(kind="odd", count=1, first=(long,) * 9, message=long) for _ in range(3_000))
    return Report(subject("audit", title=long, verdict=long, more={str(at): long for at in range(3_000)}),
                  measures, tables, findings)  # fmt: skip


@dataclass
class Seen(HTMLParser):
    """A page as a parser sees it.

    Attributes:
        tags: (name, attributes) in their order.
        ids: All ids.
        text: All text but that of scripts and styles.
        inline: Text of scripts and styles: (tag, text).
    """

    html: str
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    text: str = ""
    inline: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._in = ""
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        self.ids += [found["id"]] if "id" in found else []
        self._in = tag

    def handle_data(self, data: str) -> None:
        if self._in in ("script", "style"):
            self.inline.append((self._in, data))
        else:
            self.text += data

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def attributes(self, name: str) -> list[str]:
        """Return every value of an attribute."""
        return [found[name] for _, found in self.tags if name in found]
