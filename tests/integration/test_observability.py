"""What operators see of a running server: one trace from a message to its last background job, and no user text."""

import json
from uuid import uuid4

import pytest

from local.gemini.faults import Fault
from tests.builders.first_session import PART_1
from tests.support.forked import ForkedServer
from tests.support.moments import tokens
from tests.support.polling import until

KOREAN, ENGLISH = "보랏빛고래자전거", "zanzibarpumpernickel"
WORDS = f"{KOREAN} 때문에 잠이 안 와요. My {ENGLISH} keeps me awake."
AGENTS_FILE = """
defaults: {timeout_s: 2.0}
agents:
  counselor: {timeout_s: 4.0, first_token_s: 1.5, idle_s: 1.2}
"""
TRACE = "logging.googleapis.com/trace"


@pytest.fixture(scope="module")
def server(simulator, tmp_path_factory):
    """A server that logs at DEBUG; a test reads the lines of its own conversations."""
    home = tmp_path_factory.mktemp("observed")
    (home / "agents.yaml").write_text(AGENTS_FILE, encoding="utf-8")
    log = {"CBOT_LOG_FORMAT": "json", "CBOT_LOG_LEVEL": "DEBUG"}
    with ForkedServer(home, simulator, CBOT_AGENTS_FILE=str(home / "agents.yaml"), **log) as running:
        yield running


def lines_of(server):
    """Return the log lines, each one JSON object; an unfinished last line is left out."""
    whole, _, _ = server.stderr.rpartition("\n")
    return [json.loads(line) for line in whole.split("\n") if line]


def events_of(server, conversation, event):
    """Return what was logged of one kind about one conversation."""
    about = {"event": event, "conversation": conversation.id}
    return [line for line in lines_of(server) if about.items() <= line.items()]


async def turn_logged(server, conversation):
    await until(lambda: events_of(server, conversation, "turn"), what="the turn's line")


def traced(server, trace_id):
    """Return the events of a trace, as (event, agent or kind)."""
    lines = [line for line in lines_of(server) if line.get(TRACE, "").endswith(trace_id)]
    return {(line["event"], line.get("agent") or line.get("kind") or "") for line in lines if "event" in line}


def require_no_user_text(server):
    """Check that no user text is in the log and that every line is JSON with the required fields."""
    log = server.stderr
    assert not any(word in log for word in (KOREAN, ENGLISH, json.dumps(KOREAN)[1:-1]))
    assert all({"severity", "time", "message"} <= set(line) for line in lines_of(server))
    assert not any("dropped" in line for line in lines_of(server)), "a field had a value that it may not have"


async def say_all(person, model, conversation, lines):
    """Send messages, each in a trace of its own; returns the traces."""
    traces = [uuid4().hex for _ in lines]
    for line, trace in zip(lines, traces, strict=True):
        person.http.headers["traceparent"] = f"00-{trace}-00000000000000b1-01"
        await person.say(conversation.id, line.client)
    return traces


async def test_one_trace_leads_from_a_message_to_its_tasks_and_triggers(server, person, model):
    traces = await say_all(person, model, await person.open(), PART_1)
    supervised, moved_on = traces[2], traces[-1]
    by_task = {("turn", ""), ("agent", "counselor"), ("agent", "supervisor"), ("job", "supervise")}
    by_trigger = {("turn", ""), ("agent", "counselor"), ("agent", "planner"), ("job", "part_transitions")}
    await until(lambda: by_task <= traced(server, supervised), what="the supervisor's job in the turn's trace")
    await until(lambda: by_trigger <= traced(server, moved_on), what="the planner's job in the turn's trace")
    assert ("job", "part_transitions") not in traced(server, supervised)


async def test_no_user_text_is_logged_when_the_model_repeats_it_in_invalid_answers(server, person, model):
    conversation = await person.open()
    agents = ("Reading", "Judgement", "SessionReview")
    model.script(dict.fromkeys(agents, [WORDS, {"complete": WORDS, WORDS: 1}] * 4))
    for _ in range(3):
        await person.say(conversation.id, WORDS)
    await until(lambda: events_of(server, conversation, "job"), what="the supervisor's job")
    assert {run.get("error") for run in events_of(server, conversation, "agent")} >= {"model_schema_mismatch"}
    require_no_user_text(server)


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.MODEL_GONE])  # it would rest
async def test_no_user_text_is_logged_under_a_model_fault(server, person, model, fault):
    conversation = await person.open()
    model.fault(fault.value)
    await person.say(conversation.id, WORDS)
    model.heal()
    await turn_logged(server, conversation)
    assert any("error" in run for run in events_of(server, conversation, "agent"))
    require_no_user_text(server)


async def test_no_user_text_is_logged_when_a_request_is_invalid_or_a_stream_is_left(server, person, model):
    conversation = await person.open()
    chat = f"/api/conversations/{conversation.id}/chat"
    post, good = person.http.post, str(uuid4())
    answers = [
        await post(chat, content=f'{{"text": "{WORDS}'.encode(), headers={"Content-Type": "application/json"}),
        await post(chat, json={"text": WORDS}),
        await post(chat, json={"message_id": WORDS, "text": WORDS}),
        await post(chat, json={"message_id": good, "text": WORDS, WORDS: WORDS}),
        await post(chat, json={"message_id": good, "text": WORDS * 1000}),
        await post(chat, content=WORDS.encode(), headers={"Content-Type": "text/plain"}),
        await post(f"/api/conversations/{WORDS}/chat", json={"message_id": good, "text": WORDS}),
        await person.http.get(f"/api/{WORDS}", params={"q": WORDS}),
        await post(chat, json={"message_id": good, "text": WORDS}, headers={"Authorization": f"Bearer {ENGLISH}"}),
        await post(chat, json={"message_id": good, "text": WORDS}),
        await post(chat, json={"message_id": good, "text": f"{WORDS}!"}),
    ]
    assert [answer.status_code for answer in answers] == [400, 422, 422, 422, 413, 415, 404, 404, 401, 200, 409]
    model.pace(token_ms=30)
    left = await person.open()
    async with person.stream(left.id, WORDS) as events:
        await tokens(events)
    await turn_logged(server, left)
    require_no_user_text(server)
