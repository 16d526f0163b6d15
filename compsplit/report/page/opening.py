"""The three sentences at the top of a page: what it is about, what holds and was verified, what to know before use."""

from __future__ import annotations

from compsplit.report.page.given import Given


def opening(given: Given) -> tuple[str, str, str]:
    """Return the three sentences as plain text."""
    return given.report.verdict, str(given.report.subject.get("guarantee", "")), ""
