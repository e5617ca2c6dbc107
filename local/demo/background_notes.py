"""What the background agents did after a turn: read from their documents and from the session before and after."""

from collections.abc import Iterator

from local.demo.notes import Note
from local.demo.session import Step
from local.demo.stored import Evidence
from local.demo.words import words
from shared.domain.counseling.records import Review, Supervision
from shared.domain.counseling.session import PlanStatus, Session, WrapUpStage
from shared.domain.counseling.task import Part


def background_notes(step: Step, evidence: Evidence) -> Iterator[Note]:
    """Tell what happened after the reply, up to the client's next message."""
    for supervision in evidence.supervisions:
        if supervision.seq == step.seq:
            yield _supervision(supervision)
    for review in evidence.reviews:
        if review.seq == step.seq:
            yield _review(review)
    yield from _wrap_up(step)
    yield from _planning(step, evidence)
    yield from _transitions(step, evidence)
    if step.after.summary_text != step.before.summary_text and not step.after.ended:
        yield Note("summarized", {"length": str(len(step.after.summary_text))})
    if step.after.ended:
        yield Note("ended", {})


def _supervision(found: Supervision) -> Note:
    return Note("supervision", {"total": f"{found.total:.1f}", "improvements": words().list_of(found.improvements)})


def _review(found: Review) -> Note:
    return Note(
        "review",
        {
            "score": f"{found.completion_score:.0%}",
            "missing": words().list_of(tuple(words().name("goals", goal) for goal in found.missing_goals)),
            "recommendation": words().name("recommendation", found.recommendation),
        },
    )


def _wrap_up(step: Step) -> Iterator[Note]:
    before, after = step.before.wrap_up, step.after.wrap_up
    if after and after.stage is WrapUpStage.SUGGESTED and (before is None or before.stage is not after.stage):
        yield Note("suggested", {"reason": words().name("reasons", after.reason)})


def _planning(step: Step, evidence: Evidence) -> Iterator[Note]:
    for asked in evidence.feedback:
        if asked.seq == step.seq:
            yield Note(
                "feedback", {"source": words().name("source", asked.source.value), "reason": asked.reason or asked.kind}
            )
    count = step.after.part2_task_update_count
    if count > step.before.part2_task_update_count:
        yield Note("replanned", {"count": str(count), "tasks": _new_tasks(step, Part.EXPLORATION)})


def _transitions(step: Step, evidence: Evidence) -> Iterator[Note]:
    for found in evidence.transitions:
        if found.seq == step.seq:
            yield Note(
                "transition",
                {
                    "before": _part(found.from_part),
                    "after": _part(found.to_part),
                    "reason": words().name("reasons", found.reason),
                },
            )
    if step.after.plan_status is PlanStatus.READY and step.before.plan_status is not PlanStatus.READY:
        yield Note("plan", _plan(step))
    if step.after.current_part is Part.CLOSING and step.before.current_part is not Part.CLOSING:
        yield Note("closing_tasks", {"tasks": words().list_of(_titles(step.after, Part.CLOSING))})


def _plan(step: Step) -> dict[str, str]:
    return {
        "goal": step.after.part2_goal or words().ending.nothing,
        "tasks": _new_tasks(step, Part.EXPLORATION),
        "keywords": words().list_of(step.after.selected_keywords),
    }


def _new_tasks(step: Step, part: Part) -> str:
    known = {task.id for task in step.before.tasks}
    return words().list_of(tuple(t.title for t in step.after.tasks if t.part is part and t.id not in known))


def _titles(session: Session, part: Part) -> tuple[str, ...]:
    return tuple(task.title for task in session.tasks if task.part is part)


def _part(part: Part) -> str:
    return words().name("parts", str(part.value))
