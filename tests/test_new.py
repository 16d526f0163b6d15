"""compsplit new: what it asks, what it writes, and that what it writes runs."""

from __future__ import annotations

import io
import json
import tomllib
from itertools import product
from pathlib import Path

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.recipe.beginning import Answers, Offer, option_notes
from compsplit.recipe.parsing import from_mapping
from compsplit.registry import plugin, plugins

COLORS, SHAPES = ("red", "blue", "green", "gray"), ("cube", "ball", "cone", "ring")

RECIPE = """\
# Divide groups at random, in any number of parts, with strata spread evenly where they are given.
# Guarantee: No group is torn, no part is empty; shares of groups, where asked for, are exact.
title = "By colour"
source = "compsplit"
seed = 3

[read]
format = "table"

# What stays together.
[group]
by = "color"

[split]
method = "random"
parts = { train = "13/20", test = "1/4", dev = "1/10" }
# Further options, as they are by default:
# shares_of = "rows": What the parts have shares of: rows, or groups however many rows each has.

# For choosing a model: val-iid is taken out of train, val-ood out of test.
[validate]
val-iid = "1/10"

[write]
as = "csv"
"""


@pytest.fixture
def data(tmp_path: Path) -> str:
    """16 combinations, three rows each."""
    lines = [f"{n},{color},{shape}" for n, (color, shape, _) in enumerate(product(COLORS, SHAPES, range(3)))]
    (tmp_path / "data.csv").write_text("\n".join(["id,color,shape", *lines]) + "\n")
    return "data.csv"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch):
    """Lets someone type these lines."""

    def typed(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", _Terminal("".join(f"{line}\n" for line in lines)))

    return typed


def written(name: str) -> dict:
    return tomllib.loads(Path(f"{name}.toml").read_text())


# ---- what is written


def test_options_answer_everything_and_the_recipe_is_as_it_should_be(command, data):
    ran = command(
        "new", data, "--method", "random", "--by", "color", "--share", "test=0.25", "--share", "dev=0.1",
        "--val-iid", "0.1", "--val-ood", "0", "--seed", "3", "--as", "csv", "--title", "By colour", "--name", "mine",
    )  # fmt: skip
    assert ran.code == 0
    assert Path("mine.toml").read_text() == RECIPE
    assert ran.out.splitlines() == [
        "Written to mine.toml",
        "What it makes, without writing it: compsplit run mine.toml data.csv --plan",
        "Run it: compsplit run mine.toml data.csv",
    ]


def test_defaults_hold_out_combinations_of_the_two_columns_and_the_recipe_runs(command, data):
    assert command("new", data, "--yes", "--name", "held_out", "--share", "test=1/4").code == 0
    values = written("held_out")
    assert values["extract"] == {"of": "color+shape"}
    assert values["split"] == {"method": "compound-holdout", "parts": {"train": "3/4", "test": "1/4"}}
    assert "validate" not in values
    assert command("run", "held_out.toml", data, "--out", "made").code == 0
    train, test = (pandas.read_csv(f"made/{part}.csv") for part in ("train", "test"))
    assert (len(train), len(test)) == (36, 12)
    held = set(zip(test["color"], test["shape"], strict=True))
    assert len(held) == 4
    assert not held & set(zip(train["color"], train["shape"], strict=True))


def test_the_same_answers_give_the_same_bytes(command, data):
    for name in ("one", "two"):
        assert command("new", data, "--yes", "--name", name, "--option", "k=2", "--option", "choose=rarest").code == 0
    assert Path("one.toml").read_bytes() == Path("two.toml").read_bytes()
    assert {**written("one")["split"], "parts": 0} == {
        "method": "compound-holdout", "parts": 0, "k": 2, "choose": "rarest",
    }  # fmt: skip


def test_what_a_rule_decides_is_not_asked(command):
    assert command("new", "--yes", "--method", "declared", "--option", "column=origin", "--name", "d").code == 0
    assert "parts" not in written("d")["split"]
    assert "# The rule decides how large train and test are.\n" in Path("d.toml").read_text()
    ran = command("new", "--yes", "--method", "declared", "--share", "test=0.3", "--name", "e")
    assert ran.code == 2
    assert "declared decides by its rule" in ran.message


def test_how_files_are_read_belongs_to_the_recipe(command, tmp_path):
    rows = "".join(f"q{n},{'ab'[n % 2]},{'xyz'[n % 3]}\n" for n in range(12))
    (tmp_path / "named.csv").write_text("key,first,last\n" + rows)
    ran = command("new", "named.csv", "--column", "id=key", "--yes", "--name", "n")
    assert ran.code == 0
    assert written("n")["read"] == {"format": "table", "columns": {"id": "key"}}
    assert command("run", "n.toml", "named.csv", "--plan").code == 0


@pytest.mark.parametrize("name", sorted(plugins("splitter")))
def test_a_recipe_of_every_splitter_loads_and_tells_its_options(name):
    splitter = plugin("splitter", name)
    shares = {} if "parts" in splitter.facts else {"train": "2/3", "test": "1/3"}
    text = Answers(title=name, splitter=splitter, shares=shares).to_toml()
    assert from_mapping(name, tomllib.loads(text)).split.plugin.name == name
    assert set(option_notes(splitter)) == set(splitter.options)
    for option in set(splitter.options) - {"of"}:
        assert f"\n# {option} = " in text


@given(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_any_text_is_written_as_it_is_read(title, names):
    splitter = plugin("splitter", "random")
    answers = Answers(title=title, splitter=splitter, shares={"train": "1/2", "test": "1/2"}, options={"strata": names})
    values = tomllib.loads(answers.to_toml())
    assert values["title"] == title
    assert values["split"]["strata"] == names


# ---- questions


def test_a_person_is_asked_and_asked_again_after_a_wrong_answer(command, data, typing):
    typing(
        "compound-holdou", "compound-holdout", "color+shap", "color+shape", "colour", "", "k=0.5", "k=2", "", "2",
        "test=0.25", "", "0.1", "one", "1", "cvs", "csv", "Colours of shapes", "a/b", "asked",
    )  # fmt: skip
    ran = command("new", data)
    assert ran.code == 0
    for told in (
        'There is no splitter "compound-holdou". Did you mean "compound-holdout"?',
        'There is no column "shap". Did you mean "shape"?',
        'There is no column or grouper "colour". Did you mean "color"?',
        "Option split.k is 0.5; expected int.",
        "Part fractions must be positive and sum to 1, got train=-1.0 + test=2.0 = 1.0.",
        "Option seed is 'one'; expected a whole number.",
        'There is no writer "cvs". Did you mean "csv"?',
        '"a/b" cannot name a recipe',
        "48 rows of format table; columns that can be combined: color, shape.",
        "holds a compound that",
    ):
        assert told in " ".join(ran.err.split())
    assert written("asked") == {
        "title": "Colours of shapes",
        "source": plugin("splitter", "compound-holdout").source,
        "seed": 1,
        "read": {"format": "table"},
        "extract": {"of": "color+shape"},
        "group": {"by": "row"},
        "split": {"method": "compound-holdout", "parts": {"train": "3/4", "test": "1/4"}, "k": 2},
        "validate": {"val-ood": "1/10"},
        "write": {"as": "csv"},
    }


def test_questions_are_on_stderr_and_results_on_stdout(command, data, typing):
    typing(*[""] * 11)
    ran = command("new", data)
    assert ran.code == 0
    assert ran.out.startswith("Written to compound_holdout.toml\n")
    assert "How are rows divided? [compound-holdout]: " in ran.err


def test_one_who_stops_leaves_nothing(command, data, typing):
    typing("random", "row")
    assert command("new", data).code == 130
    assert sorted(path.name for path in Path().iterdir()) == ["data.csv"]


def test_what_fits_questions_is_offered(tmp_path):
    rows = "".join(
        f"{n},{n % 3},Is the {thing} red?,{('yes', 'no')[n % 2]}\n" for n, thing in enumerate(("cup", "hat") * 4)
    )
    (tmp_path / "q.csv").write_text("id,image,question,answer\n" + rows)
    offer = Offer.of_files([str(tmp_path / "q.csv")])
    assert offer.extractors == ("qa", "word-ngrams")
    assert offer.kept_apart == "qa"
    assert offer.units == ("row", "image", "question-answer")
    # The columns that are question, answer and image already are no further ones.
    assert offer.telling == ()
    assert offer.unit("first four words") == "first four words"


def test_what_fits_scenes_is_offered(tmp_path):
    scenes = ({"id": str(n), "objects": [{"name": "cup"}, {"name": "hat"}]} for n in range(3))
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(each) + "\n" for each in scenes))
    offer = Offer.of_files([str(tmp_path / "s.jsonl")])
    assert (offer.noun, offer.n_rows, offer.extractors) == ("scene", 3, ("object-pairs",))
    assert str(offer).startswith("3 scenes of format ")


