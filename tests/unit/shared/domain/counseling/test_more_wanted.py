"""The user wants to go on: the way back from the closing, and the task for their wish."""

import pytest

from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.lifecycle import transition_id
from shared.domain.counseling.session import SessionStatus, WrapUp
from shared.domain.counseling.session_events import ClosingAsked, WentBack, WrapUpAgreed
from shared.domain.counseling.task import Part, TaskStatus
from tests.builders.sessions import NOW, session, task

LAST = ClosingStarted(tasks=(task("last", 3, status="in_progress"),))


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

    @pytest.mark.parametrize("state", [explored, session(current_part=3, status="completed")])
    def test_changes_nothing_if_nothing_is_closing(self, state):
        assert WentBack(seq=12).apply(state, NOW) is state
