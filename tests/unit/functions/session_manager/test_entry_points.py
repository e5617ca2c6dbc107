"""The background functions as functions-framework serves them."""

import asyncio
from datetime import timedelta

import httpx
import pytest

from functions.planner import wiring as planner
from functions.session_manager import wiring as session_manager
from functions.session_manager.summarize import Summary
from functions.supervisor import wiring as supervisor
from local.embedded.delivery import DeliveryPolicy
from local.functions import function_app
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.session import PlanStatus, SessionStatus
from shared.domain.errors import ModelBlocked, ModelUnavailable
from shared.engine.claims import Claims, Taken
from shared.engine.enqueue import enqueue_due
from shared.engine.runner import MAX_ASKS
from shared.locale import Locale
from shared.services.counseling.job_context import delivery_of
from shared.web.background import TASK_ATTEMPTS
from tests.builders.answers import closing_work, judgement, resting_on, summary_resting_on
from tests.builders.closings import AHEAD, CLOSE, WORK, closing_of, profile_of
from tests.builders.job_room import ID, Room, payload
from tests.builders.sessions import session, task
from tests.fakes.memory_queue import MemoryTaskQueue

JUDGEMENT = judgement()
SUPERVISE = payload(JobKind.SUPERVISE, 3)
DOWN = ModelUnavailable("down")
MANAGER = ("session_manager", "manage_session")
FUNCTIONS = {
    JobKind.SUPERVISE: ("supervisor", "supervise"),
    JobKind.PLAN: ("planner", "plan"),
    JobKind.REVIEW: MANAGER,
    JobKind.SUMMARIZE: MANAGER,
    JobKind.CLOSE: MANAGER,
}
OUT_OF_ATTEMPTS = ["retry", *["poison"] * (TASK_ATTEMPTS - 2), "given_up"]


def install(room):
    for wiring in (supervisor, planner, session_manager):
        wiring.COMPOSITION.install(room.parts())
    return room


async def installed(turns=3, said=None, scripts=None, **fields):
    """Install the functions over a session of so many turns."""
    room = install(Room(scripts))
    await room.open(session(task(), **fields), said or tuple(f"이야기 {number}" for number in range(turns)))
    return room


async def post(job, retries=0, **more):
    """Deliver a task once, and return status and result."""
    transport = httpx.ASGITransport(app=function_app(*FUNCTIONS[job.kind]))
    async with httpx.AsyncClient(transport=transport, base_url="http://function") as http:
        headers = {"X-CloudTasks-TaskRetryCount": str(retries)}
        response = await http.post("/", json=job.model_dump(mode="json") | more, headers=headers)
    return response.status_code, response.json()["result"]


async def deliver(job):
    """Deliver a task as the queue does: until it is acknowledged, or the queue's own limit; returns the results."""
    results = []
    for retries in range(DeliveryPolicy().max_attempts):
        status, result = await post(job, retries)
        results.append(result)
        if status == 200:
            break
    return results


async def queued_after(room, queue, turn):
    """Let the talk be at this turn, and return what is new in the queue."""
    await room.change(seq=turn, message_count=turn)
    await enqueue_due(queue, room.policy.due(await room.session()))
    return queue.take()


@pytest.mark.parametrize("kind", FUNCTIONS)
async def test_a_task_of_nobodys_is_moot(kind):
    install(Room())
    gone = payload(kind, 3).model_copy(update={"conversation_id": "gone"})
    assert await post(gone) == (200, "moot")
    assert (await post(gone, kind="nothing"))[1] == "poison"


async def test_a_failing_model_makes_the_queue_try_again_until_the_last_attempt_and_the_work_stays_due():
    room = await installed()
    assert (await post(SUPERVISE))[0] == 503
    assert await post(SUPERVISE, 7) == (200, "left_due")
    assert not await room.records("failures")
    state = await room.session()
    assert state.budget.background_calls == 2
    assert JobKind.SUPERVISE in {due.kind for due in room.policy.due(state)}


async def test_judgements_for_which_no_answer_is_of_use_are_given_up_and_due_again_with_the_next_period():
    room = await installed(5, scripts={"supervisor": "no json", "session_manager": ModelBlocked("safety")})
    for due in (SUPERVISE, payload(JobKind.REVIEW, 5)):
        assert (await deliver(due))[-1] == "given_up"
    assert await room.records("failures") == {"supervise-3", "review-5"}
    assert room.policy.due(await room.session()) == ()
    await room.change(seq=6, message_count=6)
    assert {due.kind for due in room.policy.due(await room.session())} == {JobKind.SUPERVISE, JobKind.SUMMARIZE}


