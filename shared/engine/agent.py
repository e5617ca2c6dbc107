"""Defines an agent: a typed prompt, an answer schema and a safe default for model failures."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from shared.ports.answer_schema import optional, unsupported
from shared.prompts.catalogue import I, Prompt


class AnswerSchema(BaseModel):
    """The schema of an answer, or a part of one: every field is required (docs/decisions/0030).

    Fields are answered in the order in which they stand: evidence before the verdict that rests on it. A field that
    the schema does not have is ignored: Gemini adds none, and what another model adds is no reason to ask again.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")


O = TypeVar("O", bound=AnswerSchema)  # noqa: E741 - the field's name for an output type


@dataclass(frozen=True)
class Agent(Generic[I, O]):
    """An agent whose answer follows a schema.

    Attributes:
        name: Its name in config, ledger and events.
        safe_default: Used if the model still fails after one re-ask.
        keep: Returns the answer, or the safe default, with what must not be lost of the beginning of an earlier answer
            that broke. Its arguments are the prompt's input, the answer and that beginning; it returns the same answer
            if there is nothing to keep.

    Raises:
        TypeError: The schema has an optional field or a keyword that the provider does not support.
    """

    name: str
    prompt: Prompt[I]
    answers: type[O]
    safe_default: O
    keep: Callable[[I, O, str], O] | None = None

    def __post_init__(self) -> None:
        """Reject a schema that the provider would not enforce."""
        if problems := _problems(self.answers):
            raise TypeError(f"answers of {self.name}: {'; '.join(problems)}")


@lru_cache(maxsize=128)  # Bounded: schemas with the ids of one turn are created per turn.
def _problems(answers: type[AnswerSchema]) -> tuple[str, ...]:
    schema = answers.model_json_schema()
    return (*(f"{field} may be left out" for field in optional(schema)), *unsupported(schema))


@dataclass(frozen=True)
class Speaker(Generic[I]):
    """An agent that replies to the user in prose."""

    name: str
    prompt: Prompt[I]
