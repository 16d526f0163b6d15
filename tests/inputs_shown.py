"""How many inputs a test is shown."""

from __future__ import annotations

import os

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def n_shown(most: int) -> int:
    """Return how many inputs Hypothesis makes: fewer where kernels are not compiled, as the other half shows all."""
    return most if COMPILED else max(most // 5, 20)
