"""Notes on a turn: actions, deciders and reasons, from its ledger and the session before and after."""

from collections.abc import Iterator

from local.demo.facts import AGREED, DECLINED, directive_of, end_cause, proposed
from local.demo.notes import Note, cause, told
from local.demo.service_notes import ROUTER, service_notes
from local.demo.session import Step
from local.demo.stored import Evidence
from local.demo.words import module_names, words
from shared.domain.counseling.directive import counselors
from shared.domain.counseling.session import Session, SessionStatus
from shared.domain.counseling.task import SufficientReason
from shared.domain.counseling.user_state import EmotionLabel, Resistance
from shared.domain.turn import AgentRun, TurnRecord
from shared.safety.levels import RiskLevel

_WRAP_UP_READER = "wrap_up_answer"
_SAFETY_GATE = "safety_gate"
_TASK_SELECTOR = "task_selector"
_STATE_DETECTOR = "user_state_detector"
_MODULE_SELECTOR = "module_selector"
_DEGRADED = "degraded"
_CRISIS = "crisis"


def turn_notes(step: Step, record: TurnRecord, evidence: Evidence) -> Iterator[Note]:
    """Yield what happened between the client's message and the reply."""
    yield from service_notes(step, record)
    yield Note("decided", {"who": _deciders(record.agents)})
    if _CRISIS in record.result.flags:
        yield Note("protocol", {"rules": _reason(record, _SAFETY_GATE)})
    yield from _risk(step)
    yield from _answer(step, record)
    yield from _reading(step, record)
    yield from _findings(step, record, evidence)
    yield from _module(step, record)
    yield from _heeded(record)
    yield from _proposal(step, record)
    if _DEGRADED in record.result.flags:
        yield Note("degraded", {})


def _deciders(runs: tuple[AgentRun, ...]) -> str:
    """Return who decided what, in the order of words.yaml, since parallel detectors finish in any order."""
    order = list(words().names["agents"])
    by_decider: dict[str, list[str]] = {}
    for run in sorted(runs, key=lambda run: order.index(run.agent) if run.agent in order else len(order)):
        if run.agent != ROUTER:
            by_decider.setdefault(run.decided_by.value, []).append(words().name("agents", run.agent))
    return " · ".join(
        f"{words().name('decided_by', decider)}: {', '.join(agents)}" for decider, agents in by_decider.items()
    )


def _run(record: TurnRecord, agent: str) -> AgentRun | None:
    """Return the run that decided: the last one, but for an answer that nothing used."""
    runs = [run for run in record.agents if run.agent == agent]
    return next((run for run in reversed(runs) if not run.cancelled), runs[0] if runs else None)


def _reason(record: TurnRecord, agent: str) -> str:
    run = _run(record, agent)
    return run.reason if run else ""


def _who(record: TurnRecord, agent: str) -> str:
    run = _run(record, agent)
    return words().name("decided_by", run.decided_by.value) if run else ""


def _output(record: TurnRecord, agent: str, field: str) -> str:
    """Return a text field of an agent's answer, or ""."""
    run = _run(record, agent)
    value = run.output.get(field) if run and isinstance(run.output, dict) else None
    return value if isinstance(value, str) else ""


def _risk(step: Step) -> Iterator[Note]:
    before, after = step.before.risk.level, step.after.risk.level
    if before is not after:
        yield Note("risk", {"before": _level(before), "after": _level(after)})


def _level(level: RiskLevel) -> str:
    return words().name("risk", level.name.lower())


def _answer(step: Step, record: TurnRecord) -> Iterator[Note]:
    if _run(record, _WRAP_UP_READER) is None:
        return
    read = told(cause("read_as", who=_who(record, _WRAP_UP_READER), text=step.text))
    if DECLINED in record.events:
        yield Note("declined", {}, read)
    elif any(event in record.events for event in AGREED):
        yield Note("agreed", {}, read)
    if step.before.status is SessionStatus.WRAPPING_UP and step.after.status is SessionStatus.ACTIVE:
        yield Note("went_back", {})


