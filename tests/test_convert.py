"""Scenes of any format become compsplit's own, and are the same when they are read back."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit import api
from compsplit.cli.options import read_options
from compsplit.errors import OutputExistsError, UsageError
from compsplit.model.column import Column, texts
from compsplit.model.scenes import SceneTable
from compsplit.readers.scene_building import SceneBuilder
from compsplit.writers.scenes import write_scenes

NAMES = st.sampled_from(["cup", "hat", "traffic light", "día", "a\u2028b", '"', "0", "1"])


def said(table: SceneTable) -> list[Any]:
    """Return everything that a table says of its scenes, as plain values."""
    classes, attributes, predicates = (c.values() for c in (table.classes, table.attributes, table.predicates))
    ids = [None] * table.n_objects if table.object_ids is None else table.object_ids.tolist()
    further: dict[int, list[str | None]] = {}
    for place, name in zip(table.further_objects.tolist(), table.further_names.values(), strict=True):
        further.setdefault(place, []).append(name)
    told = []
    for s, name in enumerate(table.ids.tolist()):
        objects, relations = (
            range(starts[s], starts[s + 1]) for starts in (table.object_starts, table.relation_starts)
        )
        told.append(
            {
                "id": name,
                "image": table.images[s],
                "columns": {key: column[s] for key, column in table.columns.items() if column[s] is not None},
                "objects": [
                    (ids[o], classes[o], attributes[table.attribute_starts[o] : table.attribute_starts[o + 1]],
                     further.get(o, []))
                    for o in objects
                ],
                "relations": [
                    (int(table.subjects[r]) - objects[0], predicates[r], int(table.objects[r]) - objects[0])
                    for r in relations
                ],
            }
        )  # fmt: skip
    return told


@st.composite
def tables(draw: st.DrawFn) -> SceneTable:
    """Scenes with everything that a table can say."""
    builder = SceneBuilder()
    sizes = draw(st.lists(st.integers(0, 4), max_size=4))
    n = sum(sizes)
    some = st.lists(NAMES, max_size=3, unique=True)
    attributes = draw(st.lists(some, min_size=n, max_size=n))
    further = draw(st.lists(some, min_size=n, max_size=n))
    relations: list[list[tuple[int, str, int]]] = [
        draw(st.lists(st.tuples(st.integers(0, size - 1), NAMES, st.integers(0, size - 1)), max_size=3)) if size else []
        for size in sizes
    ]
    flat = [relation for some_relations in relations for relation in some_relations]
    builder.extend(
        sizes,
        draw(st.lists(st.none() | NAMES, min_size=n, max_size=n)),
        n_attributes=list(map(len, attributes)),
        attributes=[name for some_names in attributes for name in some_names],
        n_relations=list(map(len, relations)),
        subjects=[subject for subject, _, _ in flat],
        predicates=[predicate for _, predicate, _ in flat],
        objects=[other for _, _, other in flat],
        further_objects=[k for k, some_names in enumerate(further) for _ in some_names],
        further_names=[name for some_names in further for name in some_names],
    )
    values = st.lists(st.none() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=3),
                      min_size=len(sizes), max_size=len(sizes))  # fmt: skip
    ids: list[str] = []
    for size in sizes:
        ids += draw(st.permutations([*map(str, range(size)), "x"]))[:size]
    more: dict[str, Any] = {"object_ids": texts(ids)} if draw(st.booleans()) else {}
    return builder.table(
        format="scenes",
        ids=[f"s{k}" for k in range(len(sizes))],
        images=Column.of(draw(values)),
        sources=Column.of(["x"] * len(sizes)),
        columns={"split": Column.of(draw(values)), "part of it": Column.of(draw(values))},
        **more,
    )


@given(tables(), st.sampled_from(["x.jsonl", "x.jsonl.gz", "x.jsonl.zst"]))
def test_scenes_are_the_same_when_they_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, table: SceneTable, name: str
) -> None:
    if not len(table):
        return
    path = tmp_path_factory.mktemp("x") / name
    write_scenes(table, path)
    again = api.read(path, format="scenes", keep_object_ids=table.object_ids is not None)
    assert isinstance(again, SceneTable)
    assert said(again) == said(table)
    first = path.read_bytes()
    with pytest.raises(OutputExistsError):
        write_scenes(again, path)
    write_scenes(again, path, force=True)
    assert path.read_bytes() == first


FILES = [
    ("vrd/annotations_test.json", {}),
    ("nlvr/nlvr1/dev.json", {"unit": "box"}),
    ("gqa/graphvqa/debug_sceneGraphs.json", {"keep_object_ids": True}),
    ("clevr/too_clevr/CLEVR_val_scenes_500.json", {}),
    ("visual_genome", {"names": "all"}),
]


@pytest.mark.large
@pytest.mark.parametrize(("name", "options"), FILES, ids=[name for name, _ in FILES])
def test_published_files_are_the_same_when_they_are_read_back(
    shared: Path, tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    path = shared / "data" / name
    if path.is_dir():
        path = next(path.rglob("vg10.tsv"))
    table = api.convert(path, out=tmp_path / "x", **options)
    again = api.read(tmp_path / "x", keep_object_ids=table.object_ids is not None)
    assert isinstance(again, SceneTable)
    assert said(again) == said(table)
    assert not again.decisions


def test_lines_are_as_short_as_they_can_be_and_sorted(tmp_path: Path) -> None:
    scene = {
        "split": "test", "relations": [["m", "On", "1"]], "id": 7,
        "objects": [{"id": "m", "class": "Man"}, {"class": "hat"}, {"id": 2, "class": "cup", "attributes": ["Red"]},
                    {}],
    }  # fmt: skip
    (tmp_path / "x").write_text(json.dumps(scene))
    api.convert(tmp_path / "x", out=tmp_path / "y")
    assert (tmp_path / "y").read_text() == (
        '{"id": "7", "objects": [{"class": "man", "id": "m"}, "hat", {"attributes": ["red"], "class": "cup"}, {}], '
        '"relations": [["m", "on", 1]], "split": "test"}\n'
    )


def test_the_scenes_that_the_page_of_formats_shows_are_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "formats.md").read_text()
    (tmp_path / "x").write_text(page.partition("```json\n")[2].partition("```")[0])
    table = api.read(tmp_path / "x")
    assert isinstance(table, SceneTable)
    assert (table.ids.tolist(), table.classes.values()) == (["s1", "s2"], ["man", "horse", "cup", "plate"])
    assert (table.predicates.values(), table.further_names.values()) == (["rides", "on"], ["animal"])
    assert not table.decisions


@pytest.mark.large
def test_the_command_says_what_it_wrote_and_what_is_left_out(shared: Path, command: Callable[..., Any]) -> None:
    path = shared / "data" / "vrd" / "annotations_test.json"
    ran = command("convert", path, "--out", "vrd.jsonl.gz")
    assert ran.code == 0
    assert ran.out.splitlines()[:2] == [
        "vrd.jsonl.gz: 1,000 scenes, 6,735 objects, 7,612 relations",
        "  26 relations of an object to itself, left out",
    ]
    first = Path("vrd.jsonl.gz").read_bytes()
    assert gzip.decompress(first).count(b"\n") == 1000
    assert command("convert", path, "--out", "vrd.jsonl.gz").message.startswith(
        "vrd.jsonl.gz is already there. Pass --force"
    )
    assert command("convert", path, "--out", "vrd.jsonl.gz", "--force").code == 0
    assert Path("vrd.jsonl.gz").read_bytes() == first


@pytest.mark.large
def test_the_readers_options_are_given_by_name(shared: Path, command: Callable[..., Any], tmp_path: Path) -> None:
    path = shared / "data" / "nlvr" / "nlvr1" / "dev.json"
    assert command("convert", path, "-o", "x", "--read", "unit=box", "--read", "classes=type+color").code == 0
    assert Path("x").read_text().count("\n") == 3 * 989
    (tmp_path / "aliases.txt").write_text("glasses,sunglasses\n")
    vrd = shared / "data" / "vrd" / "annotations_test.json"
    assert command("convert", vrd, "-o", "y", "--read", "aliases.objects=aliases.txt").code == 0
    assert '"sunglasses"' not in Path("y").read_text()
    said_of_it = command("convert", vrd, "-o", "z", "--read", "aliasses.objects=aliases.txt").message
    assert 'The reader vrd has no option "aliasses". Did you mean "aliases"?' in said_of_it


def test_nothing_is_written_of_what_is_no_scenes_or_broken(
    shared: Path, command: Callable[..., Any], tmp_path: Path
) -> None:
    said_of_it = command("convert", shared / "data" / "daquar" / "data_eval.csv", "-o", "x").message
    assert said_of_it == "The files hold questions (table); only scenes can be converted."
    (tmp_path / "bad").write_text('{"id": 1, "objects": []}\n{"id": 2, "objects": 3}\n')
    assert "bad, record 2, objects: is a whole number" in command("convert", "bad", "-o", "x").message
    (tmp_path / "own.csv").write_text("id,objects,relations\n1,cup,\n")
    assert command("convert", "own.csv", "-o", "nowhere/x").message == "nowhere: there is no such folder."
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "own.csv"]


def test_a_column_called_like_a_member_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("key,object,id\na,cup,1\n")
    table = api.read(tmp_path / "x.csv", columns={"scene": "key"})
    assert table.columns["id"].values() == ["1"]
    with pytest.raises(UsageError, match='The column "id" cannot be written'):
        api.convert(table, out=tmp_path / "y")
    assert not (tmp_path / "y").exists()


@pytest.mark.parametrize(
    ("given_options", "expected"),
    [
        ([], {}),
        (["names=all", "keep=true", "n=3"], {"names": "all", "keep": True, "n": 3}),
        (['classes=["a", "b"]', 'x="3"'], {"classes": ["a", "b"], "x": "3"}),
        (["a.objects=o.txt", "a.predicates=p=q"], {"a": {"objects": "o.txt", "predicates": "p=q"}}),
        (["file=/x/y z.json", "empty="], {"file": "/x/y z.json", "empty": ""}),
    ],
)
def test_options_are_read_from_key_and_value(given_options: list[str], expected: dict[str, Any]) -> None:
    assert read_options(given_options) == expected


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        (["names"], '"names" is not KEY=VALUE, such as names=all.'),
        (["=x"], '"=x" is not KEY=VALUE'),
        (["a.=x"], '"a.=x" is not KEY=VALUE'),
        (["a=1", "a=2"], '"a" is given twice.'),
        (["a=1", "a.b=2"], '"a.b" is given twice.'),
        (["a.b=1", "a=2"], '"a" is given twice.'),
    ],
)
def test_options_that_are_none_are_errors(given_options: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_options(given_options)
    assert caught.value.message.startswith(message)
