"""Telemetry settings: log lines always, spans and metrics if an endpoint is set."""

import logging
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from shared.config.addresses import require_web_address
from shared.config.platform import PROJECT
from shared.config.settings import FromEnvironment

LEVELS = Literal["DEBUG", "INFO", "WARNING", "ERROR"]


class TelemetrySettings(FromEnvironment):
    """Telemetry of a process; by default warnings as text.

    Attributes:
        project: The project of the traces in log lines.
        service: Set by Cloud Run; service name of spans and metrics.
        log_format: By default JSON if `K_SERVICE` is set, else text.
        log_level: By default INFO for JSON, WARNING for text.
        traces: By default `otlp` if an endpoint is set; `off` also disables metrics over OTLP.
        endpoint: An OpenTelemetry collector, OTLP over HTTP; the variable is OpenTelemetry's own.
        sampled: Share of traces whose spans are exported, 0 to 1; decided by the trace id, so all functions agree.
    """

    project: str | None = Field(default=None, alias="CBOT_PROJECT", pattern=PROJECT)
    service: str | None = Field(default=None, alias="K_SERVICE")
    revision: str | None = Field(default=None, alias="K_REVISION")
    log_format: Literal["json", "text"] | None = Field(default=None, alias="CBOT_LOG_FORMAT")
    log_level: LEVELS | None = Field(default=None, alias="CBOT_LOG_LEVEL")
    traces: Literal["off", "otlp"] | None = Field(default=None, alias="CBOT_TRACES")
    endpoint: str | None = Field(default=None, alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    sampled: float = Field(default=1.0, alias="OTEL_TRACES_SAMPLER_ARG", ge=0, le=1)

    @field_validator("endpoint")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is not None:
            require_web_address(value)
        return value

    @model_validator(mode="after")
    def _traces_go_somewhere(self) -> Self:
        if self.traces == "otlp" and self.endpoint is None:
            raise ValueError("CBOT_TRACES=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT")
        return self

    @property
    def form(self) -> Literal["json", "text"]:
        return self.log_format or ("json" if self.service else "text")

    @property
    def level(self) -> int:
        """The level of log lines, as a number of `logging`."""
        named = self.log_level or ("INFO" if self.form == "json" else "WARNING")
        return logging.getLevelNamesMapping()[named]

    @property
    def collector(self) -> str | None:
        """Address for spans and metrics; None if they are off."""
        return None if self.traces == "off" else self.endpoint
