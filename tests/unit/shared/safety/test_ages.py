"""Which stated age is believed."""

from itertools import product

from shared.safety.ages import StatedAge, believed, stated_age
from shared.safety.matcher import Family, Matcher, Rule
from shared.safety.reading import Reading

RULES = Matcher(
    Rule(id=word, family=family, outcome=outcome, triggers=(word,), sources=(word,))
    for word, family, outcome in (
        ("열살", Family.AGE, "under_14"),
        ("열다섯", Family.AGE, "minor"),
        ("서른", Family.AGE, "adult"),
        ("딸이", Family.AGE_OWNER, "of_another"),
        ("저는", Family.AGE_OWNER, "of_self"),
    )
)


def _stated(text):
    return stated_age(RULES.matches(Reading(text)))


def test_the_youngest_of_several_counts_and_nothing_where_none_is_stated():
    assert _stated("서른이고 열다섯이고") is StatedAge.MINOR
    assert _stated("열다섯이 아니라 열살") is StatedAge.UNDER_14
    assert _stated("나이") is None


def test_an_age_of_another_counts_only_with_words_of_the_writers_own():
    assert _stated("딸이 열살") is None
    assert _stated("딸이 서른") is StatedAge.ADULT
    assert _stated("저는 딸이 열살") is StatedAge.UNDER_14


def test_a_child_may_correct_it_and_nobody_grows_up_by_a_sentence():
    for before, said, after in (
        (None, StatedAge.ADULT, None),
        (None, StatedAge.MINOR, StatedAge.MINOR),
        (None, StatedAge.UNDER_14, StatedAge.UNDER_14),
        (StatedAge.MINOR, StatedAge.ADULT, StatedAge.MINOR),
        (StatedAge.MINOR, StatedAge.UNDER_14, StatedAge.UNDER_14),
        (StatedAge.UNDER_14, StatedAge.MINOR, StatedAge.MINOR),
        (StatedAge.UNDER_14, StatedAge.ADULT, StatedAge.MINOR),
    ):
        assert believed(before, said) is after, (before, said)


def test_applied_twice_it_is_the_same():
    for before, said in product([None, *StatedAge], StatedAge):
        once = believed(before, said)
        assert once is None or believed(once, said) is (StatedAge.MINOR if once is StatedAge.MINOR else once)
