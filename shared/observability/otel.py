"""Spans and metrics over OTLP; imported, as its neighbour `otel_metrics`, only where a collector is named.

Spans stand in the traces of `trace_context`, not in a context of OpenTelemetry's own: log lines, task headers and spans
then cannot disagree. Nothing that a person wrote gets in: attributes are the checked facts of the ledger.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
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
from shared.observability.facts import agent_facts, error_code, turn_facts
from shared.observability.fields import Value, checked
from shared.observability.otel_metrics import metrics_over
from shared.observability.spans import Telemetry, TurnSpan
from shared.observability.trace_context import TraceContext, current_trace, inside
from shared.observability.traces import name_of

PROVIDER = "gcp.gen_ai"
"""`gen_ai.provider.name`: https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/"""
EXPORT_SECONDS = 5.0
"""For one send to the collector, and for the last one at the end."""
SEND_EVERY_MS = 200
"""A function may be frozen as soon as it has answered, so spans do not wait for company; nobody waits for them."""
MAX_QUEUE = 2048
"""Spans that wait while the collector does not answer; the oldest go first then."""
_NAMES = {
    "agent": "gen_ai.agent.name",
    "model": "gen_ai.request.model",
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "conversation": "gen_ai.conversation.id",
}
"""Facts that have a name in OpenTelemetry's conventions; the others are `cbot.…`."""


def exporting(collector: str, service: str, revision: str | None, sampled: float) -> Telemetry:
    """Return telemetry that goes to a collector's base address, over HTTP with protobuf.

    Its headers, e.g. for authorisation, are OpenTelemetry's own variable `OTEL_EXPORTER_OTLP_HEADERS`.
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
    """Gives the root span of a trace the id under which the trace is already logged."""

    def generate_trace_id(self) -> int:
        trace = current_trace()
        return int(trace.trace_id, 16) if trace else super().generate_trace_id()


class OtlpTracer:
    """A `Tracer` over OpenTelemetry's."""

    def __init__(self, tracer: OtelTracer) -> None:
        """Take OpenTelemetry's tracer."""
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
        except BaseException as error:  # hides nothing: the span tells how the turn ended, cancellation too
            span.set_attribute("error.type", name_of(error))
            span.set_status(Status(StatusCode.ERROR))
            raise
        finally:
            span.end()

    def agent(self, run: AgentRun, conversation: str) -> None:
        """See the protocol. The run is over: its span is dated back by what it took."""
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
    """A turn's span."""

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
    """Return facts under their names in OpenTelemetry, checked as those of a log line are."""
    kept, _ = checked(facts)
    return {_NAMES.get(name, f"cbot.{name}"): value for name, value in kept.items()}
