"""How seldom train shows what test asks for, and whether test shows something that train lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs_shown import n_shown

from compsplit.audits import least_shown as module
from compsplit.model import Audited, Column, Rows, Split, Undefined, texts
from compsplit.model.compounds import combined, occurring
from compsplit.registry import plugin

LEAST = plugin("audit", "least-shown")
UNSEEN = plugin("audit", "groups-with-unseen-compounds")


def measured(audit: Any, rows: Sequence[tuple[str, str, Sequence[tuple[str, str]]]], grouped: bool = True) -> Audited:
    """Return what an audit says of rows, each a group, a part and pairs."""
    parts = ("train", "val", "test")
    owners = np.array([i for i, (_, _, pairs) in enumerate(rows) for _ in pairs], dtype=np.int64)
    members = [Column.of([pair[k] for _, _, pairs in rows for pair in pairs]) for k in (0, 1)]
    atoms = [occurring(name, len(rows), owners, c) for name, c in zip(("color", "shape"), members, strict=True)]
    pairs = combined("color+shape", "combination", len(rows), owners, members, (0, 1), atoms, {})
    columns = {"group": Column.of([group for group, _, _ in rows])} if grouped else {}
    ids = texts([f"r{i:02}" for i in range(len(rows))])
    made = Rows(ids, columns, None, np.zeros(len(rows), dtype=bool), compounds={pairs.of: pairs})
    split = Split(parts, np.array([parts.index(part) for _, part, _ in rows], dtype=np.int16))
    return audit.make(made, split)  # type: ignore[no-any-return]  # plug-ins are of any type


def value(audited: Audited, part: str = "test") -> Any:
    return next(m.value for m in audited.measures if m.part == part)


ROWS = [
    ("i", "train", [("red", "cube"), ("red", "ball")]),
    ("i", "train", [("red", "cube")]),
    ("j", "train", [("blue", "cube"), ("gray", "cube")]),
    ("k", "train", [("blue", "ball")]),
    ("l", "test", [("blue", "cube"), ("blue", "ball")]),
    ("l", "test", [("blue", "ball")]),
    ("m", "test", [("gray", "ball")]),
    ("n", "val", [("red", "cone")]),
]


def test_the_fewest_groups_of_train_that_show_an_atom_of_test():
    found = measured(LEAST, ROWS)
    # gray is in group j only; red is in two rows of train, but both are of group i.
    assert value(found) == 1
    assert found.tables["color and shape of test least shown in train"].rows == (
        ("gray", 1, 1, "r06"), ("ball", 2, 3, "r04"), ("blue", 2, 3, "r04"), ("cube", 2, 1, "r04"),
    )  # fmt: skip
    assert value(found, "val") == 0
    assert found.tables["color and shape of val least shown in train"].rows[0] == ("cone", 0, 1, "r07")


def test_rows_are_groups_of_their_own_where_they_are_not_grouped():
    red = [("i", "train", [("red", "cube")]), ("i", "train", [("red", "cube")]), ("j", "test", [("red", "cube")])]
    assert value(measured(LEAST, red)) == 1
    assert value(measured(LEAST, red, grouped=False)) == 2


@pytest.mark.parametrize("audit", [LEAST, UNSEEN])
def test_of_or_against_nothing_it_is_undefined(audit):
    some = [("i", "train", [("red", "cube")])]
    for rows, without in (
        ([*some, ("j", "val", [("red", "cube")])], "test"),
        ([("i", "test", [("red", "cube")])], "train"),
    ):
        found = value(measured(audit, rows))
        assert isinstance(found, Undefined)
        assert found.reason.startswith(without)


def test_a_group_of_test_has_an_unseen_compound_if_one_of_its_rows_does():
    found = measured(UNSEEN, ROWS)
    # l shows what train shows, m a gray ball that train lacks.
    assert value(found) == pytest.approx(0.5)
    assert next(m.n for m in found.measures if m.part == "test") == 2
    assert value(found, "val") == 1
    # Of three rows of test by themselves, one does.
    assert value(measured(UNSEEN, ROWS, grouped=False)) == pytest.approx(1 / 3)


DRAWN = st.lists(
    st.tuples(
        st.sampled_from("ijklm"),
        st.sampled_from(["train", "train", "test"]),
        st.lists(st.tuples(st.sampled_from("rbg"), st.sampled_from("xyz")), max_size=3),
    ),
    min_size=1,
    max_size=16,
)


@pytest.mark.parametrize("block", [1, 3, 1 << 16])
def test_both_are_what_sets_say_however_rows_are_cut_into_blocks(monkeypatch, block):
    monkeypatch.setattr(module, "_ROWS", block)

    @settings(max_examples=n_shown(100))
    @given(DRAWN)
    def promise(rows: Any) -> None:
        groups: dict[str, set[str]] = {}
        for group, part, pairs in rows:
            for color, shape in pairs:
                if part == "train":
                    groups.setdefault(color, set()).add(group)
                    groups.setdefault(shape, set()).add(group)
        asked = {atom for _, part, pairs in rows if part == "test" for pair in pairs for atom in pair}
        found = value(measured(LEAST, rows))
        if asked and groups:
            assert found == min(len(groups.get(atom, ())) for atom in asked)
        else:
            assert isinstance(found, Undefined)
        seen = {pair for _, part, pairs in rows if part == "train" for pair in pairs}
        of_test = {group for group, part, _ in rows if part == "test"}
        new = {group for group, part, pairs in rows if part == "test" and set(pairs) - seen}
        found = value(measured(UNSEEN, rows))
        if of_test and any(part == "train" for _, part, _ in rows):
            assert found == pytest.approx(len(new) / len(of_test))
        else:
            assert isinstance(found, Undefined)

    promise()
