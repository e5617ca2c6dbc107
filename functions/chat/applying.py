"""Room 10 of a turn: what a reading makes of the session. Pure, and no reader of text: the words were the reader's."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from functions.chat.findings import Findings, after
from functions.chat.reading import OTHER, Heard, asked_last
from shared.content.catalogue import Content
from shared.content.conditions import Effect
from shared.domain.conversation import Role
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.lifecycle import (
    ALL_SAID,
    BOUNDED,
    last_chance,
    leaving_for_closing,
    part2_bounded,
    part_before_closing,
    transition_due,
    transition_id,
    turns_exhausted,
    unexplained,
)
from shared.domain.counseling.readings import before, compare, newly_named
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.review import may_suggest_all_said, may_suggest_wrap_up, required_task_waits
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun
from shared.domain.counseling.session import PlanStatus, Session, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import (
    ClosingAsked,
    MisreadTold,
    MoreWanted,
    PartCompleted,
    QuestionsRest,
    SessionClosed,
    StopWished,
    UserStateObserved,
    WentBack,
    WrapUpAgreed,
    WrapUpDeclined,
    WrapUpPassed,
    WrapUpUnclear,
)
from shared.domain.counseling.short_answers import ShortAnswersCounted
from shared.domain.counseling.sources import Source
from shared.domain.counseling.task import CompletionRule, Part, SufficientReason, Task, TaskOrigin, waits
from shared.domain.counseling.task_events import (
    SlotDeclined,
    SlotFilled,
    SlotRejected,
    TaskCovered,
    TaskSignSeen,
    TaskTurnSpent,
    WordsSetAside,
)
from shared.domain.counseling.user_state import EmotionLabel, Resistance, UserState
from shared.domain.event import Event
from shared.domain.records import Record
from shared.domain.slots import gate_open
from shared.domain.turn import Hook
from shared.safety.levels import RiskLevel

EVIDENCE_LENGTH = 300
"""Maximum characters of the stored evidence for a task."""
MOST_UNCLEAR = 1
"""Unclear answers after which a proposal is repeated; the next one counts as a no."""
ASKED_LATELY = 3
"""Turns in which the question whether to end is not asked again of a client who wants to end after all."""
_TURNED_AWAY = frozenset({Effect.DECLINE, Effect.APOLOGISE, Effect.FOLLOW_TOPIC, Effect.NAME_CIRCLE})
"""What is no sign for the task under way."""
_OPEN_MATTERS = frozenset({Effect.ANSWER_FIRST, Effect.FOLLOW_TOPIC, Effect.GIVE_STEP, Effect.TAKE_AS_NO})
"""Beside a yes to the end, what shows that the client is not done."""
_OTHER_OFFERS = frozenset({"safety_plan", "booking"})
_LATE = 2
"""Turns after its bound for which new feelings keep a task open."""


class Plain(StrEnum):
    """A whole message of plain words, right after a question that code worded."""

    YES = "yes"
    NO = "no"
    STOP = "stop"
    SKIP = "skip"
    AI = "ai"


@dataclass(frozen=True)
class Moment:
    """A turn as its decisions see it.

    Attributes:
        before: The session before the message.
        answers: The message was sent after the newest reply.
        plain: It is one of the plain answers to what code asked; no model was asked then.
        declines: The slot that the client's button declines.
        short: It has no more than a few characters.
        unread: No model could read it.
        refused: The provider will not let a model read it.
        risk: The level of danger to the client's own life that the reader heard.
        evades: It evades the direct question whether the client wants to die.
        may_need_help: It answers a failed reply, which asked whether help is needed at once.
    """

    before: Session
    seq: int
    now: datetime
    answers: bool = True
    plain: Plain | None = None
    declines: str | None = None
    short: bool = False
    unread: bool = False
    refused: bool = False
    risk: RiskLevel = RiskLevel.NONE
    evades: bool = False
    may_need_help: bool = False


class Progress:
    """The session after the steps so far."""

    def __init__(self, moment: Moment, session: Session, found: Findings) -> None:
        self.moment = moment
        self.session = session
        self.earlier = found
        self.found = Findings()

    def add(self, *events: Event[Session], records: Sequence[Record] = (), hooks: Sequence[Hook] = ()) -> None:
        self.session = after(self.session, events, self.moment.now)
        self.found += Findings(events=tuple(events), records=tuple(records), hooks=tuple(hooks))

    @property
    def all_found(self) -> Findings:
        return self.earlier + self.found


def apply(moment: Moment, heard: Heard, session: Session, found: Findings, content: Content) -> Findings:
    """Return what a reading makes of a session: values, the client's state, tasks, an answer to a proposal.

    Args:
        moment: The turn.
        heard: What counts of the reading.
        session: The session after what the rules of danger and the safety plan found.
        found: These findings.
        content: Templates and words.
    """
    progress = Progress(moment, session, found)
    _take_values(progress, heard)
    progress.add(observed(moment, heard, session))
    if Effect.APOLOGISE in heard.effects and moment.answers and not progress.all_found.of(MisreadTold):
        progress.add(MisreadTold(seq=moment.seq))
    if Effect.REST_QUESTIONS in heard.effects:
        progress.add(QuestionsRest(seq=moment.seq))
    _answer_proposal(progress, heard)
    if progress.session.ended:
        return progress.found
    _forget_wish_to_stop(progress, heard)
    _go_on(progress, heard, content)
    _count_short_answers(progress, heard)
    _cover_tasks(progress, heard)
    _check_part(progress, heard)
    return progress.found


def apply_beside(moment: Moment, heard: Heard, session: Session, found: Findings) -> Findings:
    """Return what a reading makes of a session if another service answers: what was told of the client is kept."""
    progress = Progress(moment, session, found)
    _fill(progress, heard)
    progress.add(observed(moment, heard, session))
    if Effect.REST_QUESTIONS in heard.effects:
        progress.add(QuestionsRest(seq=moment.seq))
    agrees = Effect.TAKE_AS_YES in heard.effects and WrapUpAim.END.value in asked_last(moment.before)
    if Effect.ASK_END in heard.effects or agrees:
        progress.add(StopWished(seq=moment.seq))
    return progress.found


def _take_values(progress: Progress, heard: Heard) -> None:
    moment = progress.moment
    declines = Effect.DECLINE in heard.effects and moment.answers and heard.asked != OTHER  # or the Counselor's own
    asked = moment.declines or (moment.before.last_asked if declines else None)
    if asked is not None and asked not in heard.values:
        progress.add(SlotDeclined(slot=asked))
    _fill(progress, heard)
    for wrong in heard.invalid:
        progress.add(SlotRejected(slot=wrong.slot, error=wrong.reason))


def _fill(progress: Progress, heard: Heard) -> None:
    moment, session = progress.moment, progress.session
    for name, told in (*heard.values.items(), *heard.corrections.items()):
        if session.user_info.get(name) != told.value:
            progress.add(SlotFilled(slot=name, value=told.value, source=Source(seq=moment.seq, quote=told.quote)))


def observed(moment: Moment, heard: Heard, session: Session) -> UserStateObserved:
    """Return the state of the client; a plain answer is not compared with other readings."""
    if moment.plain is not None and not moment.unread:
        return UserStateObserved(user_state=UserState())
    felt, effects = heard.feeling, heard.effects
    resistance = Resistance.MILD if Effect.MEET_RESISTANCE in effects else Resistance.NONE
    state = UserState(
        resistance=Resistance.STRONG if Effect.STOP_ASKING in effects else resistance,
        emotion=felt.name if felt else EmotionLabel.NEUTRAL,
        intensity=felt.intensity if felt else 0,
        topic_changed=Effect.FOLLOW_TOPIC in effects,
        circular=Effect.NAME_CIRCLE in effects and any(one.role is Role.USER for one in moment.before.recent),
        risk=moment.risk,
        evidence=felt.quote if felt else "",
    )
    compared = compare(state, before(session.readings, moment.seq))
    denies = Effect.BELIEVE in effects
    return UserStateObserved(user_state=compared, seq=moment.seq, denies_danger=denies, unread=moment.unread)


def _answer_proposal(progress: Progress, heard: Heard) -> None:
    """Take the message as the answer to what the newest reply proposed, if it made a proposal.

    In a follow-through and under 14 only the question whether to end counts, and only a plain yes agrees.
    """
    moment, session = progress.moment, progress.session
    proposal = session.wrap_up
    if proposal is None or not moment.answers or session.risk.last_seq == moment.seq:
        return
    followed = session.risk.follow_through or session.under_14
    if proposal.stage is not WrapUpStage.PROPOSED or proposal.seq != moment.before.seq:
        calm = session.risk.level is RiskLevel.NONE and not followed
        if calm and _wants_to_end_again(moment, heard, session):
            _agree(progress, WrapUpAim.END)
        return
    if followed and proposal.aim is not WrapUpAim.END:
        return
    stops = moment.plain is Plain.STOP or Effect.ASK_END in heard.effects
    if stops and proposal.aim is WrapUpAim.WRAP_UP:
        return  # The client wants to end now, which is asked about.
    if followed:
        agreed: bool | None = moment.plain is Plain.YES
    else:
        agreed = _agrees(moment, heard, to_the_end=proposal.aim is WrapUpAim.END, choice=proposal.choice)
    if agreed:
        _agree(progress, proposal.aim)
    elif agreed is False:
        progress.add(WrapUpDeclined())
    elif proposal.choice:
        progress.add(WrapUpPassed())
    else:
        progress.add(WrapUpUnclear(seq=moment.seq) if proposal.unclear < MOST_UNCLEAR else WrapUpDeclined())


def asked_lately(session: Session, seq: int) -> bool:
    """Return whether a client who goes on was asked whether to end a few turns ago."""
    proposal = session.wrap_up
    if proposal is None or proposal.aim is not WrapUpAim.END or proposal.stage is WrapUpStage.PROPOSED:
        return False
    return seq - proposal.seq <= ASKED_LATELY


def _wants_to_end_again(moment: Moment, heard: Heard, session: Session) -> bool:
    """Return whether a client who shortly before answered neither yes nor no to closing or ending wants to end now.

    They are not asked a second time, unless they had said no.
    """
    proposal = session.wrap_up
    if proposal is None or proposal.stage is not WrapUpStage.SUGGESTED or not proposal.unclear:
        return False
    stops = moment.plain is Plain.STOP or Effect.ASK_END in heard.effects
    return stops and moment.seq - proposal.seq <= ASKED_LATELY and _OPEN_MATTERS.isdisjoint(heard.effects)


def _agrees(moment: Moment, heard: Heard, *, to_the_end: bool, choice: bool) -> bool | None:
    """Return whether the client agrees; None if they say neither. To a choice a bare yes says neither."""
    effects = heard.effects
    yes = moment.plain is Plain.YES or Effect.TAKE_AS_YES in effects
    no = moment.plain is Plain.NO or Effect.TAKE_AS_NO in effects
    stops = moment.plain is Plain.STOP or Effect.ASK_END in effects
    matters = _OPEN_MATTERS - {Effect.TAKE_AS_NO} if choice else _OPEN_MATTERS  # "No, I'll stop" takes up the choice.
    open_still = not matters.isdisjoint(effects) if to_the_end else Effect.FOLLOW_TOPIC in effects
    if no and not (stops and choice):
        return None if yes or stops else False
    if to_the_end and stops:
        return None if open_still else True
    return True if yes and not (choice or open_still) else None


def _agree(progress: Progress, aim: WrapUpAim) -> None:
    if aim is WrapUpAim.END:
        progress.add(SessionClosed(), hooks=(Hook(type="session_completed", data={"by": "user"}),))
    elif progress.session.current_part is Part.CLOSING:
        progress.add(WrapUpAgreed())
    else:
        moved = transition(progress, Part.CLOSING, "the user agreed to wrap up")
        progress.add(WrapUpAgreed(), ClosingAsked(), records=(moved,))


def transition(progress: Progress, following: Part, reason: str) -> PartTransition:
    session, moment = progress.session, progress.moment
    return PartTransition(
        record_id=transition_id(session, session.current_part, following),
        created_at=moment.now,
        expire_at=moment.before.expire_at,
        from_part=session.current_part,
        to_part=following,
        seq=moment.seq,
        reason=reason,
    )


def _forget_wish_to_stop(progress: Progress, heard: Heard) -> None:
    """Forget a wish to stop that another service's answer let wait, once the client tells something more."""
    told_more = heard.feeling is not None or not _OPEN_MATTERS.isdisjoint(heard.effects) or progress.session.in_danger
    if progress.session.stop_wished_seq is not None and told_more:
        progress.add(StopWished(seq=None))


