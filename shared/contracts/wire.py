"""The base of every body on the wire."""

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """A body; unknown fields are refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
