import gc
import logging
from datetime import UTC, datetime

import pytest

from shared.domain.conversation import Budget
from shared.domain.errors import LeaseLost
from shared.domain.turn import AgentRun, DecidedBy, TurnRecord, TurnResult
from shared.observability.events import LogEvent
from shared.observability.facts import agent_facts, error_code, turn_facts
from shared.observability.log_event import log_event
from shared.observability.otel import exporting
from shared.observability.trace_context import incoming, outgoing_headers
from tests.support.collector import Collector, attributes

NOW = datetime(2026, 11, 22, tzinfo=UTC)
WORDS = "나는 요즘 너무 힘들어 secret words of a person"
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = {"traceparent": f"00-{TRACE}-{SPAN}-00"}

RUN = AgentRun(
    agent="counselor",
    decided_by=DecidedBy.MODEL,
    model="gemini-3.6-flash",
    prompt="counselor/v1.ko",
    output=WORDS,
    reason=WORDS,
    attempts=1,
    latency_ms=250,
    prompt_tokens=100,
    output_tokens=20,
    cost_krw=0.5,
)
FAILED = RUN.model_copy(
    update={"agent": "part_check", "decided_by": DecidedBy.SAFE_DEFAULT, "error": f"model_schema_mismatch: {WORDS}"}
)
RECORD = TurnRecord(
    conversation_id="c1",
    message_id="m1",
    text=WORDS,
    text_digest="0",
    received_at=NOW,
    expire_at=NOW,
    seq=4,
    flow="counseling",
    snapshot_version=3,
    committed_at=NOW,
    agents=(RUN, FAILED),
    spent=Budget(llm_calls=2, prompt_tokens=200, output_tokens=40, cost_krw=1),
    total_ms=300,
    overhead_ms=50,
    result=TurnResult(message_id="m1", seq=4, reply=WORDS, state_snapshot={}, flags=("degraded",)),
)


@pytest.fixture
def collector():
    with Collector() as running:
        yield running


@pytest.fixture
def telemetry(collector, logged):
    logged(level=logging.WARNING)
    switched_on = exporting(collector.address, "chat", "chat-00042", 1.0)
    yield switched_on
    switched_on.shutdown()


def run_turn(tracer):
    with tracer.turn("c1", 4) as span:
        tracer.agent(RUN, "c1")
        tracer.agent(FAILED, "c1")
        span.committed(RECORD)
        return outgoing_headers()["traceparent"]


def test_agents_are_children_of_the_turn_and_the_turn_of_the_request(telemetry, collector):
    with incoming(PARENT):
        handed_on = run_turn(telemetry.tracer)
    telemetry.shutdown()
    turn, agent = collector.spans["turn"], collector.spans["agent counselor"]
    assert {turn.trace_id.hex(), agent.trace_id.hex()} == {TRACE}
    assert turn.parent_span_id.hex() == SPAN
    assert agent.parent_span_id == turn.span_id
    assert handed_on == f"00-{TRACE}-{turn.span_id.hex()}-01", "a task belongs to the turn that queued it"
    assert agent.end_time_unix_nano - agent.start_time_unix_nano == 250_000_000
    assert {service for service, _ in collector.all_spans()} == {"chat"}


def test_a_turn_that_nobody_asked_for_is_the_root_of_the_trace_that_is_logged(telemetry, collector):
    with incoming({}) as trace:
        run_turn(telemetry.tracer)
    telemetry.shutdown()
    turn = collector.spans["turn"]
    assert turn.trace_id.hex() == trace.trace_id
    assert not turn.parent_span_id


def test_spans_bear_the_facts_under_the_names_of_the_conventions(telemetry, collector):
    with incoming(PARENT):
        run_turn(telemetry.tracer)
    telemetry.shutdown()
    assert attributes(collector.spans["agent counselor"]) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "gcp.gen_ai",
        "gen_ai.agent.name": "counselor",
        "gen_ai.conversation.id": "c1",
        "gen_ai.request.model": "gemini-3.6-flash",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "cbot.attempts": 1,
        "cbot.cost_krw": 0.5,
        "cbot.decided_by": "model",
        "cbot.latency_ms": 250.0,
        "cbot.prompt": "counselor/v1.ko",
    }
    failed = collector.spans["agent part_check"]
    assert attributes(failed)["error.type"] == "model_schema_mismatch"
    assert attributes(failed)["cbot.decided_by"] == "safe_default"
    assert failed.status.code == failed.status.STATUS_CODE_ERROR
    turn = attributes(collector.spans["turn"])
    assert (turn["cbot.seq"], turn["cbot.degraded"], turn["cbot.safe_defaults"]) == (4, True, 1)


