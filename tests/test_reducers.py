"""What the default reducer promises, and what all reducers share with it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import FileError, NotTextError, OptionValueError, UsageError
from compsplit.reducers import base_forms, tables
from compsplit.reducers.lexical import LexicalReducer

LEXICAL = LexicalReducer()


def reduced(text: str, **options: Any) -> tuple[str, ...]:
    reducer = LexicalReducer(**options) if options else LEXICAL
    return reducer.reduce([text])[0]


def answered(text: str) -> str:
    return LEXICAL.answer([text])[0]


def gold(shared: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (shared / "gold" / "reducer" / name).read_text("utf-8").splitlines()]


# --- labels made by hand


def test_the_papers_two_questions_meet():
    both = ["What color are the cones?", "What is the color of the cones?"]
    assert LEXICAL.reduce(both) == [("what", "color", "cone")] * 2


def test_labelled_questions_are_reduced_as_labelled(shared):
    def admitted(record: dict[str, Any]) -> list[set[str]]:
        also = record.get("also_ok", {})
        return [{word, *also.get(str(place), [])} for place, word in enumerate(record["expected"])]

    questions = gold(shared, "questions.jsonl")
    wrong = []
    for record, concepts in zip(questions, LEXICAL.reduce([record["question"] for record in questions]), strict=True):
        words = admitted(record)
        if len(words) != len(concepts) or any(c not in w for c, w in zip(concepts, words, strict=True)):
            wrong.append((record["question"], concepts))
    assert len(wrong) <= len(questions) * 2 // 100, wrong


def test_wordings_of_one_question_meet(shared):
    pairs = [pair for pair in gold(shared, "same_pairs.jsonl") if pair["needs"] == "nothing"]
    assert pairs
    assert [pair for pair in pairs if reduced(pair["a"]) != reduced(pair["b"])] == []


@pytest.mark.parametrize(
    ("needs", "options"),
    [
        ("phrase removal", {"phrases": "remove"}),
        ("which = what", {"which_is_what": True}),
        ("order-free key", {"key_order": "sorted"}),
    ],
)
def test_what_a_pair_needs_is_what_an_option_gives(shared, needs, options):
    pairs = [pair for pair in gold(shared, "same_pairs.jsonl") if pair["needs"] == needs]
    assert pairs
    assert [pair["id"] for pair in pairs if reduced(pair["a"]) == reduced(pair["b"])] == []
    assert [pair["id"] for pair in pairs if reduced(pair["a"], **options) != reduced(pair["b"], **options)] == []


def test_different_questions_stay_apart(shared):
    pairs = gold(shared, "different_pairs.jsonl")
    assert pairs
    assert [pair for pair in pairs if reduced(pair["a"]) == reduced(pair["b"])] == []


# --- odd input, row by row of the rules


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("WHAT COLOR ARE THE CONES?", "what color cone"),
        ("ARE THERE BENCHES FOR US?", "bench for"),
        ("IS IT THE USA?", "usa"),
        ("Is the US flag red?", "usa flag red"),
        ("Is the U.S. flag red?", "usa flag red"),
        ("is the u.s.a. flag red", "usa flag red"),
        ("Does it look at us?", "look at"),
        ("US?", "usa"),
        ("What’s the man’s “hat”?", "what man hat"),
        ("What`s up?", "what up"),
        ("the man&#39;s &quot;hat&quot; &amp; tie", "man hat tie"),
        ("&amp;lt;b&amp;gt;", "lt b gt"),  # once, not twice
        ("café jalapeño", "cafe jalapeno"),
        ("ﬁre Åse", "fire ase"),
        ("co\u00adlor\u200b of\ufeff cones", "color cone"),
        ("a 😀 dog ❤️ № 5 🅰", "dog five"),
        ("2️⃣ dogs", "two dog"),
        ("what's where's who's it's", "what where who"),
        ("What 's this", "what"),
        ("isn't can't won't cannot don't", "not can not not can not not"),
        ("aren’t shan't ain't couldn't've can't've", "not not not could not can not"),
        ("is n't it", "not"),
        ("whats isnt dont cant wheres", "what not not can not where"),
        ("man's players' women's children's James'", "man player woman child james"),
        ("t-shirt air-fluid two-story garbage_bin", "t shirt air fluid two story garbage bin"),
        ("o'clock d'Artagnan", "oclock dartagnan"),
        ("2 two 2nd second 10th 0 20", "two two second second tenth zero twenty"),
        ("21 11th 007 90s 90's", "21 11th 007 90s 90s"),
        ("1,200 12,345,678 1,23 1,2,3", "1200 12345678 1,23 1,2,3"),
        ("3.5 10:30 1/2 ½ .5 2.50.", "3.5 10:30 1/2 1/2 0.5 2.50"),
        ("mp3 3d 10:30am", "mp3 3d 10:30am"),
        ("furiture", "furiture"),
        ("What\tcolor\n is\u00a0cone?Is", "what color cone"),
        ("", ""),
        (" \t\u00a0", ""),
        ("???", ""),
        ("the of a", ""),
        ("\ud800 dog \x00cat", "dog cat"),
    ],
)
def test_odd_input(text, concepts):
    assert reduced(text) == tuple(concepts.split())


def test_ten_thousand_characters_are_one_question_like_any_other():
    assert reduced("red " * 2500) == ("red",) * 2500
    assert reduced("x" * 10_000) == ("x" * 10_000,)


@pytest.mark.parametrize("found", [None, float("nan"), 3, b"red", ["red"], np.float64("nan")])
def test_what_is_no_text_is_named_by_place_and_type_and_never_made_text(found):
    for what, method in (("question", LEXICAL.reduce), ("answer", LEXICAL.answer)):
        with pytest.raises(NotTextError, match=f"The {what} at index 1 is of type {type(found).__name__};") as caught:
            method(["red", found])
        assert isinstance(caught.value, TypeError)
        assert (caught.value.index, caught.value.found) == (1, type(found).__name__)


def test_the_error_for_no_text_can_name_the_row():
    error = NotTextError("question", 1, "float", id="7501")
    assert "The question of row 7501 is of type float" in str(error)
    assert error.record == "7501"


def test_one_text_instead_of_a_list_is_refused():
    with pytest.raises(UsageError, match="one text"):
        LEXICAL.reduce("What is it?")


def test_text_of_numpy_is_text():
    assert LEXICAL.reduce(np.array(["the red dogs"])) == [("red", "dog")]


# --- order, batches and processes

WORDS = [
    "the",
    "The",
    "What",
    "color's",
    "cones",
    "ISN'T",
    "US",
    "us",
    "2",
    "1,200",
    "café",
    "“hat”",
    "in-out",
    "(left)",
    "&amp;",
    "😀",
    "leaves",
]
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(max_size=30)


@given(st.lists(texts, max_size=5))
def test_a_result_depends_on_its_own_text_only(questions):
    alone = [LexicalReducer().reduce([text])[0] for text in questions]
    assert LEXICAL.reduce(questions) == alone
    assert LEXICAL.reduce(questions[::-1]) == alone[::-1]


@given(texts)
def test_concepts_hold_letters_and_digits_and_points_within_numbers(text):
    for concept in LEXICAL.reduce([text])[0]:
        assert re.fullmatch(r"[^\W_]+(?:(?<=\d)[.,:/](?=\d)[^\W_]+)*", concept), concept
        assert concept == concept.lower()


@given(st.lists(st.sampled_from([word for word in WORDS if word != "US"]), max_size=6))
def test_no_word_crosses_a_white_space(words):
    apart = [concept for concepts in LEXICAL.reduce(words) for concept in concepts]
    assert list(reduced(" ".join(words))) == apart


@pytest.mark.large
def test_other_hash_seeds_and_orders_give_the_same():
    program = (
        "import json, sys; from compsplit.reducers.lexical import LexicalReducer as L;"
        "r = L(keep_families=['be', 'fillers'], key_order='auto');"
        "print(json.dumps([r.reduce(json.loads(sys.argv[1])), r.described]))"
    )
    questions = ["Is the dog really red?", "What is on the tables?", "Isn't it 2?"]

    def run(seed: str, asked: list[str]) -> Any:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program, json.dumps(asked)], capture_output=True, check=True, env=environment
        )
        return json.loads(done.stdout)

    (first, described), (second, also_described) = run("1", questions), run("2", questions[::-1])
    assert first == second[::-1]
    assert described == also_described


def test_the_default_reducer_needs_no_language_package():
    program = (
        "import sys; from compsplit.reducers.lexical import LexicalReducer; LexicalReducer().reduce(['red dogs']);"
        "print(*{'spacy', 'nltk', 'simplemma', 'lemminflect'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout.split() == []


# --- options


def test_a_stop_list_of_ones_own_replaces_ours(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("\ufeffcolor Été # a comment\n# mine: of my own\nthe\n", encoding="utf-8")
    assert reduced("the color of été", stop_words=str(path)) == ("of",)
    assert reduced("the color of été", stop_words=str(path), keep_families=["words"]) == ("color", "of", "ete")


def test_families_can_be_kept_and_dropped():
    text = "Can she have the dog for herself?"
    assert reduced(text) == ("can", "she", "dog", "for", "she")
    assert reduced(text, drop_families=["can", "for", "he-she"]) == ("dog",)
    assert reduced(text, keep_families=["auxiliaries"]) == ("can", "she", "have", "dog", "for", "she")


@pytest.mark.parametrize("option", ["keep_families", "drop_families"])
def test_an_unknown_family_is_refused(option):
    with pytest.raises(OptionValueError, match="'colours'; expected families among articles, auxiliaries, be"):
        LexicalReducer(**{option: ["colours"]})


def test_a_stop_list_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(FileError, match=r"none\.txt: the stop list cannot be read"):
        LexicalReducer(stop_words=str(tmp_path / "none.txt"))
    (tmp_path / "latin.txt").write_bytes("été".encode("latin-1"))
    with pytest.raises(FileError, match=r"latin\.txt: the stop list is not UTF-8, first bad byte at offset 0"):
        LexicalReducer(stop_words=str(tmp_path / "latin.txt"))


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("What size is the pizza in this picture?", "what size pizza"),
        ("What is shown in the photo?", "what"),
        ("What food is pictured?", "what food"),
        ("Can you tell me the time?", "time"),
        ("How old do you think he is?", "how old he"),
        ("Is the U.S. flag in THE IMAGE red?", "usa flag red"),
        ("What is on the picture frame?", "what on picture frame"),
        ("What is in the picture's corner?", "what in picture corner"),
        ("In the picture?", "in picture"),  # nothing would be left
    ],
)
def test_phrases_about_the_picture_are_removed_when_asked(text, concepts):
    assert reduced(text, phrases="remove") == tuple(concepts.split())


def test_key_order_auto_sorts_but_where_a_relation_word_tells_the_order():
    assert reduced("What brand is the laptop?", key_order="auto") == ("brand", "laptop", "what")
    assert reduced("What is on the plate?", key_order="auto") == ("what", "on", "plate")
    assert reduced("What is on the plate?", key_order="sorted") == ("on", "plate", "what")


def test_without_a_lemmatizer_words_stay_as_written():
    assert reduced("The men were riding 2 horses", lemmatizer="none") == ("men", "riding", "two", "horses")


def test_what_a_result_depended_on_is_described(tmp_path):
    described = LEXICAL.described
    assert (described["name"], described["version"]) == ("lexical", "1")
    assert re.fullmatch("[0-9a-f]{64}", str(described["tables"]))
    path = tmp_path / "stop.txt"
    path.write_text("the")
    own = LexicalReducer(stop_words=str(path)).described
    assert own["tables"] != described["tables"]
    assert own["options"] == {**described["options"], "stop_words": "stop.txt"}  # no path of this machine
    path.write_text("the a")
    assert LexicalReducer(stop_words=str(path)).described["tables"] != own["tables"]
    assert LexicalReducer(lemmatizer="none").described["lexicon"] == "none"
    assert json.loads(json.dumps(described)) == described


# --- answers


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Red.", "red"),
        ("living room", "living room"),
        (" The  Cones ", "cone"),
        ("a cat, the dogs", "cat dog"),
        ("2", "two"),
        ("yes", "yes"),
        ("no", "no"),
        ("not", "not"),
        ("garbage_bin", "garbage bin"),
        ("t-shirts", "t shirt"),
        ("to the left", "to left"),
        ("US", "usa"),
        ("men’s", "man"),
        ('"stop"', "stop"),
        ("10 am", "ten am"),
        ("vitamin a", "vitamin a"),
        ("a", "a"),
        ("A+", "a +"),
        ("the", "the"),
        (" ? ! ", "? !"),
        ("😀", "😀"),
        ("", ""),
        ("&nbsp; \u200b", ""),
    ],
)
def test_an_answer_is_one_concept(text, concept):
    assert answered(text) == concept


@pytest.mark.parametrize(
    ("first", "second"),
    [("$10", "10"), ("c++", "c"), ("-5", "5"), ("50%", "50"), ("#1", "1"), ("<3", "3"), ("a & b", "a b"), ("€5", "$5")],
)
def test_symbols_tell_answers_apart(first, second):
    assert answered(first) != answered(second)


@pytest.mark.parametrize(("first", "second"), [("2-3", "2 3"), ("−5", "-5"), ("$ 10", "$10"), ("1,000", "1000")])
def test_spelling_does_not_tell_answers_apart(first, second):
    assert answered(first) == answered(second)


@given(st.sampled_from(sorted({*tables.base_forms("lexicon"), *tables.base_forms("irregular"), "red", "7", "21"})))
def test_a_word_is_the_same_concept_in_a_question_and_as_an_answer(word):
    everything = LexicalReducer(keep_families=sorted(tables.StopList.read(None).families))
    assert everything.reduce([word]) == [(answered(word),)]


@given(texts)
def test_an_answer_with_anything_to_see_has_a_concept(text):
    concept = answered(text)
    assert concept == " ".join(concept.split())
    if any(map(str.isalnum, text)):
        assert concept


# --- tables


def test_no_word_stands_in_two_of_our_tables():
    lists = [tables.words("keep"), tables.base_forms("irregular"), tables.base_forms("spelling")]
    assert sum(map(len, lists)) == len(set().union(*lists))


@pytest.mark.parametrize("name", ["irregular", "spelling", "lexicon"])
def test_no_form_has_two_bases(name):
    lines = [line for line in tables.text_of(name).splitlines() if not line.startswith("#")]
    written = [form for line in lines for form in line.split(" < ")[1].split()]
    assert len(written) == len(set(written)) == len(tables.base_forms(name))


@pytest.mark.parametrize("name", ["irregular", "spelling"])
def test_a_base_is_its_own_base(name):
    assert {base for base in tables.base_forms(name).values() if base_forms.lexical(base) != base} == set()


def test_the_lexicon_holds_only_what_the_rules_get_wrong():
    lexicon = tables.base_forms("lexicon")
    assert {form for form, base in lexicon.items() if base_forms.by_rule(form) == base} == set()


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("boxes", "box"),
        ("classes", "class"),
        ("puppies", "puppy"),
        ("ties", "tie"),
        ("wolves", "wolf"),
        ("grass", "grass"),
        ("bus", "bus"),
        ("cats", "cat"),
        ("carried", "carry"),
        ("died", "die"),
        ("stopped", "stop"),
        ("filled", "fill"),
        ("danced", "dance"),
        ("eating", "eat"),
        ("agreed", "agreed"),
        ("string", "string"),
        ("bring", "bring"),
        ("as", "as"),
        ("naïves", "naïves"),
        ("90s", "90s"),
    ],
)
def test_rules_take_endings_off(word, base):
    assert base_forms.by_rule(word) == base


@pytest.mark.parametrize("word", ["bigger", "lighter", "longest", "worse"])
def test_comparatives_stay(word):
    assert reduced(word) == (word,)
