"""Every job writes the completions that turns have logged, each once, in any order of jobs."""

import asyncio

import pytest

from shared.contracts.tasks import JobKind
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.records import Completion, Supervision
from shared.domain.counseling.task import SufficientReason
from shared.domain.counseling.task_events import TaskCovered
from shared.engine.jobs import JobOutcome, JobResult
from shared.engine.unit_of_work import update
from shared.services.counseling.job_context import delivery_of
from tests.builders.job_room import ID, Room, payload
from tests.builders.sessions import NOW, session, task

SAID = tuple(f"이야기 {number}" for number in range(6))
EMPTY = JobOutcome(events=(WrapUpSuggested(reason="r"),))


@pytest.fixture
async def room():
    room = Room()
    await room.open(session(*(task(f"t{n}") for n in range(8))), SAID)
    await cover(room, 5, "t0", "t1")
    return room


async def cover(room, seq, *tasks):
    events = [TaskCovered(task_id=one, reason=SufficientReason.JUDGED, evidence="말했어요", seq=seq) for one in tasks]
    await update(room.store, room.policy, room.clock, ID, *events)


async def settle(room, found):
    return await room.context.settle(ID, room.context.scope(await room.session()), found)


async def test_a_job_writes_the_completions_with_its_own_result(room):
    noted = (await room.session()).completion_log
    assert await settle(room, lambda _: EMPTY) is JobResult.DONE
    assert await room.records("completions") == {"5-t0", "5-t1"}
    found = Completion.model_validate(await room.record("completions", "5-t1"))
    assert (found.task_id, found.reason, found.evidence, found.seq) == ("t1", SufficientReason.JUDGED, "말했어요", 5)
    assert found.created_at == noted[1].at
    state = await room.session()
    assert (state.watermarks.completions, state.wrap_up.reason) == (5, "r")


async def test_concurrent_turns_and_jobs_lose_and_duplicate_no_completion(room):
    async def turns():
        for seq, name in enumerate(("t2", "t3", "t4", "t5"), start=6):
            await cover(room, seq, name)

    async def jobs():
        return [await settle(room, lambda _: EMPTY) for _ in range(4)]

    _, *results = await asyncio.gather(turns(), jobs(), jobs(), jobs())
    assert await settle(room, lambda _: EMPTY) is JobResult.DONE, (
        "a job is not moot because another wrote the completions"
    )
    assert results == [[JobResult.DONE] * 4] * 3
    assert await room.records("completions") == {"5-t0", "5-t1", "6-t2", "7-t3", "8-t4", "9-t5"}


async def test_a_moot_job_leaves_the_completions_to_the_next_job(room):
    done = Supervision(
        record_id="3", created_at=NOW, expire_at=NOW, seq=3, scores={}, total=5, improvements=(), strengths=(),
        needs_improvement=False,
    )  # fmt: skip
    assert await settle(room, lambda _: None) is JobResult.MOOT
    assert await room.records("completions") == set()
    assert await settle(room, lambda _: JobOutcome(events=(), records=(done,))) is JobResult.DONE
    await cover(room, 6, "t2")
    assert await settle(room, lambda _: JobOutcome(events=(), records=(done,))) is JobResult.MOOT
    assert await room.records("completions") == {"5-t0", "5-t1"}
    assert await settle(room, lambda _: EMPTY) is JobResult.DONE
    assert await room.records("completions") == {"5-t0", "5-t1", "6-t2"}


async def test_no_completion_is_written_for_an_erased_session(room):
    state = await room.session()
    await room.store.erase(ID)
    assert await room.context.settle(ID, room.context.scope(state), lambda _: EMPTY) is JobResult.MOOT
    assert not await room.documents()


def test_supervisions_and_reviews_are_claimed_by_period_and_other_work_by_kind():
    apart = {kind for kind in JobKind if delivery_of(payload(kind, 3)).work != delivery_of(payload(kind, 6)).work}
    assert apart == {JobKind.SUPERVISE, JobKind.REVIEW}
    assert len({delivery_of(payload(kind, 3)).work for kind in JobKind}) == len(JobKind)
