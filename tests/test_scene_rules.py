"""Aliases are one class whatever the order of lines; what is outside a vocabulary is left out and counted."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import BrokenFileError, FileError, UnknownNameError
from compsplit.model.column import Column
from compsplit.model.scenes import SceneTable
from compsplit.readers.scene_building import SceneBuilder
from compsplit.readers.scene_rules import alias_classes, with_rules


def scenes() -> SceneTable:
    """Two scenes: a sofa near a cup on the rug; a cup without relations."""
    builder = SceneBuilder()
    builder.extend(
        [3, 1],
        ["couch", "cup", "rug", "Cup"],
        n_attributes=[3, 0, 1, 1],
        attributes=["crimson", "red", "old", "scarlet", "red"],
        n_relations=[3, 0],
        subjects=[0, 1, 1],
        predicates=["next to", "on", "near"],
        objects=[1, 2, 0],
        further_objects=[0, 0, 0, 2],
        further_names=["sofa", "settee", "seat", "mat"],
    )
    column = Column.of(["a", "b"])
    return builder.table(format="scenes", ids=["a", "b"], images=column, sources=Column.of(["x", "x"]))


def put(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def triples(table: SceneTable) -> list[tuple[str | None, str | None, str | None]]:
    ends = table.classes.values()
    subjects, objects = ([ends[k] for k in side] for side in (table.subjects, table.objects))
    return list(zip(subjects, table.predicates.values(), objects, strict=True))


def further(table: SceneTable) -> list[tuple[int, str | None]]:
    return list(zip(table.further_objects.tolist(), table.further_names.values(), strict=True))


WORDS = st.sampled_from([*"abcdefgh", " A ", "b  b", ""])
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=4), max_size=6)


@given(LINES, st.randoms(use_true_random=False))
def test_lines_that_share_a_word_are_one_class_whatever_their_order(lines: list[list[str]], random: Any) -> None:
    texts = [",".join(line) for line in lines]
    names, shared = alias_classes(texts)
    plain = [[w for w in (" ".join(word.lower().split()) for word in line) if w] for line in lines]
    # By the definition: join sets of words until none touch.
    sets = [set(line) for line in plain if line]
    while any(one & other for k, one in enumerate(sets) for other in sets[:k]):
        k, m = next((k, m) for k, one in enumerate(sets) for m in range(k) if one & sets[m])
        sets[m] |= sets.pop(k)
    firsts = Counter(line[0] for line in plain if line)
    expected: dict[str, str] = {}
    for each in sets:
        most = max(firsts[word] for word in each)
        expected |= dict.fromkeys(each, min(word for word in each if firsts[word] == most))
    assert names == expected
    assert shared == sorted(w for w in expected if sum(w in line for line in plain) > 1)
    random.shuffle(texts)
    assert alias_classes(texts) == (names, shared)


@pytest.mark.parametrize("name", ["object_alias.txt", "predicate_alias.txt"])
def test_the_published_alias_files_do_not_depend_on_the_order_of_their_lines(shared: Path, name: str) -> None:
    lines = (shared / "data" / "visual_genome" / "alias" / name).read_text(encoding="utf-8").splitlines()
    names, _ = alias_classes(lines)
    assert alias_classes(lines[::-1])[0] == names
    assert set(names) == {
        word for line in lines for word in (" ".join(w.lower().split()) for w in line.split(",")) if word
    }
    assert all(names[canonical] == canonical for canonical in names.values())
    for line in lines:
        words = [word for word in (" ".join(w.lower().split()) for w in line.split(",")) if word]
        assert len({names[word] for word in words}) == 1


def test_aliases_rename_and_what_becomes_equal_on_one_object_counts_once(tmp_path: Path) -> None:
    files = {
        "objects": put(tmp_path / "o.txt", "Sofa, couch ,settee\n\nrug,carpet\n"),
        "predicates": put(tmp_path / "p.txt", "near,next  to\nnear,by\n"),
        "attributes": put(tmp_path / "a.txt", "red,crimson,scarlet"),
    }
    given_table = scenes()
    table = with_rules(given_table, aliases=files)
    assert table.classes.values() == ["sofa", "cup", "rug", "cup"]
    assert triples(table) == [("sofa", "near", "cup"), ("cup", "on", "rug"), ("cup", "near", "sofa")]
    assert table.attributes.values() == ["red", "old", "red", "red"]
    assert table.attribute_starts.tolist() == [0, 2, 2, 3, 4]
    # "sofa" is the class now, and "settee" was another name for it.
    assert further(table) == [(0, "seat"), (2, "mat")]
    assert dict(table.decisions) == {
        "objects renamed by aliases": 1,
        "predicates renamed by aliases": 1,
        "attributes renamed by aliases": 2,
        "attributes that became equal by aliases, counted once": 1,
        "further names that became equal by aliases, counted once": 2,
    }
    (finding,) = table.findings
    assert (finding.kind, finding.count, finding.first) == ("alias-lines-joined", 1, ("near",))
    rule = table.rules["aliases of objects"]
    assert (rule["file"], rule["classes"]) == ("o.txt", 2)
    assert re.fullmatch(r"[0-9a-f]{16}", rule["sha256"])
    assert str(tmp_path) not in json.dumps(dict(table.rules))
    # The table that was given is as it was.
    assert given_table.classes.values() == ["couch", "cup", "rug", "cup"]


def test_objects_outside_the_vocabulary_go_with_their_relations_and_names(tmp_path: Path) -> None:
    table = with_rules(scenes(), vocabulary={"objects": put(tmp_path / "v.txt", "\ufeffCouch\ncup\nseat\n<unk>\n")})
    assert table.classes.values() == ["couch", "cup", "cup"]
    assert table.object_starts.tolist() == [0, 2, 3]
    assert triples(table) == [("couch", "next to", "cup"), ("cup", "near", "couch")]
    assert table.attributes.values() == ["crimson", "red", "old", "red"]
    assert further(table) == [(0, "seat")]
    assert dict(table.decisions) == {
        "objects outside the vocabulary left out": 1,
        "relations left out with an object of theirs": 1,
        "further names outside the vocabulary left out": 2,
    }
    assert table.rules["vocabulary of objects"]["names"] == 4


def test_further_names_are_left_out_though_every_class_is_known(tmp_path: Path) -> None:
    table = with_rules(scenes(), vocabulary={"objects": put(tmp_path / "v.txt", "couch\ncup\nrug\nmat\n")})
    assert further(table) == [(2, "mat")]
    assert dict(table.decisions) == {"further names outside the vocabulary left out": 3}


def test_predicates_and_attributes_outside_the_vocabulary_are_left_out(tmp_path: Path) -> None:
    names = {"predicates": put(tmp_path / "p", "ON\nnear"), "attributes": put(tmp_path / "a", "red")}
    table = with_rules(scenes(), vocabulary=names)
    assert triples(table) == [("cup", "on", "rug"), ("cup", "near", "couch")]
    assert table.relation_starts.tolist() == [0, 2, 2]
    assert table.attributes.values() == ["red", "red"]
    assert table.attribute_starts.tolist() == [0, 1, 1, 1, 2]
    assert dict(table.decisions) == {
        "predicates outside the vocabulary left out": 1,
        "attributes outside the vocabulary left out": 3,
    }


def test_aliases_come_before_the_vocabulary(tmp_path: Path) -> None:
    table = with_rules(
        scenes(),
        aliases={"objects": put(tmp_path / "a", "sofa,couch")},
        vocabulary={"objects": put(tmp_path / "v", "sofa")},
    )
    assert table.classes.values() == ["sofa"]


def test_the_vocabulary_of_vg150_is_read_from_its_dictionaries(shared: Path, tmp_path: Path) -> None:
    path = shared / "data" / "visual_genome" / "vg150" / "VG-SGG-dicts-with-attri.json"
    table = with_rules(scenes(), vocabulary=dict.fromkeys(("objects", "predicates", "attributes"), str(path)))
    known = json.loads(path.read_text())
    for kind, key in (
        ("objects", "label_to_idx"),
        ("predicates", "predicate_to_idx"),
        ("attributes", "attribute_to_idx"),
    ):
        assert (
            table.rules[f"vocabulary of {kind}"]["names"] == len(known[key]) == {"o": 150, "p": 50, "a": 200}[kind[0]]
        )
    assert table.classes.values() == [name for name in scenes().classes.values() if name in known["label_to_idx"]]
    for content in ("{", '{"names": []}', '{"label_to_idx": 3}'):
        with pytest.raises(
            BrokenFileError, match=r"^v: is no vocabulary: neither names, one a line, nor JSON with label"
        ):
            with_rules(scenes(), vocabulary={"objects": put(tmp_path / "v", content)})


def test_nothing_changes_without_rules_or_where_none_applies(tmp_path: Path) -> None:
    table = scenes()
    assert with_rules(table) is table
    same = with_rules(table, aliases={"objects": put(tmp_path / "a", "dog,hound")})
    assert same.classes.values() == table.classes.values()
    assert further(same) == further(table)
    assert not same.decisions


@pytest.mark.parametrize("option", ["aliases", "vocabulary"])
def test_a_wrong_kind_or_a_file_that_is_not_there_is_an_error(tmp_path: Path, option: str) -> None:
    with pytest.raises(UnknownNameError, match=r'no kind of name "relations"\. .*attributes, objects, predicates'):
        with_rules(scenes(), **{option: {"relations": "x"}})
    with pytest.raises(FileError, match=r"there is no such file; .*KIND=FILE"):
        with_rules(scenes(), **{option: {"objects": str(tmp_path / "nowhere")}})
