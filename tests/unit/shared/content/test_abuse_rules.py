"""What the rules find of violence in whole messages; the examples of each rule are tested with all rules."""

from pathlib import Path

import yaml

from shared.content.safety_rules import screening
from shared.safety.abuse import AbuseKind
from shared.safety.matcher import Family

_WRITTEN = yaml.safe_load((Path(__file__).parents[3] / "fixtures/safety/abuse_examples.yaml").read_text("utf-8"))


def _kinds(text):
    return screening().screen(text).abuse.kinds


def test_a_message_has_the_outcome_that_is_written_beside_it():
    wrong = [
        (outcome, text)
        for outcome, texts in _WRITTEN["outcomes"].items()
        for text in texts.splitlines()
        if screening().screen(text).abuse.outcome != outcome
    ]
    assert wrong == []


def test_who_did_it_is_told_by_its_kind():
    by_kind = _WRITTEN["kinds"].items()
    missed = [
        (kind, text) for kind, texts in by_kind for text in texts["told"].splitlines() if kind not in _kinds(text)
    ]
    mistaken = [
        (kind, text) for kind, texts in by_kind for text in texts["others"].splitlines() if kind in _kinds(text)
    ]
    assert (missed, mistaken) == ([], [])


def test_every_kind_has_a_rule_in_each_language():
    for language in ("ko-", "en-"):
        acts = [rule for rule in screening().rules if rule.family is Family.ABUSE and rule.id.startswith(language)]
        assert {AbuseKind(act.kind) for act in acts} == set(AbuseKind)
