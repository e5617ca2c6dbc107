"""An agent and a speaker of no service, for tests of the runner."""

from pathlib import Path

from shared.engine.agent import Agent, AnswerSchema, Speaker
from shared.model import Model
from shared.prompts.catalogue import Prompt

PROMPTS = Path(__file__).parent / "prompts"


class EchoInput(Model):
    text: str
    rule: str = "none"


class Echo(AnswerSchema):
    word: str
    count: int


PROMPT = Prompt(PROMPTS, "echo", 1, EchoInput)
ECHO = Agent(name="echo", prompt=PROMPT, answers=Echo, safe_default=Echo(word="default", count=0))
SPEAKER = Speaker(name="speaker", prompt=PROMPT)
