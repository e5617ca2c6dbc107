"""What an agent is: a prompt with a typed input, an answer with a schema, and what holds when the model fails."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from shared.prompts.catalogue import I, Prompt

O = TypeVar("O", bound=BaseModel)  # noqa: E741 - the field's name for an output type


@dataclass(frozen=True)
class Agent(Generic[I, O]):
    """An agent that answers by a schema; decision fields come first in it.

    Attributes:
        name: Its name in config, ledger and events.
        safe_default: The answer that holds when the model fails after one re-ask.
    """

    name: str
    prompt: Prompt[I]
    answers: type[O]
    safe_default: O


@dataclass(frozen=True)
class Speaker(Generic[I]):
    """An agent that speaks to the user in prose."""

    name: str
    prompt: Prompt[I]
