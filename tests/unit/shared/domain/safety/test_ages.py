"""Which stated age is believed."""

from itertools import product

import pytest

from shared.domain.safety.ages import AgeRules, StatedAge, believed, stated_age
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import patterns_of
from shared.domain.safety.rules import Rule
from shared.domain.safety.ruleset import RuleSet


def _rules(**patterns):
    made = [Rule(id=name, outcome=CrisisOutcome.NONE, patterns=patterns_of((p,), {})) for name, p in patterns.items()]
    nothing = RuleSet.of([])
    return AgeRules(RuleSet.of(made), {age.value: age for age in StatedAge}, of_another=nothing, of_self=nothing)


def test_the_youngest_of_several_counts_and_nothing_where_none_is_stated():
    rules = _rules(under_14="열살", minor="열다섯", adult="서른")
    assert stated_age("서른이고 열다섯이고", rules) is StatedAge.MINOR
    assert stated_age("열다섯이 아니라 열 살", rules) is StatedAge.UNDER_14
    assert stated_age("나이", rules) is None


@pytest.mark.parametrize(
    ("before", "said", "after"),
    [
        (None, StatedAge.ADULT, None),
        (None, StatedAge.MINOR, StatedAge.MINOR),
        (None, StatedAge.UNDER_14, StatedAge.UNDER_14),
        (StatedAge.MINOR, StatedAge.ADULT, StatedAge.MINOR),
        (StatedAge.MINOR, StatedAge.UNDER_14, StatedAge.UNDER_14),
        (StatedAge.UNDER_14, StatedAge.MINOR, StatedAge.MINOR),
        (StatedAge.UNDER_14, StatedAge.ADULT, StatedAge.MINOR),
    ],
)
def test_a_child_may_correct_it_and_nobody_grows_up_by_a_sentence(before, said, after):
    assert believed(before, said) is after


def test_applied_twice_it_is_the_same():
    for before, said in product([None, *StatedAge], StatedAge):
        once = believed(before, said)
        assert once is None or believed(once, said) is (StatedAge.MINOR if once is StatedAge.MINOR else once)
