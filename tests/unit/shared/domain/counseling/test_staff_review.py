"""A session's place in the queue for reviewers."""

from datetime import datetime, timedelta

import pytest

from shared.domain.counseling.session import Session, SessionStatus
from shared.domain.counseling.session_events import ReplyDegraded, RiskRaised, RiskReviewed
from shared.domain.counseling.staff_review import NEWEST_RULES, NEWEST_SEQS, FlagReason, ReviewStatus, reason_of
from shared.domain.counseling.staff_review_events import FlaggedForReview, SeenByReviewer
from shared.domain.event import Event
from shared.domain.safety.levels import CrisisOutcome
from tests.fakes.counselling import NOW, session

LATER = NOW + timedelta(minutes=5)


def after(*events: Event[Session], state: Session | None = None, at: datetime = NOW) -> Session:
    state = state or session(seq=9)
    for event in events:
        state = event.apply(state, at)
    return state


def flag(reason: FlagReason, seq: int = 3, *rules: str) -> FlaggedForReview:
    return FlaggedForReview(reason=reason, seq=seq, rules=rules)


def test_a_session_without_a_flag_is_not_in_the_queue() -> None:
    plain = after(RiskRaised(outcome=CrisisOutcome.CONCERN, rule_ids=("r",), seq=1))
    assert (plain.staff_review, plain.review_place) == (None, None)
    assert after(SeenByReviewer(upto_seq=3, note_id="n")).review_place is None


@pytest.mark.parametrize("outcome", [outcome for outcome in CrisisOutcome if outcome.needs_protocol])
def test_whatever_the_protocol_answers_is_flagged_under_its_own_name_with_its_rules(outcome: CrisisOutcome) -> None:
    mark = after(RiskRaised(outcome=outcome, rule_ids=("ko-1", "ko-2"), seq=4)).staff_review
    assert mark is not None
    assert (mark.priority.value, mark.status) == (outcome.value, ReviewStatus.OPEN)
    assert (mark.flags[0].rules, mark.flags[0].seqs) == (("ko-1", "ko-2"), (4,))


def test_pressing_outcomes_rank_as_the_gate_ranks_them() -> None:
    outcomes = [outcome for outcome in CrisisOutcome if outcome.needs_protocol]
    assert sorted(outcomes, key=lambda outcome: reason_of(outcome).rank, reverse=True) == outcomes


def test_a_reply_that_no_model_could_give_is_flagged_with_its_turn() -> None:
    mark = after(ReplyDegraded(), ReplyDegraded(), state=session(seq=2)).staff_review
    assert mark is not None
    assert [(one.reason, one.seqs, one.count) for one in mark.flags] == [(FlagReason.DEGRADED, (2,), 1)]


def test_flags_of_a_reason_are_counted_by_turn_and_the_most_pressing_comes_first() -> None:
    state = after(
        flag(FlagReason.DEGRADED, 1),
        flag(FlagReason.CRISIS, 2, "a"),
        flag(FlagReason.CRISIS, 2, "b"),
        flag(FlagReason.CRISIS, 5, "a"),
        flag(FlagReason.IMMINENT, 4),
    )
    mark = state.staff_review
    assert mark is not None
    assert [(one.reason.value, one.count, one.seqs, one.rules) for one in mark.flags] == [
        ("imminent", 1, (4,), ()),
        ("crisis", 2, (2, 5), ("a", "b")),
        ("degraded", 1, (1,), ()),
    ]
    assert mark.newest_seq == 5


def test_a_long_crisis_does_not_make_the_session_grow() -> None:
    state = after(*(flag(FlagReason.CRISIS, seq, f"r{seq}") for seq in range(1, 50)))
    assert state.staff_review is not None
    (crisis,) = state.staff_review.flags
    assert crisis.count == 49
    assert (len(crisis.seqs), len(crisis.rules)) == (NEWEST_SEQS, NEWEST_RULES)
    assert crisis.last_seq == 49


