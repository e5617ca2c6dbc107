"""What a turn itself did, and who decided it: read from its ledger and from the session before and after."""

from collections.abc import Iterator

from local.demo.notes import Note
from local.demo.session import Step
from local.demo.words import words
from shared.content.catalogue import content
from shared.domain.counseling.directive import Directive, Stance
from shared.domain.counseling.session import Session
from shared.domain.locale import Locale
from shared.domain.safety.levels import RiskLevel
from shared.domain.turn import AgentRun, TurnRecord

_WRAP_UP_READER = "wrap_up_answer"
_SAFETY_GATE = "safety_gate"
_ROUTER = "intent"
_DEGRADED = "degraded"
_CRISIS = "crisis"
_AGREED = ("WrapUpAgreed", "SessionClosed")
_DECLINED = "WrapUpDeclined"


def turn_notes(step: Step, record: TurnRecord) -> Iterator[Note]:
    """Tell what happened between the client's message and the reply."""
    yield Note("decided", {"who": _deciders(record.agents)})
    if _CRISIS in record.result.flags:
        yield Note("protocol", {"rules": _reason(record, _SAFETY_GATE)})
    yield from _risk(step)
    yield from _answer(record)
    yield from _findings(step)
    yield from _module(step)
    directive = Directive.model_validate(record.directive) if record.directive else None
    if directive and directive.stance in (Stance.PROPOSE_WRAP_UP, Stance.CONFIRM_END) and directive.proposes:
        yield Note("proposed", {"aim": words().name("aim", directive.proposes.value)})
    if _DEGRADED in record.result.flags:
        yield Note("degraded", {})


def _deciders(runs: tuple[AgentRun, ...]) -> str:
    """Return who decided what; in the words' order, because detectors that run at once end in any."""
    order = list(words().names["agents"])
    by_decider: dict[str, list[str]] = {}
    for run in sorted(runs, key=lambda run: order.index(run.agent) if run.agent in order else len(order)):
        if run.agent != _ROUTER:
            by_decider.setdefault(run.decided_by.value, []).append(words().name("agents", run.agent))
    return " · ".join(
        f"{words().name('decided_by', decider)}: {', '.join(agents)}" for decider, agents in by_decider.items()
    )


def _reason(record: TurnRecord, agent: str) -> str:
    return next((run.reason for run in record.agents if run.agent == agent), "")


def _risk(step: Step) -> Iterator[Note]:
    before, after = step.before.risk.level, step.after.risk.level
    if before is not after:
        yield Note("risk", {"before": _level(before), "after": _level(after)})


def _level(level: RiskLevel) -> str:
    return words().name("risk", level.name.lower())


def _answer(record: TurnRecord) -> Iterator[Note]:
    reader = next((run for run in record.agents if run.agent == _WRAP_UP_READER), None)
    if reader is None:
        return
    who = words().name("decided_by", reader.decided_by.value)
    if _DECLINED in record.events:
        yield Note("declined", {"who": who})
    elif any(event in record.events for event in _AGREED):
        yield Note("agreed", {"who": who})


def _findings(step: Step) -> Iterator[Note]:
    """What the client's words gave: their state, values of slots, tasks covered and begun."""
    signals = tuple(words().name("signals", signal.value) for signal in step.after.user_state.signals())
    if signals and step.after.user_state != step.before.user_state:
        yield Note("state", {"signals": ", ".join(signals)})
    labels = {slot.name: slot.label for task in step.after.tasks for slot in task.slots}
    for slot, value in step.after.user_info.items():
        if step.before.user_info.get(slot) != value:
            yield Note("learned", {"label": labels.get(slot, slot), "value": words().name("values", str(value))})
    for entry in step.after.completion_log:
        if entry.seq == step.seq:
            title = _title(step.after, str(entry.data["task"]))
            yield Note("covered", {"title": title, "reason": words().name("covered", str(entry.data["reason"]))})
    begun = step.after.current_task
    if begun and begun != step.before.current_task:
        yield Note("started", {"title": _title(step.after, begun)})


def _title(session: Session, task_id: str) -> str:
    task = session.task(task_id)
    return task.title if task else task_id


def _module(step: Step) -> Iterator[Note]:
    before, after = step.before.current_module, step.after.current_module
    if before != after:
        names = {module.id: module.name for module in content().modules(Locale.KO)}
        reason = words().name("module_reason", step.after.module_change_reason or "")
        yield Note("module", {"before": names[before], "after": names[after], "reason": reason})
