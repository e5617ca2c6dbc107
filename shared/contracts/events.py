"""The events of a turn's stream, as a client receives them over SSE."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from shared.contracts.chat import ChatReply, ResourceView


class StreamEvent(BaseModel):
    """An event; `event` is the SSE event's name, the other fields are its data."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class AgentStart(StreamEvent):
    """An agent went to work; `label` is what a person may read."""

    event: Literal["agent_start"] = "agent_start"
    agent: str
    label: str


class AgentRetry(StreamEvent):
    """An agent is asked once more: its answer did not fit, or another model is to speak in its place.

    Attributes:
        label: What a person may read.
        attempt: Counts from 2: the first call was told of by `agent_start`.
    """

    event: Literal["agent_retry"] = "agent_retry"
    agent: str
    label: str
    attempt: int = Field(ge=2)


class AgentDone(StreamEvent):
    """An agent is done."""

    event: Literal["agent_done"] = "agent_done"
    agent: str


class Token(StreamEvent):
    """The next piece of the reply."""

    event: Literal["token"] = "token"
    text: str


class Replace(StreamEvent):
    """What was shown so far is to be replaced by this text."""

    event: Literal["replace"] = "replace"
    text: str


class Done(StreamEvent):
    """The turn is committed; the last event of a turn that got its reply."""

    event: Literal["done"] = "done"
    result: ChatReply


class Failed(StreamEvent):
    """The turn got no reply; the last event then. `resources` come when the message told of a danger."""

    event: Literal["error"] = "error"
    code: str
    detail: str
    retryable: bool
    resources: tuple[ResourceView, ...] | None = None


TurnEvent: TypeAlias = Annotated[
    AgentStart | AgentRetry | AgentDone | Token | Replace | Done | Failed, Field(discriminator="event")
]


def data_of(event: TurnEvent) -> str:
    """Return the JSON of the SSE `data` field."""
    if isinstance(event, Done):
        return event.result.model_dump_json()
    return event.model_dump_json(exclude={"event"}, exclude_none=True)
