"""The background functions as functions-framework serves them."""

import asyncio
from datetime import timedelta

import httpx
import pytest

from functions.planner import wiring as planner
from functions.session_manager import wiring as session_manager
from functions.session_manager.close import GoalKept
from functions.session_manager.summarize import Summary
from functions.supervisor import wiring as supervisor
from local.embedded.delivery import DeliveryPolicy
from local.functions import function_app
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import PlanStatus, SessionStatus
from shared.domain.errors import ModelBlocked, ModelUnavailable
from shared.engine.claims import Claims, Taken
from shared.engine.enqueue import enqueue_due
from shared.engine.runner import MAX_ASKS
from shared.locale import Locale
from shared.services.counseling.job_context import delivery_of
from shared.web.background import TASK_ATTEMPTS
from tests.fakes.answers import closing_work, judgement
from tests.fakes.background_room import ID, Room, payload
from tests.fakes.counselling import session, task
from tests.fakes.memory_queue import MemoryTaskQueue

JUDGEMENT = judgement()
CLOSING = closing_work(
    goals=(GoalKept(goal="덜 떨기", quote="덜 떨고 싶어요"),),
    summary="오늘 발표 앞의 두려움을 나눴어요.",
    next_session="떨리는 순간을 함께 살펴봐요.",
)


def client(function: str, target: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=function_app(function, target)), base_url="http://function"
    )


async def profile_of(room: Room) -> Profile | None:
    found = await room.store.user((await room.session()).user_id, Profile)
    return found.document if found else None


def install(room: Room) -> None:
    for wiring in (supervisor, planner, session_manager):
        wiring.COMPOSITION.install(room.parts())


async def test_a_task_of_nobodys_is_moot(subtests: pytest.Subtests) -> None:
    cases = [
        ("supervisor", "supervise", "supervise"),
        ("planner", "plan", "plan"),
        ("session_manager", "manage_session", "review"),
        ("session_manager", "manage_session", "summarize"),
        ("session_manager", "manage_session", "close"),
    ]
    for function, target, kind in cases:
        with subtests.test(kind=kind):
            install(Room())
            async with client(function, target) as http:
                body = {"conversation_id": "gone", "kind": kind, "seq": 3, "state_version": 0}
                response = await http.post("/", json=body)
                assert (response.status_code, response.json()) == (200, {"result": "moot"})
                assert (await http.post("/", json={**body, "kind": "nothing"})).json()["result"] == "poison"


async def test_a_failing_model_makes_the_queue_try_again_until_the_last_attempt_and_the_work_stays_due() -> None:
    room = Room()
    install(room)
    await room.open(session(task()), ("하나", "둘", "셋"))
    body = {"conversation_id": "c1", "kind": "supervise", "seq": 3, "state_version": 0}
    async with client("supervisor", "supervise") as http:
        assert (await http.post("/", json=body)).status_code == 503
        last = await http.post("/", json=body, headers={"X-CloudTasks-TaskRetryCount": "7"})
    assert (last.status_code, last.json()) == (200, {"result": "left_due"})
    assert not await room.records("failures")
    state = await room.session()
    assert state.budget.background_calls == 2
    assert JobKind.SUPERVISE in {due.kind for due in room.policy.due(state)}


async def test_judgements_for_which_no_answer_is_of_use_are_given_up_and_due_again_with_the_next_period() -> None:
    room = Room({"supervisor": "no json", "session_manager": ModelBlocked("safety")})
    install(room)
    await room.open(session(task()), tuple(f"이야기 {number}" for number in range(5)))
    for due in (payload(JobKind.SUPERVISE, 3), payload(JobKind.REVIEW, 5)):
        assert (await deliver(due))[-1] == "given_up"
    assert await room.records("failures") == {"supervise-3", "review-5"}
    assert room.policy.due(await room.session()) == ()
    await room.change(seq=6, message_count=6)
    assert {due.kind for due in room.policy.due(await room.session())} == {JobKind.SUPERVISE, JobKind.SUMMARIZE}


async def test_three_deliveries_at_once_cost_one_set_of_model_calls(subtests: pytest.Subtests) -> None:
    cases = [
        (JobKind.SUPERVISE, 3, "supervisor", JUDGEMENT, "done"),
        (JobKind.REVIEW, 5, "session_manager", "no json", "retry"),
        (JobKind.SUMMARIZE, 6, "summarizer", Summary(summary="요약."), "done"),
        (JobKind.CLOSE, 0, "closer", CLOSING, "done"),
        (JobKind.PLAN, 1, "planner", "no json", "done"),
    ]
    for kind, seq, agent, answer, result in cases:
        with subtests.test(seq=seq):
            room = Room({agent: answer, "persona_inferrer": "no json"})
            install(room)
            status = SessionStatus.COMPLETED if kind is JobKind.CLOSE else SessionStatus.ACTIVE
            state = session(task(), status=status, plan_status=PlanStatus.PLANNING)
            await room.open(state, tuple(f"이야기 {number}" for number in range(6)))
            room.model.meanwhile = lambda: asyncio.sleep(0.1)
            async with client(*FUNCTIONS[kind]) as http:
                body = payload(kind, seq).model_dump(mode="json")
                answered = await asyncio.gather(*(http.post("/", json=body) for _ in range(3)))
                assert sorted(one.json()["result"] for one in answered) == ["busy", "busy", result]
                assert len(room.model.asked(agent)) == (1 if answer != "no json" else MAX_ASKS)
                assert (await room.session()).claims == {}, "a retry is not delayed"
                again = (await http.post("/", json=body)).json()["result"]
            assert again == {"done": "moot", "retry": "poison"}[result], "useless once may be chance"