def _go_on(progress: Progress, heard: Heard, content: Content) -> None:
    """Undo or decline a closing that the client does not want; not in danger nor under 14."""
    session = progress.session
    if session.risk.follow_through or session.under_14 or session.risk.last_seq == progress.moment.seq:
        return
    declined = bool(progress.found.of(WrapUpDeclined))
    stops = progress.moment.plain is Plain.STOP or Effect.ASK_END in heard.effects
    elsewhere = not _OTHER_OFFERS.isdisjoint(asked_last(progress.moment.before))  # A no to a plan is no wish to go on.
    refuses = Effect.TAKE_AS_NO in heard.effects and not elsewhere
    wants_more = not stops and (refuses or (declined and progress.moment.plain is Plain.NO))
    if session.current_part is Part.CLOSING or leaving_for_closing(session):
        if wants_more:
            _go_back(progress, content)
        return
    if wants_more and session.wrap_up is not None and session.wrap_up.stage is WrapUpStage.SUGGESTED:
        progress.add(WrapUpDeclined())
        declined = True
    over = session.current_part is Part.EXPLORATION and not required_task_waits(session)
    refused = progress.session.wrap_up is not None and progress.session.wrap_up.stage is WrapUpStage.DECLINED
    tells = not progress.moment.plain and Effect.ASK_END not in heard.effects and session.task_in_progress is None
    if over and refused and (declined or tells):
        progress.add(_more(progress, content))


