"""Recipes: found everywhere, extended, overridden, and refused with file, line and the nearest valid name."""

from __future__ import annotations

import json
import re
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from compsplit.errors import CompsplitError, RecipeError, UnknownNameError
from compsplit.recipe.parsing import Setting, from_mapping, load, recipe_names, recipe_text
from compsplit.recipe.written import shipped

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes a recipe into the current folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def written(text: str, name: str = "mine.toml") -> str:
        Path(name).write_text(text, encoding="utf-8")
        return name

    return written


@pytest.mark.parametrize("name", recipe_names())
def test_every_shipped_recipe_loads_and_says_its_source(name):
    recipe = load(name)
    assert recipe.title
    assert recipe.source
    assert recipe.targets.by_rule or sum(recipe.targets.fractions.values()) == 1
    assert recipe_text(name) == (ROOT / "recipes" / f"{name}.toml").read_text(encoding="utf-8")


def test_the_recipes_of_the_paper_and_the_general_ones_are_shipped():
    names = {"agrawal2017_cvqa", "agrawal2017_cvqa_vqa1", "agrawal2017_cvqa_easyvqa", "cover", "random"}
    assert names <= set(recipe_names())


def test_a_wheel_carries_the_recipes_to_where_they_are_looked_for():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert build["force-include"] == {"recipes": "compsplit/recipes"}
    assert shipped() in (ROOT / "recipes", ROOT / "compsplit" / "recipes")


def test_a_recipe_inside_the_package_is_found_before_the_one_beside_it(tmp_path, monkeypatch):
    import compsplit.recipe.written as written

    package = tmp_path / "compsplit"
    (package / "recipe").mkdir(parents=True)
    (tmp_path / "recipes").mkdir()
    monkeypatch.setattr(written, "__file__", str(package / "recipe" / "written.py"))
    assert written.shipped() == tmp_path / "recipes"
    (package / "recipes").mkdir()
    assert written.shipped() == package / "recipes"


def figures(value: Any) -> list[int | float]:
    """All numbers in a published section."""
    if isinstance(value, dict):
        return [number for key, held in value.items() if key != "place" for number in figures(held)]
    if isinstance(value, list):
        return [number for held in value for number in figures(held)]
    return [value] if isinstance(value, int | float) else []


def test_every_published_figure_of_cvqa_stands_in_the_papers_text(shared):
    (paper,) = (shared / "papers").glob("002*.txt")
    text = paper.read_text(encoding="utf-8")
    published = dict(load("agrawal2017_cvqa_vqa1").published)
    # The counts of the whole are the sums of train and val, which the text has.
    known_by = published.pop("known_by")
    wanted = figures(published)
    assert len(wanted) > 50
    for number in wanted:
        forms = {f"{number:,}", f"{number:.2f}", f"{number * 100:.2f}", f"{number * 100:.1f}"}
        assert number == 0 or any(re.search(rf"(?<![\d.]){re.escape(form)}(?![\d])", text) for form in forms), number
    by_measure = {each["measure"]: each["value"] for each in published["original"]}
    assert known_by["questions"] == by_measure["questions[questions][train]"] + by_measure["questions[questions][val]"]
    assert known_by["images"] == by_measure["images[images][train]"] + by_measure["images[images][val]"]
    assert known_by["answers"] == by_measure["answers[answers][train]"] + by_measure["answers[answers][val]"]


def test_published_table_2_has_the_rows_of_the_paper(shared):
    (paper,) = (shared / "papers").glob("002*.txt")
    lines = [line.split("\t")[1:] for line in paper.read_text(encoding="utf-8").splitlines()]
    printed = [line for line in lines if line and line[0] in ("VQA v1.0 val", "C-VQA test") and len(line) == 5]
    rows = load("agrawal2017_cvqa_vqa1").published["accuracy"]["rows"]
    assert [[row[1], *(f"{number:.2f}" for number in row[2:])] for row in rows] == printed


