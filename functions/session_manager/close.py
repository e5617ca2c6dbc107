"""The closing work of an ended session: a summary for the user, their goals, and an outlook on the next session.

Each sentence and goal rests on the user's words. While no model is reachable, a closing by rule stands in and is
replaced later. Closing and user profile are written in one commit with the session; an erased session gets neither.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from functions.session_manager.prompting import PROMPTS
from functions.session_manager.provenance import (
    SourcedSentence,
    SpokenTurns,
    sentences,
    shortened_sources,
    sourced,
    still_in,
    unsourced,
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
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.profile import NAME_SLOT, Profile, merge
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import Source, SourcedText
from shared.domain.counseling.task import Part
from shared.domain.ids import ConversationId
from shared.domain.records import Rewritten
from shared.domain.slots import MAX_TEXT, SlotValue
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.extra_writes import DocumentUpdate
from shared.engine.job_scope import JobScope
from shared.engine.jobs import JobOutcome, JobResult
from shared.locale import Locale, Register
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.rules import GuardRules
from shared.safety.output_guard.situation import Situation
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote, plain
from shared.services.counseling.instruction_filter import InstructionFilter
from shared.services.counseling.job_context import CounselingJobContext, delivery_of
from shared.services.counseling.prompt_slots import slots_for_prompt


@dataclass(frozen=True)
class Goal:
    """A goal and where the user said it; None if the turn is not known."""

    text: str
    source: Source | None


@dataclass(frozen=True)
class KeptClosing:
    """The texts of a closing that are kept.

    Attributes:
        little: The model found nothing that the user told.
    """

    sentences: tuple[SourcedText, ...]
    goals: tuple[Goal, ...]
    next_session: tuple[SourcedText, ...]
    little: bool = False


_STANDS_IN = ("closing_to_follow", "closing_to_follow_without_words")
_FOR_GOOD = ("closing_by_rule", "closing_by_rule_without_words")
"""Opening messages of the summary: with and without values from the user."""
AGENT = "closer"
NEWEST_TURNS = 30
DIALOGUE_CHARACTERS = 12_000
MOST_TURNS, MOST_CHARACTERS = 60, 40_000
"""Maximum turns and characters that are read for what no summary holds."""
GOAL_SLOT = "session_goal"
"""Slot of the user's goal in every template (`shared/content/data/tasks.yaml`)."""
MOST_GOALS, GOAL_LENGTH = 3, 120
SHORTEST_REPEATED = 4
"""Minimum characters of words that are not repeated."""
_NEXT_LENGTH, _SUMMARY_LENGTH = 300, 1200
_MOST_SENTENCES, _MOST_AHEAD = 8, 2
_OF_A_REPLY = frozenset({Category.REGISTER, Category.ENDING, Category.REPEATED, Category.MEMORY})
"""Categories that are wrong only in a reply: a closing may say that the session is over and what was said in it."""
_GUARD = Situation(record=True, languages=frozenset(Locale))


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
    next_session: tuple[SourcedSentence, ...] = Field(
        description="To the client: one or two sentences on what could come next; or empty", max_length=_MOST_AHEAD
    )
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
    prompt=Prompt(PROMPTS, AGENT, 5, ClosingInput),
    answers=ClosingWork,
    safe_default=ClosingWork(goals=(), sentences=(), next_session=(), suggested_level=1),
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
    check = _Check(spoken)
    work = await context.runner.ask(CLOSER, _input(session, messages, given), scope, check.wrong)
    if scope.ledger.failed(AGENT):
        return await context.postpone(identifier, scope, AGENT)
    instruction_filter = InstructionFilter(context.content.text_rules, AGENT, identifier)
    own = own_goal(context.content, session)
    kept = keep_what_was_said(work, own, spoken, context.content.guard_rules, instruction_filter, session.danger_turns)
    instruction_filter.tell(session.seq)

    def found(state: Session) -> JobOutcome[Session] | None:
        if not still_due(state, Work.CLOSE, payload.seq):
            return None
        return _closed(state, _record(context, state, kept, work.suggested_level))

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
        goals, goal_sources = _goals_of(own_goal(context.content, state))
        summary, sources = summary_by_rule(context.content, state, stands_in=stands_in)
        closing = Closing(
            record_id=CLOSING_ID,
            created_at=context.clock.now(),
            expire_at=state.expire_at,
            origin=ClosingOrigin.RULE,
            summary=summary,
            summary_sources=sources,
            suggested_level=state.user_persona.counseling_level,
            goals=goals,
            goal_sources=goal_sources,
        )
        return _closed(state, closing, stands_in=stands_in)

    if stands_in:
        return await context.settle(identifier, context.scope(session), found)
    return await context.give_up(payload, found)


