from datetime import timedelta

import pytest

from shared.domain.counseling import staff_review as queue
from shared.domain.counseling.risk_events import RiskRaised, RiskReviewed
from shared.domain.counseling.session_events import ReplyDegraded
from shared.domain.counseling.staff_review_events import FlaggedAfterSessionEnd, FlaggedForReview, SeenByReviewer
from shared.safety.levels import CrisisOutcome
from tests.builders.sessions import NOW, session

LATER = NOW + timedelta(minutes=5)
ENDED = session(seq=9, status="completed")
PRESSING = [outcome for outcome in CrisisOutcome if outcome.needs_protocol]
OPEN, SEEN = queue.ReviewStatus.OPEN, queue.ReviewStatus.SEEN
DANGER = FlaggedAfterSessionEnd(reason=queue.FlagReason.CRISIS, rules=("after_end",))


def after(*events, state=None, at=NOW):
    state = state or session(seq=9)
    for event in events:
        state = event.apply(state, at)
    return state


def flag(reason, seq=3, *rules):
    return FlaggedForReview(reason=reason, seq=seq, rules=rules)


def saw(*spans, note="n1"):
    return SeenByReviewer(spans=tuple(queue.Span(first=first, last=last) for first, last in spans), note_id=note)


class TestFlags:
    def test_put_a_session_into_the_queue_and_a_concern_does_not(self):
        plain = after(RiskRaised(outcome=CrisisOutcome.CONCERN, rule_ids=("r",), seq=1))
        assert (plain.staff_review, plain.review_place) == (None, None)
        assert after(saw((0, 3))).review_place is None
        mark = after(ReplyDegraded(), ReplyDegraded(), state=session(seq=2)).staff_review
        assert [(one.reason, one.seqs, one.count) for one in mark.flags] == [(queue.FlagReason.DEGRADED, (2,), 1)]
        ended = after(flag(queue.FlagReason.RED_ITEM), state=ENDED)
        assert ended.ended
        assert ended.staff_review is not None

    @pytest.mark.parametrize("outcome", PRESSING)
    def test_of_a_pressing_outcome_have_its_name_and_its_rules(self, outcome):
        mark = after(RiskRaised(outcome=outcome, rule_ids=("ko-1", "ko-2"), seq=4)).staff_review
        assert (mark.priority.value, mark.status) == (outcome.value, OPEN)
        assert (mark.flags[0].rules, mark.flags[0].seqs) == (("ko-1", "ko-2"), (4,))

    def test_of_pressing_outcomes_rank_by_severity(self):
        assert sorted(PRESSING, key=lambda outcome: queue.reason_of(outcome).rank, reverse=True) == PRESSING

    def test_of_one_reason_are_counted_by_turn_and_the_most_pressing_reason_is_first(self):
        crisis = [flag(queue.FlagReason.CRISIS, seq, rule) for seq, rule in ((2, "a"), (2, "b"), (5, "a"))]
        mark = after(flag(queue.FlagReason.DEGRADED, 1), *crisis, flag(queue.FlagReason.IMMINENT, 4)).staff_review
        assert [(one.reason.value, one.count, one.seqs, one.rules) for one in mark.flags] == [
            ("imminent", 1, (4,), ()),
            ("crisis", 2, (2, 5), ("a", "b")),
            ("degraded", 1, (1,), ()),
        ]
        assert mark.newest_seq == 5


def test_the_queue_is_ordered_by_priority_and_then_by_waiting_time():
    order = [
        (queue.FlagReason.IMMINENT, LATER),
        (queue.FlagReason.CRISIS, NOW),
        (queue.FlagReason.CRISIS, LATER),
        (queue.FlagReason.DEGRADED, NOW),
    ]
    places = [after(flag(reason), at=at).review_place for reason, at in order]
    assert places == sorted(places, key=str)
    assert len(set(places)) == 4
    a, b = (after(flag(queue.FlagReason.CRISIS), state=session(conversation_id=name)) for name in ("c1", "c2"))
    assert a.review_place != b.review_place, "paging continues after a place, so places are unique"
    again = after(flag(queue.FlagReason.CRISIS, 4), state=a, at=LATER)
    assert again.review_place == a.review_place, "another flag of the same reason keeps the place"


