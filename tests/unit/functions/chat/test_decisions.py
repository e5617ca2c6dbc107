"""What a turn decides: task, module, the one thing to ask, and what the reply is for."""

from dataclasses import replace

import pytest
from pydantic import JsonValue

from functions.chat.reading import Heard, states_of
from functions.chat.wordings import unsaid
from shared.content.catalogue import content
from shared.content.conditions import State
from shared.domain.counseling.directive import Directive, Stance
from shared.domain.counseling.module import CRISIS_MODULE, RESISTANCE_MODULE
from shared.domain.counseling.session import LogEntry, PlanStatus, Session, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.task import Part, TaskStatus
from tests.builders.heard import after_hearing, feels, hears
from tests.builders.sessions import NOW, session, slot, task

SLOTS = (slot("reason"), slot("since"))


def asking(**more: object) -> Session:
    """A session whose task under way has two slots to ask for."""
    under_way = task("t", required_slots=SLOTS, status=TaskStatus.IN_PROGRESS)
    return session(under_way, task("next"), **({"current_task": "t", "seq": 4} | more))


def exploring(**more: object) -> Session:
    under_way = task("t", Part.EXPLORATION, status=TaskStatus.IN_PROGRESS)
    plain = {"current_part": Part.EXPLORATION, "current_task": "t", "seq": 9, "announced_part": Part.EXPLORATION}
    plan = {"plan_status": PlanStatus.READY, "part2_started_seq": 3}
    return session(under_way, task("next", Part.EXPLORATION), **(plain | plan | more))


def directive(before: Session, heard: Heard | None = None, **more: object) -> Directive:
    turn = after_hearing(before, heard or hears(), **more)
    assert turn.decision is not None
    return turn.decision.directive


def asks(before: Session, heard: Heard | None = None) -> str | None:
    ask = directive(before, heard).ask
    return ask.slot if ask else None


def test_the_first_missing_slot_is_asked_for() -> None:
    assert asks(asking()) == "reason"
    assert asks(asking(user_info={"reason": "sleep"})) == "since"


def test_a_declined_slot_is_not_asked_for() -> None:
    assert asks(asking(declined_slots=("reason",))) == "since"


def test_an_unanswered_slot_rests_and_another_is_asked_for() -> None:
    asked = {"asked": {"reason": 1}, "asked_seq": {"reason": 4}, "last_asked": "reason"}
    assert asks(asking(**asked)) == "since"


@pytest.mark.parametrize(("feeling", "expected"), [(feels("sadness", 8), None), (None, "reason")])
def test_a_new_strong_feeling_keeps_the_question_back(feeling, expected) -> None:
    assert asks(asking(), hears(feeling=feeling)) == expected


@pytest.mark.parametrize(
    "sign", ["asks_counsellor", "misread", "good_news", "asks_if_human", "wants_advice", "new_topic"]
)
def test_what_the_client_needs_goes_before_a_question(sign: str) -> None:
    assert asks(asking(), hears(sign)) is None


def test_enough_of_questions_rests_them_for_three_turns() -> None:
    before, quiet = asking(), []
    for heard in (hears("too_many_questions"), hears(), hears(), hears()):
        turn = after_hearing(before, heard)
        assert turn.decision is not None
        quiet.append(turn.decision.directive.quiet)
        assert turn.decision.directive.quiet == (turn.decision.directive.ask is None)
        before = turn.session.model_copy(update={"seq": before.seq + 1})
    assert quiet == [True, True, True, False]


def test_what_follows_a_proposal_to_wrap_up_is_the_fixed_question() -> None:
    done = task("t", Part.EXPLORATION, status=TaskStatus.SUFFICIENT, sufficient_at=NOW)
    plain = {"current_part": Part.EXPLORATION, "seq": 9, "plan_status": PlanStatus.READY, "part2_started_seq": 3}
    suggested = session(done, wrap_up=WrapUp(stage=WrapUpStage.SUGGESTED, seq=8), **plain)
    told = directive(suggested)
    variants = content().messages(suggested.locale, suggested.register_).variants("propose_wrap_up")
    assert (told.stance, told.proposes) == (Stance.PROPOSE_WRAP_UP, WrapUpAim.WRAP_UP)
    assert (told.follows, told.ask) == (unsaid(variants, suggested), None)


def test_what_follows_a_wish_to_stop_is_the_fixed_question_whether_to_end() -> None:
    told = directive(asking(), hears("wants_to_stop"))
    variants = content().messages(asking().locale, asking().register_).variants("confirm_end")
    assert (told.stance, told.proposes) == (Stance.CONFIRM_END, WrapUpAim.END)
    assert (told.follows, told.ask) == (unsaid(variants, asking()), None)


