"""Builds the directive: all that is decided about the reply before the Counselor speaks."""

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.persona_hint import persona_hint
from functions.chat.flows.counseling.purpose import Purpose, purpose_of
from functions.chat.flows.counseling.question import Holds, Question, holds_of, question_of
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.directive import CarriedGist, Directive, Stance
from shared.domain.counseling.lifecycle import SUPERVISE_EVERY
from shared.domain.counseling.module import Module
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part
from shared.domain.ids import ModuleId, TaskId
from shared.engine.flow import Turn
from shared.engine.prose import excerpt
from shared.services.counseling.prompt_slots import declined_labels, slots_for_prompt

LOW_SCORE = 7.0
"""Supervision below this score goes into the prompt."""
URGENT_SCORE = 5.0
"""Supervision below this score is emphasised: the rubric's cap for a broken register or restriction."""
STALE_AFTER = 2 * SUPERVISE_EVERY
"""Turns after which a supervision no longer counts."""
MOST_REMARKS, LONGEST_REMARK = 3, 200
"""Maximum improvements in a prompt and maximum characters of each."""


class _OfTheTask(TypedDict):
    task_id: TaskId | None
    task_title: str | None
    task_target: str | None
    restrictions: str | None
    execution_guide: str


class _OfTheModule(TypedDict):
    module_id: ModuleId
    module_name: str
    module_summary: tuple[str, ...]
    module_examples: tuple[str, ...]
    module_changed: bool
    module_change_reason: str | None


class _Supervision(NamedTuple):
    """The supervisor's improvements, and whether they are urgent."""

    improvements: tuple[str, ...] = ()
    urgent: bool = False


def draw_up(turn: Turn[Session], message: UserMessage, state: Session, found: Findings, content: Content) -> Directive:
    purpose = purpose_of(turn, message, state, found, content)
    holds = holds_of(turn, message, state, found, purpose, content)
    question = question_of(turn, state, found, purpose, holds, content)
    if question.offers_plan or (holds.process and purpose.stance is Stance.WORK):
        purpose = purpose.letting_lead()
    supervision = _supervision(state, turn.seq)
    return Directive(
        stance=purpose.stance,
        part=state.current_part,
        **_of_the_task(purpose, state),
        **_of_the_module(turn, state, purpose, content),
        ask=question.ask,
        known=slots_for_prompt(state, content.messages(state.locale, state.register_), tuple(turn.state.user_info)),
        declined=declined_labels(state),
        part_changed=_announces_part(state, purpose, holds, question),
        part2_goal=state.part2_goal if state.current_part is Part.EXPLORATION else None,
        persona=persona_hint(content, state),
        supervision=supervision.improvements,
        supervision_urgent=supervision.urgent,
        concern=purpose.concern,
        heed=purpose.heed,
        parse_error=question.parse_error,
        contradiction=question.contradiction,
        ruled=question.ruled,
        misread=holds.misread,
        skipped=holds.skipped,
        resisted=holds.resisted,
        offers_plan=question.offers_plan,
        proposes=purpose.proposes,
        carried=_gist_carried(state),
        end_cause=purpose.end_cause,
    )


def _of_the_task(purpose: Purpose, state: Session) -> _OfTheTask:
    task = purpose.task
    return {
        "task_id": task.id if task else None,
        "task_title": task.title if task else None,
        "task_target": task.target if task else None,
        "restrictions": task.restrictions if task else None,
        "execution_guide": state.execution_guide if task else "",
    }


def _of_the_module(turn: Turn[Session], state: Session, purpose: Purpose, content: Content) -> _OfTheModule:
    module = _module(content.modules(state.locale), state)
    without_examples = purpose.concern or purpose.stance is Stance.CARE
    return {
        "module_id": module.id,
        "module_name": module.name,
        "module_summary": module.summary,
        "module_examples": () if without_examples else module.examples.get(state.register_, ()),
        "module_changed": turn.state.seq > 0 and state.current_module != turn.state.current_module,
        "module_change_reason": content.state_words(state.locale).module_change(state.module_change_code or ""),
    }


def _announces_part(state: Session, purpose: Purpose, holds: Holds, question: Question) -> bool:
    """Return whether the reply introduces a new Part; nothing more pressing takes its place."""
    pressing = purpose.safety_first or question.parse_error or holds.misread or holds.feeling or question.offers_plan
    return state.current_part != state.announced_part and not pressing and purpose.stance is not Stance.CARE


def _module(modules: Sequence[Module], state: Session) -> Module:
    return next((module for module in modules if module.id == state.current_module), modules[0])


def _supervision(state: Session, seq: int) -> _Supervision:
    newest = state.supervision_log[-1] if state.supervision_log else None
    if newest is None or seq - newest.seq > STALE_AFTER:
        return _Supervision()
    gist = newest.data
    total = gist.get("total")
    score = float(total) if isinstance(total, int | float) else 10.0
    if score >= LOW_SCORE and not gist.get("needs_improvement"):
        return _Supervision()
    improvements = gist.get("improvements")
    texts = [excerpt(str(text), LONGEST_REMARK) for text in improvements] if isinstance(improvements, list) else []
    return _Supervision(tuple(texts[:MOST_REMARKS]), score < URGENT_SCORE)


def _gist_carried(state: Session) -> CarriedGist | None:
    """Return summary, goals and next plan in Part 1, only the goals in Part 3, None in Part 2."""
    carried = state.carried
    if carried is None or state.current_part is Part.EXPLORATION:
        return None
    if state.current_part is Part.CLOSING:
        return CarriedGist(goals=carried.goals) if carried.goals else None
    return CarriedGist(summary=carried.summary, goals=carried.goals, next_plan=carried.next_plan)
