"""Decides what a reply asks, or why it asks nothing. Rules only."""

from dataclasses import dataclass

from functions.chat.flows.counseling.asked_before import fresh
from functions.chat.flows.counseling.asking import (
    feeling_first,
    holds_questions,
    intake_rests,
    next_ask,
    process_waits,
    resists,
    skips_a_question,
    wants_no_questions,
)
from functions.chat.flows.counseling.contradictions import next_clarification
from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.misread import newest_reply
from functions.chat.flows.counseling.purpose import Purpose
from functions.chat.flows.counseling.safety_plan import step_ask, time_to_offer
from functions.chat.flows.counseling.unclear import asked_again, unclear
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.directive import Ask, Clarification, Stance
from shared.domain.counseling.lifecycle import last_chance
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun, SafetyPlanStepGiven
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import MisreadTold, WrapUpPassed, WrapUpUnclear
from shared.domain.counseling.short_answers import QUIET_AFTER, QUIET_AFTER_UNSURE
from shared.domain.counseling.task import CompletionRule, Task
from shared.domain.counseling.task_events import SlotDeclined, SlotFilled, SlotTakenBack
from shared.engine.flow import Turn
from shared.lexicon.session_words import questions_of

_MAY_OFFER = (Stance.WORK, Stance.GATHER, Stance.ACCOMPANY)
"""Stances in which a safety plan may be offered: nothing else is proposed or planned."""


@dataclass(frozen=True)
class Holds:
    """Why nothing, or no slot, is asked for.

    Attributes:
        misread: The user says that the last reply misread them.
        skipped: The reply asks nothing at all: the user skips its question, or has said little for some turns.
        resisted: The user refused the talk shortly before, and has told nothing since.
        feeling: The reply receives a feeling or a hard fact, and opens no Part.
        answered: Fixed words answer what the user asks of the AI: no safety plan is offered behind them.
        process: The task to explain how the talk goes waits.
        all: The rules ask for nothing.
        slots: No slot is asked for: also behind a danger, a disclosure or the direct question, at a new feeling, if the
            user has no answer to what was asked, wants no questions, if they ask something themselves, wish to stop,
            choose neither to stay nor to end, say no to the way of the talk or tell how they would like it.
    """

    misread: bool
    skipped: bool
    resisted: bool
    feeling: bool
    answered: bool
    process: bool
    all: bool
    slots: bool


@dataclass(frozen=True)
class Question:
    """What the rules ask; at most one of these, but an `ask` that repeats an unread message's question.

    Attributes:
        ask: A slot, or a step of the safety plan.
        contradiction: Which of two values holds.
        parse_error: The message could not be read and is asked for again.
        offers_plan: A safety plan is offered.
        ruled: It is asked in these words, with an `ask` for its slot.
    """

    ask: Ask | None = None
    contradiction: Clarification | None = None
    parse_error: bool = False
    offers_plan: bool = False
    ruled: str | None = None


def holds_of(
    turn: Turn[Session], message: UserMessage, state: Session, found: Findings, purpose: Purpose, content: Content
) -> Holds:
    """Return what keeps the rules from asking in this turn."""
    misread = bool(found.of(MisreadTold)) and not purpose.concern
    building = state.safety_plan.stage is PlanStage.BUILDING
    way = _declines_the_way(state, found)
    skipped = not (purpose.safety_first or building or way) and _skipped(turn, message, state, found)
    rested = _without_rest(state) if purpose.begun else state
    resisted = resists(turn, message, state, found, content)
    everything = purpose.safety_first or misread or skipped or resisted or holds_questions(turn, rested)
    # A warning sign that was asked for is no new feeling.
    feeling = feeling_first(turn, message, state) and not found.of(SafetyPlanBegun, SafetyPlanStepGiven)
    unsure = message.words.is_unsure and not building
    # A question of the user's own, or what they ask of the AI, is answered first; a value is an answer ("민지요?").
    asks = questions_of(message.text) or message.demands or content.session_words.asks_of_counselling(message.text)
    wonders = bool(asks) and not (building or found.of(SlotFilled))
    grave = bool(found.of(RiskRaised)) or turn.state.risk.asked_seq == turn.state.seq
    unanswered = bool(found.of(WrapUpPassed, WrapUpUnclear))
    first_heard = message.wishes_to_stop or _answers_the_way(turn.state, content) or unanswered
    waits = feeling and not (purpose.task is not None and last_chance(state, purpose.task))
    rests = purpose.task is not None and intake_rests(state, purpose.task, turn.seq)
    quiet = not building and wants_no_questions(turn, message, content)
    slots = everything or waits or unsure or wonders or grave or first_heard or way or quiet or rests
    return Holds(
        misread=misread,
        skipped=skipped,
        resisted=resisted,
        feeling=feeling,
        answered=bool(message.demands),
        process=process_waits(turn, message, state, content),
        all=everything,
        slots=slots,
    )


