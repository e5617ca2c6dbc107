"""Every turn once, in order, nothing lost, whatever clients do (reliability.md, promises 1, 2 and 7)."""

import asyncio
import json
from uuid import uuid4

import httpx

from tests.support.chat_client import Event, Person, spoken
from tests.support.moments import first_token, speak_slowly
from tests.support.polling import eventually
from tests.support.simulator import Simulator
from tests.support.stored import Stored

FIRST = "저는 지우라고 해요. 요즘 회사에서 실수할까 봐 밤에 잠이 안 와요."
SECOND = "어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요."
COPIES = 10


async def test_ten_copies_at_once_cost_one_set_of_calls_and_get_ten_identical_replies(
    person: Person, model: Simulator
) -> None:
    alone = await person.open()
    await person.say(alone.id, FIRST)
    once = model.calls()
    model.forget_calls()
    model.pace(ttft_ms=200)

    crowded, message_id = await person.open(), str(uuid4())
    answers = await asyncio.gather(*(person.send(crowded.id, FIRST, message_id) for _ in range(COPIES)))

    assert [answer.status_code for answer in answers] == [200] * COPIES
    assert len({answer.content for answer in answers}) == 1
    assert model.calls() == once
    assert [entry["seq"] for entry in await person.messages(crowded.id)] == [0, 1, 1]


async def test_a_copy_gets_the_same_bytes_later_as_json_as_a_turn_and_as_a_stream(
    person: Person, model: Simulator
) -> None:
    conversation, message_id = await person.open(), str(uuid4())
    first = await person.send(conversation.id, FIRST, message_id)
    calls = model.calls()
    assert (await person.send(conversation.id, FIRST, message_id)).content == first.content
    assert (await person.turn(conversation.id, message_id)).content == first.content
    replayed = await person.hear(conversation.id, FIRST, message_id)
    assert (replayed[-1].name, replayed[-1].data) == ("done", first.json())
    assert spoken(replayed) == first.json()["reply"]
    assert model.calls() == calls


async def test_an_old_message_sent_again_costs_no_model_call_and_gets_the_same_bytes(
    person: Person, model: Simulator, store: Stored
) -> None:
    conversation, message_id = await person.open(), str(uuid4())
    first = await person.send(conversation.id, FIRST, message_id)
    for number in range(10):
        await person.say(conversation.id, f"{number}번째로 하고 싶은 이야기가 있어요.")
    recent = (await store.session(conversation.id)).recent
    assert message_id not in {message.message_id for message in recent}
    model.forget_calls()

    again = await person.send(conversation.id, FIRST, message_id)

    assert (again.status_code, again.content) == (200, first.content)
    assert model.calls().get("Counselor", 0) == 0
    assert (await person.messages(conversation.id))[-1]["seq"] == 11


async def test_of_two_texts_under_one_id_at_once_one_is_answered_and_one_is_a_conflict(
    person: Person, model: Simulator
) -> None:
    conversation, message_id = await person.open(), str(uuid4())
    model.pace(ttft_ms=50)
    answers = await asyncio.gather(*(person.send(conversation.id, text, message_id) for text in (FIRST, SECOND)))

    assert sorted(answer.status_code for answer in answers) == [200, 409]
    (answered,) = (text for text, answer in zip((FIRST, SECOND), answers, strict=True) if answer.status_code == 200)
    history = await person.messages(conversation.id)
    assert [entry["text"] for entry in history if entry["role"] == "user"] == [answered]


async def test_the_words_of_a_waiting_message_are_in_the_export_and_its_reply_is_pending(
    person: Person, model: Simulator
) -> None:
    conversation, message_id = await person.open(), str(uuid4())
    speak_slowly(model, 40)
    async with person.stream(conversation.id, FIRST) as events:
        await first_token(events)
        behind = asyncio.create_task(person.send(conversation.id, SECOND, message_id))

        async def exported() -> bool:
            response = await person.http.get(f"/api/conversations/{conversation.id}/export")
            return SECOND in json.dumps(response.json(), ensure_ascii=False)

        await eventually(exported, what="the words in the export")
        assert (await person.turn(conversation.id, message_id)).status_code == 202
        model.heal()
        async for _ in events:
            pass
    assert (await behind).json()["seq"] == 2


