"""Notes on the course of a session: opening, Part transitions and end, each with its cause."""

from collections.abc import Iterator

from local.demo.facts import end_cause
from local.demo.notes import Note, cause, told
from local.demo.session import Played, Step
from local.demo.stored import Evidence
from local.demo.words import words
from shared.content.catalogue import content
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.session import Session, WrapUpStage
from shared.domain.counseling.task import Part


def opening_notes(played: Played) -> Iterator[Note]:
    """Yield what a session knew at its opening: the persona and the gist of earlier sessions."""
    persona = content().personas.find(played.opened.user_persona.type or "")
    if persona is not None:
        keywords = ", ".join(persona.type_specific_keywords)
        yield Note(
            "persona", {"type": persona.type, "name": persona.name_ko}, told(cause("keywords", keywords=keywords))
        )
    carried = played.opened.carried
    if carried is not None:
        yield Note(
            "carried",
            {"name": carried.name or words().ending.nothing},
            told(
                *(cause("carried_goal", goal=goal) for goal in carried.goals),
                cause("carried_plan", plan=carried.next_plan),
                cause("carried_summary", summary=carried.summary),
            ),
        )


def course_notes(step: Step, evidence: Evidence) -> Iterator[Note]:
    """Yield what happened between the reply and the client's next message."""
    before, after = step.before.wrap_up, step.after.wrap_up
    if after and after.stage is WrapUpStage.SUGGESTED and (before is None or before.stage is not after.stage):
        yield Note("suggested", {}, told(cause("reason", reason=words().name("reasons", after.reason))))
    for found in evidence.transitions:
        if found.seq == step.seq:
            yield _transition(found, step.after, evidence)
    if step.after.current_part is Part.CLOSING and step.before.current_part is not Part.CLOSING:
        titles = tuple(task.title for task in step.after.tasks if task.part is Part.CLOSING)
        yield Note("closing_tasks", {"tasks": words().list_of(titles)})
    if step.after.summary_text != step.before.summary_text and not step.after.ended:
        yield Note("summarized", {"length": str(len(step.after.summary_text))})


def ending_note(played: Played) -> Note:
    """Return why a session ended."""
    asked = end_cause(played.evidence.turns)
    why = words().name("end_cause", asked.value) if asked else ""
    tasks = [task for task in played.session.tasks if task.started_at is not None]
    return Note("ended", {}, told(cause("reason", reason=why), cause("closed_tasks", count=str(len(tasks)))))


def _transition(found: PartTransition, after: Session, evidence: Evidence) -> Note:
    """Reasons by rule are known; any other is the session manager's."""
    by_rule = found.reason in words().names["reasons"]
    who = words().name("found_by", "rule" if by_rule else "judgement")
    titles = {str(task.id): task.title for task in after.tasks if task.part is found.from_part}
    covered = (
        words()
        .causes["covered_task"]
        .format(title=titles[one.task_id], how=words().name("covered", one.reason.value), seq=one.seq)
        for one in evidence.completions
        if one.task_id in titles and one.seq <= found.seq
    )
    return Note(
        "transition",
        {"before": _part(found.from_part), "after": _part(found.to_part)},
        told(cause("because", who=who, reason=words().name("reasons", found.reason)), *covered),
    )


def _part(part: Part) -> str:
    return words().name("parts", str(part.value))
