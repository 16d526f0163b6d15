"""compsplit report and --html: pages, figures and tables of reports, and what goes wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import struct
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pypdf
import pytest

import compsplit
from compsplit import api
from compsplit.errors import UsageError
from compsplit.files import canonical_json
from compsplit.model.report import Measure, Report, Table
from compsplit.report.figure_files import are_figures

COLOURS = ("red", "blue", "green", "red")
DATA = "id,image,question,answer\n" + "".join(
    f"{n},{n % 20},{('What color is the', 'Is this a', 'How many')[n % 3]} {('cone', 'dog', 'hat', 'cup')[n % 4]}?,"
    f"{(COLOURS, ('yes', 'no', 'yes', 'yes'), ('1', '2', '3', '4'))[n % 3][n % 4]}\n"
    for n in range(60)
)  # fmt: skip
FIGURE = "answers-by-question-type-train-test"
LONG = 400
"""Rows of a table of which a page does not show the whole, since texts in it are long."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data and a split of them, `split`."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "data.csv").write_text(DATA)
    api.run("random", folder / "data.csv", out=folder / "split")
    return folder


@pytest.fixture
def split(made: Path, tmp_path: Path) -> Path:
    """The split, in the folder in which commands run."""
    shutil.copytree(made / "split", tmp_path / "split")
    return tmp_path / "split"


def report(n_rows: int = 3, title: str = "Mine") -> Report:
    measure = Measure(name="coverage", of="concepts", value=Fraction(1, 3), n=9, n_unit="concepts", unit="fraction")
    long = Table(
        ("id", "n"), tuple((f"row {n}{' long' * max(n - 200, 0)}", n) for n in range(n_rows)), total=n_rows + 10
    )
    return Report({"kind": "mine", "title": title, "verdict": "Mine."}, (measure,), {"long table": long})


def write(given: Report, file: str = "mine.json") -> None:
    Path(file).write_text(canonical_json(given.to_json()))


def left() -> dict[str, bytes]:
    return {str(each): each.read_bytes() for each in sorted(Path().rglob("*")) if each.is_file()}


# ---- pages


def test_a_page_stands_beside_its_folder_and_says_its_size(command, split):
    ran = command("report", "split")
    assert (ran.code, ran.err) == (0, "")
    size = Path("split.html").stat().st_size
    assert ran.out.splitlines()[0] == f"Page: split.html ({size / 1000:.0f} kB). Open it in a browser."
    assert Path("split.html").read_text().startswith("<!doctype html>")


def test_tables_that_a_page_only_begins_stand_beside_it_and_are_named(command):
    write(report(n_rows=LONG))
    ran = command("report", "mine.json")
    [table] = Path("mine.tables").glob("*.csv")
    assert json.loads(Path("mine.tables/manifest.json").read_bytes())["outputs"] == [{"file": table.name}]
    assert len(table.read_text().splitlines()) == LONG + 1
    assert ran.out.splitlines()[1:] == ["Whole tables beside it: mine.tables/", f"  {table.name}"]


def test_what_was_written_is_told_as_json(command, split):
    write(report(n_rows=LONG))
    ran = command("report", "mine.json", "split", "--out", "both.html", "--json")
    assert ran.json["page"] == "both.html"
    assert ran.json["bytes"] == Path("both.html").stat().st_size
    assert ran.json["tables"] == sorted(map(str, Path("both.tables").glob("*.csv")))
    assert ran.json["figures"]
    assert all(name.startswith("split-") for name in ran.json["figures"])
    assert ran.json["files"] == []


def test_the_same_page_again_is_no_error_and_another_needs_force(command):
    write(report(n_rows=LONG))
    command("report", "mine.json")
    before, written = left(), Path("mine.html").stat().st_ino
    assert command("report", "mine.json").code == 0
    assert Path("mine.html").stat().st_ino == written, "it is not even written again"
    write(report(title="Another"))
    changed = left()
    ran = command("report", "mine.json")
    assert ran.code == 2
    assert "mine.html is already there. Pass --force" in ran.message
    assert left() == changed == {**before, "mine.json": changed["mine.json"]}
    assert command("report", "mine.json", "--force").code == 0
    # The tables of the page before belong to nothing now.
    assert sorted(left()) == ["mine.html", "mine.json"]
    assert "Another" in Path("mine.html").read_text()


