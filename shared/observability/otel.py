"""Spans and metrics over OTLP; imported only if a collector is set.

Spans belong to the traces of `trace_context`, so that log lines, task headers and spans agree. Attributes are the
checked facts of the ledger, without user text.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    format_span_id,
    format_trace_id,
    set_span_in_context,
)
from opentelemetry.trace import Tracer as OtelTracer

from shared.domain.turn import AgentRun, DecidedBy, TurnRecord
from shared.observability.events import LogEvent
from shared.observability.facts import agent_facts, error_code, turn_facts
from shared.observability.fields import Value, checked
from shared.observability.formats import OURS
from shared.observability.log_event import entry_of
from shared.observability.spans import Telemetry, TurnSpan
from shared.observability.trace_context import TraceContext, current_trace, inside
from shared.observability.traces import name_of

METRICS_EVERY_MS = 60_000
_MS = (10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16_000.0, 32_000.0, 64_000.0)
"""Histogram bounds in milliseconds: from a rule's turn to the turn's deadline."""

Facts = Mapping[str, Value]


class MetricsHandler(logging.Handler):
    """Counts the events of the metrics."""

    def __init__(self, meter: Meter) -> None:
        super().__init__(logging.INFO)
        self._turns = meter.create_counter("cbot.turns", "{turn}", "Turns committed")
        self._turn_ms = meter.create_histogram("cbot.turn.duration", "ms", "From a turn's begin to its commit")
        self._own_ms = meter.create_histogram("cbot.turn.overhead", "ms", "The same without the waits for the model")
        self._runs = meter.create_counter("cbot.agent.runs", "{run}", "Runs of agents by who decided")
        self._run_ms = meter.create_histogram("cbot.agent.duration", "ms", "An agent's run, from start to answer")
        self._tokens = meter.create_counter("cbot.tokens", "{token}", "Tokens that the provider counted")
        self._completed = meter.create_counter(
            "cbot.sessions.completed", "{session}", "Sessions that their users ended"
        )
        self._cost = meter.create_counter("cbot.cost", "KRW", "Price of the model's calls")
        self._rules = meter.create_counter("cbot.audit", "{entry}", "Entries of the audit trail by level and rule")
        self._jobs = meter.create_counter("cbot.jobs", "{job}", "Tasks and events handled, by kind and result")
        self._leases = meter.create_counter("cbot.lease.takeovers", "{lease}", "Expired leases that were claimed")

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record if it is one of the events."""
        entry = entry_of(record)
        if entry is None:
            return
        match entry.event:
            case LogEvent.TURN:
                self._turn(entry.fields)
            case LogEvent.AGENT:
                self._agent(entry.fields)
            case LogEvent.SESSION_COMPLETED:
                self._completed.add(1)
            case LogEvent.AUDIT:
                self._rules.add(1, _labels(entry.fields, "level", "rule"))
            case LogEvent.JOB:
                self._jobs.add(1, _labels(entry.fields, "kind", "result"))
            case LogEvent.LEASE_TAKEN_OVER:
                self._leases.add(1)
            case _:
                pass

    def _turn(self, facts: Facts) -> None:
        labels = _labels(facts, "flow", "degraded", "crisis", "cache")
        self._turns.add(1, labels)
        self._turn_ms.record(_number(facts, "total_ms"), labels)
        self._own_ms.record(_number(facts, "overhead_ms"), labels)

    def _agent(self, facts: Facts) -> None:
        labels = _labels(facts, "agent", "model")
        decided = _labels(facts, "agent", "decided_by", "error")
        self._runs.add(1, decided)
        self._run_ms.record(_number(facts, "latency_ms"), labels)
        self._tokens.add(_number(facts, "prompt_tokens"), {**labels, "direction": "input"})
        self._tokens.add(_number(facts, "output_tokens"), {**labels, "direction": "output"})
        self._cost.add(_number(facts, "cost_krw"), labels)


PROVIDER = "gcp.gen_ai"
"""`gen_ai.provider.name`: https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/"""
EXPORT_SECONDS = 5.0
"""Timeout of one export, and of the last one at the end, seconds."""
SEND_EVERY_MS = 200
"""Short, since a function may be frozen once it has answered; nothing waits for the export."""
MAX_QUEUE = 2048
"""Spans kept while the collector does not answer; the oldest are dropped."""
_NAMES = {
    "agent": "gen_ai.agent.name",
    "model": "gen_ai.request.model",
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "conversation": "gen_ai.conversation.id",
}
"""Facts with a name in OpenTelemetry's conventions; the others are `cbot.…`."""


