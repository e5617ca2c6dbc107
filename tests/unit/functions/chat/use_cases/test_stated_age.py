"""Who states in one conversation that they are under 14 is heeded in all of theirs, and what they write is not kept."""

from uuid import uuid4

import pytest

from shared.domain.counseling.profile import Profile
from shared.domain.errors import DocumentTooNew, StoreUnavailable
from shared.safety.ages import StatedAge
from tests.builders.danger_service import Service
from tests.builders.erasing import erase_everything
from tests.unit.functions.chat.conftest import ALL, OPENING

CHILD = "저 초등학교 5학년이에요. 요즘 학교 가기 싫어요"
SECRET = "친구들이 나만 빼고 놀아요 제 이름은 김지우예요"
CORRECTION = "잘못 썼어요, 저 25살이에요"
DANGER = "이제 정말 죽고 싶어요"


@pytest.fixture
async def service():
    """Two open conversations of one person: `other` was opened first."""
    service = Service("ko")
    await service.open()
    service.other = service.id
    await service.open()
    return service


@pytest.fixture
async def told(service):
    """The same, once it was said in the newer one how old they are."""
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


async def test_no_other_conversation_is_opened_for_them_whatever_age_they_choose(told):
    refused, at_the_door = await opening(told), await opening(told, age_band="under_14")
    assert (refused.status_code, refused.json()["code"]) == (403, "guardian_required")
    assert refused.json() == at_the_door.json()
    assert "1388" in refused.json()["detail"]
    assert len(await told.store.conversations_of("ann")) == 2
    assert (await told.call("GET", "/api/me")).json()["profile"]["under_14"] is True
    assert (await opening(told, "bob")).status_code == 201, "others are not concerned"


async def test_their_other_conversations_answer_in_fixed_words_too(told):
    reply = (await say(told, told.other, "오늘은 기분이 괜찮아요")).json()["reply"]
    assert "보호자의 동의" in reply
    assert "1388" in reply
    assert told.model.requests == []


async def test_an_ended_conversation_of_theirs_is_read_for_no_closing_any_more(service):
    await say(service, service.other, DANGER)
    await service.call("POST", f"{ALL}/{service.other}/end")
    await service.send(CHILD)
    assert (await state(service, service.other)).under_14


async def test_corrected_in_any_of_them_it_is_corrected_in_all(told):
    await say(told, told.other, SECRET)
    await say(told, told.other, CORRECTION)
    ages = [(await state(told, one)).stated_age for one in (told.id, told.other)]
    assert (ages, (await profile(told)).under_14) == ([StatedAge.MINOR] * 2, False)
    assert (await opening(told)).status_code == 201
    texts = [one.text for one in (await state(told, told.other)).recent if one.role == "user"]
    assert texts == ["", CORRECTION], "the message that corrects it is kept like any other"


async def test_what_they_write_from_then_on_is_kept_nowhere(told):
    for conversation in (told.id, told.other):
        assert (await say(told, conversation, SECRET)).status_code == 200
    stored = await told.everything()
    assert "김지우" not in stored
    assert "초등학교 5학년" in stored, "what they wrote before they were told stays theirs to erase"
    turns = [one.data for one in await told.database.tree(f"sessions/{told.id}") if "/turns/" in one.path]
    assert [bool(turn["text"]) for turn in sorted(turns, key=lambda turn: turn["seq"])] == [True, False]
    assert all(turn["agents"] and turn["result"]["reply"] for turn in turns)
    page = (await told.call("GET", f"{ALL}/{told.id}/messages")).json()["messages"]
    shown = [(one["role"], bool(one["text"])) for one in page if one["seq"] == 2]
    assert shown == [("user", False), ("counselor", True)], "the history shows that there was a message"


async def test_a_copy_of_such_a_message_gets_the_same_reply_and_another_text_under_its_id_none(told):
    message_id = str(uuid4())
    first, copy, other = [await say(told, told.id, text, message_id) for text in (SECRET, SECRET, "심심해요")]
    again = await told.call("GET", f"{ALL}/{told.id}/turns/{message_id}")
    assert first.json() == copy.json() == again.json()
    assert (other.status_code, other.json()["code"]) == (409, "message_id_conflict")


async def test_danger_is_answered_by_the_protocol_and_flagged_without_its_words(told):
    answered = (await told.send(DANGER)).json()
    assert answered["flags"] == ["crisis"]
    assert {"109", "1388"} <= {line["number"] for line in answered["state_snapshot"]["risk"]["resources"]}
    assert DANGER not in await told.everything()
    assert (await told.queue())[0]["priority"] == "crisis"


async def test_where_the_store_cannot_say_it_everywhere_the_message_waits_and_says_it_again(service):
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


async def test_a_conversation_that_cannot_be_read_keeps_nobody_from_an_answer(service):
    load = service.store.load

    async def unreadable(conversation_id):
        if conversation_id == service.other:
            raise DocumentTooNew(f"sessions/{conversation_id}", "x")
        return await load(conversation_id)

    service.store.load = unreadable
    assert (await service.send(CHILD)).status_code == 200
    assert (await profile(service)).under_14


async def test_nothing_comes_back_of_somebody_who_is_erased_meanwhile(service):
    load = service.store.user

    async def erased(user_id, model):
        service.store.user = load
        await erase_everything(service.store, user_id)
        return await load(user_id, model)

    service.store.user = erased
    assert (await service.send(CHILD)).status_code == 404
    assert await service.store.user("ann", Profile) is None
