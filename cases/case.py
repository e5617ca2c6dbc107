"""A case: one line of a story alone, with the session as it stands before it; also written cases and examples."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from cases.story import STORIES, Gold, Holds, Listed, Opens, Plan, PlannedTask, Story, StoryLine, load_stories
from functions.chat.flows.counseling.opening import open_session
from shared.content.catalogue import Content
from shared.content.conditions import State, load_conditions
from shared.content.loader import load_yaml
from shared.contracts.chat import Consents, CreateConversation
from shared.domain.agreement.state import AgreementState
from shared.domain.booking.state import BookingStage
from shared.domain.conversation import Message, Role
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import CompletionRule, Part, Task, TaskStatus
from shared.domain.counseling.user_state import EmotionLabel, Resistance
from shared.domain.ids import ConversationId, ModuleId, TaskId, UserId
from shared.domain.slots import gate_open
from shared.locale import Locale
from shared.model import Model
from shared.safety.abuse import AbuseKind
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel

WRITTEN = Path(__file__).parent / "written"
_BEGAN = datetime(2026, 3, 2, 20, 0, tzinfo=UTC)
_FOUND = {
    RiskLevel.CONCERN: CrisisOutcome.CONCERN,
    RiskLevel.CRISIS: CrisisOutcome.CRISIS,
    RiskLevel.IMMINENT: CrisisOutcome.IMMINENT,
}


@dataclass(frozen=True)
class Case:
    """A message to read.

    Attributes:
        id: `<story>/<line>`, `written/<file>/<id>` or `example/<condition>/<yes|no><n>`.
        session: As it stands before the message.
        judged: The conditions that the author labelled; None if all.
        whole: Danger, values, feeling, question, task and module are labelled, too.
        labelled: What of a case that is not whole is labelled beside conditions: `feeling`, `next_task`, `module`.
        blind: See `Story`.
    """

    id: str
    session: Session
    text: str
    gold: Gold
    judged: frozenset[str] | None = None
    whole: bool = True
    labelled: frozenset[str] = frozenset()
    booking_offered: bool = False
    blind: bool = False


# Stories


def session_before(story: Story, number: int, content: Content) -> Session:
    """Return the session before line `number` (1 is the first) as the story has it, without the code of a turn."""
    session = opened(story.id, story.locale, story.opens, content)
    for at, line in enumerate(story.lines[: number - 1], start=1):
        session = _after(session, story, at, line, content)
    return session


def opened(name: str, locale: Locale, opens: Opens, content: Content) -> Session:
    """Return the session as it is opened."""
    conversation = ConversationId(f"story-{name}")
    request = CreateConversation(
        locale=locale.value,
        session_type=opens.session_type.value,
        age_band="adult",
        consents=Consents(terms=True, sensitive_data=True, overseas_transfer=True),
    )
    session, _greeting = open_session(content, conversation, UserId("client"), request, _BEGAN)
    if opens.carried is not None:
        carried = Carried(**opens.carried.model_dump(), conversation_id=ConversationId("earlier"), ended_at=_BEGAN)
        templates = content.templates(opens.session_type.value, locale, session.register_)
        tasks = tuple(task for task in templates if task.part is Part.OPENING)
        session = session.model_copy(update={"carried": carried, "tasks": _with_status(tasks, session.current_task)})
    agreement = AgreementState(document_id="uploaded") if opens.document else session.agreement
    return session.model_copy(update={"user_info": {"name": opens.name} if opens.name else {}, "agreement": agreement})


def _after(session: Session, story: Story, at: int, line: StoryLine, content: Content) -> Session:
    """Return the session after a line."""
    gold, held, before = line.reading, story.held(at), session
    now = _BEGAN + timedelta(minutes=at)
    said = (
        Message(seq=at, role=Role.USER, text=line.client, created_at=now),
        Message(seq=at, role=Role.COUNSELOR, text=line.reply, created_at=now),
    )
    told = {name: value for name, (value, _) in (*gold.values.items(), *gold.corrects.items())}
    slots = {slot.name for task in session.tasks for slot in task.slots}
    asks = line.asks if line.asks in slots else None
    declined = session.last_asked if "declines" in gold.signs else None
    session = session.model_copy(
        update={
            "seq": at,
            "message_count": at,
            "recent": (*session.recent, *said),
            "user_info": {**session.user_info, **told},
            "declined_slots": (*session.declined_slots, *([declined] if declined else [])),
            "last_asked": asks,
            "asked": {**session.asked, **({asks: session.asked.get(asks, 0) + 1} if asks else {})},
            "readings": (*session.readings, _reading(gold, at))[-5:],
            "current_module": gold.module[0] if gold.module else session.current_module,
            "answered_by": held.service,
            "wrap_up": _wrap_up(before, gold, line.asks, at),
            "risk": _risk(before, held, line.asks, at),
            "safety_plan": before.safety_plan.model_copy(update={"stage": PlanStage.OFFERED, "seq": at})
            if line.asks == "safety_plan"
            else before.safety_plan,
            "booking": before.booking.model_copy(
                update={"stage": BookingStage.READY if line.asks == "booking" else BookingStage.INIT}
            ),
            "status": SessionStatus.COMPLETED if held.ended else session.status,
        }
    )
    plans = [plan for plan in story.plan if plan.after <= at]
    return _moved(session, held, plans, {line.holds.task for line in story.lines[at:]}, content)


def _reading(gold: Gold, at: int) -> StateReading:
    strong, mild = "strong_resistance" in gold.signs, "mild_resistance" in gold.signs
    return StateReading(
        seq=at,
        emotion=gold.feeling[0] if gold.feeling else EmotionLabel.NEUTRAL,
        intensity=gold.feeling[1] if gold.feeling else 0,
        resistance=Resistance.STRONG if strong else Resistance.MILD if mild else Resistance.NONE,
        topic_changed="new_topic" in gold.signs,
        circular="circular" in gold.signs,
    )


def _wrap_up(before: Session, gold: Gold, asks: str | None, at: int) -> WrapUp | None:
    if asks in ("wrap_up", "end"):
        return WrapUp(stage=WrapUpStage.PROPOSED, aim=WrapUpAim(asks), seq=at)
    if before.wrap_up is None or before.wrap_up.stage is not WrapUpStage.PROPOSED:
        return before.wrap_up
    answered = {"agrees": WrapUpStage.AGREED, "refuses": WrapUpStage.DECLINED}
    stage = next((stage for sign, stage in answered.items() if sign in gold.signs), before.wrap_up.stage)
    return before.wrap_up.model_copy(update={"stage": stage})


def _risk(before: Session, held: Holds, asks: str | None, at: int) -> Risk:
    risk, level = before.risk, held.risk or RiskLevel.NONE
    if level is not risk.level:
        found = (*risk.found, *([_FOUND[level]] if level in _FOUND else []))
        risk = risk.model_copy(
            update={"level": level, "found": found, "last_seq": at, "since_seq": risk.since_seq or at}
        )
    return risk.model_copy(update={"asked_seq": at}) if asks == "danger" else risk


def _moved(
    session: Session, held: Holds, plans: Sequence[Plan], later: Collection[str | None], content: Content
) -> Session:
    """Return the session in the Part and with the task that holds; a task left behind is done, if not in `later`."""
    part = held.part or session.current_part
    tasks = list(session.tasks)
    if part is Part.EXPLORATION:
        planned = [task.pending() for plan in plans for task in plan.tasks]
        tasks += (
            [content.more_talk(session.locale, session.register_), *planned] if held.task == "task_more_1" else planned
        )
    if part is Part.CLOSING:
        tasks += list(_closing_tasks(session, content))
    by_id = {task.id: task for task in (*reversed(tasks),)}
    if part is not session.current_part:
        by_id = {
            name: task.model_copy(update={"status": TaskStatus.COMPLETED}) if task.part < part else task
            for name, task in by_id.items()
        }
    for name in (name for plan in plans for name in plan.parks if name in by_id):
        by_id[name] = by_id[name].model_copy(update={"parked": True})
    current = TaskId(held.task) if held.task in by_id else None
    done = session.current_task if session.current_task not in (current, None) else None
    if done in by_id and by_id[done].status is TaskStatus.IN_PROGRESS:
        status = TaskStatus.PENDING if done in later else TaskStatus.SUFFICIENT
        by_id[done] = by_id[done].model_copy(update={"status": status})
    ordered = [by_id[name] for name in dict.fromkeys(task.id for task in tasks)]
    planning = part is Part.OPENING and held.stance is not None and held.stance.value == "bridge"
    return session.model_copy(
        update={
            "tasks": _with_status(ordered, current, (*session.user_info, *session.declined_slots)),
            "current_task": current or session.current_task,
            "current_part": part,
            "plan_status": PlanStatus.PLANNING
            if planning
            else PlanStatus.READY
            if plans and part > 1
            else PlanStatus.NONE,
            "part2_goal": plans[-1].goal if plans and part > Part.OPENING else None,
            "status": session.status
            if session.ended
            else SessionStatus.WRAPPING_UP
            if part is Part.CLOSING
            else SessionStatus.ACTIVE,
        }
    )


def _closing_tasks(session: Session, content: Content) -> Iterator[Task]:
    templates = content.templates(session.session_type.value, session.locale, session.register_)
    return (task for task in templates if task.part is Part.CLOSING)


def _with_status(tasks: Sequence[Task], current: TaskId | None, given: Collection[str] = ()) -> tuple[Task, ...]:
    """Return the tasks with the current one in progress, and those sufficient whose every value is given."""

    def status(task: Task) -> TaskStatus:
        if task.id == current:
            return TaskStatus.IN_PROGRESS
        gate = task.completion_rule is CompletionRule.SLOTS and gate_open(task.required_slots, dict.fromkeys(given, ""))
        return TaskStatus.SUFFICIENT if gate and task.status is TaskStatus.PENDING else task.status

    return tuple(task.model_copy(update={"status": status(task)}) for task in tasks)


def of_stories(content: Content, folder: Path = STORIES) -> Iterator[Case]:
    """Return a case for each line of the stories of a folder."""
    for story in load_stories(folder):
        for number, line in enumerate(story.lines, start=1):
            session = session_before(story, number, content)
            yield Case(
                f"{story.id}/{number}",
                session,
                line.client,
                line.reading,
                booking_offered=story.opens.booking,
                blind=story.blind,
            )


# Written cases and the conditions' own examples


class Exchange(Model):
    """An exchange before the message."""

    counselor: str
    user: str


class WrittenCase(Model):
    """A message that somebody wrote for one or a few conditions, or for a feeling, a module or the next task.

    Attributes:
        judges: The conditions that are labelled; those of `signs` hold, the others do not.
        feeling: Name and intensity; `neutral` if none is shown.
        module: Those that serve equally well.
        next_task: An id of the plan's, or `none`.
        task: The task under way: title and criterion.
        plan: The plan of Part 2, by its name in the file; `covered` are those of its tasks that are done.
        current: The id of the task under way, if a plan or Part 3 says which there are.
        given: Values known before.
        asks: What the counsellor's last words ask, by name.
    """

    id: str
    locale: Locale
    judges: tuple[str, ...] = ()
    signs: Annotated[tuple[str, ...], Listed] = ()
    feeling: tuple[EmotionLabel, int] | None = None
    module: Annotated[tuple[ModuleId, ...], Listed] = ()
    next_task: str | None = None
    before: tuple[Exchange, ...] = ()
    counselor: str = ""
    client: str
    task: tuple[str, str] | None = None
    part: Part = Part.OPENING
    plan: str | None = None
    covered: tuple[TaskId, ...] = ()
    current: TaskId | None = None
    given: Mapping[str, str] = Field(default_factory=dict)
    asks: str | None = None

    @model_validator(mode="after")
    def _is_labelled(self) -> "WrittenCase":
        if not (self.judges or self.labelled):
            raise ValueError("nothing is labelled")
        return self

    @property
    def labelled(self) -> frozenset[str]:
        """What is labelled beside conditions."""
        return frozenset(name for name in ("feeling", "module", "next_task") if getattr(self, name))


class WrittenFile(Model):
    """`cases/written/*.yaml`."""

    plans: Mapping[str, tuple[PlannedTask, ...]] = Field(default_factory=dict)
    cases: tuple[WrittenCase, ...] = Field(min_length=1)


def written(content: Content, folder: Path = WRITTEN) -> Iterator[Case]:
    """Return the written cases of a folder."""
    for path in sorted(folder.glob("*.yaml")):
        file = load_yaml(path, WrittenFile)
        for one in file.cases:
            plan = Plan(goal="", tasks=file.plans[one.plan]) if one.plan else None
            yield _case(f"written/{path.stem}/{one.id}", one, content, plan)


def examples(content: Content) -> Iterator[Case]:
    """Return the examples and near misses of the conditions."""
    for name, condition in load_conditions().conditions.items():
        for kind, texts in (("yes", condition.yes), ("no", condition.no)):
            for number, text in enumerate(texts, start=1):
                asked, _, client = text.rpartition(" | ")
                locale = Locale.KO if any("가" <= sign <= "힣" for sign in text) else Locale.EN
                one = WrittenCase(
                    id=f"{name}_{kind}{number}",
                    locale=locale,
                    judges=(name,),
                    signs=(name,) if kind == "yes" else (),
                    counselor=asked,
                    client=client,
                )
                yield _case(f"example/{name}/{kind}{number}", one, content)


def _case(name: str, one: WrittenCase, content: Content, plan: Plan | None = None) -> Case:
    """Return the case in a session that is in a state of every judged condition, or in the Part and task it names."""
    session, conditions = opened("written", one.locale, Opens(), content), load_conditions().conditions
    for condition in one.judges:
        session = _in_state(session, conditions[condition].when[0])
    if plan or one.current:
        held = Holds(part=Part.EXPLORATION if plan else one.part, task=one.current)
        session = _moved(session, held, [plan] if plan else [], (), content)
    said = [
        text for exchange in one.before for text in ((Role.COUNSELOR, exchange.counselor), (Role.USER, exchange.user))
    ]
    said += [(Role.COUNSELOR, one.counselor)] if one.counselor else []
    recent = [Message(seq=at, role=role, text=text, created_at=_BEGAN) for at, (role, text) in enumerate(said, start=1)]
    felt = one.feeling if one.feeling and one.feeling[0] is not EmotionLabel.NEUTRAL else None
    gold = Gold(
        signs=dict.fromkeys(one.signs, ""),
        feeling=(*felt, "") if felt else None,
        module=one.module,
        next_task=one.next_task,
    )
    session = session.model_copy(
        update={
            "recent": tuple(recent) or session.recent,
            "user_info": {**session.user_info, **one.given},
            "last_asked": one.asks,
            "tasks": _with_tasks(session, one),
            "readings": (),
        }
    )
    return Case(
        name,
        session,
        one.client,
        gold,
        judged=frozenset(one.judges),
        whole=False,
        labelled=one.labelled,
        booking_offered=any(State.BOOKING in conditions[condition].when for condition in one.judges),
    )


def _with_tasks(session: Session, one: WrittenCase) -> tuple[Task, ...]:
    """Return the tasks, the covered ones done; the current one with another title and criterion, if they are given."""

    def changed(task: Task) -> Task:
        if task.id in one.covered:
            return task.model_copy(update={"status": TaskStatus.SUFFICIENT})
        if one.task is None or task.id != session.current_task:
            return task
        return task.model_copy(update={"title": one.task[0], "completion_criteria": one.task[1]})

    return tuple(changed(task) for task in session.tasks)


def _in_state(session: Session, state: State) -> Session:
    """Return the session in a state in which a condition is asked about."""
    match state:
        case State.TASK:
            task = TaskId("task_rapport_1")
            return session.model_copy(update={"tasks": _with_status(session.tasks, task), "current_task": task})
        case State.KNOWN:
            return session.model_copy(update={"user_info": {"name": "지훈" if session.locale is Locale.KO else "Jon"}})
        case State.RISK | State.ASKED_PLAN:
            outcome = CrisisOutcome.CRISIS
            risk = session.risk.model_copy(update={"level": RiskLevel.CRISIS, "found": (outcome,), "outcome": outcome})
            return session.model_copy(update={"risk": risk})
        case State.FEARED:
            return session.model_copy(
                update={"risk": session.risk.model_copy(update={"hurt_by": (AbuseKind.DOMESTIC,)})}
            )
        case State.ASKED_CONSENT | State.END_NEAR:
            wrap_up = WrapUp(stage=WrapUpStage.PROPOSED, aim=WrapUpAim.END, seq=session.seq)
            return session.model_copy(update={"wrap_up": wrap_up, "status": SessionStatus.WRAPPING_UP})
        case State.DOCUMENT:
            return session.model_copy(update={"agreement": AgreementState(document_id="uploaded")})
        case State.SERVICE:
            return session.model_copy(update={"answered_by": "booking"})
        case State.ALWAYS | State.SLOTS | State.ADULT | State.BOOKING:
            return session
