"""The summary: takes in the turns that leave the prompts' window, in the user's own words."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from functions.session_manager.fidelity import Fidelity
from functions.session_manager.prompting import PROMPTS
from functions.session_manager.provenance import SourcedSentence, shortened_sources
from functions.session_manager.summary_validation import SummarySources, ValidatedSummary, validate_summary
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import Message
from shared.domain.counseling.background_events import Summarized
from shared.domain.counseling.due import heard_upto, still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import SourcedText
from shared.domain.ids import ConversationId
from shared.domain.slots import Slot, SlotKind
from shared.engine.agent import Agent, AnswerSchema, unsent
from shared.engine.job_scope import JobScope
from shared.engine.jobs import JobOutcome, JobResult
from shared.engine.memory import LONGEST_SUMMARY
from shared.model import Model
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.job_context import CounselingJobContext, delivery_of
from shared.services.counseling.prompt_slots import slots_for_prompt

log = logging.getLogger(__name__)

AGENT = "summarizer"
DIALOGUE_CHARACTERS = 32_000
"""Maximum characters of dialogue in one summary: six turns of the longest messages and replies, a whole period."""
MOST_TURNS = 30
"""Maximum turns of one summary, the oldest first; the next summary takes the rest."""
MOST_SENTENCES = 300
"""Maximum sentences of a model's summary, of which code keeps what fits."""
MOST_SUMMARIES = 3
"""Maximum summaries of one job, to catch up; they share the job's time."""


class Summary(AnswerSchema):
    """The model's summary."""

    sentences: tuple[SourcedSentence, ...] = Field(
        description=f"The whole new summary, oldest matter first, at most {LONGEST_SUMMARY} characters of text",
        max_length=MOST_SENTENCES,
        json_schema_extra=unsent,
    )

    @property
    def summary(self) -> str:
        """The text of the sentences."""
        return " ".join(each.text.strip() for each in self.sentences)


class SummaryInput(Model):
    """Prompt variables.

    Attributes:
        summary: The summary so far, without the sentences in `sources`.
        sources: Its sentences with the client's words for them.
    """

    limit: int
    summary: str
    sources: tuple[SourcedText, ...] = ()
    known: dict[str, str]
    lines: tuple[Line, ...]


SUMMARIZER = Agent(
    name=AGENT, prompt=Prompt(PROMPTS, AGENT, 3, SummaryInput), answers=Summary, safe_default=Summary(sentences=())
)


@dataclass(frozen=True)
class _Folded:
    """Turns for one summary.

    Attributes:
        upto: The last turn.
        given: User messages that the summary covered before.
    """

    session: Session
    messages: Sequence[Message]
    upto: int
    given: int

    def open(self, state: Session, seq: int) -> bool:
        """Return whether the summary is due and no other one has taken in these turns."""
        return still_due(state, Work.SUMMARIZE, seq) and state.watermarks.summarized == self.given