def test_a_folder_of_other_files_is_no_place_for_tables(command):
    write(report(n_rows=LONG))
    Path("mine.tables").mkdir()
    Path("mine.tables/thesis.txt").write_text("years of work")
    for force in ((), ("--force",)):
        ran = command("report", "mine.json", *force)
        assert ran.code == 2
        assert "mine.tables is already there and is not a folder that compsplit wrote" in ran.message
        assert sorted(left()) == ["mine.json", "mine.tables/thesis.txt"]


def test_a_csv_that_no_page_wrote_stays(command):
    write(report(n_rows=LONG))
    command("report", "mine.json")
    Path("mine.tables/thesis.csv").write_text("years of work")
    before = left()
    ran = command("report", "mine.json", "--force")
    assert ran.code == 2
    assert "mine.tables is already there and is not a folder that compsplit wrote tables of a page to" in ran.message
    assert left() == before
    # A folder with nothing but foreign CSV files is no older one of ours, either.
    for each in ("mine.html", *map(str, Path("mine.tables").glob("[!t]*"))):
        Path(each).unlink()
    assert command("report", "mine.json", "--force").code == 2
    assert Path("mine.tables/thesis.csv").read_text() == "years of work"
    assert not Path("mine.html").exists()


def test_the_page_of_a_report_file_in_a_folder_of_ours_stands_beside_the_folder(command, split):
    before = {each.name for each in split.iterdir()}
    assert command("report", "split/report.json", "--json").json["page"] == "split.html"
    assert {each.name for each in split.iterdir()} == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "split", "--out", "split/page.html", "--force"),
        ("report", "split", "--figures", "split/figures", "--force"),
        ("compare", "split", "split", "--out", "split/compared", "--force"),
    ],
)
def test_nothing_is_written_into_a_folder_of_ours(command, split, arguments):
    before = left()
    ran = command(*arguments)
    assert ran.code == 2
    assert f"{arguments[-2]} would be in split, which compsplit wrote" in ran.message
    assert left() == before


@pytest.mark.skipif(sys.platform == "win32", reason="limits and pipes of Unix")
@pytest.mark.parametrize(("n_rows", "most", "named"), [(240, 10_000, "mine.html"), (LONG, 90_000, "mine.tables")])
def test_a_page_that_cannot_be_written_whole_is_not_there_at_all(command, n_rows, most, named):
    import resource
    import signal

    # The page has some 14 kB and the table 7 kB; or 60 and 100.
    write(report(n_rows=n_rows))
    before, limit = left(), resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limit[1]))
    try:
        ran = command("report", "mine.json")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, ignored)
    assert ran.code == 2
    assert f"{named}: file too large" in ran.message
    assert left() == before


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Unix")
def test_a_pipe_is_no_report(command):
    os.mkfifo("pipe")
    ran = command("report", "pipe", "--out", "x.html")
    assert ran.code == 2
    assert "pipe: is neither a file nor a folder" in ran.message


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which nobody can write")
def test_a_page_where_nothing_can_be_written_names_what_was_asked_for(command):
    write(report())
    assert command("report", "mine.json", "--out", "/proc/x.html").message.startswith(
        "/proc/x.html: cannot be written ("
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("",), "A report is given as an empty text"),
        (("nothing",), "nothing: there is no such file or folder"),
        (("empty",), "empty holds no report.json"),
        (("broken.json",), "broken.json is no report: it is not JSON"),
        (("other.json",), "other.json is no report of compsplit"),
        (("mine.json", "nothing", "--out", "x.html"), "nothing: there is no such file or folder"),
        (("mine.json", "mine.json"), "Say where the page of several reports is to be: --out PAGE.html."),
        (("mine.json", "--out", "page.json"), "page.json is no name of a page; end it in .html."),
        (("mine.json", "--out", "no/page.html"), "no: there is no such folder"),
        (("mine.json", "--as", "pdf"), "--as says how figures are written; say where: --figures DIR."),
        (("mine.json", "--figure", "x"), "--figure says how figures are written"),
        (("mine.json", "--name", "measures"), "--name says which table is printed; say how: --table latex"),
        (("mine.json", "--list", "--table", "csv"), "--list and --table both print"),
        (("mine.json", "--table", "csv", "--out", "x.html"), "--table prints and writes nothing"),
        (("mine.json", "--list", "--figures", "x"), "--list prints and writes nothing"),
        (("mine.json", "--table", "html"), "html"),
        (("mine.json", "--figures", "x", "--as", "jpg"), "jpg"),
        (("mine.json", "--figures", "x"), "have nothing that is drawn"),
        (("mine.json", "--table", "csv", "--name", "long tabel"), 'no table or figure "long tabel". Did you mean "lo'),
        (("mine.json", "mine.json", "--table", "csv"), "CSV is one table, and here are 2: measures of 1 mine, mea"),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly_is_one_sentence_and_nothing_is_written(command, arguments, told):
    write(report())
    Path("empty").mkdir()
    Path("broken.json").write_text("{")
    Path("other.json").write_text("{}")
    before = left()
    ran = command("report", *arguments)
    assert ran.code == 2
    assert told in ran.message
    assert left() == before
    assert not Path("x").exists()


