"""Draws up the directive: everything about the reply that is decided before the Counselor speaks."""

from collections.abc import Sequence

from functions.chat.flows.counseling.progress import Progress
from shared.content.catalogue import Content
from shared.content.lexicon import Lexicon
from shared.content.schemas.messages import Messages
from shared.domain.counseling.directive import Ask, Directive, Stance
from shared.domain.counseling.lifecycle import agreed_to_close
from shared.domain.counseling.module import Module
from shared.domain.counseling.session import PlanStatus, Session, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import WrapUpAgreed, WrapUpDeclined
from shared.domain.counseling.task import Part, Task, part_covered
from shared.domain.counseling.user_state import StateSignal
from shared.domain.safety.levels import RiskLevel
from shared.domain.slots import missing

LOW_SCORE = 7.0
"""Supervision below this goes into the prompt (seed 001, "Counselor 프롬프트")."""
URGENT_SCORE = 5.0
"""Supervision below this is emphasised: the rubric's cap for a broken register or restriction."""
_HOLD_QUESTIONS = {StateSignal.RISK, StateSignal.RESISTANCE, StateSignal.STRONG_EMOTION}


def draw_up(progress: Progress, content: Content) -> Directive:
    """Return the directive of this turn."""
    state = progress.state
    stance = _stance(progress, content.lexicon)
    task = state.task_in_progress if stance is Stance.WORK else None
    module = _module(content.modules(state.locale), state)
    improvements, urgent = _supervision(state)
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
        module_changed=state.current_module != progress.turn.state.current_module,
        module_change_reason=state.module_change_reason,
        ask=_ask(state, task),
        known=_known(state, content.messages(state.locale, state.register_)),
        part_changed=state.current_part != state.announced_part,
        part2_goal=state.part2_goal if state.current_part is Part.EXPLORATION else None,
        persona=_persona(content, state),
        supervision=improvements,
        supervision_urgent=urgent,
        concern=state.risk.level is RiskLevel.CONCERN and state.risk.last_seq == progress.turn.seq,
        proposes=_proposes(stance),
    )


def _stance(progress: Progress, lexicon: Lexicon) -> Stance:
    state = progress.state
    if state.risk.follow_through:
        return Stance.CARE
    wants_to_end = not _answered(progress) and lexicon.asks_to_end(progress.turn.text)
    if wants_to_end or _closing_done(state):
        return Stance.CONFIRM_END
    if state.plan_status is PlanStatus.PLANNING or (agreed_to_close(state) and state.current_part is not Part.CLOSING):
        return Stance.BRIDGE
    if state.wrap_up is not None and state.wrap_up.stage is WrapUpStage.SUGGESTED:
        return Stance.PROPOSE_WRAP_UP
    return Stance.WORK if state.task_in_progress is not None else Stance.ACCOMPANY


def _answered(progress: Progress) -> bool:
    """Whether the message was the answer to a proposal: "네, 그만할게요" is not asking to end a second time."""
    return any(isinstance(event, WrapUpAgreed | WrapUpDeclined) for event in progress.events)


def _closing_done(state: Session) -> bool:
    """Part 3 is covered: the user is asked once whether to end; after a no, they will say so themselves."""
    if state.current_part is not Part.CLOSING or not part_covered(state.tasks, Part.CLOSING):
        return False
    return state.wrap_up is None or not (
        state.wrap_up.aim is WrapUpAim.END and state.wrap_up.stage is WrapUpStage.DECLINED
    )


def _proposes(stance: Stance) -> WrapUpAim | None:
    if stance is Stance.CONFIRM_END:
        return WrapUpAim.END
    return WrapUpAim.WRAP_UP if stance is Stance.PROPOSE_WRAP_UP else None


def _module(modules: Sequence[Module], state: Session) -> Module:
    return next((module for module in modules if module.id == state.current_module), modules[0])


def _ask(state: Session, task: Task | None) -> Ask | None:
    """The first thing still missing, worded anew each time; in a storm nothing is asked for."""
    if task is None or _HOLD_QUESTIONS & set(state.user_state.signals()):
        return None
    open_ones = missing(task.required_slots, state.user_info)
    if not open_ones:
        return None
    slot = open_ones[0]
    return Ask(
        slot=slot.name,
        question=slot.question(state.asked.get(slot.name, 0)),
        error=state.slot_errors.get(slot.name),
    )


def _known(state: Session, messages: Messages) -> dict[str, str]:
    labels = {slot.name: slot.label for task in state.tasks for slot in task.slots}
    words = {True: messages.text("said_yes"), False: messages.text("said_no")}
    return {
        labels.get(name, name): words[value] if isinstance(value, bool) else str(value)
        for name, value in state.user_info.items()
    }


def _persona(content: Content, state: Session) -> str | None:
    if state.current_part is Part.OPENING or state.user_persona.type is None:
        return None
    persona = content.personas.find(state.user_persona.type)
    return persona.description_ko if persona else None


def _supervision(state: Session) -> tuple[tuple[str, ...], bool]:
    """What the supervisor wants mended, only while the score is low; strengths never go in."""
    if not state.supervision_log:
        return (), False
    gist = state.supervision_log[-1].data
    total = gist.get("total")
    score = float(total) if isinstance(total, int | float) else 10.0
    if score >= LOW_SCORE and not gist.get("needs_improvement"):
        return (), False
    improvements = gist.get("improvements")
    texts = tuple(str(text) for text in improvements) if isinstance(improvements, list) else ()
    return texts, score < URGENT_SCORE
