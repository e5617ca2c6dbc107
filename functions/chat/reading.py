"""The Reading: what a model finds in a client's newest message, and what of it code lets count.

One call of the `reader` answers all that was asked of a message: danger, conditions that hold, values, a feeling, the
next task and the module. Code decides what it is asked (`reader_input`) and what counts (`trust`): every finding needs
the client's own words, and every value its type. See docs/decisions/0057.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from pydantic import Field, JsonValue, ValidationError, field_validator

from shared.content.conditions import Condition, Effect, State, load_conditions
from shared.domain.booking.state import BookingStage
from shared.domain.counseling.module import CRISIS_MODULE, Module
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.review import nearly_covered, talked_long
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.session import Session, SessionStatus, WrapUpStage
from shared.domain.counseling.task import CompletionRule, Part, Task, TaskKind, may_return, part_covered, rank, waits
from shared.domain.counseling.user_state import EmotionLabel, Resistance
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import Invalid, Slot, SlotKind, SlotValue, validate
from shared.engine.agent import Agent, AnswerSchema, unsent
from shared.engine.partial_json import intact
from shared.locale import Locale
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.levels import RiskLevel
from shared.safety.normalise import normalise
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote, plain

AGENT = "reader"
NOTHING = "none"
OTHER = "other"
CHOICE = "stay_or_end"
MOST_TASKS, MOST_MODULES, MOST_KNOWN = 5, 20, 8
"""Most tasks, modules and known values that a prompt offers."""
MOST_SIGNS, MOST_VALUES, MOST_DANGERS = 12, 8, 4


class DangerKind(StrEnum):
    """Whose danger, and how near (docs/safety.md)."""

    OWN_CONCERN = "own_concern"
    OWN_CRISIS = "own_crisis"
    OWN_IMMINENT = "own_imminent"
    OTHER_CONCERN = "other_concern"
    OTHER_CRISIS = "other_crisis"
    OTHER_IMMINENT = "other_imminent"
    HARM_CONCERN = "harm_concern"
    HARM_CRISIS = "harm_crisis"
    HARM_IMMINENT = "harm_imminent"
    VIOLENCE_PAST = "violence_past"
    VIOLENCE_ONGOING = "violence_ongoing"
    VIOLENCE_NOW = "violence_now"


_MILDEST = {"own": DangerKind.OWN_CONCERN, "other": DangerKind.OTHER_CONCERN, "harm": DangerKind.HARM_CONCERN}
_NO_FEELING = "none"
_DANGERS = tuple(kind.value for kind in DangerKind)
_FEELINGS = tuple(one.value for one in EmotionLabel if one is not EmotionLabel.NEUTRAL)


class DangerRead(AnswerSchema):
    """A danger in the message."""

    kind: str = Field(json_schema_extra={"enum": list(_DANGERS)})
    quote: str


class SignRead(AnswerSchema):
    """A condition that holds."""

    id: str
    quote: str


class ValueRead(AnswerSchema):
    """A value that the client told."""

    slot: str
    value: str
    quote: str


class FeelingRead(AnswerSchema):
    """The leading feeling."""

    name: str = Field(json_schema_extra={"enum": [_NO_FEELING, *_FEELINGS]})
    intensity: int = Field(ge=0, le=10)
    quote: str

    @field_validator("intensity", mode="before")
    @classmethod
    def _within_the_scale(cls, value: object) -> object:
        return min(10, max(0, round(value))) if isinstance(value, int | float) else value


class Reading(AnswerSchema):
    """What the model answers, in this order: what decides whether an early reply may be shown comes first."""

    danger: tuple[DangerRead, ...] = Field(max_length=MOST_DANGERS, json_schema_extra=unsent)
    signs: tuple[SignRead, ...] = Field(max_length=MOST_SIGNS, json_schema_extra=unsent)
    asked: str
    next_task: str
    module: str
    feeling: FeelingRead
    values: tuple[ValueRead, ...] = Field(max_length=MOST_VALUES, json_schema_extra=unsent)
    corrections: tuple[ValueRead, ...] = Field(max_length=MOST_VALUES, json_schema_extra=unsent)
    task_reason: str
    guide: str
    module_reason: str


NOTHING_READ = Reading(
    danger=(),
    signs=(),
    asked=NOTHING,
    next_task=NOTHING,
    module="",
    feeling=FeelingRead(name=_NO_FEELING, intensity=0, quote=""),
    values=(),
    corrections=(),
    task_reason="",
    guide="",
    module_reason="",
)


class TaskAsked(Model):
    """The task under way; only a judged one is completed by its criterion."""

    id: TaskId
    title: str
    criteria: str
    judged: bool


class TaskOffered(Model):
    """A task on offer; `wants` are its slots that are still to be told."""

    id: TaskId
    title: str
    current: bool
    covered: bool
    wants: tuple[str, ...]


class ModuleOffered(Model):
    id: ModuleId
    current: bool


class KnownValue(Model):
    """A value that the client may correct."""

    slot: Slot
    value: str


class ReaderInput(Model):
    """Prompt variables.

    Attributes:
        conditions: The sentences of the conditions that are asked about, by the id as which they are answered; one
            that stands for several slots is shown once (`told:<…>`).
        asked: What the newest reply asked by code, by name.
        earlier: The readings before, oldest first.
    """

    conditions: Mapping[str, str]
    task: TaskAsked | None
    slots: tuple[Slot, ...]
    known: tuple[KnownValue, ...]
    tasks: tuple[TaskOffered, ...]
    modules: tuple[ModuleOffered, ...]
    earlier: tuple[StateReading, ...]
    asked: tuple[str, ...]
    lines: tuple[Line, ...]
    text: str


def _keep_danger(_given: ReaderInput, answer: Reading, beginning: str) -> Reading:
    """Return the answer with the dangers that an earlier one named; without an answer, all that the earlier one said.

    A reading whose danger is twice without the client's words stands as it is: `trust` makes a concern of it.
    """
    try:
        earlier = Reading.model_validate_json(beginning)
    except ValidationError:
        earlier = _whole_fields(intact(beginning))
    kept = earlier if answer is NOTHING_READ else answer
    known = {one.kind for one in kept.danger}
    lost = tuple(one for one in earlier.danger if one.kind not in known)
    return kept.model_copy(update={"danger": (*kept.danger, *lost)}) if lost or kept is not answer else answer


def _whole_fields(fields: Mapping[str, JsonValue]) -> Reading:
    """Return what a reading that breaks off says in the fields that are whole."""
    reading = NOTHING_READ.model_dump(mode="json")
    for name in Reading.model_fields.keys() & fields:
        try:
            Reading.model_validate_json(json.dumps(said := {**reading, name: fields[name]}))
        except ValidationError:
            continue
        reading = said
    return Reading.model_validate_json(json.dumps(reading))


READER = Agent(
    name=AGENT,
    prompt=Prompt(Path(__file__).parent / "prompts", AGENT, 1, ReaderInput),
    answers=Reading,
    safe_default=NOTHING_READ,
    keep=_keep_danger,
)


# What is asked


def asked_last(session: Session) -> tuple[str, ...]:
    """Return what code asked in the newest reply: a slot, `wrap_up`, `end`, `danger`, `safety_plan` or `booking`.

    `stay_or_end` offers both, so that a bare yes answers neither.
    """
    asked = [session.last_asked] if session.last_asked else []
    proposal = session.wrap_up
    if proposal is not None and proposal.stage is WrapUpStage.PROPOSED and proposal.seq == session.seq:
        asked.append(CHOICE if proposal.choice else proposal.aim.value)
    if session.seq and session.risk.asked_seq == session.seq:
        asked.append("danger")
    if session.safety_plan.stage in (PlanStage.OFFERED, PlanStage.SHOWN) and session.safety_plan.seq == session.seq:
        asked.append("safety_plan")
    if session.booking.stage is BookingStage.READY and session.answered_by == "booking":
        asked.append("booking")
    return tuple(asked)


def states_of(session: Session, *, booking_offered: bool = False) -> frozenset[State]:
    """Return the states of a session before a message; they say which conditions are asked about."""
    asked, risk, task = asked_last(session), session.risk, session.task_in_progress
    closing = session.current_part is Part.CLOSING or session.status is SessionStatus.WRAPPING_UP
    covered = part_covered(session.tasks, session.current_part) or talked_long(session)
    holds = {
        State.ALWAYS: True,
        State.TASK: task is not None and task.completion_rule is CompletionRule.JUDGED,
        State.SLOTS: bool(wanted_slots(session)),
        State.KNOWN: bool(known_slots(session)),
        State.ASKED_CONSENT: bool({"wrap_up", "end", CHOICE, "safety_plan", "booking"} & set(asked)),
        State.ASKED_PLAN: risk.follow_through,
        State.RISK: risk.level is not RiskLevel.NONE or bool(risk.found) or risk.asked_seq is not None,
        State.FEARED: bool(risk.hurt_by),
        State.END_NEAR: closing or session.wrap_up is not None or covered or nearly_covered(session),
        State.ADULT: not session.minor,
        State.DOCUMENT: session.agreement.document_id != "service",
        State.BOOKING: booking_offered,
        State.SERVICE: (session.answered_by or session.flow) != "counseling",
    }
    return frozenset(state for state, present in holds.items() if present)


def wanted_slots(session: Session) -> tuple[Slot, ...]:
    """Return the slots of this Part that are not given, declined ones too: who declined may still tell.

    An agreement can be given only after it was asked for, or while its task is under way.
    """
    slots = {
        slot.name: slot
        for task in session.tasks
        if task.part == session.current_part and task.completion_rule is not CompletionRule.STEPS
        for slot in task.slots
        if slot.name not in session.user_info
        and (not slot.agrees or slot.name in session.asked or task == session.task_in_progress)
    }
    return tuple(slots.values())


def known_slots(session: Session) -> tuple[Slot, ...]:
    """Return the given slots, each of which may be corrected in any Part: names first, then the newest."""
    slots = {slot.name: slot for task in session.tasks for slot in task.slots}
    given = [slots[name] for name in reversed(session.user_info) if name in slots]
    return tuple(sorted(given, key=lambda slot: slot.kind is not SlotKind.NAME)[:MOST_KNOWN])


def reader_input(
    session: Session, text: str, modules: Sequence[Module], *, booking_offered: bool = False
) -> ReaderInput:
    """Return what the reader is asked about a message.

    Args:
        session: The session before the message.
        text: The message.
        modules: All modules, in the session's language.
        booking_offered: The operator offers appointments.
    """
    shown = load_conditions().shown(states_of(session, booking_offered=booking_offered))
    task = session.task_in_progress
    return ReaderInput(
        conditions={_shown_as(name, one, session.locale): one.sentence(session.locale) for name, one in shown.items()},
        task=task
        and TaskAsked(
            id=task.id,
            title=task.title,
            criteria=task.completion_criteria,
            judged=task.completion_rule is CompletionRule.JUDGED,
        ),
        slots=wanted_slots(session),
        known=tuple(
            KnownValue(slot=slot, value=_as_text(session.user_info[slot.name])) for slot in known_slots(session)
        ),
        tasks=tuple(
            TaskOffered(
                id=one.id,
                title=one.title,
                current=one == task,
                covered=not waits(one),
                wants=_still_wanted(session, one),
            )
            for one in _tasks_offered(session)
        ),
        modules=tuple(
            ModuleOffered(id=one.id, current=one.id == session.current_module)
            for one in _modules_offered(session, task, modules)
        ),
        earlier=session.readings[-2:],
        asked=asked_last(session),
        lines=lines(session.recent),
        text=text,
    )


def _shown_as(name: str, condition: Condition, locale: Locale) -> str:
    return f"{name}:<{'이름' if locale is Locale.KO else 'name'}>" if condition.each else name


def _as_text(value: SlotValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _still_wanted(session: Session, task: Task) -> tuple[str, ...]:
    given = (*session.user_info, *session.declined_slots)
    return tuple(slot.name for slot in task.required_slots if slot.name not in given)


def _tasks_offered(session: Session) -> list[Task]:
    """Return the current task, those that wait, and outside Part 1 the newest to which the client may return.

    A task that any reply completes is not offered: this message is that reply.
    """
    ranked = rank(session.tasks, session.current_part, wrapping_up=session.status is SessionStatus.WRAPPING_UP)
    now = session.task_in_progress
    current = [task for task in ranked if task == now and task.completion_rule is not CompletionRule.REPLY]
    waiting = [task for task in ranked if waits(task) and task != now]
    returning = [task for task in ranked if may_return(task)] if session.current_part is not Part.OPENING else []
    return [*current, *waiting, *returning][:MOST_TASKS]


def _modules_offered(session: Session, task: Task | None, modules: Sequence[Module]) -> list[Module]:
    """Return the modules that may be used now: the current one, the task's, for its kind, for a state, for coping."""

    def order(module: Module) -> int:
        of_the_task = task is not None and module.id == task.module_id
        suits = task is not None and task.kind in module.suits
        copes = TaskKind.COPING in module.suits
        return [module.id == session.current_module, of_the_task, suits, bool(module.answers), copes, True].index(True)

    usable = [
        one for one in modules if one.id != CRISIS_MODULE and one.applies(session.session_type, session.current_part)
    ]
    return sorted(usable, key=order)[:MOST_MODULES]


