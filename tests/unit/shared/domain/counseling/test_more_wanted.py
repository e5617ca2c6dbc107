"""The user wants to go on: the way back from the closing, and the task for their wish."""

import pytest

from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.lifecycle import leaving_for_closing, transition_id
from shared.domain.counseling.session import SessionStatus, WrapUp
from shared.domain.counseling.session_events import ClosingAsked, MoreWanted, WentBack, WrapUpAgreed
from shared.domain.counseling.task import MAX_RETURNS, Part, SufficientReason, TaskStatus
from shared.domain.counseling.task_events import TaskCovered, TaskTurnSpent
from tests.builders.sessions import NOW, session, task

MORE = MoreWanted(task=task("more", 2, max_turns=6))
COVERED = session(task("last", 2, status="sufficient"), current_part=2)
LAST = ClosingStarted(tasks=(task("last", 3, status="in_progress"),))


class TestTheTask:
    def test_is_added_once_and_in_progress(self):
        after = MORE.apply(COVERED, NOW)
        assert [(one.id, one.status.value) for one in after.tasks] == [("last", "sufficient"), ("more", "in_progress")]
        assert after.current_task == "more"
        assert MORE.apply(after, NOW) == after

    def test_is_taken_up_again_with_all_its_turns(self):
        spent = TaskTurnSpent(task_id="more").apply(MORE.apply(COVERED, NOW), NOW)
        covered = TaskCovered(task_id="more", reason=SufficientReason.BOUNDED, seq=9).apply(spent, NOW)
        assert covered.task("more").status is TaskStatus.SUFFICIENT
        again = MORE.apply(covered, NOW)
        assert len(again.tasks) == 2
        assert (again.task("more").status, again.task("more").turns_spent) == (TaskStatus.IN_PROGRESS, 0)

    def test_is_taken_up_again_however_often_the_user_wants_more(self):
        returned = session(task("more", 2, status="sufficient", returns=MAX_RETURNS), current_part=2)
        assert MORE.apply(returned, NOW).task("more").status is TaskStatus.IN_PROGRESS

    def test_is_not_added_in_another_part_or_after_the_end(self):
        for state in (session(current_part=3), session(current_part=2, status="completed")):
            assert MORE.apply(state, NOW) is state
        assert MoreWanted(task=task("more", 3)).apply(COVERED, NOW) is COVERED


class TestTheWayBack:
    explored = session(
        task("opening", 1, status="completed", completed_at=NOW, sufficient_at=NOW),
        task("done", 2, status="sufficient", sufficient_at=NOW),
        task("open", 2),
        task("aside", 2, parked=True),
        current_part=2,
        part2_started_seq=4,
        announced_part=2,
        seq=9,
        wrap_up=WrapUp(stage="proposed", seq=9),
    )
    asked = ClosingAsked().apply(WrapUpAgreed().apply(explored, NOW), NOW)
    closing = LAST.apply(asked, NOW)

    def test_leads_from_the_closing_to_part_2_and_restores_its_tasks(self):
        assert self.closing.task("open").status is TaskStatus.COMPLETED
        after = WentBack(seq=12).apply(self.closing, NOW)
        own = [one for one in after.tasks if one.part is Part.EXPLORATION]
        assert own == [one for one in self.explored.tasks if one.part is Part.EXPLORATION]
        assert (after.current_part, after.status, after.current_task) == (2, SessionStatus.ACTIVE, None)
        assert after.task("opening").status is TaskStatus.COMPLETED
        assert after.task("last").status is TaskStatus.PENDING
        assert after.wrap_up == WrapUp(stage="declined", aim="wrap_up", seq=12, declined=1), "no proposal for a while"
        assert transition_id(self.closing, Part.CLOSING, Part.EXPLORATION) == "3-2"
        assert transition_id(after, Part.EXPLORATION, Part.CLOSING) == "2-3-2", "a separate document"

    def test_cancels_a_closing_that_was_requested_and_not_begun(self):
        assert leaving_for_closing(self.asked)
        after = WentBack(seq=10).apply(self.asked, NOW)
        assert not leaving_for_closing(after)
        assert (after.current_part, after.status) == (2, SessionStatus.ACTIVE)

    def test_leads_to_part_1_if_there_was_no_part_2(self):
        after = WentBack(seq=5).apply(LAST.apply(session(task("opening", 1), seq=2, leaving_seq=2), NOW), NOW)
        assert (after.current_part, after.task("opening").status) == (1, TaskStatus.PENDING)

    @pytest.mark.parametrize("state", [explored, session(current_part=3, status="completed")])
    def test_changes_nothing_if_nothing_is_closing(self, state):
        assert WentBack(seq=12).apply(state, NOW) is state