def _reading(step: Step, record: TurnRecord) -> Iterator[Note]:
    """Yield how the client's state was read, if there is anything to show."""
    state = step.after.user_state
    resisting = state.resistance is not Resistance.NONE
    feeling = state.emotion is not EmotionLabel.NEUTRAL
    if _run(record, _STATE_DETECTOR) is None or not (state.signals() or resisting or feeling):
        return
    signals = tuple(words().name("reading", signal.value) for signal in state.signals())
    resistance = words().name("resistance", state.resistance.value) if resisting else ""
    emotion = words().name("emotions", state.emotion.value) if feeling else ""
    change = words().name("emotion_changes", state.emotion_change.value)
    yield Note(
        "state",
        {"signals": ", ".join(signals) or words().ending.nothing},
        told(
            cause("emotion", emotion=emotion, intensity=str(state.intensity)),
            cause("emotion_change", change="" if change == state.emotion_change.value else change),
            cause("resistance", resistance=resistance),
            cause("quoted", who=_who(record, _STATE_DETECTOR), quote=state.evidence),
        ),
    )


def _findings(step: Step, record: TurnRecord, evidence: Evidence) -> Iterator[Note]:
    """Yield what the client's message gave: slot values, tasks covered and started."""
    labels = {slot.name: slot.label for task in step.after.tasks for slot in task.slots}
    for slot, value in sorted(step.after.user_info.items()):  # The store keeps no order.
        if step.before.user_info.get(slot) != value:
            yield Note("learned", {"label": labels.get(slot, slot), "value": words().name("values", str(value))})
    for done in evidence.completions:
        if done.seq == step.seq:
            how = words().name("covered", done.reason.value)
            # Earlier notes show what filled a slot.
            quoted = told(cause("evidence", quote="" if done.reason is SufficientReason.GATE else done.evidence))
            yield Note("covered", {"title": _title(step.after, done.task_id), "reason": how}, quoted)
    begun = step.after.current_task
    if begun and begun != step.before.current_task:
        yield Note("started", {"title": _title(step.after, begun)}, told(_chosen_because(record)))


def _chosen_because(record: TurnRecord) -> str:
    reason = _output(record, _TASK_SELECTOR, "reason")
    ruled = words().name("selection", _reason(record, _TASK_SELECTOR))
    return cause("because", who=_who(record, _TASK_SELECTOR), reason=reason or ruled)


def _title(session: Session, task_id: str) -> str:
    task = session.task(task_id)
    return task.title if task else task_id


def _module(step: Step, record: TurnRecord) -> Iterator[Note]:
    before, after = step.before.current_module, step.after.current_module
    if before == after:
        return
    names = module_names()
    reason = words().name("module_reason", step.after.module_change_code or "")
    ruled = words().names["module_selection"].get(_reason(record, _MODULE_SELECTOR), "")
    picked = _output(record, _MODULE_SELECTOR, "reason") or ruled
    why = told(cause("because", who=_who(record, _MODULE_SELECTOR) if picked else "", reason=picked))
    yield Note("module", {"before": names[before], "after": names[after], "reason": reason}, why)


def _heeded(record: TurnRecord) -> Iterator[Note]:
    """Yield the improvements in the reply's instructions."""
    improvements = directive_of(record).supervision if counselors(record.directive) else ()
    if improvements:
        urgency = "urgent" if directive_of(record).supervision_urgent else "normal"
        yield Note("heeded", {"urgency": words().name("urgency", urgency)}, improvements)


def _proposal(step: Step, record: TurnRecord) -> Iterator[Note]:
    aim = proposed(record)
    if aim is None:
        return
    # A proposal at a bound was not suggested before.
    reasons = [state.wrap_up.reason for state in (step.before, step.after) if state.wrap_up]
    suggested = next((reason for reason in reasons if reason), "")
    asked = end_cause([record])
    reason = words().name("end_cause", asked.value) if asked else words().name("reasons", suggested)
    yield Note("proposed", {"aim": words().name("aim", aim.value)}, told(cause("reason", reason=reason)))