TOLD = closing_work(sentences=resting_on("이야기 1", "이야기를 나눴어요."))


@pytest.mark.parametrize(
    ("kind", "seq", "agent", "answer", "result"),
    [
        (JobKind.SUPERVISE, 3, "supervisor", JUDGEMENT, "done"),
        (JobKind.REVIEW, 5, "session_manager", "no json", "retry"),
        (JobKind.SUMMARIZE, 6, "summarizer", summary_resting_on("이야기", "요약."), "done"),
        (JobKind.CLOSE, 0, "closer", TOLD, "done"),
        (JobKind.PLAN, 1, "planner", "no json", "done"),
    ],
)
async def test_three_deliveries_at_once_cost_one_set_of_model_calls(kind, seq, agent, answer, result):
    status = SessionStatus.COMPLETED if kind is JobKind.CLOSE else SessionStatus.ACTIVE
    scripts = {agent: answer, "persona_inferrer": "no json"}
    room = await installed(6, scripts=scripts, status=status, plan_status=PlanStatus.PLANNING)
    room.model.meanwhile = lambda: asyncio.sleep(0.1)
    answered = await asyncio.gather(*(post(payload(kind, seq)) for _ in range(3)))
    assert sorted(found for _, found in answered) == ["busy", "busy", result]
    assert len(room.model.asked(agent)) == (1 if answer != "no json" else MAX_ASKS)
    assert (await room.session()).claims == {}, "a retry is not delayed"
    _, again = await post(payload(kind, seq))
    assert again == {"done": "moot", "retry": "poison"}[result], "useless once may be chance"


async def test_what_a_job_costs_counts_in_its_users_day_only_when_it_is_done():
    room = await installed(scripts={"supervisor": ["no json", "no json", JUDGEMENT]})
    assert (await post(SUPERVISE))[1] == "retry"
    assert not await room.database.tree("usage")
    assert (await post(SUPERVISE))[1] == "done"
    (day,) = await room.database.tree("usage")
    assert day.data["cost_krw"] > 0


async def test_a_claim_is_given_back_when_the_work_breaks():
    room = await installed(scripts={"supervisor": JUDGEMENT})
    claims = Claims(room.store, room.policy, room.clock, timedelta(seconds=20))
    with pytest.raises(RuntimeError):
        async with claims.held(ID, delivery_of(SUPERVISE), lambda _: True):
            raise RuntimeError
    assert (await room.session()).claims == {}


async def test_a_claim_outlives_its_holder_only_until_the_next_attempt_or_its_expiry():
    room = await installed(scripts={"supervisor": JUDGEMENT})
    claims = Claims(room.store, room.policy, room.clock, timedelta(seconds=20))
    second = delivery_of(SUPERVISE.model_copy(update={"attempt": 2}))
    async with claims.held(ID, second, lambda _: True) as taken:
        assert taken is Taken.OURS
    results = [(await post(SUPERVISE, retries))[1] for retries in (1, 2)]
    assert results == ["busy", "done"], "at the third attempt the queue saw the second one end"
    assert len(room.model.asked("supervisor")) == 1
    assert await room.records("supervision") == {"3"}


async def test_a_summary_that_is_empty_each_time_is_tried_once_a_period_and_each_call_is_counted():
    room, queue = await installed(12, scripts={"summarizer": Summary(sentences=())}), MemoryTaskQueue()
    for turn in range(1, 13):
        for queued in await queued_after(room, queue, turn):
            if queued.kind is JobKind.SUMMARIZE:
                assert await deliver(queued) == OUT_OF_ATTEMPTS
    assert len(room.model.asked("summarizer")) == 2 * TASK_ATTEMPTS * MAX_ASKS
    state = await room.session()
    assert (state.budget.background_calls, state.watermarks.summarized) == (len(room.model.requests), 12)
    assert await room.records("failures") == {"summarize-6", "summarize-12"}


