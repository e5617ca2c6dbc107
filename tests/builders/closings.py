"""Ended sessions whose closing is to be made."""

from functions.session_manager.close import GoalKept
from shared.contracts.tasks import JobKind
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import SessionStatus
from shared.domain.counseling.task import Task
from tests.builders.answers import closing_work, resting_on
from tests.builders.job_room import Room, payload
from tests.builders.sessions import NOW, session, task

CLOSE = payload(JobKind.CLOSE, 0)
SAID = ("발표가 무서워요", "덜 떨고 싶어요", "이제 그만할게요")
AHEAD = "떨리는 순간을 함께 살펴봐요."
WORK = closing_work(
    suggested_level=4,
    goals=(GoalKept(goal="덜 떨기", quote="덜 떨고 싶어요"), GoalKept(goal="승진", quote="승진하고 싶어요")),
    sentences=resting_on("발표가 무서워요", "발표 앞의 두려움을 나눴어요."),
    next_session=resting_on("발표가 무서워요", AHEAD),
)
"""The user said the first goal, but never the second."""


async def ended_room(closer: object = WORK, *tasks: Task, said: tuple[str, ...] = SAID, **fields: object) -> Room:
    room = Room({"closer": closer})
    ended = {"status": SessionStatus.COMPLETED, "ended_at": NOW}
    await room.open(session(*(tasks or (task(),)), **(ended | fields)), said)
    return room


async def closing_of(room: Room) -> dict:
    return await room.record("closings", "final") or {}


async def profile_of(room: Room) -> Profile | None:
    found = await room.store.user((await room.session()).user_id, Profile)
    return found.document if found else None
