"""A server that is killed or stopped in the middle of a turn loses nothing (reliability.md, 1, 3 and 4)."""

import asyncio
from uuid import uuid4

import httpx
import pytest

from tests.support.chat_client import signed_in, spoken
from tests.support.moments import calls_begun, kill_within_turn, speak_slowly, tokens
from tests.support.polling import eventually
from tests.support.stored import stored

FIRST = "저는 지우라고 해요. 요즘 회사에서 실수할까 봐 밤에 잠이 안 와요."
SECOND = "어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요."


@pytest.mark.parametrize("streaming", [False, True], ids=["while the analysers think", "while the reply streams"])
async def test_a_turn_interrupted_by_sigkill_is_run_again_and_answered_once(own_server, model, streaming):
    before_id, message_id = str(uuid4()), str(uuid4())
    async with signed_in(own_server.address) as person:
        conversation = await person.open()
        before = await person.send(conversation.id, "안녕하세요, 처음이라 조금 떨려요.", before_id)
        await kill_within_turn(person, own_server, model, conversation.id, message_id, FIRST, streaming=streaming)
    model.forget_calls()
    await own_server.restart()

    async with signed_in(own_server.address, person.uid) as again:
        waiting = await again.turn(conversation.id, message_id)
        assert waiting.status_code in {200, 202}, "the user's words are stored, and may be answered by now"
        replies = await asyncio.gather(*(again.say(conversation.id, FIRST, message_id) for _ in range(2)))
        assert model.calls()["Reading"] == 1, "the turn runs once more, and no third time"
        same = await again.send(conversation.id, "안녕하세요, 처음이라 조금 떨려요.", before_id)
        history = await again.messages(conversation.id)

    assert same.content == before.content
    assert replies[0] == replies[1]
    roles = [(entry["seq"], entry["role"]) for entry in history]
    assert roles[-3:] == [(1, "counselor"), (2, "user"), (2, "counselor")]
    assert [entry["text"] for entry in history][-3:] == [before.json()["reply"], FIRST, replies[0]["reply"]]
    async with stored(own_server.database) as store:
        assert (await store.session(conversation.id)).message_count == 2
        assert (await store.mailbox(conversation.id)).lease is None


async def test_a_restart_answers_an_interrupted_message_without_a_retry_of_the_client(own_server, model):
    message_id = str(uuid4())
    async with signed_in(own_server.address) as person:
        conversation = await person.open()
        await kill_within_turn(person, own_server, model, conversation.id, message_id, FIRST, streaming=False)
    await own_server.restart()
    async with signed_in(own_server.address, person.uid) as again:

        async def whole_history():
            entries = await again.messages(conversation.id)
            return entries if len(entries) == 3 else None

        history = await eventually(whole_history, what="the reply")
        answered = await again.turn(conversation.id, message_id)
    assert [entry["text"] for entry in history][1:] == [FIRST, answered.json()["reply"]]


async def test_a_message_queued_behind_another_is_answered_once_and_in_order_after_a_crash(own_server, model):
    first_id, second_id = str(uuid4()), str(uuid4())
    async with signed_in(own_server.address) as person:
        conversation = await person.open()
        speak_slowly(model, 200)
        async with person.stream(conversation.id, FIRST, first_id) as events:
            await tokens(events)
            queued = asyncio.create_task(person.send(conversation.id, SECOND, second_id))

            async def both_wait():
                return (await person.turn(conversation.id, second_id)).status_code == 202

            await eventually(both_wait, what="the second message in the queue")
            own_server.kill()
        with pytest.raises(httpx.TransportError):
            await queued
    model.heal()
    model.forget_calls()
    await own_server.restart()

    async with signed_in(own_server.address, person.uid) as again:
        sends = again.say(conversation.id, SECOND, second_id), again.say(conversation.id, FIRST, first_id)
        second, first = await asyncio.gather(*sends)
        history = await again.messages(conversation.id)
    assert (first["seq"], second["seq"]) == (1, 2)
    assert [entry["text"] for entry in history][1:] == [FIRST, first["reply"], SECOND, second["reply"]]
    async with stored(own_server.database) as store:
        runs = [run for turn in await store.turns(conversation.id) for run in turn.agents if run.agent == "counselor"]
        assert model.calls()["Counselor"] == sum(run.attempts for run in runs), "no call but those of two turns"
        assert len([run for run in runs if not run.cancelled]) == 2
        assert (await store.mailbox(conversation.id)).inbox == ()


async def test_a_stream_resumed_after_a_crash_does_not_mix_two_replies(own_server, model):
    message_id = str(uuid4())
    async with signed_in(own_server.address) as person:
        conversation = await person.open()
        speak_slowly(model, 60)
        async with person.stream(conversation.id, FIRST, message_id) as events:
            seen = await tokens(events)
            own_server.kill()
    model.heal()
    await own_server.restart()
    async with signed_in(own_server.address, person.uid) as again:
        async with again.attach(conversation.id, message_id, seen[-1].id) as events:
            rest = [event async for event in events]
        history = await again.messages(conversation.id)
    assert rest[-1].name == "done"
    assert spoken(seen + rest) == rest[-1].data["reply"] == history[-1]["text"]
    assert len(history) == 3


async def test_sigterm_lets_the_running_turn_commit_its_reply(own_server, model):
    message_id = str(uuid4())
    async with signed_in(own_server.address) as person:
        conversation = await person.open()
        model.pace(ttft_ms=700)
        sending = asyncio.create_task(person.send(conversation.id, FIRST, message_id))
        await calls_begun(model)
        assert await asyncio.to_thread(own_server.stop) == 0
        answer = await sending
    assert answer.status_code == 200
    async with stored(own_server.database) as store:
        assert (await store.turn(conversation.id, message_id)).result.reply == answer.json()["reply"]


async def test_an_answer_on_the_agreement_that_sigkill_cut_goes_on_from_its_checkpoint(own_server, model):
    message_id, text = str(uuid4()), "그런데 상담 내용은 누가 봐요?"
    async with signed_in(own_server.address) as person:
        conversation = await person.open()
        await kill_within_turn(person, own_server, model, conversation.id, message_id, text, streaming=True)
    model.forget_calls()
    await own_server.restart()
    async with signed_in(own_server.address, person.uid) as again:
        reply = await again.say(conversation.id, text, message_id)
        assert (await again.turn(conversation.id, message_id)).json() == reply
        history = await again.messages(conversation.id)
    agents = {"Counselor": 1, "Reading": 1}
    assert model.calls() == agents, "the answer and its danger check: what was searched stands in the checkpoint"
    assert [hook["type"] for hook in reply["hooks"]] == ["citations"]
    assert [entry["text"] for entry in history][1:] == [text, reply["reply"]]
