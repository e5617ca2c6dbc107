"""Notes on the plans of Part 2: who asked for them and why, their sources and their changes."""

from collections.abc import Iterable, Iterator

from local.demo.notes import Note, cause, told
from local.demo.session import Step
from local.demo.stored import Evidence
from local.demo.words import words
from shared.domain.counseling.plans import AnsweredFeedback, PersonaInference, PlanRecord
from shared.domain.counseling.records import PlannerFeedback
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part


def planning_notes(step: Step, evidence: Evidence) -> Iterator[Note]:
    """Yield the feedback of this turn and the plans applied in it."""
    for asked in evidence.feedback:
        if asked.seq == step.seq:
            yield Note(
                "feedback",
                _named(asked),
                told(cause("reason", reason=words().name("reasons", asked.reason)), _became(asked)),
            )
    records = {record.number: record for record in evidence.plans}
    if step.after.plan_status is PlanStatus.READY and step.before.plan_status is not PlanStatus.READY:
        yield _plan(step, records.get(0))
    for number in range(step.before.part2_task_update_count + 1, step.after.part2_task_update_count + 1):
        yield _replan(step, number, records.get(number))


def _named(asked: PlannerFeedback | AnsweredFeedback) -> dict[str, str]:
    return {"source": words().name("source", asked.source.value), "kind": words().name("replan", asked.kind)}


def _became(asked: PlannerFeedback) -> str:
    return "" if asked.pending else words().name("feedback_status", asked.status)


def _plan(step: Step, record: PlanRecord | None) -> Note:
    after = step.after
    return Note(
        "plan",
        {"goal": after.part2_goal or words().ending.nothing},
        told(
            cause("tasks", tasks=_new_tasks(step)),
            *(_from(record) if record else (cause("keywords", keywords=", ".join(after.selected_keywords)),)),
        ),
    )


def _replan(step: Step, number: int, record: PlanRecord | None) -> Note:
    before, after = step.before, step.after
    new_goal = after.part2_goal if after.part2_goal != before.part2_goal else ""
    answered = (
        [_named(each) | {"reason": words().name("reasons", each.reason)} for each in record.feedback] if record else []
    )
    course = _course(after, record) if record else {"new_tasks": _new_tasks(step)}
    return Note(
        "replanned",
        {"count": str(number)},
        told(
            *(cause("answers", **each) for each in answered),
            cause("goal", goal=new_goal or ""),
            *(cause(name, tasks=titles) for name, titles in course.items()),
            *(_from(record) if record else ()),
        ),
    )


def _course(after: Session, record: PlanRecord) -> dict[str, str]:
    """Return the titles of kept, retired and new tasks; a waiting task that was planned again is kept."""
    planned = [task.title for task in record.tasks]
    retired = _titles(after, record.retired)
    again = [title for title in planned if title in retired]
    return {
        "kept": ", ".join((*_titles(after, record.kept), *again)),
        "retired": ", ".join(title for title in retired if title not in again),
        "new_tasks": ", ".join(title for title in planned if title not in again),
    }


def _from(record: PlanRecord) -> Iterator[str]:
    """Yield the sources of a plan."""
    yield cause("origin", origin=words().name("plan_origin", record.origin.value), level=str(record.level))
    if record.reason is not None:
        reason = words().name("reason", record.reason.reason.value)
        yield cause("heard_reason", reason=reason, quote=record.reason.quote)
    for ground in record.level_grounds:
        sign = words().name("level_sign", ground.sign.value)
        yield cause("level_ground", sign=sign, quote=ground.quote) or cause("level_state", sign=sign)
    for each in record.keywords:
        if each.chosen:
            yield (
                words()
                .causes["keyword_quoted" if each.quote else "keyword"]
                .format(keyword=each.keyword, relevance=each.relevance, quote=each.quote)
            )
    if record.persona is not None:
        yield from _persona(record.persona)
    corrected = sum(record.counted.values())
    yield cause("corrected", count=str(corrected) if corrected else "")


def _persona(found: PersonaInference) -> Iterator[str]:
    held = words().name("persona", "held" if found.held else "dropped")
    yield cause("persona", type=found.type, confidence=f"{found.confidence:.0%}", held=held)
    for quote in found.evidence:
        yield cause("evidence", quote=quote)


def _new_tasks(step: Step) -> str:
    known = {task.id for task in step.before.tasks}
    return ", ".join(task.title for task in step.after.tasks if task.part is Part.EXPLORATION and task.id not in known)


def _titles(session: Session, ids: Iterable[str]) -> list[str]:
    wanted = set(ids)
    return [task.title for task in session.tasks if task.id in wanted]
