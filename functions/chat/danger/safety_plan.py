"""The safety plan in a talk: offered after a danger, written step by step, shown, kept on a plain yes. Rules only."""

from functions.chat.danger.kept_plan import SafetyPlans, erase_plan, see_plan
from functions.chat.danger.plan_steps import asked_step, asks_back, plan_task, says_yes
from functions.chat.danger.questions import step_ask
from functions.chat.danger.safety_gate import concerned
from functions.chat.findings import Findings, FixedReply, after
from functions.chat.legacy.asked_before import fresh
from functions.chat.legacy.receiving import receiving
from functions.chat.legacy.user_message import UserMessage
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.content.schemas.voice import Voiced
from shared.domain.counseling.readings import before, newly_named
from shared.domain.counseling.safety_plan import PlanStage, PlanStep
from shared.domain.counseling.safety_plan_events import (
    SafetyPlanAnswered,
    SafetyPlanBegun,
    SafetyPlanDeclined,
    SafetyPlanOffered,
    SafetyPlanPostponed,
    SafetyPlanShown,
    SafetyPlanStepExplained,
    SafetyPlanStepGiven,
    SafetyPlanStepPassed,
    SafetyPlanUnchanged,
)
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import MisreadTold
from shared.domain.counseling.task import CompletionRule, SufficientReason, TaskOrigin
from shared.domain.counseling.task_events import SlotAsked, TaskCovered
from shared.domain.counseling.user_state import Resistance
from shared.domain.event import Event
from shared.domain.slots import SlotKind
from shared.engine.flow import Turn
from shared.lexicon.words import Answer

AGENT = "safety_plan"
_MAY_NAME_FEELINGS = (PlanStep.SIGNS, PlanStep.SURROUNDINGS)
"""Steps whose answers may sound like a feeling; as an answer to the others it is a new one, which is received first."""
WHAT = "what"
"""Asks what the plan is; at a step, what the step means."""


async def hear_plan(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, plans: SafetyPlans, content: Content
) -> Findings | FixedReply:
    """Read answers to the offer and to the question whether to keep the plan, questions about it, and wishes for it."""
    if session.ended or concerned(found):
        return Findings()
    words = content.safety_plan
    if words.asks_to_see(message.text) and not words.wants(message.text):
        return await see_plan(turn, session, plans, content)
    if session.risk.follow_through:
        return Findings()
    if words.asks_to_erase(message.text):
        refused = (SafetyPlanAnswered(kept=False),) if _asks_to_keep(turn, message, session) else ()
        return await erase_plan(session, plans, content, *refused)
    return await _hear_in_calm(turn, message, session, plans, content)


async def _hear_in_calm(
    turn: Turn[Session], message: UserMessage, session: Session, plans: SafetyPlans, content: Content
) -> Findings | FixedReply:
    plan, words = session.safety_plan, content.safety_plan
    if _asks_to_keep(turn, message, session):
        return await _answer_to_keeping(turn, message, session, plans, content)
    if plan.may_be_kept and words.keeps_after_all(message.text):
        return await _kept(session, plans, content)
    if words.wants(message.text):
        return await _begun(turn, session, plans, content)
    if plan.stage is PlanStage.OFFERED and _just_asked(turn, message, session):
        return await _answer_to_offer(turn, message, session, plans, content)
    answered = _answer_to_a_question(turn, message, session, content)
    return answered or _says_what_is_not_stored(turn, message, session, content) or Findings()


def take_step(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content
) -> Findings:
    """Read the answer to the step that was asked for, in the user's own words; the task is covered after the last."""
    task = plan_task(session)
    if task is None or found.of(SafetyPlanBegun):
        return Findings()
    step = asked_step(turn.state) if message.answers else None
    event = None if step is None else _step_event(turn, message, session, found, step, content)
    events: tuple[Event[Session], ...] = () if event is None else (event,)
    stops = content.safety_plan.stops(message.text)
    if stops or not after(session, events, turn.now).safety_plan.left(session.asked):
        reason = SufficientReason.EXPLICIT if stops else SufficientReason.GATE
        events = (*events, TaskCovered(task_id=task.id, reason=reason, seq=turn.seq))
    turn.scope.ledger.ruled(AGENT, step and step.value, event.name if event else "no step was answered")
    return Findings(events=events)


