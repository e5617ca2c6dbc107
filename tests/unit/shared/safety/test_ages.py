"""Which stated age is believed."""

from itertools import product

import pytest

from shared.content.age_rules import age_rules
from shared.safety.ages import AgeRules, StatedAge, believed, stated_age
from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import patterns_of
from shared.safety.rules import Rule
from shared.safety.ruleset import RuleSet


def _rules(**patterns):
    made = [Rule(id=name, outcome=CrisisOutcome.NONE, patterns=patterns_of((p,), {})) for name, p in patterns.items()]
    nothing = RuleSet.of([])
    return AgeRules(RuleSet.of(made), {age.value: age for age in StatedAge}, of_another=nothing, of_self=nothing)


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("우리 반 학생들이 놀려요. 13살이에요", StatedAge.UNDER_14),
        ("제 동생 때문에 힘들어요. 열두 살이에요", StatedAge.UNDER_14),
        ("my age is 12. my brother hits me", StatedAge.UNDER_14),
        ("I'm a sixth grader and my brother is mean", StatedAge.UNDER_14),
        ("my brother bullies me. 13 yo girl here", StatedAge.UNDER_14),
        ("중2예요. 우리 반 애들이 때려요", StatedAge.MINOR),
        ("my brother hits me. I'm a minor", StatedAge.MINOR),
    ],
)
def test_brothers_sisters_and_classmates_take_no_child_for_another(text, age):
    assert stated_age(text, age_rules()) is age


@pytest.mark.parametrize(
    "text",
    [
        "우리 애가 학교를 안 가요. 초6이에요",
        "딸이 자해를 해요. 중1이에요",
        "아들이 있는데 12살이에요",
        "초등맘이에요. 초3이요",
        "초등학교 교사예요. 3학년이고 열 살이에요",
        'my son keeps saying "I\'m 12, leave me alone"',
        "My daughter wrote: I'm 13 and I hate it",
    ],
)
def test_a_parent_and_a_teacher_are_not_as_old_as_their_children(text):
    assert stated_age(text, age_rules()) is None


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
