"""Faults of model calls, and the box from which calls draw them."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Fault(StrEnum):
    RATE_LIMIT = "rate_limit"
    """429 RESOURCE_EXHAUSTED."""
    SERVER_ERROR = "server_error"
    """500 INTERNAL."""
    UNAVAILABLE = "unavailable"
    """503 UNAVAILABLE."""
    DEADLINE = "deadline"
    """504 DEADLINE_EXCEEDED."""
    BAD_REQUEST = "bad_request"
    """400 INVALID_ARGUMENT."""
    MODEL_GONE = "model_gone"
    """404 NOT_FOUND."""
    FORBIDDEN = "forbidden"
    """403 PERMISSION_DENIED."""
    LOCATION = "location"
    """400 FAILED_PRECONDITION: not served at the caller's location."""
    HANG = "hang"
    """No byte of an answer."""
    BLOCKED_PROMPT = "blocked_prompt"
    """No candidate; promptFeedback says why."""
    BLOCKED_ANSWER = "blocked_answer"
    """Finish reason SAFETY after `after_tokens` (0)."""
    EMPTY = "empty"
    """Blank text with STOP."""
    MAX_TOKENS = "max_tokens"
    """Finish reason MAX_TOKENS after `after_tokens` (half of the answer)."""
    CUT_JSON = "cut_json"
    """STOP after `after_tokens` (half of the answer)."""
    NOT_JSON = "not_json"
    """A sentence instead of JSON."""
    WRONG_SCHEMA = "wrong_schema"
    """JSON of another shape."""
    CUT_STREAM = "cut_stream"
    """The connection drops after `after_tokens` (3)."""
    UNFINISHED = "unfinished"
    """The answer ends after `after_tokens` (3) without a finish reason."""
    DRIP_STREAM = "drip_stream"
    """After `after_tokens` (0), `delay_ms` before every token."""
    ERROR_IN_STREAM = "error_in_stream"
    """An error object after `after_tokens` (3); without a stream, 503."""
    GARBAGE_BODY = "garbage_body"
    """200 with HTML; in a stream with `after_tokens`, a broken line after those."""


class Injection(BaseModel):
    """A fault injected by a test or the inspector.

    Attributes:
        agent: The agent's role (any case); "*" for all.
        model: The model; "*" for all.
        times: How many calls it hits, retries included; None until it is deleted.
        after_tokens: Its position in the answer; None for the fault's default.
        delay_ms: For `drip_stream`.
        retry_s: Pause in the `RetryInfo` of `rate_limit`, seconds; None for no `RetryInfo`.
    """

    model_config = ConfigDict(extra="forbid")

    fault: Fault
    agent: str = "*"
    model: str = "*"
    times: int | None = Field(default=None, ge=1)
    after_tokens: int | None = Field(default=None, ge=0)
    delay_ms: float = Field(default=3000, ge=0)
    retry_s: float | None = Field(default=2, ge=0)


class FaultBox:
    """The injected faults, in order of injection."""

    def __init__(self) -> None:
        self._injections: list[Injection] = []

    def put(self, injection: Injection) -> None:
        """Add a fault."""
        self._injections.append(injection.model_copy())

    def clear(self) -> None:
        """Remove all."""
        self._injections.clear()

    def waiting(self) -> tuple[Injection, ...]:
        """Return the faults that are not used up."""
        return tuple(self._injections)

    def draw(self, role: str, model: str) -> Injection | None:
        """Take one hit of the first fault for the agent `role` with `model`, or None."""
        for injection in self._injections:
            if injection.agent.casefold() in {"*", role.casefold()} and injection.model in {"*", model}:
                if injection.times is not None:
                    injection.times -= 1
                    if injection.times == 0:
                        self._injections.remove(injection)
                return injection
        return None
