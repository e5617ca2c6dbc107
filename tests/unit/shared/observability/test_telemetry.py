"""What a turn comes to in numbers, and what of it leaves the process as spans and metrics."""

import gc
import logging
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from shared.config.telemetry import TelemetrySettings
from shared.domain.conversation import Budget
from shared.domain.errors import LeaseLost
from shared.domain.turn import AgentRun, DecidedBy, Hook, TurnRecord, TurnResult
from shared.observability.events import LogEvent
from shared.observability.facts import agent_facts, error_code, turn_facts
from shared.observability.fields import checked
from shared.observability.log_event import log_event
from shared.observability.otel import exporting
from shared.observability.telemetry import configure_telemetry
from shared.observability.trace_context import incoming, outgoing_headers
from tests.builders.logs import logging_kept
from tests.support.collector import Collector, attributes

NOW = datetime(2026, 11, 22, tzinfo=UTC)
WORDS = "나는 요즘 너무 힘들어 secret words of a person"
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = {"traceparent": f"00-{TRACE}-{SPAN}-00"}
FAILURE = f"model_schema_mismatch: {WORDS}"


def run(agent="counselor", decided_by=DecidedBy.MODEL, **fields):
    said = {"output": WORDS, "reason": WORDS, "prompt": "counselor/v1.ko", "model": "gemini-3.6-flash"}
    spent = {"attempts": 1, "latency_ms": 250, "prompt_tokens": 100, "output_tokens": 20, "cost_krw": 0.5}
    return AgentRun(**{"agent": agent, "decided_by": decided_by, **said, **spent, **fields})


def record(*agents, hooks=(), flags=("degraded",)):
    result = TurnResult(message_id="m", seq=4, reply=WORDS, state_snapshot={"last": WORDS}, hooks=hooks, flags=flags)
    named = {"conversation_id": "c1", "message_id": "m", "flow": "counseling", "seq": 4, "snapshot_version": 3}
    times = {"received_at": NOW, "expire_at": NOW, "committed_at": NOW, "total_ms": 300, "overhead_ms": 50}
    spent = Budget(llm_calls=3, prompt_tokens=100, output_tokens=20, cost_krw=0.5)
    return TurnRecord(**named, **times, text=WORDS, text_digest="0", agents=agents, spent=spent, result=result)


RUN, FAILED = run(), run("part_check", DecidedBy.SAFE_DEFAULT, error=FAILURE)
RECORD = record(RUN, FAILED)


class TestFacts:
    def test_of_a_turn_are_ids_and_numbers(self):
        hooks = (Hook(type="other"), Hook(type="crisis_detected", data={"level": "imminent"}))
        facts = turn_facts(record(RUN, run(decided_by=DecidedBy.RULE), FAILED, RUN, hooks=hooks))
        assert facts == {
            "conversation": "c1", "seq": 4, "flow": "counseling", "degraded": True, "crisis": "imminent",
            "total_ms": 300, "overhead_ms": 50, "agents": 3, "safe_defaults": 1, "model_calls": 3,
            "prompt_tokens": 100, "output_tokens": 20, "cost_krw": 0.5,
        }  # fmt: skip
        plain = turn_facts(record(RUN, flags=()))
        assert (plain["degraded"], "crisis" in plain, "guarded" in plain) == (False, False, False)
        assert turn_facts(record(run("output_guard", DecidedBy.RULE, output="diagnosis")))["guarded"] == "diagnosis"

    def test_of_a_runs_error_are_its_code_alone(self):
        assert (error_code(run(error=FAILURE)), error_code(run())) == ("model_schema_mismatch", None)
        assert WORDS not in str(agent_facts(run(error=WORDS), "c1"))

    def test_may_all_be_logged(self):
        facts = {**turn_facts(record()), **agent_facts(run(first_token_ms=3.5), "c1")}
        assert checked(facts)[1] == ()
        ruled = agent_facts(run(decided_by=DecidedBy.RULE, model=None, prompt=None), "c1")
        assert not ruled.keys() & {"model", "prompt", "first_token_ms", "thought_tokens"}
        assert agent_facts(run(thought_tokens=7), "c1")["thought_tokens"] == 7


def imported_by(statement):
    told = f"import sys; {statement}; print(*(name for name in sys.modules if name.startswith('opentelemetry')))"
    ended = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=60)
    return ended.stdout.split()


@pytest.mark.parametrize("function", ["chat", "planner", "supervisor", "session_manager"])
def test_no_function_imports_opentelemetry_to_start(function):
    assert imported_by(f"import functions.{function}.main") == []


def test_switching_telemetry_on_imports_it_only_where_a_collector_is_named():
    modules = "from shared.config.telemetry import TelemetrySettings; import shared.observability.telemetry as t"
    named = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    first, second = (
        imported_by(f"{modules}; t.configure_telemetry(TelemetrySettings.read({given}))") for given in ({}, named)
    )
    assert first == []
    assert "opentelemetry.sdk.trace" in second


