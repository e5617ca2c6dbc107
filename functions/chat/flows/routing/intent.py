"""The intent agent: asks a model which service takes a message, where rules leave a doubt."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from shared.domain.conversation import Role, S
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.evidence import is_verbatim_quote

UNCLEAR = "unclear"


class Meant(AnswerSchema):
    """The model's proposal."""

    quote: str = Field(description="The client's own words that decide it, verbatim; empty if there are none")
    service: str = Field(description=f"Name of a service, or '{UNCLEAR}'")


class IntentInput(Model):
    """Prompt variables."""

    services: tuple[str, ...]
    answered_by: str
    reply: str
    text: str


INTENT = Agent(
    name="intent",
    prompt=Prompt(Path(__file__).parent / "prompts", "intent", 1, IntentInput),
    answers=Meant,
    safe_default=Meant(quote="", service=UNCLEAR),
)


async def ask_intent(turn: Turn[S], services: Sequence[str]) -> str | None:
    """Return the service that the user means; None if the model is unsure, fails, or quotes what was not said."""
    replies = (one.text for one in reversed(turn.state.recent) if one.role is Role.COUNSELOR)
    given = IntentInput(
        services=tuple(services),
        answered_by=turn.state.answered_by or turn.state.flow,
        reply=next(replies, ""),
        text=turn.text,
    )
    meant = await turn.runner.ask(INTENT, given, turn.scope)
    return meant.service if meant.service in services and is_verbatim_quote(meant.quote, turn.text) else None