# What counts


class Dropped(Model):
    """A finding that does not count, and why."""

    what: str
    why: str


class Told(Model):
    """A value with the client's words for it."""

    value: SlotValue
    quote: str


class Felt(Model):
    name: EmotionLabel
    intensity: int
    quote: str


@dataclass(frozen=True)
class Heard:
    """What counts of a reading.

    Attributes:
        danger: The client's words by kind of danger.
        signs: The client's words by condition, without `told` and `corrects`, which are in `values` and `corrections`.
        asked: What the message answers; None if it answers nothing.
        invalid: Values of a wrong type or range, with what is told to the user.
        next_task, module: None if the model offered none of those on offer; `fits_none` says that it meant so.
    """

    danger: Mapping[DangerKind, str]
    signs: Mapping[str, str]
    asked: str | None
    values: Mapping[str, Told]
    corrections: Mapping[str, Told]
    invalid: tuple[Invalid, ...]
    feeling: Felt | None
    next_task: TaskId | None
    fits_none: bool
    module: ModuleId | None
    task_reason: str
    guide: str
    module_reason: str
    dropped: tuple[Dropped, ...]

    @cached_property
    def effects(self) -> frozenset[Effect]:
        """The effects of all signs."""
        return frozenset(load_conditions().conditions[name].effect for name in self.signs)

    def words_for(self, effect: Effect) -> str | None:
        """Return the client's words for the first sign with an effect."""
        conditions = load_conditions().conditions
        return next((quote for name, quote in self.signs.items() if conditions[name].effect is effect), None)