def test_a_turn_that_fails_tells_how_and_not_with_which_words(telemetry, collector):
    with pytest.raises(ValueError, match="secret"), telemetry.tracer.turn("c1", 4):
        raise ValueError(WORDS)
    telemetry.shutdown()
    turn = collector.spans["turn"]
    assert attributes(turn)["error.type"] == "ValueError"
    assert turn.status.code == turn.status.STATUS_CODE_ERROR
    assert not turn.events


def test_of_ours_the_code_tells_how_it_failed(telemetry, collector):
    with pytest.raises(LeaseLost), telemetry.tracer.turn("c1", 4):
        raise LeaseLost("c1", 1)
    telemetry.shutdown()
    assert attributes(collector.spans["turn"])["error.type"] == "lease_lost"


def test_nothing_that_was_said_leaves_the_process(telemetry, collector):
    with incoming({}):
        run_turn(telemetry.tracer)
    log = logging.getLogger("shared.tests")
    log_event(log, LogEvent.TURN, **{**turn_facts(RECORD), "flow": WORDS})
    log_event(log, LogEvent.AGENT, error=error_code(FAILED), **agent_facts(FAILED, "c1"))
    telemetry.shutdown()
    sent = b"".join(collector.bodies)
    assert b"turn" in sent
    assert b"secret" not in sent
    assert "힘들어".encode() not in sent


def test_with_no_share_sampled_no_span_is_sent_and_tasks_are_told_so(collector, logged):
    telemetry = exporting(collector.address, "chat", None, 0.0)
    with incoming({"traceparent": f"00-{TRACE}-{SPAN}-01"}):
        handed_on = run_turn(telemetry.tracer)
    telemetry.shutdown()
    assert collector.spans == {}
    assert handed_on.startswith(f"00-{TRACE}-")
    assert handed_on.endswith("-00")


def test_events_are_counted_although_their_lines_are_below_the_level(telemetry, collector):
    log = logging.getLogger("shared.tests")
    for _ in range(2):
        log_event(log, LogEvent.TURN, **turn_facts(RECORD))
    log_event(log, LogEvent.AGENT, **agent_facts(RUN, "c1"))
    log_event(log, LogEvent.AGENT, error=error_code(FAILED), **agent_facts(FAILED, "c1"))
    log_event(log, LogEvent.AUDIT, conversation="c1", level="imminent", rule="ko-imminent-overdose")
    log_event(log, LogEvent.JOB, kind="review", conversation="c1", result="given_up")
    log_event(log, LogEvent.LEASE_TAKEN_OVER, conversation="c1")
    log_event(log, LogEvent.SESSION_COMPLETED, conversation="c1")
    log.warning("no event")
    telemetry.shutdown()
    found = collector.metrics

    def counted(name):
        return {tuple(sorted(attributes(p).items())): p.as_double or p.as_int for p in found[name].sum.data_points}

    assert counted("cbot.turns") == {(("degraded", True), ("flow", "counseling")): 2}
    assert counted("cbot.agent.runs") == {
        (("agent", "counselor"), ("decided_by", "model")): 1,
        (("agent", "part_check"), ("decided_by", "safe_default"), ("error", "model_schema_mismatch")): 1,
    }
    by_model = (("agent", "counselor"), ("model", "gemini-3.6-flash"))
    assert counted("cbot.cost")[by_model] == 0.5
    assert counted("cbot.tokens")[(by_model[0], ("direction", "input"), by_model[1])] == 100
    assert counted("cbot.audit") == {(("level", "imminent"), ("rule", "ko-imminent-overdose")): 1}
    assert counted("cbot.jobs") == {(("kind", "review"), ("result", "given_up")): 1}
    assert counted("cbot.lease.takeovers") == {(): 1}
    (times,) = found["cbot.turn.duration"].histogram.data_points
    assert (times.count, times.sum) == (2, 600)


def test_a_collector_that_is_gone_harms_nothing_and_its_absence_is_told(logged):
    lines = logged()
    with Collector() as gone:
        address = gone.address
    telemetry = exporting(address, "chat", None, 1.0)
    run_turn(telemetry.tracer)
    telemetry.shutdown()
    gc.collect()
    assert any("opentelemetry" in line["logging.googleapis.com/labels"]["logger"] for line in lines.parsed)
    assert "secret" not in lines.text
