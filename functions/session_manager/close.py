"""The closing work of an ended session: a summary for the user, their goals, and an outlook on the next session.

While no model is reachable, a closing by rule stands in and is replaced later.
Closing and user profile are written in one commit with the session; an erased session gets neither.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from functions.session_manager.closing_words import (
    GOAL_LENGTH,
    GOAL_SLOT,
    MOST_GOALS,
    ClosingWords,
    VoicedGoal,
    dated,
    undated,
)
from functions.session_manager.facts import sentences
from functions.session_manager.fidelity import Fidelity
from functions.session_manager.grounding import Bearing, Grounds, goal_sources, grounds_of
from functions.session_manager.prompting import PROMPTS
from functions.session_manager.provenance import (
    Proposed,
    SourcedSentence,
    SpokenTurns,
    shortened_sources,
    sourced,
    still_in,
    with_source,
    without_words,
)
from shared.content.catalogue import Content
from shared.content.schemas.messages import Messages
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import Message
from shared.domain.counseling.background_events import ClosingWorkDone
from shared.domain.counseling.closing import CLOSING_ID, Closing, ClosingOrigin
from shared.domain.counseling.due import still_due
from shared.domain.counseling.level import next_level
from shared.domain.counseling.lifecycle import SUMMARIZE_EVERY, Work
from shared.domain.counseling.profile import NAME_SLOT, Profile, merge
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import SourcedText
from shared.domain.counseling.task import Part
from shared.domain.ids import ConversationId
from shared.domain.records import Rewritten
from shared.domain.slots import MAX_TEXT, SlotValue
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.extra_writes import DocumentUpdate
from shared.engine.job_scope import JobScope
from shared.engine.jobs import JobOutcome, JobResult
from shared.locale import Register
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.text_rules import TextRules
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote
from shared.services.counseling.instruction_filter import InstructionFilter
from shared.services.counseling.job_context import CounselingJobContext, delivery_of, users_words
from shared.services.counseling.prompt_slots import slots_for_prompt


class ProposedClosing(Protocol):
    """The texts of a model's closing."""

    @property
    def sentences(self) -> Sequence[Proposed]:
        """The summary, sentence by sentence."""

    @property
    def goals(self) -> Sequence[VoicedGoal]:
        """Goals with the user's words for each."""

    @property
    def next_session(self) -> str:
        """The outlook."""


@dataclass(frozen=True)
class KeptClosing:
    """The texts of a closing, each sentence and goal with its source."""

    sentences: tuple[SourcedText, ...]
    goals: tuple[str, ...]
    goal_sources: tuple[SourcedText, ...]
    next_session: str


_STANDS_IN = ("closing_to_follow", "closing_to_follow_without_words")
_FOR_GOOD = ("closing_by_rule", "closing_by_rule_without_words")
"""Opening messages of the summary: with and without values from the user."""
AGENT = "closer"
NEWEST_TURNS = 30
DIALOGUE_CHARACTERS = 12_000
LATE_SUMMARY = 2 * SUMMARIZE_EVERY
"""Unsummarized user messages from which the summary is taken to have failed."""
MOST_TURNS, MOST_CHARACTERS = 60, 40_000
"""Maximum turns and characters that are read if the summary failed."""
_NEXT_LENGTH, _SUMMARY_LENGTH = 300, 1200
_MOST_SENTENCES = 8


class GoalKept(AnswerSchema):
    """A goal of the user's."""

    quote: str = Field(description="The client's own words that hold it, verbatim")
    goal: str


class ClosingWork(AnswerSchema):
    """The model's closing work."""

    goals: tuple[GoalKept, ...] = Field(
        description="At most three, and only what the client wished for; or empty",
        max_length=20,
        json_schema_extra={"maxItems": MOST_GOALS},
    )
    sentences: tuple[SourcedSentence, ...] = Field(
        description="To the client: three to five sentences on what was shared", max_length=_MOST_SENTENCES
    )
    next_session: str = Field(description="One or two sentences: what could come next")
    suggested_level: int = Field(ge=1, le=5, description="Counselling level for the next session")

    @property
    def summary(self) -> str:
        """The text of the sentences."""
        return " ".join(each.text.strip() for each in self.sentences)


