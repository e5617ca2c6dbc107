"""What operators see of a running server: one trace from a message to its last background job, and no word of it."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from local.gemini.faults import Fault
from tests.support.chat_client import Person, signed_in
from tests.support.collector import Collector, attributes
from tests.support.first_session import PART_1, Line, coach
from tests.support.forked import ForkedServer
from tests.support.local_server import LocalServer
from tests.support.polling import until
from tests.support.simulator import Simulator

JSON = {"CBOT_LOG_FORMAT": "json", "CBOT_LOG_LEVEL": "DEBUG"}
KOREAN, ENGLISH = "보랏빛고래자전거", "zanzibarpumpernickel"
WORDS = f"{KOREAN} 때문에 잠이 안 와요. My {ENGLISH} keeps me awake."
AGENTS_FILE = """
defaults: {timeout_s: 2.0}
agents:
  counselor: {timeout_s: 4.0, first_token_s: 1.5, idle_s: 1.2}
"""
TRACE = "logging.googleapis.com/trace"


@pytest.fixture(scope="module")
def observed(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A server that logs all it has to say; a test looks at its own conversations' lines."""
    home = tmp_path_factory.mktemp("observed")
    agents_file = home / "agents.yaml"
    agents_file.write_text(AGENTS_FILE, encoding="utf-8")
    with ForkedServer(home, simulator, CBOT_AGENTS_FILE=str(agents_file), **JSON) as running:
        yield running


@pytest.fixture
async def somebody(observed: LocalServer, model: Simulator) -> AsyncIterator[Person]:
    """Somebody new at that server, over a healthy model."""
    async with signed_in(observed.address) as signed:
        yield signed


def lines_of(server: LocalServer) -> list[dict[str, Any]]:
    """Return the log lines, each of which is one JSON object; one that is still being written is left out."""
    whole, _, _ = server.stderr.rpartition("\n")
    return [json.loads(line) for line in whole.split("\n") if line]


def events_of(server: LocalServer, conversation_id: str, event: str) -> list[dict[str, Any]]:
    """Return what was logged of one kind about one conversation."""
    return [
        line for line in lines_of(server) if line.get("event") == event and line.get("conversation") == conversation_id
    ]


def traced(server: LocalServer, trace_id: str) -> set[tuple[str, str]]:
    """Return what happened in a trace, as (event, agent or kind)."""
    lines = [line for line in lines_of(server) if line.get(TRACE, "").endswith(trace_id)]
    return {(line["event"], line.get("agent") or line.get("kind") or "") for line in lines if "event" in line}


async def say_all(person: Person, model: Simulator, conversation_id: str, lines: Sequence[Line]) -> list[str]:
    """Send messages, each in a trace of its own; returns the traces."""
    traces = [uuid4().hex for _ in lines]
    for line, trace in zip(lines, traces, strict=True):
        coach(model, line)
        person.http.headers["traceparent"] = f"00-{trace}-00000000000000b1-01"
        await person.say(conversation_id, line.text)
    del person.http.headers["traceparent"]
    return traces


async def test_one_trace_leads_from_a_message_to_its_tasks_and_triggers(
    observed: LocalServer, somebody: Person, model: Simulator
) -> None:
    conversation = await somebody.open()
    traces = await say_all(somebody, model, conversation.id, PART_1)
    supervised, moved_on = traces[2], traces[-1]
    by_task = {("turn", ""), ("agent", "counselor"), ("agent", "supervisor"), ("job", "supervise")}
    by_trigger = {("turn", ""), ("agent", "counselor"), ("agent", "planner"), ("job", "part_transitions")}
    await until(lambda: by_task <= traced(observed, supervised), what="the supervisor's job in the turn's trace")
    await until(lambda: by_trigger <= traced(observed, moved_on), what="the planner's job in the turn's trace")
    assert ("job", "part_transitions") not in traced(observed, supervised)