def ask_to_keep(turn: Turn[Session], session: Session, found: Findings, content: Content) -> Findings | FixedReply:
    """Show the plan that was finished in this turn and ask, once, whether to keep it, if a step was given."""
    plan = session.safety_plan
    done = {event.task_id for event in found.of(TaskCovered)}
    finished = any(task.id in done and task.completion_rule is CompletionRule.STEPS for task in session.tasks)
    if not finished or plan.stage is not PlanStage.BUILDING:
        return Findings()
    unstored = any(event.unstored for event in found.of(SafetyPlanStepPassed))
    said = content.safety_plan.text(content.safety_plan.written.unstored, voice_of(session)) if unstored else ""
    if not plan.changed:
        unchanged = Findings(events=(SafetyPlanUnchanged(),))
        return FixedReply(said, "the answer cannot be stored", unchanged) if said else unchanged
    text = "\n\n".join(filter(None, (said, content.safety_plan.shown(plan.steps, voice_of(session)))))
    events = (SafetyPlanShown(seq=turn.seq), SlotAsked(slot=None, seq=turn.seq))
    return FixedReply(text, "the safety plan is complete", Findings(events=events))


def _just_asked(turn: Turn[Session], message: UserMessage, session: Session) -> bool:
    return message.answers and session.safety_plan.seq == turn.state.seq


def _asks_to_keep(turn: Turn[Session], message: UserMessage, session: Session) -> bool:
    return session.safety_plan.stage is PlanStage.SHOWN and _just_asked(turn, message, session)


def _step_event(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, step: PlanStep, content: Content
) -> Event[Session] | None:
    """Return the step as given or passed; None if the message is no answer to it, so that it may be asked once more."""
    text, plan = message.text, content.safety_plan
    declined = message.declines == step.slot or content.session_words.declines(text, SlotKind.TEXT)
    refused = declined or message.words.answer is Answer.CANCEL or plan.stops(text)
    says_nothing = message.words.is_backchannel or message.words.answer is Answer.CONFIRM
    if (
        refused
        or content.answers.says_none(text)
        or message.words.is_unsure
        or plan.gives_nothing(text)
        or (says_nothing and step in session.safety_plan.steps)
    ):
        return SafetyPlanStepPassed(step=step)
    if says_nothing:  # "네" tells that there is something, but not what
        return None
    feeling = step not in _MAY_NAME_FEELINGS and newly_named(session.user_state, before(turn.state.readings, turn.seq))
    if feeling or found.of(MisreadTold) or concerned(found) or _says_something_else(message, content):
        return None
    words = _storable(message, step, content)
    if words is None:
        return SafetyPlanStepPassed(step=step, unstored=True)
    return SafetyPlanStepGiven(step=step, words=words)


def _storable(message: UserMessage, step: PlanStep, content: Content) -> str | None:
    return content.safety_plan.storable(content.lexicon.without_lead_in(message.text), step)


def _says_something_else(message: UserMessage, content: Content) -> bool:
    """Return whether a message is about the talk itself, or asks something, so that it holds no step."""
    words = message.words
    about_the_talk = words.changes_topic or words.asks_to_end or words.says_task_done or message.wants_more
    about_the_talk = about_the_talk or message.corrects
    asks = asks_back(message) or words.asks_if_human or content.crisis_answers.asks_resources(message.screened)
    return about_the_talk or asks or words.resistance is not Resistance.NONE


async def _begun(turn: Turn[Session], session: Session, plans: SafetyPlans, content: Content) -> Findings | FixedReply:
    """Begin with the kept plan; if it cannot be read, say so and begin nothing, which might replace it."""
    stored = await plans.stored(session.user_id)
    if not stored.known:
        unread = content.safety_plan.written.unread
        return _fixed(session, unread, "the kept plan could not be read", content, SafetyPlanPostponed())
    task = content.safety_plan.task(session.locale, session.register_)
    begun = SafetyPlanBegun(
        task=task.model_copy(update={"created_at": turn.now, "origin": TaskOrigin.FEEDBACK}), steps=stored.steps
    )
    turn.scope.ledger.ruled(AGENT, "begun", "the user wants a safety plan")
    return Findings(events=(begun,))


