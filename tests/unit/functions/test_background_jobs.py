"""Every background job: delivered often it works once, a failing model changes nothing, ended sessions get nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from functions.session_manager.close import close
from functions.session_manager.review import review
from functions.session_manager.summarize import Summary, summarize
from functions.supervisor.supervise import supervise
from shared.contracts.tasks import JobKind
from shared.domain.counseling.session import SessionStatus
from shared.domain.errors import ModelUnavailable
from shared.engine.jobs import JobResult
from tests.builders.answers import judgement
from tests.builders.closings import WORK
from tests.builders.job_room import ID, Room, payload
from tests.builders.reviews import finding
from tests.builders.sessions import NOW, session, task

SAID = ("발표가 너무 무서워요", "사람들 앞에만 서면 떨려요", "잠을 못 자요", "네", "그랬죠", "덜 떨고 싶어요")


@dataclass(frozen=True)
class Job:
    work: Callable[..., Awaitable[JobResult]]
    kind: JobKind
    agent: str
    answers: tuple[object, ...]
    calls: int = 1  # model calls of an attempt that fails, the fallback's included
    fields: dict[str, object] = field(default_factory=dict)

    async def room(self, *answers: object) -> Room:
        room = Room({self.agent: list(answers or self.answers)})
        await room.open(session(task(), **self.fields), SAID)
        return room

    async def run(self, room: Room) -> JobResult:
        return await self.work(room.context, payload(self.kind, 6))


CLOSINGS = (WORK, WORK.model_copy(update={"summary": "다른 글"}))
ENDED = {"status": SessionStatus.COMPLETED, "ended_at": NOW}
DURING = {
    "supervise": Job(supervise, JobKind.SUPERVISE, "supervisor", (judgement(6), judgement(9))),
    "review": Job(review, JobKind.REVIEW, "session_manager", (finding(), finding(wrap_up_advised=True))),
    "summarize": Job(summarize, JobKind.SUMMARIZE, "summarizer", (Summary(summary="하나."), Summary(summary="둘."))),
}
JOBS = DURING | {"close": Job(close, JobKind.CLOSE, "closer", CLOSINGS, calls=2, fields=ENDED)}
EACH = pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
EACH_DURING_THE_SESSION = pytest.mark.parametrize("job", DURING.values(), ids=DURING)


async def stored(room):
    return await room.essence(), {*await room.documents()}, await room.database.tree("users")


@EACH
async def test_concurrent_and_repeated_deliveries_do_the_work_once(job):
    room = await job.room()
    results = await asyncio.gather(*(job.run(room) for _ in range(3)))
    assert results.count(JobResult.DONE) == 1
    before = await room.documents()
    assert await job.run(room) is JobResult.MOOT
    assert await room.documents() == before
    assert (await room.session()).budget.background_calls == len(room.model.requests) == 1


@EACH
async def test_a_failing_model_changes_only_the_count_of_calls(job):
    room = await job.room(ModelUnavailable("down"))
    before = await stored(room)
    for attempt in (1, 2):
        assert await job.run(room) is JobResult.RETRY
        assert await stored(room) == before
        assert (await room.session()).budget.background_calls == attempt * job.calls


@EACH
async def test_a_session_erased_during_the_model_call_gets_nothing(job):
    room = await job.room()
    room.model.meanwhile = lambda: room.store.erase(ID)
    assert await job.run(room) is JobResult.MOOT
    assert not await room.documents()


@EACH_DURING_THE_SESSION
async def test_a_session_that_ends_during_the_model_call_gets_nothing(job):
    room = await job.room()
    essence, *others = await stored(room)
    room.model.meanwhile = lambda: room.change(status=SessionStatus.COMPLETED)
    assert await job.run(room) is JobResult.MOOT
    assert await stored(room) == (essence | {"status": "completed"}, *others)
    assert (await room.session()).budget.background_calls == 1


@EACH_DURING_THE_SESSION
async def test_the_job_of_an_ended_session_is_moot(job):
    room = await job.room()
    await room.change(status=SessionStatus.COMPLETED)
    assert await job.run(room) is JobResult.MOOT
    assert not room.model.requests
