"""What the rules and lists of the product say of the cases, without any model.

A condition for which there is no rule is left out: wants_advice, good_news, eating, hurt_meanwhile.
"""

from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from cases.case import Case
from functions.chat.danger.danger_in_context import HARM_NEAR, HARM_SOON, inquired
from functions.chat.danger.help_seeking import hear
from functions.chat.danger.kept_plan import NoSafetyPlans
from functions.chat.danger.risk_detection import detect_risk
from functions.chat.danger.safety_plan import hear_plan
from functions.chat.findings import FixedReply
from functions.chat.flows.agreement.flow import orders
from functions.chat.flows.counseling.detectors.task_completion import begin_check
from functions.chat.flows.counseling.misread import hear_correction
from functions.chat.flows.counseling.part_check import has_said_all
from functions.chat.flows.counseling.turn import Course
from functions.chat.flows.counseling.wrap_up import READER, read_answer
from functions.chat.reading import DangerKind, known_slots, wanted_slots
from shared.content import catalogue
from shared.content.catalogue import Content
from shared.domain.booking.readings import Answer
from shared.domain.booking.state import BookingStage
from shared.domain.counseling.help_events import HelpTakenUp
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun, SafetyPlanDeclined, SafetyPlanPostponed
from shared.domain.counseling.session_events import (
    MisreadTold,
    SessionClosed,
    WrapUpAgreed,
    WrapUpDeclined,
    WrapUpPassed,
)
from shared.domain.counseling.task_events import SlotContradicted, SlotDeclined, SlotFilled, SlotTakenBack
from shared.domain.counseling.user_state import Resistance
from shared.domain.ids import MessageId, ModuleId
from shared.engine.flow import Turn
from shared.engine.scope import Scope
from shared.lexicon.session_words import questions_of
from shared.safety.ages import StatedAge
from shared.safety.demands import Demand
from shared.safety.help_seeking import Barrier, Circumstance, Inquiry
from shared.safety.levels import CrisisOutcome
from shared.safety.reassurance import Reassurance

GRIEF = ModuleId("grief_support")
_T = TypeVar("_T")
_CANNOT = {Demand.DIAGNOSIS, Demand.MEDICATION, Demand.SECRECY, Demand.CALL}
_SAFE = {Reassurance.OUT_OF_DANGER, Reassurance.CARED_FOR, Reassurance.SUPPORT}
_FEARED = {Circumstance.FEARS_HOME, Circumstance.UNSAFE_HOME}
_DANGER = {
    CrisisOutcome.CONCERN: DangerKind.OWN_CONCERN,
    CrisisOutcome.CRISIS: DangerKind.OWN_CRISIS,
    CrisisOutcome.ATTEMPTED: DangerKind.OWN_IMMINENT,
    CrisisOutcome.IMMINENT: DangerKind.OWN_IMMINENT,
    CrisisOutcome.THIRD_PARTY: DangerKind.OTHER_CRISIS,
    CrisisOutcome.THIRD_PARTY_NOW: DangerKind.OTHER_IMMINENT,
    CrisisOutcome.HARM_TO_OTHERS: DangerKind.HARM_CRISIS,
    CrisisOutcome.ABUSE_TOLD: DangerKind.VIOLENCE_PAST,
    CrisisOutcome.ABUSE: DangerKind.VIOLENCE_ONGOING,
    CrisisOutcome.ABUSE_NOW: DangerKind.VIOLENCE_NOW,
}


