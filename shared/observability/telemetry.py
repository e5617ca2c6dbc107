"""Configures a process's telemetry."""

from typing import Protocol

from shared.observability.logs import LogFormat, configure_logging
from shared.observability.spans import Telemetry


class TelemetryChoice(Protocol):
    """Telemetry settings; `shared.config.telemetry.TelemetrySettings` implements it."""

    @property
    def project(self) -> str | None:
        """The project of the traces in log lines."""
        ...

    @property
    def service(self) -> str | None: ...

    @property
    def revision(self) -> str | None: ...

    @property
    def form(self) -> LogFormat: ...

    @property
    def level(self) -> int: ...

    @property
    def collector(self) -> str | None:
        """Base address of an OTLP collector; None if spans and metrics are off."""
        ...

    @property
    def sampled(self) -> float:
        """Share of traces whose spans are exported, 0 to 1."""
        ...


def configure_telemetry(choice: TelemetryChoice) -> Telemetry:
    """Configure logging, and spans and metrics if a collector is set; call once per process, before any work.

    Nothing connects here; exporters connect when they send, and log their failures.
    """
    configure_logging(choice.form, choice.level, project=choice.project)
    if choice.collector is None:
        return Telemetry()
    # Imported only if needed, since OpenTelemetry's SDK slows down a cold start.
    from shared.observability.otel import exporting  # noqa: PLC0415

    return exporting(choice.collector, choice.service or "cbot", choice.revision, choice.sampled)
