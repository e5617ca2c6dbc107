"""Module Selector: a table decides; the model is asked only if the table leaves several modules."""

from dataclasses import replace

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.persona_hint import persona_hint
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.selectors.limited_answers import limit_field
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.lifecycle import SUPERVISE_EVERY
from shared.domain.counseling.module import ModuleChoice, choose
from shared.domain.counseling.session import Session
from shared.domain.counseling.task_events import ModuleChanged
from shared.domain.counseling.user_state import StateSignal
from shared.domain.ids import ModuleId
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.levels import RiskLevel
from shared.services.counseling.dialogue import Line, lines

AGENT = "module_selector"


class ModulePick(AnswerSchema):
    """The model's proposal; an empty id keeps the current module."""

    reason: str
    module_id: str


class Option(Model):
    """A module that the table leaves open."""

    id: str
    name: str
    description: str


class ModuleInput(Model):
    """Prompt variables.

    Attributes:
        persona: The user's style of talking, from Part 2 on.
    """

    options: tuple[Option, ...]
    state: str
    persona: str | None
    task_title: str
    lines: tuple[Line, ...]
    text: str


PICKER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 2, ModuleInput),
    answers=ModulePick,
    safe_default=ModulePick(reason="", module_id=""),
)


async def select_module(turn: Turn[Session], message: UserMessage, state: Session, content: Content) -> Findings:
    choice = choose(
        content.modules(state.locale),
        signals=_signals(state),
        task=state.task_in_progress,
        suggested=_suggested(state, turn.seq),
        current=state.current_module,
    )
    if len(choice.candidates) == 1:
        turn.scope.ledger.ruled(AGENT, choice.candidates[0], choice.cause.value)
        chosen: ModuleId = choice.candidates[0]
    else:
        chosen = await _ask(turn, message.text, state, choice, content)
    return Findings(events=(ModuleChanged(module_id=chosen, reason=choice.reason),))


def _signals(state: Session) -> tuple[StateSignal, ...]:
    """Return the user's signals, with a risk while a crisis is followed through."""
    found = state.user_state.signals()
    if state.risk.level >= RiskLevel.CRISIS and StateSignal.RISK not in found:
        return (StateSignal.RISK, *found)
    return found


def _suggested(state: Session, seq: int) -> ModuleId | None:
    """Return the supervisor's suggestion if it is recent."""
    newest = state.supervision_log[-1] if state.supervision_log else None
    if newest is None or seq - newest.seq > SUPERVISE_EVERY:
        return None
    suggestion = newest.data.get("suggested_module")
    return ModuleId(suggestion) if isinstance(suggestion, str) else None


async def _ask(turn: Turn[Session], text: str, state: Session, choice: ModuleChoice, content: Content) -> ModuleId:
    left = tuple(module for module in content.modules(state.locale) if module.id in choice.candidates)
    ids = sorted(module.id for module in left)

    def wrong(pick: ModulePick) -> str | None:
        return None if pick.module_id in ids else f"module_id must be one of {ids}"

    task = state.task_in_progress
    given = ModuleInput(
        options=tuple(Option(id=module.id, name=module.name, description=module.description) for module in left),
        state=", ".join(signal.value for signal in state.user_state.signals()) or "calm",
        persona=persona_hint(content, state),
        task_title=task.title if task else "",
        lines=lines(turn.state.recent),
        text=text,
    )
    picker = replace(PICKER, answers=limit_field(ModulePick, "module_id", tuple(ids)))
    pick = await turn.runner.ask(picker, given, turn.scope, wrong)
    return ModuleId(pick.module_id) if pick.module_id in ids else state.current_module
