"""Places of ids among others, and whether ids differ: by sorting as by a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from compsplit.model.column import all_differ, positions, texts

# A NUL at the end, texts longer than two words and other scripts cannot be held as two numbers.
IDS = st.sampled_from(["", "a", "b", "a\0", "\0", "é", "0123456789abcdef", "0123456789abcdefg", "7", "07", "007"])


@given(st.lists(IDS, unique=True), st.lists(IDS))
def test_positions_are_those_of_a_dictionary(keys: list[str], wanted: list[str]) -> None:
    found = positions(texts(keys), texts(wanted))
    assert found.dtype == np.int32
    assert found.tolist() == [keys.index(name) if name in keys else -1 for name in wanted]


@given(st.lists(IDS))
def test_ids_differ_where_a_set_of_them_is_as_large(ids: list[str]) -> None:
    assert all_differ(texts(ids)) == (len(set(ids)) == len(ids))


def test_whole_numbers_are_found_among_texts_as_they_are_written() -> None:
    assert positions(texts(["7", "07", "-1"]), np.array([-1, 7, 8])).tolist() == [2, 0, -1]
    assert positions(np.array([-1, 7, 8]), texts(["8", "08"])).tolist() == [2, -1]


def test_many_short_ids_are_found_where_they_stand() -> None:
    names = [f"{n * 7919 % 100_003:06d}" for n in range(5000)]
    found = positions(texts(names), texts([*reversed(names), "x"]))
    assert found.tolist() == [*range(4999, -1, -1), -1]
