"""Notes on the supervisor's and the session manager's judgements after a turn."""

from collections.abc import Iterator

from pydantic import JsonValue

from local.demo.facts import heeded
from local.demo.notes import Note, cause, told
from local.demo.session import Step
from local.demo.stored import Evidence
from local.demo.words import words
from shared.content.catalogue import content
from shared.domain.counseling.records import Review, Supervision
from shared.domain.counseling.task import Part
from shared.locale import Locale


def judgement_notes(step: Step, evidence: Evidence) -> Iterator[Note]:
    """Yield the judgements up to this turn."""
    for supervision in evidence.supervisions:
        if supervision.seq == step.seq:
            yield _supervision(supervision, step, evidence)
    for review in evidence.reviews:
        if review.seq == step.seq:
            yield _review(review, step)


def _supervision(found: Supervision, step: Step, evidence: Evidence) -> Note:
    names = {str(module.id): module.name for module in content().modules(Locale.KO)}
    order = list(words().names["criteria"])  # a stored map has no order
    scores = " · ".join(
        f"{words().name('criteria', name)} {found.scores[name]}" for name in sorted(found.scores, key=order.index)
    )
    return Note(
        "supervision",
        {"total": f"{found.total:.1f}"},
        told(
            scores,
            cause("caps", caps=", ".join(words().name("caps", cap) for cap in _caps(found, step))),
            *(cause("improvement", text=each) for each in found.improvements),
            *(cause("strength", text=each) for each in found.strengths),
            cause("suggested_module", module=names.get(found.suggested_module or "", "")),
            cause("strategy", text=found.strategy),
            cause("corrected_answer", text=_corrected(found.corrected)),
            words().names["reached"][_reached(found, evidence)],
        ),
    )


def _caps(found: Supervision, step: Step) -> tuple[str, ...]:
    """Return what capped the total, from the session's log."""
    gist = next((entry.data for entry in step.after.supervision_log if entry.seq == found.seq), {})
    caps = gist.get("hard_fails")
    return tuple(str(cap) for cap in caps) if isinstance(caps, list) else ()


def _reached(found: Supervision, evidence: Evidence) -> str:
    """Tell whether the next reply got the supervision."""
    records = {record.seq: record for record in evidence.turns}
    following = records.get(found.seq + 1)
    if following is None or not following.directive:
        return "no_reply"
    if heeded(found, records):
        return "told"
    return "held" if found.needs_improvement else "good"


def _review(found: Review, step: Step) -> Note:
    titles = {goal.id: goal.title for goal in content().goals(step.after.session_type, Locale.KO)}
    part2 = words().name("part2", "completed" if found.part2_completed else "open")
    in_part2 = step.before.current_part is Part.EXPLORATION
    return Note(
        "review",
        {
            "score": f"{found.completion_score:.0%}",
            "recommendation": words().name("recommendation", found.recommendation),
        },
        told(
            *(_goal(title, found.goals[goal]) for goal, title in titles.items() if goal in found.goals),
            cause("part2", found=part2, reason=found.reason if in_part2 else ""),
            cause("wish", text=found.feedback_to_task_planner),
            cause("wrap_up_tasks", tasks=", ".join(task.title for task in found.wrap_up_tasks)),
            cause("corrected_answer", text=_corrected(found.corrected)),
        ),
    )


def _corrected(codes: tuple[str, ...]) -> str:
    return ", ".join(words().name("corrected", code) for code in codes)


def _goal(title: str, found: JsonValue) -> str:
    """Return a goal with its quote; a goal met earlier has none."""
    fields = found if isinstance(found, dict) else {}
    if not fields.get("met"):
        return words().causes["goal_open"].format(goal=title)
    quote = str(fields.get("evidence") or "")
    return cause("goal_met", goal=title, quote=quote) or words().causes["goal_met_before"].format(goal=title)