def test_no_table_is_printed_where_json_is_asked_for(command):
    write(report())
    ran = command("report", "mine.json", "--table", "csv", "--json")
    assert ran.code == 2
    assert ran.json["error"]["kind"] == "usage"


# ---- tables


def test_the_measures_are_the_table_that_is_printed(command):
    write(report())
    assert command("report", "mine.json", "--table", "csv").out == (
        "measure,of,reading,reference,part,value,n,n_unit,reason\n"
        "coverage,concepts,,,,0.3333333333333333,9,concepts,\n"
    )  # fmt: skip
    assert sorted(left()) == ["mine.json"]


def test_any_table_is_printed_and_what_the_report_leaves_out_is_told(command):
    write(report(n_rows=2))
    ran = command("report", "mine.json", "--table", "csv", "--name", "long table")
    assert ran.out == "id,n\nrow 0,0\nrow 1,1\n"
    assert ran.err == "These are the first 2 of 12 rows; a report holds no more.\n"
    latex = command("report", "mine.json", "--table", "latex", "--name", "long table")
    assert latex.out.startswith("% long table of mine; the first 2 of 12 rows; needs \\usepackage{booktabs}\n")
    assert latex.err == ""
    markdown = command("report", "mine.json", "--table", "markdown", "--name", "long table")
    assert markdown.out == (
        "| id | n |\n| --- | ---: |\n| row 0 | 0 |\n| row 1 | 1 |\n\nThese are the first 2 of 12 rows.\n"
    )


def test_a_table_is_known_by_the_name_that_the_list_shows(command):
    table = Table(("id",), (("a",),))
    write(Report({"kind": "mine"}, (), {"red\x1b[31m\u202e": table}))
    shown = command("report", "mine.json", "--list").out.splitlines()[-1].split("table   ")[1]
    assert shown == r"red\x1b[31m\u202e"
    for name in (shown, "red\x1b[31m\u202e"):
        assert command("report", "mine.json", "--table", "csv", "--name", name).out == "id\na\n"


def test_several_tables_are_told_apart(command):
    write(report(n_rows=1))
    ran = command("report", "mine.json", "--table", "markdown", "--name", "long table", "--name", "measures")
    assert [line for line in ran.out.splitlines() if line.startswith("#")] == [
        "## long table of mine", "## measures of mine",
    ]  # fmt: skip


def test_the_numbers_behind_a_figure_are_a_table_too(command, split):
    [figure] = [each for each in api.figures(split) if each.name == FIGURE]
    ran = command("report", "split", "--table", "csv", "--name", FIGURE)
    assert rows_of(ran.out) == (figure.table.columns, numbers(figure.table))


def test_tables_and_figures_are_listed_with_their_rows(command):
    write(report(n_rows=1))
    assert command("report", "mine.json", "--list").out == (
        "mine: tables and figures, with their rows\n"
        "        1  table   measures\n"
        "  1 of 11  table   long table\n"
    )  # fmt: skip
    assert command("report", "mine.json", "--list", "--json").json["reports"]["mine"] == {
        "tables": [
            {"name": "measures", "columns": [
                "measure", "of", "reading", "reference", "part", "value", "n", "n_unit", "reason"
            ], "rows": 1, "total": None},
            {"name": "long table", "columns": ["id", "n"], "rows": 1, "total": 11},
        ],
        "figures": [],
    }  # fmt: skip


