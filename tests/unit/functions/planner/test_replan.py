"""Re-plans of Part 2, delivered as triggers deliver them."""

import asyncio

import pytest

from functions.planner.replan import leave_unanswered, replan
from shared.adapters.documents import writes
from shared.contracts.tasks import JobKind
from shared.domain.counseling.lifecycle import FEEDBACK_REST, PART2_MAX_REPLANS
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.records import FeedbackKind, FeedbackSource, FeedbackStatus, PlannerFeedback
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part, TaskOrigin, TaskStatus, waits
from shared.domain.errors import ModelUnavailable
from shared.engine.jobs import JobResult
from shared.locale import Locale
from tests.fakes.background_room import BUSY, ID, Room, created, payload
from tests.fakes.counselling import NOW, session, task
from tests.fakes.plans import KEYWORDS, proposal, rating
from tests.support.tags import element

SAID = ("회사 이야기는 이제 됐어요", "사실은 어머니가 걱정이에요", "자꾸 전화를 하게 돼요")
PROPOSAL = proposal(
    *("전화하는 마음", "바라는 거리"),
    ratings=tuple(rating(word, 9, SAID[1]) if word == "대인 관계" else rating(word) for word in KEYWORDS),
    goal="어머니와의 거리를 함께 살펴본다",
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
                "user_persona": persona_of(Room().context.content.personas, "Type_A"),
                "replans": 1,
            }
            | fields
        ),
    )


def asking(source: FeedbackSource, seq: int = 3) -> PlannerFeedback:
    return feedback(part2(), source, kind="topic_change", reason=f"{source.value}의 까닭", seq=seq, at=NOW)


EVENT = created("planner_feedback", "3-user_state")
ASKED = (asking(FeedbackSource.USER_STATE),)


async def statuses(room: Room) -> dict[str, object]:
    """Return what became of each feedback."""
    ids = sorted(await room.records("planner_feedback"))
    return {each: (await room.record("planner_feedback", each) or {})["status"] for each in ids}


async def room_with(model: object, asked: tuple[PlannerFeedback, ...] = ASKED, **fields: object) -> Room:
    room = Room({"planner": model})
    await room.open(part2(**fields), SAID, asked)
    return room


async def test_what_waits_is_put_aside_and_what_is_under_way_or_done_stays() -> None:
    room = await room_with(PROPOSAL)
    assert await replan(room.context, EVENT) is JobResult.DONE
    state = await room.session()
    assert {str(each.id): each.status.value for each in state.tasks} == {
        "task_part2_1": "sufficient",
        "task_part2_2": "in_progress",
        "task_part2_3": "pending",
        "task_part2_r1_1": "pending",
        "task_part2_r1_2": "pending",
    }
    assert [str(each.id) for each in state.tasks if each.parked] == ["task_part2_3"]
    assert state.tasks[-1].origin is TaskOrigin.FEEDBACK
    assert (state.part2_goal, state.selected_keywords) == (PROPOSAL.goal, ("대인 관계",))
    assert (state.part2_task_update_count, state.replans) == (1, 0)


@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_holds_all_feedback_that_waits_and_the_present_plan(locale: Locale) -> None:
    asked_before = (asking(FeedbackSource.PART_MANAGER, 1), asking(FeedbackSource.TASK_SELECTOR, 2))
    answered = asking(FeedbackSource.SUPERVISOR, 2).became(FeedbackStatus.APPLIED)
    room = await room_with(PROPOSAL, (*ASKED, *asked_before, answered), locale=locale, replans=3)
    assert await replan(room.context, EVENT) is JobResult.DONE
    asked = room.model.asked("planner")[0].messages[0].text
    told = ("part_manager의 까닭", "task_selector의 까닭", "user_state의 까닭")
    places = [asked.index(reason) for reason in told]
    assert places == sorted(places), "the oldest first"
    assert "supervisor의 까닭" not in asked
    assert '<task status="in_progress">title of task_part2_2' in asked


async def test_every_condition_of_every_source_leads_to_another_plan(subtests: pytest.Subtests) -> None:
    for kind in FeedbackKind:
        for source in FeedbackSource:
            with subtests.test(kind=kind, source=source):
                why = feedback(part2(), source, kind=kind.value, reason="말이 겉돌아요", seq=3, at=NOW)
                room = await room_with(PROPOSAL, (why,))
                assert await replan(room.context, created("planner_feedback", why.record_id)) is JobResult.DONE
                shown = element(room.model.asked("planner")[0].messages[0].text, "feedback")
                assert shown == f"- {source.value}/{kind.value}: 말이 겉돌아요"
                assert (await room.session()).part2_goal == PROPOSAL.goal


