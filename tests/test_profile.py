"""What a question profile says: length, parts of speech, kinds and vocabulary, each by hand on a few questions."""

from __future__ import annotations

import csv
import itertools
import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compsplit import api
from compsplit.describing.profiling import Tagging, profile_tables
from compsplit.errors import BrokenResourceError, OptionValueError, ResourceError, UnknownNameError, UsageError
from compsplit.model import Report, Undefined
from compsplit.recipe.parsing import load
from compsplit.reducers.tagging import Tagger, installed_pipeline

# Words that a pipeline may meet, with their part of speech.
SPEECH = {
    "what": "PRON", "is": "AUX", "the": "DET", "dog": "NOUN", "rex": "PROPN", "red": "ADJ", "big": "ADJ",
    "holding": "VERB", "on": "ADP", "in": "ADP", "table": "NOUN", "?": "PUNCT",
}  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    import spacy

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    for word, part in SPEECH.items():
        ruler.add([[{"LOWER": word}]], {"POS": part})
    nlp.meta["name"], nlp.meta["version"] = "tiny", "1.2.3"
    folder = tmp_path_factory.mktemp("pipelines") / "tiny"
    nlp.to_disk(folder)
    return str(folder)


@pytest.fixture(autouse=True)
def no_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pipeline is installed, wherever the tests run."""
    monkeypatch.setattr("spacy.util.get_installed_models", list)


def table(folder: Path, name: str, rows: Sequence[tuple[str, str]], **more: Sequence[str]) -> Path:
    """Write a CSV of questions and answers."""
    path = folder / f"{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file)
        written.writerow(["question_id", "question", "answer", *more])
        for k, (row, *others) in enumerate(zip(rows, *more.values(), strict=True)):
            written.writerow([f"{name}{k}", *row, *others])
    return path


def gqa(folder: Path, name: str, programs: Sequence[Sequence[tuple[str, str, Sequence[int]]]]) -> Path:
    """Write GQA questions without labels; question k has the program k."""
    records = {
        f"{k}": {
            "question": f"Question {k}?", "imageId": "1", "answer": "yes",
            "semantic": [{"operation": o, "argument": a, "dependencies": list(d)} for o, a, d in steps],
        }
        for k, steps in enumerate(programs)
    }  # fmt: skip
    path = folder / f"{name}.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def profiled(**sets: Any) -> Report:
    report: Report = api.profile(sets).report
    return report


def values(report: Report, name: str, part: str | None = None, **options: object) -> dict[str, Any]:
    """Return of -> value of the measures of a name."""
    return {
        m.of: m.value for m in report.measures
        if (m.name == name and part in (None, m.part) and all(m.options.get(k) == v for k, v in options.items()))
    }  # fmt: skip


# --- length


def test_words_have_mean_and_population_spread_and_punctuation_is_none(tmp_path):
    rows = [("What is it?", "a"), ("What is it?", "b"), ("Is the red dog big ?", "c"), ("Where?", "d")]
    report = profiled(a=table(tmp_path, "a", rows))
    # 3, 3, 5 and 1 words: mean 3, mean square of the differences (0 + 0 + 4 + 4) / 4.
    assert report.get("words-a-question").value == 3
    assert report.get("words-a-question").n == 4
    assert report.get("words-a-question-spread").value == math.sqrt(2)
    lengths = report.tables["words a question"]
    assert lengths.columns == ("words", "a", "a share")
    assert lengths.rows == ((1, 1, 0.25), (2, 0, 0), (3, 2, 0.5), (4, 0, 0), (5, 1, 0.25))


def test_the_histogram_runs_over_the_lengths_of_both(tmp_path):
    one, other = table(tmp_path, "a", [("one two", "x")] * 3), table(tmp_path, "b", [("one two three four", "x")])
    assert profiled(a=one, b=other).tables["words a question"].rows == (
        (2, 3, 1, 0, 0), (3, 0, 0, 0, 0), (4, 0, 0, 1, 1),
    )  # fmt: skip


def test_rows_without_a_question_are_counted_and_told(tmp_path):
    report = profiled(a=table(tmp_path, "a", [("one two", "x"), ("", "y")]))
    assert report.get("words-a-question").n == 1
    assert [(f.kind, f.count, f.first) for f in report.findings if f.kind == "no-question"] == [
        ("no-question", 1, ("a1",))
    ]


# --- parts of speech


def test_parts_of_speech_are_counted_by_a_pipeline_of_the_users(tmp_path, model):
    rows = [("What is Rex holding?", "a"), ("What is Rex holding?", "b"), ("Is the red dog on the table?", "c")]
    report = api.profile({"a": table(tmp_path, "a", rows)}, tagger=model).report
    # Verbs 2, 2, 1 (is, holding; is); nouns 1, 1, 2; adjectives 0, 0, 1; prepositions 0, 0, 1.
    assert report.get("verbs-a-question").value == Fraction(5, 3)
    assert report.get("nouns-a-question").value == Fraction(4, 3)
    assert report.get("adjectives-a-question").value == report.get("prepositions-a-question").value == Fraction(1, 3)
    assert report.get("verbs-a-question-spread").value == pytest.approx(math.sqrt(2) / 3, abs=1e-15)
    assert report.get("nouns-a-question").options["tags"] == "NOUN, PROPN"
    assert report.subject["tagger"].startswith("en_tiny 1.2.3, spaCy 3.")


def test_which_parts_of_speech_are_verbs_is_an_option(tmp_path, model):
    file = table(tmp_path, "a", [("What is Rex holding?", "a")])
    report = api.profile({"a": file}, tagger=model, tags=["verbs=VERB", "nouns=noun, NOUN"]).report
    assert (report.get("verbs-a-question").value, report.get("nouns-a-question").value) == (1, 0)
    assert report.get("verbs-a-question").options["tags"] == "VERB"
    with pytest.raises(UnknownNameError, match='no kind of word "verb"'):
        api.profile({"a": file}, tags=["verb=VERB"])
    with pytest.raises(UnknownNameError, match=r'no part of speech "VRB".*"VERB"'):
        api.profile({"a": file}, tags=["verbs=VRB"])
    with pytest.raises(OptionValueError, match="KIND=TAG"):
        api.profile({"a": file}, tags=["verbs"])


def test_without_a_pipeline_they_are_undefined_and_the_rest_is_there(tmp_path, command):
    file = table(tmp_path, "a", [("What is it?", "it")])
    ran = command("profile", file, "--json")
    assert ran.code == 0
    measures = {m["name"]: m for m in ran.json["measures"] if m["part"] == "a"}
    assert measures["verbs-a-question"]["value"] is None
    assert "python -m spacy download en_core_web_sm" in measures["verbs-a-question"]["reason"]
    assert measures["words-a-question"]["value"] == 3
    said = " ".join(command("profile", file).out.split())
    assert "8 figures are undefined: no spaCy pipeline with a tagger is installed. Get a pipeline" in said


def test_a_pipeline_that_is_named_and_not_there_is_an_error(tmp_path, command):
    ran = command("profile", table(tmp_path, "a", [("What is it?", "it")]), "--tagger", "en_none_sm")
    assert ran.code == 2
    assert ran.message.startswith("The spaCy pipeline en_none_sm is not installed.")
    assert ran.message.endswith("Without the option the other measures are taken all the same.")


def broken(folder: Path, fault: str) -> str:
    """Write a pipeline with a tagger, and spoil it."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("tagger").add_label("NN")
    nlp.initialize()
    path = folder / "en_broken"
    nlp.to_disk(path)
    config = path / "config.cfg"
    match fault:
        case "no file":
            (path / "meta.json").unlink()
        case "no JSON":
            (path / "meta.json").write_text("{")
        case "no config":
            config.write_text("rubbish")
        case "unknown component":
            config.write_text(config.read_text().replace('factory = "tagger"', 'factory = "tugger"'))
        case "other language":
            config.write_text(config.read_text().replace('lang = "en"', 'lang = "qq"'))
        case "weights":
            (path / "tagger" / "model").write_bytes(b"")
    return str(path)


