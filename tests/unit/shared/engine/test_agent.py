"""An agent whose schema would not hold the model is refused where it is made."""

from dataclasses import replace

import pytest
from pydantic import Field

from shared.engine.agent import Agent, AnswerSchema
from tests.fakes.echo import ECHO, PROMPT


class Part(AnswerSchema):
    """A part with a default."""

    word: str
    remark: str = ""


class Whole(AnswerSchema):
    """Holds the part."""

    parts: tuple[Part, ...]


class Long(AnswerSchema):
    """Has a bound that the provider does not read."""

    word: str = Field(max_length=9)


def test_a_default_in_a_nested_part_is_refused():
    with pytest.raises(TypeError, match=r"answers of whole: answer\.parts\[\]\.remark may be left out"):
        Agent(name="whole", prompt=PROMPT, answers=Whole, safe_default=Whole(parts=()))


def test_a_keyword_that_the_provider_does_not_know_is_refused():
    with pytest.raises(TypeError, match="maxLength is not supported"):
        Agent(name="long", prompt=PROMPT, answers=Long, safe_default=Long(word="a"))


def test_a_schema_made_for_one_turn_is_looked_at_too():
    with pytest.raises(TypeError, match="remark may be left out"):
        replace(ECHO, answers=Part)
