"""Background jobs in any order and repeatedly; after a consent is withdrawn no job runs or stores anything."""

from itertools import permutations

import pytest

from functions.session_manager.dispatch import dispatch, give_up
from functions.supervisor.supervise import supervise
from shared.contracts.tasks import JobKind
from shared.domain.consents import ConsentsGiven, ConsentsWithdrawn, given
from shared.domain.counseling.completions import completions_due
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import Part, SufficientReason
from shared.domain.counseling.task_events import TaskCovered
from shared.engine.jobs import JobResult
from shared.engine.unit_of_work import update
from tests.builders.answers import judgement, session_review, summary_resting_on
from tests.builders.job_room import ID, Room, payload
from tests.builders.sessions import NOW, session, task

STORIES = tuple(f"요즘 이런 일이 있었어요 ({number})" for number in range(6))
VERSIONS = {"overseas_transfer": "2026-11"}
SUMMARY = summary_resting_on("요즘 이런 일이", "밤에 걱정이 많아 잠을 못 잔다.")
SCRIPTS = {
    "supervisor": judgement(6, strategy_change=True, strategy="더 천천히", improvements=("되비춰 주세요.",)),
    "session_manager": session_review(feedback_to_task_planner="너무 넓다"),
    "summarizer": SUMMARY,
}
KINDS = ((supervise, JobKind.SUPERVISE), (dispatch, JobKind.REVIEW), (dispatch, JobKind.SUMMARIZE))


async def outcome(order):
    room = Room(SCRIPTS)
    state = session(task("task_part2_1", Part.EXPLORATION), current_part=Part.EXPLORATION, plan_status=PlanStatus.READY)
    covered = TaskCovered(task_id="task_part2_1", reason=SufficientReason.JUDGED, seq=5)
    await room.open(covered.apply(state, NOW), STORIES)
    for job, kind in [one for one in order for _ in range(3)]:
        await job(room.context, payload(kind, 6))
    assert completions_due(await room.session()) == ()
    return await room.essence(), set(await room.documents())


async def test_the_order_of_deliveries_does_not_matter():
    expected, documents = await outcome(KINDS)
    assert expected["replans"] == 2
    assert "sessions/c1/completions/5-task_part2_1" in documents
    for order in permutations(KINDS):
        assert await outcome(order) == (expected, documents)
        assert await outcome([*order, *reversed(order)]) == (expected, documents)


@pytest.mark.parametrize("kind", [JobKind.SUPERVISE, JobKind.PLAN])
async def test_a_job_of_another_function_is_moot(kind):
    assert await dispatch(Room().context, payload(kind, 6)) is JobResult.MOOT


async def withdraw(room):
    withdrawn = ConsentsWithdrawn(names=("overseas_transfer",), versions=VERSIONS, withdrawn_at=NOW)
    await update(room.store, room.policy, room.clock, ID, withdrawn)


class TestAWithdrawnConsent:
    @pytest.fixture
    async def room(self):
        room = Room({"summarizer": SUMMARY})
        await room.open(session(task(), consents=given(VERSIONS, VERSIONS, NOW)), STORIES)
        return room

    @pytest.mark.parametrize("kind", [JobKind.SUMMARIZE, JobKind.REVIEW])
    async def test_keeps_all_text_from_the_model(self, room, kind):
        await withdraw(room)
        before = await room.documents()
        for work in (dispatch, give_up):
            assert await work(room.context, payload(kind, 6)) is JobResult.MOOT
        assert (room.model.requests, await room.documents()) == ([], before)

    @pytest.mark.parametrize("answers", [SUMMARY, ["no JSON", SUMMARY]], ids=["fits", "does not fit"])
    async def test_during_a_model_call_discards_the_answer_and_stops_further_calls(self, room, answers):
        room.model.scripts["summarizer"] = answers
        room.model.meanwhile = lambda: withdraw(room)
        result = await dispatch(room.context, payload(JobKind.SUMMARIZE, 6))
        assert answers is not SUMMARY or result is JobResult.MOOT
        state = await room.session()
        assert (state.summary_text, state.watermarks.summarized) == ("", 0)
        assert state.budget.background_calls == len(room.model.requests) == 1, "the cost of the call is still counted"

    async def test_suspends_all_due_work_until_it_is_given_again(self, room):
        due = room.policy.due(await room.session())
        assert due
        await withdraw(room)
        withdrawn = await room.session()
        assert (room.policy.due(withdrawn), withdrawn.due_since) == ((), None)
        await update(room.store, room.policy, room.clock, ID, ConsentsGiven(consents=given(VERSIONS, VERSIONS, NOW)))
        assert {one.kind for one in room.policy.due(await room.session())} == {one.kind for one in due}
