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
