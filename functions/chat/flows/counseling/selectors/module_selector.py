"""Module Selector: a table decides; the model is asked only if the table leaves several modules."""

from dataclasses import replace

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.persona_hint import persona_hint
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.selectors.limited_answers import limit_field
from functions.chat.flows.counseling.selectors.situation import situation
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.module import Module, ModuleChoice, choose
from shared.domain.counseling.session import Session
from shared.domain.counseling.task_events import ModuleChanged
from shared.domain.ids import ModuleId
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines

AGENT = "module_selector"


class ModulePick(AnswerSchema):
    """The model's proposal; an empty id keeps the current module."""

    reason: str
    module_id: str


class Option(Model):
    """A module that the table leaves open.

    Attributes:
        current: It is the module of the last turn.
    """

    id: str
    name: str
    description: str
    when: str
    when_not: str
    current: bool


class ModuleInput(Model):
    """Prompt variables.

    Attributes:
        options: At most `MOST_CANDIDATES`.
        persona: The user's style and how to talk with it.
    """

    options: tuple[Option, ...]
    state: str
    persona: str | None
    task_title: str
    lines: tuple[Line, ...]
    text: str


PICKER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 3, ModuleInput),
    answers=ModulePick,
    safe_default=ModulePick(reason="", module_id=""),
)


async def select_module(turn: Turn[Session], message: UserMessage, state: Session, content: Content) -> Findings:
    choice = choose(content.modules(state.locale), situation(turn, message, state, content))
    if len(choice.candidates) == 1:
        turn.scope.ledger.ruled(AGENT, choice.candidates[0], choice.cause.value)
        chosen: ModuleId = choice.candidates[0]
    else:
        chosen = await _ask(turn, message.text, state, choice, content)
    reason = content.state_words(state.locale).module_reason(choice.code)
    return Findings(events=(ModuleChanged(module_id=chosen, reason=reason, code=choice.code),))


async def _ask(turn: Turn[Session], text: str, state: Session, choice: ModuleChoice, content: Content) -> ModuleId:
    modules = {module.id: module for module in content.modules(state.locale)}
    ids = sorted(choice.candidates)

    def wrong(pick: ModulePick) -> str | None:
        return None if pick.module_id in ids else f"module_id must be one of {ids}"

    task = state.task_in_progress
    given = ModuleInput(
        options=tuple(_option(modules[one], state.current_module) for one in choice.candidates),
        state=", ".join(signal.value for signal in state.user_state.signals()) or "calm",
        persona=persona_hint(content, state),
        task_title=task.title if task else "",
        lines=lines(turn.state.recent),
        text=text,
    )
    picker = replace(PICKER, answers=limit_field(ModulePick, "module_id", tuple(ids)))
    pick = await turn.runner.ask(picker, given, turn.scope, wrong)
    return ModuleId(pick.module_id) if pick.module_id in ids else _without_a_model(state, choice)


def _without_a_model(state: Session, choice: ModuleChoice) -> ModuleId:
    """Return the current module, or the first candidate if the current one answers something else."""
    return state.current_module if state.current_module in choice.candidates else choice.candidates[0]


def _option(module: Module, current: ModuleId) -> Option:
    return Option(
        id=module.id,
        name=module.name,
        description=module.description,
        when=module.when,
        when_not=module.when_not,
        current=module.id == current,
    )
