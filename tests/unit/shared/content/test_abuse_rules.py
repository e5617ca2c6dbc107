"""What the rules find of violence in whole messages; the examples of each rule are tested with all rules."""

from shared.content.catalogue import content
from shared.safety.abuse import AbuseKind
from shared.safety.matcher import Family
from tests.support.sentences import sentences

_WRITTEN = sentences("safety/abuse_examples")


def _kinds(text):
    return content().screening.screen(text).abuse.kinds


def test_a_message_has_the_outcome_that_is_written_beside_it():
    written = {text: outcome for outcome, texts in _WRITTEN["outcomes"].items() for text in texts}
    read = {text: content().screening.screen(text).abuse.outcome for text in written}
    assert {text: outcome for text, outcome in read.items() if outcome != written[text]} == {}


def test_who_did_it_is_told_by_its_kind():
    for kind, texts in _WRITTEN["kinds"].items():
        missed = [text for text in texts["told"] if kind not in _kinds(text)]
        mistaken = [text for text in texts["others"] if kind in _kinds(text)]
        assert (kind, missed, mistaken) == (kind, [], [])


def test_every_kind_has_a_rule_in_each_language():
    for language in ("ko-", "en-"):
        acts = [
            rule for rule in content().screening.rules if rule.family is Family.ABUSE and rule.id.startswith(language)
        ]
        assert {AbuseKind(act.kind) for act in acts} == set(AbuseKind)
