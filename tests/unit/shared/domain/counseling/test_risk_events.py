"""Behaviour of what is found, asked and heard of danger."""

from datetime import timedelta

from shared.domain.counseling.risk_events import DangerAsked, ProtocolReplied, RiskRaised, RiskWatched
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.reassurance import Reassurance
from tests.fakes.counselling import NOW, session

LATER = NOW + timedelta(minutes=5)


def raised(outcome=CrisisOutcome.CRISIS, seq=3):
    return RiskRaised(outcome=outcome, rule_ids=("ko-x",), seq=seq)


class TestRisk:
    def test_is_raised_with_the_turn_it_was_found_in(self):
        risk = raised().apply(session(), LATER).risk
        assert (risk.level, risk.since_seq, risk.last_seq) == (RiskLevel.CRISIS, 3, 3)

    def test_is_never_lowered_by_a_milder_finding(self):
        state = raised(CrisisOutcome.IMMINENT).apply(session(), LATER)
        for outcome in CrisisOutcome:
            assert raised(outcome, seq=4).apply(state, LATER).risk.level is RiskLevel.IMMINENT

    def test_is_left_when_the_user_has_said_twice_to_be_safe_and_not_sooner(self):
        state = raised().apply(session(), LATER)
        once = RiskWatched(said=(Reassurance.OUT_OF_DANGER,)).apply(state, LATER)
        assert RiskWatched().apply(once, LATER).risk.follow_through
        assert RiskWatched(said=(Reassurance.OUT_OF_DANGER,)).apply(once, LATER).risk.level is RiskLevel.NONE

    def test_watching_without_risk_changes_nothing(self):
        assert RiskWatched().apply(session(), LATER) == session()

    def test_each_protocol_reply_counts(self):
        assert ProtocolReplied().apply(session(protocol_replies=1), LATER).protocol_replies == 2

    def test_holds_all_that_one_message_told_of(self):
        both = frozenset({CrisisOutcome.CRISIS, CrisisOutcome.HARM_TO_OTHERS})
        event = RiskRaised(outcome=CrisisOutcome.HARM_TO_OTHERS, outcomes=both, rule_ids=("ko-x",), seq=3)
        assert {*event.apply(session(), LATER).risk.found} == both

    def test_a_question_that_is_noted_late_does_not_take_a_newer_ones_place(self):
        asked = DangerAsked(seq=5).apply(session(), LATER)
        assert DangerAsked(seq=4).apply(asked, LATER).risk.asked_seq == 5