def _closed(session: Session, closing: Closing, *, stands_in: bool = False) -> JobOutcome[Session]:
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
        return merge(profile, *for_profile(session, closing), closing.created_at)

    record = closing if session.stand_in_summary is None else Rewritten(closing)
    return JobOutcome(events=(done,), records=(record,), user=DocumentUpdate(session.user_id, Profile, taken_in))


class _Check:
    """Asks once for the quotes that are missing; after that, code leaves out what has none."""

    def __init__(self, spoken: SpokenTurns) -> None:
        self._spoken = spoken
        self._asked = False

    def wrong(self, work: ClosingWork) -> str | None:
        asked, self._asked = self._asked, True
        if not work.summary.strip():
            return None if asked else "summary is empty"
        return None if asked else unsourced((*work.sentences, *work.next_session), self._spoken) or None


def _input(session: Session, messages: Sequence[Message], given: dict[str, str]) -> ClosingInput:
    return ClosingInput(
        casual=session.register_ is Register.CASUAL,
        level=session.user_persona.counseling_level,
        part=session.current_part.value,
        at_risk=session.risk.since_seq is not None or session.risk.over_seq is not None,
        known=given,
        summary="" if session.summary_sources else session.summary_text,
        sources=shortened_sources(session),
        lines=lines(messages, _characters(session, messages)),
        goals_before=session.carried.goals if session.carried else (),
    )


def _characters(session: Session, messages: Sequence[Message]) -> int:
    """Return how much of the dialogue is read: at least all that the summary does not hold."""
    fresh = sum(len(each.text) for each in messages if each.seq > session.seq - session.unsummarized)
    return max(DIALOGUE_CHARACTERS, min(fresh, MOST_CHARACTERS))


def _record(context: CounselingJobContext, session: Session, kept: KeptClosing, level: int) -> Closing:
    """Return the closing; where almost nothing was told, it says just that."""
    content = context.content
    summary = _within(kept.sentences, _SUMMARY_LENGTH)
    origin, sources = ClosingOrigin.MODEL, still_in(summary, kept.sentences)
    if not summary and kept.little and not session.user_info:
        summary = content.messages(session.locale, session.register_).text("closing_of_little")
    elif not summary:
        origin = ClosingOrigin.RULE
        summary, sources = summary_by_rule(content, session)
    worked = any(task.part is Part.EXPLORATION and task.sufficient_at is not None for task in session.tasks)
    goals, goal_sources = _goals_of(own_goal(content, session), kept.goals)
    return Closing(
        record_id=CLOSING_ID,
        created_at=context.clock.now(),
        expire_at=session.expire_at,
        origin=origin,
        summary=summary,
        summary_sources=sources,
        next_session=_within(kept.next_session, _NEXT_LENGTH),
        suggested_level=next_level(session.user_persona.counseling_level, level, worked=worked),
        goals=goals,
        goal_sources=goal_sources,
    )


def _goals_of(own: Goal | None, others: Iterable[Goal] = ()) -> tuple[tuple[str, ...], tuple[SourcedText, ...]]:
    """Return a closing's goals, three at most, and their sources; a goal whose turn is not known has none."""
    distinct: dict[str, Goal] = {}
    for goal in (*((own,) if own else ()), *others):
        distinct.setdefault(goal.text, goal)
    kept = [*distinct.values()][:MOST_GOALS]
    return (
        tuple(goal.text for goal in kept),
        tuple(with_source(goal.text, goal.source) for goal in kept if goal.source),
    )


def _within(sentences: Sequence[SourcedText], limit: int) -> str:
    """Return the first sentences that fit the limit (in characters)."""
    text = ""
    for each in sentences:
        longer = f"{text} {each.text}".strip()
        if len(longer) > limit:
            break
        text = longer
    return text


