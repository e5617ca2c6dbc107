"""The facts of a turn, its exported spans and metrics, and the trace context of requests."""

import gc
import logging

import pytest
from starlette.datastructures import Headers

from shared.domain.conversation import Budget
from shared.domain.errors import LeaseLost
from shared.domain.turn import AgentRun, DecidedBy, Hook, TurnResult
from shared.observability import trace_context as traces
from shared.observability.events import LogEvent
from shared.observability.facts import agent_facts, error_code, turn_facts
from shared.observability.log_event import log_event
from shared.observability.otel import exporting
from shared.observability.trace_context import TraceContext, incoming, outgoing_headers
from tests.builders.turn_records import turn_record
from tests.support.collector import Collector, attributes

WORDS = "나는 요즘 너무 힘들어 secret words of a person"
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
FAILURE = f"model_schema_mismatch: {WORDS}"


def run(agent="counselor", decided_by=DecidedBy.MODEL, **fields):
    said = {"output": WORDS, "reason": WORDS, "prompt": "counselor/v1.ko", "model": "gemini-3.6-flash"}
    spent = {"attempts": 1, "latency_ms": 250, "prompt_tokens": 100, "output_tokens": 20, "cost_krw": 0.5}
    return AgentRun(**{"agent": agent, "decided_by": decided_by, **said, **spent, **fields})


def record(*agents, hooks=(), flags=("degraded",)):
    result = TurnResult(message_id="m", seq=4, reply=WORDS, state_snapshot={"last": WORDS}, hooks=hooks, flags=flags)
    spent = Budget(llm_calls=3, prompt_tokens=100, output_tokens=20, cost_krw=0.5)
    return turn_record("c1", 4, text=WORDS, agents=agents, spent=spent, result=result)


RUN, FAILED = run(), run("part_check", DecidedBy.SAFE_DEFAULT, error=FAILURE)
RECORD = record(RUN, FAILED)


def test_turn_facts_hold_the_ids_and_numbers_that_alerts_use_and_no_words():
    hooks = (Hook(type="other"), Hook(type="crisis_detected", data={"level": "imminent"}))
    facts = turn_facts(record(RUN, FAILED, hooks=hooks))
    expected = {"conversation": "c1", "degraded": True, "crisis": "imminent", "safe_defaults": 1, "cost_krw": 0.5}
    assert facts.items() >= expected.items()
    assert WORDS not in str(facts)
    assert turn_facts(record(RUN, flags=()))["degraded"] is False
    assert turn_facts(record(run("output_guard", DecidedBy.RULE, output="diagnosis")))["guarded"] == "diagnosis"
    assert WORDS not in str(agent_facts(run(error=WORDS), "c1"))


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


def run_turn(telemetry):
    with incoming({}), telemetry.tracer.turn("c1", 4) as span:
        telemetry.tracer.agent(RUN, "c1")
        telemetry.tracer.agent(FAILED, "c1")
        span.committed(RECORD)
    telemetry.shutdown()


@pytest.mark.parametrize(("error", "expected"), [(ValueError(WORDS), "ValueError"), (LeaseLost("c1", 1), "lease_lost")])
def test_the_span_of_a_failed_turn_holds_the_error_code_without_the_message(telemetry, collector, error, expected):
    with pytest.raises(type(error)), telemetry.tracer.turn("c1", 4):
        raise error
    telemetry.shutdown()
    turn = collector.spans["turn"]
    assert attributes(turn)["error.type"] == expected
    assert turn.status.code == turn.status.STATUS_CODE_ERROR
    assert not turn.events


def test_no_words_of_a_message_are_exported(telemetry, collector, log):
    log_event(log, LogEvent.TURN, **{**turn_facts(RECORD), "flow": WORDS})
    log_event(log, LogEvent.AGENT, error=error_code(FAILED), **agent_facts(FAILED, "c1"))
    run_turn(telemetry)
    sent = b"".join(collector.bodies)
    assert [word in sent for word in (b"turn", b"secret", "힘들어".encode())] == [True, False, False]


def test_ended_sessions_and_won_are_counted(telemetry, collector, log):
    log_event(log, LogEvent.SESSION_COMPLETED, conversation="c1", turns=4)
    for facts in (RUN, FAILED):
        log_event(log, LogEvent.AGENT, **agent_facts(facts, "c1"))
    telemetry.shutdown()
    ended, won = (collector.metrics[name].sum.data_points for name in ("cbot.sessions.completed", "cbot.cost"))
    assert (sum(point.as_int for point in ended), sum(point.as_double for point in won)) == (1, 1.0)


def test_an_unreachable_collector_breaks_no_turn_and_is_logged(logged):
    lines = logged()
    with Collector() as gone:
        address = gone.address
    run_turn(exporting(address, "chat", None, 1.0))
    gc.collect()
    assert any("opentelemetry" in line["logging.googleapis.com/labels"]["logger"] for line in lines.parsed)
    assert "secret" not in lines.text


def test_an_incoming_traceparent_is_continued_and_sent_on():
    with incoming(Headers({"TraceParent": PARENT})) as trace:
        assert trace == TraceContext(TRACE, SPAN, sampled=True)
        assert (traces.current_trace(), outgoing_headers()) == (trace, {"traceparent": PARENT})
    assert traces.current_trace() is None
    with incoming({}) as trace:
        assert traces.read_traceparent(outgoing_headers()["traceparent"]).trace_id == trace.trace_id


def test_x_cloud_trace_context_is_used_when_there_is_no_traceparent():
    with incoming(Headers({"x-cloud-trace-context": f"{TRACE.upper()}/255;o=1"})) as trace:
        assert trace == TraceContext(TRACE, f"{255:016x}", sampled=True)
    with incoming(Headers({"x-cloud-trace-context": TRACE})) as trace:
        assert trace == TraceContext(TRACE)
    with incoming(Headers({"traceparent": PARENT, "x-cloud-trace-context": f"{'1' * 32}/1;o=0"})) as trace:
        assert trace.trace_id == TRACE


def test_a_malformed_trace_header_is_ignored(subtests):
    cases = [
        "", "00", f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01", f"00-{TRACE}-{SPAN}", f"00-{TRACE}-{SPAN}-01\n", f"00-{TRACE}-{SPAN}-zz",
        "00-" + "٠" * 32 + f"-{SPAN}-01", "나는 힘들어", "0" * 100_000, f'00-{TRACE}-{SPAN}-01","severity":"ERROR',
    ]  # fmt: skip
    for hostile in cases:
        for name in ("traceparent", "X-Cloud-Trace-Context"):
            with subtests.test(name=name, hostile=hostile), incoming({name: hostile}) as trace:
                assert (trace.trace_id != TRACE, len(trace.trace_id), trace.span_id) == (True, 32, None)
    for hostile in (f"{TRACE}/{'9' * 20};o=1", f"{TRACE}/-1", f"{'0' * 32}/1", f"{TRACE}/1;o=1;x"):
        with subtests.test(hostile=hostile), incoming({"X-Cloud-Trace-Context": hostile}) as trace:
            assert trace.span_id is None
