"""The shipped rules keep what their own examples promise."""

import re

import pytest

from shared.content.catalogue import content
from shared.content.crisis_rules import (
    ContextDefinition,
    RuleDefinition,
    alarming,
    crisis_rules,
    kept_patterns,
    ordinary_language,
    read_ways,
    rule_definitions,
    rules_digest,
)
from shared.domain.errors import ContentError
from shared.locale import Locale
from shared.safety.detector import detect
from shared.safety.frequencies import by_length
from shared.safety.levels import CrisisOutcome
from shared.safety.normalise import normalise
from shared.safety.reading import Reading

_RULES = rule_definitions().rules


@pytest.mark.parametrize("rule", _RULES, ids=lambda rule: rule.id)
def test_a_rule_finds_its_positive_examples_at_its_outcome(rule):
    for text in rule.positives:
        finding = detect(text, crisis_rules())
        assert (finding.outcome, rule.id in finding.rule_ids) == (rule.outcome, True), (text, finding)


@pytest.mark.parametrize("rule", _RULES, ids=lambda rule: rule.id)
def test_a_rule_leaves_its_negative_examples_alone(rule):
    for text in rule.negatives:
        assert rule.id not in detect(text, crisis_rules()).rule_ids, text


_SIGNS = list(zip(rule_definitions().signs, crisis_rules().signs, strict=True))


def _shows(sign, text):
    searches = (crisis_rules().search(Reading(reading)) for reading in normalise(text))
    return any(True for search in searches for _ in sign.rule.sentences(search))


@pytest.mark.parametrize(("written", "sign"), _SIGNS, ids=lambda one: getattr(one, "id", ""))
def test_a_sign_is_seen_in_its_positive_examples_and_not_in_its_negative_ones(written, sign):
    assert [text for text in written.positives if not _shows(sign, text)] == []
    assert [text for text in written.negatives if _shows(sign, text)] == []


@pytest.mark.parametrize("context", rule_definitions().contexts, ids=lambda context: context.id)
def test_a_context_takes_its_positive_examples_down_and_leaves_its_negative_ones(context):
    for text in context.positives:
        assert detect(text, crisis_rules()).outcome is context.into, text
    for text in context.negatives:
        assert detect(text, crisis_rules()).outcome in context.turns, text


@pytest.mark.parametrize("rule", crisis_rules().rules, ids=lambda rule: rule.id)
def test_every_pattern_compiles(rule):
    for pattern in rule.patterns + rule.exclusions + rule.unless:
        assert isinstance(pattern.regex, re.Pattern)


def test_ordinary_language_is_no_crisis_and_hardly_ever_a_concern():
    messages = ordinary_language()
    outcomes = {message: detect(message, crisis_rules()).outcome for message in messages}
    assert len(outcomes) == len(messages) > 1500
    assert [message for message, outcome in outcomes.items() if outcome.severity > CrisisOutcome.CONCERN.severity] == []
    assert sum(outcome is not CrisisOutcome.NONE for outcome in outcomes.values()) <= len(messages) / 100


def test_every_outcome_has_a_rule():
    abuse = {CrisisOutcome.ABUSE_TOLD, CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW}  # rules of their own
    assert {rule.outcome for rule in _RULES} == set(CrisisOutcome) - {CrisisOutcome.NONE} - abuse


def _plainly(ways):
    return tuple(tuple(tuple((one.source, one.prefilter) for one in group) for group in groups) for groups in ways)


def test_what_is_kept_of_the_patterns_is_what_stands_in_them():
    kept = kept_patterns()
    renew = "the rules changed: python -m tests.unit.shared.content.crisis_anchors"
    assert kept is not None, renew
    assert kept.rules == rules_digest(), renew
    assert _plainly(read_ways(rule_definitions())) == kept.ways, renew


def test_an_unknown_fragment_is_a_content_error_that_names_the_rule():
    rule = RuleDefinition(
        id="ko-x", outcome=CrisisOutcome.CRISIS, patterns=("<no>",), positives=("a", "b"), negatives=("c", "d")
    )
    with pytest.raises(ContentError, match="ko-x"):
        rule.ways({}, by_length)


def test_rules_are_compiled_once():
    assert crisis_rules() is crisis_rules()


@pytest.mark.parametrize("text", ["요즘은 그냥 죽고 싶다는 생각이 들어요", "죽을 것 같아요", "I just want to die"])
def test_a_text_with_words_of_a_crisis_is_alarming_wherever_they_stand(text):
    assert alarming(text)
    assert alarming("잠을 푹 자고 싶어요", f"우리는 이야기했다. {text}.")


@pytest.mark.parametrize("text", ["", "덜 떨고 싶어요", "배고파 죽겠다", "I want to sleep through the night"])
def test_wishes_and_idioms_are_not_alarming(text):
    assert not alarming(text)


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("level", range(1, 6))
def test_no_plan_of_our_own_is_alarming(level, locale):
    personas = content().personas
    keywords = {*personas.common_keywords, *(word for one in personas.types for word in one.type_specific_keywords)}
    plan = content().part2_templates.plan(level, sorted(keywords), locale)
    assert not alarming(plan.goal, *(f"{task.title}. {task.target}" for task in plan.tasks))


@pytest.mark.parametrize("outcome", [CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED, CrisisOutcome.ABUSE_NOW])
def test_a_context_that_takes_down_what_is_imminent_is_refused(outcome):
    context = rule_definitions().contexts[0].model_dump()
    with pytest.raises(ValueError, match="no context may take down"):
        ContextDefinition.model_validate(context | {"turns": {outcome}})


@pytest.mark.parametrize("outcome", [CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED])
def test_a_rule_of_what_is_imminent_that_something_silences_is_refused(outcome):
    with pytest.raises(ValueError, match="nothing beside the words"):
        RuleDefinition(
            id="ko-x", outcome=outcome, patterns=("a",), unless=("b",), positives=("a", "a"), negatives=("c", "d")
        )


def test_a_context_that_does_not_take_findings_down_is_refused():
    context = rule_definitions().contexts[0].model_dump()
    with pytest.raises(ValueError, match="takes findings down"):
        ContextDefinition.model_validate(context | {"turns": {CrisisOutcome.CONCERN}, "into": CrisisOutcome.CRISIS})