async def test_turns_at_once_keep_their_own_traces(observed: LocalServer, somebody: Person) -> None:
    traces = {(await somebody.open()).id: uuid4().hex for _ in range(4)}

    async def turn(conversation_id: str, trace: str) -> None:
        async with signed_in(observed.address, somebody.uid) as again:
            again.http.headers["traceparent"] = f"00-{trace}-00000000000000b1-01"
            await again.say(conversation_id, PART_1[0].text)

    await asyncio.gather(*(turn(conversation_id, trace) for conversation_id, trace in traces.items()))
    await until(lambda: all(events_of(observed, one, "turn") for one in traces))
    told = [line for line in lines_of(observed) if line.get("conversation") in traces]
    assert len(told) > 8
    assert all(line[TRACE].endswith(traces[line["conversation"]]) for line in told)


@pytest.mark.parametrize("hostile", ["", "00-x", '00-"}-{-01', f"00-{'0' * 32}-00000000000000b1-01", "9" * 4000])
async def test_a_hostile_trace_header_changes_nothing(observed: LocalServer, somebody: Person, hostile: str) -> None:
    conversation = await somebody.open()
    somebody.http.headers.update({"traceparent": hostile, "X-Cloud-Trace-Context": hostile})
    await somebody.say(conversation.id, PART_1[0].text)
    await until(lambda: events_of(observed, conversation.id, "turn"))
    (turn,) = events_of(observed, conversation.id, "turn")
    assert well_formed(turn)


async def test_a_turn_that_a_restart_resumes_has_a_trace(model: Simulator, tmp_path: Path) -> None:
    with ForkedServer(tmp_path, model, **JSON) as mortal:
        async with signed_in(mortal.address) as person:
            conversation = await person.open()
            model.pace(ttft_ms=60_000)
            sent = asyncio.create_task(person.send(conversation.id, WORDS))
            await until(model.calls, what="the turn's first call")
            await asyncio.to_thread(mortal.kill)
            await asyncio.gather(sent, return_exceptions=True)
        model.pace()
        await mortal.restart()
        await until(lambda: events_of(mortal, conversation.id, "turn"), what="the resumed turn")
        (turn,) = events_of(mortal, conversation.id, "turn")
        assert well_formed(turn)
        silent(mortal)


async def test_no_word_of_a_person_is_logged_when_the_model_repeats_it_where_it_may_not(
    observed: LocalServer, somebody: Person, model: Simulator
) -> None:
    conversation = await somebody.open()
    repeated = [WORDS, {"complete": WORDS, WORDS: 1}] * 4
    agents = ("TaskCompletion", "UserStateReading", "TaskChoice", "ModulePick", "Judgement", "SessionReview")
    model.script(dict.fromkeys(agents, repeated))
    for _ in range(3):
        await somebody.say(conversation.id, WORDS)
    await until(lambda: events_of(observed, conversation.id, "job"), what="the supervisor's job")
    assert {run.get("error") for run in events_of(observed, conversation.id, "agent")} >= {"model_schema_mismatch"}
    silent(observed)


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.MODEL_GONE])  # it would rest
async def test_no_word_of_a_person_is_logged_whatever_the_model_does(
    observed: LocalServer, somebody: Person, model: Simulator, fault: Fault
) -> None:
    conversation = await somebody.open()
    model.fault(fault.value)
    await somebody.say(conversation.id, WORDS)
    model.heal()
    await until(lambda: events_of(observed, conversation.id, "turn"))
    assert any("error" in run for run in events_of(observed, conversation.id, "agent"))
    silent(observed)


