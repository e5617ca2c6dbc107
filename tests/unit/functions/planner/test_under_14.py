"""Of who is under 14 no plan is made and none is changed, however it is asked for: no model reads them."""

from collections.abc import Awaitable, Callable

import pytest

from functions.planner.replan import replan
from functions.planner.transitions import carry_out, recover
from shared.contracts.tasks import JobKind
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part, TaskStatus
from shared.engine.jobs import JobResult
from shared.safety.ages import StatedAge
from tests.fakes.answers import persona_guess
from tests.fakes.background_room import Room, created, payload, transition
from tests.fakes.counselling import NOW, session, task
from tests.fakes.plans import SAID, proposal

PERSONA = persona_of(Room().context.content.personas, None, 2)
GUESS = persona_guess(type="Type_A", confidence=0.8, evidence=("밤을 새워서 고치고 또 고쳐요", "늘 모자란 것 같아요"))
FEEDBACK = "3-user_state"

JOBS: dict[str, Callable[[Room], Awaitable[JobResult]]] = {
    "1-2": lambda room: carry_out(room.context, created("part_transitions", "1-2")),
    "1-3": lambda room: carry_out(room.context, created("part_transitions", "1-3")),
    "replan": lambda room: replan(room.context, created("planner_feedback", FEEDBACK)),
    "recover": lambda room: recover(room.context, payload(JobKind.PLAN, 3)),
}


def planning(**fields: object) -> Session:
    covered = task(status=TaskStatus.SUFFICIENT)
    return session(covered, **({"plan_status": PlanStatus.PLANNING, "user_persona": PERSONA} | fields))


def planned(**fields: object) -> Session:
    ready = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY, "replans": 1}
    return session(task("task_part2_1", Part.EXPLORATION), **(ready | fields))


async def room_of(state: Session) -> Room:
    asked = feedback(planned(), FeedbackSource.USER_STATE, kind="topic_change", reason="까닭", seq=3, at=NOW)
    room = Room({"planner": proposal(), "persona_inferrer": GUESS})
    await room.open(state, SAID, (transition("1-2"), transition("1-3"), asked))
    return room


async def test_nothing_is_asked_and_nothing_changes(subtests: pytest.Subtests) -> None:
    for job, start in JOBS.items():
        for state in (planning, planned):
            with subtests.test(job=job):
                room = await room_of(state(stated_age=StatedAge.UNDER_14))
                before = await room.documents()
                assert await start(room) is JobResult.MOOT
                assert room.model.requests == []
                assert await room.documents() == before


@pytest.mark.parametrize(
    ("job", "state", "asked"), [("1-2", planning, "persona_inferrer"), ("replan", planned, "planner")]
)
async def test_who_says_so_meanwhile_is_read_no_further_and_nothing_found_is_kept(
    job: str, state: Callable[..., Session], asked: str
) -> None:
    room = await room_of(state())
    room.model.meanwhile = lambda: room.change(stated_age=StatedAge.UNDER_14)
    assert await JOBS[job](room) is JobResult.MOOT
    assert [request.agent for request in room.model.requests] == [asked]
    assert await room.records("plans") == set()
    assert (await room.session()).current_part is state().current_part
