"""An age under 14 that a user states in one conversation counts in all of theirs, and their messages are not stored."""

from uuid import uuid4

import pytest

from shared.domain.counseling.profile import Profile
from shared.domain.errors import DocumentTooNew, StoreUnavailable
from shared.safety.ages import StatedAge
from tests.builders.danger_service import Service
from tests.builders.erasing import erase_everything
from tests.unit.functions.chat.conftest import ALL, OPENING, interrupt

CHILD = "저 초등학교 5학년이에요. 요즘 학교 가기 싫어요"
SECRET = "친구들이 나만 빼고 놀아요 제 이름은 김지우예요"
CORRECTION = "잘못 썼어요, 저 25살이에요"
DANGER = "이제 정말 죽고 싶어요"


@pytest.fixture
async def service():
    """Two open conversations of one user: `other` was opened first."""
    service = Service("ko")
    await service.open()
    service.other = service.id
    await service.open()
    return service


@pytest.fixture
async def told(service):
    """The same, after the user stated an age under 14 in the newer one."""
    assert (await service.send(CHILD)).status_code == 200
    return service


async def say(service, conversation_id, text, message_id=None):
    path = f"{ALL}/{conversation_id}/chat"
    return await service.call("POST", path, message_id=message_id or str(uuid4()), text=text)


async def opening(service, who="ann", **more):
    return await service.call("POST", ALL, who, **OPENING | more)


async def state(service, conversation_id):
    return (await service.store.load(conversation_id)).session.state


async def profile(service):
    return (await service.store.user("ann", Profile)).document


async def test_no_conversation_is_opened_for_a_user_under_14_under_any_age_band(told):
    refused, by_age_band = await opening(told), await opening(told, age_band="under_14")
    assert (refused.status_code, refused.json()["code"]) == (403, "guardian_required")
    assert refused.json() == by_age_band.json()
    assert "1388" in refused.json()["detail"]
    assert len(await told.store.conversations_of("ann")) == 2
    assert (await told.call("GET", "/api/me")).json()["profile"]["under_14"] is True
    assert (await opening(told, "bob")).status_code == 201, "other users are not concerned"


async def test_a_stated_age_under_14_reaches_an_ended_conversation(service):
    await say(service, service.other, DANGER)
    await service.call("POST", f"{ALL}/{service.other}/end")
    await service.send(CHILD)
    assert (await state(service, service.other)).under_14


async def test_a_corrected_age_is_corrected_in_all_conversations(told):
    await say(told, told.other, SECRET)
    await say(told, told.other, CORRECTION)
    ages = [(await state(told, one)).stated_age for one in (told.id, told.other)]
    assert (ages, (await profile(told)).under_14) == ([StatedAge.MINOR] * 2, False)
    assert (await opening(told)).status_code == 201
    texts = [one.text for one in (await state(told, told.other)).recent if one.role == "user"]
    assert texts == ["", CORRECTION], "the message that corrects the age is stored"


async def test_later_messages_of_a_user_under_14_get_fixed_replies_and_are_not_stored(told):
    assert (await say(told, told.id, SECRET)).status_code == 200
    reply = (await say(told, told.other, SECRET)).json()["reply"]
    assert all(words in reply for words in ("보호자의 동의", "1388"))
    assert told.model.requests == []
    stored = await told.everything()
    assert "김지우" not in stored
    assert "초등학교 5학년" in stored, "the message that states the age stays stored"
    turns = [one.data for one in await told.database.tree(f"sessions/{told.id}") if "/turns/" in one.path]
    assert [bool(turn["text"]) for turn in sorted(turns, key=lambda turn: turn["seq"])] == [True, False]
    assert all(turn["agents"] and turn["result"]["reply"] for turn in turns)
    page = (await told.call("GET", f"{ALL}/{told.id}/messages")).json()["messages"]
    shown = [(one["role"], bool(one["text"])) for one in page if one["seq"] == 2]
    assert shown == [("user", False), ("counselor", True)], "the history shows that there was a message"


async def test_a_repeated_message_gets_the_same_reply_and_another_text_under_its_id_a_conflict(told):
    message_id = str(uuid4())
    first, copy, other = [await say(told, told.id, text, message_id) for text in (SECRET, SECRET, "심심해요")]
    again = await told.call("GET", f"{ALL}/{told.id}/turns/{message_id}")
    assert first.json() == copy.json() == again.json()
    assert (other.status_code, other.json()["code"]) == (409, "message_id_conflict")


async def test_danger_of_a_user_under_14_is_answered_by_the_protocol_and_flagged_without_its_words(told):
    answered = (await told.send(DANGER)).json()
    assert answered["flags"] == ["crisis"]
    assert {"109", "1388"} <= {line["number"] for line in answered["state_snapshot"]["risk"]["resources"]}
    assert DANGER not in await told.everything()
    assert (await told.queue())[0]["priority"] == "crisis"


async def test_a_message_that_cannot_reach_every_conversation_fails_and_is_completed_on_a_retry(service):
    keep, away = service.store.save_state, [True]

    async def save_state(session, *given, **more):
        if away and session.state.conversation_id == service.other:
            raise StoreUnavailable("away")
        await keep(session, *given, **more)

    service.store.save_state = save_state
    message_id = str(uuid4())
    assert (await say(service, service.id, CHILD, message_id)).status_code == 503
    assert (await opening(service)).status_code == 403
    away.clear()
    assert (await say(service, service.id, CHILD, message_id)).status_code == 200
    assert (await state(service, service.other)).under_14


async def test_an_unreadable_conversation_does_not_block_the_answer(service):
    load = service.store.load

    async def unreadable(conversation_id):
        if conversation_id == service.other:
            raise DocumentTooNew(f"sessions/{conversation_id}", "x")
        return await load(conversation_id)

    service.store.load = unreadable
    assert (await service.send(CHILD)).status_code == 200
    assert (await profile(service)).under_14


async def test_a_stated_age_writes_no_profile_for_a_user_erased_meanwhile(service):
    interrupt(service.store, "user", lambda: erase_everything(service.store, "ann"))
    assert (await service.send(CHILD)).status_code == 404
    assert await service.store.user("ann", Profile) is None
