"""Behaviour of what stands around a finding."""

import pytest

from shared.domain.safety.contexts import Context, Scope, laughs
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import patterns_of
from shared.domain.safety.reading import Reading
from shared.domain.safety.rules import Rule
from shared.domain.safety.ruleset import RuleSet


def _rules(scope, **more):
    rule = Rule("ko-die", CrisisOutcome.CRISIS, patterns_of(["죽고 싶"], {}))
    turns = frozenset({CrisisOutcome.CRISIS})
    context = Context(
        "ko-film", scope, turns, CrisisOutcome.CONCERN, patterns_of(["영화"], {}), patterns_of(["나도"], {}), **more
    )
    return RuleSet(rules=(rule,), contexts=(context,))


def _outcomes(rules, text, laughing=False):
    return set(rules.outcomes(rules.search(Reading(text)), laughing=laughing).values())


def test_a_context_of_the_sentence_takes_down_what_is_found_in_it_alone():
    rules = _rules(Scope.SENTENCE)
    assert _outcomes(rules, "영화에서 죽고 싶대") == {CrisisOutcome.CONCERN}
    assert _outcomes(rules, "영화 봤다. 죽고 싶어") == {CrisisOutcome.CRISIS}
    assert _outcomes(rules, "영화에서 죽고 싶대. 죽고 싶어") == {CrisisOutcome.CRISIS}


def test_a_context_of_the_message_reaches_all_of_it_unless_something_speaks_against_it():
    rules = _rules(Scope.MESSAGE)
    assert _outcomes(rules, "영화 봤다. 죽고 싶더라") == {CrisisOutcome.CONCERN}
    assert _outcomes(rules, "영화 봤다. 나도 죽고 싶다") == {CrisisOutcome.CRISIS}


def test_a_laughing_context_needs_laughter():
    rules = _rules(Scope.SENTENCE, laughing=True)
    assert _outcomes(rules, "영화 죽고 싶다") == {CrisisOutcome.CRISIS}
    assert _outcomes(rules, "영화 죽고 싶다", laughing=True) == {CrisisOutcome.CONCERN}


@pytest.mark.parametrize(
    ("text", "laughing"),
    [
        *(("아 ㅋㅋㅋ", True), ("lmao", True), ("그래 LOLol!", True), ("Hahaha", True), ("😂", True), ("Lol ok", True)),
        *(("ㅠㅠ", False), ("lola", False), ("aloha", False), ("trolol", False), ("rOFL", False)),
    ],
)
def test_laughter_is_told_from_tears_and_words(text, laughing):
    assert laughs(text) is laughing
