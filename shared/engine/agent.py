"""Defines an agent: a typed prompt, an answer schema and a safe default for model failures."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, JsonValue, model_validator
from pydantic.fields import FieldInfo

from shared.ports.answer_schema import optional, unsupported
from shared.prompts.catalogue import I, Prompt

LONGEST_TEXT = 4000
"""Characters of one text of an answer: those of the longest message, which a quote may hold. The provider heeds no
bound of a text."""


def unsent(schema: dict[str, JsonValue]) -> None:
    """Leave the bound of a list to code (a field's `json_schema_extra`).

    For a list within a list, and for a long one of objects: the provider unrolls bounded lists, and refuses a schema
    that grows too large by it, with a bare 400 (docs/decisions/0030).
    """
    schema.pop("maxItems", None)


class AnswerSchema(BaseModel):
    """The schema of an answer, or a part of one: every field is required (docs/decisions/0030).

    Fields are answered in the order in which they stand: evidence before the verdict that rests on it. A field that
    the schema does not have is ignored: Gemini adds none, and what another model adds is no reason to ask again.

    Every list has a `max_length`. A list or text that is too long is cut: a model that repeats itself costs its answer
    nothing else. Where the provider is to keep to fewer items than code takes and judges, `maxItems` says so in the
    field's `json_schema_extra`.

    Raises:
        TypeError: A list has no bound.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a list without a bound."""
        super().__pydantic_init_subclass__(**kwargs)
        for name, info in cls.model_fields.items():
            if _holds_a_list(info.annotation) and most_items(info) is None:
                raise TypeError(f"{cls.__name__}.{name}: the list has no max_length")

    @model_validator(mode="before")
    @classmethod
    def _within_bounds(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {name: _cut(value, cls.model_fields.get(name)) for name, value in data.items()}


def most_items(info: FieldInfo) -> int | None:
    """Return the bound of a list; None if it has none, or is no list."""
    return next((one.max_length for one in info.metadata if hasattr(one, "max_length")), None)


def _holds_a_list(annotation: Any) -> bool:
    return get_origin(annotation) in (tuple, list) or any(map(_holds_a_list, get_args(annotation)))


def _cut(value: Any, info: FieldInfo | None) -> Any:
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if isinstance(value, list | tuple):
        return [_cut(item, None) for item in value[: info and most_items(info)]]
    return value


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