def test_switching_telemetry_on_configures_the_log():
    with logging_kept():
        logging.getLogger().handlers[:] = []
        configure_telemetry(TelemetrySettings.read({"CBOT_LOG_LEVEL": "ERROR"}))
        assert [handler.level for handler in logging.getLogger().handlers] == [logging.ERROR]


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


def run_turn(telemetry, headers):
    """Run a turn, send what it left, and return the traceparent that it gave on and the trace of its request."""
    with incoming(headers) as trace, telemetry.tracer.turn("c1", 4) as span:
        telemetry.tracer.agent(RUN, "c1")
        telemetry.tracer.agent(FAILED, "c1")
        span.committed(RECORD)
        handed_on = outgoing_headers()["traceparent"]
    telemetry.shutdown()
    return handed_on, trace


def test_agents_are_children_of_the_turn_and_the_turn_of_the_request(telemetry, collector):
    handed_on, _ = run_turn(telemetry, PARENT)
    turn, agent = collector.spans["turn"], collector.spans["agent counselor"]
    assert {turn.trace_id.hex(), agent.trace_id.hex()} == {TRACE}
    assert (turn.parent_span_id.hex(), agent.parent_span_id) == (SPAN, turn.span_id)
    assert handed_on == f"00-{TRACE}-{turn.span_id.hex()}-01", "a task belongs to the turn that queued it"
    assert agent.end_time_unix_nano - agent.start_time_unix_nano == 250_000_000
    assert {service for service, _ in collector.all_spans()} == {"chat"}


def test_a_turn_that_was_not_asked_for_is_the_root_of_the_trace_that_is_logged(telemetry, collector):
    _, trace = run_turn(telemetry, {})
    turn = collector.spans["turn"]
    assert (turn.trace_id.hex(), turn.parent_span_id) == (trace.trace_id, b"")


def test_spans_bear_the_facts_under_the_names_of_the_conventions(telemetry, collector):
    run_turn(telemetry, PARENT)
    assert attributes(collector.spans["agent counselor"]) == {
        "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "gcp.gen_ai",
        "gen_ai.agent.name": "counselor", "gen_ai.conversation.id": "c1",
        "gen_ai.request.model": "gemini-3.6-flash", "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20, "cbot.attempts": 1, "cbot.cost_krw": 0.5, "cbot.decided_by": "model",
        "cbot.latency_ms": 250.0, "cbot.prompt": "counselor/v1.ko",
    }  # fmt: skip
    failed = collector.spans["agent part_check"]
    told = attributes(failed)
    assert (told["error.type"], told["cbot.decided_by"]) == ("model_schema_mismatch", "safe_default")
    assert failed.status.code == failed.status.STATUS_CODE_ERROR
    turn = attributes(collector.spans["turn"])
    assert (turn["cbot.seq"], turn["cbot.degraded"], turn["cbot.safe_defaults"]) == (4, True, 1)


@pytest.mark.parametrize(("error", "told"), [(ValueError(WORDS), "ValueError"), (LeaseLost("c1", 1), "lease_lost")])
def test_a_turn_that_fails_tells_how_and_not_with_which_words(telemetry, collector, error, told):
    with pytest.raises(type(error)), telemetry.tracer.turn("c1", 4):
        raise error
    telemetry.shutdown()
    turn = collector.spans["turn"]
    assert attributes(turn)["error.type"] == told
    assert turn.status.code == turn.status.STATUS_CODE_ERROR
    assert not turn.events


def test_nothing_that_was_said_leaves_the_process(telemetry, collector, log):
    log_event(log, LogEvent.TURN, **{**turn_facts(RECORD), "flow": WORDS})
    log_event(log, LogEvent.AGENT, error=error_code(FAILED), **agent_facts(FAILED, "c1"))
    run_turn(telemetry, {})
    sent = b"".join(collector.bodies)
    assert [word in sent for word in (b"turn", b"secret", "힘들어".encode())] == [True, False, False]


def test_with_no_share_sampled_no_span_is_sent_and_tasks_are_told_so(collector, logged):
    telemetry = exporting(collector.address, "chat", None, 0.0)
    handed_on, _ = run_turn(telemetry, {"traceparent": f"00-{TRACE}-{SPAN}-01"})
    assert collector.spans == {}
    assert handed_on.startswith(f"00-{TRACE}-")
    assert handed_on.endswith("-00")


def test_events_are_counted_although_their_lines_are_below_the_level(telemetry, collector, log):
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

    by_model = (("agent", "counselor"), ("model", "gemini-3.6-flash"))
    failed = (("agent", "part_check"), ("decided_by", "safe_default"), ("error", "model_schema_mismatch"))
    assert counted("cbot.turns") == {(("degraded", True), ("flow", "counseling")): 2}
    assert counted("cbot.agent.runs") == {(("agent", "counselor"), ("decided_by", "model")): 1, failed: 1}
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
    run_turn(exporting(address, "chat", None, 1.0), {})
    gc.collect()
    assert any("opentelemetry" in line["logging.googleapis.com/labels"]["logger"] for line in lines.parsed)
    assert "secret" not in lines.text
