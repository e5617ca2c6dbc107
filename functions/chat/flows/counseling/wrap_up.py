"""The user's answer to a proposal to close: only a plain yes by rule agrees; a model hears a no or leaves it open."""

from enum import Enum, auto

from pydantic import Field

from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.prompting import PROMPTS
from shared.content.catalogue import Content
from shared.content.instructions import instructive
from shared.content.lexicon import Answer
from shared.domain.counseling.lifecycle import transition_id
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.session import WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import (
    ClosingAsked,
    SessionClosed,
    WrapUpAgreed,
    WrapUpDeclined,
    WrapUpUnclear,
)
from shared.domain.counseling.task import Part
from shared.domain.turn import Hook
from shared.engine.agent import Agent, AnswerSchema
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.evidence import is_verbatim_quote

AGENT = "wrap_up_answer"
ANSWER_LENGTH = 40
"""Characters up to which a message can be no more than an answer; a longer one goes on telling. Own threshold."""
MOST_UNCLEAR = 1
"""Unclear answers after which a proposal is put once more; the next one counts as a no."""


class AnswerReading(Enum):
    """What an answer to a proposal is."""

    AGREED = auto()
    DECLINED = auto()
    UNCLEAR = auto()


class WrapUpAnswer(AnswerSchema):
    """The model's reading of an unclear answer."""

    quote: str = Field(description="The user's own words that agree, verbatim; empty if they do not")
    agreed: bool


class WrapUpInput(Model):
    """What the prompt is rendered from."""

    aim: str
    proposal: str
    text: str


READER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 2, WrapUpInput),
    answers=WrapUpAnswer,
    safe_default=WrapUpAnswer(quote="", agreed=False),
)


async def read_answer(progress: Progress, content: Content) -> None:
    """Read the message as the answer to the last reply's proposal, if it made one before the message came.

    In a follow-through, and with who is under 14, only the question whether to end counts, and only a plain yes to it:
    who wants to leave may.
    """
    wrap_up = progress.state.wrap_up
    if wrap_up is None or wrap_up.stage is not WrapUpStage.PROPOSED or wrap_up.seq != progress.turn.state.seq:
        return
    if not progress.turn.answers:
        return
    followed = progress.state.risk.follow_through or progress.state.under_14
    if followed and wrap_up.aim is not WrapUpAim.END:
        return
    match await _read(progress, wrap_up.aim, content, followed=followed):
        case AnswerReading.AGREED:
            _agree(progress, wrap_up.aim)
        case AnswerReading.UNCLEAR if wrap_up.unclear < MOST_UNCLEAR:
            progress.note(WrapUpUnclear(seq=progress.turn.seq))
        case _:
            progress.note(WrapUpDeclined())


async def _read(progress: Progress, aim: WrapUpAim, content: Content, *, followed: bool) -> AnswerReading:
    """Read the message; in a follow-through nobody asks again, and what is no plain yes is a no."""
    turn, lexicon = progress.turn, content.lexicon
    answer = Answer.CANCEL if content.session_words.wants_more(turn.text) else lexicon.answer(turn.text)
    hesitant = aim is WrapUpAim.END and lexicon.hesitates(turn.text)
    if answer is not Answer.UNCLEAR or followed or hesitant or lexicon.is_ambiguous(turn.text):
        turn.scope.ledger.ruled(AGENT, answer.value, "pattern")
        if answer is Answer.UNCLEAR and not followed:
            return AnswerReading.UNCLEAR
        return AnswerReading.AGREED if answer is Answer.CONFIRM else AnswerReading.DECLINED
    return AnswerReading.UNCLEAR if await _may_agree(progress, aim) else AnswerReading.DECLINED


async def _may_agree(progress: Progress, aim: WrapUpAim) -> bool:
    """Tell whether a model hears agreement in an unclear message. That leaves the question open, and closes nothing."""
    turn = progress.turn
    proposal = turn.state.recent[-1].text if turn.state.recent else ""
    given = WrapUpInput(aim=aim.value, proposal=proposal, text=turn.text)
    read = await turn.runner.ask(READER, given, turn.scope)
    own = is_verbatim_quote(read.quote, turn.text) and not instructive(turn.text)
    return read.agreed and own and len(turn.text) <= ANSWER_LENGTH


def _agree(progress: Progress, aim: WrapUpAim) -> None:
    if aim is WrapUpAim.END:
        progress.note(SessionClosed())
        progress.hooks.append(Hook(type="session_completed", data={"by": "user"}))
    else:
        _move_to_closing(progress)


def _move_to_closing(progress: Progress) -> None:
    turn, part = progress.turn, progress.state.current_part
    progress.note(WrapUpAgreed())
    if part is Part.CLOSING:
        return
    progress.note(ClosingAsked())
    progress.records.append(
        PartTransition(
            record_id=transition_id(progress.state, part, Part.CLOSING),
            created_at=turn.now,
            expire_at=turn.state.expire_at,
            from_part=part,
            to_part=Part.CLOSING,
            seq=turn.seq,
            reason="the user agreed to wrap up",
        )
    )