# ---- what is wrong


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ((), "--method"),
        (("--method", "random"), "--by"),
        (("--method", "compound-holdout"), "--of"),
        (("--method", "random", "--by", "row"), "--share"),
        (("--method", "declared", "--by", "row"), "--val-iid"),
    ],
)
def test_without_a_terminal_a_missing_answer_names_its_option(command, data, given, option):
    ran = command("new", *given)
    assert ran.code == 2
    assert f"give it with {option}, or take defaults with --yes." in ran.message
    assert sorted(path.name for path in Path().iterdir()) == ["data.csv"]


def test_what_has_no_default_must_be_said(command):
    ran = command("new", "--yes")
    assert ran.code == 2
    assert ran.message == 'No answer to "What is kept apart? (auto: all that fit)": give it with --of.'


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--method", "randum"), 'There is no splitter "randum". Did you mean "random"?'),
        (("--of", "color+form"), 'There is no column "form".'),
        (("--of", "color"), '"color" is one column; combinations are of two or more, as color+OTHER.'),
        (("--of", "relations"), "relations does not fit these rows"),
        (("--of", "columns"), "Name the columns themselves, as color+shape."),
        (("--by", "clor"), 'There is no column or grouper "clor". Did you mean "color"?'),
        (("--option", "j=2"), 'has no option "j"'),
        (("--option", "of=qa"), "What is kept apart is said with --of."),
        (("--share", "test=1.5"), "must be positive and sum to 1"),
        (("--val-iid", "1"), "Option val-iid is '1'; expected a share below 1"),
        (("--val-ood", "much"), "Option val-ood is 'much'; expected a share such as 0.1"),
        (("--seed", "x"), "Option seed is 'x'; expected a whole number."),
        (("--as", "cvs"), 'There is no writer "cvs". Did you mean "csv"?'),
        (("--name", "../up"), '"../up" cannot name a recipe'),
    ],
)
def test_a_wrong_option_is_one_error_and_nothing_is_written(command, data, given, told):
    ran = command("new", data, "--yes", *given)
    assert ran.code == 2
    assert told in ran.err.splitlines()[-1]
    assert sorted(path.name for path in Path().iterdir()) == ["data.csv"]


def test_a_recipe_is_replaced_only_by_force(command, data):
    assert command("new", data, "--yes", "--name", "r").code == 0
    before = Path("r.toml").read_bytes()
    ran = command("new", data, "--yes", "--name", "r", "--seed", "5")
    assert ran.code == 2
    assert "r.toml is already there. Pass --force" in ran.err
    assert Path("r.toml").read_bytes() == before
    assert command("new", data, "--yes", "--name", "r", "--seed", "5", "--force").code == 0
    assert written("r")["seed"] == 5
