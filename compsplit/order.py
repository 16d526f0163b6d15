"""The only place where a seed becomes an order, and where numbers that look random are made.

A name becomes 64 bits once (BLAKE2b of its UTF-8 bytes); a seed mixes those bits by the finaliser of splitmix64
(Steele, Lea, Flood 2014), a bijection, so no two names meet that did not meet before. Everything is unsigned 64-bit
arithmetic: the same on every platform, and whatever the rows' order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = 0xFFFFFFFFFFFFFFFF


def name_hash(name: str) -> int:
    """Return 64 bits of a name: the first 8 bytes of its BLAKE2b digest, big-endian.

    Example:
        >>> f"{name_hash('what color cone | orange'):016x}"
        'cf99dfca17f65ad5'
    """
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def name_hashes(names: Iterable[str], count: int) -> NDArray[np.uint64]:
    """Return the hashes of ``count`` names, shape (count,)."""
    digest = hashlib.blake2b
    joined = b"".join(digest(name.encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in names)
    return np.frombuffer(joined, dtype=">u8", count=count).astype(np.uint64)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _seeded(hashes: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    start = name_hash(f"seed {seed}")
    return _mixed(hashes ^ np.uint64(start))


def seeded_order(hashes: NDArray[np.uint64], seed: int, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the positions of the names in the order of a seed, shape (n,).

    Args:
        hashes: ``name_hashes`` of the names, shape (n,).
        seed: Any integer.
        names: The names themselves, all different; they break the tie of two equal hashes.
    """
    keys = _seeded(hashes, seed)
    order = np.argsort(keys, kind="stable").astype(np.int64)
    sorted_keys = keys[order]
    ties = np.flatnonzero(sorted_keys[1:] == sorted_keys[:-1])
    if len(ties):
        return np.array(sorted(range(len(names)), key=lambda i: (int(keys[i]), str(names[i]))), dtype=np.int64)
    return order


def uniforms(seed: int, name: str, count: int, start: int = 0) -> NDArray[np.float64]:
    """Return numbers in [0, 1) from a counter-based generator keyed by seed and name, shape (count,).

    Number i depends on (seed, name, start + i) alone, so any part of the stream can be made by itself.
    """
    key = np.uint64(name_hash(f"{seed} {name}"))
    counters = np.arange(start, start + count, dtype=np.uint64)
    with np.errstate(over="ignore"):
        bits = _mixed(key + counters * np.uint64(_GOLDEN))
    return (bits >> np.uint64(11)).astype(np.float64) * (1.0 / (1 << 53))