NOTHING_HEARD = Heard(
    danger={},
    signs={},
    asked=None,
    values={},
    corrections={},
    invalid=(),
    feeling=None,
    next_task=None,
    fits_none=False,
    module=None,
    task_reason="",
    guide="",
    module_reason="",
    dropped=(),
)
"""What counts where no model read: the task and the module stay, and nothing is told."""


class _TypedAnswers:
    """Reads the words in which the reader answers a yes or no; the client's are the model's to read."""

    def says_yes(self, text: str, *, proposed: bool = False) -> bool:
        return text.strip().lower() in ("true", "yes")

    def says_no(self, text: str) -> bool:
        return text.strip().lower() in ("false", "no")

    def says_none(self, text: str) -> bool:
        return text.strip().lower() == NOTHING


def unquoted(given: ReaderInput) -> Callable[[Reading], str | None]:
    """Return a check for the re-ask: a danger without the client's own words is asked for once more."""

    def wrong(reading: Reading) -> str | None:
        loose = [one.kind for one in reading.danger if not _in_window(one.quote, given)]
        return f"danger {loose}: quote the client's own words, verbatim" if loose else None

    return wrong


def trust(reading: Reading, given: ReaderInput) -> Heard:
    """Return what counts of a reading, item by item; what does not is named with the reason.

    Danger may be quoted from any of the client's lines in the window; everything else is about the newest message and
    needs its words. A danger without a quote counts as a concern.
    """
    dropped: list[Dropped] = []
    slots = {slot.name: slot for slot in given.slots}
    values, wrong = _told(reading.values, slots, given, dropped)
    promised = [one.id.partition(":")[2] for one in reading.signs if one.id.startswith("told:")]
    missing = [name for name in promised if name not in {one.slot for one in reading.values}]
    dropped += [Dropped(what=f"sign told:{name}", why="without a value") for name in missing]
    known = {one.slot.name: one.slot for one in given.known}
    corrections, also_wrong = _told(reading.corrections, known, given, dropped)
    offered, modules = {one.id for one in given.tasks}, {one.id for one in given.modules}
    answerable = {*given.asked, *(slot.name for slot in given.slots), *known, OTHER}
    if reading.asked not in (*answerable, NOTHING):
        dropped.append(Dropped(what=f"asked {reading.asked}", why="not asked about"))
    if reading.next_task not in (*offered, NOTHING):
        dropped.append(Dropped(what=f"next_task {reading.next_task}", why="not offered"))
    if reading.module and reading.module not in modules:
        dropped.append(Dropped(what=f"module {reading.module}", why="not offered"))
    return Heard(
        danger=_dangers(reading.danger, given, dropped),
        signs=_signs(reading.signs, given, dropped),
        asked=reading.asked if reading.asked in answerable else None,
        values=values,
        corrections=corrections,
        invalid=(*wrong, *also_wrong),
        feeling=_feeling(reading.feeling, given, dropped),
        next_task=TaskId(reading.next_task) if reading.next_task in offered else None,
        fits_none=reading.next_task == NOTHING,
        module=ModuleId(reading.module) if reading.module in modules else None,
        task_reason=reading.task_reason,
        guide=reading.guide,
        module_reason=reading.module_reason,
        dropped=tuple(dropped),
    )


