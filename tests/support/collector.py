"""An OpenTelemetry collector on loopback: receives OTLP over HTTP and keeps it."""

from contextlib import ExitStack
from typing import Any, Self

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.answering import answering


class Collector(ExitStack):
    """Leave the `with` to end it; `bodies` are the raw bodies of all requests."""

    def __init__(self) -> None:
        super().__init__()
        self.address = ""
        self.bodies: list[bytes] = []
        self._traces: list[ExportTraceServiceRequest] = []
        self._metrics: list[ExportMetricsServiceRequest] = []

    @property
    def spans(self) -> dict[str, Any]:
        """The spans by name; of several with one name the last."""
        return {
            span.name: span
            for request in list(self._traces)
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        }

    @property
    def metrics(self) -> dict[str, Any]:
        """The newest reading of each metric."""
        return {
            metric.name: metric
            for request in list(self._metrics)
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def __enter__(self) -> Self:
        self.address = self.enter_context(answering(self._answer))
        return super().__enter__()

    def _answer(self, path: str, body: bytes) -> tuple[int, object]:
        self.bodies.append(body)
        if path == "/v1/traces":
            self._traces.append(ExportTraceServiceRequest.FromString(body))
        if path == "/v1/metrics":
            self._metrics.append(ExportMetricsServiceRequest.FromString(body))
        return 200, {}


def attributes(bearer: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in bearer.attributes}