FAULTS = ("no file", "no JSON", "no config", "unknown component", "other language", "weights")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_pipeline_that_is_broken_is_one_error_that_names_it(tmp_path, command, fault):
    file, pipeline = table(tmp_path, "a", [("What is it?", "it")]), broken(tmp_path, fault)
    ran = command("profile", file, "--tagger", pipeline, "--out", "out")
    assert ran.code == 2
    assert ran.message.startswith(f"The spaCy pipeline {pipeline} is there and cannot be used: ")
    assert not Path("out").exists()


@pytest.mark.parametrize("fault", FAULTS)
def test_an_installed_pipeline_that_is_broken_leaves_the_other_figures(tmp_path, command, monkeypatch, fault):
    pipeline = broken(tmp_path, fault)
    monkeypatch.setattr("spacy.util.get_installed_models", lambda: ["en_broken"])
    monkeypatch.setattr("spacy.util.get_package_path", lambda name: tmp_path / name)
    load = sys.modules["spacy"].load
    monkeypatch.setattr("spacy.load", lambda name, **options: load(tmp_path / name, **options))
    ran = command("profile", table(tmp_path, "a", [("What is it?", "it")]), "--json")
    assert ran.code == 0
    measures = {m["name"]: m for m in ran.json["measures"] if m["part"] == "a"}
    assert measures["words-a-question"]["value"] == 3
    assert measures["verbs-a-question"]["value"] is None
    assert measures["verbs-a-question"]["reason"].startswith("The spaCy pipeline en_broken is there and cannot be used")
    assert "Without the option" not in measures["verbs-a-question"]["reason"]
    assert Path(pipeline).is_dir()


