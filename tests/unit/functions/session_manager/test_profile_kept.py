"""The closing work takes what it found into the user's profile, in one commit with the session."""

import asyncio

import pytest

from functions.session_manager.close import close
from functions.session_manager.dispatch import give_up
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.profile import Profile
from shared.domain.ids import ConversationId
from shared.engine.jobs import JobResult
from shared.locale import Locale
from shared.ports.user_store import VersionedUser
from tests.builders.closings import AHEAD, CLOSE, WORK, ended_room, profile_of
from tests.builders.erasing import erase_everything
from tests.builders.job_room import ID
from tests.builders.sessions import NOW


async def test_the_profile_is_written_with_the_closing():
    room = await ended_room(user_info={"name": "민지"})
    assert await close(room.context, CLOSE) is JobResult.DONE
    profile = await profile_of(room)
    assert (profile.summary, profile.next_plan, profile.name) == (WORK.summary, AHEAD, "민지")
    assert [kept.goal for kept in profile.goals] == ["덜 떨기"]
    assert profile.persona.counseling_level == 1
    assert (profile.last_session.conversation_id, profile.sessions) == (ID, 1)


async def test_two_sessions_of_one_user_that_close_at_once_are_both_taken_in():
    room = await ended_room([WORK] * 3)
    other = ConversationId("c2")
    state = (await room.session()).model_copy(update={"conversation_id": other})
    greeting = (await room.store.messages(ID, -1, 1))[0]
    await room.store.create(state, greeting, room.policy.view(state))
    second = TaskPayload(conversation_id=other, kind=JobKind.CLOSE, seq=0, state_version=0)
    assert await asyncio.gather(close(room.context, CLOSE), close(room.context, second)) == [JobResult.DONE] * 2
    profile = await profile_of(room)
    assert (profile.sessions, set(profile.merged)) == (2, {ID, other})


async def test_a_profile_that_changes_meanwhile_is_read_again():
    room = await ended_room()
    fields = {"user_id": "u1", "updated_at": NOW, "expire_at": (await room.session()).expire_at, "sessions": 4}
    room.model.meanwhile = lambda: room.store.save_user(VersionedUser(Profile.model_validate(fields), None))
    assert await close(room.context, CLOSE) is JobResult.DONE
    assert (await profile_of(room)).sessions == 5


@pytest.mark.parametrize("job", [close, give_up])
async def test_a_job_that_comes_late_after_the_user_was_erased_leaves_nothing(job):
    room = await ended_room()
    erased = erase_everything(room.store, (await room.session()).user_id)
    if job is close:
        room.model.meanwhile = lambda: erased
    else:
        await erased
    assert await job(room.context, CLOSE) is JobResult.MOOT
    assert await room.documents() == {}


async def test_the_owner_sees_the_closing_come():
    room = await ended_room()
    assert (await room.store.view(ID)).closing is None
    await close(room.context, CLOSE)
    told = {"summary": WORK.summary, "goals": ["덜 떨기"], "next_session": AHEAD}
    assert (await room.store.view(ID)).closing == told | {"made_by_rule": False, "to_follow": False}
    ruled = await ended_room()
    await give_up(ruled.context, CLOSE)
    assert (await ruled.store.view(ID)).closing["made_by_rule"] is True


@pytest.mark.parametrize("locale", Locale)
async def test_the_closer_sees_the_goals_of_before(locale):
    carried = Carried(goals=("잠을 푹 자기",), conversation_id=ConversationId("c0"), ended_at=NOW)
    prompts = []
    for fields in ({"carried": carried}, {}):
        room = await ended_room(locale=locale, **fields)
        await close(room.context, CLOSE)
        prompts += room.model.asked("closer")
    told, without = prompts
    assert "<goals_before>\n- 잠을 푹 자기\n</goals_before>" in told.messages[0].text
    assert "goals_before" not in without.messages[0].text + without.system
