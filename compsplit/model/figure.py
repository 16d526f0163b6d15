"""Figures: what is drawn, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compsplit.model.report import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a report, as a specification that is drawn elsewhere.

    Attributes:
        name: Short name for files and links: lower-case words joined by ``-``; unique in a report.
        title: What is shown.
        caption: How it is read: what each mark is, over how many units, what is left out.
        alt: What a reader who does not see it should know, in one or two sentences with the main numbers.
        spec: A Vega or Vega-Lite specification with its data; its ``$schema`` tells which.
        table: The numbers behind it, all of them.
    """

    name: str
    title: str
    caption: str
    alt: str
    spec: Mapping[str, Any]
    table: Table
