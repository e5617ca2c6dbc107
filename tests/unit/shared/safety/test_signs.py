"""Behaviour of the weighing of weak signs."""

from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import patterns_of
from shared.safety.reading import Reading
from shared.safety.rules import Rule
from shared.safety.ruleset import RuleSet
from shared.safety.signs import Sign, add_up


def _sign(family, weight, word):
    return Sign(family, weight, Rule(f"ko-{word}", CrisisOutcome.NONE, patterns_of([word], {})))


SIGNS = (
    _sign("settled", 2, "통장"),
    _sign("settled", 2, "열쇠"),
    _sign("farewell", 2, "고마웠어"),
    _sign("distress", 1, "지쳤어"),
    _sign("circumstance", 1, "오늘"),
    _sign("ordinary", -2, "퇴사"),
)


def _weighed(text, beside=None):
    rules = RuleSet(rules=(), signs=SIGNS)
    search = rules.search(Reading(text), beside=beside and rules.search(Reading(beside)))
    candidates = [(sign, sign.rule.patterns) for sign in SIGNS]
    return add_up(search, candidates, against=[sign for sign in SIGNS if sign.weight < 0])


def _outcome(text):
    return _weighed(text).outcome


def test_signs_of_two_families_in_neighbouring_sentences_are_a_concern_and_no_more():
    weighed = _weighed("통장을 넘겼다. 그냥. 고마웠어.")
    assert (weighed.outcome, weighed.sentence) == (CrisisOutcome.CONCERN, 0)
    assert weighed.ids == {"ko-통장", "ko-고마웠어"}


def test_signs_far_apart_are_none():
    assert _outcome("통장을 넘겼다. 하나. 둘. 고마웠어.") is CrisisOutcome.NONE


def test_of_one_family_only_one_counts():
    assert _outcome("통장이랑 열쇠를 줬다") is CrisisOutcome.NONE


def test_distress_alone_is_no_finding_and_beside_something_else_a_concern():
    assert _outcome("오늘 지쳤어") is CrisisOutcome.NONE
    assert _outcome("오늘 통장을 봤다") is CrisisOutcome.CONCERN
    assert _outcome("통장을 봤다. 그냥. 오늘.") is CrisisOutcome.CONCERN
    assert _outcome("오늘. 그냥. 통장을 봤다.") is CrisisOutcome.CONCERN


def test_what_speaks_against_it_is_taken_off():
    assert _outcome("퇴사한다. 통장을 정리했다. 고마웠어.") is CrisisOutcome.NONE


def test_what_speaks_against_it_may_stand_in_another_reading_of_the_message():
    assert _weighed("통장을 정리했다. 고마웠어.", beside="퇴사한다").outcome is CrisisOutcome.NONE


def test_what_does_not_count_where_it_stands_adds_nothing():
    excluded = Sign(
        "means", 3, Rule("ko-칼", CrisisOutcome.NONE, *(patterns_of([one], {}) for one in ("칼", "칼국수")))
    )
    search = RuleSet(rules=(), signs=(*SIGNS, excluded)).search(Reading("칼국수를 먹었다. 고마웠어."))
    assert (
        add_up(search, [(one, one.rule.patterns) for one in (*SIGNS, excluded)], against=()).outcome
        is CrisisOutcome.NONE
    )
