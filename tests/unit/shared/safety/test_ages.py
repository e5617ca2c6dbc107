"""Which stated age is believed."""

from itertools import product

from shared.content.safety_rules import screening
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


def test_brothers_sisters_and_classmates_take_no_child_for_another():
    expected = {
        "우리 반 학생들이 놀려요. 13살이에요": StatedAge.UNDER_14,
        "제 동생 때문에 힘들어요. 열두 살이에요": StatedAge.UNDER_14,
        "my age is 12. my brother hits me": StatedAge.UNDER_14,
        "I'm a sixth grader and my brother is mean": StatedAge.UNDER_14,
        "my brother bullies me. 13 yo girl here": StatedAge.UNDER_14,
        "중2예요. 우리 반 애들이 때려요": StatedAge.MINOR,
        "my brother hits me. I'm a minor": StatedAge.MINOR,
    }
    assert {text: screening().screen(text).age for text in expected} == expected


def test_a_parent_and_a_teacher_are_not_as_old_as_their_children():
    texts = [
        "우리 애가 학교를 안 가요. 초6이에요",
        "딸이 자해를 해요. 중1이에요",
        "아들이 있는데 12살이에요",
        "초등맘이에요. 초3이요",
        "초등학교 교사예요. 3학년이고 열 살이에요",
        'my son keeps saying "I\'m 12, leave me alone"',
        "My daughter wrote: I'm 13 and I hate it",
    ]
    assert [text for text in texts if screening().screen(text).age is not None] == []


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