async def summarize(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Add the turns since the last summary, up to `payload.seq`, oldest first, to the summary."""
    ends = context.clock.monotonic() + context.job_s
    result = await _summarize(context, payload, ends)
    for _ in range(MOST_SUMMARIES - 1):
        if result is not JobResult.DONE or context.clock.monotonic() > ends - context.job_s / 2:
            break
        more = await _summarize(context, payload, ends)
        if more is JobResult.MOOT:
            break
        result = more
    return result


async def leave_out(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Give up on a model for the turns of one summary: their facts are added by rule; later turns stay due.

    Otherwise every later summary would begin with these turns and fail. The messages stay stored.
    """
    session = await context.state(ConversationId(payload.conversation_id))
    if session is None:
        return JobResult.MOOT
    if not still_due(session, Work.SUMMARIZE, payload.seq):
        return JobResult.MOOT
    folded = await _oldest(context, session, payload.seq)

    def by_rule(state: Session) -> JobOutcome[Session] | None:
        if not folded.open(state, payload.seq):
            return None
        before = SourcedText(seq=0, quote="", text=state.summary_text)
        held = validate_summary((before,), _ground(context, state, folded.messages), context.content.text_rules)
        return JobOutcome(events=(_summarized(held, heard_upto(state, folded.upto)),))

    return await context.give_up(payload, by_rule)


def names(session: Session) -> dict[str, str]:
    """Return the names that the user gave, by label."""
    return {
        slot.label: str(session.user_info[slot.name]) for slot in _name_slots(session) if slot.name in session.user_info
    }


def _name_slots(session: Session) -> Iterator[Slot]:
    return (slot for task in session.tasks for slot in task.slots if slot.kind is SlotKind.NAME)


def _summarized(held: ValidatedSummary, upto: int) -> Summarized:
    return Summarized(summary=held.summary, upto=upto, sources=held.sources)


async def _summarize(context: CounselingJobContext, payload: TaskPayload, ends: float) -> JobResult:
    identifier, seq = ConversationId(payload.conversation_id), payload.seq
    session = await context.state(identifier)
    if session is None or not still_due(session, Work.SUMMARIZE, seq):
        return JobResult.MOOT
    folded = await _oldest(context, session, seq)
    async with context.claimed(session, delivery_of(payload), lambda state: folded.open(state, seq)) as scope:
        if isinstance(scope, JobResult):
            return scope
        scope.deadline = ends
        return await _fold(context, payload, folded, scope)


async def _fold(context: CounselingJobContext, payload: TaskPayload, folded: _Folded, scope: JobScope) -> JobResult:
    session, seq = folded.session, payload.seq
    identifier = session.conversation_id
    given = SummaryInput(
        limit=LONGEST_SUMMARY,
        summary="" if session.summary_sources else session.summary_text,
        sources=shortened_sources(session),
        known=slots_for_prompt(session, context.content.messages(session.locale, session.register_)),
        lines=lines(folded.messages, DIALOGUE_CHARACTERS),
    )
    answer = await context.runner.ask(SUMMARIZER, given, scope, _wrong)
    if scope.ledger.failed(AGENT):
        return await context.postpone(identifier, scope, AGENT)
    held: list[ValidatedSummary] = []

    def found(state: Session) -> JobOutcome[Session] | None:
        if not folded.open(state, seq):
            return None
        ground = _ground(context, state, folded.messages)
        fidelity = Fidelity(ground.spoken.said, context.content)
        faithful = [each for each in answer.sentences if not fidelity.is_wrong(each.seq, each.quote, each.text)]
        held.append(validate_summary(faithful, ground, context.content.text_rules))
        return JobOutcome(events=(_summarized(held[-1], heard_upto(state, folded.upto)),))

    result = await context.settle(identifier, scope, found)
    if result is JobResult.DONE:
        _tell(held[-1], session, folded.upto)
    return result


async def _oldest(context: CounselingJobContext, session: Session, seq: int) -> _Folded:
    given = session.watermarks.summarized
    fresh = heard_upto(session, seq) - given
    upto = seq - max(0, fresh - MOST_TURNS)
    messages = await context.turns(session, upto, min(fresh, MOST_TURNS))
    used = 0
    for place, message in enumerate(messages):
        used += len(message.text)
        if used > DIALOGUE_CHARACTERS and message.seq > messages[0].seq:
            whole = [each for each in messages[:place] if each.seq < message.seq]
            return _Folded(session, whole, message.seq - 1, given)
    return _Folded(session, messages, upto, given)


def _ground(context: CounselingJobContext, session: Session, messages: Sequence[Message]) -> SummarySources:
    words = context.content.messages(session.locale, session.register_)
    return SummarySources(
        before=session.summary_text,
        messages=messages,
        names=names(session),
        known=tuple(slots_for_prompt(session, words).values()),
        sources=session.summary_sources,
        name_sources={
            slot.label: session.info_sources[slot.name]
            for slot in _name_slots(session)
            if slot.name in session.info_sources
        },
        checked=tuple(session.info_sources.values()),
    )


def _tell(held: ValidatedSummary, session: Session, seq: int) -> None:
    log_event(
        log,
        LogEvent.SUMMARY,
        conversation=session.conversation_id,
        seq=seq,
        unsourced=held.unsourced,
        invented=held.invented,
        outdated=held.outdated,
        instructive=held.instructive,
        restored=held.restored,
    )


def _wrong(answer: Summary) -> str | None:
    return None if answer.summary.strip() else "summary is empty"
