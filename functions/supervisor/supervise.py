"""Judges the newest turns once; requested improvements reach the next reply."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import JsonValue

from functions.supervisor.judgement import (
    AGENT,
    SUPERVISOR,
    Anchors,
    Counts,
    Exchange,
    JudgedLine,
    Judgement,
    SupervisionInput,
    Technique,
    count,
)
from shared.content.conditions import Effect, load_conditions
from shared.content.schemas.references import Counting, Rubric
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import Message, Role
from shared.domain.counseling.background_events import Supervised
from shared.domain.counseling.directive import Directive, counselors
from shared.domain.counseling.due import heard_upto, overtaken, still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.records import FeedbackKind, FeedbackSource, Supervision
from shared.domain.counseling.replanning import feedback, may_replan
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.staff_review import LOW_SUPERVISION, FlagReason
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.counseling.supervision import Criterion, HardFail, Verdict
from shared.domain.counseling.task import Task
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import Record
from shared.engine.job_scope import JobScope
from shared.engine.jobs import JobOutcome, JobResult
from shared.locale import Locale
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.conversation_store import ConversationStore
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.fixed_replies import by_rule, turns_of
from shared.services.counseling.instruction_filter import InstructionFilter
from shared.services.counseling.job_context import CounselingJobContext, delivery_of

REMARKS = 3
REMARK_LENGTH = 200
HIGH = 9
"""Lowest score of the rubric's highest band."""


_OF_SLOTS = frozenset({Effect.FILL_SLOT, Effect.REPLACE_SLOT})


class JudgementCorrection(StrEnum):
    """Corrections of a judgement."""

    SCORE_OFF_THE_SCALE = "score_off_the_scale"
    """Below 1, above 10 or not whole: adjusted to the scale."""
    HARD_FAIL_WITH_HIGH_SCORES = "hard_fail_with_high_scores"
    """A finding that caps the total, with high scores throughout: the finding counts."""
    IMPROVEMENT_WITHOUT_FAULT = "improvement_without_fault"
    """Improvement wanted although every score is in the highest band or no improvement is named: dropped."""
    TOO_MANY_REMARKS = "too_many_remarks"
    """More than three improvements or strengths: the first three are kept."""
    UNKNOWN_MODULE = "unknown_module"
    """Not a module id: dropped."""
    QUESTIONS_COUNTED = "questions_counted"
    """A high score for the questions although a reply asks several: the count caps it."""
    STRATEGY_WITHOUT_WORDS = "strategy_without_words"
    """Another strategy is wanted but not named: dropped."""
    STRATEGY_NOT_POSSIBLE = "strategy_not_possible"
    """Another strategy although there is no plan to change: dropped."""


@dataclass(frozen=True)
class JudgementAsCounted:
    verdict: Verdict
    needs_improvement: bool
    improvements: tuple[str, ...]
    strengths: tuple[str, ...]
    module: str | None
    strategy: str
    corrected: tuple[JudgementCorrection, ...]


@dataclass(frozen=True)
class RepliesToJudge:
    """The replies of the turns under judgement.

    Attributes:
        judged: Turns whose reply the counsellor's model made.
        by_rule: Turns with a fixed reply: crisis protocol, farewell, apology, or another flow's.
        exchanges: The judged replies, without their fixed parts, with the messages that they answer.
        directives: The judged replies' directives by turn; the session may have moved on.
    """

    judged: tuple[int, ...]
    by_rule: tuple[int, ...]
    exchanges: tuple[Exchange, ...]
    directives: Mapping[int, Directive]

    @property
    def directive(self) -> Directive | None:
        """The newest judged reply's directive."""
        return self.directives.get(self.judged[-1]) if self.judged else None

    def marked(self, shown: Sequence[Line], locale: Locale) -> tuple[JudgedLine, ...]:
        """Return the lines: those of the turns `by_rule` marked as fixed, the others with what was ordered in them."""
        conditions = load_conditions().conditions.values()
        told = {one.effect.value: one.sentence(locale) for one in conditions if one.effect not in _OF_SLOTS}
        return tuple(self._marked(line, told) for line in shown)

    def _marked(self, line: Line, told: Mapping[str, str]) -> JudgedLine:
        given = line.model_dump()
        if line.speaker != "counselor" or line.fixed:
            return JudgedLine(**given)
        if line.seq in self.by_rule:
            return JudgedLine(**given | {"fixed": True})
        directive = self.directives.get(line.seq)
        if directive is None:
            return JudgedLine(**given)
        return JudgedLine(
            **given,
            notices=tuple(told[one] for one in directive.notices if one in told),
            lifted=Effect.GIVE_STEP in directive.notices,
            quiet=directive.quiet or bool(directive.follows) or Effect.REST_QUESTIONS in directive.notices,
            asks=directive.ask.question if directive.ask else "",
        )