async def test_the_prompt_says_how_to_answer_each_kind() -> None:
    room = await room_with(PROPOSAL)
    await replan(room.context, EVENT)
    told = room.model.asked("planner")[0].system
    assert [kind.value for kind in FeedbackKind if f"{kind.value}: " not in told] == []


async def test_feedback_that_waits_together_is_answered_by_one_plan() -> None:
    sources = (FeedbackSource.USER_STATE, FeedbackSource.TASK_SELECTOR, FeedbackSource.SUPERVISOR)
    room = await room_with(PROPOSAL, tuple(asking(source) for source in sources), replans=3)
    events = [created("planner_feedback", f"3-{source.value}") for source in sources] * 3
    first = await asyncio.gather(*(replan(room.context, event) for event in events[:3]))
    assert first.count(JobResult.DONE) == 1
    assert len(room.model.asked("planner")) == 1, "of one turn's events one asks the model"
    before = await room.documents()
    assert {await replan(room.context, event) for event in reversed(events)} == {JobResult.MOOT}
    assert await room.documents() == before
    state = await room.session()
    assert (state.part2_task_update_count, state.replans) == (1, 0)


async def test_feedback_that_comes_meanwhile_waits_for_its_own_plan() -> None:
    room = await room_with(PROPOSAL)
    later = asking(FeedbackSource.SUPERVISOR, 4)

    async def come() -> None:
        await room.database.commit(writes.records(ID, [later]))
        await room.change(replans=2)

    room.model.meanwhile = come
    assert await replan(room.context, EVENT) is JobResult.DONE
    assert (await room.session()).replans == 1
    assert await statuses(room) == {"3-user_state": "applied", "4-supervisor": "pending"}
    await rested(room)
    room.model.scripts["planner"] = proposal("다른 하나", "다른 둘")
    assert await replan(room.context, created("planner_feedback", "4-supervisor")) is JobResult.DONE
    state = await room.session()
    assert (state.part2_task_update_count, state.replans) == (2, 0)
    assert "task_part2_r2_1" in {each.id for each in state.tasks}


async def test_a_plan_made_from_an_older_one_is_made_anew() -> None:
    room = await room_with(PROPOSAL)
    room.model.meanwhile = lambda: room.change(part2_task_update_count=1, replan_rounds=1)
    assert await replan(room.context, EVENT) is JobResult.RETRY
    assert await replan(room.context, EVENT) is JobResult.DONE
    assert (await room.session()).part2_task_update_count == 2


async def test_without_a_model_the_present_plan_stays_and_the_feedback_waits_for_the_next_attempt(
    subtests: pytest.Subtests,
) -> None:
    cases = [
        (ModelUnavailable("down"), JobResult.RETRY),
        (PROPOSAL.model_copy(update={"tasks": ()}), JobResult.RETRY),
        (PROPOSAL.model_copy(update={"goal": "그만 살고 싶은 마음을 따라가 본다"}), JobResult.RETRY),
    ]
    for model, result in cases:
        with subtests.test(model=model):
            room = await room_with(model)
            before = await room.session()
            assert await replan(room.context, EVENT) is result
            state = await room.session()
            assert (state.tasks, state.part2_goal, state.replans) == (before.tasks, before.part2_goal, 1)
            assert await statuses(room) == {"3-user_state": "pending"}
            room.model.scripts["planner"] = PROPOSAL
            assert await replan(room.context, EVENT) is JobResult.DONE
            assert await statuses(room) == {"3-user_state": "applied"}


async def test_feedback_for_which_no_answer_was_of_use_is_given_up_and_the_plan_stays() -> None:
    room = await room_with(PROPOSAL)
    before = await room.session()
    for _ in range(2):
        await leave_unanswered(room.context, payload(JobKind.PLAN, 4))
    state = await room.session()
    assert (state.tasks, state.replans) == (before.tasks, 0)
    assert await statuses(room) == {"3-user_state": "superseded"}
    assert await room.records("failures") == {"plan-4"}


