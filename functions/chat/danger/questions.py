"""The questions of safety that code words, and that a reply ends with."""

from functions.chat.legacy.asked_before import fresh
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.directive import Ask, Heed, Stance
from shared.domain.counseling.review import in_mid_emotion, opened_up
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Task
from shared.domain.counseling.user_state import Resistance
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.protocol_questions import Topic

FIRST_OFFER = 3
"""The earliest turn of an offer, in a session that follows one that ended in danger."""
OFFER_AGAIN_AFTER = 4
"""Turns from an offer that was answered with neither yes nor no to the second and last one."""


def direct_question(session: Session, content: Content) -> str:
    """Return the question whether the user wants to die; asked before, it does not ask what was meant."""
    answers, risk = content.crisis_answers, session.risk
    again = risk.asked_seq is not None and risk.asked_seq >= (risk.since_seq or 0)
    wordings = content.crisis_replies.direct_questions(voice_of(session))
    return fresh([one for one in wordings if not (again and answers.asks_meaning(one))], session)


def asks_the_helper(session: Session, heed: Heed | None, stance: Stance, content: Content) -> str:
    """Return the question whether a user who worries about another person thinks of dying, too; empty if it is not due.

    It comes in the turn after the protocol's reply, which asked about the other person, unless they have denied it.
    """
    risk = session.risk
    worries = heed is Heed.HELPER and risk.outcome is CrisisOutcome.THIRD_PARTY and risk.turns_since == 1
    since = risk.since_seq or 0
    told = Topic.HELPER_TOO in session.help_seeking.told_since(since)
    unasked = not told and (risk.asked_seq is None or risk.asked_seq < since)
    if not (worries and unasked and stance is Stance.ACCOMPANY):
        return ""
    return fresh(content.crisis_replies.questions(Topic.HELPER_TOO, voice_of(session)), session)


def offer_of_a_plan(session: Session, content: Content) -> str:
    """Return the offer of a safety plan."""
    again, returning = session.safety_plan.postponed, session.carried is not None
    return content.safety_plan.offer(voice_of(session), returning=returning, again=again)


def time_to_offer(seq: int, state: Session) -> bool:
    """Return whether this turn's reply may offer the plan: the danger is over for some turns, and the user is calm."""
    risk = state.risk
    if state.safety_plan.stage is not PlanStage.DUE or state.ended or state.under_14:
        return False
    if risk.level is not RiskLevel.NONE or risk.attended or risk.just_over(seq):
        return False
    postponed = state.safety_plan.postponed and seq - state.safety_plan.seq < OFFER_AGAIN_AFTER
    if postponed or seq < FIRST_OFFER:
        return False
    calm = state.user_state.resistance is Resistance.NONE and not in_mid_emotion(state)
    return calm and not opened_up(state, seq)


def step_ask(state: Session, task: Task, content: Content) -> Ask | None:
    """Return the question for the next step of the plan; of a known step with its words."""
    left = state.safety_plan.left(state.asked)
    slot = next((slot for slot in task.optional_slots if left and slot.name == left[0].slot), None)
    if slot is None:
        return None
    question = fresh(slot.questions, state)
    known = state.safety_plan.steps.get(left[0])
    voiced = content.safety_plan.known(known, question, voice_of(state)) if known else question
    return Ask(slot=slot.name, question=voiced)