def test_an_installed_pipeline_that_assigns_no_part_of_speech_leaves_the_other_figures(tmp_path, monkeypatch):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "en_blank")
    monkeypatch.setattr("compsplit.describing.profiling.installed_pipeline", lambda: str(tmp_path / "en_blank"))
    report = profiled(a=table(tmp_path, "a", [("What is it?", "it")]))
    assert report.get("words-a-question").value == 3
    assert "no word got a part of speech" in report.get("verbs-a-question").value.reason


def test_a_component_that_fails_over_a_text_is_an_error_that_names_the_pipeline(tmp_path, model, monkeypatch):
    tagger = Tagger(model)

    def fail(document: Any) -> Any:
        raise KeyError(f"no row of {document[0]}")

    monkeypatch.setattr(tagger._nlp, "pipe", lambda texts, **_: map(fail, [["What"]] * len(texts)))
    with pytest.raises(BrokenResourceError, match="tiny is there and cannot be used: KeyError: 'no row of What'"):
        tagger.counts(["What is it?"], {"verbs": ("VERB",)}, print)


def test_a_folder_of_something_else_is_refused_before_anything_is_read(tmp_path, command):
    Path("other").mkdir()
    Path("other/mine.txt").touch()
    ran = command("profile", "none.csv", "--out", "other", "--force", "--tagger", "none")
    assert ran.code == 2
    assert "is not a folder that compsplit wrote an audit, an evaluation, a probe or a profile to" in ran.message


def test_a_pipeline_that_assigns_no_part_of_speech_is_refused(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ResourceError, match=r"A tagger in the spaCy pipeline .*It has no component"):
        Tagger(str(tmp_path / "blank")).counts(["what is it"], {"verbs": ("VERB",)}, print)


class Listening(Tagger):
    """A tagger that keeps what it is shown, and counts a verb for each letter."""

    def __init__(self) -> None:
        self.name = "listening"
        self.shown: list[str] = []

    def counts(self, texts: Sequence[str], kinds: Mapping[str, Sequence[str]], watch: Any) -> Any:
        self.shown += texts
        return np.array([[len(text), 0, 0, 0] for text in texts])


def test_questions_are_tagged_once_each_and_in_alphabetical_order(tmp_path):
    tagger = Listening()
    read = api.read(table(tmp_path, "a", [("cc", "x"), ("a", "x"), ("bbb", "x"), ("cc", "x")]))
    report = profile_tables({"a": read}, Tagging(tagger=tagger))
    assert tagger.shown == ["a", "bbb", "cc"]  # a batch does not depend on the order of rows
    assert report.get("verbs-a-question").value == 2


