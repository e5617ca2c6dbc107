"""Rows of the fault table: the store stalls, the queue does not answer, an erasure is killed."""

import asyncio
import os
import signal
import time
from pathlib import Path
from uuid import uuid4

import httpx

from local.loopback import NO_AUTHORITIES
from tests.chaos.instances import ChatInstance, Emulators, chat_instance
from tests.chaos.measured import Measured
from tests.chaos.model_rows import CHATTER, CRISIS
from tests.chaos.turns import counselor_called, held, listen, sends, until_replied
from tests.support.chat_client import Person, signed_in
from tests.support.emulated import Emulated
from tests.support.listing import every_document, holding
from tests.support.moments import speak_slowly

STALLED_S = 20.0
SLOW_TOKEN_MS = 60
BEGUN_S = 1.2
"""After the Counselor was called: it speaks, and has not come to its end."""
WORK_WITHIN_S = 30.0
ERASED_WITHIN_S = 120.0
"""The sweep takes up what has stood for a minute."""
STEP_S = 0.02
MANY_MESSAGES = 520
"""More than one Firestore commit takes."""


async def measure_stalled_store(emulators: Emulators, folder: Path) -> list[Measured]:
    """Stop the database while the reply is spoken, so that its commit meets nothing; go on after `STALLED_S`."""
    name = "store stalled at the commit"
    household = emulators.household
    database = household.pid_of("firestore")
    assert database is not None
    async with (
        chat_instance(household, folder, "stalled-store") as (instance, simulator),
        signed_in(household.address, api=instance.address) as person,
    ):
        conversation, danger = await person.open(), await person.open()
        await listen(person, conversation.id, CHATTER[0])
        await asyncio.to_thread(simulator.forget_calls)
        await asyncio.to_thread(speak_slowly, simulator, SLOW_TOKEN_MS)
        message_id = str(uuid4())
        turn = asyncio.create_task(listen(person, conversation.id, CHATTER[1], message_id))
        await counselor_called(simulator)
        await asyncio.sleep(BEGUN_S)
        os.kill(database, signal.SIGSTOP)
        try:
            crisis = asyncio.create_task(listen(person, danger.id, CRISIS))
            await asyncio.wait([turn, crisis], timeout=STALLED_S)
        finally:
            os.kill(database, signal.SIGCONT)
        heard, alarmed = await turn, await crisis
        await asyncio.to_thread(simulator.heal)
        first = (await asyncio.to_thread(simulator.calls)).get("Counselor", 0)
        again = await until_replied(person, conversation.id, CHATTER[1], message_id)
        stored = await held(person, conversation.id, CHATTER[1], message_id)
        anew = (await asyncio.to_thread(simulator.calls)).get("Counselor", 0) > first
        told = f"shown whole, then {heard.outcome}; retry: {'written anew' if anew else 'the reply that was shown'}"
        told = heard.outcome if heard.replied else told
        called = await sends(simulator)
        kept = await held(person, danger.id, CRISIS, alarmed.message_id)
    seconds = alarmed.total_s if alarmed.replied else None
    return [
        Measured(name, "2", heard.first_word_s, heard.total_s + again.total_s, called, told, stored),
        Measured(name, "crisis message", alarmed.first_word_s, seconds, 0, alarmed.outcome, kept),
    ]


async def measure_unresponsive_queue(emulators: Emulators, folder: Path) -> list[Measured]:
    """Stop the task queue; the third turn makes background work due, which is to be done once the queue runs."""
    name = "task queue unresponsive"
    household = emulators.household
    queue = household.pid_of("deliveries")
    assert queue is not None
    async with (
        chat_instance(household, folder, "unresponsive-queue") as (instance, simulator),
        signed_in(household.address, api=instance.address) as person,
    ):
        conversation, danger = await person.open(), await person.open()
        for text in CHATTER[:2]:
            await listen(person, conversation.id, text)
        await asyncio.to_thread(simulator.forget_calls)
        await asyncio.to_thread(emulators.simulator.forget_calls)
        os.kill(queue, signal.SIGSTOP)
        try:
            heard = await listen(person, conversation.id, CHATTER[2])
            called = await sends(simulator)
            alarmed = await listen(person, danger.id, CRISIS)
        finally:
            os.kill(queue, signal.SIGCONT)
        judged = await _until_judged(emulators)
        stored = await held(person, conversation.id, CHATTER[2], heard.message_id)
        kept = await held(person, danger.id, CRISIS, alarmed.message_id)
    return [
        Measured(name, "3", heard.first_word_s, heard.total_s, called, heard.outcome, f"{stored}; {judged}"),
        Measured(name, "crisis message", alarmed.first_word_s, alarmed.total_s, 0, alarmed.outcome, kept),
    ]


