"""Part transitions, delivered as triggers deliver them; of who is under 14 nothing is planned."""

import asyncio

import pytest

from functions.planner.transitions import recover
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.lifecycle import Work, due_work, overdue_work
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus, SessionStatus, SessionType, WrapUp, WrapUpStage
from shared.domain.counseling.session_events import WentBack
from shared.domain.counseling.task import Part, TaskOrigin, TaskStatus
from shared.domain.errors import ModelUnavailable
from shared.engine.jobs import JobResult
from shared.locale import Locale
from shared.safety.ages import StatedAge
from tests.builders.job_room import ID, Room, payload, transition
from tests.builders.planning import GUESS, PERSONAS, carried_out, covered, covered_room, explored, replanned, room_of
from tests.builders.plans import SAID, proposal, wording
from tests.builders.sessions import NOW, session, task

LOST = payload(JobKind.PLAN, 3)


def part2(state):
    return [str(each.id) for each in state.tasks if each.part is Part.EXPLORATION]


def origins(state):
    return {each.origin for each in state.tasks[1:]}


async def test_part_two_begins_with_goal_keywords_and_tasks():
    room = await covered_room()
    assert await carried_out(room) is JobResult.DONE
    state = await room.session()
    assert (state.current_part, state.plan_status) == (Part.EXPLORATION, PlanStatus.READY)
    assert state.part2_goal == "발표 앞의 마음을 함께 살펴본다"
    assert state.selected_keywords == ("완벽주의", "자기 비판")
    assert part2(state) == ["task_part2_1", "task_part2_2", "task_part2_3"]
    assert origins(state) == {TaskOrigin.PLANNER}
    assert state.tasks[0].status is TaskStatus.COMPLETED
    assert state.tasks[1].created_at is not None
    assert not room.model.asked("persona_inferrer"), "it was given"


async def test_many_deliveries_at_once_and_again_make_one_plan():
    room = await covered_room([proposal("가", "나", "다"), *[proposal("라", "마", "바")] * 5])
    results = await asyncio.gather(*(carried_out(room) for _ in range(3)))
    assert results.count(JobResult.DONE) == 1
    before = await room.documents()
    assert await carried_out(room) is JobResult.MOOT
    assert await room.documents() == before
    assert len(part2(await room.session())) == 3


@pytest.mark.parametrize("order", [("1-2", "2-3"), ("2-3", "1-2")])
async def test_a_late_event_of_a_part_that_is_over_changes_nothing(order):
    room = await covered_room()
    await carried_out(room)
    await room.change(leaving_seq=3)
    await room.add(transition("2-3"))
    for name in [one for one in order for _ in range(3)]:
        await carried_out(room, name)
    state = await room.session()
    assert (state.current_part, state.status) == (Part.CLOSING, SessionStatus.WRAPPING_UP)
    assert len(part2(state)) == 3
    assert all(each.status is TaskStatus.COMPLETED for each in state.tasks if each.part is not Part.CLOSING)
    kinds = [each.kind.value for each in state.tasks if each.part is Part.CLOSING]
    assert kinds == ["summary", "goal_setting", "next_session", "further_questions"]


@pytest.mark.parametrize(
    "broken",
    [
        proposal("하나", "둘"),
        proposal("같은 제목", "같은 제목", "같은 제목"),
        proposal(goal="  "),
        proposal(goal="To look at why they just want to die"),
        proposal("하나", "둘", "요즘은 그냥 죽고 싶어요"),
        proposal(tasks=tuple(wording(title, target="a reason why they want to kill themselves") for title in "가나다")),
    ],
)
async def test_a_plan_that_does_not_hold_is_asked_again_and_then_made_from_the_template(broken):
    mended = await covered_room([broken, proposal()])
    await carried_out(mended)
    assert origins(await mended.session()) == {TaskOrigin.PLANNER}
    given_up = await covered_room([broken, broken])
    assert await carried_out(given_up) is JobResult.DONE
    assert origins(await given_up.session()) == {TaskOrigin.TEMPLATE}
    assert len(given_up.model.asked("planner")) == 2


async def test_without_a_model_the_template_of_the_level_holds_with_the_spoken_keywords():
    room = await covered_room(ModelUnavailable("down"))
    assert await carried_out(room) is JobResult.DONE
    state = await room.session()
    assert state.selected_keywords == ("완벽주의",)
    assert state.part2_goal == content().part2_templates.plan(2, ("완벽주의",), Locale.KO).goal
    assert 3 <= len(part2(state)) <= 6


@pytest.mark.parametrize("interruption", ["ended", "erased", "closing"])
async def test_a_plan_that_comes_too_late_is_dropped(interruption):
    room = await covered_room()
    room.model.meanwhile = {
        "ended": lambda: room.change(status=SessionStatus.COMPLETED),
        "erased": lambda: room.store.erase(ID),
        "closing": lambda: room.change(current_part=Part.CLOSING),
    }[interruption]
    assert await carried_out(room) is JobResult.MOOT
    assert not any("task_part2" in str(data) for data in (await room.documents()).values())


