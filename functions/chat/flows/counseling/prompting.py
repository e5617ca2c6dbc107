"""What the service's prompts share: their folder, the persona, and answer schemas narrowed to this turn's values."""

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, create_model

from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.engine.agent import AnswerSchema, most_items

T = TypeVar("T", bound=AnswerSchema)


@lru_cache(maxsize=128)
def limit_field(answers: type[T], field: str, allowed: tuple[str, ...]) -> type[T]:
    """Return the schema under its own title, with the allowed values listed for `field`.

    The list is only in the JSON schema for the provider; code checks the answer and words the error for the re-ask.
    The cache is bounded because task ids are unlimited.
    """
    info = answers.model_fields[field]
    limited: Any = (str, Field(description=info.description, json_schema_extra={"enum": list(allowed)}))
    return _with_field(answers, field, limited)


@lru_cache(maxsize=128)
def limit_items(answers: type[T], field: str, allowed: tuple[str, ...]) -> type[T]:
    """Return the schema with the allowed values listed for the items of `field`; otherwise as `limit_field`."""
    item = Annotated[str, Field(json_schema_extra={"enum": list(allowed)})]
    info = answers.model_fields[field]
    limited: Any = (tuple[item, ...], Field(description=info.description, max_length=most_items(info)))
    return _with_field(answers, field, limited)


def _with_field(answers: type[T], field: str, limited: Any) -> type[T]:
    return create_model(
        answers.__name__, __base__=answers, __module__=answers.__module__, __doc__=answers.__doc__, **{field: limited}
    )


def persona_hint(content: Content, state: Session) -> str | None:
    """Return the style and how to talk with it; None while the type is unset.

    A type is inferred when Part 1 ends; one that is given or kept holds from the start.
    """
    if state.user_persona.type is None:
        return None
    persona = content.personas.find(state.user_persona.type)
    if persona is None:
        return None
    return " ".join((f"{persona.description(state.locale)}.", *persona.how_to_talk(state.locale)))


PROMPTS = Path(__file__).parent / "prompts"
