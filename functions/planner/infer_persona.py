"""Infers the persona once, from Part 1: it needs confidence, and evidence in the user's own words."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from functions.planner.prompting import PROMPTS
from shared.domain.conversation import Message
from shared.domain.counseling.persona import UserPersona, persona_of
from shared.domain.counseling.session import Session
from shared.domain.model import Model
from shared.engine.agent import Agent
from shared.engine.scope import Scope
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.quotes import said
from shared.services.counseling.workbench import CounselingBench, users_words

AGENT = "persona_inferrer"
CONFIDENCE_FLOOR = 0.6
"""Below this the type stays unset and only the common keywords count (domain.md, "Persona"). Own threshold."""
QUOTES_NEEDED = 2
"""One remark is a mood; two that point the same way may be a style. Own threshold."""
SHORTEST_QUOTE = 4
"""Characters; "네" is evidence of nothing."""
DIALOGUE_CHARACTERS = 8000


class PersonaGuess(BaseModel):
    """The model's guess."""

    model_config = ConfigDict(frozen=True)

    type: str = Field(default="", description="Id of the type, or empty when none clearly fits")
    confidence: float = Field(default=0, ge=0, le=1)
    evidence: tuple[str, ...] = Field(default=(), description="The client's own words, verbatim, two to four quotes")


class TypeShown(Model):
    """A type as the prompt shows it."""

    id: str
    name: str
    description: str


class PersonaInput(Model):
    """What the prompt is rendered from."""

    types: tuple[TypeShown, ...]
    lines: tuple[Line, ...]


INFERRER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 1, PersonaInput),
    answers=PersonaGuess,
    safe_default=PersonaGuess(),
)


async def infer_persona(
    bench: CounselingBench, session: Session, messages: Sequence[Message], scope: Scope
) -> UserPersona | None:
    """Return the inferred persona, or None when the one that the session has is to stay."""
    if session.user_persona.type is not None:
        return None
    personas = bench.content.personas
    given = PersonaInput(
        types=tuple(TypeShown(id=t.type, name=t.name_ko, description=t.description_ko) for t in personas.types),
        lines=lines(messages, DIALOGUE_CHARACTERS),
    )
    guess = await bench.runner.ask(INFERRER, given, scope)
    if not convincing(guess, users_words(messages)) or personas.find(guess.type) is None:
        return None
    return persona_of(personas, guess.type, session.user_persona.counseling_level)


def convincing(guess: PersonaGuess, words: str) -> bool:
    """Tell whether a guess is sure enough and rests on what the user really said."""
    quotes = {quote.strip() for quote in guess.evidence if len(quote.strip()) >= SHORTEST_QUOTE and said(quote, words)}
    return guess.confidence >= CONFIDENCE_FLOOR and len(quotes) >= QUOTES_NEEDED
