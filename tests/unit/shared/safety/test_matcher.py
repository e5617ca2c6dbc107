"""Behaviour of the search for rules in a message."""

from shared.safety.matcher import Family, Matcher, Rule
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


def test_words_are_found_in_every_sentence_that_has_a_trigger():
    rule = _rule("죽고 싶", "죽")
    assert _found("죽고 싶다. 밥을 먹다. 또 죽고싶다", rule) == [("ko-x", "죽고 싶", None), ("ko-x", "죽고싶", None)]


def test_a_trigger_is_found_across_blanks():
    assert _found("뛰어 내리고 싶어", _rule("뛰어내리고 싶", "뛰어내리")) == [("ko-x", "뛰어 내리고 싶", None)]


def test_without_a_trigger_nothing_is_tried():
    assert _found("죽고 싶다", _rule("죽고 싶", "뒤지")) == []


def test_a_pattern_does_not_reach_into_the_next_sentence():
    assert _found("약을 샀다. 먹었다", _rule("약[^가]{0,9}먹", "약")) == []


def test_the_first_predicate_that_holds_is_named():
    rule = _rule("죽고 싶", "죽", not_if=(DENIED, OTHERS))
    assert _found("친구가 죽고 싶지 않대", rule) == [("ko-x", "죽고 싶", "denied")]
    assert _found("친구가 죽고 싶대", rule) == [("ko-x", "죽고 싶", "others")]
    assert _found("죽고 싶어", rule) == [("ko-x", "죽고 싶", None)]


def test_rules_come_in_their_order():
    rules = (_rule("싶", "싶", rule_id="ko-b"), _rule("죽", "죽", rule_id="ko-a"))
    assert [found[0] for found in _found("죽고 싶어", *rules)] == ["ko-b", "ko-a"]


def test_any_text_can_be_searched():
    for text in ("", " ", ".", "?!", "인생 죽고 싶"):
        _found(text, _rule("죽고 싶", "죽"))
