"""Each feedback is answered or superseded exactly once if its event is lost, repeated or out of order."""

import pytest

from functions.planner.transitions import recover
from functions.planner.waiting import MOST_WAITING
from shared.contracts.tasks import JobKind
from shared.domain.counseling.due import still_due
from shared.domain.counseling.lifecycle import FEEDBACK_REST, Work, due_work, overdue_work
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.replanning import feedback, may_replan
from shared.domain.counseling.session import SessionStatus
from shared.domain.counseling.session_events import ReplanAsked, SessionClosed
from shared.domain.counseling.task import Part, TaskStatus
from shared.engine.jobs import CLAIM_SECONDS, JobResult
from tests.builders.job_room import payload, transition
from tests.builders.planning import carried_out, explored, replanned, room_of, statuses
from tests.builders.plans import proposal
from tests.builders.sessions import NOW, task

LOST = payload(JobKind.PLAN, 3)
ALL = tuple(FeedbackSource)
USER_STATE, SUPERVISOR = FeedbackSource.USER_STATE, FeedbackSource.SUPERVISOR


def part2(**fields):
    tasks = (
        task("task_part2_1", Part.EXPLORATION, status=TaskStatus.IN_PROGRESS),
        task("task_part2_2", Part.EXPLORATION),
    )
    return explored(*tasks, **({"current_task": "task_part2_1", "replan_seq": 2} | fields))


def asking(source, seq=3):
    return feedback(part2(), source, kind="circular", reason=f"{seq}번째 말이 되풀이돼요", seq=seq, at=NOW)


async def room_with(*given, **fields):
    return await room_of(part2(**({"replans": len(given)} | fields)), *given, planner=lambda _: proposal("하나", "둘"))


async def recovered(room):
    return await recover(room.context, LOST)


async def outcome(order, times):
    room = await room_with(*(asking(source) for source in ALL))
    for source in [one for one in order for _ in range(times)]:
        await replanned(room, f"3-{source.value}")
    documents = await room.documents()
    return await room.essence(), {path: data for path, data in documents.items() if "/plans/" in path or "fee" in path}


@pytest.mark.parametrize("order", [ALL, ALL[::-1], (*ALL[2:], *ALL[:2])])
async def test_feedback_events_in_any_order_and_repeated_lead_to_the_same_plan(order):
    essence, documents = await outcome(ALL, 1)
    assert await outcome([*order, *reversed(order)], 3) == (essence, documents)
    assert (essence["part2_task_update_count"], essence["replans"]) == (1, 0)
    assert {data["status"] for path, data in documents.items() if "feedback" in path} == {"applied"}
    assert [path for path in documents if "/plans/" in path] == ["sessions/c1/plans/1"]


async def test_feedback_whose_event_was_lost_is_due_after_a_turn_and_at_once_for_the_sweep():
    asked = ReplanAsked().apply(part2(replans=0, replan_seq=None, seq=6), NOW)
    assert asked.replan_seq == 6
    assert Work.PLAN not in due_work(asked)
    assert Work.PLAN in overdue_work(asked)
    assert Work.PLAN in due_work(asked.model_copy(update={"seq": 7}))
    assert Work.PLAN not in overdue_work(asked.model_copy(update={"replans": 0}))


async def test_recovery_answers_feedback_whose_event_was_lost():
    room = await room_with(asking(SUPERVISOR))
    assert Work.PLAN in overdue_work(await room.session())
    assert [await recovered(room) for _ in range(2)] == [JobResult.DONE, JobResult.MOOT]
    state = await room.session()
    assert (state.part2_task_update_count, state.replans, state.replan_seq) == (1, 0, None)
    assert Work.PLAN not in overdue_work(state)
    assert await statuses(room) == {"3-supervisor": "applied"}


async def test_a_replan_count_without_feedback_is_reset_and_uncounted_feedback_is_answered():
    room = await room_with(replans=2)
    assert await recovered(room) is JobResult.DONE
    state = await room.session()
    assert (state.replans, state.part2_task_update_count, room.model.requests) == (0, 0, [])
    room = await room_with(asking(SUPERVISOR), replans=0)
    assert await replanned(room, "3-supervisor") is JobResult.DONE
    assert await statuses(room) == {"3-supervisor": "applied"}


async def test_feedback_beyond_the_limit_of_one_plan_is_answered_by_the_next_plan():
    room = await room_with(*(asking(USER_STATE, seq) for seq in range(1, MOST_WAITING + 3)))
    assert await recovered(room) is JobResult.DONE
    found = await statuses(room)
    assert [found[f"{seq}-user_state"] for seq in (1, 2, 3)] == ["pending", "pending", "applied"]
    assert (await room.session()).replans == 2
    assert await recovered(room) is JobResult.MOOT, "feedback rests after a re-plan"
    await room.change(seq=(await room.session()).seq + FEEDBACK_REST)
    assert await recovered(room) is JobResult.DONE
    assert set((await statuses(room)).values()) == {"applied"}


async def test_the_transition_to_the_closing_supersedes_pending_feedback():
    room = await room_with(asking(USER_STATE), leaving_seq=3)
    await room.add(transition("2-3"))
    assert await carried_out(room, "2-3") is JobResult.DONE
    state = await room.session()
    assert (state.current_part, state.replans) == (Part.CLOSING, 0)
    assert await statuses(room) == {"3-user_state": "superseded"}
    assert await replanned(room) is JobResult.MOOT
    assert not room.model.requests


async def test_pending_feedback_of_an_ended_session_is_due_until_it_is_superseded():
    room = await room_with(asking(USER_STATE))
    assert Work.PLAN in due_work(SessionClosed().apply(await room.session(), NOW))
    await room.change(status=SessionStatus.COMPLETED)
    assert await recovered(room) is JobResult.MOOT
    state = await room.session()
    assert (state.replans, state.part2_task_update_count, state.ended) == (0, 0, True)
    assert Work.PLAN not in overdue_work(state)
    assert await statuses(room) == {"3-user_state": "superseded"}


async def test_a_stale_replan_overwrites_neither_the_newer_plan_nor_new_feedback():
    """Two re-plans read the same feedback; the second to commit finds it answered and new feedback pending."""
    room = await room_with(asking(USER_STATE, 2))

    async def answer_elsewhere():
        room.clock.advance(CLAIM_SECONDS)  # The claim of the first re-plan has expired.
        await recovered(room)
        await room.add(asking(SUPERVISOR))
        await room.change(replans=1)

    room.model.meanwhile = answer_elsewhere
    assert await replanned(room, "2-user_state") is JobResult.RETRY
    state = await room.session()
    assert (state.part2_task_update_count, state.replans) == (1, 1)
    assert await statuses(room) == {"2-user_state": "applied", "3-supervisor": "pending"}


async def test_feedback_soon_after_a_replan_waits_for_the_next_replan():
    room = await room_with(asking(USER_STATE), replanned_seq=2)
    assert await replanned(room) is JobResult.MOOT
    assert await statuses(room) == {"3-user_state": "pending"}
    resting = await room.session()
    assert Work.PLAN not in overdue_work(resting), "no work is overdue while feedback rests"
    assert not may_replan(resting), "no further re-plan is requested"
    await room.change(seq=2 + FEEDBACK_REST)
    rested = await room.session()
    assert Work.PLAN in due_work(rested)
    assert still_due(rested, Work.PLAN, rested.seq)
    assert await recovered(room) is JobResult.DONE
    assert await statuses(room) == {"3-user_state": "applied"}
