"""The rating of an ended conversation, and the answer to one whose comment tells of a danger."""

from typing import Self

from pydantic import ConfigDict, Field, model_validator

from shared.contracts.chat import OneToFive, ResourceView
from shared.contracts.wire import Wire


class Satisfaction(Wire):
    """The user's rating of an ended conversation, or words without one: after a crisis the page asks for no points."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["rating"]}, {"required": ["comment"]}]})

    rating: OneToFive | None = None
    comment: str = Field(default="", max_length=1000)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set & {"rating", "comment"}:
            raise ValueError("a rating or a comment is required")
        return self


class HelpNamed(Wire):
    """Answers a rating whose comment tells of a danger: it is kept, and this is to be shown."""

    message: str
    resources: tuple[ResourceView, ...]