class ClosingInput(Model):
    """Prompt variables.

    Attributes:
        summary: The summary of the session, without the sentences in `sources`.
        sources: Its sentences with the client's words for them.
        goals_before: Goals from earlier sessions, newest first.
    """

    casual: bool
    level: int
    part: int
    at_risk: bool
    known: dict[str, str]
    summary: str
    sources: tuple[SourcedText, ...] = ()
    lines: tuple[Line, ...]
    goals_before: tuple[str, ...] = ()


CLOSER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 4, ClosingInput),
    answers=ClosingWork,
    safe_default=ClosingWork(goals=(), sentences=(), next_session="", suggested_level=1),
)


async def close(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Do the closing work, once."""
    identifier = ConversationId(payload.conversation_id)
    session = await context.state(identifier)
    if session is None or not still_due(session, Work.CLOSE, payload.seq):
        return JobResult.MOOT
    delivery = delivery_of(payload)
    async with context.claimed(session, delivery, lambda state: still_due(state, Work.CLOSE, payload.seq)) as scope:
        return scope if isinstance(scope, JobResult) else await _close(context, payload, session, scope)


async def _close(context: CounselingJobContext, payload: TaskPayload, session: Session, scope: JobScope) -> JobResult:
    identifier = session.conversation_id
    messages = await context.turns(session, session.seq, min(MOST_TURNS, max(NEWEST_TURNS, session.unsummarized)))
    given = slots_for_prompt(session, context.content.messages(session.locale, session.register_), longest=MAX_TEXT)
    spoken = SpokenTurns.of(messages, session)
    check = _Check(context.content.text_rules, spoken)
    work = await context.runner.ask(CLOSER, _input(session, messages, given), scope, check.wrong)
    if scope.ledger.failed(AGENT):
        return await context.postpone(identifier, scope, AGENT)
    words = "\n".join([users_words(messages), *given.values(), *(each.quote for each in spoken.checked)])
    grounds = grounds_of(context.content, session, words)
    instruction_filter = InstructionFilter(context.content.text_rules, AGENT, identifier)
    kept = keep_what_was_told(work, session, spoken, grounds, context.content, instruction_filter)
    instruction_filter.tell(session.seq)
    little = Bearing(context.content).tells_little(messages)

    def found(state: Session) -> JobOutcome[Session] | None:
        if not still_due(state, Work.CLOSE, payload.seq):
            return None
        return _closed(context, state, _record(context, state, kept, work.suggested_level, little=little))

    return await context.settle(identifier, scope, found)


async def close_by_rule(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Do the closing work without a model, from the user's values and the last summary."""
    return await _close_by_rule(context, payload, stands_in=False)


async def write_provisional_closing(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Write a provisional closing by rule, once; the closing work stays due."""
    return await _close_by_rule(context, payload, stands_in=True)


async def _close_by_rule(context: CounselingJobContext, payload: TaskPayload, *, stands_in: bool) -> JobResult:
    identifier = ConversationId(payload.conversation_id)
    session = await context.state(identifier)
    if session is None:
        return JobResult.MOOT

    def found(state: Session) -> JobOutcome[Session] | None:
        if not still_due(state, Work.CLOSE, payload.seq) or (stands_in and state.closing_made):
            return None
        goals = goals_by_rule(context.content, state)[:MOST_GOALS]
        summary = summary_by_rule(context.content, state, _SUMMARY_LENGTH, stands_in=stands_in)
        closing = Closing(
            record_id=CLOSING_ID,
            created_at=context.clock.now(),
            expire_at=state.expire_at,
            origin=ClosingOrigin.RULE,
            summary=summary,
            summary_sources=sources_by_rule(context.content, state, summary),
            goals=tuple(goal[:GOAL_LENGTH] for goal in goals),
            goal_sources=goal_sources(goals, state, ClosingWords(context.content).own_goal(state)),
            suggested_level=state.user_persona.counseling_level,
        )
        return _closed(context, state, closing, stands_in=stands_in)

    if stands_in:
        return await context.settle(identifier, context.scope(session), found)
    return await context.give_up(payload, found)


def _closed(
    context: CounselingJobContext, session: Session, closing: Closing, *, stands_in: bool = False
) -> JobOutcome[Session]:
    """Return the writes of a closing: session, closing record and user profile; a stand-in is replaced in all three."""
    done = ClosingWorkDone(
        summary=closing.summary,
        goals=closing.goals,
        sources=closing.summary_sources,
        next_session=closing.next_session,
        by_rule=closing.origin is ClosingOrigin.RULE,
        stands_in=stands_in,
    )

    def taken_in(profile: Profile | None) -> Profile:
        calm = for_profile(session, closing, context.content.text_rules)
        return merge(profile, *calm, closing.created_at)

    record = closing if session.stand_in_summary is None else Rewritten(closing)
    return JobOutcome(events=(done,), records=(record,), user=DocumentUpdate(session.user_id, Profile, taken_in))


class _Check:
    """Asks once for another wording of what the user should not read; after that, code leaves it out."""

    def __init__(self, rules: TextRules, spoken: SpokenTurns) -> None:
        self._rules = rules
        self._spoken = spoken
        self._asked = False

    def wrong(self, work: ClosingWork) -> str | None:
        if not self._rules.without_instructions(work.summary).text.strip():
            return "summary is empty, or gives orders to a model"
        if self._asked:
            return None
        self._asked = True
        problems = (
            "summary speaks of suicide or harm: leave that out" if self._rules.alarming(work.summary) else "",
            "next_session is read on another day: no word like today, next time, last time (오늘, 다음에, 지난번)"
            if dated(work.next_session)
            else "",
            "each sentence needs a quote of the client's, verbatim, from the message whose number it names"
            if any(self._spoken.source(each.seq, each.quote) is None for each in work.sentences)
            else "",
        )
        return "; ".join(filter(None, problems)) or None


def _input(session: Session, messages: Sequence[Message], given: dict[str, str]) -> ClosingInput:
    return ClosingInput(
        casual=session.register_ is Register.CASUAL,
        level=session.user_persona.counseling_level,
        part=session.current_part.value,
        at_risk=session.risk.since_seq is not None,
        known=given,
        summary="" if session.summary_sources else session.summary_text,
        sources=shortened_sources(session),
        lines=lines(messages, MOST_CHARACTERS if session.unsummarized >= LATE_SUMMARY else DIALOGUE_CHARACTERS),
        goals_before=session.carried.goals if session.carried else (),
    )


def _record(context: CounselingJobContext, session: Session, kept: KeptClosing, level: int, *, little: bool) -> Closing:
    """Return the closing; of a session with almost nothing told (`little`) it says just that."""
    content, words = context.content, ClosingWords(context.content)
    written = words.calm(" ".join(each.text for each in kept.sentences))[:_SUMMARY_LENGTH]
    if little and not session.user_info:
        written = content.messages(session.locale, session.register_).text("closing_of_little")
    summary = written or summary_by_rule(content, session, _SUMMARY_LENGTH)
    alarms = content.text_rules.alarming(kept.next_session)
    ahead = "" if alarms else words.sayable(undated(kept.next_session))
    worked = any(task.part is Part.EXPLORATION and task.sufficient_at is not None for task in session.tasks)
    return Closing(
        record_id=CLOSING_ID,
        created_at=context.clock.now(),
        expire_at=session.expire_at,
        origin=ClosingOrigin.MODEL if written else ClosingOrigin.RULE,
        summary=summary,
        summary_sources=still_in(written, kept.sentences) if written else sources_by_rule(content, session, summary),
        goals=kept.goals,
        goal_sources=kept.goal_sources,
        next_session=ahead[:_NEXT_LENGTH],
        suggested_level=next_level(session.user_persona.counseling_level, level, worked=worked),
    )


def for_profile(session: Session, closing: Closing, rules: TextRules) -> tuple[Session, Closing]:
    """Return session and closing for the profile, without an alarming "name" and alarming quotes; their turns stay."""
    sources = dict(zip(session.info_sources, without_words(session.info_sources.values(), rules.alarming), strict=True))
    given = session.user_info
    name = given.get(NAME_SLOT)
    if isinstance(name, str) and rules.alarming(name):
        given = {slot: value for slot, value in given.items() if slot != NAME_SLOT}
    calm = {
        "summary_sources": without_words(closing.summary_sources, rules.alarming),
        "goal_sources": without_words(closing.goal_sources, rules.alarming),
    }
    told = session.model_copy(update={"user_info": given, "info_sources": sources})
    return told, closing.model_copy(update=calm)


def summary_by_rule(content: Content, session: Session, limit: int, *, stands_in: bool = False) -> str:
    """Return the user's values by label after an opening sentence, at most `limit` characters.

    A stand-in says that another summary follows. Alarming words are left out, so that the user does not read them.
    """
    messages = content.messages(session.locale, session.register_)
    before = ClosingWords(content).calm(content.text_rules.without_instructions(session.summary_text).text)
    given = (line for _, line in _given(session, messages, content.text_rules))
    gathered = [*given, *([before] if before else [])]
    with_words, without = _STANDS_IN if stands_in else _FOR_GOOD
    opening = messages.text(with_words if gathered else without)
    return "\n".join([opening, *gathered])[:limit].rstrip()


def sources_by_rule(content: Content, session: Session, summary: str) -> tuple[SourcedText, ...]:
    """Return the lines and sentences of a summary by rule with the user's words for them."""
    messages = content.messages(session.locale, session.register_)
    values = (
        with_source(line, session.info_sources[name])
        for name, line in _given(session, messages, content.text_rules)
        if name in session.info_sources
    )
    return still_in(summary, (*values, *session.summary_sources))


def goals_by_rule(content: Content, session: Session) -> tuple[str, ...]:
    """Return the session's goals and the user's stated goal, without alarming and instructive ones."""
    goals = (*session.goals, ClosingWords(content).own_goal(session))
    return tuple(dict.fromkeys(goal for goal in goals if goal and not _unfit(goal, content.text_rules)))


def _given(session: Session, messages: Messages, rules: TextRules) -> Iterator[tuple[str, str]]:
    slots = (slot for task in session.tasks for slot in task.slots)
    labels = {slot.name: slot.label for slot in slots if not slot.agrees}
    for name, value in session.user_info.items():
        said = _said(value, messages)
        if name in labels and said and not _unfit(said, rules):
            yield name, f"{labels[name]}: {said}"


def _unfit(text: str, rules: TextRules) -> bool:
    return rules.alarming(text) or rules.instructive(text)


def _said(value: SlotValue, messages: Messages) -> str:
    if isinstance(value, bool):
        return messages.text("said_yes" if value else "said_no")
    return " ".join(str(value).split())


def keep_what_was_told(
    proposed: ProposedClosing,
    session: Session,
    spoken: SpokenTurns,
    grounds: Grounds,
    content: Content,
    instruction_filter: InstructionFilter,
) -> KeptClosing:
    """Return a proposal without what has no source, what the user did not name, and what instructs a model.

    A sentence whose quote the user said is kept, in whatever words, unless it has another figure or they corrected it
    later. The user's words must bear the outlook: they share a content word or a feeling.
    """
    words, fidelity = ClosingWords(content), Fidelity(spoken.said, content)

    def stays(each: SourcedText) -> bool:
        # What is said to words of danger, and with a help line, is neither counted nor taken back.
        free = content.text_rules.alarming(each.quote) or any(line in each.text for line in grounds.help_lines)
        return free or not fidelity.is_wrong(each.seq, each.quote, each.text)

    told = (each for each in sourced(proposed.sentences, spoken) if grounds.hold(each.text) and stays(each))
    own, stated = words.own_goal(session), session.info_sources.get(GOAL_SLOT)
    grounded = [
        goal
        for goal in proposed.goals
        if grounds.hold(goal.goal)
        if not (own and stated and is_verbatim_quote(goal.quote, stated.quote))
    ]
    goals = instruction_filter.items(words.kept_goals(grounded, grounds.words, own))
    quotes = [(goal.goal, goal.quote) for goal in grounded]
    ahead = sentences(Bearing(content).borne(grounds.told, instruction_filter.text(proposed.next_session)))
    return KeptClosing(
        sentences=tuple(each for each in told if instruction_filter.items([each.text])),
        goals=goals,
        goal_sources=goal_sources(goals, session, own, spoken, quotes),
        next_session=" ".join(sentence for sentence in ahead if grounds.hold(sentence)),
    )
