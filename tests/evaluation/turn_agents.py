"""Has the agents of a turn decide on the written cases, each with its own prompt and schema through the runner.

The model's proposal is counted under the checks that code makes in a turn (quotes, known ids). No word list takes part.
"""

from collections.abc import Iterable, Iterator

from functions.chat.flows.counseling.detectors.task_completion import CHECKER, CompletionInput
from functions.chat.flows.counseling.detectors.user_state import DETECTOR, UserStateInput, UserStateReading
from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.opening import open_session
from functions.chat.flows.counseling.selectors.module_selector import AGENT as MODULE_SELECTOR
from functions.chat.flows.counseling.selectors.module_selector import select_module
from functions.chat.flows.counseling.selectors.situation import situation
from functions.chat.flows.counseling.selectors.task_selector import AGENT as SELECTOR
from functions.chat.flows.counseling.selectors.task_selector import select_task
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import content
from shared.contracts.chat import CreateConversation
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.module import choose
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, Task, TaskKind, TaskStatus
from shared.domain.counseling.task_events import ModuleChanged
from shared.domain.counseling.user_state import STRONG_EMOTION, EmotionLabel, Resistance, UserState
from shared.domain.ids import ConversationId, MessageId, ModuleId, TaskId, UserId
from shared.domain.slots import Slot, SlotKind
from shared.domain.turn import DecidedBy
from shared.engine.flow import Turn
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.services.counseling.dialogue import lines
from shared.services.counseling.evidence import is_verbatim_quote
from tests.builders.sessions import slot
from tests.evaluation.agent_cases import (
    NONE_FITS,
    CompletionCase,
    Criteria,
    EmotionCase,
    FlagCase,
    ModuleCase,
    ModuleTask,
    ResistanceCase,
    SelectionCase,
    SlotCase,
    StateCase,
    WrittenPlan,
    locale_of,
)
from tests.evaluation.decisions import Decision, Group
from tests.support.chat_client import CONSENTS

BASIC_MODULES = frozenset(
    map(ModuleId, ("empathy_expression", "questioning_technique", "information_gathering", "rapport_building"))
)
"""Listening and asking: where one of them is right, another technique is a false alarm."""
SECONDS = 60.0
"""For one answer, re-ask included."""


async def judge_completion(case: CompletionCase, task: Criteria, runner: AgentRunner) -> list[Decision]:
    """Have the checker judge whether a task is complete; without a quote from the user it is not."""
    scope, now = scope_of(case.id, runner), runner.clock.now()
    given = CompletionInput(
        task_title=task.title,
        task_target=task.target,
        completion_criteria=task.criteria,
        judged=True,
        slots=(),
        given=(),
        last_question=None,
        lines=lines(case.talk(now)),
        text=case.text,
    )
    answer = await runner.ask(CHECKER, given, scope)
    said = "\n".join([*(one.user for one in case.before), case.text])
    shown = answer.complete and is_verbatim_quote(answer.evidence, said)
    told = f"{_yes(found=answer.complete)} “{answer.evidence}” | {case.text}"
    answered = not scope.ledger.failed(CHECKER.name)
    return [Decision(Group.COMPLETE, case.id, case.complete, shown, told, answered=answered)]


async def read_slots(case: SlotCase, labels: dict[str, str], runner: AgentRunner) -> list[Decision]:
    """Have the checker extract values; one without a quote from the message is not counted."""
    scope, now = scope_of(case.id, runner), runner.clock.now()
    asked: tuple[Slot, ...] = tuple(slot(name, label=labels[name], kind=_kind(name)) for name in case.ask)
    given = CompletionInput(
        task_title="",
        task_target="",
        completion_criteria="",
        judged=False,
        slots=asked,
        given=(),
        last_question=case.asked,
        lines=lines(case.talk(now)),
        text=case.text,
    )
    answer = await runner.ask(CHECKER, given, scope)
    values = {one.name: one.value for one in answer.slots if is_verbatim_quote(one.quote, case.text)}
    answered = not scope.ledger.failed(CHECKER.name)
    return [
        Decision(
            Group.SLOTS,
            case.id,
            wanted=name in case.expected,
            found=name in values,
            about=f"{name}: {values.get(name)} | {case.text}",
            right=_holds(values.get(name, ""), name, case.expected.get(name, ())),
            answered=answered,
        )
        for name in case.ask
    ]


