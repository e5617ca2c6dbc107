"""Re-plans of Part 2, delivered as triggers deliver them."""

import pytest

from functions.planner.replan import leave_unanswered
from shared.contracts.tasks import JobKind
from shared.domain.counseling.lifecycle import FEEDBACK_REST, PART2_MAX_REPLANS
from shared.domain.counseling.records import FeedbackKind, FeedbackSource, FeedbackStatus
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part, TaskOrigin, TaskStatus, waits
from shared.domain.errors import ModelUnavailable
from shared.engine.jobs import JobResult
from shared.locale import Locale
from tests.builders.job_room import BUSY, ID, payload
from tests.builders.planning import explored, replanned, room_of, statuses
from tests.builders.plans import KEYWORDS, proposal, rating
from tests.builders.sessions import NOW, task
from tests.support.tags import element

SAID = ("회사 이야기는 이제 됐어요", "사실은 어머니가 걱정이에요", "자꾸 전화를 하게 돼요")
PROPOSAL = proposal(
    *("전화하는 마음", "바라는 거리"),
    ratings=tuple(rating(word, 9, SAID[1]) if word == "대인 관계" else rating(word) for word in KEYWORDS),
    goal="어머니와의 거리를 함께 살펴본다",
)


def part2(**fields):
    tasks = (
        task("task_part2_1", Part.EXPLORATION, status=TaskStatus.SUFFICIENT),
        task("task_part2_2", Part.EXPLORATION, status=TaskStatus.IN_PROGRESS),
        task("task_part2_3", Part.EXPLORATION),
    )
    known = {"current_task": "task_part2_2", "part2_goal": "회사에서의 마음", "selected_keywords": ("자기 이해",)}
    return explored(*tasks, **(known | fields))


def asking(source, seq=3, kind="topic_change"):
    return feedback(part2(), source, kind=kind, reason=f"{source.value}의 까닭", seq=seq, at=NOW)


USER_STATE, SUPERVISOR = FeedbackSource.USER_STATE, FeedbackSource.SUPERVISOR
ASKED = (asking(USER_STATE),)


async def room_with(planner=PROPOSAL, asked=ASKED, **fields):
    return await room_of(part2(**fields), *asked, planner=planner, said=SAID)


async def asked_again(room, source, seq):
    """Skip the turns in which feedback rests after a re-plan, and answer new feedback."""
    await room.add(asking(source, seq))
    await room.change(replans=1, seq=(await room.session()).seq + FEEDBACK_REST)
    assert await replanned(room, f"{seq}-{source.value}") is JobResult.DONE
    return [one for one in (await room.session()).tasks if waits(one)]


async def test_a_replan_parks_pending_tasks_and_keeps_started_and_finished_ones():
    room = await room_with()
    assert await replanned(room) is JobResult.DONE
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


async def test_keywords_stay_where_the_newest_words_show_no_others():
    unquoted = PROPOSAL.model_copy(update={"ratings": tuple(rating(word, 9) for word in KEYWORDS)})
    room = await room_with(unquoted)
    assert await replanned(room) is JobResult.DONE
    assert (await room.session()).selected_keywords == ("자기 이해",)


@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_holds_pending_feedback_the_current_plan_and_advice_for_each_kind(locale):
    before = (asking(FeedbackSource.PART_MANAGER, 1), asking(FeedbackSource.TASK_SELECTOR, 2))
    answered = asking(SUPERVISOR, 2).became(FeedbackStatus.APPLIED)
    room = await room_with(asked=(*ASKED, *before, answered), locale=locale, replans=3)
    assert await replanned(room) is JobResult.DONE
    (asked,) = room.model.asked("planner")
    text = asked.messages[0].text
    places = [text.index(f"{source}의 까닭") for source in ("part_manager", "task_selector", "user_state")]
    assert places == sorted(places), "the oldest first"
    assert "supervisor의 까닭" not in text
    assert '<task status="in_progress">title of task_part2_2' in text
    assert [kind.value for kind in FeedbackKind if f"{kind.value}: " not in asked.system] == []


@pytest.mark.parametrize("kind", FeedbackKind)
async def test_feedback_of_every_kind_and_source_leads_to_a_replan(kind):
    for source in FeedbackSource:
        room = await room_with(asked=(asking(source, kind=kind.value),))
        assert await replanned(room, f"3-{source.value}") is JobResult.DONE
        shown = element(room.model.asked("planner")[0].messages[0].text, "feedback")
        assert shown == f"- {source.value}/{kind.value}: {source.value}의 까닭"
        assert (await room.session()).part2_goal == PROPOSAL.goal


async def test_feedback_during_a_replan_waits_for_the_next_plan():
    room = await room_with()

    async def add_feedback():
        await room.add(asking(SUPERVISOR, 4))
        await room.change(replans=2)

    room.model.meanwhile = add_feedback
    assert await replanned(room) is JobResult.DONE
    assert (await room.session()).replans == 1
    assert await statuses(room) == {"3-user_state": "applied", "4-supervisor": "pending"}
    room.model.scripts["planner"] = proposal("다른 하나", "다른 둘")
    await room.change(seq=(await room.session()).seq + FEEDBACK_REST)
    assert await replanned(room, "4-supervisor") is JobResult.DONE
    state = await room.session()
    assert (state.part2_task_update_count, state.replans) == (2, 0)
    assert "task_part2_r2_1" in {each.id for each in state.tasks}


