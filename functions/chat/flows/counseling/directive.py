"""Builds the directive: all that is decided about the reply before the Counselor speaks."""

from collections.abc import Sequence

from functions.chat.flows.counseling.asking import feeling_first, holds_questions, next_ask, skips_a_question
from functions.chat.flows.counseling.carried_gist import gist_carried
from functions.chat.flows.counseling.contradictions import next_clarification
from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.persona_hint import persona_hint
from functions.chat.flows.counseling.safety_plan import step_ask, time_to_offer
from functions.chat.flows.counseling.unclear import asked_again, unclear
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.directive import Ask, Directive, EndCause, Heed, Stance
from shared.domain.counseling.lifecycle import SUPERVISE_EVERY, agreed_to_close, plan_covered_unseen
from shared.domain.counseling.module import Module
from shared.domain.counseling.review import time_to_ask_for_the_end, time_to_propose
from shared.domain.counseling.risk_events import RiskRaised, RiskWatched
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun, SafetyPlanStepGiven
from shared.domain.counseling.session import PlanStatus, Session, WrapUpAim
from shared.domain.counseling.session_events import MisreadTold, WrapUpAgreed, WrapUpDeclined, WrapUpUnclear
from shared.domain.counseling.task import CompletionRule, Part, Task, part_covered
from shared.domain.counseling.task_events import SlotDeclined, SlotFilled
from shared.engine.flow import Turn
from shared.engine.prose import excerpt
from shared.lexicon.words import Words
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.services.counseling.prompt_slots import declined_labels, slots_for_prompt

LOW_SCORE = 7.0
"""Supervision below this score goes into the prompt."""
URGENT_SCORE = 5.0
"""Supervision below this score is emphasised: the rubric's cap for a broken register or restriction."""
STALE_AFTER = 2 * SUPERVISE_EVERY
"""Turns after which a supervision no longer counts."""
MOST_REMARKS, LONGEST_REMARK = 3, 200
"""Maximum improvements in a prompt and maximum characters of each."""
_MAY_OFFER = (Stance.WORK, Stance.GATHER, Stance.ACCOMPANY)
"""Stances in which a safety plan may be offered: nothing else is proposed or planned."""
_HEEDED = {
    CrisisOutcome.THIRD_PARTY: Heed.HELPER,
    CrisisOutcome.THIRD_PARTY_NOW: Heed.HELPER,
    CrisisOutcome.HARM_TO_OTHERS: Heed.HARM_TO_OTHERS,
    CrisisOutcome.ABUSE: Heed.ABUSE,
    CrisisOutcome.ABUSE_NOW: Heed.ABUSE,
}


def draw_up(turn: Turn[Session], message: UserMessage, state: Session, found: Findings, content: Content) -> Directive:
    """Return the directive of this turn."""
    to_ask = state.risk.last_seq == turn.seq or _evaded(turn, message, found)
    concern = to_ask and state.risk.level is RiskLevel.CONCERN
    heed = _heed(state, found, concern=concern)
    end_cause = _end_cause(message, state, turn.seq, found)
    begun = state.safety_plan.stage is PlanStage.BUILDING and bool(found.of(SafetyPlanBegun))
    stance = _stance(state, turn.seq, end_cause, concern=concern)
    if begun and stance is Stance.ACCOMPANY:
        stance = Stance.WORK
    task = state.task_in_progress if stance is Stance.WORK else None
    module = _module(content.modules(state.locale), state)
    improvements, urgent = _supervision(state, turn.seq)
    misread = bool(found.of(MisreadTold)) and not concern
    rests = holds_questions(turn, message, _without_rest(state) if begun else state, found, content.lexicon)
    answered = concern or heed or state.safety_plan.stage is PlanStage.BUILDING or found.of(SlotDeclined, SlotFilled)
    skipped = not answered and skips_a_question(message, turn.state)
    held = bool(concern or heed or misread or skipped) or rests
    again = None if held else next_ask(state, task, turn.seq, again=True)
    parse_error = not held and unclear(turn, state, found, stance, again)
    offers_plan = stance in _MAY_OFFER and not (held or parse_error) and time_to_offer(turn, state)
    if offers_plan:
        stance, task = Stance.ACCOMPANY, None
    # A warning sign that was asked for is no new feeling.
    received = feeling_first(turn, state) and not found.of(SafetyPlanBegun, SafetyPlanStepGiven)
    waits = held or offers_plan or received
    contradiction = None if waits or parse_error else next_clarification(state, stance, content)
    ask = None if waits or contradiction else _next_question(state, task, turn.seq, content)
    return Directive(
        stance=stance,
        part=state.current_part,
        task_id=task.id if task else None,
        task_title=task.title if task else None,
        task_target=task.target if task else None,
        restrictions=task.restrictions if task else None,
        execution_guide=state.execution_guide if task else "",
        module_id=module.id,
        module_name=module.name,
        module_summary=module.summary,
        module_examples=() if concern or stance is Stance.CARE else module.examples.get(state.register_, ()),
        module_changed=state.current_module != turn.state.current_module,
        module_change_reason=content.state_words(state.locale).module_change(state.module_change_code or ""),
        ask=asked_again(again, turn.state.last_asked) if parse_error else ask,
        known=slots_for_prompt(state, content.messages(state.locale, state.register_)),
        declined=declined_labels(state),
        part_changed=state.current_part != state.announced_part
        and not (concern or heed or parse_error or misread or offers_plan)
        and stance is not Stance.CARE,
        part2_goal=state.part2_goal if state.current_part is Part.EXPLORATION else None,
        persona=persona_hint(content, state),
        supervision=improvements,
        supervision_urgent=urgent,
        concern=concern,
        heed=heed,
        parse_error=parse_error,
        contradiction=contradiction,
        misread=misread,
        skipped=skipped,
        offers_plan=offers_plan,
        proposes=_proposes(stance),
        carried=gist_carried(state),
        end_cause=end_cause if stance is Stance.CONFIRM_END else None,
    )