def _go_back(progress: Progress, content: Content) -> None:
    session = progress.session
    moved = session.current_part is Part.CLOSING
    record = transition(progress, part_before_closing(session), "the user wants to go on")
    progress.add(WentBack(seq=progress.moment.seq), records=(record,) if moved else ())
    progress.add(_more(progress, content))


def _more(progress: Progress, content: Content) -> MoreWanted:
    task = content.more_talk(progress.session.locale, progress.session.register_)
    return MoreWanted(task=task.model_copy(update={"created_at": progress.moment.now, "origin": TaskOrigin.FEEDBACK}))


def _count_short_answers(progress: Progress, heard: Heard) -> None:
    """Count the messages in a row that say little; a short one that answers what was asked says enough."""
    moment, session = progress.moment, progress.session
    asked_about_danger = moment.before.in_danger or session.risk.follow_through
    tells = heard.values or heard.corrections or heard.feeling
    answered = heard.values or progress.found.of(WrapUpAgreed, WrapUpDeclined, WrapUpPassed)
    unsure = bool({Effect.OFFER_CHOICE, Effect.DECLINE} & heard.effects)
    little = (moment.plain is not None or moment.short or unsure) and not (tells or answered or asked_about_danger)
    run = session.short_answers + 1 if little else 0
    if run != session.short_answers:
        progress.add(ShortAnswersCounted(run=run))