@pytest.mark.parametrize(("before", "asked"), [(exploring(), 1), (asking(), 0)])
def test_the_planner_is_asked_in_part_2_alone_where_nothing_fits(before: Session, asked: int) -> None:
    turn = after_hearing(before, hears(fits_none=True))
    assert turn.decision is not None
    assert len(turn.decision.found.of(ReplanAsked)) == asked
    assert len(turn.decision.found.records) == asked


def test_where_nothing_fits_in_part_1_the_next_waiting_task_is_taken_up() -> None:
    before = session(task("first"), task("second"), seq=4)
    assert after_hearing(before, hears(fits_none=True)).session.current_task == "first"


def test_the_task_that_the_reading_names_is_taken_up() -> None:
    assert after_hearing(exploring(), hears(next_task="next")).session.current_task == "next"


def test_a_completed_task_is_not_taken_up_again() -> None:
    done = task("done", Part.EXPLORATION, status=TaskStatus.COMPLETED, sufficient_at=NOW)
    before = exploring()
    before = before.model_copy(update={"tasks": (*before.tasks, done)})
    assert after_hearing(before, hears(next_task="done")).session.current_task == "t"


def test_strong_resistance_chooses_its_module_whatever_the_reading_picks() -> None:
    usable = next(one.id for one in content().modules(exploring().locale) if one.id != RESISTANCE_MODULE)
    turn = after_hearing(exploring(), hears("strong_resistance", module=usable))
    assert turn.session.current_module == RESISTANCE_MODULE
    assert turn.decision is not None
    assert turn.decision.directive.quiet


@pytest.mark.parametrize("calls", [hears("wants_advice"), hears("circular"), hears(feeling=feels("sadness", 8))])
def test_a_module_that_the_reading_picks_is_used_where_the_message_calls_for_another_way(calls) -> None:
    before = exploring()

    def used(heard, module):
        return after_hearing(before, replace(heard, module=module)).session.current_module

    assert used(calls, "empathy_expression") == "empathy_expression"
    assert used(hears(), "empathy_expression") == before.current_module
    assert used(calls, CRISIS_MODULE) == before.current_module


def test_where_the_reading_picks_no_module_a_task_begins_with_its_own_and_then_keeps_the_current_one() -> None:
    before = asking(current_task=None).model_copy(update={"tasks": (task("t"), task("next"))})
    assert after_hearing(before).session.current_module == "information_gathering"
    assert after_hearing(asking()).session.current_module == "rapport_building"


def supervised(gist: dict[str, JsonValue], *, ago: int = 0) -> Session:
    before = exploring()
    entry = LogEntry(seq=before.seq - ago, at=NOW, data=gist)
    return before.model_copy(update={"supervision_log": (entry,)})


@pytest.mark.parametrize(
    ("ago", "picked", "used"), [(0, None, True), (9, None, False), (0, "empathy_expression", False)]
)
def test_a_recent_suggestion_of_the_supervisor_is_used_where_the_reading_picks_no_module(ago, picked, used) -> None:
    turn = after_hearing(
        supervised({"suggested_module": "questioning_technique"}, ago=ago), hears("wants_advice", module=picked)
    )
    assert (turn.session.current_module == "questioning_technique") is used


@pytest.mark.parametrize(
    ("total", "needs", "shown", "urgent"),
    [
        (8, False, (), False),
        (7, False, (), False),
        (6.9, False, ("x",), False),
        (4.9, False, ("x",), True),
        (9, True, ("x",), False),
    ],
)
def test_only_a_low_score_brings_the_supervisors_improvements_and_a_very_low_one_emphasises_them(
    total, needs, shown, urgent
) -> None:
    gist = {"total": total, "needs_improvement": needs, "improvements": ["x"], "strengths": ["s"]}
    told = directive(supervised(gist))
    assert (told.supervision, told.supervision_urgent) == (shown, urgent)


def test_who_asks_for_what_cannot_be_given_is_answered_from_facts_before_anything_is_asked() -> None:
    told = directive(asking(), hears("asks_impossible"))
    assert told.facts == tuple(content().facts(asking().locale)["say_limits"])
    assert told.ask is None


def test_who_has_told_the_heart_of_every_task_may_say_that_all_is_said() -> None:
    told = exploring().task_in_progress
    assert told is not None
    assert State.END_NEAR not in states_of(exploring())
    assert State.END_NEAR in states_of(exploring().model_copy(update={"tasks": (told.with_sign(3),)}))