async def _until_judged(emulators: Emulators) -> str:
    began = time.monotonic()
    while time.monotonic() - began < WORK_WITHIN_S:
        if (await asyncio.to_thread(emulators.simulator.calls)).get("Judgement"):
            return "background work done once the queue ran"
        await asyncio.sleep(0.2)
    return f"no background work within {WORK_WITHIN_S:.0f} s"


async def measure_killed_erasure(emulators: Emulators, folder: Path) -> list[Measured]:
    """SIGKILL the instance as soon as an erasure has begun to delete; nobody asks for it again."""
    household = emulators.household
    project = household.parts()["project"]
    async with (
        chat_instance(household, folder, "killed-erasure") as (instance, _),
        signed_in(household.address, api=instance.address) as person,
        signed_in(household.address, person.uid, api=household.chat) as elsewhere,
    ):
        conversation = await person.open()
        await listen(person, conversation.id, CHATTER[0])
        await _fill(household, project, conversation.id)
        began = time.monotonic()
        answer = await _kill_while_erasing(household, project, person, conversation.id, instance)
        seen = await _seen(elsewhere, conversation.id)
        left = _left(household, project, conversation.id)
        while left and time.monotonic() - began < ERASED_WITHIN_S:
            await asyncio.sleep(1)
            left = _left(household, project, conversation.id)
        seconds = time.monotonic() - began
    stored = f"{left} documents left after {seconds:.0f} s" if left else "nothing"
    return [
        Measured(
            "SIGKILL in the middle of an erasure",
            "DELETE",
            None,
            None if left else seconds,
            None,
            f"DELETE: {answer}; {seen}",
            stored,
        )
    ]


async def _kill_while_erasing(
    household: Emulated, project: str, person: Person, conversation_id: str, instance: ChatInstance
) -> str:
    """Let the instance run for a few milliseconds at a time until some messages are gone, and kill it then."""
    erasing = asyncio.create_task(person.http.delete(f"/api/conversations/{conversation_id}"))
    before = await _messages(household, project, conversation_id)
    while not erasing.done():
        await asyncio.sleep(STEP_S)
        instance.send_signal(signal.SIGSTOP)
        if await _messages(household, project, conversation_id) < before:
            break
        instance.send_signal(signal.SIGCONT)
    instance.send_signal(signal.SIGKILL)
    try:
        return str((await erasing).status_code)
    except httpx.TransportError as error:
        return type(error).__name__


async def _seen(person: Person, conversation_id: str) -> str:
    """Say what the owner gets to see of the conversation."""
    listed = (await person.http.get("/api/conversations")).json()["conversations"]
    shown = "listed" if any(one["conversation_id"] == conversation_id for one in listed) else "not listed"
    read = await person.http.get(f"/api/conversations/{conversation_id}/messages")
    chat = await listen(person, conversation_id, CHATTER[1])
    return f"then {shown}, history {read.status_code}, chat {chat.outcome}"


def _left(household: Emulated, project: str, conversation_id: str) -> int:
    left = every_document(household.firestore, project)
    return sum(not path.startswith("audit/") for path in holding(left, conversation_id))


async def _fill(household: Emulated, project: str, conversation_id: str) -> None:
    """Write as many messages as a long conversation has, all like its first."""
    root = f"projects/{project}/databases/(default)/documents"
    parent = f"{root}/conversations/{conversation_id}/messages"
    async with _store(household) as http:
        found = (await http.get(f"/v1/{parent}", params={"pageSize": "1"})).json()["documents"][0]["fields"]
        for first in range(0, MANY_MESSAGES, 400):
            numbers = range(first, min(first + 400, MANY_MESSAGES))
            writes = [{"update": {"name": f"{parent}/{100 + n:04d}-filled", "fields": found}} for n in numbers]
            (await http.post(f"/v1/{root}:commit", json={"writes": writes})).raise_for_status()


async def _messages(household: Emulated, project: str, conversation_id: str) -> int:
    parent = f"projects/{project}/databases/(default)/documents/conversations/{conversation_id}"
    query = {
        "structuredAggregationQuery": {
            "structuredQuery": {"from": [{"collectionId": "messages"}]},
            "aggregations": [{"alias": "n", "count": {}}],
        }
    }
    async with _store(household) as http:
        answer = await http.post(f"/v1/{parent}:runAggregationQuery", json=query)
    return int(answer.json()[0]["result"]["aggregateFields"]["n"]["integerValue"])


def _store(household: Emulated) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=f"http://{household.firestore}",
        headers={"Authorization": "Bearer owner"},
        trust_env=False,
        verify=NO_AUTHORITIES,
        timeout=60,
    )
