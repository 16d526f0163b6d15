"""Pieces of SCAN's commands."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from compsplit import api
from compsplit.errors import UsageError
from compsplit.extractors import prepared
from compsplit.extractors.scan_pieces import pieces
from compsplit.registry import plugin


def names(command: str) -> list[str]:
    return [name for name, _ in pieces(command)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("jump", []),
        ("jump twice", ["jump + twice"]),
        ("turn left", ["turn + left"]),
        ("walk around right thrice", ["walk + right", "around + right", "walk around right + thrice"]),
        ("run and look", ["run + and", "and + look"]),
        ("run after look", ["run + after", "after + look"]),
        (
            "turn opposite left twice after jump right",
            [
                "turn + left",
                "opposite + left",
                "turn opposite left + twice",
                "turn opposite left + after",
                "jump + right",
                "after + jump right",
            ],
        ),
    ],
)
def test_a_command_has_the_pieces_of_its_rules(command, expected):
    assert names(command) == expected


def test_a_piece_is_made_of_its_words():
    assert pieces("jump around left twice")[2] == (
        "jump around left + twice",
        ["jump", "around", "left", "twice"],
    )


def written(folder: Path, *lines: str) -> Any:
    path = folder / "tasks.txt"
    path.write_text("".join(f"IN: {line} OUT: I_X\n" for line in lines))
    return api.read(path)


def test_atoms_are_words_and_everything_counts_as_often_as_it_occurs(tmp_path):
    table = written(tmp_path, "jump left and jump left", "walk")
    found = plugin("extractor", "scan-pieces").make(table, prepared(table))
    import numpy as np

    first = np.array([True, False])
    pieces_of_first = dict(zip(found.rows.names, found.rows.occurrences(first).tolist(), strict=True))
    assert pieces_of_first == {"jump + left": 2, "jump left + and": 1, "and + jump left": 1}
    words = Counter(dict(zip(found.atoms.names, found.atoms.occurrences(first).tolist(), strict=True)))
    assert words == {"jump": 2, "left": 2, "and": 1, "walk": 0}
    assert (found.of, found.atoms.of) == ("scan pieces", "command words")


def test_another_text_is_refused_with_its_row(tmp_path):
    table = written(tmp_path, "jump", "jump sideways", "fly")
    with pytest.raises(UsageError, match=r'"jump sideways" \(tasks:2\) is no command of SCAN.* 1 more') as refused:
        plugin("extractor", "scan-pieces").make(table, prepared(table))
    assert refused.value.field == "question"


def test_all_of_scan_are_commands(shared):
    files = [shared / "data/scan/simple_split" / f"tasks_{part}_simple.txt" for part in ("train", "test")]
    table = api.read(*files)
    found = plugin("extractor", "scan-pieces").make(table, prepared(table))
    assert len(table) == 20910
    # Worked out from the grammar: 34 phrases without a count, of which a count makes twice as many more.
    turn = [f"turn{manner} {way}" for manner in ("", " around", " opposite") for way in ("left", "right")]
    others = [
        f"{verb}{rest}"
        for verb in ("walk", "look", "run", "jump")
        for rest in ("", *(f"{manner} {way}" for manner in ("", " around", " opposite") for way in ("left", "right")))
    ]
    phrases = turn + others
    expected = {f"{phrase} + {count}" for phrase in phrases for count in ("twice", "thrice")}
    expected |= {f"{phrase} + {word}" for phrase in phrases for word in ("and", "after")}
    expected |= {f"{word} + {phrase}" for phrase in phrases for word in ("and", "after")}
    expected |= {f"{verb} + {way}" for verb in ("turn", "walk", "look", "run", "jump") for way in ("left", "right")}
    expected |= {f"{manner} + {way}" for manner in ("around", "opposite") for way in ("left", "right")}
    assert set(found.rows.names) == expected
