"""Feedback is answered or said to be too late, once, however its events come: lost, three times, in reverse."""

from collections.abc import Sequence

import pytest

from functions.planner.replan import replan
from functions.planner.transitions import carry_out, recover
from functions.planner.waiting import MOST_WAITING
from shared.contracts.tasks import JobKind
from shared.domain.counseling.due import still_due
from shared.domain.counseling.lifecycle import FEEDBACK_REST, Work, due_work, overdue_work
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.records import FeedbackSource, FeedbackStatus, PlannerFeedback
from shared.domain.counseling.replanning import feedback, may_replan
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus
from shared.domain.counseling.session_events import ReplanAsked, SessionClosed
from shared.domain.counseling.task import Part, TaskStatus
from shared.engine.jobs import CLAIM_SECONDS, JobResult
from tests.fakes.background_room import Room, created, payload, transition
from tests.fakes.counselling import NOW, session, task
from tests.fakes.plans import SAID, proposal

LOST = payload(JobKind.PLAN, 3)
ALL = tuple(FeedbackSource)


def part2(**fields: object) -> Session:
    return session(
        task("task_part2_1", Part.EXPLORATION, status=TaskStatus.IN_PROGRESS),
        task("task_part2_2", Part.EXPLORATION),
        **{
            "current_part": Part.EXPLORATION,
            "current_task": "task_part2_1",
            "plan_status": PlanStatus.READY,
            "user_persona": persona_of(Room().context.content.personas, "Type_A"),
            "replans": 1,
            "replan_seq": 2,
        }
        | fields,
    )


def asking(source: FeedbackSource, seq: int) -> PlannerFeedback:
    return feedback(part2(), source, kind="circular", reason=f"{seq}번째 말이 되풀이돼요", seq=seq, at=NOW)


async def room_with(*given: PlannerFeedback, **fields: object) -> Room:
    room = Room({"planner": lambda request: proposal("하나", "둘")})
    await room.open(part2(**{"replans": len(given)} | fields), SAID, given)
    return room


async def statuses(room: Room) -> dict[str, object]:
    return {each: (await room.record("planner_feedback", each) or {})["status"] for each in await ids(room)}


async def ids(room: Room) -> list[str]:
    return sorted(await room.records("planner_feedback"))


async def outcome(order: Sequence[FeedbackSource], times: int) -> tuple[dict[str, object], dict[str, object]]:
    room = await room_with(*(asking(source, 3) for source in ALL))
    for source in order:
        for _ in range(times):
            await replan(room.context, created("planner_feedback", f"3-{source.value}"))
    documents = await room.documents()
    return await room.essence(), {path: data for path, data in documents.items() if "/plans/" in path or "fee" in path}


@pytest.mark.parametrize("order", [ALL, ALL[::-1], (*ALL[2:], *ALL[:2])])
async def test_the_order_and_number_of_events_do_not_matter(order: Sequence[FeedbackSource]) -> None:
    expected = await outcome(ALL, 1)
    assert await outcome([*order, *reversed(order)], 3) == expected
    assert (expected[0]["part2_task_update_count"], expected[0]["replans"]) == (1, 0)
    assert {data["status"] for path, data in expected[1].items() if "feedback" in path} == {"applied"}
    assert [path for path in expected[1] if "/plans/" in path] == ["sessions/c1/plans/1"]


async def test_events_of_several_turns_in_reverse_are_answered_by_one_plan() -> None:
    room = await room_with(*(asking(FeedbackSource.USER_STATE, seq) for seq in (1, 2, 3)))
    results = [await replan(room.context, created("planner_feedback", f"{seq}-user_state")) for seq in (3, 2, 1)]
    assert results == [JobResult.DONE, JobResult.MOOT, JobResult.MOOT]
    assert set((await statuses(room)).values()) == {"applied"}


async def test_feedback_whose_event_was_lost_is_due_after_a_turn_and_at_once_for_the_sweep() -> None:
    asked = ReplanAsked().apply(part2(replans=0, replan_seq=None, seq=6), NOW)
    assert asked.replan_seq == 6
    assert Work.PLAN not in due_work(asked)
    assert Work.PLAN in overdue_work(asked)
    assert Work.PLAN in due_work(asked.model_copy(update={"seq": 7}))
    assert Work.PLAN not in overdue_work(asked.model_copy(update={"replans": 0}))


async def test_a_lost_event_is_made_up_for() -> None:
    room = await room_with(asking(FeedbackSource.SUPERVISOR, 3))
    assert Work.PLAN in overdue_work(await room.session())
    assert await recover(room.context, LOST) is JobResult.DONE
    assert await recover(room.context, LOST) is JobResult.MOOT
    state = await room.session()
    assert (state.part2_task_update_count, state.replans, state.replan_seq) == (1, 0, None)
    assert Work.PLAN not in overdue_work(state)
    assert await statuses(room) == {"3-supervisor": "applied"}


