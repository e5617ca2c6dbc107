"""What a reading makes of a session: answers to proposals, values and tasks."""

import pytest

from functions.chat.applying import Plain
from shared.domain.counseling.session import Session, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import SessionClosed, WentBack, WrapUpPassed, WrapUpUnclear
from shared.domain.counseling.task import CompletionRule, Part, SufficientReason, TaskStatus
from shared.domain.counseling.task_events import TaskCovered
from tests.builders.heard import after_hearing, hears
from tests.builders.sessions import NOW, session, slot, task

COVERED = {"status": TaskStatus.SUFFICIENT, "sufficient_at": NOW}


def asked_to_end(*, choice: bool = False, unclear: int = 0, **more: object) -> Session:
    """A covered closing whose newest reply asked whether to end."""
    proposal = WrapUp(stage=WrapUpStage.PROPOSED, aim=WrapUpAim.END, seq=9, choice=choice, unclear=unclear)
    done = (task("told", Part.EXPLORATION, **COVERED), task("bye", Part.CLOSING, **COVERED))
    plain = {"current_part": Part.CLOSING, "seq": 9, "wrap_up": proposal, "part2_started_seq": 3}
    return session(*done, **(plain | {"status": "wrapping_up"} | more))


@pytest.mark.parametrize("plain", [Plain.YES, Plain.STOP])
def test_a_plain_yes_or_stop_ends_where_the_end_was_asked_about(plain: Plain) -> None:
    turn = after_hearing(asked_to_end(), plain=plain)
    assert turn.session.ended
    assert [hook.data for hook in turn.applied.hooks] == [{"by": "user"}]


def test_a_plain_yes_to_a_choice_ends_nothing() -> None:
    turn = after_hearing(asked_to_end(choice=True), plain=Plain.YES)
    assert not turn.session.ended
    assert turn.applied.of(WrapUpPassed)


def test_a_stop_to_a_choice_ends() -> None:
    assert after_hearing(asked_to_end(choice=True), plain=Plain.STOP).session.ended


@pytest.mark.parametrize("matter", ["asks_counsellor", "new_topic", "wants_advice"])
@pytest.mark.parametrize("word", ["agrees", "wants_to_stop"])
def test_a_word_for_the_end_beside_an_open_matter_is_unclear_and_asked_again(word: str, matter: str) -> None:
    turn = after_hearing(asked_to_end(), hears(word, matter))
    assert not turn.session.ended
    assert turn.applied.of(WrapUpUnclear)
    again = after_hearing(turn.session.model_copy(update={"seq": 10}))
    assert again.decision is not None
    assert again.decision.directive.proposes is WrapUpAim.END


def test_a_second_unclear_answer_to_the_end_counts_as_a_no() -> None:
    turn = after_hearing(asked_to_end(unclear=1), hears("agrees", "asks_counsellor"))
    assert turn.session.wrap_up is not None
    assert turn.session.wrap_up.stage is WrapUpStage.DECLINED


def test_a_yes_that_was_sent_before_the_question_was_read_ends_nothing() -> None:
    assert not after_hearing(asked_to_end(), hears("agrees"), answers=False).session.ended


@pytest.mark.parametrize("heard", [hears("refuses"), None])
def test_a_no_to_the_end_in_a_covered_closing_goes_back(heard) -> None:
    turn = after_hearing(asked_to_end(), heard) if heard else after_hearing(asked_to_end(), plain=Plain.NO)
    assert turn.applied.of(WentBack)
    assert turn.session.current_part is Part.EXPLORATION
    assert not turn.applied.of(SessionClosed)


def test_a_wish_to_stop_beside_a_proposal_to_wrap_up_is_asked_about_and_ends_nothing() -> None:
    proposal = WrapUp(stage=WrapUpStage.PROPOSED, aim=WrapUpAim.WRAP_UP, seq=9)
    here = {"current_part": Part.EXPLORATION, "status": "active", "wrap_up": proposal}
    turn = after_hearing(asked_to_end(**here), plain=Plain.STOP)
    assert not turn.session.ended
    assert turn.decision is not None
    assert turn.decision.directive.proposes is WrapUpAim.END


def judged(**more: object) -> Session:
    plain = {"status": TaskStatus.IN_PROGRESS, "completion_rule": CompletionRule.JUDGED, "min_turns": 2}
    tasks = (task("feel", **plain), task("next"))
    return session(*tasks, **({"current_task": "feel", "seq": 4} | more))


def test_a_judged_task_needs_signs_of_two_turns() -> None:
    first = after_hearing(judged(), hears("complete"))
    assert not first.applied.of(TaskCovered)
    second = after_hearing(first.session.model_copy(update={"seq": 5}), hears("complete"))
    assert [(one.task_id, one.reason) for one in second.applied.of(TaskCovered)] == [("feel", SufficientReason.JUDGED)]


@pytest.mark.parametrize("turned_away", ["declines", "misread", "new_topic", "circular"])
def test_words_that_turn_away_from_the_task_are_no_sign_of_it(turned_away: str) -> None:
    turn = after_hearing(judged(), hears("complete", turned_away))
    assert turn.session.tasks[0].signs == ()


def test_a_declined_slot_that_was_told_in_the_same_message_is_not_declined() -> None:
    slots = task("t", required_slots=(slot("reason"),), status=TaskStatus.IN_PROGRESS)
    before = session(slots, task("next"), current_task="t", seq=4, last_asked="reason", asked={"reason": 1})
    assert after_hearing(before, hears("declines")).session.declined_slots == ("reason",)
    told = after_hearing(before, hears("declines", values={"reason": "sleep"})).session
    assert (told.declined_slots, told.user_info) == ((), {"reason": "sleep"})