def _without_rest(state: Session) -> Session:
    """Return the session without the rest after a danger, which the user's own wish for a plan ends."""
    return state.model_copy(update={"risk": state.risk.model_copy(update={"over_seq": None})})


def _next_question(state: Session, task: Task | None, seq: int, content: Content) -> Ask | None:
    """Return what the reply asks for: the next step of a safety plan, else the next slot."""
    if task is not None and task.completion_rule is CompletionRule.STEPS:
        return step_ask(state, task, content)
    return next_ask(state, task, seq)


def _stance(state: Session, seq: int, end_cause: EndCause | None, *, concern: bool) -> Stance:
    """Return what the reply is for. A question about danger is asked alone, so that a "yes" is unambiguous."""
    if state.risk.follow_through:
        return Stance.CARE
    if concern:
        return Stance.WORK if state.task_in_progress is not None else Stance.ACCOMPANY
    if end_cause is not None:
        return Stance.CONFIRM_END
    if state.risk.attended or state.risk.just_over(seq):
        return Stance.ACCOMPANY
    if state.plan_status is PlanStatus.PLANNING or (agreed_to_close(state) and state.current_part is not Part.CLOSING):
        return Stance.BRIDGE
    if time_to_propose(state, seq):
        return Stance.PROPOSE_WRAP_UP
    if state.task_in_progress is not None:
        return Stance.WORK
    return Stance.GATHER if plan_covered_unseen(state) else Stance.ACCOMPANY


def _evaded(turn: Turn[Session], message: UserMessage, found: Findings) -> bool:
    """Return whether the message evades the direct question of the last reply; it is asked once more only."""
    risk, words = turn.state.risk, message.words
    asked = risk.outcome is CrisisOutcome.CONCERN and risk.last_seq == risk.asked_seq == turn.state.seq
    evades = words.hesitates or words.is_backchannel or not words.content_words
    return asked and message.answers and evades and not any(event.said for event in found.of(RiskWatched))


def _heed(state: Session, found: Findings, *, concern: bool) -> Heed | None:
    """Return a risk other than the danger to the user's life; None while that must be asked about."""
    risk = state.risk
    if concern:
        return None
    if (risk.follow_through or risk.attended) and risk.outcome in _HEEDED:
        return _HEEDED[risk.outcome]
    told = any(event.outcome is CrisisOutcome.ABUSE_TOLD for event in found.of(RiskRaised))
    return Heed.ABUSE_TOLD if told else None


def _end_cause(message: UserMessage, state: Session, seq: int, found: Findings) -> EndCause | None:
    """Return why to ask whether the user wants to end; the user's own wish goes first.

    An answer to a proposal ("네, 그만할게요") is no new wish to end.
    """
    answered = found.of(WrapUpAgreed, WrapUpDeclined, WrapUpUnclear)
    if not answered and _asks_to_end(message.words, state):
        return EndCause.ASKED
    if not time_to_ask_for_the_end(state, seq):
        return None
    covered = state.current_part is Part.CLOSING and part_covered(state.tasks, Part.CLOSING)
    return EndCause.COVERED if covered else EndCause.ASKED


def _asks_to_end(words: Words, state: Session) -> bool:
    """Return whether the user asks to end, or says that all is said once Part 3 is covered."""
    covered = state.current_part is Part.CLOSING and part_covered(state.tasks, Part.CLOSING)
    return words.asks_to_end or (covered and words.says_task_done)


def _proposes(stance: Stance) -> WrapUpAim | None:
    if stance is Stance.CONFIRM_END:
        return WrapUpAim.END
    return WrapUpAim.WRAP_UP if stance is Stance.PROPOSE_WRAP_UP else None


def _module(modules: Sequence[Module], state: Session) -> Module:
    return next((module for module in modules if module.id == state.current_module), modules[0])


def _supervision(state: Session, seq: int) -> tuple[tuple[str, ...], bool]:
    """Return the supervisor's improvements while the score is low and recent, and whether they are urgent."""
    newest = state.supervision_log[-1] if state.supervision_log else None
    if newest is None or seq - newest.seq > STALE_AFTER:
        return (), False
    gist = newest.data
    total = gist.get("total")
    score = float(total) if isinstance(total, int | float) else 10.0
    if score >= LOW_SCORE and not gist.get("needs_improvement"):
        return (), False
    improvements = gist.get("improvements")
    texts = [excerpt(str(text), LONGEST_REMARK) for text in improvements] if isinstance(improvements, list) else []
    return tuple(texts[:MOST_REMARKS]), score < URGENT_SCORE
