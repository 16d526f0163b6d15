"""Pair lists of compositional zero-shot learning, on the published ones of UT-Zappos."""

from __future__ import annotations

from pathlib import Path

import pytest

from compsplit.errors import EmptyFileError, RecordsError, RepeatedIdError
from compsplit.model.scenes import SceneTable
from compsplit.readers import detected, inputs
from compsplit.registry import plugin


def read(*files: Path, **options: object) -> SceneTable:
    table: SceneTable = plugin("reader", "czsl").make(inputs(files), **options)
    return table


def pairs(table: SceneTable) -> list[tuple[str | None, str | None]]:
    return list(zip(table.attributes.values(), table.classes.values(), strict=True))


@pytest.mark.parametrize(("name", "n"), [("train", 83), ("val", 30), ("test", 36)])
def test_published_lists(shared: Path, name: str, n: int) -> None:
    path = shared / "data" / "ut_zappos_czsl" / f"{name}_pairs.txt"
    table = read(path)
    lines = path.read_text().split("\n")
    assert detected(inputs([path])) == "czsl"
    assert len(table) == table.n_objects == len(table.attributes) == n
    assert table.ids.tolist() == lines
    # Case is folded as in every scene, and the rules say so; dots are part of names.
    assert [f"{attribute} {thing}" for attribute, thing in pairs(table)] == [line.lower() for line in lines]
    assert table.rules["case"] == "lower"
    assert any("." in line for line in lines)
    assert (table.n_relations, dict(table.rules)["pairs"]) == (0, "declared")


def test_half_of_the_test_pairs_are_in_train(shared: Path) -> None:
    folder = shared / "data" / "ut_zappos_czsl"
    train, test = (pairs(read(folder / f"{name}_pairs.txt")) for name in ("train", "test"))
    assert len(set(train) & set(test)) == 18
    assert len(test) == 36


def test_an_audit_of_lists_gives_their_common_pairs(shared: Path, command) -> None:
    folder = shared / "data" / "ut_zappos_czsl"
    parts = [f"{name}={folder / f'{name}_pairs.txt'}" for name in ("train", "val", "test")]
    report = command("audit", *parts, "--json").json
    found = {
        m["part"]: (m["value"], m["n"]) for m in report["measures"]
        if (m["name"], m["of"], m["reference"]) == ("common-compounds", "attribute-objects", "train")
        and m["options"]["unit"] == "distinct"
    }  # fmt: skip
    assert found == {"val": (15 / 30, 30), "test": (18 / 36, 36)}


def test_a_line_that_is_no_pair_stops(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text("red car\nred\n\nred big car\nold  dog\n")
    with pytest.raises(RecordsError) as caught:
        read(path)
    assert caught.value.facts["first"] == [
        "p.txt, record 2: is no pair of attribute and object: 'red'",
        "p.txt, record 4: is no pair of attribute and object: 'red big car'",
    ]


def test_mark_crlf_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_bytes(b"\xef\xbb\xbfFaux.Leather Boots.Ankle\r\nSuede Shoes.Flats")
    assert pairs(read(path)) == [("faux.leather", "boots.ankle"), ("suede", "shoes.flats")]


def test_a_pair_that_stands_twice_stops(tmp_path: Path) -> None:
    one, other = tmp_path / "a.txt", tmp_path / "b.txt"
    one.write_text("red car\nred car\n")
    with pytest.raises(RepeatedIdError, match="red car"):
        read(one)
    one.write_text("red car\n")
    other.write_text("red car\n")
    assert read(one, other, id_scope="file").ids.tolist() == ["a:red car", "b:red car"]


def test_a_list_of_nothing_stops(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text("\n \n")
    with pytest.raises(EmptyFileError):
        read(path)
