"""Modules: counselling techniques, and the table that selects one for a turn."""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache

from pydantic import Field

from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, Task, TaskKind, TaskOrigin
from shared.domain.counseling.user_state import CLEAR_EMOTION, EmotionLabel, StateSignal, UserState
from shared.domain.ids import ModuleId
from shared.locale import Register
from shared.model import Model

CRISIS_MODULE = ModuleId("crisis_support")
RESISTANCE_MODULE = ModuleId("resistance_handling")
"""While it is active, no slot is asked for."""
LISTENING = ModuleId("empathy_expression")
"""Used after a crisis, without a task, or if the current module may not be used and no row of the table applies."""
ASKING = frozenset({ModuleId("questioning_technique"), ModuleId("information_gathering")})
"""Modules of which every line is about asking; a user who has just said little is not met with them."""
MEETING = frozenset({TaskKind.WELCOME, TaskKind.INFORMATION, TaskKind.RAPPORT, TaskKind.ORIENTATION, TaskKind.PERSONA})
"""Kinds of task in which counsellor and user get to know each other."""
MOST_CANDIDATES = 6
"""Most modules that are a question for the model."""


class Module(Model):
    """One technique. Texts are in the session's language.

    Attributes:
        when: When it helps; for the model that chooses, and for people.
        when_not: When it does not.
        guidelines: The full text, for people.
        summary: Three to five lines for the counsellor's prompt.
        examples: Sentences of a counsellor, by register.
        sources: Public guides that it rests on.
        applicable_to: The Parts in which it may be used, by session type.
        answers: User states that it is made for.
        suits: Kinds of task that it serves.
        emotions: Emotions that call for it; they decide which module answers a strong emotion.
        cues: Words of the user that call for it. No list has all of them: a module without its cue is still an option
            for the model, after those that are called for.
        only_when_cued: Before a cue was heard, no rule, plan or supervision chooses it; the model may.
    """

    id: ModuleId
    name: str
    description: str
    when: str = ""
    when_not: str = ""
    guidelines: tuple[str, ...]
    summary: tuple[str, ...] = Field(min_length=3, max_length=5)
    examples: Mapping[Register, tuple[str, ...]] = Field(default_factory=dict)
    sources: tuple[str, ...] = ()
    applicable_to: Mapping[SessionType, tuple[Part, ...]]
    answers: tuple[StateSignal, ...] = ()
    suits: tuple[TaskKind, ...] = ()
    emotions: tuple[EmotionLabel, ...] = ()
    cues: tuple[str, ...] = ()
    only_when_cued: bool = False

    @property
    def conditional(self) -> bool:
        """Whether it is for one subject or emotion, which its emotions and cues name."""
        return bool(self.emotions or self.cues)

    def applies(self, session_type: SessionType, part: Part) -> bool:
        """Tell whether it may be used in a Part of a type of session."""
        return part in self.applicable_to.get(session_type, ())

    def heard_in(self, words: str) -> bool:
        return bool(self.cues) and bool(_any_of(self.cues).search(words))


class ChoiceCause(StrEnum):
    """The row of the table that applied."""

    RISK = "risk"
    STATE = "state"
    SUPERVISION = "supervision"
    TASK = "task"
    SUBJECT = "subject"
    """No task is open, and the user's words call for it, or for no more than listening."""
    CURRENT = "current"


class Situation(Model):
    """What the table reads of a turn.

    Attributes:
        signals: Findings of the user state detector, most pressing first.
        state: The reading they come from.
        new_feeling: The emotion was not there in the turn before; a clear emotion is answered once.
        unchanged: State and task are those of the turn before, and no choice is open.
        task: The task of this turn.
        preferred: Modules that suit the user's persona.
        suggested: The supervisor's recent suggestion, if any.
        current: The module of the last turn.
        heard_now: The user's newest words.
        heard: All that is known of the user's words.
        tells: The newest message tells so much that it may call for a module of which no cue was heard.
        asks: The newest message asks something.
        says_little: The newest message says little and answers nothing.
    """

    session_type: SessionType
    part: Part
    signals: tuple[StateSignal, ...] = ()
    state: UserState = UserState()
    new_feeling: bool = True
    unchanged: bool = False
    task: Task | None = None
    preferred: tuple[ModuleId, ...] = ()
    suggested: ModuleId | None = None
    current: ModuleId
    heard_now: str = ""
    heard: str = ""
    tells: bool = False
    asks: bool = False
    says_little: bool = False

    def allows(self, module: Module) -> bool:
        """Tell whether a module may be used now at all; the crisis module is the risk row's alone."""
        fits = module.id != CRISIS_MODULE and not (self.says_little and module.id in ASKING)
        return fits and module.applies(self.session_type, self.part)

    def unheard(self, module: Module) -> bool:
        """Tell whether only the model may choose a module: nothing that it needs was heard so far."""
        return module.only_when_cued and not module.heard_in(f"{self.heard}\n{self.heard_now}")

    def calls_for(self, module: Module) -> bool:
        """Tell whether the user's emotion or newest words call for a module that needs such a call."""
        felt = self.state.intensity >= CLEAR_EMOTION and self.state.emotion in module.emotions
        return felt or module.heard_in(self.heard_now)

    def answers(self, signal: StateSignal, module: Module) -> bool:
        """Tell whether a module answers a user state; which one a strong emotion needs, the emotion decides."""
        told = self.tells and signal is not StateSignal.STRONG_EMOTION
        return signal in module.answers and (told or not module.conditional or self.calls_for(module))

    @property
    def asks_about_counselling(self) -> bool:
        """Whether the user asks something while they get to know the counselling."""
        return self.asks and self.task is not None and self.task.kind in MEETING

    def serves(self, module: Module, task: Task) -> bool:
        """Tell whether a module of the task's kind joins the task's own.

        What the user's words call for does, and every module once they tell something; while they get to know the
        counselling, once they ask something, since those modules are about the counselling itself. Unless the planner
        chose the task's own, what their emotion calls for and, in Part 2, what needs no call join, too.
        """
        told = self.asks if task.kind in MEETING else self.tells
        if told or module.heard_in(self.heard_now):
            return True
        free = not module.conditional and self.part is Part.EXPLORATION
        return task.origin is TaskOrigin.TEMPLATE and (self.calls_for(module) or free)