async def test_what_a_job_costs_counts_in_its_users_day_only_when_it_is_done() -> None:
    room = Room({"supervisor": ["no json", "no json", JUDGEMENT]})
    install(room)
    await room.open(session(task()), ("하나", "둘", "셋"))
    body = payload(JobKind.SUPERVISE, 3).model_dump(mode="json")
    async with client("supervisor", "supervise") as http:
        assert (await http.post("/", json=body)).json()["result"] == "retry"
        assert not await room.database.tree("usage")
        assert (await http.post("/", json=body)).json()["result"] == "done"
    (day,) = await room.database.tree("usage")
    assert day.data["cost_krw"] > 0


async def test_a_claim_is_given_back_when_the_work_breaks() -> None:
    room = Room({"supervisor": JUDGEMENT})
    await room.open(session(task()), ("하나", "둘", "셋"))
    claims = Claims(room.store, room.policy, room.clock, timedelta(seconds=20))
    with pytest.raises(RuntimeError):
        async with claims.held(ID, delivery_of(payload(JobKind.SUPERVISE, 3)), lambda _: True):
            raise RuntimeError
    assert (await room.session()).claims == {}


async def test_a_claim_outlives_its_holder_only_until_the_next_attempt_or_its_expiry() -> None:
    room = Room({"supervisor": JUDGEMENT})
    install(room)
    await room.open(session(task()), ("하나", "둘", "셋"))
    one = payload(JobKind.SUPERVISE, 3)
    held = Claims(room.store, room.policy, room.clock, timedelta(seconds=20))

    async def died(attempt: int) -> None:
        delivery = delivery_of(one.model_copy(update={"attempt": attempt}))
        async with held.held(ID, delivery, lambda _: True) as taken:
            assert taken is Taken.OURS

    await died(2)
    async with client(*FUNCTIONS[one.kind]) as http:
        for retries, result in [("1", "busy"), ("2", "done")]:  # The third attempt: the queue saw the second one end.
            headers = {"X-CloudTasks-TaskRetryCount": retries}
            assert (await http.post("/", json=one.model_dump(mode="json"), headers=headers)).json()["result"] == result
    assert len(room.model.asked("supervisor")) == 1
    assert await room.records("supervision") == {"3"}


FUNCTIONS = {
    JobKind.SUPERVISE: ("supervisor", "supervise"),
    JobKind.PLAN: ("planner", "plan"),
    JobKind.REVIEW: ("session_manager", "manage_session"),
    JobKind.SUMMARIZE: ("session_manager", "manage_session"),
    JobKind.CLOSE: ("session_manager", "manage_session"),
}


async def deliver(task: TaskPayload) -> list[str]:
    """Deliver a task as the queue does: until it is acknowledged, or the queue's own limit; returns the results."""
    results = []
    async with client(*FUNCTIONS[task.kind]) as http:
        for retries in range(DeliveryPolicy().max_attempts):
            headers = {"X-CloudTasks-TaskRetryCount": str(retries)}
            response = await http.post("/", json=task.model_dump(mode="json"), headers=headers)
            results.append(response.json()["result"])
            if response.status_code == 200:
                break
    return results


async def test_a_summary_that_is_empty_each_time_is_tried_once_a_period_and_each_call_is_counted() -> None:
    room, queue = Room({"summarizer": Summary(summary="")}), MemoryTaskQueue()
    install(room)
    await room.open(session(task()), tuple(f"이야기 {number}" for number in range(12)))
    for turn in range(1, 13):
        await room.change(seq=turn, message_count=turn)
        await enqueue_due(queue, room.policy.due(await room.session()))
        for queued in queue.take():
            if queued.kind is JobKind.SUMMARIZE:
                assert await deliver(queued) == ["retry", *["poison"] * (TASK_ATTEMPTS - 2), "given_up"]
    assert len(room.model.asked("summarizer")) == 2 * TASK_ATTEMPTS * MAX_ASKS
    state = await room.session()
    assert (state.budget.background_calls, state.watermarks.summarized) == (len(room.model.requests), 12)
    assert await room.records("failures") == {"summarize-6", "summarize-12"}


async def test_five_quick_turns_with_a_slow_supervisor_are_judged_once() -> None:
    room, queue = Room({"supervisor": JUDGEMENT}), MemoryTaskQueue()
    install(room)
    await room.open(session(task()), tuple(f"이야기 {number}" for number in range(5)))
    for turn in range(1, 6):
        await room.change(seq=turn, message_count=turn)
        await enqueue_due(queue, room.policy.due(await room.session()))
    late = [queued for queued in queue.take() if queued.kind is JobKind.SUPERVISE]
    assert [await deliver(queued) for queued in late] == [["done"]]
    assert len(room.model.asked("supervisor")) == (await room.session()).budget.background_calls == 1
    assert await room.records("supervision") == {"3"}


