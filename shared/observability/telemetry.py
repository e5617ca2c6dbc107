"""Switches a process's telemetry on."""

from typing import Protocol

from shared.observability.logs import LogFormat, configure_logging
from shared.observability.spans import Telemetry


class TelemetryChoice(Protocol):
    """What is to be told, and to whom; `shared.config.telemetry.TelemetrySettings` is one."""

    @property
    def project(self) -> str | None:
        """Whose traces the log lines name."""
        ...

    @property
    def service(self) -> str | None:
        """The function's name."""
        ...

    @property
    def revision(self) -> str | None:
        """The function's revision."""
        ...

    @property
    def form(self) -> LogFormat:
        """The format of log lines."""
        ...

    @property
    def level(self) -> int:
        """The level of log lines."""
        ...

    @property
    def collector(self) -> str | None:
        """Base address of an OTLP collector; None when spans and metrics are off."""
        ...

    @property
    def sampled(self) -> float:
        """Share of the traces whose spans are exported."""
        ...


def configure_telemetry(choice: TelemetryChoice) -> Telemetry:
    """Set up logging, and spans and metrics if a collector is named; to be called once a process, before the work.

    Nothing connects here: exporters do when there is something to send, and their failures are logged, not raised.
    """
    configure_logging(choice.form, choice.level, project=choice.project)
    if choice.collector is None:
        return Telemetry()
    # OpenTelemetry's SDK costs a cold start what it costs only where somebody wants it.
    from shared.observability.otel import exporting  # noqa: PLC0415

    return exporting(choice.collector, choice.service or "cbot", choice.revision, choice.sampled)
