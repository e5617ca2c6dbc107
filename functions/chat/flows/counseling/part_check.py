"""Part check: which Part, is a transition due, is one under way. Rules only."""

from functions.chat.flows.counseling.progress import Progress
from shared.content.catalogue import Content
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.lifecycle import part2_bounded, transition_due
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.review import may_suggest_wrap_up
from shared.domain.counseling.session import PlanStatus, WrapUpAim
from shared.domain.counseling.session_events import MoreWanted, PartCompleted, WrapUpDeclined
from shared.domain.counseling.task import Part, part_covered

AGENT = "part_check"


def check_part(progress: Progress, content: Content) -> None:
    """Note a transition that is due, once; its document sets the planner to work.

    Only the user leaves Part 3: who says no to the end, with all covered, gets a task for what they still want.
    """
    state = progress.state
    due = transition_due(state)
    if due is not None:
        _complete(progress, *due)
    if part2_bounded(state) and may_suggest_wrap_up(state):
        progress.note(WrapUpSuggested(reason="bounded"))
    if _wants_more(progress):
        task = content.more_talk(state.locale, state.register_)
        progress.note(MoreWanted(task=task.model_copy(update={"created_at": progress.turn.now})))
    under_way = progress.state.plan_status is PlanStatus.PLANNING
    found = f"{due[0]}-{due[1]} due" if due else "transition under way" if under_way else "no transition due"
    progress.turn.scope.ledger.ruled(AGENT, int(state.current_part), found)


def _wants_more(progress: Progress) -> bool:
    """Whether this turn said no to ending in a Part 3 that holds nothing else; what is open there goes on by itself."""
    state = progress.state
    said_no = any(isinstance(event, WrapUpDeclined) for event in progress.events)
    to_the_end = state.wrap_up is not None and state.wrap_up.aim is WrapUpAim.END
    return said_no and to_the_end and state.current_part is Part.CLOSING and part_covered(state.tasks, Part.CLOSING)


def _complete(progress: Progress, before: Part, after: Part) -> None:
    turn = progress.turn
    progress.note(PartCompleted(part=before))
    progress.records.append(
        PartTransition(
            record_id=f"{before.value}-{after.value}",
            created_at=turn.now,
            expire_at=turn.state.expire_at,
            from_part=before,
            to_part=after,
            seq=turn.seq,
            reason="every task is covered",
        )
    )
