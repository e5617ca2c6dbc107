"""The closing work takes what it found into the user's profile, in one commit with the session."""

import asyncio

import pytest

from functions.session_manager.close import GoalKept, close
from functions.session_manager.dispatch import give_up
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import SessionStatus
from shared.domain.counseling.session_events import SessionClosed
from shared.domain.counseling.task import SufficientReason
from shared.domain.counseling.task_events import TaskCovered
from shared.domain.errors import ModelUnavailable
from shared.domain.event import apply_all
from shared.domain.ids import ConversationId, TaskId
from shared.engine.jobs import JobResult
from shared.locale import Locale
from shared.ports.user_store import VersionedUser
from tests.fakes.answers import closing_work
from tests.fakes.background_room import ID, Room, payload
from tests.fakes.counselling import NOW, session, task
from tests.support.erasing import erase_everything

CLOSE = payload(JobKind.CLOSE, 0)
SAID = ("발표가 무서워요", "덜 떨고 싶어요")
WORK = closing_work(
    suggested_level=2,
    goals=(GoalKept(goal="덜 떨기", quote="덜 떨고 싶어요"),),
    summary="오늘 발표 앞의 두려움을 나눴어요.",
    next_session="떨리는 순간을 함께 살펴봐요.",
)


async def ended_room(answer: object = WORK, **fields: object) -> Room:
    room = Room({"closer": answer})
    state = {"status": SessionStatus.COMPLETED, "ended_at": NOW, "user_info": {"name": "민지"}, **fields}
    await room.open(session(task(), **state), SAID)
    return room


async def profile_of(room: Room) -> Profile | None:
    found = await room.store.user((await room.session()).user_id, Profile)
    return found.document if found else None


async def test_the_profile_is_written_with_the_closing() -> None:
    room = await ended_room()
    assert await close(room.context, CLOSE) is JobResult.DONE
    profile = await profile_of(room)
    assert (profile.summary, profile.next_plan, profile.name) == (WORK.summary, WORK.next_session, "민지")
    assert [kept.goal for kept in profile.goals] == ["덜 떨기"]
    assert profile.persona is not None
    assert profile.persona.counseling_level == 2
    assert profile.last_session is not None
    assert (profile.last_session.conversation_id, profile.sessions) == (ID, 1)


async def test_a_closing_by_rule_is_carried_too() -> None:
    room = await ended_room(ModelUnavailable("down"))
    assert await close(room.context, CLOSE) is JobResult.RETRY
    assert await profile_of(room) is None
    assert await give_up(room.context, CLOSE) is JobResult.DONE
    profile = await profile_of(room)
    assert (profile.summary, profile.next_plan, profile.sessions) == ((await room.session()).summary_text, "", 1)


async def test_completions_that_are_written_along_take_nothing_from_the_profile() -> None:
    room = Room({"closer": WORK})
    covered = TaskCovered(task_id=TaskId("task_a"), reason=SufficientReason.GATE, seq=2)
    await room.open(apply_all(session(task("task_a")), [covered, SessionClosed()], NOW), SAID)
    assert await close(room.context, CLOSE) is JobResult.DONE
    assert await room.records("completions") == {"2-task_a"}
    assert await profile_of(room) is not None


async def test_deliveries_at_once_and_again_count_once() -> None:
    room = await ended_room([WORK] * 3)
    await asyncio.gather(*(close(room.context, CLOSE) for _ in range(3)))
    await give_up(room.context, CLOSE)
    profile = await profile_of(room)
    assert profile.sessions == 1


async def test_two_sessions_of_one_user_that_close_at_once_are_both_taken_in() -> None:
    room = await ended_room([WORK] * 2)
    other = ConversationId("c2")
    state = (await room.session()).model_copy(update={"conversation_id": other})
    greeting = (await room.store.messages(ID, -1, 1))[0]
    await room.store.create(state, greeting, room.policy.view(state))
    second = TaskPayload(conversation_id=other, kind=JobKind.CLOSE, seq=0, state_version=0)
    assert await asyncio.gather(close(room.context, CLOSE), close(room.context, second)) == [JobResult.DONE] * 2
    profile = await profile_of(room)
    assert (profile.sessions, set(profile.merged)) == (2, {ID, other})


async def test_a_profile_that_changes_meanwhile_is_read_again() -> None:
    room = await ended_room()
    fields = {"user_id": "u1", "updated_at": NOW, "expire_at": (await room.session()).expire_at, "sessions": 4}

    async def first() -> None:
        await room.store.save_user(VersionedUser(Profile.model_validate(fields), None))

    room.model.meanwhile = first
    assert await close(room.context, CLOSE) is JobResult.DONE
    profile = await profile_of(room)
    assert profile.sessions == 5


@pytest.mark.parametrize("job", [close, give_up])
async def test_a_job_that_comes_late_after_the_user_was_erased_leaves_nothing(job) -> None:
    room = await ended_room()
    erased = erase_everything(room.store, (await room.session()).user_id)
    if job is close:
        room.model.meanwhile = lambda: erased
    else:
        await erased
    assert await job(room.context, CLOSE) is JobResult.MOOT
    assert await room.documents() == {}


async def test_the_owner_sees_the_closing_come() -> None:
    room = await ended_room()
    before = await room.store.view(ID)
    await close(room.context, CLOSE)
    after = await room.store.view(ID)
    assert before.closing is None
    assert after.closing == {
        "summary": WORK.summary,
        "goals": ["덜 떨기"],
        "next_session": WORK.next_session,
        "made_by_rule": False,
        "to_follow": False,
    }
    ruled = await ended_room()
    await give_up(ruled.context, CLOSE)
    by_rule = await ruled.store.view(ID)
    assert (by_rule.closing or {})["made_by_rule"] is True


@pytest.mark.parametrize("locale", Locale)
async def test_the_closer_sees_the_goals_of_before(locale: Locale) -> None:
    carried = Carried(goals=("잠을 푹 자기",), conversation_id=ConversationId("c0"), ended_at=NOW)
    room = await ended_room(carried=carried, locale=locale)
    await close(room.context, CLOSE)
    (asked,) = room.model.asked("closer")
    assert "<goals_before>\n- 잠을 푹 자기\n</goals_before>" in asked.messages[0].text
    fresh = await ended_room(locale=locale)
    await close(fresh.context, CLOSE)
    (without,) = fresh.model.asked("closer")
    assert "goals_before" not in without.messages[0].text + without.system
