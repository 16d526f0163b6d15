"""Linear probe: multinomial naive Bayes on the words and word n-grams of the question.

Formula: the answer a that maximises log P(a) + sum over the n-grams g of the question of log P(g | a), with P(g | a)
smoothed by 0.1, each different n-gram counted once a question. Words are lower-cased, split at white space, outer
punctuation off; the vocabulary is that of train, nothing is hashed. Sums are rounded to 9 decimals; ties: the earlier
text.
Source: the language-only models of Agrawal et al. 2017, arXiv 1704.08243, and Hudson and Manning 2019, arXiv
1902.09506, are networks on the question ("LSTM"); this is the plainest learned model that sees as much. scikit-learn's
MultinomialNB, as measured on two thirds of the rows, one thread (seconds to fit, accuracy on the other third): DAQUAR
0.6 s, 22.7 % (ComplementNB 0.4, 21.1; SGD 3.7, 22.2; LinearSVC 3.6, 24.5; LogisticRegression 57, 24.5), easy-VQA 0.02
s, 65.8 % (all between 65.8 and 66.0).
Left out of learning, and counted: rows whose answer is not among the commonest 1,000, n-grams not among the commonest
20,000. A question without a known n-gram falls back to its type, then to the commonest answer of all, each counted.
Cost: O(n-grams of different questions + answers x n-grams). Floating point: the same on the same platform.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import OptionValueError
from compsplit.model.column import Codes, Column, distinct
from compsplit.model.words import words
from compsplit.probes.asking import Guesses, Lessons, Questions, in_turn
from compsplit.probes.by_group import commonest, ranked
from compsplit.registry import register

_SMOOTHING = 0.1
_QUESTIONS = 1 << 12
"""Different questions that are answered at a time."""


@register("probe", "linear", source="compsplit; scikit-learn's MultinomialNB")
def answer(
    lessons: Lessons, asked: Questions, *, n: int = 2, most_answers: int = 1000, most_ngrams: int = 20000
) -> Guesses:
    """Answer by a linear classifier on the words and word n-grams of the question.

    Args:
        lessons: What is learned from.
        asked: The questions.
        n: The longest n-grams, in words.
        most_answers: So many answers are told apart, the commonest.
        most_ngrams: So many n-grams are looked at, those in the most rows.

    Raises:
        OptionValueError: An option is less than 1.
    """
    for name, value in (("n", n), ("most_answers", most_answers), ("most_ngrams", most_ngrams)):
        if value < 1:
            raise OptionValueError(f"probe.{name}", value, "at least 1")
    texts = lessons.questions.column("question")
    counts = np.bincount(lessons.answers.codes, minlength=len(lessons.answers.names))
    told_apart = np.sort(np.argsort(-counts, kind="stable")[:most_answers])
    known = np.zeros(len(counts), dtype=bool)
    known[told_apart] = True
    ngrams, n_ngrams = _ngrams(lessons.questions.column("question"), n, most_ngrams)
    wanted = asked.column("question").codes
    new = np.unique(wanted[wanted >= 0])
    by_text = np.full(len(texts.names) + 1, -1, dtype=np.int32)
    by_text[new] = _learned(texts, lessons.answers, known, ngrams, n, new)
    by_type = lessons.questions.first_of("structural", "question_type")
    types = np.append(ranked(lessons.questions.column(by_type), lessons.answers), np.int32(-1))
    answers, found_by = in_turn(
        {"n-grams": by_text[wanted], by_type: types[asked.column(by_type).codes]}, commonest(lessons.answers)
    )
    facts = {
        "answers told apart": len(told_apart),
        "answers in train": int((counts > 0).sum()),
        "train rows of other answers, not learned from": int((~known[lessons.answers.codes]).sum()),
        "n-grams looked at": len(ngrams),
        "n-grams in train": n_ngrams,
    }
    return Guesses(answers, found_by, facts=facts, learned=True)


def _of_text(text: str, n: int) -> list[str]:
    """Return the different n-grams of a text, of one word to n."""
    found = words(text)
    grams = [" ".join(found[i : i + size]) for size in range(1, n + 1) for i in range(len(found) - size + 1)]
    return list(dict.fromkeys(grams))


def _ngrams(texts: Column, n: int, most: int) -> tuple[dict[str, int], int]:
    """Return the n-grams that are in the most rows, numbered in alphabetical order, and how many there are at all."""
    there = texts.codes >= 0
    rows = np.bincount(texts.codes[there], minlength=len(texts.names))
    held: dict[str, int] = {}
    for code in np.flatnonzero(rows).tolist():
        for gram in _of_text(texts.names[code], n):
            held[gram] = held.get(gram, 0) + int(rows[code])
    chosen = sorted(held, key=lambda gram: (-held[gram], gram))[:most]
    return {gram: number for number, gram in enumerate(sorted(chosen))}, len(held)


def _counts(texts: Column, codes: NDArray[Any], ngrams: dict[str, int], n: int) -> Any:
    """Return which n-grams are in each text, as a sparse matrix, shape (n_texts, n_ngrams)."""
    from scipy.sparse import csr_matrix

    found = [
        sorted(ngrams[gram] for gram in _of_text(texts.names[code], n) if gram in ngrams) for code in codes.tolist()
    ]
    starts = np.append(0, np.cumsum([len(each) for each in found], dtype=np.int64))
    flat = np.array([number for each in found for number in each], dtype=np.int64)
    return csr_matrix((np.ones(len(flat)), flat, starts), shape=(len(codes), len(ngrams)))


def _learned(
    texts: Column, answers: Column, known: NDArray[np.bool_], ngrams: dict[str, int], n: int, wanted: NDArray[Any]
) -> Codes:
    """Return the answer of each wanted text, -1 where it has no n-gram that is looked at."""
    from scipy.sparse import csr_matrix
    from sklearn.naive_bayes import MultinomialNB

    taught = (texts.codes >= 0) & known[answers.codes]
    if not taught.any() or not ngrams:
        return np.full(len(wanted), -1, dtype=np.int32)
    n_answers = len(answers.names)
    pairs, weights = distinct(texts.codes[taught].astype(np.int64) * n_answers + answers.codes[taught])
    lines, right = np.divmod(pairs, n_answers)
    codes, places = np.unique(lines, return_inverse=True)
    classes, numbers = np.unique(right, return_inverse=True)
    # Rows of one answer are added up before, which to naive Bayes is the same and needs no line a row.
    rows = csr_matrix((weights.astype(np.float64), (numbers, places)), shape=(len(classes), len(codes)))
    shares = np.bincount(numbers, weights=weights)
    model = MultinomialNB(alpha=_SMOOTHING, class_prior=shares / shares.sum())
    model.fit(rows @ _counts(texts, codes, ngrams, n), np.arange(len(classes)))
    found = np.full(len(wanted), -1, dtype=np.int32)
    for first in range(0, len(wanted), _QUESTIONS):
        some = slice(first, first + _QUESTIONS)
        asked = _counts(texts, wanted[some], ngrams, n)
        best = classes[np.argmax(np.round(model.predict_joint_log_proba(asked), 9), axis=1)]
        found[some] = np.where(np.diff(asked.indptr) > 0, best, -1)
    return found
