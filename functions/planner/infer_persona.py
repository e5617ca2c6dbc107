"""Infers the persona once, from Part 1; it needs confidence and quotes of the user's words."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from functions.planner.material import Material, ToldLine
from functions.planner.prompt_view import PROMPTS
from shared.domain.counseling.persona import PersonaType, UserPersona, persona_of
from shared.domain.counseling.plans import Fault, PersonaInference, PlanFinding
from shared.domain.counseling.session import Session
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.scope import Scope
from shared.locale import Locale
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.evidence import is_verbatim_quote
from shared.services.counseling.job_context import CounselingJobContext

AGENT = "persona_inferrer"
CONFIDENCE_FLOOR = 0.6
"""Below this the type stays unset, and only the common keywords count."""
QUOTES_NEEDED = 2
"""One remark may be a mood; two that point the same way may be a style."""
SHORTEST_QUOTE = 4
"""Minimum characters of a quote; "네" is no evidence."""
TYPE_LENGTH = 20
"""Maximum stored characters of an unknown type."""
DIALOGUE_CHARACTERS = 8000


class PersonaGuess(AnswerSchema):
    """The model's guess."""

    evidence: tuple[str, ...] = Field(
        description="The client's own words, verbatim, two to four quotes; or empty",
        max_length=20,
        json_schema_extra={"maxItems": 4},
    )
    type: str = Field(description="Id of the type, or empty when none clearly fits")
    confidence: float = Field(ge=0, le=1)


class TypeShown(Model):
    """A persona type in the prompt."""

    id: str
    name: str
    description: str


class PersonaInput(Model):
    """Prompt variables."""

    types: tuple[TypeShown, ...]
    lines: tuple[ToldLine, ...]


INFERRER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 3, PersonaInput),
    answers=PersonaGuess,
    safe_default=PersonaGuess(evidence=(), type="", confidence=0),
)


@dataclass(frozen=True)
class Inferred:
    """The result of the inference.

    Attributes:
        persona: None if the session keeps its persona.
        inference: For the plan's record; None if no model was asked.
    """

    persona: UserPersona | None = None
    inference: PersonaInference | None = None
    found: tuple[PlanFinding, ...] = ()


async def infer_persona(context: CounselingJobContext, session: Session, told: Material, scope: Scope) -> Inferred:
    """Infer the persona of a session that has none."""
    if session.user_persona.type is not None:
        return Inferred()
    personas = context.content.personas
    given = PersonaInput(
        types=tuple(_shown(each, session.locale) for each in personas.types),
        lines=told.lines(DIALOGUE_CHARACTERS),
    )
    guess = await context.runner.ask(INFERRER, given, scope)
    if not guess.type.strip():
        return Inferred(inference=_inference(guess, (), held=False))
    quotes = real_quotes(guess, told.words)
    known = personas.find(guess.type) is not None
    if known and convincing(guess, quotes):
        present = session.user_persona
        persona = persona_of(personas, guess.type, present.counseling_level, present.level_source)
        return Inferred(persona, _inference(guess, quotes, held=True))
    fault = Fault.UNSURE_PERSONA if known else Fault.UNKNOWN_PERSONA
    what = " ".join(guess.type.split())[:TYPE_LENGTH]
    return Inferred(inference=_inference(guess, quotes, held=False), found=(PlanFinding(fault=fault, what=what),))


def _shown(persona: PersonaType, locale: Locale) -> TypeShown:
    return TypeShown(id=persona.type, name=persona.name(locale), description=persona.description(locale))


def real_quotes(guess: PersonaGuess, words: str) -> tuple[str, ...]:
    """Return the quotes that the user really said."""
    quotes = dict.fromkeys(" ".join(quote.split()) for quote in guess.evidence)
    return tuple(quote for quote in quotes if len(quote) >= SHORTEST_QUOTE and is_verbatim_quote(quote, words))


def convincing(guess: PersonaGuess, quotes: Sequence[str]) -> bool:
    """Return whether a guess has enough confidence and enough quotes."""
    return guess.confidence >= CONFIDENCE_FLOOR and len(quotes) >= QUOTES_NEEDED


def _inference(guess: PersonaGuess, quotes: tuple[str, ...], *, held: bool) -> PersonaInference:
    named = " ".join(guess.type.split())[:TYPE_LENGTH]
    return PersonaInference(type=named, confidence=guess.confidence, evidence=quotes, held=held)
