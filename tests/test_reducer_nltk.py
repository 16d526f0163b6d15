"""What the reducer ``nltk`` promises, on a tiny data folder made here."""

from __future__ import annotations

import sys
import zipfile
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import ResourceError
from compsplit.reducers.nltk_wordnet import NltkReducer

LEMMAS = {
    "noun": [
        "cone",
        "man",
        "men",
        "color",
        "left",
        "hat",
        "box",
        "axis",
        "ax",
        "axe",
        "dress",
        "riding",
        "reading_room",
    ],
    "verb": ["ride", "rid", "wear", "leave", "dress", "box", "win"],
}
EXCEPTIONS = {"noun": {"axes": ["ax", "axis"], "rooms": ["reading_room"], "gone": ["none"]}, "verb": {"wore": ["wear"]}}
STOP_WORDS = ["what", "how", "in", "under", "not", "the", "a", "is", "are", "of", "i", "it", "won", "t", "he", "once"]
LICENCE = "  1 This software and database is being provided to you, the LICENSEE\n"


def files() -> dict[str, str]:
    made = {"stopwords/english": "\n".join(STOP_WORDS)}
    for part, lemmas in LEMMAS.items():
        made[f"wordnet/index.{part}"] = LICENCE + "".join(f"{lemma} {part[0]} 1 0 1 0 00001740  \n" for lemma in lemmas)
        made[f"wordnet/{part}.exc"] = "".join(f"{form} {' '.join(bases)}\n" for form, bases in EXCEPTIONS[part].items())
    return made


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("nltk_data")
    for name, text in files().items():
        path = folder / "corpora" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder)


def test_words_get_the_lemmas_of_wordnet(data):
    reducer = NltkReducer(data=data)
    assert reducer.reduce(["What color are the Cones he wore?"]) == [("what", "color", "cone", "he", "wear")]
    assert reducer.answer(["the cones", "unknowns"]) == ["cone", "unknowns"]


def test_nltks_stop_words_go_but_for_those_that_tell_questions_apart(data):
    question = "What is not in it, how he won once under a hat"
    kept = ("what", "not", "in", "how", "he", "win", "under", "hat")
    assert NltkReducer(data=data).reduce([question]) == [kept]
    assert NltkReducer(data=data, drop_families=["he-she"], keep_families=["articles"]).reduce([question]) == [
        ("what", "not", "in", "how", "win", "under", "a", "hat")
    ]


def test_a_stop_list_of_ones_own_needs_none_of_nltks(data, tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("what")
    wordnet_only = tmp_path / "data"
    (wordnet_only / "corpora").mkdir(parents=True)
    (wordnet_only / "corpora" / "wordnet").symlink_to(Path(data) / "corpora" / "wordnet")
    reducer = NltkReducer(data=str(wordnet_only), stop_words=str(path))
    assert reducer.reduce(["What is the hat"]) == [("be", "the", "hat")]


def test_wordnet_alone_is_an_option(data):
    question = ["men riding left dresses"]
    assert NltkReducer(data=data).reduce(question) == [("man", "ride", "left", "dress")]
    alone = {"data": data, "own_tables": False}
    assert NltkReducer(**alone).reduce(question) == [("men", "rid", "left", "dress")]
    assert NltkReducer(**alone, parts="noun").reduce(question) == [("men", "riding", "left", "dress")]


def test_a_base_form_is_one_word(data):
    assert NltkReducer(data=data).reduce(["rooms"]) == [("rooms",)]


# --- against NLTK's own code, on the same data

ENDINGS = ["", "s", "es", "ses", "xes", "ies", "men", "ed", "ing", "ings"]
forms = st.builds(
    lambda stem, ending: stem + ending, st.sampled_from(LEMMAS["noun"] + LEMMAS["verb"]), st.sampled_from(ENDINGS)
) | st.sampled_from(["axes", "gone", "wore", "mens", "boxes", "dressmen"])


def by_nltk(form: str, part: str) -> str:
    from nltk.corpus.reader.wordnet import WordNetCorpusReader as Reader

    offsets: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)
    for name, lemmas in LEMMAS.items():
        for lemma in lemmas:
            offsets[lemma][name[0]] = [1740]
    reader = SimpleNamespace(
        _exception_map={name[0]: exceptions for name, exceptions in EXCEPTIONS.items()},
        _lemma_pos_offset_map=offsets,
        MORPHOLOGICAL_SUBSTITUTIONS=Reader.MORPHOLOGICAL_SUBSTITUTIONS,
    )
    return min(Reader._morphy(reader, form, part), key=len, default=form)


@given(forms.filter(str.isalnum))
def test_a_form_is_what_nltks_lemmatizer_gives(data, form):
    noun = by_nltk(form, "n")
    both = noun if noun != form else by_nltk(form, "v")
    expected = [word if word.isalnum() else form for word in (noun, both)]
    got = [NltkReducer(data=data, own_tables=False, parts=parts).answer([form])[0] for parts in ("noun", "noun-verb")]
    assert got == expected


# --- where the data are


def test_the_zip_files_of_nltks_downloader_will_do(data, tmp_path):
    (tmp_path / "corpora").mkdir()
    for package in ("wordnet", "stopwords"):
        with zipfile.ZipFile(tmp_path / "corpora" / f"{package}.zip", "w") as archive:
            for name, text in files().items():
                if name.startswith(package):
                    archive.writestr(name, text)
    packed, unpacked = NltkReducer(data=str(tmp_path)), NltkReducer(data=data)
    assert packed.reduce(["What is the cones"]) == [("what", "cone")]
    assert packed.described["tables"] == unpacked.described["tables"]


def test_nltks_own_places_are_searched(data, monkeypatch):
    import nltk.data

    monkeypatch.setattr(nltk.data, "path", ["/nowhere", data])
    assert NltkReducer().reduce(["cones"]) == [("cone",)]


@pytest.mark.parametrize("package", ["wordnet", "stopwords"])
def test_data_that_are_not_there_are_named_with_their_setting(data, tmp_path, package):
    (tmp_path / "corpora").mkdir()
    if package == "stopwords":
        (tmp_path / "corpora" / "wordnet").symlink_to(Path(data) / "corpora" / "wordnet")
    with pytest.raises(ResourceError, match=rf"package {package} is not installed.*reduce\.data=FOLDER.*NLTK_DATA"):
        NltkReducer(data=str(tmp_path))


def test_nltk_that_is_not_there_is_named(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk.corpus.reader.wordnet", None)
    with pytest.raises(ResourceError, match="NLTK is not installed"):
        NltkReducer(data=data)


def test_the_data_are_part_of_what_is_described(data, tmp_path):
    described = NltkReducer(data=data).described
    assert described["options"]["data"] == Path(data).name  # no path of this machine
    assert str(described["lexicon"]).startswith("WordNet, NLTK ")
    assert NltkReducer(data=data, own_tables=False).described["tables"] != described["tables"]
    assert NltkReducer(data=data, parts="noun").described["tables"] != described["tables"]