async def read_state(group: Group, case: StateCase, runner: AgentRunner) -> list[Decision]:
    """Have the detector read a message; only what its case is labelled for is counted."""
    scope, now = scope_of(case.id, runner), runner.clock.now()
    given = UserStateInput(topic=case.topic, readings=(), lines=lines(case.talk(now)), text=case.text)
    reading = await runner.ask(DETECTOR, given, scope)
    answered = not scope.ledger.failed(DETECTOR.name)
    return [
        Decision(of, case.id, wanted, found, f"{told} | {case.text}", right, answered)
        for of, wanted, found, right, told in _read_as(group, case, reading)
    ]


async def choose_task(case: SelectionCase, plan: WrittenPlan, runner: AgentRunner) -> list[Decision]:
    """Have the selector choose in a session of Part 2, as in a turn."""
    scope, now = scope_of(case.id, runner), runner.clock.now()
    session = _planned(case, plan, runner)
    turn = Turn(session, session.seq + 1, MessageId(case.id), case.text, now, runner, scope)
    await select_task(turn, UserMessage(turn, content()), session, Findings(), content())
    (run,) = [one for one in scope.ledger.runs if one.agent == SELECTOR]
    if run.decided_by is DecidedBy.RULE or not isinstance(run.output, dict):
        raise ValueError(f"{case.id}: no model was asked: {run.reason}")
    chosen = str(run.output["task_id"])
    answered = not scope.ledger.failed(SELECTOR)
    none, told = NONE_FITS in case.expected, f"{chosen or '·'} | {case.text}"
    fits = chosen in case.expected
    return [
        Decision(Group.TASK, case.id, not none, chosen not in ("", NONE_FITS), told, fits, answered),
        Decision(Group.NONE_FITS, case.id, none, chosen == NONE_FITS, told, answered=answered),
    ]


async def choose_module(group: Group, case: ModuleCase, task: ModuleTask, runner: AgentRunner) -> list[Decision]:
    """Have the table choose a technique, and the model where the table leaves several, as in a turn."""
    scope, now = scope_of(case.id, runner), runner.clock.now()
    session = _at_work(case, task, runner)
    turn = Turn(session, session.seq + 1, MessageId(case.id), case.text, now, runner, scope)
    message = UserMessage(turn, content())
    findings = await select_module(turn, message, session, content())
    (event,) = findings.of(ModuleChanged)
    (run,) = [one for one in scope.ledger.runs if one.agent == MODULE_SELECTOR]
    wanted, right = case.expected.isdisjoint(BASIC_MODULES), event.module_id in case.expected
    found = event.module_id not in BASIC_MODULES and (wanted or not right)
    by = "rule" if run.decided_by is DecidedBy.RULE else "model"
    told = f"{event.module_id} ({event.code}, {by}) | {case.text}"
    offered = choose(content().modules(session.locale), situation(turn, message, session, content())).candidates
    possible = f"{', '.join(offered)} | {case.text}"
    return [
        Decision(group, case.id, wanted, found, told, right, answered=not scope.ledger.failed(MODULE_SELECTOR)),
        Decision(Group.OFFERED, case.id, wanted=True, found=not case.expected.isdisjoint(offered), about=possible),
    ]


def scope_of(case_id: str, runner: AgentRunner) -> Scope:
    """Return the scope of one question to a model."""
    return Scope(locale=locale_of(case_id), deadline=runner.clock.monotonic() + SECONDS * runner.patience)