def test_figures_are_listed_by_the_names_that_choose_them(command, split):
    listed = command("report", "split", "--list", "--json").json["reports"]["split"]["figures"]
    assert [each["name"] for each in listed] == [each.name for each in api.figures(split)]
    assert f"  figure  {FIGURE}\n" in command("report", "split", "--list").out


def test_the_list_of_plug_ins_says_every_kind(command):
    told = command("list", "--help").out
    assert all(kind in told for kind in ("reader", "metric", "probe", "figure", "writer"))


# ---- figures


def rows_of(text: str) -> tuple[tuple[str, ...], list[list[Any]]]:
    head, *rows = csv.reader(io.StringIO(text))
    return tuple(head), [[float(cell) if number(cell) else cell for cell in row] for row in rows]


def number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def numbers(table: Table) -> list[list[Any]]:
    """What a CSV of a table says, number by number."""
    said = [["" if value is None else value for value in row] for row in table.rows]
    return [[float(value) if number(str(value)) else value for value in row] for row in said]


def test_every_figure_is_a_drawing_of_each_kind_and_a_csv(command, split):
    ran = command("report", "split", "--figures", "figures", "--as", "svg", "--as", "pdf", "--as", "png")
    assert (ran.code, ran.err) == (0, "")
    figures = {each.name: each for each in api.figures(split)}
    kinds = ("svg", "pdf", "png", "csv")
    assert {each.name for each in Path("figures").iterdir()} == {f"{name}.{kind}" for name in figures for kind in kinds}
    most = 0
    for name, figure in figures.items():
        files = {kind: Path(f"figures/{name}.{kind}") for kind in kinds}
        assert files["svg"].read_text().startswith("<svg")
        assert files["pdf"].read_bytes().startswith(b"%PDF")
        [page] = pypdf.PdfReader(files["pdf"], strict=True).pages
        # vl-convert gives a page's resources in another order each time.
        named = [list(each) for each in page["/Resources"].values() if isinstance(each, dict)]
        assert named == [sorted(each) for each in named]
        most = max(most, *map(len, named))
        png = files["png"].read_bytes()
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", png[16:24])
        assert width >= 400
        assert height >= 80
        assert rows_of(files["csv"].read_text()) == (figure.table.columns, numbers(figure.table))
    assert most > 4
    assert ran.out.splitlines()[0] == "Figures: figures/"
    assert not Path("split.html").exists()


def test_the_same_figures_again_are_the_same_bytes(command, split):
    for folder in ("one", "two"):
        arguments = ("--as", "pdf", "--as", "png", "--as", "svg", "--figure", FIGURE)
        assert command("report", "split", "--figures", folder, *arguments).code == 0
    one, two = ({each.name: each.read_bytes() for each in Path(folder).iterdir()} for folder in ("one", "two"))
    assert len(one) == 4
    assert one == two


def test_figures_are_chosen_by_name_and_are_svg_by_default(command, split):
    ran = command("report", "split", "--figures", "figures", "--figure", FIGURE, "--json")
    assert sorted(each.name for each in Path("figures").iterdir()) == [f"{FIGURE}.csv", f"{FIGURE}.svg"]
    assert ran.json == {
        "page": None, "bytes": None, "tables": [], "figures": [FIGURE],
        "files": [f"figures/{FIGURE}.svg", f"figures/{FIGURE}.csv"],
    }  # fmt: skip


def test_an_unknown_figure_is_told_with_the_nearest(command, split):
    ran = command("report", "split", "--figures", "figures", "--figure", f"{FIGURE}s")
    assert ran.code == 2
    assert f'There is no figure "{FIGURE}s". Did you mean "{FIGURE}"?' in ran.message
    assert not Path("figures").exists()


def test_a_page_and_figures_are_written_together_if_both_are_asked_for(command, split):
    assert command("report", "split", "--figures", "figures", "--figure", FIGURE, "--out", "page.html").code == 0
    assert Path("page.html").is_file()
    assert Path("figures").is_dir()
    ran = command("report", "split", "--figures", "figures", "--figure", FIGURE, "--out", "other.html")
    assert "figures is already there" in ran.message
    assert not Path("other.html").exists()


