"""Reads the answer to a proposal to close: only a rule can find agreement; a model can keep the question open."""

from enum import Enum, auto

from pydantic import Field

from functions.chat.findings import Findings
from functions.chat.flows.counseling.part_check import part_transition
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import (
    ClosingAsked,
    SessionClosed,
    WrapUpAgreed,
    WrapUpDeclined,
    WrapUpPassed,
    WrapUpUnclear,
)
from shared.domain.counseling.task import Part
from shared.domain.turn import Hook
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.lexicon.words import Answer
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.evidence import is_verbatim_quote

AGENT = "wrap_up_answer"
ANSWER_LENGTH = 40
"""Maximum characters of a message that can be a mere answer."""
MOST_UNCLEAR = 1
"""Unclear answers after which a proposal is repeated; the next one counts as a no."""


class AnswerReading(Enum):
    """How an answer to a proposal was read."""

    AGREED = auto()
    DECLINED = auto()
    UNCLEAR = auto()

    PASSED = auto()
    """To a choice: neither."""


class WrapUpAnswer(AnswerSchema):
    """The model's reading of an unclear answer."""

    quote: str = Field(description="The user's own words that agree, verbatim; empty if they do not")
    agreed: bool


class WrapUpInput(Model):
    """Prompt variables."""

    aim: str
    proposal: str
    text: str


READER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 2, WrapUpInput),
    answers=WrapUpAnswer,
    safe_default=WrapUpAnswer(quote="", agreed=False),
)


async def read_answer(turn: Turn[Session], message: UserMessage, session: Session, content: Content) -> Findings:
    """Read the message as the answer to the last reply's proposal, if the reply made one and the message followed it.

    In a follow-through and under 14 only the question whether to end counts, and only a plain yes agrees.
    """
    wrap_up = session.wrap_up
    if wrap_up is None or wrap_up.stage is not WrapUpStage.PROPOSED or wrap_up.seq != turn.state.seq:
        return Findings()
    if not message.answers:
        return Findings()
    followed = session.risk.follow_through or session.under_14
    if followed and wrap_up.aim is not WrapUpAim.END:
        return Findings()
    if wrap_up.aim is WrapUpAim.WRAP_UP and message.leaves_now and message.words.answer is not Answer.CANCEL:
        turn.scope.ledger.ruled(AGENT, None, "the user wants to end now, which is asked about")
        return Findings()
    chosen = _chosen(turn, message) if wrap_up.choice and not followed else None
    match chosen or await _read(turn, message, wrap_up.aim, content, followed=followed):
        case AnswerReading.AGREED:
            return _agreed(turn, session, wrap_up.aim)
        case AnswerReading.UNCLEAR if wrap_up.unclear < MOST_UNCLEAR:
            return Findings(events=(WrapUpUnclear(seq=turn.seq),))
        case AnswerReading.PASSED:
            return Findings(events=(WrapUpPassed(),))
        case _:
            return Findings(events=(WrapUpDeclined(),))


def answers_a_proposal(found: Findings) -> bool:
    """Return whether the message was read as the answer to a proposal to close."""
    return bool(found.of(WrapUpAgreed, WrapUpDeclined, WrapUpPassed, WrapUpUnclear))


def _chosen(turn: Turn[Session], message: UserMessage) -> AnswerReading:
    """Return what the user chose of staying and ending: only words that name the end agree to it, no bare yes."""
    words = message.words
    if message.wants_more or words.answer is Answer.CANCEL:
        chosen = AnswerReading.DECLINED
    elif message.names_the_end and not words.hesitates:
        chosen = AnswerReading.AGREED
    else:
        chosen = AnswerReading.PASSED
    turn.scope.ledger.ruled(AGENT, chosen.name.lower(), "to the choice between staying and ending")
    return chosen


async def _read(
    turn: Turn[Session], message: UserMessage, aim: WrapUpAim, content: Content, *, followed: bool
) -> AnswerReading:
    """Read the message; in a follow-through and under 14 anything but a plain yes is a no."""
    answer = Answer.CANCEL if message.wants_more else message.words.answer
    hesitant = aim is WrapUpAim.END and message.words.hesitates
    open_still = hesitant or message.words.is_ambiguous or message.words.has_nothing_to_say
    if answer is not Answer.UNCLEAR or followed or open_still:
        turn.scope.ledger.ruled(AGENT, answer.value, "pattern")
        if answer is Answer.UNCLEAR and not followed:
            return AnswerReading.UNCLEAR
        return AnswerReading.AGREED if answer is Answer.CONFIRM else AnswerReading.DECLINED
    return AnswerReading.UNCLEAR if await _may_agree(turn, message.text, aim, content) else AnswerReading.DECLINED


async def _may_agree(turn: Turn[Session], text: str, aim: WrapUpAim, content: Content) -> bool:
    """Return whether a model reads agreement in an unclear message; it only keeps the question open."""
    proposal = turn.state.recent[-1].text if turn.state.recent else ""
    given = WrapUpInput(aim=aim.value, proposal=proposal, text=text)
    read = await turn.runner.ask(READER, given, turn.scope)
    own = is_verbatim_quote(read.quote, text) and not content.text_rules.instructive(text)
    return read.agreed and own and len(text) <= ANSWER_LENGTH


def _agreed(turn: Turn[Session], session: Session, aim: WrapUpAim) -> Findings:
    if aim is WrapUpAim.END:
        return Findings(events=(SessionClosed(),), hooks=(Hook(type="session_completed", data={"by": "user"}),))
    if session.current_part is Part.CLOSING:
        return Findings(events=(WrapUpAgreed(),))
    moved = part_transition(turn, session, Part.CLOSING, "the user agreed to wrap up")
    return Findings(events=(WrapUpAgreed(), ClosingAsked()), records=(moved,))
