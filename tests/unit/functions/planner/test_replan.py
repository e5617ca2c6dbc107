"""Re-plans of Part 2, delivered as triggers deliver them."""

import asyncio

import pytest

from functions.planner.proposal import PlanProposal, TaskProposal
from functions.planner.replan import replan
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.records import FeedbackSource, PlannerFeedback
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part, TaskOrigin, TaskStatus
from shared.domain.errors import ModelUnavailable
from shared.domain.locale import Locale
from shared.engine.jobs import JobResult
from tests.fakes.background_room import ID, Room, created
from tests.fakes.counselling import NOW, session, task

SAID = ("회사 이야기는 이제 됐어요", "사실은 어머니가 걱정이에요", "자꾸 전화를 하게 돼요")
PROPOSAL = PlanProposal(
    selected_keywords=("대인 관계",),
    goal="어머니와의 거리를 함께 살펴본다",
    tasks=tuple(
        TaskProposal(
            kind="exploration", title=title, description="듣기", target="알기", completion_criteria="말했을 때"
        )
        for title in ("전화하는 마음", "바라는 거리")
    ),
)


def part2(**fields: object) -> Session:
    tasks = (
        task("task_part2_1", Part.EXPLORATION, status=TaskStatus.SUFFICIENT),
        task("task_part2_2", Part.EXPLORATION, status=TaskStatus.IN_PROGRESS),
        task("task_part2_3", Part.EXPLORATION),
    )
    return session(
        *tasks,
        **(
            {
                "current_part": Part.EXPLORATION,
                "current_task": "task_part2_2",
                "plan_status": PlanStatus.READY,
                "part2_goal": "회사에서의 마음",
                "selected_keywords": ("자기 이해",),
                "user_persona": persona_of(Room().bench.content.personas, "Type_A"),
                "replans": 1,
            }
            | fields
        ),
    )


def asking(source: FeedbackSource, seq: int = 3) -> PlannerFeedback:
    return feedback(part2(), source, kind="topic_change", reason=f"{source.value}의 까닭", seq=seq, at=NOW)


EVENT = created("planner_feedback", "3-user_state")
ASKED = (asking(FeedbackSource.USER_STATE),)


async def room_with(model: object, asked: tuple[PlannerFeedback, ...] = ASKED, **fields: object) -> Room:
    room = Room({"planner": model})
    await room.open(part2(**fields), SAID, asked)
    return room


async def test_what_waits_is_replaced_and_what_is_under_way_or_done_stays() -> None:
    room = await room_with(PROPOSAL)
    assert await replan(room.bench, EVENT) is JobResult.DONE
    state = await room.session()
    assert {str(each.id): each.status.value for each in state.tasks} == {
        "task_part2_1": "sufficient",
        "task_part2_2": "in_progress",
        "task_part2_3": "completed",
        "task_part2_r1_1": "pending",
        "task_part2_r1_2": "pending",
    }
    assert state.tasks[-1].origin is TaskOrigin.FEEDBACK
    assert (state.part2_goal, state.selected_keywords) == (PROPOSAL.goal, ("대인 관계",))
    assert (state.part2_task_update_count, state.replans) == (1, 0)


@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_holds_the_feedback_of_the_turn_and_the_present_plan(locale: Locale) -> None:
    room = await room_with(PROPOSAL, (*ASKED, asking(FeedbackSource.TASK_SELECTOR)), locale=locale)
    await replan(room.bench, EVENT)
    asked = room.model.asked("planner")[0].messages[0].text
    assert "user_state의 까닭" in asked
    assert "task_selector의 까닭" in asked
    assert '<task status="in_progress">title of task_part2_2' in asked


