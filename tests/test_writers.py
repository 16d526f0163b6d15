"""Writers give each part back in the format that it came in, every record byte for byte."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import zipfile
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

ROWS = [
    (str(n), f"COCO_{n % 3}.jpg", f"What color is the {thing}?", ("red", "blue", "grün")[n % 3])
    for n, thing in enumerate(("cone", "dog", "hat, with a brim", 'the "cup"', "car", "bus", "bird", "tree", "kite"))
]
COLUMNS = ("id", "image", "question", "answer")


def lines(delimiter: str, end: str = "\n") -> str:
    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in (delimiter, '"', "\n")) else text

    return "".join(delimiter.join(map(field, row)) + end for row in (COLUMNS, *ROWS))


def records() -> list[str]:
    """JSON records, no two written alike: other spaces, escapes and key orders, numbers that change when parsed."""
    return [
        json.dumps(dict(zip(COLUMNS, row, strict=True)) | {"weight": 1}, ensure_ascii=bool(n % 2), indent=n % 3 or None)
        .replace('"weight": 1', '"weight": 1.10e+2')
        for n, row in enumerate(ROWS)
    ]  # fmt: skip


def split(command, *files: object, options: tuple[object, ...] = (), out: str = "d") -> dict[str, str]:
    """Divide the files at random and return id -> part."""
    ran = command("run", "random", *files, "--out", out, *options)
    assert ran.code == 0, ran.err
    assert command("verify", out).code == 0
    with Path(out, "assignment.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: row["part"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize("last", ["\n", ""])
def test_delimited_lines_come_back_byte_for_byte(command, ending, last):
    text = lines({"csv": ",", "tsv": "\t"}[ending])
    Path(f"in.{ending}").write_bytes((text.removesuffix("\n") + last).encode())
    part_of = split(command, f"in.{ending}")
    head, *body = text.splitlines(keepends=True)
    for part in ("train", "test"):
        mine = [line for line, row in zip(body, ROWS, strict=True) if part_of[row[0]] == part]
        assert Path(f"d/{part}.{ending}").read_bytes() == (head + "".join(mine)).encode()


def test_a_field_with_a_line_end_stays_one_record(command):
    Path("in.csv").write_text('id,question,answer\n1,"two\nlines",a\n2,one,b\n3,three,c\n')
    part_of = split(command, "in.csv")
    whole = "".join(Path(f"d/{part}.csv").read_text() for part in ("train", "test"))
    assert '1,"two\nlines",a\n' in whole
    assert len(part_of) == 3


def test_a_mark_and_crlf_of_a_csv_are_read_and_gone_from_what_is_written(command):
    Path("in.csv").write_bytes(b"\xef\xbb\xbf" + lines(",", "\r\n").encode())
    assert len(split(command, "in.csv")) == len(ROWS)
    for part in ("train", "test"):
        content = Path(f"d/{part}.csv").read_bytes()
        assert content.startswith(b"id,image,question,answer\n")
        assert b"\r" not in content


@pytest.mark.parametrize("layout", ["list", "lines"])
def test_json_records_come_back_byte_for_byte(command, layout):
    each = records() if layout == "list" else [" ".join(record.split("\n")) for record in records()]
    ending = "json" if layout == "list" else "jsonl"
    Path(f"in.{ending}").write_text("[\n" + ",\n ".join(each) + "\n]" if layout == "list" else "\n".join(each), "utf-8")
    part_of = split(command, f"in.{ending}")
    for part in ("train", "test"):
        mine = [record for record, row in zip(each, ROWS, strict=True) if part_of[row[0]] == part]
        expected = "[\n" + ",\n".join(mine) + "\n]\n" if layout == "list" else "".join(f"{one}\n" for one in mine)
        assert Path(f"d/{part}.{ending}").read_bytes() == expected.encode()


def test_parquet_comes_back_with_the_same_types_and_values(command):
    table = pyarrow.table(
        {
            "id": pyarrow.array(range(9), pyarrow.int16()),
            "question": [f"what {n}" for n in range(9)],
            "answer": pyarrow.array(["yes", "no", None] * 3).dictionary_encode(),
            "box": [[n, n + 1] for n in range(9)],
        }
    )
    pyarrow.parquet.write_table(table, "in.parquet")
    part_of = split(command, "in.parquet")
    for part in ("train", "test"):
        got = pyarrow.parquet.read_table(f"d/{part}.parquet")
        assert got.schema.equals(table.schema)
        assert got.to_pylist() == [row for row in table.to_pylist() if part_of[str(row["id"])] == part]


def test_parquet_made_by_pandas_is_read_by_pandas(command):
    import pandas

    frame = pandas.DataFrame({"id": [1, 2, 3], "question": ["a", "b", "c"], "answer": ["x", "y", "z"]})
    frame.to_parquet("in.parquet")
    split(command, "in.parquet")
    assert sorted(len(pandas.read_parquet(f"d/{part}.parquet")) for part in ("train", "test")) == [1, 2]


def test_daquar_with_crlf_is_written_with_plain_line_ends_and_verified(command):
    Path("in.txt").write_bytes(b"".join(b"what is %d in the image1 ?\r\nchair\r\n" % n for n in range(6)))
    split(command, "in.txt")
    assert all(b"\r" not in Path(f"d/{part}.txt").read_bytes() for part in ("train", "test"))


def pack(kind: str, content: bytes) -> str:
    if kind == "zip":
        with zipfile.ZipFile("in", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/rows.csv", content)
            archive.writestr("__MACOSX/rows.csv", b"junk")
    elif kind == "zst":
        with pyarrow.CompressedOutputStream(pyarrow.OSFile("in", "wb"), "zstd") as file:
            file.write(content)
    else:
        Path("in").write_bytes({"gz": gzip.compress, "xz": lzma.compress}[kind](content))
    return "in"


@pytest.mark.parametrize("kind", ["gz", "zip", "xz", "zst"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_compressed_files_are_known_by_content_and_their_records_come_back(command, kind, mark):
    part_of = split(command, pack(kind, mark + lines(",").encode()))
    head, *body = lines(",").splitlines(keepends=True)
    for part in ("train", "test"):
        mine = [line for line, row in zip(body, ROWS, strict=True) if part_of[row[0]] == part]
        assert Path(f"d/{part}.csv").read_bytes() == (head + "".join(mine)).encode()


@pytest.mark.large
def test_daquar_and_easy_vqa_come_back_as_they_were(shared, command):
    source = shared / "data/daquar/all_qa_pairs.txt"
    assert command("run", "random", source, "--out", "d").code == 0
    pairs = [line + b"\n" for line in source.read_bytes().splitlines()]
    with Path("d/assignment.csv").open(encoding="utf-8", newline="") as file:
        part_of = {int(row["id"].rpartition(":")[2]): row["part"] for row in csv.DictReader(file)}
    for part in ("train", "test"):
        mine = [b"".join(pairs[2 * n - 2 : 2 * n]) for n in sorted(part_of) if part_of[n] == part]
        assert Path(f"d/{part}.txt").read_bytes() == b"".join(mine)

    files = [shared / f"data/easy_vqa/{part}/questions.json" for part in ("train", "test")]
    assert command("run", "random", *files, "--out", "e").code == 0
    given = sorted(record for file in files for record in json.loads(file.read_bytes()))
    got = sorted(record for part in ("train", "test") for record in json.loads(Path(f"e/{part}.json").read_bytes()))
    assert got == given


def vqa(name: str, subset: str, first: int, **header: object) -> list[str]:
    """Write questions and annotations in the official layout."""
    questions = [
        {"question_id": n, "image_id": n // 2, "question": f"What is {n}?", "odd": [n, {"é": None}]}
        for n in range(first, first + 6)
    ]
    told = [{"question_id": n, "image_id": n // 2, "multiple_choice_answer": "yes"} for n in range(first, first + 6)]
    names = []
    for kind, rows in (("questions", questions), ("annotations", told)):
        names.append(f"{name}_{kind}.json")
        top = {"info": {"version": "1.0"}, "data_subtype": subset, "license": {"url": "x"}, **header}
        Path(names[-1]).write_text(json.dumps({**top, kind: rows}, ensure_ascii=False), "utf-8")
    return names


def test_official_vqa_files_load_and_keep_header_and_records(command):
    files = vqa("a", "train2014", 0)
    part_of = split(command, *files)
    given = {record["question_id"]: record for record in json.loads(Path(files[0]).read_bytes())["questions"]}
    for part in ("train", "test"):
        value = json.loads(Path(f"d/{part}_questions.json").read_bytes())
        assert value["info"] == {"version": "1.0"}
        assert value["data_subtype"] == "train2014"
        assert value["compsplit"] == {"part": part}
        ids = [record["question_id"] for record in value["questions"]]
        assert sorted(map(str, ids)) == sorted(name for name, where in part_of.items() if where == part)
        assert value["questions"] == [given[name] for name in ids]
        told = json.loads(Path(f"d/{part}_annotations.json").read_bytes())["annotations"]
        assert [record["question_id"] for record in told] == ids


def test_merged_vqa_files_join_their_subsets_and_list_their_headers(command):
    files = vqa("b", "val2014", 10, extra=1) + vqa("a", "train2014", 0)
    split(command, *files)
    for part in ("train", "test"):
        value = json.loads(Path(f"d/{part}_questions.json").read_bytes())
        assert value["data_subtype"] == "train2014+val2014"
        assert value["extra"] == 1
        assert [header["data_subtype"] for header in value["compsplit"]["headers"]] == ["train2014", "val2014"]
    with Path("d/assignment.csv").open(encoding="utf-8", newline="") as file:
        assert {row["origin"] for row in csv.DictReader(file)} == {"train2014", "val2014"}


def test_the_parts_of_a_run_are_inputs_again(command):
    files = vqa("b", "val2014", 10) + vqa("a", "train2014", 0)
    first = split(command, *files)
    parts = [f"d/{part}_{kind}.json" for part in ("train", "test") for kind in ("questions", "annotations")]
    assert command("run", "random", *parts[:2], "--out", "again").code == 0
    assert set(split(command, *parts, out="whole")) == set(first)
    value = json.loads(Path("whole/train_questions.json").read_bytes())
    assert value["data_subtype"] == "train2014+val2014"
    assert [header["data_subtype"] for header in value["compsplit"]["headers"]] == ["train2014", "val2014"]
    ran = command("audit", *(f"train={name}" for name in parts[:2]), *(f"test={name}" for name in parts[2:]), "--json")
    assert ran.code == 0
    assert sum(size["got"] for size in ran.json["subject"]["parts"].values()) == len(first)


def test_bare_lists_say_where_each_record_is_from(command):
    files = vqa("b", "val2014", 10) + vqa("a", "train2014", 0)
    split(command, *files, options=("--set", "write.as=bare-list"))
    seen = set()
    for part in ("train", "test"):
        for kind in ("questions", "annotations"):
            for record in json.loads(Path(f"d/{part}_{kind}.json").read_bytes()):
                assert record["coco_split"] == ("val2014" if record["question_id"] >= 10 else "train2014")
                seen.add(record["question_id"])
    assert len(seen) == 12
    assert command("run", "random", "d/train_questions.json", "d/train_annotations.json", "--out", "again").code == 0


def test_a_bare_list_that_says_it_already_stays_as_it_is(shared, command):
    (folder,) = (shared / "cases").glob("23-*")
    assert command("run", "random", folder / "train.json", "--out", "d", "--set", "write.as=bare-list").code == 0
    given = json.loads((folder / "train.json").read_bytes())
    got = [record for part in ("train", "test") for record in json.loads(Path(f"d/{part}.json").read_bytes())]
    assert sorted(got, key=lambda r: r["question_id"]) == given


def test_a_question_that_quotes_coco_split_is_noted_all_the_same(command):
    files = vqa("a", "train2014", 0)
    text = Path(files[0]).read_text(encoding="utf-8")
    Path(files[0]).write_text(text.replace('"What is 0?"', '"coco_split"'), encoding="utf-8")
    split(command, *files, options=("--set", "write.as=bare-list"))
    got = [r for part in ("train", "test") for r in json.loads(Path(f"d/{part}_questions.json").read_bytes())]
    assert all(record["coco_split"] == "train2014" for record in got)


def sources(shared: Path) -> dict[str, list[object]]:
    Path("in.csv").write_text(lines(","), "utf-8")
    pyarrow.parquet.write_table(pyarrow.table(dict(zip(COLUMNS, zip(*ROWS, strict=True), strict=True))), "in.parquet")
    easy = [[f"what {n}?", "yes", n // 2] for n in range(6)]
    Path("easy.json").write_text(json.dumps(easy))
    Path("daquar.txt").write_text("".join(f"what is {n} in the image{n} ?\nchair\n" for n in range(1, 7)))
    return {
        "csv": ["in.csv"],
        "parquet": ["in.parquet"],
        "vqa": list(vqa("a", "train2014", 0)),
        "easy-vqa": ["easy.json"],
        "daquar": ["daquar.txt"],
    }


@pytest.mark.parametrize("source", ["csv", "parquet", "vqa", "easy-vqa", "daquar"])
@pytest.mark.parametrize("writer", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_can_be_written_as_every_table_and_read_again(shared, command, source, writer):
    part_of = split(command, *sources(shared)[source], options=("--set", f"write.as={writer}"), out="d")
    parts = [f"d/{part}.{writer}" for part in ("train", "test")]
    again = command("describe", *parts, "--json").json
    assert again["subject"]["rows"] == len(part_of)
    audit = command("audit", f"train={parts[0]}", f"test={parts[1]}", "--json").json
    assert {part: size["got"] for part, size in audit["subject"]["parts"].items()} == {
        part: list(part_of.values()).count(part) for part in ("train", "test")
    }
    ran = command("run", "random", *parts, "--out", "again", "--json")
    assert ran.code == 0
    with Path("again/assignment.csv").open(encoding="utf-8", newline="") as file:
        assert {row["id"] for row in csv.DictReader(file)} == set(part_of)


def test_id_lists_hold_one_id_a_line(command):
    Path("in.csv").write_text(lines(","), "utf-8")
    part_of = split(command, "in.csv", options=("--set", "write.as=ids"))
    for part in ("train", "test"):
        assert Path(f"d/{part}.txt").read_text() == "".join(f"{n}\n" for n in sorted(part_of) if part_of[n] == part)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("id,question,answer\n1,a,b\n2,c,d\n", "id,answer,question\n3,a,b\n", "different header lines"),
        ("id,question,answer\n1,a,b\n2,c,d\n", '[{"id": 3, "question": "a", "answer": "b"}]', "different layouts"),
    ],
)
def test_files_that_one_file_cannot_hold_stop_with_a_way_out(command, one, other, told):
    Path("one.txt").write_text(one)
    Path("other.txt").write_text(other)
    ran = command("run", "random", "one.txt", "other.txt", "--out", "d")
    assert ran.code == 2
    assert told in ran.message
    assert "--set write.as=" in ran.message
    assert not Path("d").exists()
    assert command("run", "random", "one.txt", "other.txt", "--out", "d", "--set", "write.as=csv").code == 0


def test_an_input_that_changes_while_it_is_used_is_refused(command, monkeypatch):
    from compsplit.api import splits

    Path("in.csv").write_text(lines(","), "utf-8")
    write = splits.write_folder

    def cut(*arguments: object, **more: object) -> object:
        Path("in.csv").write_text(lines(",")[:60], "utf-8")
        return write(*arguments, **more)

    monkeypatch.setattr(splits, "write_folder", cut)
    ran = command("run", "random", "in.csv", "--out", "d")
    assert ran.code == 2
    assert "has changed while it was used" in ran.message
    assert not Path("d").exists()


def test_an_unknown_compression_is_no_format_of_ours(command):
    Path("in.csv").write_bytes(bz2.compress(lines(",").encode()))
    ran = command("describe", "in.csv")
    assert ran.code == 2
    assert "in.csv" in ran.message
