"""Sessions that wait for the planner, and its work as a trigger starts it."""

from functions.planner.replan import replan
from functions.planner.transitions import carry_out
from shared.content.catalogue import content
from shared.domain.counseling.level import LevelSource
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part, Task, TaskStatus
from shared.domain.records import Record
from shared.engine.jobs import JobResult
from tests.builders.answers import persona_guess
from tests.builders.job_room import Room, created, transition
from tests.builders.plans import SAID, proposal
from tests.builders.sessions import session, task

PERSONAS = content().personas
GUESS = persona_guess(type="Type_A", confidence=0.8, evidence=("밤을 새워서 고치고 또 고쳐요", "늘 모자란 것 같아요"))


def covered(**fields: object) -> Session:
    """A session whose Part 1 is covered: its plan is to be made."""
    known = {"plan_status": PlanStatus.PLANNING, "user_persona": persona_of(PERSONAS, "Type_A", 2, LevelSource.GIVEN)}
    return session(task(status=TaskStatus.SUFFICIENT), **(known | fields))


def explored(*tasks: Task, **fields: object) -> Session:
    """A session in the midst of Part 2."""
    ready = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY, "replans": 1}
    return session(*tasks, **(ready | {"user_persona": persona_of(PERSONAS, "Type_A", 1, LevelSource.GIVEN)} | fields))


async def room_of(
    state: Session, *records: Record, planner: object = None, said: tuple[str, ...] = SAID, **scripts: object
) -> Room:
    """Return a room in which all this was said; a planner of which a test says nothing proposes what is sound."""
    room = Room({"planner": proposal() if planner is None else planner, **scripts})
    await room.open(state, said, records)
    return room


async def covered_room(planner: object = None, said: tuple[str, ...] = SAID, **fields: object) -> Room:
    """Return a room whose transition to Part 2 is due."""
    return await room_of(covered(**fields), transition("1-2"), planner=planner, said=said)


async def carried_out(room: Room, name: str = "1-2") -> JobResult:
    """Deliver the event of a transition."""
    return await carry_out(room.context, created("part_transitions", name))


async def replanned(room: Room, feedback_id: str = "3-user_state") -> JobResult:
    """Deliver the event of a feedback."""
    return await replan(room.context, created("planner_feedback", feedback_id))


async def statuses(room: Room) -> dict[str, object]:
    """Return what became of each feedback."""
    ids = sorted(await room.records("planner_feedback"))
    return {each: (await room.record("planner_feedback", each) or {})["status"] for each in ids}