DATA = "id,image,question,answer\n" + "".join(f"{n},{n % 4},what is {n}?,yes\n" for n in range(12))
PUBLISHED = """
title = "Small"
source = "Nobody 2024, table 1"
[published]
source = "Nobody 2024"
known_by = { questions = 12, images = 4 }
[[published.figure]]
measure = "questions[questions][test]"
value = 5
place = "table 1"
[[published.figure]]
measure = "coverage[concepts][train->test]"
value = 0.5
place = "section 3"
[[published.figure]]
measure = "not-measured[x]"
value = 1
place = "section 4"
[[published.original]]
measure = "questions[questions][val]"
value = 6
place = "table 1"
"""


def test_published_stands_beside_obtained_when_the_counts_are_those_of_the_data(write, command):
    recipe = write(PUBLISHED)
    Path("in.csv").write_text(DATA)
    ran = command("run", recipe, "in.csv", "--out", "d", "--json")
    table = ran.json["tables"]["published beside obtained"]
    assert table["columns"] == ["measure", "published", "obtained", "place"]
    coverage = next(m["value"] for m in ran.json["measures"] if m["name"] == "coverage")
    assert table["rows"] == [
        ["questions[questions][test]", 5, 4, "table 1"],
        ["coverage[concepts][train->test]", 0.5, coverage, "section 3"],
        ["not-measured[x]", 1, None, "section 4"],
    ]
    assert "published beside obtained" in Path("d/report.md").read_text(encoding="utf-8")
    assert "published beside obtained" in command("run", recipe, "in.csv", "--plan").out


def test_an_audit_is_held_against_the_published_original_split(write, command):
    recipe = write(PUBLISHED)
    head, *lines = DATA.splitlines()
    for part, some in (("train", lines[:6]), ("val", lines[6:])):
        Path(f"{part}.csv").write_text("\n".join([head, *some]))
    report = command("audit", "train=train.csv", "val=val.csv", "--recipe", recipe, "--json").json
    table = report["tables"]["published beside obtained"]
    assert table["rows"] == [["questions[questions][val]", 6, 6, "table 1"]]


def test_published_is_not_shown_beside_other_data(write, command):
    recipe = write(PUBLISHED)
    Path("in.csv").write_text(DATA + "12,0,what is more?,yes\n")
    ran = command("run", recipe, "in.csv", "--plan", "--json")
    assert "published beside obtained" not in ran.json["tables"]