def question_of(
    turn: Turn[Session], state: Session, found: Findings, purpose: Purpose, holds: Holds, content: Content
) -> Question:
    """Return what the rules ask in this turn."""
    if found.of(SlotTakenBack) and purpose.stance in _MAY_OFFER and not purpose.safety_first:
        return _asked_anew(state, found)
    if holds.all:
        return Question()
    again = next_ask(state, purpose.task, turn.seq, again=True)
    if unclear(turn, state, found, purpose.stance, again):
        return Question(ask=asked_again(again, turn.state.last_asked), parse_error=True)
    if purpose.stance in _MAY_OFFER and not holds.answered and time_to_offer(turn, state):
        return Question(offers_plan=True)
    if _declines_the_way(state, found):
        wordings = content.messages(state.locale, state.register_).variants("ask_way")
        return Question(ruled=fresh(wordings, state))
    if holds.slots or holds.process:
        return Question()
    contradiction = next_clarification(state, purpose.stance, content)
    if contradiction is not None:
        return Question(contradiction=contradiction)
    return Question(ask=_next_question(state, purpose.task, turn.seq, content))


def _skipped(turn: Turn[Session], message: UserMessage, state: Session, found: Findings) -> bool:
    """Return whether the user skips a question, or has answered with a word or two for some turns."""
    quiet_after = QUIET_AFTER_UNSURE if message.words.is_unsure else QUIET_AFTER
    if found.of(SlotDeclined) or state.short_answers >= quiet_after:
        return True
    return not found.of(SlotFilled) and skips_a_question(message, turn.state)


def _declines_the_way(state: Session, found: Findings) -> bool:
    """Return whether the user says no to the way in which the talk goes; how they would like it is asked first."""
    agreements = {slot.name for task in state.tasks for slot in task.slots if slot.agrees}
    said_no = any(event.slot in agreements and event.value is False for event in found.of(SlotFilled))
    return said_no or any(event.slot in agreements for event in found.of(SlotDeclined))


def _asked_anew(state: Session, found: Findings) -> Question:
    """Return the question for a value that the user has just taken back, in a wording that was not used."""
    wrong = {event.slot for event in found.of(SlotTakenBack)}
    slot = next((slot for task in state.tasks for slot in task.slots if slot.name in wrong), None)
    if slot is None or slot.name in state.user_info:
        return Question()
    wording = fresh(slot.questions, state)
    return Question(ask=Ask(slot=slot.name, question=wording), ruled=wording)


def _answers_the_way(before: Session, content: Content) -> bool:
    """Return whether the newest reply asked how the user would like to talk; the answer is received first."""
    wordings = content.messages(before.locale, before.register_).variants("ask_way")
    return any(wording in newest_reply(before) for wording in wordings)


def _without_rest(state: Session) -> Session:
    """Return the session without the rest after a danger, which the user's own wish for a plan ends."""
    return state.model_copy(update={"risk": state.risk.model_copy(update={"over_seq": None})})


def _next_question(state: Session, task: Task | None, seq: int, content: Content) -> Ask | None:
    """Return what the reply asks for: the next step of a safety plan, else the next slot."""
    if task is not None and task.completion_rule is CompletionRule.STEPS:
        return step_ask(state, task, content)
    return next_ask(state, task, seq)
