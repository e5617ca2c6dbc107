"""The asker: a model words the next question when there is something to explain; a fixed text stands in for it.

A first question without an error needs no model. What is asked, and whether, is decided before.
"""

from dataclasses import replace

from functions.chat.flows.booking.extractor import PROMPTS
from functions.chat.flows.booking.wording import Question
from shared.content.catalogue import Content
from shared.contracts.events import Replace
from shared.domain.counseling.session import Session
from shared.engine.agent import Speaker
from shared.engine.flow import Turn
from shared.engine.memory import dialogue
from shared.engine.reply_prefix import ReplyPrefix
from shared.engine.speech import speak
from shared.locale import Locale
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.output_guard.situation import Situation
from shared.services.output_guard import AGENT as GUARD
from shared.services.output_guard import reply_guard

AGENT = "booking_asker"


class AskerInput(Model):
    """Prompt variables.

    Attributes:
        parse_error: The user's message could not be understood.
        slot_errors: Why values were not taken, in the user's language.
        facts: Free times, days that may be meant.
        question: The fixed wording of the question.
        known: What is known so far.
    """

    speech_register: str
    parse_error: bool
    slot_errors: tuple[str, ...]
    facts: tuple[str, ...]
    question: str
    known: str


ASKER = Speaker(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 1, AskerInput))


async def asked(
    turn: Turn[Session], question: Question, prefix: ReplyPrefix, content: Content
) -> tuple[str, list[str]]:
    """Stream a question; return it with the flags of the turn.

    A model that fails, asks nothing or something else, or says that the booking is made is replaced by the fixed text.
    """
    state = turn.state
    given = AskerInput(
        speech_register=state.register_.value if state.locale is Locale.KO else "",
        parse_error=question.parse_error,
        slot_errors=question.errors,
        facts=question.facts,
        question=question.text,
        known=question.known,
    )
    scope = replace(turn.scope, emit=prefix.emit)
    guard = reply_guard(turn, state, content.safe_endings, content.guard_rules, Situation(noticed=bool(prefix.text)))
    spoken = await speak(turn.runner, ASKER, given, dialogue(state, turn.text), scope, guard)
    if spoken is not None and spoken.guarded.category is None and _asks_only(spoken.text, question, content):
        return spoken.text, ["shortened"] if spoken.shortened else []
    flags = ["degraded"] if spoken is None else []
    if spoken is not None and spoken.guarded.category is not None:
        turn.scope.ledger.ruled(GUARD, spoken.guarded.category.value, spoken.guarded.rule)
        flags.append("guarded")
    prefix.emit(Replace(text=question.fixed))
    return question.fixed, flags


def _asks_only(text: str, question: Question, content: Content) -> bool:
    """Return whether a reply asks for what the question does, and does not say that anything is booked."""
    answers = content.booking_reader.answers
    return answers.asks_alike(question.text, text) and not answers.claims_done(text)
