"""What the measures are, in words, that no audit makes: scores of predictions, probes, balances, counts, comparisons.

A group has one source: that of a plug-in, which the registry has, or a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_COMPSPLIT = "compsplit"
_GQA = "Hudson and Manning 2019, arXiv 1902.09506"


@dataclass(frozen=True, slots=True)
class Group:
    """Measures of one source.

    Attributes:
        source: In words; empty where it is that of ``plugin``.
        plugin: Kind and name of the plug-in that they are of.
        texts: Measure -> what it is.
    """

    source: str
    texts: Mapping[str, str]
    plugin: tuple[str, str] | None = None


GROUPS: tuple[Group, ...] = (
    Group(
        "the rule that stands beside the number (exact, vqa-2017, gqa-official ...)",
        {
            "accuracy": "What the predictions of the rows score by the rule that stands beside the number, on average, "
            "in per cent: 0 to 100, higher is better. Undefined where no row is scored."
        },
    ),
    Group(
        "",
        {
            "open": "Accuracy on questions of the structural type query, in per cent.",
            "binary": "Accuracy on questions of every other structural type than query, in per cent.",
            "validity": "Predictions that are in the list of valid answers of their question, right or not, in per "
            "cent of the scored questions. Undefined without choices.",
            "plausibility": "Predictions that are in the list of plausible answers of their question, right or not, in "
            "per cent of the scored questions. Undefined without choices.",
            "consistency": "For each rightly answered question that entails others, the share of these that are "
            "answered rightly; the mean over such questions, in per cent, higher is better. The paper's reading counts "
            "equivalent questions, too, and each once.",
            "distribution": "In each global group the sum, over the right answers, of (predicted - right)^2 / right; "
            "the mean over groups weighted by questions. Of counts and divided by 100 in the official reading, of "
            "shares in the others. 0 or more, lower is better.",
            "grounding": "Attention that lies on the objects that question and full answer point at, on average, in "
            "per cent; the official reading adds it up object by object and can pass 100. Undefined without attention.",
        },
        ("metric", "gqa-official"),
    ),
    Group(
        "",
        {
            **{
                f"{name}-{part}": f"{told} over {rows}."
                for part, rows in (
                    ("all", "the questions of all unevenly answered groups"),
                    ("head", "questions whose answer is common in its unevenly answered group"),
                    ("tail", "questions whose answer is rare in its unevenly answered group"),
                )
                for name, told in (
                    ("acc", "Accuracy by exact text, in per cent,"),
                    ("open", "Accuracy on open questions, in per cent,"),
                    ("binary", "Accuracy on other than open questions, in per cent,"),
                    ("distribution", "Chi-square of predicted against right answers (see distribution)"),
                    ("images", "Number of different images"),
                )
            },
            "entropy-mean": "Normalised entropy of the answers of a question group, on average over groups.",
            "entropy-deviation": "Population standard deviation of the normalised entropies of question groups.",
            "entropy-threshold": "Mean minus one standard deviation of the normalised entropies: groups up to it are "
            "answered unevenly and kept.",
        },
        ("metric", "gqa-ood"),
    ),
    Group(
        "",
        {
            "seen": "Accuracy on rows whose own pair some row of train has, in per cent.",
            "unseen": "Accuracy on rows whose own pair no row of train has, in per cent.",
            "harmonic-mean": "2 S U / (S + U) of the accuracies on seen and on unseen pairs, in per cent; 0 where both "
            "are 0.",
            "best-seen": "Accuracy on seen pairs where seen pairs alone may be predicted: one end of the curve over "
            "the bias, in per cent.",
            "best-unseen": "Accuracy on unseen pairs where unseen pairs alone may be predicted: the other end of the "
            "curve, in per cent.",
            "best-harmonic-mean": "Highest harmonic mean of seen and unseen accuracy on the curve over the bias, in "
            "per cent.",
            "auc": "Of czsl: area under seen accuracy as a function of unseen accuracy over all biases, in per cent. "
            "Of probes: chance that a wrongly answered row is harder than a rightly answered one; 0.5 where difficulty "
            "tells nothing. Undefined where one of both kinds of rows is missing.",
        },
        ("metric", "czsl"),
    ),
    Group(
        "",
        {
            "questions-scored-otherwise": "How many questions score otherwise where answers and predictions are always "
            "cleaned and normalised."
        },
        ("metric", "vqa-always-clean"),
    ),
    Group(
        "after Agrawal et al. 2017, arXiv 1704.08243",
        {
            "drop": "Accuracy of a probe on the first named split minus its accuracy on the second, in points: how "
            "much harder the second is for who sees questions alone. The interval is of the same draws of images.",
        },
    ),
    Group(
        "Bogin, Gupta, Berant 2022, arXiv 2201.05899",
        {
            "spearman": "Rank correlation of a row's difficulty (1 minus the likeness of its least alike unseen pair "
            "of neighbouring concepts) with its score: -1 to 1, below 0 where harder rows are answered worse.",
            "pearson": "Correlation of a row's difficulty (1 minus the likeness of its least alike unseen pair of "
            "neighbouring concepts) with its score: -1 to 1, below 0 where harder rows are answered worse.",
        },
    ),
    Group(
        f"{_GQA}, section 3.4; the three means are compsplit's reading",
        {
            "row-weighted-entropy": "Entropy in bits of the answers of a group, on average over groups that have rows, "
            "each weighted by its rows at the time. 0 or more, higher is more even.",
            "entropy-by-rows-before": "Entropy in bits of the answers of a group, on average over groups that have "
            "rows, each weighted by the rows that it had before. 0 or more, higher is more even.",
            "plain-entropy": "Entropy in bits of the answers of a group, on average over groups that have rows, each "
            "counting once. 0 or more, higher is more even.",
            **{
                f"{name}-rise": f"{name.capitalize()} after, divided by the same before, minus 1. Undefined where it "
                "was 0 before."
                for name in ("row-weighted-entropy", "entropy-by-rows-before", "plain-entropy")
            },
            "commonest-answer-share": "Rows whose answer is the commonest of their group, divided by all rows with a "
            "group. 0 to 1, lower is more even.",
            "head-to-tail": "Rows of the commonest answers (the head) divided by those of all others, on average over "
            "groups of two answers or more. Lower is more even.",
            "answers-of-groups": "Different answers of each group, summed over groups.",
            "rows-before": "Rows that were read.",
            "rows-after": "Rows that are kept; no answer gains any.",
            "near-repeats": "Rows dropped since another row that is kept asks the same image the same, reduced.",
            "rounds": "Rounds of all levels and types until one changed nothing, that one included.",
        },
    ),
    Group(
        _COMPSPLIT,
        {
            "distinct-share": "Different texts divided by rows that have one. 0 to 1. Undefined where no row has one.",
            "distinct-questions": "Different texts of questions, as written.",
            "distinct-answers": "Different texts of answers, as written or normalised.",
            "distinct-words": "Different words of questions: lower-cased, split at white space, outer punctuation off.",
            "question-words": "Different words of questions: lower-cased, split at white space, outer punctuation off.",
            "rows-without-answer": "Rows that have no answer.",
            "reduced-questions": "Different questions after reduction to concepts.",
            "reduced-answers": "Different answers after reduction.",
            "groups": "Different pairs of reduced question and reduced answer.",
            "concepts": "Different concepts of reduced questions and answers.",
            "concepts-met-once": "Concepts that occur once in all rows.",
            "blank-questions": "Rows whose question reduces to nothing.",
            "objects": "Objects of all scenes.",
            "objects-without-name": "Objects that no class is named for.",
            "objects-with-attribute": "Objects that have an attribute.",
            "relations": "Relations of all scenes.",
            "attributes": "Attributes of all objects, each as often as it occurs.",
            "object-classes": "Different classes of objects.",
            "predicates": "Different predicates of relations.",
            "distinct-attributes": "Different attributes.",
            "scenes-without-pair": "Scenes of fewer than two objects.",
            "object-pairs": "Unordered pairs of two objects of one scene, over all scenes.",
            "objects-a-scene": "Objects divided by scenes. Undefined where there is no scene.",
            "relations-a-scene": "Relations divided by scenes. Undefined where there is no scene.",
        },
    ),
    Group(
        f"{_GQA}, section 4.1",
        {
            **{
                f"{kind}-a-question{name}": f"{told} of the {kind} of a question, each as often as it is asked."
                + ("" if kind == "words" else " Undefined without a tagger of parts of speech.")
                for kind in ("words", "verbs", "nouns", "adjectives", "prepositions")
                for name, told in (("", "Mean number"), ("-spread", "Population standard deviation"))
            },
            "question-share": "Questions of a kind or type, divided by the questions of which it is known. 0 to 1. "
            "Undefined where it is known of none.",
        },
    ),
    Group(
        f"{_GQA}, figure 6",
        {
            "rows-with-program": "Questions that have a program.",
            "distinct-programs": "Different programs, as written.",
            "canonical-programs": "Different programs after equivalent ones are written alike.",
            "equivalent-sets": "Sets of two or more questions of one image with one canonical program.",
            "rows-in-equivalent-sets": "Questions that are in a set of equivalent ones.",
            "conflicting-equivalents": "Sets of equivalent questions whose answers differ.",
            "local-labels": "Different local group labels by compsplit's rules.",
            "global-labels": "Different global group labels by compsplit's rules.",
            "no-global-label": "Questions without a global label, by the data and by compsplit's rules alike.",
            **{
                f"{name.replace(' ', '-')}-agreement": f"Questions whose {name} by compsplit's rules is the data's "
                "own, divided by those that have both. 0 to 1. Undefined where the data have none."
                for name in ("structural type", "semantic type", "local label", "global label")
            },
            "answer-agreement": "Questions whose program, answered on the scene, gives the answer of the data, divided "
            "by those that both answer. 0 to 1.",
            "listed-equivalents-derived": "Ordered pairs of questions that the data list as equivalent and that have "
            "one canonical program, divided by all listed ones.",
            "derived-equivalents-listed": "Ordered pairs of questions with one canonical program that the data list as "
            "equivalent, divided by all such pairs.",
            "compositional-share": "Questions of three or more steps, divided by those with a program.",
            "relation-share": "Questions of the semantic type rel, divided by those with a program of GQA's dialect.",
            "comparative-share": "Questions of the structural type compare, divided by those with a program of GQA's "
            "dialect.",
            "logical-share": "Questions whose program holds and, or, not(...) or different, divided by those with a "
            "program of GQA's dialect.",
            "spatial-share": "Questions about where a thing is, divided by those with a program.",
            "entities-a-question": "Mentions of things in a question's program, on average.",
            "relations-a-question": "Mentions of relations in a question's program, on average.",
        },
    ),
    Group(
        f"{_GQA}, by compsplit's rules of entailment",
        {
            "premises": "Questions with a program and an answer, from which others may follow.",
            "fruitful-premises": "Questions from which at least one other one follows.",
            "derived-questions": "Questions that follow from others, each once a premise.",
            "limited-premises": "Questions that had more conclusions than the limit; the nearest are kept.",
            "conflicts": "Programs to which the rules give two answers; nothing is derived from such.",
            "scene-agreement": "Derived questions whose answer is that of the scene graph, divided by those that it "
            "answers. 0 to 1. Undefined where it answers none.",
            "data-agreement": "Derived questions whose answer is that of the data, divided by those that are in the "
            "data. 0 to 1.",
            "listed-derived": "Questions that the data list as entailed and that are derived, divided by all listed "
            "ones. 0 to 1.",
            "derived-listed": "Derived questions that the data list as entailed, divided by all derived questions of "
            "premises that list any. 0 to 1.",
        },
    ),
    Group(
        _COMPSPLIT,
        {
            "rows-in-both": "Rows whose id is in both splits; all else is said of them.",
            "rows-in-A-only": "Rows whose id is in the first split alone; they are not compared.",
            "rows-in-B-only": "Rows whose id is in the second split alone; they are not compared.",
            "rows-moved": "Rows in both whose part has another name in the second split. Undefined where no name of a "
            "part is in both.",
            "moved-share": "Rows whose part has another name in the second split, divided by the rows in both. 0 to 1.",
            "part-overlap": "Rows of a part of the first split that are in the part of that name in the second, "
            "divided by the rows of the first's part. 0 to 1.",
            "part-jaccard": "Rows that both splits have in the part of that name, divided by rows that either has "
            "there. 0 to 1; 1 for the same rows.",
            "rows-by-part": "Rows that are in the one part of the first split and in the other part of the second.",
            "groups-of-A-divided": "Groups of the first split whose rows are in several parts of the second, divided "
            "by all its groups with rows in both. 0 to 1; 0 where none is torn.",
            "groups-of-B-divided": "Groups of the second split whose rows are in several parts of the first, divided "
            "by all its groups with rows in both. 0 to 1; 0 where none is torn.",
        },
    ),
    Group(
        "Hubert and Arabie 1985, equation 5",
        {
            "adjusted-rand-index": "Agreement of both splits over all pairs of rows, whatever parts are called, less "
            "what chance gives: 1 for the same parts, 0 on average for parts that have nothing to do with each other.",
        },
    ),
)
"""Every measure stands in one group."""
