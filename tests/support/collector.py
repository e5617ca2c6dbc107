"""An OpenTelemetry collector on loopback: takes OTLP over HTTP and keeps what came."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector:
    """Leave the `with` to end it.

    Attributes:
        bodies: Every request's body, as it came.
    """

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self._traces: list[ExportTraceServiceRequest] = []
        self._metrics: list[ExportMetricsServiceRequest] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def spans(self) -> dict[str, Any]:
        """The spans by name; of several with one name the last."""
        return {span.name: span for _, span in self.all_spans()}

    def all_spans(self) -> Iterator[tuple[str, Any]]:
        """Yield each span with the name of its service."""
        for request in list(self._traces):
            for resource in request.resource_spans:
                service = attributes(resource.resource)["service.name"]
                for scope in resource.scope_spans:
                    yield from ((service, span) for span in scope.spans)

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
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.bodies.append(body)
                if self.path == "/v1/traces":
                    collector._traces.append(ExportTraceServiceRequest.FromString(body))
                if self.path == "/v1/metrics":
                    collector._metrics.append(ExportMetricsServiceRequest.FromString(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the name of `http.server`
                pass

        return Handler


def attributes(bearer: Any) -> dict[str, Any]:
    """Return the attributes of a span, a resource or a data point."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in bearer.attributes}
