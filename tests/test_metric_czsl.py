"""Compositional zero-shot learning: by hand, from the definition by Hypothesis, and what is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compsplit.errors import BrokenFileError, JoinError, RecordsError
from compsplit.metrics.czsl import measure, pairs_shown, with_pair_seen
from compsplit.model.answered import Answered, PairScores, Scored
from compsplit.model.column import Column, texts
from compsplit.model.report import Undefined
from compsplit.model.table import QATable
from compsplit.readers import inputs
from compsplit.readers.pair_scores import read_pair_scores
from compsplit.registry import plugin

SEEN = ("red car", "old dog")
UNSEEN = ("old car", "red dog")


def rows(pairs: Sequence[str], predictions: Sequence[str | None], seen: Sequence[str] = SEEN) -> Answered:
    """Return rows 1, 2, ... with their own pairs and the predicted ones."""
    n = len(pairs)
    absent = Column.absent(n)
    table = QATable(
        format="table",
        ids=texts(str(k + 1) for k in range(n)),
        images=absent,
        questions=absent,
        answers=Column.of(pairs),
        question_types=absent,
        answer_types=absent,
        origins=absent,
        sources=absent,
        n_answers=np.ones(n, dtype=np.int64),
        columns={"pair_seen": Column.of(["yes" if pair in seen else "no" for pair in pairs])},
    )
    return Answered(
        table=table,
        predictions=Column.of(predictions),
        not_text=np.zeros(n, dtype=bool),
        scored=np.ones(n, dtype=bool),
    )


def values(said: Scored) -> dict[str, Any]:
    """Return every measure, the reason where it is undefined."""
    means = {mean.name: mean.over(np.ones(len(mean.scores), dtype=bool))[0] for mean in said.means}
    found = {**means, **{m.name: m.value for m in said.measures}}
    return {name: each.reason if isinstance(each, Undefined) else each for name, each in found.items()}


def with_scores(answered: Answered, folder: Path, text: str) -> Answered:
    (folder / "scores.csv").write_text(text, "utf-8")
    scores = read_pair_scores(inputs([folder / "scores.csv"])[0], answered.table, SEEN)
    return dataclasses.replace(answered, pair_scores=scores)


# Rows 1 to 4: own pairs, and scores of red car, old dog (seen), old car, red dog (unseen).
PAIRS = ("red car", "old dog", "old car", "red dog")
WIDE = """id,red car,old dog,old car,red dog
1,5,1,2,0
2,4,3,1,0
3,6,0,3,2
4,3,2,1,2.5
"""


def test_seen_unseen_and_their_harmonic_mean_by_hand():
    said = values(
        measure(rows((*PAIRS, "old dog", "red car"), ("red car", "red car", "old car", "x", "old dog", None)))
    )
    assert (said["seen"], said["unseen"]) == (50, 50)
    assert said["harmonic-mean"] == 50
    said = values(measure(rows(PAIRS, ("red car", "x", "old car", "red dog"))))
    assert (said["seen"], said["unseen"], said["harmonic-mean"]) == (50, 100, Fraction(200, 3))
    assert values(measure(rows(PAIRS, ("x", "x", "x", "x"))))["harmonic-mean"] == 0


def test_the_curve_over_the_bias_by_hand(tmp_path):
    # Row 1: own pair is the best seen one, lead 5 - 2 = 3. Row 2: it is not (4 > 3), never right. Row 3: own pair is
    # the best unseen one, lead 6 - 3 = 3. Row 4: own pair is the best unseen one, lead 3 - 2.5 = .5.
    # Right seen and unseen rows: bias below .5: 1, 0; from .5 to 3: 1, 1; above 3: 0, 2. Area 1 + (1 + 0) / 2 of 2 * 2.
    said = measure(with_scores(rows(PAIRS, PAIRS), tmp_path, WIDE))
    found = values(said)
    assert (found["best-seen"], found["best-unseen"], found["auc"]) == (50, 100, Fraction(75, 2))
    assert found["best-harmonic-mean"] == 50
    assert said.tables["accuracy by bias (czsl)"].rows == ((None, 50, 0), (0.5, 50, 50), (3, 0, 100))


def test_without_scores_the_area_is_undefined_and_the_rest_is_not():
    said = values(measure(rows(PAIRS, PAIRS)))
    assert said["harmonic-mean"] == 100
    for name in ("auc", "best-seen", "best-unseen", "best-harmonic-mean"):
        assert said[name] == "it needs a score of every pair for each row, and none are given"


def test_without_rows_of_a_kind_what_needs_them_is_undefined(tmp_path):
    # Rows 3 and 4 are not scored, but their pairs are scored for rows 1 and 2.
    two = dataclasses.replace(rows(PAIRS, PAIRS), scored=np.array([True, True, False, False]))
    said = values(measure(with_scores(two, tmp_path, WIDE)))
    assert said["seen"] == 100
    assert said["unseen"] == said["harmonic-mean"] == "train shows the pair of every scored row"
    assert said["auc"] == "of the rows with scores, 2 have a seen pair and 0 an unseen one; both are needed"


def test_it_runs_where_it_is_known_which_pairs_train_shows():
    found = rows(PAIRS, PAIRS)
    fits = plugin("metric", "czsl").facts["fits"]
    assert fits(found)
    bare = dataclasses.replace(found, table=dataclasses.replace(found.table, columns={}))
    assert not fits(bare)
    assert values(measure(bare))["seen"] == "it is not known which pairs train shows (column pair_seen)"


def test_seen_or_unseen_comes_from_the_rows_of_train():
    table = rows((*PAIRS, "red car"), PAIRS[:1] * 5).table
    in_train = np.array([True, False, False, True, False])
    assert pairs_shown(table, in_train) == {"red car", "red dog"}
    assert with_pair_seen(table, pairs_shown(table, in_train)).columns["pair_seen"].values() == [
        "yes",
        "no",
        "no",
        "yes",
        "yes",
    ]


def test_rows_that_are_not_scored_or_have_no_scores_are_left_out(tmp_path):
    found = with_scores(rows(PAIRS, PAIRS), tmp_path, WIDE.replace("4,3,2,1,2.5\n", "4,3,2,,\n"))
    said = measure(found)
    (left,) = said.findings
    assert (left.kind, left.count, left.first) == ("without-pair-scores", 1, ("4",))
    # Rows 1 and 3 change at one bias: a straight line from (0, 1/2) to (1, 0), over one unseen row.
    assert values(said)["auc"] == 25
    unscored = dataclasses.replace(found, scored=np.array([True, False, True, True]))
    assert values(measure(unscored))["best-seen"] == 100


def test_a_tie_within_a_kind_is_not_right(tmp_path):
    found = with_scores(rows(PAIRS, PAIRS), tmp_path, WIDE.replace("1,5,1,2,0", "1,5,5,2,0"))
    assert values(measure(found))["best-seen"] == 0


def test_long_and_wide_scores_are_the_same(tmp_path):
    answered = rows(PAIRS, PAIRS)
    head, *lines = [line.split(",") for line in WIDE.splitlines()]
    long = [f"{pair}\t{line[0]}\t{score}" for line in lines for pair, score in zip(head[1:], line[1:], strict=True)]
    one = with_scores(answered, tmp_path, WIDE).pair_scores
    other = with_scores(answered, tmp_path, "\n".join(["pair\tquestion_id\tscore", *reversed(long)])).pair_scores
    assert one is not None
    assert other is not None
    for name in ("there", "lead", "right"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert (one.n_seen, one.n_unseen) == (other.n_seen, other.n_unseen) == (2, 2)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("id,pair,score\n1,red car,high\n2,red car,nan\n", RecordsError, r"2 bad.*1, score: of red car is 'high'"),
        ("id,pair,score\n1,red car,1\n1,red car,2\n", RecordsError, "record 2, pair: 1 has another score of red car"),
        ("id,red car,red car\n1,1,2\n", BrokenFileError, 'the column "red car" stands twice'),
        ("id,id,pair,score\n1,1,red car,2\n", BrokenFileError, 'the column "id" stands twice'),
        ("id,red car\n1,1,2\n", RecordsError, "record 1: has 3 fields, expected 2"),
        ("name,red car\n1,1\n", BrokenFileError, "its first line has name, red car"),
        ('id,red car\n1,"1\n', BrokenFileError, "is not delimited text"),
    ],
)  # fmt: skip
def test_scores_that_cannot_be_taken_are_named(tmp_path, text, error, message):
    with pytest.raises(error, match=message):
        with_scores(rows(PAIRS, PAIRS), tmp_path, text)


def test_rows_without_scores_and_scores_without_rows_stop_where_they_are_needed(tmp_path):
    answered = rows(PAIRS, PAIRS)
    (tmp_path / "scores.csv").write_text(WIDE.replace("4,3", "9,3"), "utf-8")
    (file,) = inputs([tmp_path / "scores.csv"])
    with pytest.raises(JoinError, match=r"3 joined; 1 rows without scores \(4\); 1 ids of no row \(9\)"):
        read_pair_scores(file, answered.table, SEEN, np.ones(4, dtype=bool))
    assert read_pair_scores(file, answered.table, SEEN).there.tolist() == [True, True, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{line},{last}" for line, last in zip(WIDE.splitlines(), ("count", 9, 9, 9, 9), strict=True)),
        "id,pair,score\n" + "".join(f"{k},{pair},1\n" for k in "1234" for pair in (*PAIRS, "count")),
    ],
)
def test_a_pair_that_no_row_has_stops_or_is_left_out_and_counted(tmp_path, text):
    answered = rows(PAIRS, PAIRS)
    (tmp_path / "scores.csv").write_text(text, "utf-8")
    (file,) = inputs([tmp_path / "scores.csv"])
    with pytest.raises(JoinError, match=r"1 pairs that are the answer of no row \(count\)"):
        read_pair_scores(file, answered.table, SEEN, np.ones(4, dtype=bool))
    scores = read_pair_scores(file, answered.table, SEEN)
    assert (scores.n_seen, scores.n_unseen) == (2, 2)
    (told,) = scores.findings
    assert (told.kind, told.count, told.first) == ("scores-of-unknown-pairs", 1, ("count",))


def test_a_column_that_is_no_number_is_told_as_no_pair(tmp_path):
    (tmp_path / "scores.csv").write_text("id,red car,image\n1,1,a\n2,1,b\n3,1,c\n4,1,d\n", "utf-8")
    (file,) = inputs([tmp_path / "scores.csv"])
    with pytest.raises(JoinError, match=r"1 pairs that are the answer of no row \(image\)"):
        read_pair_scores(file, rows(PAIRS, PAIRS).table, SEEN, np.ones(4, dtype=bool))


def test_pairs_that_only_train_has_may_be_scored(tmp_path):
    (tmp_path / "scores.csv").write_text(WIDE.replace("old dog", "new cow"), "utf-8")
    (file,) = inputs([tmp_path / "scores.csv"])
    found = read_pair_scores(file, rows(PAIRS, PAIRS).table, (*SEEN, "new cow"), np.ones(4, dtype=bool))
    assert (found.n_seen, found.n_unseen) == (2, 2)


def test_scores_of_no_row_that_are_left_out_are_counted(tmp_path):
    said = measure(with_scores(rows(PAIRS, PAIRS), tmp_path, WIDE + "8,1,1,1,1\n9,1,1,1,1\n"))
    (told,) = said.findings
    assert (told.kind, told.count, told.first) == ("scores-of-no-row", 2, ("8", "9"))


def test_a_row_whose_own_pair_has_no_score_is_never_right_and_is_counted(tmp_path):
    said = measure(with_scores(rows((*PAIRS, "red dog"), (*PAIRS, "x")), tmp_path, WIDE + "5,1,1,1,\n"))
    (told,) = said.findings
    assert (told.kind, told.count, told.first) == ("own-pair-without-score", 1, ("5",))
    assert values(said)["best-unseen"] == Fraction(200, 3)


def test_what_is_taken_over_rows_of_one_kind_has_their_number(tmp_path):
    found = with_scores(rows((*PAIRS, "red dog"), (*PAIRS, "x")), tmp_path, WIDE + "5,1,1,1,0\n")
    n = {each.name: each.n for each in measure(found).measures}
    assert (n["best-seen"], n["best-unseen"]) == (2, 3)
    assert n["harmonic-mean"] == n["best-harmonic-mean"] == n["auc"] == 5


def naive_curve(scores: Sequence[Mapping[str, int]], pairs: Sequence[str]) -> list[tuple[int, int]]:
    """Return the right rows of both kinds for every bias between two at which anything may change."""
    leads = sorted({2 * (s - u) for each in scores for s in each.values() for u in each.values()})
    points = []
    for bias in [leads[0] - 1, *(lead + 1 for lead in leads)]:
        right = [0, 0]
        for own, each in zip(pairs, scores, strict=True):
            doubled = {pair: 2 * score + (0 if pair in SEEN else bias) for pair, score in each.items()}
            best = max(doubled.values())
            if [pair for pair, score in doubled.items() if score == best] == [own]:
                right[own not in SEEN] += 1
        points.append((right[0], right[1]))
    return points


CELL = st.dictionaries(st.sampled_from([*SEEN, *UNSEEN]), st.integers(-3, 3), min_size=4)


@given(st.lists(st.tuples(st.sampled_from([*SEEN, *UNSEEN]), CELL), min_size=2, max_size=6))
def test_the_area_is_that_of_the_definition(made):
    pairs, scores = [own for own, _ in made], [each for _, each in made]
    n = [sum(own in SEEN for own in pairs), sum(own in UNSEEN for own in pairs)]
    lead, right = [], []
    for own, each in made:
        kinds = {kind: {pair: each[pair] for pair in kind} for kind in (SEEN, UNSEEN)}
        lead.append(float(max(kinds[SEEN].values()) - max(kinds[UNSEEN].values())))
        mine = next(kind for kind in kinds.values() if own in kind)
        right.append([pair for pair, score in mine.items() if score == max(mine.values())] == [own])
    there = np.ones(len(pairs), dtype=bool)
    held = PairScores(there=there, lead=np.array(lead), right=np.array(right), own=there, n_seen=2, n_unseen=2)
    said = values(measure(dataclasses.replace(rows(pairs, pairs), pair_scores=held)))
    if not all(n):
        assert "both are needed" in said["auc"]
        return
    points = naive_curve(scores, pairs)
    area = sum((u - v) * (s + t) for (t, v), (s, u) in pairwise(points))
    assert said["auc"] == Fraction(100 * area, 2 * n[0] * n[1])
    assert said["best-seen"] == Fraction(100 * max(s for s, _ in points), n[0])
    assert said["best-unseen"] == Fraction(100 * max(u for _, u in points), n[1])
    means = [Fraction(2 * s * u * 100, s * n[1] + u * n[0]) if s and u else Fraction(0) for s, u in points]
    assert said["best-harmonic-mean"] == max(means)
