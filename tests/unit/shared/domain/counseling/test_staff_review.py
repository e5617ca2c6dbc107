"""A session's place in the queue for reviewers."""

from datetime import datetime, timedelta

import pytest

from shared.domain.counseling.risk_events import RiskRaised, RiskReviewed
from shared.domain.counseling.session import Session, SessionStatus
from shared.domain.counseling.session_events import ReplyDegraded
from shared.domain.counseling.staff_review import (
    BEFORE,
    FOLLOWED_SHOWN,
    NEWEST_LOOKS,
    NEWEST_RULES,
    NEWEST_SEQS,
    FlagReason,
    Look,
    ReviewStatus,
    Span,
    StaffReview,
    reason_of,
    shown_of,
)
from shared.domain.counseling.staff_review_events import (
    FlaggedAfterSessionEnd,
    FlaggedForReview,
    LookedAt,
    SeenByReviewer,
)
from shared.domain.event import Event
from shared.safety.levels import CrisisOutcome
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
    assert after(saw((0, 3))).review_place is None


def test_whatever_the_protocol_answers_is_flagged_under_its_own_name_with_its_rules(subtests: pytest.Subtests) -> None:
    for outcome in [outcome for outcome in CrisisOutcome if outcome.needs_protocol]:
        with subtests.test(outcome=outcome):
            mark = after(RiskRaised(outcome=outcome, rule_ids=("ko-1", "ko-2"), seq=4)).staff_review
            assert (mark.priority.value, mark.status) == (outcome.value, ReviewStatus.OPEN)
            assert (mark.flags[0].rules, mark.flags[0].seqs) == (("ko-1", "ko-2"), (4,))


def test_pressing_outcomes_rank_as_the_gate_ranks_them() -> None:
    outcomes = [outcome for outcome in CrisisOutcome if outcome.needs_protocol]
    assert sorted(outcomes, key=lambda outcome: reason_of(outcome).rank, reverse=True) == outcomes


def test_a_reply_that_no_model_could_give_is_flagged_with_its_turn() -> None:
    mark = after(ReplyDegraded(), ReplyDegraded(), state=session(seq=2)).staff_review
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


def saw(*spans: tuple[int, int], note: str = "n1") -> SeenByReviewer:
    return SeenByReviewer(spans=tuple(Span(first=first, last=last) for first, last in spans), note_id=note)


def mark_of(state: Session) -> StaffReview:
    assert state.staff_review is not None
    return state.staff_review


def test_once_all_flagged_turns_were_seen_a_session_waits_no_more() -> None:
    state = after(flag(FlagReason.CRISIS, 3), saw((0, 5)))
    mark = mark_of(state)
    assert (mark.status, mark.seen_upto, mark.notes, mark.waiting) == (ReviewStatus.SEEN, 5, ("n1",), ())
    assert str(state.review_place).startswith("seen.")


def test_a_flagged_turn_that_was_not_shown_waits_though_a_later_one_was_seen() -> None:
    mark = mark_of(after(flag(FlagReason.IMMINENT, 2), flag(FlagReason.DEGRADED, 9), saw((6, 9))))
    assert (mark.status, mark.priority) == (ReviewStatus.OPEN, FlagReason.IMMINENT)


def test_a_newer_flag_opens_it_again_from_then_on() -> None:
    seen = after(flag(FlagReason.CRISIS, 3), saw((0, 5)))
    mark = mark_of(after(flag(FlagReason.DEGRADED, 7), state=seen, at=LATER))
    assert (mark.status, mark.priority, mark.opened_at) == (ReviewStatus.OPEN, FlagReason.DEGRADED, LATER)
    assert (mark.seen_upto, mark.notes) == (5, ("n1",))


@pytest.mark.parametrize(("late", "status"), [(4, ReviewStatus.SEEN), (27, ReviewStatus.OPEN)])
def test_a_late_judgement_waits_unless_its_turn_was_shown(late: int, status: ReviewStatus) -> None:
    seen = after(flag(FlagReason.CRISIS, 5), saw((2, 7), (28, 30)), state=session(seq=30))
    mark = mark_of(after(flag(FlagReason.RED_ITEM, late), state=seen, at=LATER))
    assert mark.status is status
    assert {one.reason for one in mark.flags} == {FlagReason.CRISIS, FlagReason.RED_ITEM}


