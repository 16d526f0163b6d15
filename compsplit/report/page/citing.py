"""What to cite: compsplit, the method, the definitions of the measures, the data."""

from __future__ import annotations

from compsplit.report.page.given import Given


def citations(given: Given) -> tuple[str, ...]:
    """Return what to cite, a line each."""
    return ()
