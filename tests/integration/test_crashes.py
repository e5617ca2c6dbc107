"""A server that dies in the middle of a turn, or is asked to end: nothing is lost (reliability.md, 1, 3 and 4)."""

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.support.chat_client import signed_in, spoken
from tests.support.local_server import LocalServer
from tests.support.moments import calls_begun, kill_within_turn, speak_slowly
from tests.support.polling import eventually
from tests.support.simulator import Simulator
from tests.support.stored import stored

FIRST = "저는 지우라고 해요. 요즘 회사에서 실수할까 봐 밤에 잠이 안 와요."
SECOND = "어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요."


@dataclass(frozen=True)
class Left:
    """A message whose turn a crash cut; the server runs again."""

    uid: str
    conversation_id: str
    message_id: str


async def left_by_a_crash(mortal: LocalServer, model: Simulator) -> Left:
    """Cut a turn with kill -9 and start the server again; the model's calls count from the restart on."""
    message_id = str(uuid4())
    async with signed_in(mortal.address) as person:
        conversation = await person.open()
        await kill_within_turn(person, mortal, model, conversation.id, message_id, FIRST, streaming=False)
    model.forget_calls()
    await mortal.restart()
    return Left(person.uid, conversation.id, message_id)


@pytest.mark.parametrize("moment", ["while the analysers think", "while the reply streams"])
async def test_a_turn_that_kill_9_cut_is_run_anew_by_the_retry_and_answered_once(
    mortal: LocalServer, model: Simulator, moment: str
) -> None:
    message_id = str(uuid4())
    async with signed_in(mortal.address) as person:
        conversation = await person.open()
        before = await person.say(conversation.id, "안녕하세요, 처음이라 조금 떨려요.")
        await kill_within_turn(person, mortal, model, conversation.id, message_id, FIRST, streaming="streams" in moment)
    await mortal.restart()

    async with signed_in(mortal.address, person.uid) as again:
        waiting = await again.turn(conversation.id, message_id)
        assert waiting.status_code in {200, 202}, "the user's words are stored, and may be answered by now"
        reply = await again.say(conversation.id, FIRST, message_id)
        repeated = await again.say(conversation.id, FIRST, message_id)
        history = await again.messages(conversation.id)

    assert (reply, reply["seq"]) == (repeated, 2)
    assert [(entry["seq"], entry["role"]) for entry in history][-4:] == [
        (1, "user"),
        (1, "counselor"),
        (2, "user"),
        (2, "counselor"),
    ]
    assert (history[2]["text"], history[3]["text"]) == (before["reply"], FIRST)
    assert history[4]["text"] == reply["reply"]
    async with stored(mortal.database) as store:
        assert (await store.session(conversation.id)).message_count == 2
        assert (await store.mailbox(conversation.id)).lease is None


async def test_a_turn_left_by_a_crash_is_answered_before_the_next_message_though_nobody_retries(
    mortal: LocalServer, model: Simulator
) -> None:
    left = await left_by_a_crash(mortal, model)
    async with signed_in(mortal.address, left.uid) as again:
        reply = await again.say(left.conversation_id, SECOND)
        left_behind = await again.turn(left.conversation_id, left.message_id)
        history = await again.messages(left.conversation_id)
    assert reply["seq"] == 2
    assert left_behind.status_code == 200
    assert left_behind.json()["seq"] == 1
    assert [entry["text"] for entry in history if entry["role"] == "user"] == [FIRST, SECOND]


