"""The summary: takes in the turns that leave the prompts' window; each sentence rests on the user's words."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import Field

from functions.session_manager.prompting import PROMPTS
from functions.session_manager.provenance import (
    MOST_OF_A_QUOTE,
    SourcedSentence,
    SpokenTurns,
    sentences,
    shortened_sources,
    unsourced,
    with_source,
)
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import Message
from shared.domain.counseling.background_events import Summarized
from shared.domain.counseling.due import heard_upto, still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import SourcedText
from shared.domain.ids import ConversationId
from shared.engine.agent import Agent, AnswerSchema, unsent
from shared.engine.job_scope import JobScope
from shared.engine.jobs import JobOutcome, JobResult
from shared.engine.memory import LONGEST_SUMMARY
from shared.engine.prose import shortened
from shared.model import Model
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.prompts.catalogue import Prompt
from shared.safety.text_rules import TextRules
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import plain
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
LONGEST_SENTENCE = 400
"""Maximum characters of one sentence."""
MOST_SUMMARIES = 3
"""Maximum summaries of one job, to catch up; they share the job's time."""


_END = re.compile(r"[.!?…。~][\"'”’)\]]*$")


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
    """Give up on a model for the turns of one summary: the summary stays as it is; later turns stay due.

    Otherwise every later summary would begin with these turns and fail. The messages stay stored.
    """
    session = await context.state(ConversationId(payload.conversation_id))
    if session is None:
        return JobResult.MOOT
    if not still_due(session, Work.SUMMARIZE, payload.seq):
        return JobResult.MOOT
    folded = await _oldest(context, session, payload.seq)

    def unchanged(state: Session) -> JobOutcome[Session] | None:
        if not folded.open(state, payload.seq):
            return None
        return JobOutcome(events=(_summarized(state, (), heard_upto(state, folded.upto)),))

    return await context.give_up(payload, unchanged)


@dataclass(frozen=True)
class KeptSummary:
    """The sentences of a summary that are kept.

    Attributes:
        sentences: With their sources; a sentence of a summary that was stored without sources has the turn 0.
        unsourced: Sentences dropped because the user did not say their quote.
        instructive: Sentences dropped because they instruct a model.
        cut: Sentences dropped for the length.
    """

    sentences: tuple[SourcedText, ...] = ()
    unsourced: int = 0
    instructive: int = 0
    cut: int = 0


def kept_sentences(
    proposed: Sequence[SourcedSentence], session: Session, spoken: SpokenTurns, rules: TextRules
) -> KeptSummary:
    """Return the sentences that rest on the user's words, within the summary's length.

    A sentence that repeats one of the summary so far keeps that one's source. Over the length the oldest sentences go,
    those about a danger (`Session.danger_turns`) last.
    """
    before = {plain(line): SourcedText(text=line, seq=0, quote="") for line in sentences(session.summary_text)}
    before |= {plain(one.text): one for one in session.summary_sources}
    found: dict[str, SourcedText] = {}
    lost = orders = 0
    for each in proposed:
        source, borne = spoken.source(each.seq, each.quote), 0
        for line in sentences(each.text):
            known = before.get(plain(line))
            if known is None and source is not None and borne < MOST_OF_A_QUOTE:
                borne += 1
                # A quote that gives orders to a model is not repeated to one.
                told = source.model_copy(update={"quote": ""}) if rules.instructive(source.quote) else source
                known = with_source(_whole(line), told)
            if known is None:
                lost += 1
            elif rules.instructive(line):
                orders += 1
            else:
                found.setdefault(plain(line), known)
    held = list(found.values())
    while len(_text(held)) > LONGEST_SUMMARY:
        held.remove(next((one for one in held if one.seq not in session.danger_turns), held[0]))
    return KeptSummary(tuple(held), lost, orders, len(found) - len(held))


def _whole(line: str) -> str:
    """Return a sentence within its length, with a mark at its end, so that it stays one among others."""
    if len(line) > LONGEST_SENTENCE:
        return shortened(line, LONGEST_SENTENCE)
    return line if _END.search(line) else f"{line}."


def _text(held: Sequence[SourcedText]) -> str:
    return " ".join(one.text for one in held)


def _summarized(state: Session, held: Sequence[SourcedText], upto: int) -> Summarized:
    """Return the new summary; the one so far stays if no sentence of the new one is kept."""
    if not held:
        return Summarized(summary=state.summary_text, upto=upto, sources=state.summary_sources)
    return Summarized(summary=_text(held), upto=upto, sources=tuple(one for one in held if one.seq))


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
    check = _Check(SpokenTurns.of(folded.messages, session), frozenset(one.seq for one in session.summary_sources))
    answer = await context.runner.ask(SUMMARIZER, given, scope, check.wrong)
    if scope.ledger.failed(AGENT):
        return await context.postpone(identifier, scope, AGENT)
    held: list[KeptSummary] = []

    def found(state: Session) -> JobOutcome[Session] | None:
        if not folded.open(state, seq):
            return None
        held.append(kept_sentences(answer.sentences, state, check.spoken, context.content.text_rules))
        return JobOutcome(events=(_summarized(state, held[-1].sentences, heard_upto(state, folded.upto)),))

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


@dataclass
class _Check:
    """Asks once for missing quotes and for fewer words; after that, code leaves out what it must."""

    spoken: SpokenTurns
    before: frozenset[int] = frozenset()
    """Turns of the summary so far."""
    asked: bool = field(default=False)

    def wrong(self, answer: Summary) -> str | None:
        if not answer.summary.strip():
            return "summary is empty"
        if self.asked:
            return None
        self.asked = True
        length, kept = len(answer.summary), self.before.intersection(one.seq for one in answer.sentences)
        problems = (
            unsourced(answer.sentences, self.spoken),
            "the summary so far is missing: repeat its sentences that still hold"
            if 2 * len(kept) < len(self.before)
            else "",
            f"all texts together have {length} characters, at most {LONGEST_SUMMARY} are kept: say it shorter"
            if length > LONGEST_SUMMARY
            else "",
        )
        return "; ".join(filter(None, problems)) or None


def _tell(held: KeptSummary, session: Session, seq: int) -> None:
    log_event(
        log,
        LogEvent.SUMMARY,
        conversation=session.conversation_id,
        seq=seq,
        unsourced=held.unsourced,
        instructive=held.instructive,
        cut=held.cut,
    )