def test_the_queue_is_ordered_by_how_pressing_and_then_by_who_has_waited_longest() -> None:
    places = [
        after(flag(FlagReason.IMMINENT), at=LATER).review_place,
        after(flag(FlagReason.CRISIS), at=NOW).review_place,
        after(flag(FlagReason.CRISIS), at=LATER).review_place,
        after(flag(FlagReason.DEGRADED), at=NOW).review_place,
    ]
    assert places == sorted(places, key=str)
    assert len(set(places)) == 4
    a, b = (after(flag(FlagReason.CRISIS), state=session(conversation_id=name)) for name in ("c1", "c2"))
    assert a.review_place != b.review_place, "paging goes on behind a place, which no two may share"


def test_who_waits_keeps_the_place_when_the_same_is_flagged_again() -> None:
    first = after(flag(FlagReason.CRISIS, 3))
    again = after(flag(FlagReason.CRISIS, 4), state=first, at=LATER)
    assert again.review_place == first.review_place


def test_seen_up_to_the_newest_flag_a_session_waits_no_more() -> None:
    state = after(flag(FlagReason.CRISIS, 3), SeenByReviewer(upto_seq=3, note_id="n1"))
    mark = state.staff_review
    assert mark is not None
    assert (mark.status, mark.seen_upto, mark.notes, mark.waiting) == (ReviewStatus.SEEN, 3, ("n1",), ())
    assert str(state.review_place).startswith("seen.")


def test_seen_up_to_an_earlier_turn_it_waits_for_the_rest() -> None:
    state = after(flag(FlagReason.IMMINENT, 2), flag(FlagReason.DEGRADED, 6), SeenByReviewer(upto_seq=4, note_id="n"))
    mark = state.staff_review
    assert mark is not None
    assert (mark.status, mark.priority) == (ReviewStatus.OPEN, FlagReason.DEGRADED)


def test_a_newer_flag_opens_it_again_from_then_on() -> None:
    seen = after(flag(FlagReason.CRISIS, 3), SeenByReviewer(upto_seq=3, note_id="n1"))
    mark = after(flag(FlagReason.DEGRADED, 7), state=seen, at=LATER).staff_review
    assert mark is not None
    assert (mark.status, mark.priority, mark.opened_at) == (ReviewStatus.OPEN, FlagReason.DEGRADED, LATER)
    assert (mark.seen_upto, mark.notes) == (3, ("n1",))


def test_a_late_judgement_of_a_turn_that_was_seen_does_not() -> None:
    seen = after(flag(FlagReason.CRISIS, 5), SeenByReviewer(upto_seq=6, note_id="n1"))
    late = after(flag(FlagReason.RED_ITEM, 4), state=seen, at=LATER)
    assert late.staff_review is not None
    assert late.staff_review.status is ReviewStatus.SEEN
    assert {one.reason for one in late.staff_review.flags} == {FlagReason.CRISIS, FlagReason.RED_ITEM}


def test_nobody_has_seen_what_was_not_said_yet_and_what_was_seen_stays_seen() -> None:
    state = after(flag(FlagReason.CRISIS, 3), SeenByReviewer(upto_seq=99, note_id="a"), state=session(seq=4))
    earlier = after(SeenByReviewer(upto_seq=1, note_id="b"), state=state)
    assert state.staff_review is not None
    assert earlier.staff_review is not None
    assert (state.staff_review.seen_upto, earlier.staff_review.seen_upto) == (4, 4)


def test_an_ended_session_is_flagged_and_stays_ended() -> None:
    ended = after(flag(FlagReason.RED_ITEM, 3), state=session(seq=9, status=SessionStatus.COMPLETED))
    assert ended.ended
    assert ended.staff_review is not None


def test_a_review_ends_the_follow_through_but_not_one_that_a_newer_finding_began() -> None:
    crisis = after(RiskRaised(outcome=CrisisOutcome.CRISIS, rule_ids=("r",), seq=3))
    assert crisis.risk.follow_through
    assert not after(RiskReviewed(reviewer="r1", seq=3), state=crisis).risk.follow_through
    assert after(RiskReviewed(reviewer="r1", seq=2), state=crisis).risk.follow_through