_SETTLES = frozenset(
    {*(Effect.COVER_TASK, Effect.PROPOSE_END, Effect.ASK_END), *(Effect.TAKE_AS_YES, Effect.BELIEVE, Effect.COUNT_SAFE)}
)
"""Effects by which something ends, counts as done or as safe."""


def without_orders(heard: Heard, orders: Callable[[str], bool]) -> Heard:
    """Return what counts but for what rests on orders to a model: they settle nothing, and are kept nowhere (S-25)."""
    values, corrections = (
        {name: one for name, one in told.items() if not orders(one.quote) and not orders(str(one.value))}
        for told in (heard.values, heard.corrections)
    )
    effects = {name: one.effect for name, one in load_conditions().conditions.items()}
    signs = {name: quote for name, quote in heard.signs.items() if effects[name] not in _SETTLES or not orders(quote)}
    left = (*heard.signs, *heard.values, *heard.corrections)
    kept = (*signs, *values, *corrections)
    lost = tuple(Dropped(what=name, why="orders to a model") for name in left if name not in kept)
    task_reason, guide, module_reason = (
        "" if orders(note) else note for note in (heard.task_reason, heard.guide, heard.module_reason)
    )
    return replace(
        heard,
        signs=signs,
        values=values,
        corrections=corrections,
        task_reason=task_reason,
        guide=guide,
        module_reason=module_reason,
        dropped=(*heard.dropped, *lost),
    )


