"""Reports for people: a table in the terminal, and Markdown."""

from compsplit.report.comparing import beside, read_report
from compsplit.report.headlines import Headline, headlines
from compsplit.report.markdown import markdown
from compsplit.report.plain import plain
from compsplit.report.terminal import listing, show

__all__ = ["Headline", "beside", "headlines", "listing", "markdown", "plain", "read_report", "show"]