def _cover_tasks(progress: Progress, heard: Heard) -> None:
    """Spend the turn on the task under way, note its sign, and cover what is covered.

    Nothing is covered while the plan is being made, nor in a turn about a danger, whose words are no evidence.
    """
    session, moment = progress.session, progress.moment
    held = session.plan_status is PlanStatus.PLANNING or moment.seq in session.set_aside
    if held or session.risk.last_seq == moment.seq:
        return
    begun_now = progress.all_found.of(WentBack, MoreWanted, SafetyPlanBegun)
    current = None if begun_now else session.task_in_progress
    jumps = Effect.FOLLOW_TOPIC in heard.effects
    if current is not None and not jumps:
        progress.add(TaskTurnSpent(task_id=current.id))
    if jumps and session.current_part is Part.EXPLORATION:
        progress.add(WordsSetAside(seq=moment.seq))
    sign = heard.words_for(Effect.COVER_TASK)
    judged = current is not None and current.completion_rule is CompletionRule.JUDGED
    if current is not None and judged and sign and _TURNED_AWAY.isdisjoint(heard.effects):
        progress.add(TaskSignSeen(task_id=current.id, seq=moment.seq))
        current = current.with_sign(moment.seq)
    for task in session.tasks:
        reason = _covered(progress, task, current, heard)
        if reason is not None:
            evidence = _evidence(progress.session, task, reason, sign or "")
            progress.add(TaskCovered(task_id=task.id, reason=reason, evidence=evidence, seq=moment.seq))


