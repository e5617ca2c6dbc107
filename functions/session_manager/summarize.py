"""The summary: what leaves the prompts' window is folded into it, in the user's own words."""

import re

from pydantic import BaseModel, ConfigDict, Field

from functions.session_manager.prompting import PROMPTS
from shared.contracts.tasks import TaskPayload
from shared.domain.counseling.background_events import Summarized
from shared.domain.counseling.due import heard_upto, still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from shared.domain.model import Model
from shared.domain.slots import SlotKind
from shared.engine.agent import Agent
from shared.engine.jobs import Found, JobResult
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.workbench import CounselingBench

AGENT = "summarizer"
LONGEST_SUMMARY = 1200
"""Characters: the prompt's size does not grow with the session (seed 004)."""
DIALOGUE_CHARACTERS = 24_000
MOST_TURNS = 30
"""Turns that are folded in at once, at most, should earlier summaries have failed."""
_SENTENCE_END = re.compile(r"[.!?…。](?=\s|$)")


class Summary(BaseModel):
    """The model's summary."""

    model_config = ConfigDict(frozen=True)

    summary: str = Field(description=f"The whole new summary, at most {LONGEST_SUMMARY} characters")


class SummaryInput(Model):
    """What the prompt is rendered from."""

    limit: int
    summary: str
    known: dict[str, str]
    lines: tuple[Line, ...]


SUMMARIZER = Agent(
    name=AGENT, prompt=Prompt(PROMPTS, AGENT, 1, SummaryInput), answers=Summary, safe_default=Summary(summary="")
)


async def summarize(bench: CounselingBench, payload: TaskPayload) -> JobResult:
    """Fold the turns since the last summary, up to `payload.seq`, into it."""
    identifier, seq = ConversationId(payload.conversation_id), payload.seq
    session = await bench.state(identifier)
    if session is None or not still_due(session, Work.SUMMARIZE, seq):
        return JobResult.MOOT
    fresh = heard_upto(session, seq) - session.watermarks.summarized
    messages = await bench.turns(session, seq, min(fresh, MOST_TURNS))
    scope = bench.scope(session)
    given = SummaryInput(
        limit=LONGEST_SUMMARY,
        summary=session.summary_text,
        known=known(session),
        lines=lines(messages, DIALOGUE_CHARACTERS),
    )
    answer = await bench.runner.ask(SUMMARIZER, given, scope, _wrong)
    if scope.ledger.failed(AGENT):
        return await bench.postpone(identifier, scope)

    def found(state: Session) -> Found[Session] | None:
        if not still_due(state, Work.SUMMARIZE, seq):
            return None
        summary = kept(answer.summary, names(state))
        return Found(events=(Summarized(summary=summary, upto=heard_upto(state, seq)),))

    return await bench.settle(identifier, scope, found)


async def leave_out(bench: CounselingBench, payload: TaskPayload) -> JobResult:
    """Give up on folding these turns in: the old summary stays, and the next one begins behind them.

    What no model could make a summary of would spoil each later one that began with it. The messages stay stored.
    """
    return await bench.give_up(
        payload,
        lambda state: (Summarized(summary=state.summary_text, upto=heard_upto(state, payload.seq)),),
    )


def kept(summary: str, wanted: dict[str, str]) -> str:
    """Return a summary within its length that holds every wanted value: what is missing goes in front."""
    text = summary.strip()
    for _ in range(2):  # a cut may take a value away
        lost = [f"{label}: {value}." for label, value in wanted.items() if value not in text]
        front = " ".join(lost)
        text = _cut(text, LONGEST_SUMMARY - len(front) - 1)
        text = f"{front} {text}".strip()
    return text


def names(session: Session) -> dict[str, str]:
    """Return the names that the user gave, by label."""
    slots = (slot for task in session.tasks for slot in task.slots if slot.kind is SlotKind.NAME)
    return {slot.label: str(session.user_info[slot.name]) for slot in slots if slot.name in session.user_info}


def known(session: Session) -> dict[str, str]:
    """Return what the user gave, by label."""
    labels = {slot.name: slot.label for task in session.tasks for slot in task.slots}
    return {labels.get(name, name): str(value) for name, value in session.user_info.items()}


def _wrong(answer: Summary) -> str | None:
    return None if answer.summary.strip() else "summary is empty"


def _cut(text: str, limit: int) -> str:
    """Cut at the last sentence's end that fits. The newest is lost first, and the window still holds that."""
    if len(text) <= limit:
        return text
    ends = [end.end() for end in _SENTENCE_END.finditer(text, 0, limit)]
    return text[: ends[-1]] if ends else text[: limit - 1] + "…"