def test_no_tagger_is_taken_where_none_is_wanted(tmp_path):
    report = api.profile({"a": table(tmp_path, "a", [("What is it?", "it")])}, tagger="none").report
    assert report.get("verbs-a-question").value == Undefined("no tagger was asked for (--tagger none)")


@pytest.mark.parametrize(
    ("installed", "taken"),
    [
        ({"en_b": ["tagger"], "en_a": ["tagger"], "de_a": ["tagger"]}, "en_a"),
        ({"en_a": ["tagger"], "en_core_web_sm": ["tok2vec", "tagger"]}, "en_core_web_sm"),
        ({"en_a": ["ner"], "en_b": ["morphologizer"]}, "en_b"),
        ({"de_a": ["tagger"], "en_a": []}, None),
    ],
)
def test_an_installed_english_pipeline_with_a_tagger_is_taken(monkeypatch, installed: Mapping[str, Any], taken):
    monkeypatch.setattr("spacy.util.get_installed_models", lambda: list(installed))
    monkeypatch.setattr("spacy.util.get_package_path", Path)
    monkeypatch.setattr("spacy.util.load_meta", lambda path: {"pipeline": installed[path.parent.name]})
    assert installed_pipeline() == taken


# --- vocabulary


ONE = [("What is it?", "dog"), ("what IS it", "Dog."), ("Is it red?", "yes")]
OTHER = [("Is it what?", "dog"), ("Is that red", "no"), ("!?", "cat")]


def test_vocabularies_cover_each_other_by_hand(tmp_path):
    report = profiled(one=table(tmp_path, "one", ONE), other=table(tmp_path, "other", OTHER))
    # Words of one: what is it red; of the other: is it what that red, and one question has no word.
    assert values(report, "distinct-words") == {"question words": 5}
    assert report.get("distinct-words", part="one").value == 4
    assert report.get("distinct-answers", "answers as written", part="one").value == 3
    assert report.get("distinct-answers", "answers (normalised)", part="one").value == 2
    rows = values(report, "vocabulary-coverage", "other", unit="rows")
    assert rows == {"questions by their words": Fraction(1, 2), "answers": Fraction(1, 3)}
    assert values(report, "vocabulary-coverage", "one", unit="rows") == {
        "questions by their words": 1, "answers": Fraction(2, 3),
    }  # fmt: skip
    assert values(report, "vocabulary-coverage", "other", unit="occurrences") == {"question words": Fraction(5, 6)}
    distinct = {"questions by their words": Fraction(1, 2), "question words": Fraction(4, 5), "answers": Fraction(1, 3)}
    assert values(report, "vocabulary-coverage", "other", unit="distinct") == distinct
    assert report.verdict.endswith(
        "the vocabulary of one covers 50.0 % of the questions and 33.3 % of the answers of other; the vocabulary of "
        "other covers 100.0 % of the questions and 66.7 % of the answers of one."
    )


def test_a_question_counts_as_often_as_it_is_asked_and_its_words_with_it(tmp_path):
    rows = [*[("is red", "yes")] * 3, ("is dog", "no")]
    report = profiled(one=table(tmp_path, "one", [("is red", "yes")]), other=table(tmp_path, "other", rows))
    assert values(report, "vocabulary-coverage", "other", unit="occurrences") == {"question words": Fraction(7, 8)}
    assert values(report, "vocabulary-coverage", "other", unit="rows") == {
        "questions by their words": Fraction(3, 4), "answers": Fraction(3, 4),
    }  # fmt: skip
    assert values(report, "vocabulary-coverage", "other", unit="distinct") == {
        "questions by their words": Fraction(1, 2), "question words": Fraction(2, 3), "answers": Fraction(1, 2),
    }  # fmt: skip