async def test_at_the_bound_wrap_up_is_suggested_instead() -> None:
    room = await room_with(PROPOSAL, part2_task_update_count=PART2_MAX_REPLANS)
    for _ in range(3):
        await replan(room.context, EVENT)
    state = await room.session()
    assert not room.model.requests
    assert state.wrap_up is not None
    assert (state.wrap_up.stage, state.wrap_up.reason, state.replans) == (WrapUpStage.SUGGESTED, "bounded", 0)
    assert await statuses(room) == {"3-user_state": "superseded"}
    assert await room.records("plans") == set()


async def test_feedback_that_comes_too_late_is_superseded_and_changes_nothing_else(subtests: pytest.Subtests) -> None:
    for fields in ({"current_part": Part.CLOSING}, {"status": SessionStatus.COMPLETED}):
        with subtests.test(fields=fields):
            room = await room_with(PROPOSAL, **fields)
            before = await room.session()
            for _ in range(3):
                assert await replan(room.context, EVENT) is JobResult.MOOT
            state = await room.session()
            assert await statuses(room) == {"3-user_state": "superseded"}
            counted = {"replans", "replan_seq", "replan_rounds", "due_since", *BUSY}
            assert state.model_dump(exclude=counted) == before.model_dump(exclude=counted)
            assert state.replans == 0
            assert not room.model.requests


async def test_a_session_that_ends_or_is_erased_meanwhile_gets_nothing() -> None:
    room = await room_with(PROPOSAL)
    room.model.meanwhile = lambda: room.change(status=SessionStatus.COMPLETED)
    assert await replan(room.context, EVENT) is JobResult.RETRY
    assert await replan(room.context, EVENT) is JobResult.MOOT
    assert (await room.session()).part2_task_update_count == 0
    assert await statuses(room) == {"3-user_state": "superseded"}
    erased = await room_with(PROPOSAL)
    erased.model.meanwhile = lambda: erased.store.erase(ID)
    assert await replan(erased.context, EVENT) is JobResult.MOOT
    assert not await erased.documents()


async def test_an_event_without_its_document_does_nothing() -> None:
    room = await room_with(PROPOSAL)
    assert await replan(room.context, created("planner_feedback", "9-forged")) is JobResult.MOOT
    assert (await room.session()).replans == 1


async def test_a_title_that_each_plan_keeps_alive_is_kept_by_the_second_plan_too() -> None:
    again = PROPOSAL.model_copy(update={"goal": "거리를 두는 마음을 살펴본다"})
    room = await room_with([PROPOSAL, again])
    assert await replan(room.context, EVENT) is JobResult.DONE
    await room.database.commit(writes.records(ID, [asking(FeedbackSource.SUPERVISOR, 4)]))
    await room.change(replans=1)
    await rested(room)
    assert await replan(room.context, created("planner_feedback", "4-supervisor")) is JobResult.DONE
    titles = {each.title for each in PROPOSAL.tasks}
    open_now = {str(each.id): each.title for each in (await room.session()).tasks if each.status is TaskStatus.PENDING}
    assert set(open_now.values()) - {"title of task_part2_3"} == titles
    assert not [each for each in open_now if each.startswith("task_part2_r2")], "the task itself is kept, no copy of it"
    await room.database.commit(writes.records(ID, [asking(FeedbackSource.PART_MANAGER, 5)]))
    await room.change(replans=1)
    await rested(room)
    room.model.scripts["planner"] = proposal("새 하나")
    assert await replan(room.context, created("planner_feedback", "5-part_manager")) is JobResult.DONE
    assert {each.title for each in (await room.session()).tasks if waits(each)} >= {"새 하나"}
    await room.database.commit(writes.records(ID, [asking(FeedbackSource.PART_MANAGER, 6)]))
    await room.change(replans=1)
    await rested(room)
    room.model.scripts["planner"] = PROPOSAL
    assert await replan(room.context, created("planner_feedback", "6-part_manager")) is JobResult.DONE
    open_now = {each.title for each in (await room.session()).tasks if waits(each)}
    assert titles <= open_now, "what the plan before last had put aside may be planned again"
    assert "새 하나" not in open_now


async def rested(room: Room) -> None:
    """Let the turns go by in which feedback rests after a re-plan."""
    await room.change(seq=(await room.session()).seq + FEEDBACK_REST)