async def _answer_to_offer(
    turn: Turn[Session], message: UserMessage, session: Session, plans: SafetyPlans, content: Content
) -> Findings | FixedReply:
    """Begin on a plain yes, explain on a question about it, end on a plain no; anything else postpones it once."""
    plan, words = session.safety_plan, content.safety_plan
    if says_yes(message) or words.accepts(message.text):
        return await _begun(turn, session, plans, content)
    if question := words.question(message.text):
        voice = voice_of(session)
        then = words.written.leaves_open if plan.explained else words.written.invites
        text = f"{words.text(question.answer, voice)} {words.text(then, voice)}"
        again = SafetyPlanOffered(seq=turn.seq, explained=True)
        return FixedReply(text, f"the user asks about the plan: {question.about}", Findings(events=(again,)))
    declined = content.session_words.declines(message.text, SlotKind.TEXT) and not words.puts_off(message.text)
    refused = declined or words.refuses(message.text)
    if not refused and not plan.postponed:
        turn.scope.ledger.ruled(AGENT, "postponed", "the user says neither yes nor no")
        return Findings(events=(SafetyPlanPostponed(),))
    turn.scope.ledger.ruled(AGENT, "declined", "a plain no to the offer, or no yes to the second")
    return Findings(events=(SafetyPlanDeclined(),))


def _answer_to_a_question(
    turn: Turn[Session], message: UserMessage, session: Session, content: Content
) -> FixedReply | None:
    """Answer a question about the step that was just asked for, once a step, and ask for the step again."""
    task, step = plan_task(session), asked_step(turn.state)
    plan, words, voice = session.safety_plan, content.safety_plan, voice_of(session)
    question = words.question(message.text) if message.answers and task and step else None
    if task is None or step is None or question is None or step in plan.explained_steps:
        return None
    slot = next(slot for slot in task.optional_slots if slot.name == step.slot)
    answer = words.written.steps[step] if question.about == WHAT else question.answer
    explained = SafetyPlanStepExplained(step=step, seq=turn.seq)
    return FixedReply(
        f"{words.text(answer, voice)} {fresh(slot.questions, session)}",
        f"the user asks about the step: {question.about}",
        Findings(events=(explained, SlotAsked(slot=step.slot, seq=turn.seq))),
    )


def _says_what_is_not_stored(
    turn: Turn[Session], message: UserMessage, session: Session, content: Content
) -> FixedReply | None:
    """Say that the answer to a step cannot be stored, and ask for the next step; after the last, the plan says it."""
    task, step = plan_task(session), asked_step(turn.state)
    if task is None or step is None or not message.answers or _storable(message, step, content) is not None:
        return None
    passed = SafetyPlanStepPassed(step=step, unstored=True)
    ask = step_ask(after(session, (passed,), turn.now), task, content)
    if ask is None:
        return None
    said = content.safety_plan.text(content.safety_plan.written.unstored, voice_of(session))
    asked = SlotAsked(slot=ask.slot, seq=turn.seq)
    return FixedReply(f"{said} {ask.question}", "the answer cannot be stored", Findings(events=(passed, asked)))


async def _answer_to_keeping(
    turn: Turn[Session], message: UserMessage, session: Session, plans: SafetyPlans, content: Content
) -> Findings | FixedReply:
    """Keep the plan on a plain yes and answer a question about it; another question is no answer, all else a no."""
    written = content.safety_plan.written
    if question := content.safety_plan.question(message.text):
        texts = (content.safety_plan.text(text, voice_of(session)) for text in (question.answer, written.keep_question))
        again = SafetyPlanShown(seq=turn.seq)
        return FixedReply(" ".join(texts), f"the user asks about the plan: {question.about}", Findings(events=(again,)))
    if says_yes(message) or content.safety_plan.keeps(message.text):
        return await _kept(session, plans, content)
    if asks_back(message):
        return Findings()
    refused = SafetyPlanAnswered(kept=False)
    if message.words.answer is Answer.CANCEL:
        return _fixed(session, written.not_kept, "the user does not want to keep the plan", content, refused)
    # Neither yes nor no: nobody may believe that a plan is saved which is not.
    not_yet = content.safety_plan.text(written.not_yet, voice_of(session))
    received = f"{receiving(message, session, content)} {not_yet}"
    return FixedReply(received, "no plain answer whether to keep the plan", Findings(events=(refused,)))


async def _kept(session: Session, plans: SafetyPlans, content: Content) -> FixedReply:
    written, kept = content.safety_plan.written, await plans.keep(session)
    text = written.kept if kept else written.not_possible
    return _fixed(session, text, "the user wants to keep the plan", content, SafetyPlanAnswered(kept=kept))


def _fixed(session: Session, text: Voiced, reason: str, content: Content, *events: Event[Session]) -> FixedReply:
    return FixedReply(content.safety_plan.text(text, voice_of(session)), reason, Findings(events=events))