def test_what_was_seen_stays_seen_and_the_same_note_again_changes_nothing() -> None:
    state = after(flag(FlagReason.CRISIS, 3), saw((2, 5)), saw((0, 1), note="b"), saw((6, 9), note="b"))
    assert (mark_of(state).seen, mark_of(state).seen_upto) == ((Span(first=0, last=5),), 5)


class TestWhatALookShows:
    def spans(self, state: Session, since: int | None = None) -> list[tuple[int, int]]:
        return [(span.first, span.last) for span in shown_of(mark_of(state), state.seq, since)]

    def test_is_each_flagged_turn_with_those_around_it_and_none_that_is_still_to_come(self) -> None:
        state = after(flag(FlagReason.CRISIS, 1), flag(FlagReason.GUARD, 20), state=session(seq=21))
        assert self.spans(state) == [(0, 3), (17, 21)]

    def test_is_of_many_flagged_turns_what_nobody_has_seen_first_so_that_no_turn_is_left_out(self) -> None:
        state = session(seq=200)
        for reason in (FlagReason.CRISIS, FlagReason.GUARD, FlagReason.DEGRADED):
            start = 10 * list(FlagReason).index(reason)
            state = after(*(flag(reason, start + 10 * n) for n in range(10)), state=state)
        for number in range(10):
            state = after(saw(*self.spans(state), note=f"n{number}"), state=state)
        assert mark_of(state).waiting == ()

    def test_is_in_a_follow_through_everything_since_the_danger_began(self) -> None:
        state = after(flag(FlagReason.CRISIS, 5), state=session(seq=30))
        assert self.spans(state, since=5) == [(2, 30)]

    def test_is_of_a_long_follow_through_the_part_that_comes_next(self) -> None:
        state = after(flag(FlagReason.CRISIS, 5), state=session(seq=100))
        first = self.spans(state, since=5)
        assert first == [(2, 5 + FOLLOWED_SHOWN - 1)]
        assert self.spans(after(saw(*first), state=state), since=5)[-1] == (first[0][1] - BEFORE + 1, 100)


class TestBehindTheTalk:
    ended = session(seq=9, status=SessionStatus.COMPLETED)

    def danger(self, reason: FlagReason = FlagReason.CRISIS) -> FlaggedAfterSessionEnd:
        return FlaggedAfterSessionEnd(reason=reason, rules=("after_end",))

    def test_what_happens_opens_a_session_whose_every_turn_was_seen(self) -> None:
        state = after(flag(FlagReason.CRISIS, 9), saw((0, 9)), self.danger(), state=self.ended)
        assert mark_of(state).status is ReviewStatus.OPEN
        again = after(saw((7, 10), note="b"), state=state)
        assert mark_of(again).status is ReviewStatus.SEEN
        assert mark_of(after(self.danger(), state=again)).status is ReviewStatus.OPEN

    def test_it_takes_no_number_that_a_turn_could_still_have(self) -> None:
        assert after(self.danger()).staff_review is None

    def test_it_does_not_make_the_session_grow(self) -> None:
        state = after(*(self.danger() for _ in range(50)), state=self.ended)
        assert mark_of(state).newest_seq == 9 + NEWEST_SEQS


def test_looks_are_kept_for_the_mark_to_come_and_only_the_newest() -> None:
    looks = [Look(look_id=f"l{n}", spans=(Span(first=0, last=n),), upto=n) for n in range(NEWEST_LOOKS + 3)]
    state = after(flag(FlagReason.CRISIS, 3), *(LookedAt(look=look) for look in looks))
    assert mark_of(state).looks == tuple(looks[3:])
    assert mark_of(state).status is ReviewStatus.OPEN
    assert after(LookedAt(look=looks[0])).staff_review is None


def test_an_ended_session_is_flagged_and_stays_ended() -> None:
    ended = after(flag(FlagReason.RED_ITEM, 3), state=session(seq=9, status=SessionStatus.COMPLETED))
    assert ended.ended
    assert ended.staff_review is not None


def test_a_review_ends_the_follow_through_but_not_one_that_a_newer_finding_began() -> None:
    crisis = after(RiskRaised(outcome=CrisisOutcome.CRISIS, rule_ids=("r",), seq=3))
    assert crisis.risk.follow_through
    assert not after(RiskReviewed(reviewer="r1", seq=3), state=crisis).risk.follow_through
    assert after(RiskReviewed(reviewer="r1", seq=2), state=crisis).risk.follow_through