def keep_what_was_said(
    work: ClosingWork,
    own: Goal | None,
    spoken: SpokenTurns,
    guard_rules: GuardRules,
    instruction_filter: InstructionFilter,
    danger_turns: Collection[int] = (),
) -> KeptClosing:
    """Return a model's closing without sentences and goals whose quote the user did not say.

    A goal in the words of the user's `own` one adds nothing. Sentences that instruct a model, those that the output
    guard would cut from a reply, and what repeats words of a turn about a danger are left out; so is a goal from one.
    """

    def repeats(each: SourcedText) -> bool:
        """Whether a text holds the user's words of a turn about a danger, which they do not read again."""
        words = (line for line in sentences(each.quote) if len(plain(line)) >= SHORTEST_REPEATED)
        return each.seq in danger_turns and any(is_verbatim_quote(line, each.text) for line in words)

    def fit(proposed: Iterable[SourcedSentence]) -> tuple[SourcedText, ...]:
        told = (each for each in sourced(proposed, spoken) if sayable(each.text, guard_rules) and not repeats(each))
        return tuple(each for each in told if instruction_filter.items([each.text]))

    stated = f"{own.text}\n{own.source.quote if own.source else ''}" if own else ""
    goals = [
        Goal(" ".join(each.goal.split())[:GOAL_LENGTH], spoken.source(0, each.quote))
        for each in work.goals
        if not is_verbatim_quote(each.quote, stated)
    ]
    return KeptClosing(
        sentences=fit(work.sentences),
        goals=tuple(
            goal
            for goal in goals
            if goal.source and goal.source.seq not in danger_turns
            if goal.text and instruction_filter.items([goal.text])
        ),
        next_session=fit(work.next_session),
        little=not work.sentences,
    )


def sayable(text: str, guard_rules: GuardRules) -> bool:
    """Return whether the output guard would leave a text in a reply."""
    found = OutputGuard(guard_rules, _GUARD, str).over(text).category
    return found is None or found in _OF_A_REPLY


def for_profile(session: Session, closing: Closing) -> tuple[Session, Closing]:
    """Return session and closing for the profile, without the user's words and the name of turns about a danger."""
    aside = session.danger_turns
    given, named = session.user_info, session.info_sources.get(NAME_SLOT)
    if named and named.seq in aside:
        given = {slot: value for slot, value in given.items() if slot != NAME_SLOT}
    calm = {
        "summary_sources": without_words(closing.summary_sources, aside),
        "goal_sources": without_words(closing.goal_sources, aside),
    }
    return session.model_copy(update={"user_info": given}), closing.model_copy(update=calm)


def summary_by_rule(
    content: Content, session: Session, *, stands_in: bool = False
) -> tuple[str, tuple[SourcedText, ...]]:
    """Return the user's values by label and the session's summary after an opening sentence, with their sources.

    A stand-in says that another summary follows. What rests on turns about a danger is left out, so that the user does
    not read it; of a summary whose sources are not known all, if there were such turns.
    """
    messages, rules = content.messages(session.locale, session.register_), content.text_rules

    def fit(each: SourcedText) -> bool:
        return each.seq not in session.danger_turns and not rules.instructive(each.text)

    values = [each for each in _given(session, messages) if fit(each)]
    memory = [each for each in session.summary_sources if fit(each) and sayable(each.text, content.guard_rules)]
    before = " ".join(each.text for each in memory)
    if not session.summary_sources and not session.danger_turns:
        before = rules.without_instructions(session.summary_text).text
    gathered = [*(each.text for each in values), *([before] if before else [])]
    with_words, without = _STANDS_IN if stands_in else _FOR_GOOD
    summary = "\n".join([messages.text(with_words if gathered else without), *gathered])[:_SUMMARY_LENGTH].rstrip()
    return summary, still_in(summary, [each for each in (*values, *memory) if each.seq])


def own_goal(content: Content, session: Session) -> Goal | None:
    """Return the goal that the user stated when asked; None for one of a turn about a danger."""
    voiced, source = session.user_info.get(GOAL_SLOT), session.info_sources.get(GOAL_SLOT)
    goal = " ".join(voiced.split())[:GOAL_LENGTH] if isinstance(voiced, str) else ""
    if not goal or content.text_rules.instructive(goal) or (source and source.seq in session.danger_turns):
        return None
    return Goal(goal, source)


def _given(session: Session, messages: Messages) -> Iterator[SourcedText]:
    """Yield the user's values by label; the source of older values is not known (turn 0)."""
    slots = (slot for task in session.tasks for slot in task.slots)
    labels = {slot.name: slot.label for slot in slots if not slot.agrees}
    for name, value in session.user_info.items():
        if name in labels and (said := _said(value, messages)):
            source = session.info_sources.get(name) or Source(seq=0, quote="")
            yield with_source(f"{labels[name]}: {said}", source)


def _said(value: SlotValue, messages: Messages) -> str:
    if isinstance(value, bool):
        return messages.text("said_yes" if value else "said_no")
    return " ".join(str(value).split())
