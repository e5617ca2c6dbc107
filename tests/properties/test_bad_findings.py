"""What the other agents' models can get wrong, each through the real job or turn: corrected, counted, never trusted."""

import pytest

from functions.session_manager.review import review
from functions.supervisor.supervise import supervise
from shared.contracts.tasks import JobKind
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.errors import ModelTimeout, ModelUnavailable
from shared.domain.turn import DecidedBy
from shared.engine.jobs import JobResult
from tests.fakes.background_room import Room, payload
from tests.fakes.counselling import session, task
from tests.fakes.talk import Talk

SAID = ("저는 민지예요", "회사에서 발표가 너무 무서워요", "사람들 앞에만 서면 떨려요", "네", "덜 떨고 싶어요")
PART2 = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY, "part2_goal": "발표의 떨림을 이해한다"}
COVERED = task("task_part2_1", Part.EXPLORATION, status=TaskStatus.SUFFICIENT)
WAITS = task("task_part2_2", Part.EXPLORATION)
BROKEN_JSON = ("네, 괜찮아 보입니다.", "{", "null", "[]", '{"part2_completed": "perhaps"}', '{"scores": 7}')


async def test_what_breaks_the_schema_leaves_no_judgement_and_the_work_due(subtests: pytest.Subtests) -> None:
    for answer in (*BROKEN_JSON, ModelTimeout("late"), ModelUnavailable("503")):
        with subtests.test(answer=answer):
            room = Room({"session_manager": answer, "supervisor": answer})
            before = await room.open(session(COVERED, WAITS, **PART2), SAID)
            assert await review(room.context, payload(JobKind.REVIEW, 5)) is JobResult.RETRY
            assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.RETRY
            state = await room.session()
            assert untouched(state, before)
            assert (state.watermarks.reviewed, state.watermarks.supervised) == (0, 0)
            assert state.budget.background_calls >= 2, "what failed is paid for all the same"
            assert not {*await room.records("reviews"), *await room.records("supervision")}


async def test_whatever_agent_breaks_in_a_turn_the_user_gets_a_reply_and_the_ledger_says_so(
    subtests: pytest.Subtests,
) -> None:
    for agent in ("task_completion_checker", "user_state_detector", "task_selector", "module_selector"):
        for answer in (BROKEN_JSON[0], "{", ModelTimeout("late")):
            with subtests.test(agent=agent, answer=answer):
                talk = Talk()
                talk.plan(task("task_part2_2", Part.EXPLORATION), task("task_part2_3", Part.EXPLORATION))
                talk.model.scripts[agent] = answer

                said = await talk.say("요즘 회사에서 발표가 너무 무서워요")

                failed = {run.agent for run in said.runs if run.decided_by is DecidedBy.SAFE_DEFAULT}
                asked = {run.agent for run in said.runs if run.attempts}
                assert failed == ({agent} & asked) | ({"task_selector"} if "task_selector" in asked else set())
                assert said.state.task_in_progress is not None


def untouched(state: Session, before: Session) -> bool:
    """Tell whether no job has changed where the session stands."""
    fields = ("status", "tasks", "current_task", "current_part", "plan_status", "wrap_up", "risk", "replans", "goals")
    return all(getattr(state, field) == getattr(before, field) for field in fields)