def test_words_and_answers_of_rows_that_are_left_out_are_in_no_vocabulary(tmp_path):
    whole = api.read(table(tmp_path, "other", [("is dog", "no"), ("is red", "yes")]))
    kept = whole.keep(np.array([False, True]), "of another study", "rows of another study left out")
    report = profiled(one=table(tmp_path, "one", [("is dog", "no"), ("is red", "yes")]), other=kept)
    assert report.get("distinct-words", part="other").value == 2
    assert values(report, "vocabulary-coverage", "one", unit="distinct") == {
        "questions by their words": Fraction(1, 2), "question words": Fraction(2, 3), "answers": Fraction(1, 2),
    }  # fmt: skip


def test_coverage_is_what_the_audit_of_two_parts_says(shared):
    sets = {
        "daquar": shared / "data" / "daquar" / "all_qa_pairs.txt",
        "easy": shared / "data" / "easy_vqa" / "test" / "questions.json",
    }
    report = profiled(**sets)
    for reference, part in itertools.permutations(sets):
        tables = {name: api.read(sets[name]) for name in (reference, part)}
        audit = api.audit(tables, reference=reference, of=["question-words"])
        for of in ("questions by their words", "answers"):
            ours = report.get("vocabulary-coverage", of, reference, part)
            theirs = audit.get("vocabulary-coverage", of, reference, part)
            assert (ours.value, ours.n) == (theirs.value, theirs.n)


def test_coverage_of_a_set_without_answers_is_undefined_with_its_reason(tmp_path):
    report = profiled(one=table(tmp_path, "one", ONE), other=table(tmp_path, "other", [("Is it?", "")]))
    assert report.get("vocabulary-coverage", "answers", "one", "other").value == Undefined("other has no answer")
    assert report.get("vocabulary-coverage", "answers", "other", "one").value == Undefined("other has no answer")
    assert report.get("vocabulary-coverage", "questions by their words", "one", "other").value == 1


# --- kinds and types

SAMPLES = (
    "codevqa/gqa_examples50.json", "allennlp/questions.json", "allennlp/questions1.json",
    "gazevlm/SAMPLE-val_balanced_questions.json",
)  # fmt: skip


def samples(shared: Path) -> list[Path]:
    return [shared / "data" / "gqa" / name for name in SAMPLES]


def labels_of(files: Sequence[Path], kind: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for file in files:
        records = json.loads(file.read_text("utf-8"))
        for record in records if isinstance(records, list) else records.values():
            found[record["types"][kind]] += 1
    return found


def shares_of(report: Report, kind: str) -> dict[str, Fraction]:
    found = values(report, "question-share")
    return {of.removeprefix(f"{kind}: "): value for of, value in found.items() if of.startswith(f"{kind}: ")}


def test_the_real_questions_have_the_shares_of_their_labels(shared):
    report = api.profile({"gqa": samples(shared)}, new_ids=True).report
    for kind in ("structural", "semantic"):
        expected = labels_of(samples(shared), kind)
        assert sum(expected.values()) == 57
        assert shares_of(report, kind) == {label: Fraction(n, 57) for label, n in expected.items()}
    semantic = labels_of(samples(shared), "semantic")
    assert values(report, "question-share")["relation"] == Fraction(semantic["rel"], 57)
    steps = report.tables["steps (official)"].rows
    # 2, 33 and 19 of 57 with one, two and three steps, and 3 with more: what the types text says of them.
    assert [row[:2] for row in steps[:3]] == [("1", 2), ("2", 33), ("3", 19)]
    assert sum(row[1] for row in steps[3:]) == 3
    assert values(report, "question-share")["compositional"] == Fraction(22, 57)
    assert report.subject["sets"]["gqa"]["types told by"] == {
        "structural": "labels", "semantic": "labels", "steps": "labels",
    }  # fmt: skip


def test_programs_tell_types_where_there_are_no_labels(shared, tmp_path):
    file = shared / "data" / "gqa" / SAMPLES[0]
    records = json.loads(file.read_text("utf-8"))
    for record in records:
        del record["types"]
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps(records), encoding="utf-8")
    labelled, told = profiled(gqa=file), profiled(gqa=bare)
    for kind in ("structural", "semantic"):
        assert shares_of(told, kind) == shares_of(labelled, kind) != {}
        assert told.subject["sets"]["gqa"]["types told by"][kind] == "programs"