async def test_feedback_that_waits_together_is_answered_by_one_plan() -> None:
    sources = (FeedbackSource.USER_STATE, FeedbackSource.TASK_SELECTOR, FeedbackSource.SUPERVISOR)
    room = await room_with(PROPOSAL, tuple(asking(source) for source in sources), replans=3)
    events = [created("planner_feedback", f"3-{source.value}") for source in sources] * 3
    first = await asyncio.gather(*(replan(room.bench, event) for event in events[:3]))
    assert first.count(JobResult.DONE) == 1
    before = await room.documents()
    assert {await replan(room.bench, event) for event in reversed(events)} == {JobResult.MOOT}
    assert await room.documents() == before
    state = await room.session()
    assert (state.part2_task_update_count, state.replans) == (1, 0)


async def test_feedback_that_comes_meanwhile_waits_for_its_own_plan() -> None:
    room = await room_with(PROPOSAL)
    room.model.meanwhile = lambda: room.change(replans=2)
    assert await replan(room.bench, EVENT) is JobResult.DONE
    assert (await room.session()).replans == 1
    assert await replan(room.bench, EVENT) is JobResult.DONE
    state = await room.session()
    assert (state.part2_task_update_count, state.replans) == (2, 0)
    assert "task_part2_r2_1" in {each.id for each in state.tasks}


async def test_a_plan_made_from_an_older_one_is_made_anew() -> None:
    room = await room_with(PROPOSAL)
    room.model.meanwhile = lambda: room.change(part2_task_update_count=1)
    assert await replan(room.bench, EVENT) is JobResult.RETRY
    assert await replan(room.bench, EVENT) is JobResult.DONE
    assert (await room.session()).part2_task_update_count == 2


@pytest.mark.parametrize(
    "model",
    [
        ModelUnavailable("down"),
        PROPOSAL.model_copy(update={"tasks": ()}),
        PROPOSAL.model_copy(update={"goal": "그만 살고 싶은 마음을 따라가 본다"}),
    ],
    ids=["no model", "no tasks", "a crisis for a goal"],
)
async def test_without_a_model_the_present_plan_stays_and_the_feedback_is_answered(model: object) -> None:
    room = await room_with(model)
    before = await room.session()
    assert await replan(room.bench, EVENT) is JobResult.DONE
    state = await room.session()
    assert (state.tasks, state.part2_goal, state.replans) == (before.tasks, before.part2_goal, 0)
    assert state.part2_task_update_count == 0


async def test_at_the_bound_wrap_up_is_suggested_instead() -> None:
    room = await room_with(PROPOSAL, part2_task_update_count=PART2_MAX_REPLANS)
    for _ in range(3):
        await replan(room.bench, EVENT)
    state = await room.session()
    assert not room.model.requests
    assert state.wrap_up is not None
    assert (state.wrap_up.stage, state.wrap_up.reason, state.replans) == (WrapUpStage.SUGGESTED, "bounded", 0)


@pytest.mark.parametrize(
    "fields",
    [{"replans": 0}, {"current_part": Part.CLOSING}, {"status": SessionStatus.COMPLETED}],
    ids=["nothing waits", "Part 2 is over", "ended"],
)
async def test_a_late_event_does_nothing(fields: dict[str, object]) -> None:
    room = await room_with(PROPOSAL, **fields)
    before = await room.documents()
    assert await replan(room.bench, EVENT) is JobResult.MOOT
    assert await room.documents() == before
    assert not room.model.requests


async def test_a_session_that_ends_or_is_erased_meanwhile_gets_nothing() -> None:
    room = await room_with(PROPOSAL)
    room.model.meanwhile = lambda: room.change(status=SessionStatus.COMPLETED)
    assert await replan(room.bench, EVENT) is JobResult.MOOT
    assert (await room.session()).part2_task_update_count == 0
    erased = await room_with(PROPOSAL)
    erased.model.meanwhile = lambda: erased.store.erase(ID)
    assert await replan(erased.bench, EVENT) is JobResult.MOOT
    assert not await erased.documents()


async def test_an_event_without_its_document_does_nothing() -> None:
    room = await room_with(PROPOSAL)
    assert await replan(room.bench, created("planner_feedback", "9-forged")) is JobResult.MOOT
    assert (await room.session()).replans == 1