async def test_no_word_of_a_person_is_logged_when_a_request_is_wrong(observed: LocalServer, somebody: Person) -> None:
    conversation = await somebody.open()
    chat = f"/api/conversations/{conversation.id}/chat"
    post, good = somebody.http.post, str(uuid4())
    answers = [
        await post(chat, content=f'{{"text": "{WORDS}'.encode(), headers={"Content-Type": "application/json"}),
        await post(chat, json={"text": WORDS}),
        await post(chat, json={"message_id": WORDS, "text": WORDS}),
        await post(chat, json={"message_id": good, "text": WORDS, WORDS: WORDS}),
        await post(chat, json={"message_id": good, "text": WORDS * 1000}),
        await post(chat, content=WORDS.encode(), headers={"Content-Type": "text/plain"}),
        await post(f"/api/conversations/{WORDS}/chat", json={"message_id": good, "text": WORDS}),
        await somebody.http.get(f"/api/{WORDS}", params={"q": WORDS}),
        await post(chat, json={"message_id": good, "text": WORDS}, headers={"Authorization": f"Bearer {ENGLISH}"}),
        await post(chat, json={"message_id": good, "text": WORDS}),
        await post(chat, json={"message_id": good, "text": f"{WORDS}!"}),
    ]
    assert [answer.status_code for answer in answers] == [400, 422, 422, 422, 413, 415, 404, 404, 401, 200, 409]
    await until(lambda: events_of(observed, conversation.id, "turn"))
    silent(observed)


async def test_a_crisis_is_told_with_its_level_and_rules_and_no_word_of_the_person(
    observed: LocalServer, somebody: Person
) -> None:
    conversation = await somebody.open()
    await somebody.say(conversation.id, f"{WORDS} 죽고 싶어요")
    await until(lambda: events_of(observed, conversation.id, "crisis_detected"))
    (alert,) = events_of(observed, conversation.id, "crisis_detected")
    (turn,) = events_of(observed, conversation.id, "turn")
    (audit,) = events_of(observed, conversation.id, "audit")
    assert (alert["severity"], alert["level"], turn["crisis"], audit["level"]) == ("WARNING", *["crisis"] * 3)
    assert audit["rule"] == audit["rules"][0]
    silent(observed)


async def test_no_word_of_a_person_is_logged_when_the_listener_leaves(
    observed: LocalServer, somebody: Person, model: Simulator
) -> None:
    conversation = await somebody.open()
    model.pace(token_ms=30)
    async with somebody.stream(conversation.id, WORDS) as events:
        async for event in events:
            if event.name == "token":
                break
    await until(lambda: events_of(observed, conversation.id, "turn"))
    silent(observed)


async def test_spans_of_a_session_reach_a_collector_in_one_trace(model: Simulator, tmp_path: Path) -> None:
    with (
        Collector() as collector,
        ForkedServer(tmp_path, model, OTEL_EXPORTER_OTLP_ENDPOINT=collector.address) as server,
    ):
        async with signed_in(server.address) as person:
            conversation = await person.open()
            traces = await say_all(person, model, conversation.id, PART_1[:3])
        await until(lambda: "agent supervisor" in collector.spans, what="the supervisor's span")
        await asyncio.to_thread(server.stop)
        spans = [span for _, span in collector.all_spans() if span.trace_id.hex() == traces[-1]]
        (turn,) = [span for span in spans if span.name == "turn"]
        agents = {span.name: span for span in spans if span.name.startswith("agent ")}
        assert turn.parent_span_id.hex() == "00000000000000b1"
        assert {"agent counselor", "agent task_completion_checker", "agent supervisor"} <= set(agents)
        assert {span.parent_span_id for span in agents.values()} == {turn.span_id}
        assert attributes(agents["agent counselor"])["gen_ai.usage.output_tokens"] > 0
        assert attributes(turn)["cbot.seq"] == 3
        assert sum(point.as_int for point in collector.metrics["cbot.turns"].sum.data_points) == 3
        sent = b"".join(collector.bodies)
        assert not any(word.encode() in sent for line in PART_1[:3] for word in line.text.split())
        assert server.stderr == ""


def well_formed(line: dict[str, Any]) -> bool:
    """Tell whether a line names a trace, and not the one of nobody."""
    trace_id = str(line[TRACE]).rpartition("/")[2]
    return len(trace_id) == 32 and int(trace_id, 16) > 0


def silent(server: LocalServer) -> None:
    """Nothing of what was written is in the log, and every line is JSON with the fields it must have."""
    told = server.stderr
    assert KOREAN not in told
    assert ENGLISH not in told
    assert json.dumps(KOREAN)[1:-1] not in told
    assert all({"severity", "time", "message"} <= set(line) for line in lines_of(server))
    assert not any("dropped" in line for line in lines_of(server)), "a field was given what it may not hold"