LEFT = ("relate", "dog,to the left of,s (2)", [0])
TABLE = ("select", "table (1)", ())


def test_kinds_of_questions_by_hand(tmp_path):
    report = profiled(
        gqa=gqa(
            tmp_path,
            "gqa",
            [
                [TABLE, LEFT, ("query", "name", [1])],  # relation, spatial, 2 steps
                [TABLE, ("relate", "dog,holding,s (2)", [0]), ("query", "name", [1])],  # relation, 2 steps
                [TABLE, ("query", "hposition", [0])],  # spatial: a position is asked, 2 steps
                [TABLE, ("verify rel", "dog,on,s (2)", [0])],  # relation, spatial, 2 steps
                [TABLE, ("filter color", "not(red)", [0]), ("exist", "?", [1])],  # logical, 2 steps
                [TABLE, ("select", "dog (2)", ()), ("different color", "?", [0, 1])],  # comparative, logical, 3 steps
                [("select", "bare (3)", ()), ("exist", "?", [0])],  # none of them, 1 step
            ],
        )
    )
    shares = values(report, "question-share")
    assert (shares["relation"], shares["spatial"], shares["logical"]) == tuple(Fraction(n, 7) for n in (3, 3, 2))
    assert (shares["comparative"], shares["compositional"]) == (Fraction(1, 7), Fraction(1, 7))
    assert [row[:2] for row in report.tables["steps (official)"].rows] == [("1", 1), ("2", 5), ("3", 1)]
    assert report.get("question-share", "logical").options["means"] == (
        "programs that hold and, or, not(...) or different"
    )


CLOSURE = "data/clevr/closure/closure_train_questions.json"


def test_a_profile_and_the_programs_give_the_same_shares_or_the_same_reason(shared, tmp_path):
    """Of CLEVR's programs neither says what is related, logical or comparative; of both together GQA's are counted."""
    clevr = api.read(shared / CLOSURE)
    only, programs = profiled(clevr=clevr), api.describe_programs(shared / CLOSURE).report
    reason = Undefined("types and logic are of GQA's programs, and there is none")
    lines = {line[0]: line[2:] for line in programs.tables["shares"].rows}
    for kind in ("relation", "logical", "comparative"):
        assert only.get("question-share", kind).value == programs.get(f"{kind}-share").value == reason
        assert lines[kind] == (None, None)
        assert (f"{kind} share", reason.reason, 252) in programs.tables["undefined"].rows
    for kind in ("spatial", "compositional"):
        assert only.get("question-share", kind).value == programs.get(f"{kind}-share").value > 0
        assert lines[kind][0] == round(252 * programs.get(f"{kind}-share").value)
    relation = [["select", ["table"], []], ["relate", ["dog", "on", "s"], [0]], ["query", ["name"], [1]]]
    different = [["select", ["table"], []], ["select", ["dog"], []], ["different color", [], [0, 1]]]
    with (tmp_path / "both.csv").open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file)
        written.writerow(["question_id", "question", "answer", "program"])
        for k, program in enumerate(
            [
                *clevr.columns["program"].names,
                *(json.dumps(each, separators=(",", ":")) for each in (relation, different)),
            ]
        ):
            written.writerow([f"q{k}", f"What {k}?", "yes", program])
    both, told = profiled(both=tmp_path / "both.csv"), api.describe_programs(tmp_path / "both.csv").report
    for kind in ("relation", "logical", "comparative"):
        measure = both.get("question-share", kind)
        assert (measure.value, measure.n) == (Fraction(1, 2), 2)
        assert told.get(f"{kind}-share").value == Fraction(1, 2)


def test_labels_go_before_what_programs_tell(tmp_path):
    file = gqa(tmp_path, "gqa", [[TABLE, ("exist", "?", [0])], [TABLE, ("exist", "?", [0])]])
    records = json.loads(file.read_text("utf-8"))
    records["0"]["types"] = {"structural": "query", "semantic": "cat", "detailed": "x"}
    file.write_text(json.dumps(records), encoding="utf-8")
    report = profiled(gqa=file)
    assert shares_of(report, "structural") == {"query": Fraction(1, 2), "verify": Fraction(1, 2)}
    assert report.subject["sets"]["gqa"]["types told by"]["structural"] == "labels, programs"