async def test_a_transition_that_is_none_and_an_event_without_its_document_do_nothing():
    room = await room_of(covered())
    for name in ("2-1", "3-3", "1-2-3", "x", "1-9", "1-2", "1-3"):
        assert await carried_out(room, name) is JobResult.MOOT, name
    assert not room.model.requests
    assert (await room.session()).current_part is Part.OPENING


@pytest.mark.parametrize("session_type", SessionType)
async def test_a_closing_that_overtakes_the_plan_ends_the_planning(session_type):
    state = covered(wrap_up=WrapUp(stage=WrapUpStage.AGREED), session_type=session_type, leaving_seq=3)
    room = await room_of(state, transition("1-2"), transition("1-3"))
    for name in ("1-3", "1-2", "1-3"):
        await carried_out(room, name)
    found = await room.session()
    assert (found.current_part, found.plan_status) == (Part.CLOSING, PlanStatus.NONE)
    assert len([each for each in found.tasks if each.part is Part.CLOSING]) >= 3
    wrap_up = {each.id for each in found.tasks if each.origin is TaskOrigin.WRAP_UP}
    assert wrap_up == {"task_summary_1", "task_next_1", "task_questions_1"}
    assert not room.model.requests


async def test_a_lost_plan_is_made_up_for():
    room = await covered_room()
    assert [await recover(room.context, LOST) for _ in range(2)] == [JobResult.DONE, JobResult.MOOT]
    assert (await room.session()).current_part is Part.EXPLORATION


async def test_a_lost_closing_is_due_after_a_turn_and_made_up_for():
    room = await room_of(covered(leaving_seq=len(SAID)), transition("1-3"))
    asked = await room.session()
    assert Work.PLAN not in due_work(asked)
    assert Work.PLAN in overdue_work(asked)
    assert Work.PLAN in due_work(asked.model_copy(update={"seq": len(SAID) + 1}))
    assert await recover(room.context, LOST) is JobResult.DONE
    carried = await room.session()
    assert carried.current_part is Part.CLOSING
    assert Work.PLAN not in overdue_work(carried)


async def test_nothing_is_made_up_for_in_a_session_that_waits_for_nothing():
    room = Room()
    assert await recover(room.context, LOST) is JobResult.MOOT
    await room.open(session(task()), SAID)
    assert await recover(room.context, LOST) is JobResult.MOOT


async def test_an_event_of_a_closing_that_the_user_took_back_comes_too_late_and_the_next_one_counts():
    room = await covered_room()
    await carried_out(room)
    await room.change(leaving_seq=3)
    await room.add(transition("2-3"))
    assert await carried_out(room, "2-3") is JobResult.DONE
    back = WentBack(seq=4).apply(await room.session(), NOW)
    await room.change(**{name: getattr(back, name) for name in type(back).model_fields if name != "state_version"})
    await room.add(transition("3-2"))
    assert [await carried_out(room, name) for name in ("3-2", "2-3")] == [JobResult.MOOT, JobResult.MOOT]
    assert (await room.session()).current_part is Part.EXPLORATION
    await room.change(leaving_seq=5)
    await room.add(transition("2-3").model_copy(update={"record_id": "2-3-2"}))
    assert await carried_out(room, "2-3-2") is JobResult.DONE
    assert (await room.session()).current_part is Part.CLOSING


FEEDBACK = feedback(explored(), FeedbackSource.USER_STATE, kind="topic_change", reason="까닭", seq=3, at=NOW)
JOBS = {
    "1-2": carried_out,
    "1-3": lambda room: carried_out(room, "1-3"),
    "replan": replanned,
    "recover": lambda room: recover(room.context, LOST),
}


class TestOfWhoIsUnder14:
    """No plan is made and none is changed, however it is asked for: no model reads them."""

    def state(self, part, **fields):
        if part is Part.OPENING:
            return covered(user_persona=persona_of(PERSONAS, None, 2), **fields)
        return explored(task("task_part2_1", Part.EXPLORATION), **fields)

    async def room(self, state):
        return await room_of(state, transition("1-2"), transition("1-3"), FEEDBACK, persona_inferrer=GUESS)

    @pytest.mark.parametrize("job", JOBS)
    @pytest.mark.parametrize("part", [Part.OPENING, Part.EXPLORATION])
    async def test_nothing_is_asked_and_nothing_changes(self, part, job):
        room = await self.room(self.state(part, stated_age=StatedAge.UNDER_14))
        before = await room.documents()
        assert await JOBS[job](room) is JobResult.MOOT
        assert room.model.requests == []
        assert await room.documents() == before

    @pytest.mark.parametrize(
        ("job", "part", "asked"), [("1-2", Part.OPENING, "persona_inferrer"), ("replan", Part.EXPLORATION, "planner")]
    )
    async def test_who_says_so_meanwhile_is_read_no_further_and_nothing_found_is_kept(self, job, part, asked):
        room = await self.room(self.state(part))
        room.model.meanwhile = lambda: room.change(stated_age=StatedAge.UNDER_14)
        assert await JOBS[job](room) is JobResult.MOOT
        assert [request.agent for request in room.model.requests] == [asked]
        assert await room.records("plans") == set()
        assert (await room.session()).current_part is part
