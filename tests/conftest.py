"""Fixtures of all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data, cases, oracles and gold labels, beside the project or at $COMPSPLIT_SHARED."""
    place = Path(os.environ.get("COMPSPLIT_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not place.is_dir():
        pytest.skip("no shared folder beside the project and none at $COMPSPLIT_SHARED")
    return place


_skipped: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what is skipped."""
    if report.skipped:
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a run in CI that skipped a test: everything that tests need is there."""
    if os.environ.get("CI") and _skipped and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
