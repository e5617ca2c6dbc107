"""An answer's schema narrowed to what may be chosen in this turn."""

from functools import lru_cache
from typing import Any, TypeVar

from pydantic import Field, create_model

from shared.engine.agent import AnswerSchema

T = TypeVar("T", bound=AnswerSchema)


@lru_cache(maxsize=128)
def among(answers: type[T], field: str, allowed: tuple[str, ...]) -> type[T]:
    """Return the schema under its own title, in which `field` lists the allowed values.

    The list is in the JSON schema only, which the provider holds the model to; code still checks the answer, in words
    that the re-ask can show. Bounded, because the tasks' ids are without number.
    """
    info = answers.model_fields[field]
    limited: Any = (str, Field(description=info.description, json_schema_extra={"enum": list(allowed)}))
    return create_model(
        answers.__name__, __base__=answers, __module__=answers.__module__, __doc__=answers.__doc__, **{field: limited}
    )
