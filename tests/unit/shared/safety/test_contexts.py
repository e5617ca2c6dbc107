"""Behaviour of what is said of the found words themselves."""

from shared.safety.contexts import Context
from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import patterns_of
from shared.safety.reading import Reading
from shared.safety.rules import Rule
from shared.safety.ruleset import RuleSet


def _rules(outcome=CrisisOutcome.CRISIS):
    rule = Rule("ko-die", outcome, patterns_of(["죽고 싶"], {}))
    context = Context(
        id="ko-hero",
        turns=frozenset({CrisisOutcome.CRISIS}),
        into=CrisisOutcome.CONCERN,
        patterns=patterns_of(["주인공[^.?!]{0,20}죽고 싶", "싶다는 대사", "영화"], {}),
        unless=patterns_of(["나도"], {}),
    )
    return RuleSet(rules=(rule,), contexts=(context,))


def _outcomes(text, rules=None):
    rules = rules or _rules()
    return set(rules.outcomes(rules.search(Reading(text))).values())


def test_what_is_said_of_the_found_words_takes_them_down():
    assert _outcomes("주인공이 죽고 싶대") == {CrisisOutcome.CONCERN}
    assert _outcomes("죽고 싶다는 대사가 있었어") == {CrisisOutcome.CONCERN}


def test_a_topic_beside_the_words_takes_nothing_down():
    assert _outcomes("영화 죽고 싶어") == {CrisisOutcome.CRISIS}


def test_what_begins_in_another_clause_takes_nothing_down():
    assert _outcomes("주인공이 멋졌는데 죽고 싶어") == {CrisisOutcome.CRISIS}
    assert _outcomes("주인공이 멋졌다. 죽고 싶어") == {CrisisOutcome.CRISIS}


def test_of_several_findings_the_one_that_stays_counts():
    assert _outcomes("주인공이 죽고 싶대. 죽고 싶어") == {CrisisOutcome.CRISIS}


def test_what_speaks_against_it_may_stand_anywhere_in_the_message():
    assert _outcomes("주인공이 죽고 싶대. 나도") == {CrisisOutcome.CRISIS}


def test_an_outcome_that_it_does_not_turn_stays():
    assert _outcomes("주인공이 죽고 싶대", _rules(CrisisOutcome.IMMINENT)) == {CrisisOutcome.IMMINENT}
