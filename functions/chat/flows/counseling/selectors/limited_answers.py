"""Narrows an answer schema to the values allowed in this turn."""

from functools import lru_cache
from typing import Any, TypeVar

from pydantic import Field, create_model

from shared.engine.agent import AnswerSchema

T = TypeVar("T", bound=AnswerSchema)


@lru_cache(maxsize=128)
def limit_field(answers: type[T], field: str, allowed: tuple[str, ...]) -> type[T]:
    """Return the schema under its own title, with the allowed values listed for `field`.

    The list is only in the JSON schema for the provider; code checks the answer and words the error for the re-ask.
    The cache is bounded because task ids are unlimited.
    """
    info = answers.model_fields[field]
    limited: Any = (str, Field(description=info.description, json_schema_extra={"enum": list(allowed)}))
    return create_model(
        answers.__name__, __base__=answers, __module__=answers.__module__, __doc__=answers.__doc__, **{field: limited}
    )
