"""Hears in Part 1, once, what the plan rests on: persona, reason for coming and signs of the level.

Each needs quotes of the user's words, the persona confidence as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from functions.planner.material import Material, ToldLine
from functions.planner.prompt_view import PROMPTS
from shared.content.reason_plans import ReasonPlan
from shared.domain.counseling.level import RAISES, LevelGround, LevelSign, LevelSource, grounds_of_state, level_of
from shared.domain.counseling.persona import PersonaType, UserPersona, persona_of
from shared.domain.counseling.plans import Fault, PersonaInference, PlanFinding
from shared.domain.counseling.reason import Reason, ReasonHeard
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import bounded_quote
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
PRIOR_COUNSELING = "prior_counseling"
"""Slot of the first session's persona task: whether the user was in counselling before."""


class LevelSignRead(AnswerSchema):
    """A sign of how far the client would go."""

    quote: str = Field(description="The client's own words that show it, verbatim")
    sign: str = Field(json_schema_extra={"enum": [sign.value for sign in LevelSign if sign in RAISES]})


class PersonaGuess(AnswerSchema):
    """What the model heard."""

    signs: tuple[LevelSignRead, ...] = Field(
        description="Those that the client's words show; or empty", max_length=20, json_schema_extra={"maxItems": 4}
    )
    reason_quote: str = Field(description="The client's own words that show the reason for coming, verbatim; or empty")
    reason: str = Field(description="Id of the reason, or empty when none clearly fits")
    evidence: tuple[str, ...] = Field(
        description="The client's own words, verbatim, two to four quotes; or empty",
        max_length=20,
        json_schema_extra={"maxItems": 4},
    )
    type: str = Field(description="Id of the type, or empty when none clearly fits")
    confidence: float = Field(ge=0, le=1)


class ReasonShown(Model):
    """A reason in the prompt."""

    id: str
    name: str


class TypeShown(Model):
    """A persona type in the prompt."""

    id: str
    name: str
    description: str


class PersonaInput(Model):
    """Prompt variables."""

    reasons: tuple[ReasonShown, ...]
    types: tuple[TypeShown, ...]
    lines: tuple[ToldLine, ...]


INFERRER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 4, PersonaInput),
    answers=PersonaGuess,
    safe_default=PersonaGuess(signs=(), reason_quote="", reason="", evidence=(), type="", confidence=0),
)


@dataclass(frozen=True)
class Inferred:
    """What was heard.

    Attributes:
        persona: With the type and the level that were heard; the session's where nothing was.
        inference: For the plan's record; None if no model was asked for a type.
        reason: None if the user's words name none of the usual ones.
        grounds: Signs of the level; empty if the level was given or carried over.
    """

    persona: UserPersona
    inference: PersonaInference | None = None
    found: tuple[PlanFinding, ...] = ()
    reason: ReasonHeard | None = None
    grounds: tuple[LevelGround, ...] = ()


async def infer_persona(context: CounselingJobContext, session: Session, told: Material, scope: Scope) -> Inferred:
    """Hear persona, reason and level; a session that has persona and level is not asked about.

    If the model fails, the level still follows the user's answers and state.
    """
    present, personas = session.user_persona, context.content.personas
    unset = present.level_source is LevelSource.DEFAULT
    if present.type is not None and not unset:
        return Inferred(present)
    given = PersonaInput(
        reasons=tuple(ReasonShown(id=one.reason.value, name=one.name.at(session.locale)) for one in _reasons(context)),
        types=tuple(_shown(each, session.locale) for each in personas.types),
        lines=told.lines(DIALOGUE_CHARACTERS),
    )
    guess = await context.runner.ask(INFERRER, given, scope)
    grounds = tuple(_grounds(session, guess, told.words)) if unset else ()
    heard = Inferred(_at_level(present, grounds), reason=_reason(guess, told.words), grounds=grounds)
    if present.type is not None:
        return heard
    if not guess.type.strip():
        return replace(heard, inference=_inference(guess, (), held=False))
    quotes = real_quotes(guess, told.words)
    known = personas.find(guess.type) is not None
    if known and convincing(guess, quotes):
        leveled = heard.persona
        persona = persona_of(personas, guess.type, leveled.counseling_level, leveled.level_source)
        return replace(heard, persona=persona, inference=_inference(guess, quotes, held=True))
    fault = Fault.UNSURE_PERSONA if known else Fault.UNKNOWN_PERSONA
    found = (PlanFinding(fault=fault, what=" ".join(guess.type.split())[:TYPE_LENGTH]),)
    return replace(heard, inference=_inference(guess, quotes, held=False), found=found)


def _reasons(context: CounselingJobContext) -> Sequence[ReasonPlan]:
    return context.content.part2_reasons.reasons


def _reason(guess: PersonaGuess, words: str) -> ReasonHeard | None:
    """Return the reason if it is a usual one and the user said its quote."""
    named = guess.reason.strip()
    if named not in set(Reason) or not _said(guess.reason_quote, words):
        return None
    return ReasonHeard(reason=Reason(named), quote=bounded_quote(guess.reason_quote))


def _grounds(session: Session, guess: PersonaGuess, words: str) -> Iterator[LevelGround]:
    """Yield each sign once: of the model those whose quote the user said, and the user's answer about counselling."""
    shown = {one.sign: bounded_quote(one.quote) for one in reversed(guess.signs) if _said(one.quote, words)}
    answered = session.user_info.get(PRIOR_COUNSELING)
    if answered is True:
        source = session.info_sources.get(PRIOR_COUNSELING)
        shown.setdefault(LevelSign.EXPERIENCE, source.quote if source else "")
    elif answered is False:
        shown.pop(LevelSign.EXPERIENCE, None)
    yield from (LevelGround(sign=sign, quote=shown[sign]) for sign in LevelSign if sign in RAISES and sign in shown)
    yield from grounds_of_state(session.readings, endangered=session.protocol_replies > 0)


def _at_level(persona: UserPersona, grounds: Sequence[LevelGround]) -> UserPersona:
    if not grounds:
        return persona
    return persona.model_copy(update={"counseling_level": level_of(grounds), "level_source": LevelSource.HEARD})


def _said(quote: str, words: str) -> bool:
    return len(quote.strip()) >= SHORTEST_QUOTE and is_verbatim_quote(quote, words)


def _shown(persona: PersonaType, locale: Locale) -> TypeShown:
    return TypeShown(id=persona.type, name=persona.name(locale), description=persona.description(locale))


def real_quotes(guess: PersonaGuess, words: str) -> tuple[str, ...]:
    """Return the quotes that the user really said."""
    quotes = dict.fromkeys(" ".join(quote.split()) for quote in guess.evidence)
    return tuple(quote for quote in quotes if _said(quote, words))


def convincing(guess: PersonaGuess, quotes: Sequence[str]) -> bool:
    """Return whether a guess has enough confidence and enough quotes."""
    return guess.confidence >= CONFIDENCE_FLOOR and len(quotes) >= QUOTES_NEEDED


def _inference(guess: PersonaGuess, quotes: tuple[str, ...], *, held: bool) -> PersonaInference:
    named = " ".join(guess.type.split())[:TYPE_LENGTH]
    return PersonaInference(type=named, confidence=guess.confidence, evidence=quotes, held=held)
