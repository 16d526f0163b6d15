"""Reports for people: a table in the terminal, and Markdown."""

from compsplit.plain import plain
from compsplit.report.comparing import beside, measures_of_both, most_apart, read_report
from compsplit.report.headlines import Headline, headlines
from compsplit.report.markdown import markdown
from compsplit.report.terminal import listing, show

__all__ = [
    "Headline",
    "beside",
    "headlines",
    "listing",
    "markdown",
    "measures_of_both",
    "most_apart",
    "plain",
    "read_report",
    "show",
]
