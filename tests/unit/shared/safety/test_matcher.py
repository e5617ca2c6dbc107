"""The search for rules in a message, and what is concluded from them about violence and a stated age."""

from itertools import product

from shared.content.catalogue import content
from shared.safety.abuse import AbuseFinding, AbuseKind, abuse_in
from shared.safety.ages import StatedAge, believed, stated_age
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family, Matcher, Rule
from shared.safety.needs import Need
from shared.safety.patterns import Vocabulary
from shared.safety.predicates import Makes, Predicate, Surroundings
from shared.safety.reading import Reading

WORDS = Vocabulary()
DENIED = Predicate("denied", Makes.CONCERN, (Surroundings("", "지 않", "", WORDS),))
OTHERS = Predicate("others", Makes.THIRD_PARTY, (Surroundings("친구가 ?", "", "", WORDS),))


def _rule(pattern, *triggers, rule_id="ko-x", not_if=()):
    return Rule(rule_id, Family.CRISIS, "crisis", triggers, (WORDS.source(pattern),), not_if)


def _found(text, *rules):
    return [(match.rule.id, match.words, match.by and match.by.id) for match in Matcher(rules).matches(Reading(text))]


def test_words_are_found_in_every_sentence_that_has_a_trigger_blanks_or_not_and_in_no_two_together():
    rule = _rule("죽고 싶", "죽")
    assert _found("죽고 싶다. 밥을 먹다. 또 죽고싶다", rule) == [("ko-x", "죽고 싶", None), ("ko-x", "죽고싶", None)]
    assert _found("뛰어 내리고 싶어", _rule("뛰어내리고 싶", "뛰어내리")) == [("ko-x", "뛰어 내리고 싶", None)]
    assert _found("죽고 싶다", _rule("죽고 싶", "뒤지")) == []
    assert _found("약을 샀다. 먹었다", _rule("약[^가]{0,9}먹", "약")) == []
    for text in ("", " ", ".", "?!", "인생 죽고 싶"):
        _found(text, rule)


def test_the_first_predicate_that_holds_is_named():
    rule = _rule("죽고 싶", "죽", not_if=(DENIED, OTHERS))
    assert _found("친구가 죽고 싶지 않대", rule) == [("ko-x", "죽고 싶", "denied")]
    assert _found("친구가 죽고 싶대", rule) == [("ko-x", "죽고 싶", "others")]
    assert _found("죽고 싶어", rule) == [("ko-x", "죽고 싶", None)]


def test_rules_come_in_their_order():
    rules = (_rule("싶", "싶", rule_id="ko-b"), _rule("죽", "죽", rule_id="ko-a"))
    assert [found[0] for found in _found("죽고 싶어", *rules)] == ["ko-b", "ko-a"]


def _matches(text, *words):
    """Search a text for words, each with its family, outcome and kind."""
    rules = [
        Rule(word, family, outcome, (word,), (word,), kind="".join(kind)) for word, family, outcome, *kind in words
    ]
    return Matcher(rules).matches(Reading(text))


def _abuse(text):
    return abuse_in(
        _matches(
            text,
            ("때려", Family.ABUSE, "abuse", "domestic"),
            ("맞아", Family.ABUSE, "abuse", "other"),
            ("따돌려", Family.ABUSE, "abuse_told", "school"),
            ("예전", Family.ABUSE_TIME, "past"),
            ("요즘", Family.ABUSE_TIME, "present"),
            ("숨어", Family.ABUSE_TIME, "now"),
        )
    )


def test_the_outcome_is_what_was_done_and_when():
    expected = {
        "때려요": CrisisOutcome.ABUSE,
        "때려서 숨어 있어요": CrisisOutcome.ABUSE_NOW,
        "예전에 때려서 숨어 있었어요": CrisisOutcome.ABUSE_TOLD,
        "예전에도 요즘도 때려요": CrisisOutcome.ABUSE,
        "따돌려요, 숨어 있어요": CrisisOutcome.ABUSE_TOLD,
        "따돌려요, 때려요": CrisisOutcome.ABUSE,
        "숨어 있어요": CrisisOutcome.NONE,
        "": CrisisOutcome.NONE,
    }
    assert {text: _abuse(text).outcome for text in expected} == expected


def test_violence_is_named_by_its_rules_and_kinds_somebody_unnamed_only_where_nobody_is_named():
    found = _abuse("따돌려요, 때려요")
    assert set(found.rule_ids) == {"때려", "따돌려"}
    assert found.kinds == (AbuseKind.DOMESTIC, AbuseKind.SCHOOL)
    assert found.needs == (Need.VIOLENCE, Need.SCHOOL, Need.MIND)
    assert _abuse("안녕하세요") == AbuseFinding()
    assert _abuse("맞아요").kinds == (AbuseKind.OTHER,)
    assert _abuse("때려요, 맞아요").kinds == (AbuseKind.DOMESTIC,)


def test_what_a_predicate_takes_down_is_no_violence():
    assert content().screening.screen("남편은 때리지는 않아요").abuse == AbuseFinding()
    assert content().screening.screen("my mom never hit me").abuse == AbuseFinding()


def _stated(text):
    return stated_age(
        _matches(
            text,
            ("열살", Family.AGE, "under_14"),
            ("열다섯", Family.AGE, "minor"),
            ("서른", Family.AGE, "adult"),
            ("딸이", Family.AGE_OWNER, "of_another"),
            ("저는", Family.AGE_OWNER, "of_self"),
        )
    )


def test_the_youngest_age_counts_and_that_of_another_only_with_words_of_the_writers_own():
    ages = {"서른이고 열다섯이고": StatedAge.MINOR, "열다섯이 아니라 열살": StatedAge.UNDER_14, "나이": None}
    ages |= {"딸이 열살": None, "딸이 서른": StatedAge.ADULT, "저는 딸이 열살": StatedAge.UNDER_14}
    assert {text: _stated(text) for text in ages} == ages


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
    for before, said in product([None, *StatedAge], StatedAge):
        once = believed(before, said)
        assert once is None or believed(once, said) is (StatedAge.MINOR if once is StatedAge.MINOR else once)