def test_figures_of_several_reports_begin_with_the_report(command, split):
    shutil.copytree(split, "other")
    ran = command("report", "split", "other", "--figures", "figures", "--figure", FIGURE)
    assert ran.code == 0
    assert {each.stem for each in Path("figures").iterdir()} == {f"split-{FIGURE}", f"other-{FIGURE}"}


def test_only_a_folder_of_figures_is_replaced(command, split):
    arguments = ("report", "split", "--figures", "figures", "--figure", FIGURE)
    command(*arguments)
    assert "figures is already there. Pass --force" in command(*arguments).message
    assert command(*arguments, "--as", "pdf", "--force").code == 0
    assert sorted(each.suffix for each in Path("figures").iterdir()) == [".csv", ".pdf"]
    Path("figures/thesis.pdf").write_bytes(b"years of work")
    ran = command(*arguments, "--force")
    assert "figures is already there and is not a folder that compsplit wrote figures to" in ran.message
    assert Path("figures/thesis.pdf").read_bytes() == b"years of work"
    assert command("report", "split", "--figures", "split", "--force").code == 2


@pytest.mark.parametrize(
    ("files", "ours"),
    [
        ((), True),
        (("a.csv", "a.svg", "b-2.csv", "b-2.pdf", "b-2.png"), True),
        (("a.csv", "a.svg", "notes.txt"), False),
        (("a.csv",), False),
        (("a.png",), False),
        (("A.csv", "A.png"), False),
        (("a.csv", "b.png"), False),
    ],
)
def test_a_folder_of_figures_is_known_by_its_files(tmp_path, files, ours):
    for name in files:
        (tmp_path / name).touch()
    assert are_figures(tmp_path) is ours


# ---- --html


PREDICTIONS = "id,prediction\n" + "".join(f"{n},red\n" for n in range(60))


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "random", "data.csv", "--out", "made"),
        ("run", "random", "data.csv", "--out", "made", "--seeds", "2"),
        ("audit", "data.csv", "--random-splits", "1", "--out", "made"),
        ("balance", "data.csv", "--groups", "question", "--out", "made"),
        ("evaluate", "data.csv", "predictions.csv", "--replicates", "0", "--out", "made"),
        ("probe", "data.csv", "--split", "split", "--random-splits", "1", "--probe", "global-prior", "--replicates",
         "0", "--halvings", "0", "--out", "made"),
        ("profile", "data.csv", "--tagger", "none", "--out", "made"),
        ("compare", "split", "other", "--out", "made"),
    ],
    ids=lambda arguments: f"{arguments[0]}-{'several' if '--seeds' in arguments else 'one'}",
)  # fmt: skip
def test_html_makes_the_page_that_report_makes(command, split, arguments):
    shutil.copytree(split, "other")
    Path("data.csv").write_text(DATA)
    Path("predictions.csv").write_text(PREDICTIONS)
    ran = command(*arguments, "--html")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "Page: made.html"
    by_html = left()
    assert command("report", "made", "--force").code == 0
    assert left() == by_html
    # A page that is there already is met before any work.
    shutil.rmtree("made")
    assert "made.html is already there. Pass --force" in command(*arguments, "--html").message
    assert not Path("made").exists()


def test_html_replaces_a_page_with_force_and_leaves_stdout_to_json(command):
    Path("data.csv").write_text(DATA)
    arguments = ("profile", "data.csv", "--tagger", "none", "--out", "made", "--html")
    command(*arguments)
    page = Path("made.html").read_bytes()
    Path("made.html").write_text("years of work")
    assert "made is already there. Pass --force" in command(*arguments).message
    ran = command(*arguments, "--force", "--json")
    assert ran.json["format"] == "compsplit-report"
    assert Path("made.html").read_bytes() == page


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("audit", "data.csv", "--random-splits", "1"), "--html needs --out DIR"),
        (("evaluate", "data.csv", "data.csv"), "--html needs --out DIR"),
        (("probe", "data.csv"), "--html needs --out DIR"),
        (("profile", "data.csv"), "--html needs --out DIR"),
        (("compare", "split", "split"), "--html needs --out DIR"),
        (("run", "random", "data.csv", "--plan"), "--html makes a page of what is written, and --plan writes nothing"),
        (("balance", "data.csv", "--plan"), "--html makes a page of what is written, and --plan writes nothing"),
    ],
)
def test_html_needs_a_folder_that_is_written(command, split, arguments, told):
    Path("data.csv").write_text(DATA)
    before = left()
    ran = command(*arguments, "--html")
    assert ran.code == 2
    assert told in ran.message
    assert left() == before


