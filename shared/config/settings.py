"""Environment variables of CBot, with one-line errors."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from shared.config.addresses import require_origin, require_web_address
from shared.domain.errors import ConfigError


class FromEnvironment(BaseModel):
    """Reads variables by their alias; an empty one counts as unset."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """Return the settings.

        Raises:
            ConfigError: Names the wrong variable and the problem; never a secret's value.
        """
        given = {name: value for name, value in environment.items() if value.strip()}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in problem["loc"])
            reason = problem["msg"].removeprefix("Value error, ")
            raise ConfigError(f"{where}: {reason}" if where else reason) from None


def split_list(value: object) -> object:
    """Split a comma-separated value."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


MOST_PATIENCE_IN_THE_CLOUD = 4
"""A function that Eventarc calls ends after 540 s, and waits for 120 s times the patience."""


class ModelAccess(FromEnvironment):
    """Access to the language model: an API key, or Vertex AI.

    Attributes:
        api_version: Version in the API's paths; None for the SDK's (`v1`; Vertex AI `v1beta1`).
        patience: Factor of every deadline that waits for a model. Above 1, no reply begins before the decisions.
    """

    api_key: SecretStr | None = Field(default=None, alias="GEMINI_API_KEY")
    base_url: str | None = Field(default=None, alias="GOOGLE_GEMINI_BASE_URL")
    api_version: str | None = Field(default=None, alias="GOOGLE_GENAI_API_VERSION", pattern="^v[0-9][a-z0-9]*$")
    use_vertex: bool = Field(default=False, alias="GOOGLE_GENAI_USE_VERTEXAI")
    vertex_project: str | None = Field(default=None, alias="GOOGLE_CLOUD_PROJECT")
    vertex_location: str | None = Field(default=None, alias="GOOGLE_CLOUD_LOCATION")
    model: str | None = Field(default=None, alias="CBOT_MODEL")
    fallback_model: str | None = Field(default=None, alias="CBOT_FALLBACK_MODEL")
    agents_file: Path | None = Field(default=None, alias="CBOT_AGENTS_FILE")
    patience: float = Field(default=1, alias="CBOT_MODEL_PATIENCE", ge=1, le=1000)
    service: str | None = Field(default=None, alias="K_SERVICE")

    @field_validator("api_key")
    @classmethod
    def _fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        """Refuse a key that cannot be an HTTP header and would fail every turn."""
        key = value.get_secret_value() if value else ""
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("a key is printable ASCII without spaces")
        return value

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is not None:
            require_web_address(value)
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.use_vertex and not (self.vertex_project and self.vertex_location):
            raise ValueError("GOOGLE_GENAI_USE_VERTEXAI needs GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION")
        if self.base_url and not self.api_key and not self.use_vertex:
            raise ValueError("GOOGLE_GEMINI_BASE_URL is set but GEMINI_API_KEY is not: set both or neither")
        if self.service and self.patience > MOST_PATIENCE_IN_THE_CLOUD:
            most = f"{MOST_PATIENCE_IN_THE_CLOUD} in the cloud, where a function ends after 540 s"
            raise ValueError(f"CBOT_MODEL_PATIENCE must be at most {most}")
        return self

    @property
    def configured(self) -> bool:
        return self.use_vertex or self.api_key is not None


class ChatSettings(FromEnvironment):
    """Settings of the chat function besides the model.

    Attributes:
        turns: Concurrent turns of an instance; more are refused with 503 (docs/decisions/0032).
        grace_s: Seconds for running turns when the instance stops.
    """

    project: str = Field(default="demo-cbot", alias="CBOT_PROJECT", pattern=r"^[a-z][a-z0-9-]{4,28}[a-z0-9]$")
    origins: tuple[str, ...] = Field(default=(), alias="CBOT_ORIGINS")
    waiting: int = Field(default=5, alias="CBOT_MAX_WAITING_MESSAGES", ge=1)
    per_minute: int = Field(default=30, alias="CBOT_MESSAGES_PER_MINUTE", ge=1)
    llm_calls: int = Field(default=3000, alias="CBOT_CALLS_PER_CONVERSATION", ge=1)
    conversations_per_hour: int = Field(default=30, alias="CBOT_CONVERSATIONS_PER_HOUR", ge=1)
    user_per_minute: int = Field(default=60, alias="CBOT_USER_MESSAGES_PER_MINUTE", ge=1)
    user_per_day: int = Field(default=500, alias="CBOT_USER_MESSAGES_PER_DAY", ge=1)
    user_won_per_day: float = Field(default=5000, alias="CBOT_USER_WON_PER_DAY", gt=0)
    user_exports_per_day: int = Field(default=20, alias="CBOT_USER_EXPORTS_PER_DAY", ge=1)
    user_reads_per_minute: int = Field(default=300, alias="CBOT_USER_READS_PER_MINUTE", ge=1)

    turns: int = Field(default=40, alias="CBOT_MAX_TURNS", ge=1)
    grace_s: float = Field(default=7.5, alias="CBOT_SHUTDOWN_GRACE_SECONDS", gt=0)

    operator_name: str | None = Field(default=None, alias="CBOT_OPERATOR_NAME", max_length=200)
    operator_contact: str | None = Field(default=None, alias="CBOT_OPERATOR_CONTACT", max_length=200)

    _lists = field_validator("origins", mode="before")(split_list)

    @model_validator(mode="after")
    def _names_the_operator_whole(self) -> Self:
        if (self.operator_name is None) != (self.operator_contact is None):
            raise ValueError("CBOT_OPERATOR_NAME and CBOT_OPERATOR_CONTACT: set both or neither")
        return self

    @field_validator("origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            require_origin(origin)
        return value


class LocalSettings(ChatSettings):
    """Settings of the local server: the chat function's with wide limits for trying things out."""

    service: None = Field(default=None, alias="K_SERVICE")
    port: int = Field(default=8080, alias="PORT", ge=0, le=65535)
    data_dir: Path = Field(default=Path(".data"), alias="CBOT_DATA_DIR")
    waiting: int = Field(default=20, alias="CBOT_MAX_WAITING_MESSAGES", ge=1)
    per_minute: int = Field(default=6000, alias="CBOT_MESSAGES_PER_MINUTE", ge=1)
    llm_calls: int = Field(default=100_000, alias="CBOT_CALLS_PER_CONVERSATION", ge=1)
    conversations_per_hour: int = Field(default=1000, alias="CBOT_CONVERSATIONS_PER_HOUR", ge=1)
    user_per_minute: int = Field(default=6000, alias="CBOT_USER_MESSAGES_PER_MINUTE", ge=1)
    user_per_day: int = Field(default=100_000, alias="CBOT_USER_MESSAGES_PER_DAY", ge=1)
    user_won_per_day: float = Field(default=1_000_000, alias="CBOT_USER_WON_PER_DAY", gt=0)
    user_exports_per_day: int = Field(default=10_000, alias="CBOT_USER_EXPORTS_PER_DAY", ge=1)
    user_reads_per_minute: int = Field(default=60_000, alias="CBOT_USER_READS_PER_MINUTE", ge=1)

    @field_validator("service", mode="before")
    @classmethod
    def _is_not_in_the_cloud(cls, value: object) -> object:
        if value is not None:
            raise ValueError("the local server lets anybody be anybody, and never runs in the cloud")
        return value
