"""Part check: which Part, is a transition due, is one under way. Rules only."""

from functions.chat.flows.counseling.progress import Progress
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.lifecycle import part2_bounded, transition_due
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.session import PlanStatus, Session, WrapUpStage
from shared.domain.counseling.session_events import PartCompleted
from shared.domain.counseling.task import Part

AGENT = "part_check"
PROPOSE_AGAIN_AFTER = 5
"""Turns after a no before a bound proposes the wrap-up again. Own threshold: as long as between two reviews."""


def check_part(progress: Progress) -> None:
    """Note a transition that is due, once; its document sets the planner to work."""
    state = progress.state
    due = transition_due(state)
    if due is not None:
        _complete(progress, *due)
    if part2_bounded(state) and not _just_declined(state, progress.turn.seq):
        progress.note(WrapUpSuggested(reason="bounded"))
    under_way = progress.state.plan_status is PlanStatus.PLANNING
    found = f"{due[0]}-{due[1]} due" if due else "transition under way" if under_way else "no transition due"
    progress.turn.scope.ledger.ruled(AGENT, int(state.current_part), found)


def _just_declined(state: Session, seq: int) -> bool:
    """A no holds for some turns: nobody is asked again in the very reply to it."""
    wrap_up = state.wrap_up
    declined = wrap_up is not None and wrap_up.stage is WrapUpStage.DECLINED
    return wrap_up is not None and declined and seq - wrap_up.seq <= PROPOSE_AGAIN_AFTER


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
