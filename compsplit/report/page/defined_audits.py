"""What the measures of audits are, in words: audit -> measure -> text.

Source, bounds and which way is better are not said here: the registry has them. ``the part`` is the part after the
arrow, ``the reference`` the part before it. Against an empty part no audit says anything, so each share is undefined
there, too.
"""

from __future__ import annotations

from collections.abc import Mapping

DEFINED: Mapping[str, Mapping[str, str]] = {
    "adversarial": {
        "adversarial": "Area under the curve of a logistic regression on words, or object classes, that tells rows of "
        "the part from rows of the reference, learned on four fifths and asked on the fifth that it has not seen; 0.5 "
        "where it cannot tell. Undefined with fewer than 20 rows on a side."
    },
    "answer-priors": {
        "commonest-answer-differs": "Types that both parts have and in which no answer is the commonest in both, "
        "divided by all types that both have. Undefined where no type is in both."
    },
    "answer-types": {
        "total-variation": "Half the sum, over all values, of the differences between their shares in the two parts: "
        "0 for equal shares, 1 where no value is in both. Exact, of the sample where the reading names one "
        "(most_questions); undefined where a part has no value.",
        "divergence": "1 minus the sum, over all values, of the square root of the product of their shares in the two "
        "parts (Chernoff coefficient, alpha 0.5): 0 for equal shares. Undefined where a part has no value.",
    },
    "atom-divergence": {
        "atom-divergence": "1 minus the sum, over all atoms, of the square root of the product of their shares in the "
        "two parts (Chernoff coefficient, alpha 0.5). Comparable only with the same extractor. 1 for a part with rows "
        "but nothing to count; undefined without rows."
    },
    "avg-co-pair": {
        "avg-co-pair": "AvgCoPair: pairs of objects of the part's scenes whose pair of classes occurs in a scene of "
        "the reference, divided by the part's scenes, empty ones included; the reading that was used stands with the "
        "number. Undefined where the part holds no scene."
    },
    "avg-co-pair-occ": {
        "avg-co-pair-occ": "AvgCoPairOcc: the mean, over the common pairs of the part, of how often that pair of "
        "classes occurs in the reference, counted as ordered pairs of different objects unless another reading is "
        "named. Undefined where no pair is common."
    },
    "avg-co-rel": {
        "avg-co-rel": "AvgCoRel: relations of the part's scenes whose (subject class, predicate, object class) occurs "
        "in the reference, divided by the part's scenes, empty ones included. Undefined where the part holds no scene."
    },
    "avg-co-rel-occ": {
        "avg-co-rel-occ": "AvgCoRelOcc: the mean, over the common relations of the part, of how often their triple "
        "occurs in the reference. Undefined where no relation is common."
    },
    "class-co-occurrence": {
        "mean-classes": "Different object classes of a scene (or classes that a question mentions), on average over "
        "those of the part. Undefined where the part holds none."
    },
    "common-compounds": {
        "common-compounds": "Compounds of the part that also occur in the reference, divided by all compounds of the "
        "part; over occurrences (instances), and over different ones (distinct). Undefined where there is none."
    },
    "compound-divergence": {
        "compound-divergence": "1 minus the sum, over all compounds, of p^0.1 q^0.9, p the shares in the reference and "
        "q those in the part (Chernoff coefficient, alpha 0.1). Comparable only with the same extractor. 1 for a part "
        "with rows but nothing to count; undefined without rows."
    },
    "coverage": {
        "coverage": "Distinct concepts of the part that also occur in the reference, divided by all distinct concepts "
        "of the part. Undefined where one of them holds no concept."
    },
    "declared-pairs": {
        "declared-pairs": "Different pairs of the part's rows that the part's list declares, divided by all different "
        "pairs of its rows. Undefined where there is none."
    },
    "group-overlap": {
        "group-overlap": "Rows of the part whose group has rows in the reference, divided by all rows of the part (or "
        "the same of distinct groups); 0 where no group is torn."
    },
    "groups-with-unseen-compounds": {
        "groups-with-unseen-compounds": "Groups of the part that show a compound which no row of the reference has, "
        "divided by all groups of the part. Undefined where one of them is empty."
    },
    "id-overlap": {
        "id-overlap": "Rows of the part whose id is in the reference, divided by all rows of the part (or the same of "
        "distinct ids)."
    },
    "image-overlap": {
        "image-overlap": "Rows of the part whose image has rows in the reference, divided by the part's rows with an "
        "image (or the same of distinct images).",
        "image-qa-overlap": "Rows of the part whose image, question and answer together are in the reference, divided "
        "by the part's rows that have all three (or the same of distinct values).",
    },
    "least-shown": {
        "least-shown": "Of all concepts of the part, the smallest number of groups of the reference that show one; 0 "
        "where a concept is not shown at all. Undefined where the part holds no concept."
    },
    "length-overlap": {
        "length-overlap": "Rows of the part with a length, in words, that some row of the reference has, divided by "
        "the part's rows that have a length.",
        "rows-not-longer": "Rows of the part that are no longer, in words, than the longest row of the reference, "
        "divided by the part's rows that have a length.",
    },
    "lengths": {
        "mean-length": "Words of a text of the part, on average over rows that have the text; a word is what white "
        "space divides. Undefined where no row has it.",
        "least-length": "Words of the shortest text of the part; a word is what white space divides. Undefined where "
        "no row has the text.",
        "greatest-length": "Words of the longest text of the part; a word is what white space divides. Undefined where "
        "no row has the text.",
    },
    "linked-images": {
        "linked-images": "Rows of the part whose image has a second id that an image of the reference has too, divided "
        "by the part's rows with a second id; empty, null and -1 are unknown. Undefined where none is known."
    },
    "lone-words": {
        "rows-with-lone-words": "Rows of the part that hold, beside other words, a word which the reference shows as a "
        "whole text and in no other text, divided by the part's rows that have a text."
    },
    "novel-compounds": {
        "novel-compounds": "Different compounds of the part that the reference lacks though it has all their atoms, "
        "divided by all different compounds of the part. Undefined where there is none.",
        "compounds-with-unseen-atoms": "Different compounds of the part with an atom that the reference never shows, "
        "divided by all different compounds of the part. Undefined where there is none.",
        "rows-with-novel-compounds": "Rows of the part with a compound that the reference lacks though it has all its "
        "atoms, divided by all rows of the part. Undefined where one of them holds no row.",
        "rows-with-unseen-atoms": "Rows of the part with an atom that the reference never shows, divided by all rows "
        "of the part; such a row counts here, whatever its compounds. Undefined where one of them holds no row.",
    },
    "novel-compounds-a-row": {
        "novel-compounds-a-row": "Different compounds of a row that the reference lacks though it has all their atoms, "
        "on average over the rows of the part. Undefined where it has no row."
    },
    "qa-overlap": {
        "qa-overlap": "Rows of the part whose question and answer together are in the reference, divided by all rows "
        "of the part that have both (or the same of distinct pairs); as written (exact), normalised, and reduced to "
        "concepts."
    },
    "question-overlap": {
        "question-overlap": "Rows of the part whose question is in the reference, divided by all rows of the part that "
        "have one (or the same of distinct questions); as written (exact), normalised, and reduced to concepts."
    },
    "rarer-answers": {
        "rows-not-rarer": "Rows of the part whose answer is no rarer, in its question group, than the rarest answer "
        "that the reference has there, divided by the part's rows with an answer; how common an answer is is counted "
        "over all parts."
    },
    "reversed-relations": {
        "reversed-relations": "Different triples of the part, unseen in the reference, that the reference has with "
        "subject and object exchanged, divided by all its unseen triples. Undefined where it has none."
    },
    "richness": {
        "richness": "How many different things of a kind the part, or the whole, has; `in all` counts each as often as "
        "it occurs."
    },
    "sizes": {
        "questions": "How many questions the part, or the data, has.",
        "scenes": "How many scenes the part, or the data, has.",
        "images": "How many different images the rows of the part, or of the data, are about.",
        "answers": "How many answers people gave to the questions of the part, or of the data.",
        "images-in-both": "How many images have rows in both parts.",
    },
    "template-overlap": {
        "template-overlap": "Rows of the part whose template, program, query or question family is in the reference, "
        "divided by all rows of the part that have one (or the same of distinct values)."
    },
    "type-answer-overlap": {
        "type-answer-overlap": "Rows of the part whose question type and answer together are in the reference, divided "
        "by all rows of the part that have both (or the same of distinct pairs)."
    },
    "unseen-concepts": {
        "rows-with-unseen-concepts": "Rows of the part that hold a concept which the reference never shows, divided by "
        "all rows of the part. Undefined where one of them holds no row."
    },
    "vocabulary-coverage": {
        "vocabulary-coverage": "Questions of the part (or of the other data set) all of whose words the reference has, "
        "divided by all its questions with a word; and the same of words, and of answers in normalised form. Undefined "
        "where there is none."
    },
    "weighted-coverage": {
        "weighted-coverage": "Concept occurrences of the part whose concept also occurs in the reference, divided by "
        "all its concept occurrences; a repeated word counts twice, the answer once. Undefined where one of them holds "
        "no concept."
    },
}