async def test_a_count_that_no_feedback_stands_behind_is_cleared_without_the_model() -> None:
    room = await room_with(replans=2)
    assert await recover(room.context, LOST) is JobResult.DONE
    state = await room.session()
    assert (state.replans, state.part2_task_update_count) == (0, 0)
    assert not room.model.requests


async def test_feedback_that_the_session_does_not_count_is_answered_all_the_same() -> None:
    room = await room_with(asking(FeedbackSource.SUPERVISOR, 3), replans=0)
    assert await replan(room.context, created("planner_feedback", "3-supervisor")) is JobResult.DONE
    assert await statuses(room) == {"3-supervisor": "applied"}


async def test_what_is_more_than_one_plan_answers_goes_in_with_the_next() -> None:
    given = [asking(FeedbackSource.USER_STATE, seq) for seq in range(1, MOST_WAITING + 3)]
    room = await room_with(*given)
    assert await recover(room.context, LOST) is JobResult.DONE
    found = await statuses(room)
    assert [found[f"{seq}-user_state"] for seq in (1, 2, 3)] == ["pending", "pending", "applied"]
    assert (await room.session()).replans == 2
    assert await recover(room.context, LOST) is JobResult.MOOT, "feedback rests after a re-plan"
    await room.change(seq=(await room.session()).seq + FEEDBACK_REST)
    assert await recover(room.context, LOST) is JobResult.DONE
    assert set((await statuses(room)).values()) == {"applied"}


async def test_the_closing_supersedes_what_waits_in_the_same_commit() -> None:
    room = await room_with(asking(FeedbackSource.USER_STATE, 3), leaving_seq=3)
    await room.add(transition("2-3"))
    assert await carry_out(room.context, created("part_transitions", "2-3")) is JobResult.DONE
    state = await room.session()
    assert (state.current_part, state.replans) == (Part.CLOSING, 0)
    assert await statuses(room) == {"3-user_state": "superseded"}
    assert await replan(room.context, created("planner_feedback", "3-user_state")) is JobResult.MOOT
    assert not room.model.requests


async def test_what_waits_when_the_session_ends_is_due_until_it_is_superseded() -> None:
    room = await room_with(asking(FeedbackSource.USER_STATE, 3))
    ended = SessionClosed().apply(await room.session(), NOW)
    assert Work.PLAN in due_work(ended)
    await room.change(status=SessionStatus.COMPLETED)
    assert await recover(room.context, LOST) is JobResult.MOOT
    state = await room.session()
    assert (state.replans, state.part2_task_update_count, state.ended) == (0, 0, True)
    assert Work.PLAN not in overdue_work(state)
    assert await statuses(room) == {"3-user_state": "superseded"}


async def test_a_superseded_feedback_is_not_answered_any_more() -> None:
    late = asking(FeedbackSource.USER_STATE, 3).became(FeedbackStatus.SUPERSEDED)
    room = await room_with(late)
    assert await replan(room.context, created("planner_feedback", late.record_id)) is JobResult.MOOT
    assert not room.model.requests


async def test_a_writer_who_read_before_another_answered_overwrites_nothing() -> None:
    """Both have read the same feedback; the second to commit finds it answered and new feedback waiting."""
    room = await room_with(asking(FeedbackSource.USER_STATE, 2))
    later = asking(FeedbackSource.SUPERVISOR, 3)

    async def another_answers() -> None:
        room.clock.advance(CLAIM_SECONDS)  # The first one's process has been frozen for as long.
        await recover(room.context, LOST)
        await room.add(later)
        await room.change(replans=1)

    room.model.meanwhile = another_answers
    assert await replan(room.context, created("planner_feedback", "2-user_state")) is JobResult.RETRY
    state = await room.session()
    assert (state.part2_task_update_count, state.replans) == (1, 1)
    assert await statuses(room) == {"2-user_state": "applied", "3-supervisor": "pending"}


async def test_feedback_soon_after_a_replan_waits_and_goes_in_with_the_next() -> None:
    room = await room_with(asking(FeedbackSource.USER_STATE, 3), replanned_seq=2)
    event = created("planner_feedback", "3-user_state")
    assert await replan(room.context, event) is JobResult.MOOT
    assert await statuses(room) == {"3-user_state": "pending"}
    resting = await room.session()
    assert Work.PLAN not in overdue_work(resting), "nothing is left undone while it rests"
    assert not may_replan(resting), "one request is kept, and no other is made"
    await room.change(seq=2 + FEEDBACK_REST)
    rested = await room.session()
    assert Work.PLAN in due_work(rested)
    assert still_due(rested, Work.PLAN, rested.seq)
    assert await recover(room.context, LOST) is JobResult.DONE
    assert await statuses(room) == {"3-user_state": "applied"}
