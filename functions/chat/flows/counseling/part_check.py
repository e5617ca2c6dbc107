"""Part check: which Part, is a transition due, is one under way. Rules only."""

from functions.chat.flows.counseling.progress import Progress
from shared.content.catalogue import Content
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.lifecycle import ALL_SAID, BOUNDED, part2_bounded, transition_due, transition_id
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.review import may_suggest_all_said, may_suggest_wrap_up
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.session_events import PartCompleted
from shared.domain.counseling.task import Part

AGENT = "part_check"


def check_part(progress: Progress, content: Content) -> None:
    """Note a transition that is due, once (its document sets the planner to work); suggest to close when it is time."""
    state = progress.state
    due = transition_due(state)
    if due is not None:
        _complete(progress, *due)
    if part2_bounded(state) and may_suggest_wrap_up(state):
        progress.note(WrapUpSuggested(reason=BOUNDED))
    text = progress.turn.text
    all_said = content.lexicon.says_all_is_said(text) and not content.session_words.wants_more(text)
    if all_said and may_suggest_all_said(progress.state):
        progress.note(WrapUpSuggested(reason=ALL_SAID))
    under_way = progress.state.plan_status is PlanStatus.PLANNING
    found = f"{due[0]}-{due[1]} due" if due else "transition under way" if under_way else "no transition due"
    progress.turn.scope.ledger.ruled(AGENT, int(state.current_part), found)


def _complete(progress: Progress, before: Part, after: Part) -> None:
    turn = progress.turn
    progress.note(PartCompleted(part=before))
    progress.records.append(
        PartTransition(
            record_id=transition_id(turn.state, before, after),
            created_at=turn.now,
            expire_at=turn.state.expire_at,
            from_part=before,
            to_part=after,
            seq=turn.seq,
            reason="every task is covered",
        )
    )