class TestASeenSession:
    def test_stays_open_for_a_flagged_turn_that_was_not_shown(self):
        mark = after(flag(queue.FlagReason.IMMINENT, 2), flag(queue.FlagReason.DEGRADED, 9), saw((6, 9))).staff_review
        assert (mark.status, mark.priority) == (OPEN, queue.FlagReason.IMMINENT)

    @pytest.mark.parametrize(("late", "status"), [(4, SEEN), (27, OPEN)])
    def test_is_opened_by_a_late_judgement_unless_its_turn_was_shown(self, late, status):
        seen = after(flag(queue.FlagReason.CRISIS, 5), saw((2, 7), (28, 30)), state=session(seq=30))
        mark = after(flag(queue.FlagReason.RED_ITEM, late), state=seen, at=LATER).staff_review
        assert mark.status is status
        assert {one.reason for one in mark.flags} == {queue.FlagReason.CRISIS, queue.FlagReason.RED_ITEM}

    def test_joins_the_seen_spans_of_several_notes(self):
        spans = saw((2, 5)), saw((0, 1), note="b"), saw((6, 9), note="b")
        mark = after(flag(queue.FlagReason.CRISIS), *spans).staff_review
        assert (mark.seen, mark.seen_upto) == ((queue.Span(first=0, last=5),), 5)


class TestTheTurnsShownToAReviewer:
    def spans(self, state, since=None):
        return [(span.first, span.last) for span in queue.shown_of(state.staff_review, state.seq, since)]

    def test_are_the_flagged_turns_with_their_neighbours_and_no_future_turn(self):
        state = after(flag(queue.FlagReason.CRISIS, 1), flag(queue.FlagReason.GUARD, 20), state=session(seq=21))
        assert self.spans(state) == [(0, 3), (17, 21)]

    def test_are_the_unseen_ones_of_many_flagged_turns_until_all_were_seen(self):
        state = session(seq=200)
        for reason in (queue.FlagReason.CRISIS, queue.FlagReason.GUARD, queue.FlagReason.DEGRADED):
            start = 10 * list(queue.FlagReason).index(reason)
            state = after(*(flag(reason, start + 10 * n) for n in range(10)), state=state)
        for number in range(10):
            state = after(saw(*self.spans(state), note=f"n{number}"), state=state)
        assert state.staff_review.waiting == ()

    def test_are_in_a_follow_through_all_turns_since_the_danger_began_in_parts(self):
        crisis = flag(queue.FlagReason.CRISIS, 5)
        assert self.spans(after(crisis, state=session(seq=30)), since=5) == [(2, 30)]
        long = after(crisis, state=session(seq=100))
        first = self.spans(long, since=5)
        assert first == [(2, 5 + queue.FOLLOWED_SHOWN - 1)]
        assert self.spans(after(saw(*first), state=long), since=5)[-1] == (first[0][1] - queue.BEFORE + 1, 100)


class TestAfterTheEnd:
    def test_a_flag_opens_a_session_that_was_seen_completely(self):
        state = after(flag(queue.FlagReason.CRISIS, 9), saw((0, 9)), DANGER, state=ENDED)
        assert state.staff_review.status is OPEN
        again = after(saw((7, 10), note="b"), state=state)
        assert again.staff_review.status is SEEN
        assert after(DANGER, state=again).staff_review.status is OPEN

    def test_a_flag_is_only_possible_on_an_ended_session_and_their_number_is_bounded(self):
        assert after(DANGER).staff_review is None
        assert after(*[DANGER] * 50, state=ENDED).staff_review.newest_seq == 9 + queue.NEWEST_SEQS


def test_a_review_ends_a_follow_through_unless_a_newer_finding_is_in_it():
    crisis = after(RiskRaised(outcome=CrisisOutcome.CRISIS, rule_ids=("r",), seq=3))
    assert crisis.risk.follow_through
    assert not after(RiskReviewed(reviewer="r1", seq=3), state=crisis).risk.follow_through
    assert after(RiskReviewed(reviewer="r1", seq=2), state=crisis).risk.follow_through