def test_an_audit_whose_check_is_broken_has_a_page_too(command):
    Path("data.csv").write_text(DATA)
    check = ("--check", "question-overlap <= 0")
    ran = command("audit", "data.csv", "--random-splits", "1", *check, "--out", "made", "--html")
    assert ran.code == 1
    assert ran.out.splitlines()[-1] == "Page: made.html"
    assert Path("made.html").is_file()


# ---- in a notebook


def test_a_report_in_memory_has_a_page_and_figures(made, tmp_path):
    whole = compsplit.run("random", made / "data.csv").report
    page = compsplit.page(whole, out=tmp_path / "page.html")
    assert page == tmp_path / "page.html"
    assert str(whole.subject["title"]) in page.read_text()
    assert api.figures(whole) == api.figures(made / "split")
    files = compsplit.write_figures(whole, out=tmp_path / "figures", kinds="pdf", names=FIGURE)
    assert [each.name for each in files] == [f"{FIGURE}.pdf", f"{FIGURE}.csv"]
    assert api.tables(whole)["measures"].rows == api.tables(made / "split")["measures"].rows


def test_a_report_in_memory_says_what_is_missing(tmp_path):
    with pytest.raises(UsageError, match="page of a report in memory is to be"):
        compsplit.page(report())
    with pytest.raises(UsageError, match="No report is given"):
        compsplit.page(out=tmp_path / "x.html")
    for wrong in ([], 3, None):
        with pytest.raises(UsageError, match=f"a folder, a file or a Report; found {type(wrong).__name__}"):
            compsplit.page(wrong, out=tmp_path / "x.html")
    with pytest.raises(UsageError, match=r"^mine is a broken report: JSON cannot be made of it"):
        compsplit.page(Report({"kind": "mine", "n": float("nan")}), out=tmp_path / "x.html")
    with pytest.raises(UsageError, match='svg, pdf, png; "jpg" is none of them'):
        compsplit.write_figures(report(), out=tmp_path / "figures", kinds=["jpg"])


def test_a_page_of_two_folders_of_one_name_shows_both(command, split):
    shutil.copytree(split, "inner/split")
    assert command("report", "split", "inner/split", "--out", "both.html").code == 0
    shown = Path("both.html").read_text()
    assert "1 split" in shown
    assert "2 split" in shown


# ---- the demo


@pytest.mark.large
def test_the_demo_ends_by_saying_where_its_page_is(command, monkeypatch):
    rows = [row.split(",") for row in DATA.splitlines()[1:]]
    # As easy-VQA has them, and in its kinds of answers: the real ones take seconds.
    Path("questions.json").write_text(
        json.dumps([[question, answer, int(image)] for _, image, question, answer in rows])
    )
    monkeypatch.setattr(sys.modules["compsplit.cli.demo"], "easy_vqa_files", lambda: ["questions.json"])
    last = "Open demo/report.html in a browser: a page of both, with figures."
    assert command("demo").out.splitlines()[-1] == last
    before = left()
    command("report", "demo/cvqa", "demo/random", "--out", "both.html")
    assert Path("both.html").read_bytes() == before["demo/report.html"]
    # An older page of the demo is replaced.
    Path("demo/report.html").write_text("an older one")
    assert command("demo").out.splitlines()[-1] == last
    assert before.items() <= left().items()


def test_the_demo_does_not_replace_a_page_that_is_not_its_own(command):
    Path("demo").mkdir()
    Path("demo/report.html").write_text("years of work")
    ran = command("demo")
    assert ran.code == 2
    assert "report.html is already there" in ran.message
    assert left() == {"demo/report.html": b"years of work"}