def refused(name: str, settings: tuple[str | Setting, ...] = ()) -> RecipeError:
    with pytest.raises(RecipeError) as caught:
        load(name, settings)
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("title = 1", 1, "title is 1; expected text"),
        ("tilte = 'x'", 1, 'no section or key "tilte". Did you mean "title"?'),
        ("title = 'x'\n[spilt]\nmethod = 'random'", 2, 'no section or key "spilt". Did you mean "split"?'),
        ("[split]\nmethod = 'radnom'", 2, 'no splitter "radnom". Did you mean "random"?'),
        ("[split]\n# more\nmethod = 'cover'\nkk = 2", 4, 'has no option "kk". Did you mean "k"?'),
        ("[split]\nmethod = 'cover'\nk = 'two'", 3, "Option split.k is 'two'; expected int"),
        ("[split]\nmethod = 3", 2, "method is 3; expected the name of a splitter"),
        ("[reduce]\nreducer = 'lexikal'", 2, 'no reducer "lexikal". Did you mean "lexical"?'),
        ("[reduce]\nkey_order = 'none'", 2, "expected one of ordered, auto, sorted"),
        ("[reduce]\nkey-ordre = 'auto'", 2, "Did you mean"),
        ("[extract]\nof = 'q'", 2, 'no extractor "q"'),
        ("[write]\nas = 'xlsx'", 2, 'no writer "xlsx"'),
        ("[read]\nformat = 'vaq'", 2, 'no reader "vaq". Did you mean "vqa"?'),
        ("[read]\nformat = 'daquar'\nnew_ids = true", 3, 'has no option "new_ids"'),
        ("[group]\nmissing = 'drop'", 2, 'expected "stop" or "leave-out"'),
        ("[group]\nby = ['image']", 2, "expected the name of a grouper"),
        ("seed = 1.5", 1, "seed is 1.5; expected a whole number"),
        ("seed = true", 1, "seed is True"),
        ("split = 5", 1, "split must be a section: [split]"),
        ("check = 'coverage > 0'", 1, "checks are a list of sections: [[check]]"),
        ("[check]\nrequire = 'coverage > 0'", 1, "checks are a list of sections: [[check]]"),
        ("[[check]]\nrequires = 'coverage > 0'", 2, 'check has no key "requires". Did you mean "require"?'),
        ("[[check]]\nrequire = 'coverage'", 2, '"coverage" is not a check'),
        ("[split]\nstrata = 'answer'", 2, "strata must be a list of column names"),
        ("[split]\nparts = 'x'", 2, "A split needs two parts or more, got none"),
        ("[split]\nparts = { train = 0.7, test = 0.4 }", 2, "got train=0.7 + test=0.4 = 1.1"),
        ("[split]\nparts = { train = 'x', test = 0.4 }", 2, "expected a fraction such as 0.3 or 1/3"),
        ("[split]\nparts = { train = nan, test = 0.4 }", 2, "expected a fraction such as 0.3 or 1/3"),
        ("[split]\nparts = { '../up' = 0.5, test = 0.5 }", 2, '"../up" cannot name a part'),
        ("[split]\nparts = { 'a b' = 0.5, test = 0.5 }", 2, "cannot name a part"),
        ("[split]\nparts = { '.hidden' = 0.5, test = 0.5 }", 2, "cannot name a part"),
        ("[split]\nparts = { '' = 0.5, test = 0.5 }", 2, "cannot name a part"),
        ("[split]\nparts = { " + "x" * 300 + " = 0.5, test = 0.5 }", 2, "cannot name a part"),
        ("[split]\nparts = { report = 0.5, test = 0.5 }", 2, 'no part can be called "report"'),
        ("[split]\nparts = { Manifest = 0.5, test = 0.5 }", 2, 'no part can be called "Manifest"'),
        ("[split]\nparts = { Test = 0.5, test = 0.5 }", 2, "differ only in capitals"),
        ("[published]\nfigures = 1", 2, 'published has no key "figures". Did you mean "figure"?'),
        ("[published]\nknown_by = { rows = 1 }", 2, "known_by gives whole numbers"),
        ("[published]\n[[published.figure]]\nmeasure = 'coverage[concepts]'", 2, "each figure has measure"),
        ("title = 'x", 1, "is not TOML"),
        ("extends = 'agrawal'", 1, 'extends "agrawal", which is neither a file beside it nor a shipped recipe'),
        ("extends = '../random'", 1, "without a path"),
        ("extends = '/etc/passwd'", 1, "without a path"),
        ("extends = '..'", 1, "without a path"),
        ("extends = 'a\\b'", 1, "without a path"),
        ("extends = 3", 1, "without a path"),
    ],
)
def test_a_wrong_recipe_is_refused_with_its_line(write, text, line, told):
    error = refused(write(text))
    assert told in error.message
    assert error.message.startswith(f"mine.toml, line {line}: ")
    assert error.file == "mine.toml"
    assert error.record == line


def test_a_fault_of_an_extended_recipe_names_that_recipe(write):
    write("title = 'base'\n[split]\nmethod = 'radnom'", "base.toml")
    error = refused(write("extends = 'base'\nseed = 3"))
    assert error.message.startswith("base.toml, line 3: ")


def test_recipes_that_extend_each_other_are_refused(write):
    write("extends = 'mine'", "other.toml")
    assert "extends itself through other.toml" in refused(write("extends = 'other'")).message