async def test_supervision_that_was_left_due_is_done_with_the_next_period() -> None:
    room, queue = Room({"supervisor": ModelUnavailable("down")}), MemoryTaskQueue()
    install(room)
    await room.open(session(task()), tuple(f"이야기 {number}" for number in range(6)))
    results = []
    for turn in range(1, 7):
        await room.change(seq=turn, message_count=turn)
        await enqueue_due(queue, room.policy.due(await room.session()))
        due = [queued for queued in queue.take() if queued.kind is JobKind.SUPERVISE]
        results += [(queued.name, (await deliver(queued))[-1]) for queued in due]
        if turn == 5:
            room.model.scripts["supervisor"] = JUDGEMENT
    assert results == [("c1-supervise-3", "left_due"), ("c1-supervise-6", "done")]
    assert (await room.session()).watermarks.supervised == 6
    assert "이야기 2" in room.model.asked("supervisor")[-1].messages[0].text


@pytest.mark.parametrize("answer", ["no json", ""])
async def test_an_ended_session_has_its_closing_by_rule_when_no_answer_is_of_use(answer: str) -> None:
    room, queue = Room({"closer": answer}), MemoryTaskQueue()
    install(room)
    await room.open(session(task(), status=SessionStatus.COMPLETED), ("하나", "둘", "셋"))
    for _ in range(3):
        await enqueue_due(queue, room.policy.due(await room.session()))
    (queued,) = queue.take()
    assert queued.name == "c1-close-0"
    assert await deliver(queued) == ["retry", *["poison"] * (TASK_ATTEMPTS - 2), "given_up"]
    assert await room.records("failures") == {"close-0"}
    assert (await room.record("closings", "final") or {})["origin"] == "rule"
    assert room.policy.due(await room.session()) == ()
    assert (await room.session()).budget.background_calls == len(room.model.requests)
    assert await deliver(queued) == ["moot"]


async def test_a_closing_stands_in_during_an_outage_and_is_made_good_by_the_model_with_the_profile() -> None:
    room = Room({"closer": ModelUnavailable("down")})
    install(room)
    goal = {"user_info": {"session_goal": "덜 떨고 싶어요"}, "summary_text": "발표가 무섭다고 했다."}
    await room.open(session(task(), status=SessionStatus.COMPLETED, **goal), ("하나", "덜 떨고 싶어요", "셋"))
    due = payload(JobKind.CLOSE, 0)
    for _ in range(2):
        assert await deliver(due) == ["retry"] * (TASK_ATTEMPTS - 1) + ["left_due"]
    view, profile = await room.store.view(ID), await profile_of(room)
    assert view.closing is not None
    assert profile is not None
    assert (view.closing["made_by_rule"], view.closing["to_follow"]) == (True, True)
    assert str(view.closing["summary"]).startswith(content().messages(Locale.KO).text("closing_to_follow"))
    assert [kept.goal for kept in profile.goals] == ["덜 떨고 싶어요"]
    assert (await room.session()).summary_text == "발표가 무섭다고 했다.", "the session's memory is the model's to use"
    assert [task.kind for task in room.policy.overdue(await room.session())] == [JobKind.CLOSE]

    room.model.scripts["closer"] = CLOSING
    assert await deliver(due) == ["done"]
    assert "발표가 무섭다고 했다." in room.model.asked("closer")[-1].messages[0].text
    view, profile = await room.store.view(ID), await profile_of(room)
    assert view.closing is not None
    assert profile is not None
    assert (view.closing["made_by_rule"], view.closing["to_follow"]) == (False, False)
    assert view.closing["summary"] == profile.summary == CLOSING.summary
    assert (profile.sessions, profile.merged, profile.next_plan) == (1, (ID,), CLOSING.next_session)
    assert (await room.record("closings", "final") or {})["origin"] == "model"
    assert await deliver(due) == ["moot"]
    assert room.policy.overdue(await room.session()) == ()


async def test_one_useless_answer_at_the_end_of_an_outage_gives_nothing_up() -> None:
    room = Room({"closer": ModelUnavailable("down")})
    install(room)
    await room.open(session(task(), status=SessionStatus.COMPLETED), ("하나", "둘", "셋"))
    assert await deliver(payload(JobKind.CLOSE, 0)) == ["retry"] * (TASK_ATTEMPTS - 1) + ["left_due"]
    room.model.scripts["closer"] = ""
    async with client("session_manager", "manage_session") as http:
        body = payload(JobKind.CLOSE, 0).model_dump(mode="json")
        last = await http.post("/", json=body, headers={"X-CloudTasks-TaskRetryCount": str(TASK_ATTEMPTS - 1)})
    assert last.json() == {"result": "left_due"}
    state = await room.session()
    assert state.poisoned == {"close": 1}
    assert [due.kind for due in room.policy.overdue(state)] == [JobKind.CLOSE]
    assert not await room.records("failures")