async def test_two_messages_at_once_are_both_answered_one_after_the_other(
    person: Person, model: Simulator, store: Stored
) -> None:
    conversation = await person.open()
    model.pace(ttft_ms=150)
    earlier, later = await asyncio.gather(person.say(conversation.id, FIRST), person.say(conversation.id, SECOND))
    in_order = sorted((earlier, later), key=lambda reply: reply["seq"])

    history = await person.messages(conversation.id)
    assert [(entry["seq"], entry["role"]) for entry in history] == [
        (0, "counselor"),
        (1, "user"),
        (1, "counselor"),
        (2, "user"),
        (2, "counselor"),
    ]
    assert [entry["text"] for entry in history if entry["role"] == "counselor"][1:] == [r["reply"] for r in in_order]
    assert {entry["text"] for entry in history if entry["role"] == "user"} == {FIRST, SECOND}
    turns = await store.turns(conversation.id)
    assert [turn.seq for turn in turns] == [1, 2]
    versions = [turn.snapshot_version for turn in turns]
    assert versions[0] is not None
    assert versions[1] is not None
    assert versions[0] < versions[1], "the second turn did not see what the first one wrote"
    # The second turn's prompt holds what the first one said: no branch.
    spoken_to = [call for call in model.recent_calls() if call["agent"] == "Counselor"]
    assert history[1]["text"] in json.dumps(spoken_to[-1]["request"]["contents"], ensure_ascii=False)


async def test_a_crowd_of_messages_leaves_no_gap_and_no_lease(person: Person, model: Simulator, store: Stored) -> None:
    conversation = await person.open()
    model.pace(ttft_ms=20)
    texts = [f"{number}번째로 하고 싶은 이야기가 있어요." for number in range(6)]
    replies = await asyncio.gather(*(person.say(conversation.id, text) for text in texts))
    assert sorted(reply["seq"] for reply in replies) == list(range(1, 7))
    said = [entry["text"] for entry in await person.messages(conversation.id) if entry["role"] == "user"]
    assert sorted(said) == texts
    box = await store.mailbox(conversation.id)
    assert (box.inbox, box.lease) == ((), None)


async def test_a_client_that_hangs_up_in_the_middle_loses_nothing(
    person: Person, model: Simulator, store: Stored
) -> None:
    conversation, message_id = await person.open(), str(uuid4())
    speak_slowly(model, 40)
    async with person.stream(conversation.id, FIRST, message_id) as events:
        await first_token(events)

    async def answered() -> httpx.Response | None:
        response = await person.turn(conversation.id, message_id)
        assert response.status_code in {200, 202}
        return response if response.status_code == 200 else None

    response = await eventually(answered, what="the turn's commit")
    assert response.json()["reply"] == (await person.messages(conversation.id))[-1]["text"]
    record = await store.turn(conversation.id, message_id)
    assert record.result.reply == response.json()["reply"]


async def test_a_stream_is_taken_up_again_behind_the_last_event_that_was_seen(person: Person, model: Simulator) -> None:
    conversation, message_id = await person.open(), str(uuid4())
    speak_slowly(model, 40)
    seen: list[Event] = []
    async with person.stream(conversation.id, FIRST, message_id) as events:
        async for event in events:
            seen.append(event)
            if sum(event.name == "token" for event in seen) == 3:
                break
    async with person.attach(conversation.id, message_id, seen[-1].id) as events:
        rest = [event async for event in events]

    numbers = [event.number for event in seen + rest]
    assert numbers == list(range(len(numbers)))
    assert rest[-1].name == "done"
    assert spoken(seen + rest) == rest[-1].data["reply"]
    assert not any(event.name == "replace" for event in rest)


async def test_other_words_under_a_used_id_are_a_conflict_while_the_turn_runs_and_after_it(
    person: Person, model: Simulator
) -> None:
    conversation, message_id = await person.open(), str(uuid4())
    speak_slowly(model, 30)
    async with person.stream(conversation.id, FIRST, message_id) as events:
        await first_token(events)
        during = await person.send(conversation.id, SECOND, message_id)
        rest = [event async for event in events]
    after = await person.send(conversation.id, SECOND, message_id)

    for refused in (during, after):
        assert refused.status_code == 409
        assert refused.json()["code"] == "message_id_conflict"
    assert rest[-1].name == "done"
    assert [entry["seq"] for entry in await person.messages(conversation.id)] == [0, 1, 1]


async def test_what_the_model_must_not_say_reaches_neither_the_client_nor_the_history(
    person: Person, model: Simulator
) -> None:
    model.script({"Counselor": ["많이 지치셨겠어요. 말씀을 들어 보니 우울증이에요. 수면제를 드셔 보세요."]})
    conversation = await person.open()
    events = await person.hear(conversation.id, "요즘 밤에 잠이 잘 안 와요.")
    reply = events[-1].data
    assert reply["flags"] == ["guarded"]
    assert reply["reply"].startswith("많이 지치셨겠어요. ")
    assert [event for event in events if event.name == "replace"] == []
    assert spoken(events) == reply["reply"]
    assert not any(word in spoken(events) for word in ("우울증", "수면제"))
    assert (await person.messages(conversation.id))[-1]["text"] == reply["reply"]