def ledger_entries(heard: Heard) -> dict[str, dict[str, JsonValue]]:
    """Return what a reading decides, by the agent in whose name the turn's record holds it."""
    felt, told = heard.feeling, {**heard.values, **heard.corrections}
    resistance = Resistance.MILD if Effect.MEET_RESISTANCE in heard.effects else Resistance.NONE
    resistance = Resistance.STRONG if Effect.STOP_ASKING in heard.effects else resistance
    covers = heard.words_for(Effect.COVER_TASK)
    return {
        "task_completion_checker": {
            "complete": covers is not None,
            "evidence": covers or "",
            "values": {name: one.value for name, one in told.items()},
        },
        "user_state_detector": {
            "resistance": resistance.value,
            "feeling": felt.name.value if felt else None,
            "intensity": felt.intensity if felt else 0,
            "evidence": felt.quote if felt else "",
            "new_topic": Effect.FOLLOW_TOPIC in heard.effects,
            "circular": Effect.NAME_CIRCLE in heard.effects,
        },
        "task_selector": {
            "task_id": NOTHING if heard.fits_none else heard.next_task,
            "reason": heard.task_reason,
            "guide": heard.guide,
        },
        "module_selector": {"module_id": heard.module, "reason": heard.module_reason},
    }


def _in_window(quote: str, given: ReaderInput) -> bool:
    return said_in(quote, (*(line.text for line in given.lines if line.speaker == "user"), given.text))


