"""Narrows an answer schema to the values allowed in this turn."""

from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import Field, create_model

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