def test_a_recipe_that_extends_itself_is_refused(write):
    assert "extends itself" in refused(write("extends = 'mine'")).message


def test_a_recipe_beside_is_extended_before_a_shipped_one_and_none_of_another_folder(write, tmp_path):
    (tmp_path / "sub").mkdir()
    write("seed = 5", "there.toml")
    assert "neither a file beside it" in refused(write("extends = 'there'", "sub/mine.toml")).message
    write("seed = 7", "sub/random.toml")
    assert load(write("extends = 'random'", "sub/mine.toml")).seed == 7


def test_an_extending_recipe_changes_what_it_names_and_adds_checks(write):
    recipe = load(write("extends = 'agrawal2017_cvqa'\nseed = 9\n[[check]]\nrequire = 'coverage >= 0.1'\n"))
    base = load("agrawal2017_cvqa")
    assert recipe.seed == 9
    assert recipe.split.plugin is base.split.plugin
    assert [check.written for check in recipe.checks] == [*(c.written for c in base.checks), "coverage >= 0.1"]


def test_another_plug_in_drops_the_options_of_the_one_before(write):
    recipe = load(write("extends = 'cover'\n[split]\nmethod = 'random'\n"))
    assert recipe.split.options == {}
    assert recipe.strata == ("question_type", "answer_type")
    assert load("cover", ["split.k=2"]).split.options == {"k": 2}


@pytest.mark.parametrize("content", [b"title = '\xff'", b"x = " + b"[" * 100_000])
def test_a_recipe_that_is_no_text_or_too_deep_is_refused(write, content):
    Path("mine.toml").write_bytes(content)
    assert refused("mine.toml").file == "mine.toml"


def test_a_recipe_with_a_byte_order_mark_is_read(write):
    Path("mine.toml").write_bytes(b"\xef\xbb\xbfseed = 3\r\n")
    assert load("mine.toml").seed == 3


def test_an_unknown_recipe_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r'no recipe "randon"\. Did you mean "random"'):
        load("randon")


def test_a_folder_is_no_recipe(tmp_path):
    with pytest.raises(CompsplitError, match="is a folder, a recipe was expected"):
        load(str(tmp_path))


def test_a_shipped_name_is_not_shadowed_by_a_folder_or_file_of_a_run(write):
    write("seed = 5", "random")
    assert load("random").seed == 0


@pytest.mark.parametrize(
    ("setting", "field", "expected"),
    [
        ("seed=4", "seed", 4),
        ("seed=-12345678901234567890123", "seed", -12345678901234567890123),
        ("title=C-VQA of mine", "title", "C-VQA of mine"),
        ('title="7"', "title", "7"),
        ("group.missing=leave-out", "missing", "leave-out"),
        ('split.strata=["answer"]', "strata", ("answer",)),
        ("read.format=vqa", "format", "vqa"),
    ],
)
def test_set_overrides_one_key(setting, field, expected):
    assert getattr(load("random", [setting]), field) == expected


def test_set_overrides_one_part_and_leaves_the_other():
    recipe = load("random", ["split.parts.train=0.9", "split.parts.test=0.1"])
    assert recipe.targets.fractions == {"train": Fraction(9, 10), "test": Fraction(1, 10)}


def test_set_names_a_grouper_or_any_column():
    assert load("random", ["group.by=question-answer"]).group.plugin.name == "question-answer"
    assert load("random", ["group.by=scanner"]).group.options == {"column": "scanner"}


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("seed", '--set: "seed" is not section.key=value'),
        ("=3", "--set: "),
        ("a..b=3", "--set: "),
        ("sead=3", '--set: there is no section or key "sead". Did you mean "seed"?'),
        ("seed=abc", "--set: seed is 'abc'"),
        ("split.kk=3", '--set: The splitter random has no option "kk"'),
        ("split.method=radnom", '--set: There is no splitter "radnom"'),
        ("group.by.x=3", "--set: by is"),
        ("a.b.c.d=3", "nested too deeply"),
        ("check=3", "--set: checks are a list"),
        ('check=[{require="coverage"}]', '--set: "coverage" is not a check'),
        ("extends=random", "--set: extends is said in a recipe only"),
        ("split.parts=7", "--set: A split needs two parts"),
    ],
)
def test_a_wrong_setting_is_refused_as_a_setting(setting, told):
    assert told in refused("random", (setting,)).message