class _NoModel:
    """The place of the runner: every agent gives its safe default.

    Attributes:
        asked: The agents that rules would have asked.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, agent: Any, *_given: Any, **_more: Any) -> Any:
        self.asked.append(agent.name)
        return agent.safe_default


def _course(case: Case, content: Content) -> Course:
    """Return the turn of a case as far as the rules before any model bring it."""
    state = case.session
    now = state.recent[-1].created_at if state.recent else state.created_at
    runner: Any = _NoModel()
    turn = Turn(state, state.seq + 1, MessageId("m"), case.text, now, runner, Scope(state.locale, deadline=0))
    course = Course(turn, content)
    course.apply(detect_risk(turn, course.message, content))
    course.apply(hear(turn, course.message, course.session, course.found, content))
    return course


def danger(case: Case) -> set[DangerKind]:
    """Return what the crisis rules find in the message, with the session before it (`detect_risk`)."""
    raised = _course(case, catalogue.content()).found.of(RiskRaised)
    near = any({HARM_NEAR, HARM_SOON} & set(one.rule_ids) for one in raised)
    found = {_DANGER[outcome] for one in raised for outcome in {one.outcome, *one.outcomes} if outcome in _DANGER}
    return found | ({DangerKind.HARM_IMMINENT} if near and DangerKind.HARM_CRISIS in found else set())


def signs(case: Case, content: Content) -> Mapping[str, bool]:
    """Return for each condition that a rule decides whether it says that it holds."""
    course = _course(case, content)
    return {
        **_of_the_talk(case, course, content),
        **_of_the_end(case, course, content),
        **_of_safety(case, course, content),
        **_of_services(case, course, content),
        **_of_values(case, course, content),
    }


def _of_the_talk(case: Case, course: Course, content: Content) -> dict[str, bool]:
    message, words = course.message, course.message.words
    misread = hear_correction(course.turn, message, course.session, course.found, content)
    modules = {one.id: one for one in content.modules(case.session.locale)}
    return {
        # By: Words.says_task_done: the checker's "explicit".
        "complete": words.says_task_done,
        # By: Words.is_unsure.
        "dont_know": words.is_unsure,
        # By: questions_of, by which modules for what is asked are chosen (selectors.situation).
        "asks_counsellor": bool(questions_of(case.text)),
        # By: misread.hear_correction.
        "misread": bool(misread.of(MisreadTold)),
        # By: SessionWords.wants_no_questions (asking.wants_no_questions).
        "too_many_questions": content.session_words.wants_no_questions(case.text),
        # By: Words.resistance.
        "mild_resistance": words.resistance is Resistance.MILD,
        "strong_resistance": words.resistance is Resistance.STRONG,
        # By: Words.changes_topic.
        "new_topic": words.changes_topic,
        # By: UserMessage.repeats (repetition.said_in_circles).
        "circular": message.repeats,
        # By: Words.asks_if_human.
        "asks_if_human": words.asks_if_human,
        # By: UserMessage.demands (demands.yaml).
        "asks_impossible": not _CANNOT.isdisjoint(message.demands),
        # By: agreement.flow.orders: TextRules.instructive, AgreementQuestions.asks_for_prompt.
        "off_topic": orders(case.text, content),
        # By: the cues of the module for grief (Module.heard_in).
        "loss": modules[GRIEF].heard_in(case.text),
    }


def _of_the_end(case: Case, course: Course, content: Content) -> dict[str, bool]:
    message, words, session = course.message, course.message.words, course.session
    no_model: Any = course.turn.runner
    answered = _now(read_answer(course.turn, message, session, content)).events
    if READER.name in no_model.asked:
        answered = ()  # A model would decide.
    plan = _now(hear_plan(course.turn, message, session, course.found, NoSafetyPlans(), content))
    answered = (*answered, *(plan.found if isinstance(plan, FixedReply) else plan).events)
    ready = session.booking.stage is BookingStage.READY
    booked = content.booking_reader.answers.answer(case.text) if ready else None
    yes, no = (WrapUpAgreed, SessionClosed, SafetyPlanBegun), (SafetyPlanDeclined, SafetyPlanPostponed)
    return {
        # By: Words.asks_to_end, UserMessage.wishes_to_stop (stop_wish.py).
        "wants_to_stop": words.asks_to_end or message.wishes_to_stop,
        # By: short_answers.has_said_all.
        "said_all": has_said_all(message, session),
        # By: wrap_up.read_answer, safety_plan.hear_plan, the answers of the booking.
        "agrees": booked is Answer.CONFIRM or any(isinstance(one, yes) for one in answered),
        "refuses": booked is Answer.CANCEL
        or any(isinstance(one, (WrapUpDeclined, WrapUpPassed, *no)) for one in answered),
    }


def _of_safety(case: Case, course: Course, content: Content) -> dict[str, bool]:
    message, state, said = course.message, case.session, course.message.screened
    answers, help_seeking = content.crisis_answers, content.help_seeking
    safe = set(answers.reassurances(said))
    inquiry = inquired(state)
    asked = (state.seq and state.risk.asked_seq == state.seq) or inquiry is Inquiry.PLAN
    denied = Reassurance.NO_INTENT in safe or message.denies_wish_to_die
    only_no = bool(asked) and answers.says_only_no(said)
    asked_barrier = state.help_seeking.asked.get(Inquiry.BARRIER) == state.seq
    return {
        # By: denial.believe_denial (CrisisAnswers.reassurances, SessionWords.denies_wish_to_die, or a mere no).
        "denies_danger": not message.words.hesitates and (denied or only_no),
        # By: CrisisAnswers.reassurances, but for the denials.
        "safe_now": not _SAFE.isdisjoint(safe),
        # By: help_seeking.hear: HelpSeekingWords.takes_up, or that somebody knows or is there.
        "step_taken": bool(course.found.of(HelpTakenUp)),
        # By: HelpSeekingWords.declines and the barrier of the telephone.
        "refuses_call": help_seeking.declines(said.readings)
        or Barrier.PHONE in help_seeking.barriers(said.readings, asked=asked_barrier),
        # By: UserMessage.told (HelpSeekingWords.told), or a no to the question for a plan or means.
        "answers_plan": bool(message.told) or (inquiry is not None and answers.denies(said)),
        # By: UserMessage.circumstances, CrisisAnswers.violence_near.
        "somebody_feared": not _FEARED.isdisjoint(message.circumstances) or answers.violence_near(said),
        # By: the rules of ages (ScreenedMessage.age).
        "minor": said.age in (StatedAge.UNDER_14, StatedAge.MINOR),
    }


def _of_services(case: Case, course: Course, content: Content) -> dict[str, bool]:
    """Return what the router takes for another service; it knows one service for both kinds of agreements."""
    agreement = content.agreement_questions.claims(case.text)
    return {
        # By: AgreementQuestions.claims (FlowRouter).
        "about_service": agreement,
        "about_document": agreement,
        # By: BookingReader.claims (FlowRouter).
        "wants_booking": content.booking_reader.claims(case.text),
        # By: UserMessage.demands.
        "wants_person": Demand.TRANSFER in course.message.demands,
    }


def _of_values(case: Case, course: Course, content: Content) -> dict[str, bool]:
    """Return the slots that are filled, corrected or declined by rule (task_completion.begin_check)."""
    session, message = case.session, course.message
    events = begin_check(course.turn, message, course.session, course.found, content).found.events
    given = {one.slot for one in events if isinstance(one, (SlotFilled, SlotContradicted))}
    back = {one.slot for one in events if isinstance(one, SlotTakenBack)}
    declined = any(isinstance(one, SlotDeclined) for one in events)
    return {
        # By: slot_reading.declined, UserMessage.skips.
        "declines": declined or message.skips,
        # By: slot_reading.by_rule.
        **{f"told:{slot.name}": slot.name in given for slot in wanted_slots(session)},
        # By: corrections.corrected_by_rule, told_names.denies_name.
        **{f"corrects:{slot.name}": slot.name in given | back for slot in known_slots(session)},
    }


def _now(work: Coroutine[Any, Any, _T]) -> _T:
    """Run work that waits for nothing, also within a running loop."""
    try:
        work.send(None)
    except StopIteration as done:
        result: _T = done.value
        return result
    raise RuntimeError("a rule waited for something")
