"""Every message is answered once and in order, whatever its client does (reliability.md, promises 1, 2 and 7)."""

import asyncio
import json
from uuid import uuid4

from tests.support.chat_client import spoken
from tests.support.moments import speak_slowly, tokens

FIRST = "저는 지우라고 해요. 요즘 회사에서 실수할까 봐 밤에 잠이 안 와요."
SECOND = "어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요."
COPIES = 10


async def test_concurrent_and_later_copies_of_a_message_get_the_same_reply_from_one_set_of_calls(person, model):
    alone = await person.open()
    await person.say(alone.id, FIRST)
    once = model.calls()
    model.forget_calls()
    model.pace(ttft_ms=200)

    crowded, message_id = await person.open(), str(uuid4())
    first, *others = await asyncio.gather(*(person.send(crowded.id, FIRST, message_id) for _ in range(COPIES)))
    later = [await person.send(crowded.id, FIRST, message_id), await person.turn(crowded.id, message_id)]
    replayed = await person.hear(crowded.id, FIRST, message_id)

    assert first.status_code == 200
    assert {answer.content for answer in (*others, *later)} == {first.content}
    assert (replayed[-1].name, replayed[-1].data) == ("done", first.json())
    assert spoken(replayed) == first.json()["reply"]
    assert model.calls() == once
    assert [entry["seq"] for entry in await person.messages(crowded.id)] == [0, 1, 1]


async def test_of_two_concurrent_texts_with_one_id_one_is_answered_and_the_other_gets_409(person, model):
    conversation, message_id = await person.open(), str(uuid4())
    model.pace(ttft_ms=50)
    answers = await asyncio.gather(*(person.send(conversation.id, text, message_id) for text in (FIRST, SECOND)))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    (answered,) = (text for text, answer in zip((FIRST, SECOND), answers, strict=True) if answer.status_code == 200)
    history = await person.messages(conversation.id)
    assert [entry["text"] for entry in history if entry["role"] == "user"] == [answered]


async def test_concurrent_messages_are_answered_one_after_another_without_gaps_or_a_left_lease(person, model, store):
    conversation = await person.open()
    model.pace(ttft_ms=50)
    texts = [FIRST, SECOND, *(f"{number}번째로 하고 싶은 이야기가 있어요." for number in range(4))]
    replies = await asyncio.gather(*(person.say(conversation.id, text) for text in texts))
    history = (await person.messages(conversation.id))[1:]
    order = [(seq, role) for seq in range(1, len(texts) + 1) for role in ("user", "counselor")]
    assert [(entry["seq"], entry["role"]) for entry in history] == order
    answered = sorted(zip((reply["seq"] for reply in replies), texts, strict=True))
    assert [(entry["seq"], entry["text"]) for entry in history if entry["role"] == "user"] == answered
    replied = sorted((reply["seq"], reply["reply"]) for reply in replies)
    assert [(entry["seq"], entry["text"]) for entry in history if entry["role"] == "counselor"] == replied
    versions = [turn.snapshot_version for turn in await store.turns(conversation.id)]
    assert None not in versions
    assert versions == sorted(set(versions)), "each turn saw the state that the turn before wrote"
    box = await store.mailbox(conversation.id)
    assert (box.inbox, box.lease) == ((), None)
    # The last prompt holds the reply of the turn before: the history has no branches.
    spoken_to = [call for call in model.recent_calls() if call["agent"] == "Counselor"]
    assert history[-4]["text"] in json.dumps(spoken_to[-1]["request"]["contents"], ensure_ascii=False)


async def test_a_dropped_stream_resumes_after_the_last_event_that_the_client_received(person, model, store):
    conversation, message_id = await person.open(), str(uuid4())
    speak_slowly(model, 40)
    async with person.stream(conversation.id, FIRST, message_id) as events:
        seen = await tokens(events, 3)
    async with person.attach(conversation.id, message_id, seen[-1].id) as events:
        rest = [event async for event in events]

    numbers = [event.number for event in seen + rest]
    assert numbers == list(range(len(numbers)))
    assert rest[-1].name == "done"
    assert not any(event.name == "replace" for event in rest)
    record = await store.turn(conversation.id, message_id)
    reply = rest[-1].data["reply"]
    assert spoken(seen + rest) == reply == record.result.reply == (await person.messages(conversation.id))[-1]["text"]
