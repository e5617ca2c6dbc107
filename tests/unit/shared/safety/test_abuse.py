"""How acts and times together make an outcome."""

import pytest

from shared.safety.abuse import AbuseFinding, AbuseKind, AbuseRules, Act, detect_abuse
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need
from shared.safety.patterns import patterns_of
from shared.safety.rules import Rule
from shared.safety.ruleset import RuleSet


def _set(**patterns):
    return RuleSet.of(
        [
            Rule(id=name, outcome=CrisisOutcome.NONE, patterns=patterns_of((text,), {}), exclusions=(), unless=())
            for name, text in patterns.items()
        ]
    )


RULES = AbuseRules(
    acts=_set(hit="때려", bullied="따돌려"),
    means={"hit": Act(kind=AbuseKind.DOMESTIC, grave=True), "bullied": Act(kind=AbuseKind.SCHOOL, grave=False)},
    past=_set(past="예전"),
    present=_set(present="요즘"),
    now=_set(now="숨어"),
)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("때려요", CrisisOutcome.ABUSE),
        ("때려서 숨어 있어요", CrisisOutcome.ABUSE_NOW),
        ("예전에 때려서 숨어 있었어요", CrisisOutcome.ABUSE_TOLD),
        ("예전에도 요즘도 때려요", CrisisOutcome.ABUSE),
        ("따돌려요, 숨어 있어요", CrisisOutcome.ABUSE_TOLD),
        ("따돌려요, 때려요", CrisisOutcome.ABUSE),
        ("숨어 있어요", CrisisOutcome.NONE),
        ("", CrisisOutcome.NONE),
    ],
)
def test_the_outcome_is_what_was_done_and_when(text, outcome):
    assert detect_abuse(text, RULES).outcome is outcome


def test_it_names_the_rules_and_kinds_and_what_they_call_for():
    found = detect_abuse("따돌려요, 때려요", RULES)
    assert found.rule_ids == ("hit", "bullied")
    assert found.kinds == (AbuseKind.DOMESTIC, AbuseKind.SCHOOL)
    assert found.needs == (Need.VIOLENCE, Need.SCHOOL, Need.MIND)
    assert detect_abuse("안녕하세요", RULES) == AbuseFinding()