def _covered(progress: Progress, task: Task, current: Task | None, heard: Heard) -> SufficientReason | None:
    state, moment = progress.session, progress.moment
    if task.part != state.current_part or not waits(task):
        return None
    circular = state.user_state.circular
    if not circular and gate_open(task.required_slots, state.user_info, state.declined_slots):
        return SufficientReason.GATE
    if _passed_over(task, heard, moment.seq):
        return SufficientReason.JUDGED
    steps = task.completion_rule is CompletionRule.STEPS
    said_all = Effect.PROPOSE_END in heard.effects and not steps
    closes = said_all and heard.fits_none and state.current_part is Part.CLOSING
    if current is None or task.id != current.id:
        return SufficientReason.EXPLICIT if closes else None
    if task.completion_rule is CompletionRule.REPLY and not circular:
        return SufficientReason.REPLY
    if closes or (said_all and not circular):
        return SufficientReason.EXPLICIT
    signed = task.completion_rule is CompletionRule.JUDGED and not circular
    if signed and len(current.signs) >= current.min_turns:
        return SufficientReason.JUDGED
    keeps = state.user_state.topic_changed or (unexplained(state, task) and not last_chance(state, task))
    fresh = newly_named(state.user_state, before(state.readings, moment.seq))
    late = task.turns_spent + 1 >= task.max_turns + _LATE
    return SufficientReason.BOUNDED if turns_exhausted(current) and not keeps and (late or not fresh) else None


def _passed_over(task: Task, heard: Heard, seq: int) -> bool:
    """Return whether a task with a sign of an earlier turn was offered, and the reading says that nothing is left."""
    earlier = any(sign < seq for sign in task.signs)
    return heard.fits_none and task.completion_rule is CompletionRule.JUDGED and earlier


def _evidence(state: Session, task: Task, reason: SufficientReason, sign: str) -> str:
    """Return the client's words that show that the task is covered."""
    match reason:
        case SufficientReason.GATE:
            told = state.user_info
            words = "; ".join(f"{slot.label}: {told[slot.name]}" for slot in task.required_slots if slot.name in told)
        case SufficientReason.JUDGED | SufficientReason.EXPLICIT | SufficientReason.REPLY:
            said = (one.text for one in reversed(state.recent) if one.role is Role.USER and one.seq in task.signs)
            words = sign or next(said, "")
        case SufficientReason.BOUNDED:
            words = ""
        case _:
            assert_never(reason)
    return words[:EVIDENCE_LENGTH]


def _check_part(progress: Progress, heard: Heard) -> None:
    """Begin a due transition, whose record triggers the planner, and suggest the closing."""
    due = transition_due(progress.session)
    if due is not None:
        moved = transition(progress, due[1], "every task is covered")
        progress.add(PartCompleted(part=due[0]), records=(moved,))
    if part2_bounded(progress.session) and may_suggest_wrap_up(progress.session):
        progress.add(WrapUpSuggested(reason=BOUNDED))
    if Effect.PROPOSE_END in heard.effects and may_suggest_all_said(progress.session):
        progress.add(WrapUpSuggested(reason=ALL_SAID))
