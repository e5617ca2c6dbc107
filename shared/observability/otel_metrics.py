"""Metrics over OTLP, counted from the structured log lines."""

import logging
from collections.abc import Callable, Mapping

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource

from shared.observability.events import LogEvent
from shared.observability.fields import Value
from shared.observability.formats import OURS
from shared.observability.log_event import entry_of

SEND_EVERY_MS = 60_000
_MS = (10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16_000.0, 32_000.0, 64_000.0)
"""Histogram bounds in milliseconds: from a rule's turn to the turn's deadline."""

Facts = Mapping[str, Value]


def metrics_over(endpoint: str, resource: Resource, seconds: float) -> Callable[[], None]:
    """Count and export every minute; return a function that exports the rest and stops."""
    exporter = OTLPMetricExporter(endpoint, timeout=seconds)
    reader = PeriodicExportingMetricReader(exporter, SEND_EVERY_MS, seconds * 1000)
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


def _labels(facts: Facts, *names: str) -> dict[str, str | bool | int | float]:
    return {name: value for name in names if not isinstance(value := facts.get(name), tuple | None)}


def _number(facts: Facts, name: str) -> float:
    value = facts.get(name, 0)
    return value if isinstance(value, int | float) else 0