def said_in(quote: str, texts: Iterable[str]) -> bool:
    """Return whether one of the client's texts holds the words of a danger, however they are disguised."""
    return any(is_verbatim_quote(quote, text) or _undisguised(quote, text) for text in texts)


def _undisguised(quote: str, text: str) -> bool:
    readings = [plain(reading) for reading in normalise(text)]
    return any(wanted in reading for one in normalise(quote) if (wanted := plain(one)) for reading in readings)


def _dangers(read: Sequence[DangerRead], given: ReaderInput, dropped: list[Dropped]) -> dict[DangerKind, str]:
    found: dict[DangerKind, str] = {}
    for one in read:
        if one.kind not in _DANGERS:
            dropped.append(Dropped(what=f"danger {one.kind}", why="unknown"))
        elif _in_window(one.quote, given):
            found[DangerKind(one.kind)] = one.quote
        else:
            dropped.append(Dropped(what=f"danger {one.kind}", why="not in the client's words: counts as a concern"))
            if milder := _MILDEST.get(one.kind.partition("_")[0]):
                found.setdefault(milder, "")
    return found


def _signs(read: Sequence[SignRead], given: ReaderInput, dropped: list[Dropped]) -> dict[str, str]:
    conditions, found = load_conditions().conditions, dict[str, str]()
    for one in read:
        condition = conditions.get(one.id.partition(":")[0])
        if condition is None or (condition.each is None and one.id not in given.conditions):
            dropped.append(Dropped(what=f"sign {one.id}", why="not asked about"))
        elif condition.each is not None:
            continue  # Its value counts, or does not, with the words that stand there.
        elif is_verbatim_quote(one.quote, given.text):
            found[one.id] = one.quote
        else:
            dropped.append(Dropped(what=f"sign {one.id}", why="not in the client's words"))
    return found


def _told(
    read: Sequence[ValueRead], slots: Mapping[str, Slot], given: ReaderInput, dropped: list[Dropped]
) -> tuple[dict[str, Told], tuple[Invalid, ...]]:
    """Return the first value of each slot; free text may paraphrase what it quotes, a name stands in it."""
    found, wrong = dict[str, Told](), dict[str, Invalid]()
    for one in read:
        slot = slots.get(one.slot)
        if slot is None or one.slot in found:
            dropped.append(Dropped(what=f"value {one.slot}", why="told twice" if slot else "not asked about"))
            continue
        named = slot.kind is not SlotKind.NAME or is_verbatim_quote(one.value, one.quote)
        if not named or not is_verbatim_quote(one.quote, given.text):
            dropped.append(Dropped(what=f"value {one.slot}", why="not in the client's words"))
            continue
        value = validate(slot, one.value, _TypedAnswers())
        if isinstance(value, Invalid):
            wrong[slot.name] = value
        else:
            found[slot.name] = Told(value=value, quote=one.quote)
    return found, tuple(one for name, one in wrong.items() if name not in found)


def _feeling(read: FeelingRead, given: ReaderInput, dropped: list[Dropped]) -> Felt | None:
    if read.name not in _FEELINGS:
        return None
    if not is_verbatim_quote(read.quote, given.text):
        dropped.append(Dropped(what=f"feeling {read.name}", why="not in the client's words"))
        return None
    return Felt(name=EmotionLabel(read.name), intensity=read.intensity, quote=read.quote)