def test_a_program_of_which_no_rule_speaks_is_told_and_not_counted(tmp_path):
    file = gqa(tmp_path, "gqa", [[TABLE, ("ponder", "?", [0])], [TABLE, ("exist", "?", [0])]])
    report = profiled(gqa=file)
    assert shares_of(report, "structural") == {"verify": 1}
    assert report.get("question-share", "structural: verify").n == 1
    found = next(f for f in report.findings if f.kind == "no-type")
    assert (found.count, found.first) == (1, ("0",))
    assert "of which no rule speaks" in found.message


def test_questions_with_neither_programs_nor_labels_have_no_share_and_it_is_said_why(tmp_path):
    report = profiled(a=table(tmp_path, "a", ONE))
    shares = values(report, "question-share")
    assert set(shares) == {"relation", "spatial", "logical", "comparative", "compositional"}
    assert shares["spatial"] == shares["logical"] == Undefined("no question has a program")
    assert shares["relation"] == Undefined("no question has a semantic type or a program that has one")
    assert not {"structural types", "semantic types", "steps (official)"} & set(report.tables)


def test_labels_of_a_table_are_counted_over_the_rows_that_have_one(tmp_path):
    more = {"semantic": ["rel", "", "attr"], "structural": ["compare", "query", ""], "steps": ["3", "select", "2"]}
    report = profiled(a=table(tmp_path, "a", ONE, **more))
    shares = values(report, "question-share")
    assert shares["relation"] == shares["comparative"] == shares["compositional"] == Fraction(1, 2)
    assert report.get("question-share", "relation").n == 2
    assert next(f for f in report.findings if f.kind == "no-steps").count == 1
    assert shares["spatial"] == Undefined("no question has a program")


PAGE = Path(__file__).parents[1] / "docs" / "profile.md"


def test_the_page_shows_what_the_command_prints_of_real_files(shared):
    vqa = [shared / "data" / "vqa" / "smallval" / f"smallval_{kind}.json" for kind in ("questions", "annotations")]
    report = profiled(vqa=vqa, gqa=shared / "data" / "gqa" / SAMPLES[0])
    text = PAGE.read_text(encoding="utf-8").split("## A real pair")[1].split("##")[0]
    shown = [line for line in text.splitlines() if line.startswith("|")][2:]
    lines = {f"| {' | '.join(row)} |" for row in report.tables["profile"].rows}
    # Parts of speech were counted by a pipeline that is not here.
    measured = [line for line in shown if not line.startswith(("| verbs", "| nouns", "| adjectives", "| prepositions"))]
    assert (len(shown), len(measured)) == (13, 9)
    assert set(measured) <= lines


def test_the_page_gives_the_figures_that_the_recipe_says_the_paper_has():
    text = PAGE.read_text(encoding="utf-8").split("## What the GQA paper publishes")[1]
    rows = {row[0].split(",")[0]: row[1:] for row in load("hudson2019_split_gqa").published["profile"]["rows"]}
    for name, (vqa, vqa_spread, gqa_mean, gqa_spread) in rows.items():
        line = next(line for line in text.splitlines() if line.startswith(f"| {name}"))
        told = [f"{m} ± {s}" if s != "-" else f"{m}" for m, s in ((vqa, vqa_spread), (gqa_mean, gqa_spread))]
        assert [cell.strip() for cell in line.split("|")[2:5]] == [*told, "unchecked"]


# --- the same statistics of one data set, among others, in a description


def test_a_description_counts_words_and_has_types_and_steps_where_the_data_have_them(shared, tmp_path):
    assert api.describe(table(tmp_path, "one", ONE)).get("question-words").value == 4  # what is it red
    report = api.describe(shared / "data" / "gqa" / SAMPLES[0])
    for kind in ("structural", "semantic"):
        assert dict(report.tables[f"{kind} types"].rows) == labels_of(samples(shared)[:1], kind)
    assert sum(n for _, n in report.tables["steps"].rows) == 50
    assert not {"structural types", "steps"} & set(api.describe(table(tmp_path, "one", ONE)).tables)