def test_an_option_of_the_command_line_is_named_in_its_error():
    assert refused("random", (Setting("seed", "x", "--seed"),)).message.startswith("--seed: ")


def test_a_resolved_recipe_makes_the_same_recipe_again():
    recipe = load("agrawal2017_cvqa_vqa1", ["reduce.key_order=sorted"])
    again = from_mapping("again", json.loads(json.dumps(recipe.resolved)))
    assert again.resolved == recipe.resolved
    assert again.reduce == recipe.reduce
    assert again.checks == recipe.checks


def test_a_mapping_is_checked_like_a_file():
    with pytest.raises(RecipeError, match="no section or key"):
        from_mapping("mine", {"spilt": {}})


# --- variables, files, and parts whose sizes a rule decides


def test_a_variable_stands_for_its_value_wherever_it_is_written(write):
    name = write(
        """title = "Split of ${what}"
[variables]
what = "mine"
share = "1/4"
[split]
parts = { train = "3/4", test = "${share}" }
"""
    )
    assert load(name).title == "Split of mine"
    assert load(name).targets.fractions["test"] == Fraction(1, 4)
    assert load(name, ["variables.what=yours"]).title == "Split of yours"
    assert "variables" not in load(name).resolved


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[group]\nby = '${unti}'\n[variables]\nunit = 'image'\n",
            'mine.toml, line 2: there is no variable "unti". Did you mean "unit"?',
        ),
        ("[variables]\nunit = ''\n[group]\nby = '${unit}'\n", "mine.toml, line 4: the variable unit has no value"),
    ],
)
def test_a_variable_without_a_value_is_refused_with_its_line(write, text, told):
    with pytest.raises(RecipeError) as refused:
        load(write(text))
    assert told in refused.value.message