def exporting(collector: str, service: str, revision: str | None, sampled: float) -> Telemetry:
    """Return telemetry that exports to a collector's base address, over HTTP with protobuf.

    OpenTelemetry's variable `OTEL_EXPORTER_OTLP_HEADERS` sets its headers, e.g. for authorisation.
    """
    base = collector.rstrip("/")
    version = {"service.version": revision} if revision else {}
    resource = Resource.create({"service.name": service, "service.namespace": "cbot", **version})
    exporter = OTLPSpanExporter(f"{base}/v1/traces", timeout=EXPORT_SECONDS)
    processor = BatchSpanProcessor(exporter, max_queue_size=MAX_QUEUE, schedule_delay_millis=SEND_EVERY_MS)
    provider = TracerProvider(TraceIdRatioBased(sampled), resource, id_generator=_IdsOfTraces())
    provider.add_span_processor(processor)
    stop_metrics = metrics_over(f"{base}/v1/metrics", resource, EXPORT_SECONDS)
    return Telemetry(OtlpTracer(provider.get_tracer("cbot")), (provider.shutdown, stop_metrics))


class _IdsOfTraces(RandomIdGenerator):
    """Gives a trace's root span the trace id that log lines use."""

    def generate_trace_id(self) -> int:
        trace = current_trace()
        return int(trace.trace_id, 16) if trace else super().generate_trace_id()


class OtlpTracer:
    def __init__(self, tracer: OtelTracer) -> None:
        self._tracer = tracer

    @contextmanager
    def turn(self, conversation: str, seq: int) -> Iterator[TurnSpan]:
        """See the protocol."""
        span = self._tracer.start_span("turn", _parent(current_trace()), SpanKind.INTERNAL)
        for name, value in _attributes({"conversation": conversation, "seq": seq}).items():
            span.set_attribute(name, value)
        try:
            with inside(_place(span.get_span_context())):
                yield _Turn(span)
        except BaseException as error:  # re-raised: the span records how the turn ended, cancellation included
            span.set_attribute("error.type", name_of(error))
            span.set_status(Status(StatusCode.ERROR))
            raise
        finally:
            span.end()

    def agent(self, run: AgentRun, conversation: str) -> None:
        """See the protocol. The run is over, so its span is back-dated."""
        ended = time.time_ns()
        span = self._tracer.start_span(
            f"agent {run.agent}",
            _parent(current_trace()),
            SpanKind.CLIENT,
            _attributes(dict(agent_facts(run, conversation))),
            start_time=ended - round(run.latency_ms * 1_000_000),
        )
        span.set_attribute("gen_ai.operation.name", "invoke_agent")
        span.set_attribute("gen_ai.provider.name", PROVIDER)
        code = error_code(run)
        if code is not None:
            span.set_attribute("error.type", code)
        if run.decided_by is DecidedBy.SAFE_DEFAULT:
            span.set_status(Status(StatusCode.ERROR))
        span.end(ended)


class _Turn:
    def __init__(self, span: Span) -> None:
        self._span = span

    def committed(self, record: TurnRecord) -> None:
        """See the protocol."""
        for name, value in _attributes(dict(turn_facts(record))).items():
            self._span.set_attribute(name, value)


def _place(span: SpanContext) -> TraceContext:
    return TraceContext(format_trace_id(span.trace_id), format_span_id(span.span_id), span.trace_flags.sampled)


def _parent(trace: TraceContext | None) -> Context:
    if trace is None or trace.span_id is None:
        return Context()
    flags = TraceFlags(TraceFlags.SAMPLED if trace.sampled else TraceFlags.DEFAULT)
    place = SpanContext(int(trace.trace_id, 16), int(trace.span_id, 16), is_remote=True, trace_flags=flags)
    return set_span_in_context(NonRecordingSpan(place), Context())


def _attributes(facts: dict[str, object]) -> dict[str, Value]:
    kept, _ = checked(facts)
    return {_NAMES.get(name, f"cbot.{name}"): value for name, value in kept.items()}


def metrics_over(endpoint: str, resource: Resource, seconds: float) -> Callable[[], None]:
    """Count and export every minute; return a function that exports the rest and stops."""
    exporter = OTLPMetricExporter(endpoint, timeout=seconds)
    reader = PeriodicExportingMetricReader(exporter, METRICS_EVERY_MS, seconds * 1000)
    views = [View(instrument_unit="ms", aggregation=ExplicitBucketHistogramAggregation(_MS))]
    provider = MeterProvider([reader], resource, views=views)
    handler = MetricsHandler(provider.get_meter("cbot"))
    root = logging.getLogger()
    root.addHandler(handler)
    for name in OURS:
        ours = logging.getLogger(name)
        ours.setLevel(min(ours.level, logging.INFO))

    def stop() -> None:
        root.removeHandler(handler)
        provider.shutdown()

    return stop


def _labels(facts: Facts, *names: str) -> dict[str, str | bool | int | float]:
    return {name: value for name in names if not isinstance(value := facts.get(name), tuple | None)}


def _number(facts: Facts, name: str) -> float:
    value = facts.get(name, 0)
    return value if isinstance(value, int | float) else 0