log = logging.getLogger(__name__)

NEWEST_TURNS = 4
"""Most turns judged: the three that make supervision due, and one that came later."""
DIALOGUE_CHARACTERS = 8000


async def supervise(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Judge the turns up to `payload.seq` that were not judged yet: each is judged once."""
    conversation_id = ConversationId(payload.conversation_id)
    session = await context.state(conversation_id)
    if session is None or not _open(session, payload.seq):
        return JobResult.MOOT
    if await context.store.record(conversation_id, Supervision.collection, str(payload.seq)) is not None:
        return JobResult.MOOT
    fresh = heard_upto(session, payload.seq) - session.watermarks.supervised
    messages = await context.turns(session, payload.seq, min(fresh, NEWEST_TURNS)) if fresh > 0 else []
    if not messages:
        return JobResult.MOOT
    replies = await replies_of(context.store, conversation_id, messages)
    if not replies.judged:
        nothing = context.scope(session)
        return await context.settle(
            conversation_id, nothing, lambda state: _nothing_judged(state, payload.seq, replies)
        )
    async with context.claimed(session, delivery_of(payload), lambda state: _open(state, payload.seq)) as scope:
        if isinstance(scope, JobResult):
            return scope
        judgement = await context.runner.ask(SUPERVISOR, _input(context, session, replies, messages), scope)
        if scope.ledger.failed(AGENT):
            return await context.postpone(conversation_id, scope, AGENT)
        return await _judged(context, session, payload, scope, judgement, replies)


async def _judged(
    context: CounselingJobContext,
    session: Session,
    payload: TaskPayload,
    scope: JobScope,
    judgement: Judgement,
    replies: RepliesToJudge,
) -> JobResult:
    conversation_id = session.conversation_id
    instruction_filter = InstructionFilter(context.content.text_rules, AGENT, conversation_id)
    judgement = judgement.model_copy(
        update={
            "improvements": instruction_filter.items(judgement.improvements),
            "strengths": instruction_filter.items(judgement.strengths),
            "strategy": instruction_filter.text(judgement.strategy),
        }
    )
    instruction_filter.tell(payload.seq)
    modules = {module.id for module in context.content.modules(session.locale)}
    counts = count(replies.exchanges, session.locale, session.register_, context.content.guard_rules)
    counted = _remarks_on(counts, context.content.rubric, session.locale)
    reading = read(judgement, modules, counts, counted, may_change_strategy=may_replan(session))

    def found(state: Session) -> JobOutcome[Session] | None:
        if not _open(state, payload.seq):
            return None
        return _found(context, state, payload.seq, reading, replies)

    return await context.settle(conversation_id, scope, found)


def _remarks_on(counts: Counts, rubric: Rubric, locale: Locale) -> tuple[str, ...]:
    remarks = (rubric.criteria[criterion.value].remark for criterion in counts.low)
    return tuple(remark.at(locale) for remark in remarks if remark is not None)


def _open(session: Session, seq: int) -> bool:
    """Whether the turns are still to be judged: not if they are in the log, which may have no record."""
    return still_due(session, Work.SUPERVISE, seq) and all(entry.seq != seq for entry in session.supervision_log)


def _input(
    context: CounselingJobContext, session: Session, replies: RepliesToJudge, messages: Sequence[Message]
) -> SupervisionInput:
    rubric, directive = context.content.rubric, replies.directive
    task = session.task(directive.task_id if directive else session.current_task)
    spoken = [message for message in messages if message.seq > 0 or message.role is Role.USER]
    return SupervisionInput(
        part=(directive.part if directive else session.current_part).value,
        level=session.user_persona.counseling_level,
        stance=directive.stance.value if directive else "work",
        task_title=task.title if task else "",
        task_target=task.target if task else "",
        restrictions=_restrictions(replies, task),
        part2_goal=session.part2_goal or "",
        anchors=_anchors(rubric, session.locale),
        red_items=rubric.caps[0].cause.at(session.locale),
        techniques=tuple(Technique(id=m.id, name=m.name) for m in context.content.modules(session.locale)),
        may_change_strategy=may_replan(session),
        lines=replies.marked(lines(spoken, DIALOGUE_CHARACTERS), session.locale),
    )


def _restrictions(replies: RepliesToJudge, task: Task | None) -> str:
    """Return the task's newest restrictions in force; a turn in which they were lifted says so (`JudgedLine`)."""
    if not replies.directives:
        return (task.restrictions if task else None) or ""
    told = (replies.directives[seq] for seq in sorted(replies.directives, reverse=True))
    ours = (one.restrictions for one in told if one.task_id == (task.id if task else None))
    return next((one for one in ours if one), "")


def _anchors(rubric: Rubric, locale: Locale) -> tuple[Anchors, ...]:
    return tuple(
        Anchors(criterion=name, bands={band: words.at(locale) for band, words in criterion.bands.items()})
        for name, criterion in rubric.criteria.items()
        if criterion.counted is not Counting.WHOLE
    )


def _nothing_judged(session: Session, seq: int, replies: RepliesToJudge) -> JobOutcome[Session] | None:
    if not _open(session, seq):
        return None
    gist: dict[str, JsonValue] = {"left_out": list(replies.by_rule)}
    return JobOutcome(events=(Supervised(seq=seq, upto=heard_upto(session, seq), gist=gist),))


def _found(
    context: CounselingJobContext, session: Session, seq: int, reading: JudgementAsCounted, replies: RepliesToJudge
) -> JobOutcome[Session]:
    now, verdict = context.clock.now(), reading.verdict
    scores = {criterion.value: score for criterion, score in verdict.scores.items()}
    if HardFail.RED_ITEM in verdict.hard_fails:
        log_event(log, LogEvent.RED_ITEM, conversation=session.conversation_id, seq=seq)
    events: list[Event[Session]] = [
        Supervised(
            seq=seq,
            upto=heard_upto(session, seq),
            gist={
                "total": verdict.total,
                "scores": dict[str, JsonValue](scores),
                "needs_improvement": reading.needs_improvement,
                "improvements": list(reading.improvements),
                "suggested_module": reading.module,
                "hard_fails": [fail.value for fail in verdict.hard_fails],
            },
        )
    ]
    records: list[Record] = [
        Supervision(
            record_id=str(seq),
            created_at=now,
            expire_at=session.expire_at,
            seq=seq,
            scores=scores,
            total=verdict.total,
            improvements=reading.improvements,
            strengths=reading.strengths,
            needs_improvement=reading.needs_improvement,
            suggested_module=reading.module,
            strategy=reading.strategy,
            left_out=replies.by_rule,
            corrected=tuple(correction.value for correction in reading.corrected),
        )
    ]
    if reason := _worth_a_look(verdict):
        events.append(FlaggedForReview(reason=reason, seq=seq))
    if reading.strategy and may_replan(session) and not overtaken(session, Work.SUPERVISE, seq):
        source, kind = FeedbackSource.SUPERVISOR, FeedbackKind.STRATEGY_CHANGE.value
        events.append(ReplanAsked())
        records.append(feedback(session, source, kind=kind, reason=reading.strategy, seq=seq, at=now))
    return JobOutcome(events=events, records=records)


def _worth_a_look(verdict: Verdict) -> FlagReason | None:
    if HardFail.RED_ITEM in verdict.hard_fails:
        return FlagReason.RED_ITEM
    return FlagReason.LOW_SUPERVISION if verdict.total < LOW_SUPERVISION else None


async def replies_of(
    store: ConversationStore[Session], conversation_id: ConversationId, messages: Sequence[Message]
) -> RepliesToJudge:
    """Read the turns of these messages."""
    replies = [message for message in messages if message.role is Role.COUNSELOR and message.seq > 0]
    records = await turns_of(store, conversation_id, replies)
    unspoken = {message.seq for message in replies if not message.own_words}
    fixed = tuple(sorted(unspoken | {seq for seq, record in records.items() if by_rule(record)}))
    judged = tuple(message.seq for message in replies if message.seq not in fixed)
    directed = {seq: counselors(record.directive) for seq, record in records.items() if seq not in fixed}
    said = {message.seq: message.text for message in messages if message.role is Role.USER}
    return RepliesToJudge(
        judged=judged,
        by_rule=fixed,
        exchanges=tuple(
            Exchange(said=said.get(reply.seq, ""), reply=reply.own_words) for reply in replies if reply.seq in judged
        ),
        directives={seq: directive for seq, directive in directed.items() if directive is not None},
    )


def read(
    judgement: Judgement,
    modules: Collection[str],
    counts: Counts,
    counted: tuple[str, ...] = (),
    *,
    may_change_strategy: bool,
) -> JudgementAsCounted:
    """Check a judgement.

    Args:
        judgement: The model's answer.
        modules: Ids of the modules that may be suggested.
        counts: What code counted in the replies.
        counted: The improvements that low counts ask for; they come first.
        may_change_strategy: There is a plan that can be changed.
    """
    verdict = judgement.verdict(counts)
    improvements, strengths = _remarks((*counted, *judgement.improvements)), _remarks(judgement.strengths)
    faultless = all(score >= HIGH for score in verdict.scores.values()) and not verdict.hard_fails
    idle = judgement.needs_improvement and (faultless or not improvements)
    lowered = verdict.scores[Criterion.APPROPRIATE_QUESTIONS] < judgement.scores.appropriate_questions
    named = judgement.suggested_module.strip()
    strategy = judgement.strategy.strip() if judgement.strategy_change else ""
    found = {
        JudgementCorrection.SCORE_OFF_THE_SCALE: judgement.scores.mended,
        JudgementCorrection.HARD_FAIL_WITH_HIGH_SCORES: bool(verdict.hard_fails)
        and min(verdict.scores.values()) >= HIGH,
        JudgementCorrection.IMPROVEMENT_WITHOUT_FAULT: idle,
        JudgementCorrection.TOO_MANY_REMARKS: max(len(_remarks(judgement.improvements)), len(strengths)) > REMARKS,
        JudgementCorrection.QUESTIONS_COUNTED: lowered,
        JudgementCorrection.UNKNOWN_MODULE: bool(named) and named not in modules,
        JudgementCorrection.STRATEGY_WITHOUT_WORDS: judgement.strategy_change and not strategy,
        JudgementCorrection.STRATEGY_NOT_POSSIBLE: bool(strategy) and not may_change_strategy,
    }
    return JudgementAsCounted(
        verdict=verdict,
        needs_improvement=verdict.needs_improvement or bool(counted) or (judgement.needs_improvement and not idle),
        improvements=improvements[:REMARKS],
        strengths=strengths[:REMARKS],
        module=named if named in modules else None,
        strategy=strategy if may_change_strategy else "",
        corrected=tuple(correction for correction, present in found.items() if present),
    )


def _remarks(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the distinct remarks that have text, cut to `REMARK_LENGTH`."""
    said = (" ".join(text.split())[:REMARK_LENGTH] for text in texts)
    return tuple(dict.fromkeys(text for text in said if text))