# --- the command


def test_names_gather_the_files_of_a_data_set(tmp_path, command):
    questions = {"questions": [{"question_id": 1, "image_id": 2, "question": "What is it?"}]}
    annotations = {
        "annotations": [{"question_id": 1, "image_id": 2, "multiple_choice_answer": "dog", "answers": []}]
    }  # fmt: skip
    for name, record in (("q.json", questions), ("a.json", annotations)):
        (tmp_path / name).write_text(json.dumps(record), encoding="utf-8")
    table(tmp_path, "one", ONE)
    ran = command("profile", "vqa=q.json", "vqa=a.json", "mine=one.csv", "--json")
    assert ran.code == 0
    assert {name: found["rows"] for name, found in ran.json["subject"]["sets"].items()} == {"vqa": 1, "mine": 3}
    alone = command("profile", "vqa=q.json", "mine=one.csv", "--column", "answer=answer", "--json")
    assert alone.code == 0  # the option is for the reader that has it


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["a.csv", "b.csv", "c.csv"], "A profile is of one data set, or of two, got 3: a, b, c."),
        (["x=a.csv", "b.csv"], '"b.csv" does not say its data set; name it NAME=b.csv, as the others.'),
        (["a.csv", "deep/a.csv"], "Two files are called a; name the data sets, as NAME=a.csv."),
        (["scenes.jsonl"], "scenes holds scenes (scenes); a profile is of questions."),
    ],
)
def test_what_is_no_pair_of_data_sets_is_refused(tmp_path, command, given, told):
    (tmp_path / "deep").mkdir()
    for name in ("a", "b", "c", "deep/a"):
        table(tmp_path, name, ONE)
    (tmp_path / "scenes.jsonl").write_text('{"id": "1", "objects": [{"class": "dog"}]}\n', encoding="utf-8")
    ran = command("profile", *given)
    assert (ran.code, ran.message) == (2, told)


def test_rows_without_any_question_are_refused(tmp_path):
    with pytest.raises(UsageError, match="a holds no questions"):
        profiled(a=table(tmp_path, "a", [("", "yes"), ("", "no")]))


def test_the_order_of_rows_and_of_files_changes_no_byte(tmp_path, command, model):
    rows = [*ONE, *OTHER]
    outs = []
    for place, order in (("a", rows), ("b", rows[::-1])):
        folder = tmp_path / place
        folder.mkdir()
        path = folder / "set.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            written = csv.writer(file)
            written.writerow(["question_id", "question", "answer"])
            written.writerows((f"{rows.index(row)}", *row) for row in order)
        outs.append(command("profile", f"x={path}", "--tagger", model, "--json").out)
    assert outs[0] == outs[1] != ""


def test_a_folder_keeps_the_report_and_what_it_was_made_from(tmp_path, command):
    table(tmp_path, "one", ONE)
    ran = command("profile", "one.csv", "--out", "profile", "--json")
    folder = tmp_path / "profile"
    assert json.loads((folder / "report.json").read_text("utf-8")) == ran.json
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert [(given["used_as"], given["file"]) for given in manifest["inputs"]] == [("one", "one.csv")]
    assert "words a question" in (folder / "report.md").read_text("utf-8")
    assert command("profile", "one.csv", "--out", "profile").code == 2
    assert command("profile", "one.csv", "--out", "profile", "--force").code == 0


def test_two_data_sets_stand_side_by_side(tmp_path, command):
    table(tmp_path, "one", ONE)
    table(tmp_path, "other", OTHER)
    ran = command("profile", "one.csv", "other.csv")
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "words a question 3.00 ± 0.00 (n = 3) 2.00 ± 1.41 (n = 3)" in lines
    assert "answers that the other has, % 66.7 (n = 3) 33.3 (n = 3)" in lines