async def test_a_replan_of_an_outdated_plan_is_retried():
    room = await room_with()
    room.model.meanwhile = lambda: room.change(part2_task_update_count=1, replan_rounds=1)
    assert [await replanned(room) for _ in range(2)] == [JobResult.RETRY, JobResult.DONE]
    assert (await room.session()).part2_task_update_count == 2


@pytest.mark.parametrize(
    "planner",
    [
        ModelUnavailable("down"),
        PROPOSAL.model_copy(update={"tasks": ()}),
        PROPOSAL.model_copy(update={"goal": "그만 살고 싶은 마음을 따라가 본다"}),
    ],
)
async def test_a_failing_model_keeps_the_plan_and_the_feedback_for_the_next_attempt(planner):
    room = await room_with(planner)
    before = await room.session()
    assert await replanned(room) is JobResult.RETRY
    state = await room.session()
    assert (state.tasks, state.part2_goal, state.replans) == (before.tasks, before.part2_goal, 1)
    assert await statuses(room) == {"3-user_state": "pending"}
    room.model.scripts["planner"] = PROPOSAL
    assert await replanned(room) is JobResult.DONE
    assert await statuses(room) == {"3-user_state": "applied"}


async def test_feedback_without_a_usable_answer_is_given_up_and_the_plan_stays():
    room = await room_with()
    before = await room.session()
    for _ in range(2):
        await leave_unanswered(room.context, payload(JobKind.PLAN, 4))
    state = await room.session()
    assert (state.tasks, state.replans) == (before.tasks, 0)
    assert await statuses(room) == {"3-user_state": "superseded"}
    assert await room.records("failures") == {"plan-4"}


async def test_a_wrap_up_is_suggested_instead_of_a_replan_at_the_replan_limit():
    room = await room_with(part2_task_update_count=PART2_MAX_REPLANS)
    for _ in range(3):
        await replanned(room)
    state = await room.session()
    assert not room.model.requests
    assert (state.wrap_up.stage, state.wrap_up.reason, state.replans) == (WrapUpStage.SUGGESTED, "bounded", 0)
    assert await statuses(room) == {"3-user_state": "superseded"}
    assert await room.records("plans") == set()


@pytest.mark.parametrize("fields", [{"current_part": Part.CLOSING}, {"status": SessionStatus.COMPLETED}])
async def test_late_feedback_is_superseded_and_changes_nothing_else(fields):
    room = await room_with(**fields)
    before = await room.session()
    assert {await replanned(room) for _ in range(3)} == {JobResult.MOOT}
    state = await room.session()
    assert await statuses(room) == {"3-user_state": "superseded"}
    counted = {"replans", "replan_seq", "replan_rounds", "due_since", *BUSY}
    assert state.model_dump(exclude=counted) == before.model_dump(exclude=counted)
    assert (state.replans, room.model.requests) == (0, [])


async def test_a_session_that_ends_or_is_erased_during_the_model_call_gets_no_plan():
    room = await room_with()
    room.model.meanwhile = lambda: room.change(status=SessionStatus.COMPLETED)
    assert [await replanned(room) for _ in range(2)] == [JobResult.RETRY, JobResult.MOOT]
    assert (await room.session()).part2_task_update_count == 0
    assert await statuses(room) == {"3-user_state": "superseded"}
    erased = await room_with()
    erased.model.meanwhile = lambda: erased.store.erase(ID)
    assert await replanned(erased) is JobResult.MOOT
    assert not await erased.documents()


async def test_an_event_without_its_document_does_nothing():
    room = await room_with()
    assert await replanned(room, "9-forged") is JobResult.MOOT
    assert (await room.session()).replans == 1


async def test_tasks_that_a_second_plan_repeats_are_kept_and_dropped_ones_can_be_planned_again():
    again = PROPOSAL.model_copy(update={"goal": "거리를 두는 마음을 살펴본다"})
    room = await room_with([PROPOSAL, again])
    titles = {each.title for each in PROPOSAL.tasks}
    assert await replanned(room) is JobResult.DONE
    await asked_again(room, SUPERVISOR, 4)
    pending = {str(one.id): one.title for one in (await room.session()).tasks if one.status is TaskStatus.PENDING}
    assert set(pending.values()) - {"title of task_part2_3"} == titles
    assert not [each for each in pending if each.startswith("task_part2_r2")], "the tasks are kept, not copied"
    room.model.scripts["planner"] = proposal("새 하나")
    assert {each.title for each in await asked_again(room, FeedbackSource.PART_MANAGER, 5)} >= {"새 하나"}
    room.model.scripts["planner"] = PROPOSAL
    waiting = {each.title for each in await asked_again(room, FeedbackSource.PART_MANAGER, 6)}
    assert titles <= waiting, "tasks parked by an earlier plan may be planned again"
    assert "새 하나" not in waiting
