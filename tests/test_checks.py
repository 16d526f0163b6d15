"""Checks: NAME[of][reference->part] OP NUMBER."""

from __future__ import annotations

from fractions import Fraction

import pytest

from compsplit.errors import UnknownNameError, UsageError
from compsplit.model.report import Measure, Undefined
from compsplit.recipe.checks import Check


def measure(
    name: str = "coverage", of: str = "concepts", value: Fraction | Undefined = Fraction(3, 4), part: str = "test"
) -> Measure:
    return Measure(
        name=name, of=of, value=value, n=4, n_unit="distinct concepts", unit="fraction", reference="train", part=part
    )


@pytest.mark.parametrize(
    ("written", "of", "reference", "part", "operator", "number"),
    [
        ("coverage >= 0.7", None, None, None, ">=", Fraction(7, 10)),
        ("coverage[concepts]>0", "concepts", None, None, ">", 0),
        ("coverage[concepts][train->test] == 1", "concepts", "train", "test", "==", 1),
        ("coverage[train->test] <= 1/3", None, "train", "test", "<=", Fraction(1, 3)),
        ("qa-overlap[qa (reduced)] < 1e-3", "qa (reduced)", None, None, "<", Fraction(1, 1000)),
        ("questions[questions][test] == 4156", "questions", None, "test", "==", 4156),
        ("  coverage  [concepts]  >=  -.5 ", "concepts", None, None, ">=", Fraction(-1, 2)),
    ],
)
def test_every_form_is_read(written, of, reference, part, operator, number):
    check = Check.parse(written)
    assert (check.of, check.reference, check.part, check.operator, check.number) == (
        of, reference, part, operator, number,
    )  # fmt: skip


@pytest.mark.parametrize(
    "written",
    ["", "coverage", "coverage 0.7", "coverage = 0.7", "coverage => 0.7", ">= 0.7", "coverage >= ", "coverage >= x",
     "coverage >= 1/0", "coverage >= 1.2.3", "coverage[concepts >= 1", "coverage >= 0.7 and more", "coverage >= 1.5/2"],
)  # fmt: skip
def test_anything_else_is_refused_with_the_grammar(written):
    with pytest.raises(UsageError, match=r"is not a check; expected NAME\[of\]\[reference->part\] OP NUMBER"):
        Check.parse(written)


@pytest.mark.parametrize(
    ("written", "holds"),
    [
        ("coverage >= 0.75", True), ("coverage > 0.75", False), ("coverage == 0.75", True), ("coverage == 3/4", True),
        ("coverage < 0.75", False), ("coverage <= 0.75", True), ("coverage <= 0.7499999999999999", False),
    ],
)  # fmt: skip
def test_bounds_are_exact(written, holds):
    assert (Check.parse(written).broken([measure()]) == ()) is holds


def test_without_brackets_it_must_hold_for_every_measure_of_the_name():
    measures = [measure(part="test"), measure(part="val", value=Fraction(1, 4)), measure("other", value=Fraction(0))]
    assert Check.parse("coverage >= 0.5").broken(measures) == (measures[1],)
    assert Check.parse("coverage[concepts][train->test] >= 0.5").broken(measures) == ()


def test_an_undefined_value_keeps_no_bound_and_its_reason_is_told():
    undefined = measure(value=Undefined("test holds no concept"))
    check = Check.parse("coverage >= 0")
    assert check.broken([undefined]) == (undefined,)
    assert "is test holds no concept" in check.finding([undefined], ()).message


def test_an_unknown_measure_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r'no measure "covrage"\. Did you mean "coverage"'):
        Check.parse("covrage > 0").broken([measure()])


def test_an_unknown_form_or_part_is_an_error_and_not_a_kept_promise():
    for written in ("coverage[words] > 0", "coverage[concepts][train->exam] > 0"):
        with pytest.raises(UnknownNameError, match="no measure"):
            Check.parse(written).broken([measure()])


def test_a_finding_says_what_was_got_over_how_many_and_how_many_more():
    check = Check.parse("coverage >= 0.9")
    finding = check.finding([measure(), measure(part="val")], (("1", "2"),))
    assert finding.level == "fail"
    assert finding.count == 2
    assert finding.first == (("1", "2"),)
    assert finding.message == (
        "coverage >= 0.9 does not hold: coverage[concepts][train->test] is 0.75 (n = 4 distinct concepts); nor for "
        "1 other measure."
    )


@pytest.mark.parametrize("operator", ["<=", "==", ">="])
def test_a_float_is_compared_as_it_is_printed(operator):
    measure = Measure(
        name="atom-divergence", of="words", value=0.1, n=5, n_unit="occurrences", unit="fraction", part="test",
        reference="train",
    )  # fmt: skip
    assert not Check.parse(f"atom-divergence {operator} 0.1").broken([measure])
    assert Check.parse("atom-divergence < 0.1").broken([measure])
