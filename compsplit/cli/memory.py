"""How this process uses memory and lets it go; nothing here changes a result."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from typing import NoReturn

_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8


def keep_small() -> None:
    """Share one heap among threads, where the C library lets one, and walk the large tables less often.

    With a heap for each thread, the blocks that one thread has let go stay out of reach of the others: a run on data
    of the size of VQA v1.0 then takes about 90 MiB more.
    """
    _library("mallopt", _M_ARENA_MAX, 1)
    # A large vector goes back to the system as soon as it is let go of, and leaves no hole in the heap.
    _library("mallopt", _M_MMAP_THRESHOLD, 1 << 20)
    # Tables hold millions of texts and no cycles, so that looking for cycles in them is time lost.
    gc.set_threshold(200_000, 20, 100)


def give_back() -> None:
    """Give memory that is free inside the heap back to the system, as a stage ends: the next one needs it elsewhere."""
    _library("malloc_trim", 0)


def _library(name: str, *arguments: int) -> None:
    """Call a function of the C library, where it has one of that name (glibc has)."""
    if sys.platform == "linux":
        function = getattr(ctypes.CDLL(None), name, None)
        if function is not None:
            function(*arguments)


def leave(code: int) -> NoReturn:
    """End the process at once, everything written out but no object taken apart: the system frees them faster."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
