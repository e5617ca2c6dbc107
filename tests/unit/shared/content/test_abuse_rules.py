"""Every rule of violence holds its own examples, and the file as a whole its own."""

import pytest

from shared.content.abuse_rules import abuse_file, abuse_rules, compiled
from shared.domain.errors import ContentError
from shared.safety.abuse import AbuseKind, detect_abuse
from shared.safety.levels import CrisisOutcome

_ACTS = abuse_file().acts
_EXAMPLES = [(name, text) for name, texts in dict(abuse_file().examples).items() for text in texts]


@pytest.mark.parametrize(("rule_id", "text"), [(act.id, text) for act in _ACTS for text in act.positives])
def test_a_positive_is_found_by_its_rule(rule_id, text):
    assert rule_id in detect_abuse(text, abuse_rules()).rule_ids


@pytest.mark.parametrize(("rule_id", "text"), [(act.id, text) for act in _ACTS for text in act.negatives])
def test_a_negative_is_not_found_by_its_rule(rule_id, text):
    assert rule_id not in detect_abuse(text, abuse_rules()).rule_ids


@pytest.mark.parametrize(("outcome", "text"), _EXAMPLES)
def test_a_message_has_the_outcome_that_is_written_beside_it(outcome, text):
    assert detect_abuse(text, abuse_rules()).outcome is CrisisOutcome(outcome)


def test_every_kind_has_a_rule():
    assert {act.kind for act in _ACTS} == set(AbuseKind)


def test_a_pattern_that_names_no_fragment_is_refused():
    with pytest.raises(ContentError, match="no fragment"):
        compiled(abuse_file().model_copy(update={"fragments": {}}))