def opened(case_id: str, runner: AgentRunner) -> Session:
    """Return a session that was just opened."""
    asked = {"age_band": "adult", "consents": CONSENTS, "locale": locale_of(case_id).value}
    request = CreateConversation.model_validate(asked)
    state, _ = open_session(content(), ConversationId(case_id), UserId("evaluation"), request, runner.clock.now())
    return state


def exploring(title: str, **more: object) -> Task:
    """Return a task of Part 2."""
    plain = {"part": Part.EXPLORATION, "kind": TaskKind.EXPLORATION, "module_id": ModuleId("questioning_technique")}
    return Task.model_validate({**plain, "title": title, "description": title, "completion_criteria": title, **more})


def _kind(name: str) -> SlotKind:
    return SlotKind.NAME if name.startswith("name") else SlotKind.TEXT


def _holds(value: str, name: str, expected: Iterable[str]) -> bool:
    """Return whether a value is the expected one: a name exactly, a text by a word in it."""
    said = value.strip().casefold()
    if _kind(name) is SlotKind.NAME:
        return said in {one.casefold() for one in expected}
    return any(one.casefold() in said for one in expected)


def _read_as(group: Group, case: StateCase, reading: UserStateReading) -> Iterator[tuple[Group, bool, bool, bool, str]]:
    """Yield the group of each decision, what the case and the reading say of it, and whether the kind is right."""
    if isinstance(case, ResistanceCase):
        expected, told = case.expected, reading.resistance.value
        yield group, expected is not Resistance.NONE, reading.resistance is not Resistance.NONE, True, told
        strong = Resistance.STRONG
        yield Group.STRONG_RESISTANCE, expected is strong, reading.resistance is strong, True, told
    elif isinstance(case, EmotionCase):
        wanted, told = EmotionLabel.NEUTRAL not in case.labels, f"{reading.emotion.value} {reading.intensity}"
        right = reading.emotion in case.labels
        yield group, wanted, reading.emotion is not EmotionLabel.NEUTRAL and (wanted or not right), right, told
        yield Group.STRONG_EMOTION, case.strong, reading.intensity >= STRONG_EMOTION, True, told
    elif isinstance(case, FlagCase):
        found = reading.circular if group is Group.CIRCULAR else reading.topic_changed
        yield group, case.expected, found, True, _yes(found=found)


def _planned(case: SelectionCase, plan: WrittenPlan, runner: AgentRunner) -> Session:
    """Return a session with the plan; if a task is under way, the detector has found a new topic."""
    now = runner.clock.now()

    def status(task_id: str) -> TaskStatus:
        if task_id == case.current:
            return TaskStatus.IN_PROGRESS
        return TaskStatus.SUFFICIENT if task_id in case.covered else TaskStatus.PENDING

    tasks = tuple(
        exploring(one.title, id=one.id, target=one.target, priority=one.priority, status=status(one.id))
        for one in plan.tasks
    )
    state = PlanMade(goal=plan.goal, keywords=(), tasks=tasks).apply(opened(case.id, runner), now)
    return state.model_copy(
        update={
            "current_task": TaskId(case.current) if case.current else None,
            "user_state": UserState(topic_changed=True),  # else the plan's order decides, and no model is asked
            "seq": len(case.before) + 1,
            "recent": case.talk(now),
        }
    )


def _at_work(case: ModuleCase, task: ModuleTask, runner: AgentRunner) -> Session:
    """Return a session in which the task is under way and the detector has read the message."""
    more = {"part": task.part, "kind": task.kind, "module_id": task.module, "status": TaskStatus.IN_PROGRESS}
    under_way = exploring(task.title, id="task_under_way", target=task.title, **more)
    return opened(case.id, runner).model_copy(
        update={
            "current_part": task.part,
            "tasks": (under_way,),
            "current_task": under_way.id,
            "current_module": task.module,
            "user_state": case.state,
            "seq": len(case.before) + 1,
            "recent": case.talk(runner.clock.now()),
        }
    )


def _yes(*, found: bool) -> str:
    return "yes" if found else "no"