def test_a_variable_may_name_a_file_which_a_recipe_has_beside_it_and_a_user_anywhere(write, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there/words.txt").write_text("the\n")
    text = "[variables]\nwords = 'words.txt'\n[reduce]\nstop_words = '${words}'\n"
    name = write(text, "there/mine.toml")
    assert load(name).files == {"reduce.stop_words": Path("there/words.txt")}
    assert load(name).resolved["reduce"]["stop_words"] == "words.txt"
    (tmp_path / "other.txt").write_text("a\n")
    other = tmp_path / "other.txt"
    assert load(name, [f"variables.words={other}"]).files == {"reduce.stop_words": other}
    assert load(name, [f"variables.words={other}"]).resolved["reduce"]["stop_words"] == "other.txt"
    outside = write(text.replace("'words.txt'", "'../words.txt'"), "there/outside.toml")
    with pytest.raises(RecipeError, match="must stand beside the recipe or in a folder there"):
        load(outside)


def test_parts_that_a_rule_decides_can_be_named_but_not_asked_for(write):
    name = write("[split]\nmethod = 'declared'\nparts = { train = 0.5, test = 0.5 }\n")
    with pytest.raises(RecipeError, match=r"mine.toml, line 3: declared decides by its rule how large each part is"):
        load(name)
    recipe = from_mapping("mine", {"split": {"method": "declared", "parts": ["a", "b"]}})
    assert recipe.targets.parts == ("a", "b")
    assert recipe.targets.sizes(10) == {}
    with pytest.raises(RecipeError, match=r"makes 2 parts \(train, test\) to be named, got a, b, c"):
        from_mapping("mine", {"split": {"method": "declared", "parts": ["a", "b", "c"]}})
    with pytest.raises(RecipeError, match="--share"):
        load(name, [Setting("split.parts", {"train": "1/2", "test": "1/2"}, "--share")])


def test_the_recipe_that_the_page_shows_is_one(write, tmp_path):
    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    text = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert text is not None
    (tmp_path / "red_cubes.txt").write_text("red | cube\n")
    recipe = load(write(text[1]))
    assert recipe.split.options["held_out"] == "red_cubes.txt"
    assert recipe.validation is not None
    assert recipe.write.plugin.name == "huggingface"
    members = re.search(r"```toml\n  (\[split\].*?)```", page, re.DOTALL)
    assert members is not None
    assert load(write(members[1], "members.toml")).split.plugin.name == "union"


@pytest.mark.parametrize(
    "text",
    [
        "[variables]\nf = '/etc'\n[split]\nmethod = 'compound-holdout'\nchoose = 'list'\nheld_out = '${f}/passwd'\n",
        "[variables]\nf = '..'\n[split]\nmethod = 'compound-holdout'\nchoose = 'list'\nheld_out = '${f}/x'\n",
        "[split]\nmethod = 'compound-holdout'\nchoose = 'list'\nheld_out = '/etc/passwd'\n",
        "[split]\nmethod = 'union'\nof = [{ method = 'co-occurrence-groups', groups = '../groups.csv' }]\n",
        "[read]\nformat = 'vrd'\nobjects = '/etc/passwd'\n",
        "[read]\nformat = 'scenes'\naliases = { objects = '../names.txt' }\n",
        "[reduce]\nstop_words = 'link.txt'\n",
    ],
)
def test_a_recipe_reads_nothing_outside_its_folder(write, tmp_path, text):
    (tmp_path.parent / "outside.txt").write_text("secret\n")
    (tmp_path / "link.txt").symlink_to(tmp_path.parent / "outside.txt")
    with pytest.raises(RecipeError, match="must stand beside the recipe or in a folder there"):
        load(write(text))


def test_the_user_may_name_files_anywhere(write, tmp_path):
    outside = tmp_path.parent / "mine.txt"
    outside.write_text("the\n")
    assert load("random", [f"reduce.stop_words={outside}"]).files == {"reduce.stop_words": outside}
    vrd = load("random", ["read.format=vrd", f"read.objects={outside}"])
    assert vrd.read_options == {"objects": str(outside)}
    assert vrd.resolved["read"] == {"format": "vrd", "objects": "mine.txt"}


def test_a_variable_that_the_recipe_does_not_have_is_refused_with_the_nearest(write):
    name = write("[variables]\nwords = 'a'\n")
    with pytest.raises(RecipeError, match=r'the recipe has no variable "word"\. Did you mean "words"'):
        load(name, ["variables.word=b"])


@pytest.mark.parametrize(
    ("recipe", "settings"),
    [
        ("lake2018_length_scan", []),
        ("unseen_word", ["split.words=['cube']"]),
        ("template_questions", ["split.pattern=cube"]),
        ("by_group", ["split.fold=1/3"]),
    ],
)
def test_a_share_that_would_not_matter_is_refused(recipe, settings):
    share = Setting("split.parts", {"train": "1/2", "test": "1/2"}, "--share")
    with pytest.raises(RecipeError, match="so no share can be asked for besides"):
        load(recipe, [*settings, share])


@pytest.mark.parametrize("number", [2**31, 10**23, -(10**23)])
def test_a_number_larger_than_any_data_is_refused(number):
    with pytest.raises(RecipeError, match=r"expected a whole number of at most 2,147,483,647"):
        from_mapping("mine", {"split": {"method": "cover", "k": number}})
    with pytest.raises(RecipeError, match=r"expected whole numbers of at most"):
        from_mapping("mine", {"split": {"method": "length", "lengths": [number]}})