class ModuleChoice(Model):
    """Result of the table: one candidate is a decision, several are a question for the model.

    Attributes:
        signal: The user state that the candidates answer, if any.
    """

    candidates: tuple[ModuleId, ...] = Field(min_length=1, max_length=MOST_CANDIDATES)
    cause: ChoiceCause
    signal: StateSignal | None = None

    @property
    def code(self) -> str:
        """Code of the reason, stored in the session: the row and the user state."""
        return self.cause.value if self.signal is None else f"{self.cause.value}:{self.signal.value}"


def choose(modules: Sequence[Module], now: Situation) -> ModuleChoice:
    """Select a module by risk, then user state, supervision, task, subject and current module.

    In every row but the first, only modules that may be used in this session type and Part are candidates. Where a row
    leaves several, `_settle` narrows them, and the model chooses: what a person tells is heard by no list of words.
    """
    if StateSignal.RISK in now.signals:
        return ModuleChoice(candidates=(CRISIS_MODULE,), cause=ChoiceCause.RISK, signal=StateSignal.RISK)
    able = [module for module in modules if now.allows(module)]
    ids = {module.id for module in able}
    known = {module.id for module in able if not now.unheard(module)}
    if answering := _answering(able, now):
        return answering
    if now.current == CRISIS_MODULE and LISTENING in ids:
        return ModuleChoice(candidates=(LISTENING,), cause=ChoiceCause.CURRENT)
    if now.suggested in known and now.suggested is not None:
        return ModuleChoice(candidates=(now.suggested,), cause=ChoiceCause.SUPERVISION)
    if serving := _serving(able, now):
        return ModuleChoice(candidates=_settle(serving, now), cause=ChoiceCause.TASK)
    called = [module for module in able if now.task is None and module.heard_in(now.heard_now)]
    if called:
        listening = [module for module in able if module.id == LISTENING]
        return ModuleChoice(candidates=_settle([*called, *listening], now), cause=ChoiceCause.SUBJECT)
    return ModuleChoice(candidates=(now.current if now.current in ids else LISTENING,), cause=ChoiceCause.CURRENT)


def _answering(able: Sequence[Module], now: Situation) -> ModuleChoice | None:
    """Return the choice for the most pressing state that a module answers, or None."""
    for signal in now.signals:
        if signal is StateSignal.CLEAR_EMOTION and not now.new_feeling:
            continue
        answering = [module for module in able if now.answers(signal, module)]
        if not all(map(now.unheard, answering)):
            return ModuleChoice(candidates=_settle(answering, now), cause=ChoiceCause.STATE, signal=signal)
    return None


def plannable(modules: Iterable[Module], session_type: SessionType) -> tuple[Module, ...]:
    """Return the modules that the planner may give to a task of Part 2."""
    usable = (module for module in modules if module.applies(session_type, Part.EXPLORATION))
    return tuple(module for module in usable if module.id != CRISIS_MODULE)


def _serving(able: Sequence[Module], now: Situation) -> list[Module]:
    """Return the modules that serve the task: its own, or else all that need no call, and what joins them."""
    task = now.task
    if task is None:
        return []
    own = [module for module in able if module.id == task.module_id and not now.unheard(module)]
    kin = [module for module in able if task.kind in module.suits and module not in own]
    without_own = [] if own else [module for module in kin if not module.conditional or now.calls_for(module)]
    joining = [module for module in kin if module in without_own or now.serves(module, task)]
    return [] if all(map(now.unheard, [*own, *joining])) else [*own, *joining]


def _settle(candidates: Sequence[Module], now: Situation) -> tuple[ModuleId, ...]:
    """Narrow candidates that fit equally.

    The supervisor's suggestion decides; the current module stays while nothing changed, the user's words call for no
    other and they do not ask about the counselling. Then the persona's preferences count, except against listening and
    against a module for one subject, such as a loss or sleep. What is left is the model's choice, those that the user's
    words call for first.
    """
    ranked = sorted(candidates, key=lambda module: (not now.calls_for(module), now.unheard(module)))
    ids = tuple(module.id for module in ranked)
    if now.suggested is not None and any(module.id == now.suggested and not now.unheard(module) for module in ranked):
        return (now.suggested,)
    called = [module.id for module in candidates if now.calls_for(module)]
    called_for_another = called and now.current not in called
    if now.unchanged and now.current in ids and not called_for_another and not now.asks_about_counselling:
        return (now.current,)
    kept = {*now.preferred, LISTENING, *(module.id for module in candidates if module.conditional)}
    preferred = tuple(one for one in ids if one in kept) if set(ids) & set(now.preferred) else ids
    return preferred[:MOST_CANDIDATES]


@lru_cache(maxsize=128)
def _any_of(cues: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of cues: Korean anywhere, other words whole."""
    parts = (re.escape(cue) if not cue.isascii() else rf"\b{re.escape(cue)}\b" for cue in cues)
    return re.compile("|".join(parts), re.IGNORECASE)