async def test_a_message_queued_behind_another_is_answered_once_and_in_order_after_a_crash(
    mortal: LocalServer, model: Simulator
) -> None:
    ahead, behind = str(uuid4()), str(uuid4())
    async with signed_in(mortal.address) as person:
        conversation = await person.open()
        speak_slowly(model, 200)
        async with person.stream(conversation.id, FIRST, ahead) as events:
            async for event in events:
                if event.name == "token":
                    break
            queued = asyncio.create_task(person.send(conversation.id, SECOND, behind))

            async def both_wait() -> bool:
                return (await person.turn(conversation.id, behind)).status_code == 202

            await eventually(both_wait, what="the second message in the queue")
            mortal.kill()
        with pytest.raises(httpx.TransportError):
            await queued
    model.heal()
    model.forget_calls()
    await mortal.restart()

    async with signed_in(mortal.address, person.uid) as again:
        second, first = await asyncio.gather(
            again.say(conversation.id, SECOND, behind), again.say(conversation.id, FIRST, ahead)
        )
        history = await again.messages(conversation.id)

    assert (first["seq"], second["seq"]) == (1, 2)
    assert [entry["text"] for entry in history if entry["role"] == "user"] == [FIRST, SECOND]
    assert [entry["text"] for entry in history if entry["role"] == "counselor"][1:] == [first["reply"], second["reply"]]
    assert model.calls()["Counselor"] == 2
    async with stored(mortal.database) as store:
        assert (await store.mailbox(conversation.id)).inbox == ()


async def test_a_restart_alone_answers_what_a_crash_left(mortal: LocalServer, model: Simulator) -> None:
    left = await left_by_a_crash(mortal, model)

    async with signed_in(mortal.address, left.uid) as again:

        async def whole_history() -> list[dict[str, Any]] | None:
            entries = await again.messages(left.conversation_id)
            return entries if len(entries) == 3 else None

        history = await eventually(whole_history, what="the reply")
        answered = await again.turn(left.conversation_id, left.message_id)

    assert [entry["text"] for entry in history if entry["role"] == "user"] == [FIRST]
    assert answered.json()["reply"] == history[-1]["text"]


async def test_a_retry_and_a_new_message_at_once_after_a_crash_cost_one_set_of_calls_each(
    mortal: LocalServer, model: Simulator
) -> None:
    left = await left_by_a_crash(mortal, model)
    model.pace(ttft_ms=100)
    async with signed_in(mortal.address, left.uid) as again:
        replies = await asyncio.gather(
            again.say(left.conversation_id, FIRST, left.message_id),
            again.say(left.conversation_id, SECOND),
            again.say(left.conversation_id, FIRST, left.message_id),
        )
    assert sorted(reply["seq"] for reply in replies) == [1, 1, 2]
    assert model.calls()["Counselor"] == 2


async def test_replies_are_the_same_bytes_after_kill_9(mortal: LocalServer, model: Simulator) -> None:
    message_id = str(uuid4())
    async with signed_in(mortal.address) as person:
        conversation = await person.open()
        first = await person.send(conversation.id, FIRST, message_id)
    await mortal.restart()
    model.forget_calls()
    async with signed_in(mortal.address, person.uid) as again:
        assert (await again.send(conversation.id, FIRST, message_id)).content == first.content
    assert model.calls() == {}


async def test_a_stream_of_a_crashed_server_is_taken_up_on_the_next_one_without_mixing_two_replies(
    mortal: LocalServer, model: Simulator
) -> None:
    message_id, seen = str(uuid4()), []
    async with signed_in(mortal.address) as person:
        conversation = await person.open()
        speak_slowly(model, 60)
        async with person.stream(conversation.id, FIRST, message_id) as events:
            async for event in events:
                seen.append(event)
                if event.name == "token":
                    break
            mortal.kill()
    model.heal()
    await mortal.restart()
    async with signed_in(mortal.address, person.uid) as again:
        async with again.attach(conversation.id, message_id, seen[-1].id) as events:
            rest = [event async for event in events]
        history = await again.messages(conversation.id)

    assert rest[-1].name == "done"
    assert spoken(seen + rest) == rest[-1].data["reply"] == history[-1]["text"]
    assert len(history) == 3


async def test_sigterm_lets_the_turn_under_way_come_to_its_commit(mortal: LocalServer, model: Simulator) -> None:
    message_id = str(uuid4())
    async with signed_in(mortal.address) as person:
        conversation = await person.open()
        model.pace(ttft_ms=700)
        sending = asyncio.create_task(person.send(conversation.id, FIRST, message_id))
        await calls_begun(model)
        assert await asyncio.to_thread(mortal.stop) == 0
        answer = await sending
        assert answer.status_code == 200
    async with stored(mortal.database) as store:
        record = await store.turn(conversation.id, message_id)
    assert record.result.reply == answer.json()["reply"]
