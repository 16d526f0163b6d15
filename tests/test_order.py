"""What the seeded order and the generator promise."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from compsplit.order import name_hash, name_hashes, seeded_order, uniforms

MASK = (1 << 64) - 1
SEEDS = st.integers(-(2**70), 2**70)


def blake(text: str) -> int:
    return int(hashlib.blake2b(text.encode(), digest_size=8).hexdigest(), 16)


def splitmix64(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def order_of(names: list[str], seed: int) -> list[str]:
    return [names[i] for i in seeded_order(name_hashes(names, len(names)), seed, names).tolist()]


def test_the_order_is_that_of_whole_number_arithmetic_in_plain_python():
    names = [f"group {i}" for i in range(50)]
    for seed in (0, 1, -7, 2**80):
        assert order_of(names, seed) == sorted(names, key=lambda n: splitmix64(blake(n) ^ blake(f"seed {seed}")))


def test_the_order_of_a_seed_never_changes():
    assert order_of(["a", "b", "c", "d", "e", "f"], 0) == ["a", "f", "d", "c", "e", "b"]
    assert name_hash("what color cone | orange") == 0xCF99DFCA17F65AD5


@given(st.lists(st.text(), unique=True), SEEDS, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_where_the_names_stood(names, seed, random):
    shuffled = names.copy()
    random.shuffle(shuffled)
    assert order_of(shuffled, seed) == order_of(names, seed)
    assert sorted(order_of(names, seed)) == sorted(names)


@given(st.lists(st.text(max_size=3), unique=True, max_size=8), SEEDS, st.data())
def test_names_whose_hashes_meet_are_ordered_by_name(names, seed, data):
    few = st.sampled_from(np.array([3, 2**63 + 5], dtype=np.uint64).tolist())
    hashes = np.array([data.draw(few) for _ in names], dtype=np.uint64)
    order = seeded_order(hashes, seed, names).tolist()
    keys = [splitmix64(int(h) ^ blake(f"seed {seed}")) for h in hashes]
    assert order == sorted(range(len(names)), key=lambda i: (keys[i], names[i]))


def test_another_seed_gives_another_order():
    names = [str(i) for i in range(30)]
    assert len({tuple(order_of(names, seed)) for seed in range(20)}) == 20


def test_names_that_are_not_valid_text_have_a_place_too():
    assert sorted(order_of(["\ud800", "a"], 0)) == ["a", "\ud800"]


def test_order_and_stream_are_the_same_whatever_the_hash_seed():
    program = (
        "from compsplit.order import *; n = sorted({'a', 'b', 'c', 'd'}); "
        "print(seeded_order(name_hashes(n, 4), 5, n).tolist(), uniforms(5, 'x', 3).tolist())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "012"
    }
    assert len(said) == 1


def test_uniforms_are_those_of_whole_number_arithmetic_in_plain_python():
    key = blake("7 bootstrap")
    expected = [(splitmix64((key + i * 0x9E3779B97F4A7C15) & MASK) >> 11) / 2**53 for i in range(100)]
    assert uniforms(7, "bootstrap", 100).tolist() == expected


@given(SEEDS, st.text(max_size=5), st.integers(0, 50), st.integers(0, 50))
def test_any_part_of_a_stream_can_be_made_by_itself(seed, name, start, count):
    whole = uniforms(seed, name, start + count)
    assert uniforms(seed, name, count, start).tolist() == whole[start:].tolist()
    assert ((whole >= 0) & (whole < 1)).all()


def test_uniforms_are_spread_evenly():
    tenths = np.bincount((uniforms(0, "spread", 100_000) * 10).astype(int), minlength=10)
    # Five standard deviations of a count of 10,000.
    assert abs(tenths - 10_000).max() < 475


def test_streams_of_another_name_or_seed_differ():
    assert len({tuple(uniforms(seed, name, 2)) for seed in range(5) for name in "abc"}) == 15
