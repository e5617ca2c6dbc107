"""Module Selector: a table decides; where it leaves several modules, an earlier choice, a rule or the model does."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from functions.chat.findings import Findings
from functions.chat.flows.counseling.prompting import PROMPTS, limit_field, persona_hint
from functions.chat.flows.counseling.selectors.situation import situation
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.module import ChoiceCause, Module, ModuleChoice, Situation, choose
from shared.domain.counseling.session import Session
from shared.domain.counseling.task_events import ModuleChanged
from shared.domain.counseling.user_state import StateSignal
from shared.domain.ids import ModuleId
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines

AS_BEFORE = "as chosen before"
NEW_TASK = "a new task begins with its own module"
_FEELINGS = (StateSignal.STRONG_EMOTION, StateSignal.EMOTION_CHANGE, StateSignal.CLEAR_EMOTION)


@dataclass(frozen=True)
class Ruled:
    """A module that a rule chose.

    Attributes:
        still_open: The model is to be asked in a later turn.
    """

    module_id: ModuleId
    reason: str
    still_open: bool = False


class EarlierChoices:
    """What the model chose during the present task.

    A choice rests on the task, on the user's state and on the modules that the user's words call for. While these are
    the same, it stands; a new topic ends all of them.

    Attributes:
        made: By what each rested on; choices of other tasks are left out.
    """

    def __init__(
        self, state: Session, choice: ModuleChoice, now: Situation, modules: Mapping[ModuleId, Module]
    ) -> None:
        self._choice = choice
        self._now = now
        self._was_open = state.module_open
        self._called = tuple(sorted(one for one in choice.candidates if now.calls_for(modules[one])))
        task = f"{state.current_task or ''}|"
        self._basis = task + "|".join((_state_class(choice, now), *self._called))
        kept = {} if state.user_state.topic_changed else state.module_choices
        self.made = {basis: module for basis, module in kept.items() if basis.startswith(task)}

    def by_rule(self, *, new_task: bool) -> Ruled | None:
        """Return what a rule chooses; None if the model is to be asked."""
        choice, now = self._choice, self._now
        if len(choice.candidates) == 1:
            goes_on = self._was_open and not new_task
            return Ruled(choice.candidates[0], choice.cause.value, goes_on and choice.cause is ChoiceCause.TASK)
        before = self.made.get(self._basis)
        if before is not None and before in choice.candidates:
            return Ruled(before, AS_BEFORE)
        if new_task and choice.cause is ChoiceCause.TASK and not now.asks_about_counselling:
            called = now.current in self._called
            return Ruled(now.current if called else choice.candidates[0], NEW_TASK, still_open=True)
        return None

    def with_the(self, chosen: ModuleId) -> dict[str, ModuleId]:
        """Return the choices with the model's newest one."""
        return {**self.made, self._basis: chosen}


AGENT = "module_selector"
NO_LONGER_FITS = "what the model chose ahead does not fit what the message was found to say"


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
    modules = {module.id: module for module in content.modules(state.locale)}
    now = situation(turn, message, state, content)
    choice = choose(tuple(modules.values()), now)
    earlier = EarlierChoices(state, choice, now, modules)
    ruled = earlier.by_rule(new_task=state.current_task != turn.state.current_task)
    if ruled is not None:
        turn.scope.ledger.ruled(AGENT, ruled.module_id, ruled.reason)
        chosen, made, still_open = ruled.module_id, earlier.made, ruled.still_open
    else:
        chosen, by_model = await _ask(turn, message.text, state, choice, content)
        made = earlier.with_the(chosen) if by_model else earlier.made
        still_open = not by_model
    reason = content.state_words(state.locale).module_reason(choice.code)
    changed = ModuleChanged(module_id=chosen, reason=reason, code=choice.code, choices=made, still_open=still_open)
    return Findings(events=(changed,))


async def _ask(
    turn: Turn[Session], text: str, state: Session, choice: ModuleChoice, content: Content
) -> tuple[ModuleId, bool]:
    """Return the model's choice and True; without a valid answer the rule's, and False."""
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
    if pick.module_id in ids:
        return ModuleId(pick.module_id), True
    kept = present_or_first(state.current_module, choice)
    if pick.module_id:
        turn.scope.ledger.ruled(AGENT, kept, NO_LONGER_FITS)
    return kept, False


def _option(module: Module, current: ModuleId) -> Option:
    return Option(
        id=module.id,
        name=module.name,
        description=module.description,
        when=module.when,
        when_not=module.when_not,
        current=module.id == current,
    )


def present_or_first(present: ModuleId, choice: ModuleChoice) -> ModuleId:
    """Return the present module, or the first candidate if the present one answers something else."""
    return present if present in choice.candidates else choice.candidates[0]


def _state_class(choice: ModuleChoice, now: Situation) -> str:
    return now.state.emotion.value if choice.signal in _FEELINGS else choice.code