async def test_five_quick_turns_with_a_slow_supervisor_are_judged_once():
    room, queue = await installed(5, scripts={"supervisor": JUDGEMENT}), MemoryTaskQueue()
    late = [queued for turn in range(1, 6) for queued in await queued_after(room, queue, turn)]
    assert [await deliver(queued) for queued in late if queued.kind is JobKind.SUPERVISE] == [["done"]]
    assert len(room.model.asked("supervisor")) == (await room.session()).budget.background_calls == 1
    assert await room.records("supervision") == {"3"}


async def test_supervision_that_was_left_due_is_done_with_the_next_period():
    room, queue, results = await installed(6, scripts={"supervisor": DOWN}), MemoryTaskQueue(), []
    for turn in range(1, 7):
        due = [queued for queued in await queued_after(room, queue, turn) if queued.kind is JobKind.SUPERVISE]
        results += [(queued.name, (await deliver(queued))[-1]) for queued in due]
        if turn == 5:
            room.model.scripts["supervisor"] = JUDGEMENT
    assert results == [("c1-supervise-3", "left_due"), ("c1-supervise-6", "done")]
    assert (await room.session()).watermarks.supervised == 6
    assert "이야기 2" in room.model.asked("supervisor")[-1].messages[0].text


@pytest.mark.parametrize("answer", ["no json", ""])
async def test_an_ended_session_has_its_closing_by_rule_when_no_answer_is_of_use(answer):
    room, queue = await installed(scripts={"closer": answer}, status=SessionStatus.COMPLETED), MemoryTaskQueue()
    for _ in range(3):
        await enqueue_due(queue, room.policy.due(await room.session()))
    (queued,) = queue.take()
    assert queued.name == "c1-close-0"
    assert await deliver(queued) == OUT_OF_ATTEMPTS
    assert await room.records("failures") == {"close-0"}
    assert (await closing_of(room))["origin"] == "rule"
    assert room.policy.due(await room.session()) == ()
    assert (await room.session()).budget.background_calls == len(room.model.requests)
    assert await deliver(queued) == ["moot"]


async def test_a_closing_stands_in_during_an_outage_and_is_made_good_by_the_model_with_the_profile():
    memory = "발표가 무섭다고 했다."
    known = {"user_info": {"session_goal": "덜 떨고 싶어요"}, "summary_text": memory, "status": SessionStatus.COMPLETED}
    room = await installed(said=("발표가 무서워요", "덜 떨고 싶어요", "셋"), scripts={"closer": DOWN}, **known)
    for _ in range(2):
        assert await deliver(CLOSE) == ["retry"] * (TASK_ATTEMPTS - 1) + ["left_due"]
    shown, profile = (await room.store.view(ID)).closing, await profile_of(room)
    assert (shown["made_by_rule"], shown["to_follow"]) == (True, True)
    assert str(shown["summary"]).startswith(content().messages(Locale.KO).text("closing_to_follow"))
    assert [kept.goal for kept in profile.goals] == ["덜 떨고 싶어요"]
    assert (await room.session()).summary_text == memory, "the session's memory is the model's to use"
    assert [task.kind for task in room.policy.overdue(await room.session())] == [JobKind.CLOSE]

    room.model.scripts["closer"] = WORK
    assert await deliver(CLOSE) == ["done"]
    assert memory in room.model.asked("closer")[-1].messages[0].text
    shown, profile = (await room.store.view(ID)).closing, await profile_of(room)
    assert (shown["made_by_rule"], shown["to_follow"]) == (False, False)
    assert shown["summary"] == profile.summary == WORK.summary
    assert (profile.sessions, profile.merged, profile.next_plan) == (1, (ID,), AHEAD)
    assert (await closing_of(room))["origin"] == "model"
    assert await deliver(CLOSE) == ["moot"]
    assert room.policy.overdue(await room.session()) == ()


async def test_one_useless_answer_at_the_end_of_an_outage_gives_nothing_up():
    room = await installed(scripts={"closer": DOWN}, status=SessionStatus.COMPLETED)
    assert await deliver(CLOSE) == ["retry"] * (TASK_ATTEMPTS - 1) + ["left_due"]
    room.model.scripts["closer"] = ""
    assert (await post(CLOSE, TASK_ATTEMPTS - 1))[1] == "left_due"
    state = await room.session()
    assert state.poisoned == {"close": 1}
    assert [due.kind for due in room.policy.overdue(state)] == [JobKind.CLOSE]
    assert not await room.records("failures")
