"""What the reducer ``spacy`` promises, on a tiny pipeline made here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compsplit.errors import ResourceError
from compsplit.reducers.spacy_pipeline import SpacyReducer

# What a pipeline may say of a word: a wrong lemma for words of our tables, capitals, two words, nothing.
LEMMAS = {
    "cones": "cone",
    "wearing": "wear",
    "glasses": "glass",
    "men": "men",
    "riding": "rid",
    "bigger": "big",
    "frogs": "FROG",
    "gonna": "going to",
    "toads": "",
    "cannot": "can",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    import spacy

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    for word, lemma in LEMMAS.items():
        ruler.add([[{"ORTH": word}]], {"TAG": "NN", "LEMMA": lemma})
    nlp.meta["name"], nlp.meta["version"] = "tiny", "1.2.3"
    folder = tmp_path_factory.mktemp("pipelines") / "tiny"
    nlp.to_disk(folder)
    return folder


def lookups_with(**tables: dict[str, str]):
    from spacy.lookups import Lookups

    lookups = Lookups()
    for name, table in tables.items():
        lookups.add_table(name, table)
    return lookups


def saved_with_lemmatizer(folder: Path, mode: str, **tables: dict[str, str]) -> str:
    import spacy

    nlp = spacy.blank("en")
    lemmatizer = nlp.add_pipe("lemmatizer", config={"mode": mode})
    lemmatizer.initialize(lookups=lookups_with(**tables))
    nlp.to_disk(folder)
    return str(folder)


def test_words_get_the_lemmas_of_the_pipeline(model):
    reducer = SpacyReducer(model=str(model))
    assert reducer.reduce(["What color are the Cones he's WEARING?"]) == [("what", "color", "cone", "he", "wear")]
    assert reducer.answer(["the cones"]) == ["cone"]


def test_our_tables_stand_in_front_of_the_pipeline(model):
    assert SpacyReducer(model=str(model)).reduce(["bigger men riding with glasses"]) == [
        ("bigger", "man", "ride", "with", "glasses")
    ]


def test_a_lemma_is_one_lower_cased_word_or_the_word_itself(model):
    reducer = SpacyReducer(model=str(model))
    assert reducer.reduce(["frogs gonna toads unknowns"]) == [("frog", "gonna", "toads", "unknowns")]


def test_a_word_has_one_form_whatever_stands_around_it(model):
    questions = ["frogs wearing cones?", "cones", "wearing frogs"]
    forward = SpacyReducer(model=str(model)).reduce(questions)
    backward = SpacyReducer(model=str(model)).reduce(questions[::-1])
    assert forward == backward[::-1] == [("frog", "wear", "cone"), ("cone",), ("wear", "frog")]


def test_a_pipeline_with_a_lookup_lemmatizer_will_do(tmp_path):
    model = saved_with_lemmatizer(tmp_path / "lookup", "lookup", lemma_lookup={"cones": "cone"})
    assert SpacyReducer(model=model).reduce(["the cones"]) == [("cone",)]


def test_a_rule_lemmatizer_without_a_tagger_is_refused(tmp_path):
    tables = {"lemma_rules": {}, "lemma_exc": {}, "lemma_index": {}}
    model = saved_with_lemmatizer(tmp_path / "rule", "rule", **tables)
    with pytest.raises(ResourceError, match=r"A tagger in the spaCy pipeline .*rule is not installed.*has lemmatizer;"):
        SpacyReducer(model=model)


def test_a_pipeline_without_a_lemmatizer_is_refused(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ResourceError, match=r"A lemmatiser in the spaCy pipeline .*It has no component"):
        SpacyReducer(model=str(tmp_path / "blank"))


def test_a_pipeline_that_is_not_there_is_named_with_its_setting():
    with pytest.raises(ResourceError, match=r"pipeline en_none_sm is not installed\. .*reduce\.model=NAME") as caught:
        SpacyReducer(model="en_none_sm")
    assert caught.value.exit_code == 2


def test_spacy_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    for model in (None, "en_none_sm"):
        with pytest.raises(ResourceError, match="spaCy is not installed"):
            SpacyReducer(model=model)


def test_without_a_model_spacys_lookup_table_is_used(monkeypatch):
    monkeypatch.setattr(
        "spacy.lookups.load_lookups", lambda *_: lookups_with(lemma_lookup={"cones": "cone", "men": "men"})
    )
    monkeypatch.setattr("compsplit.reducers.spacy_pipeline.version", lambda package: f"of {package}")
    reducer = SpacyReducer()
    assert reducer.reduce(["the cones, men and frogs"]) == [("cone", "man", "frogs")]
    assert reducer.described["lexicon"] == "spacy-lookups-data of spacy-lookups-data, spaCy of spacy"


def test_a_missing_lookup_table_is_named(monkeypatch):
    from spacy.util import registry

    monkeypatch.setattr(registry, "lookups", {})
    with pytest.raises(ResourceError, match=r"package spacy-lookups-data\) is not installed.*or name a pipeline"):
        SpacyReducer()


def test_the_pipeline_is_part_of_what_is_described(model, tmp_path):
    described = SpacyReducer(model=str(model)).described
    assert str(described["lexicon"]).startswith("en_tiny 1.2.3, spaCy ")
    assert described["options"]["model"] == "tiny"  # no path of this machine
    assert described == SpacyReducer(model=str(model)).described
    other = saved_with_lemmatizer(tmp_path / "tiny", "lookup", lemma_lookup={})
    assert SpacyReducer(model=other).described["tables"] != described["tables"]
