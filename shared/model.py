"""The base of every domain model: frozen, and strict about unknown fields."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """An immutable value; change it with `model_copy(update=…)`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
