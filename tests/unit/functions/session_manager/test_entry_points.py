"""The background functions as functions-framework serves them."""

import httpx
import pytest

from functions.planner import wiring as planner
from functions.session_manager import wiring as session_manager
from functions.session_manager.summarize import Summary
from functions.supervisor import wiring as supervisor
from local.embedded.delivery import DeliveryPolicy
from local.functions import function_app
from shared.contracts.tasks import TaskKind, TaskPayload
from shared.domain.counseling.session import SessionStatus
from shared.domain.errors import ModelUnavailable
from shared.engine.enqueue import enqueue_due
from shared.engine.runner import MAX_ASKS
from shared.web.background import TASK_ATTEMPTS
from tests.fakes.answers import judgement
from tests.fakes.background_room import Room
from tests.fakes.counselling import session, task
from tests.fakes.memory_queue import MemoryTaskQueue

JUDGEMENT = judgement()


def client(function: str, target: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=function_app(function, target)), base_url="http://function"
    )


def install(room: Room) -> None:
    for wiring in (supervisor, planner, session_manager):
        wiring.COMPOSITION.install(room.parts())


@pytest.mark.parametrize(
    ("function", "target", "kind"),
    [
        ("supervisor", "supervise", "supervise"),
        ("planner", "plan", "plan"),
        ("session_manager", "manage_session", "review"),
        ("session_manager", "manage_session", "summarize"),
        ("session_manager", "manage_session", "close"),
    ],
)
async def test_a_task_of_nobodys_is_moot(function: str, target: str, kind: str) -> None:
    install(Room())
    async with client(function, target) as http:
        body = {"conversation_id": "gone", "kind": kind, "seq": 3, "state_version": 0}
        response = await http.post("/", json=body)
        assert (response.status_code, response.json()) == (200, {"result": "moot"})
        assert (await http.post("/", json={**body, "kind": "nothing"})).json()["result"] == "poison"


async def test_a_failing_model_makes_the_queue_try_again_until_the_last_attempt() -> None:
    room = Room()
    install(room)
    await room.open(session(task()), ("하나", "둘", "셋"))
    body = {"conversation_id": "c1", "kind": "supervise", "seq": 3, "state_version": 0}
    async with client("supervisor", "supervise") as http:
        assert (await http.post("/", json=body)).status_code == 503
        last = await http.post("/", json=body, headers={"X-CloudTasks-TaskRetryCount": "7"})
    assert (last.status_code, last.json()) == (200, {"result": "given_up"})
    record = await room.record("failures", "supervise-3")
    assert record is not None
    assert (record["kind"], record["seq"]) == ("supervise", 3)
    state = await room.session()
    assert state.budget.background_calls == 2
    assert TaskKind.SUPERVISE in {due.kind for due in room.house.due(state)}, "it is due again"


FUNCTIONS = {
    TaskKind.SUPERVISE: ("supervisor", "supervise"),
    TaskKind.PLAN: ("planner", "plan"),
    TaskKind.REVIEW: ("session_manager", "manage_session"),
    TaskKind.SUMMARIZE: ("session_manager", "manage_session"),
    TaskKind.CLOSE: ("session_manager", "manage_session"),
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
        await enqueue_due(queue, room.house.due(await room.session()))
        for queued in queue.take():
            if queued.kind is TaskKind.SUMMARIZE:
                assert await deliver(queued) == ["retry"] * (TASK_ATTEMPTS - 1) + ["given_up"]
    assert len(room.model.asked("summarizer")) == 2 * TASK_ATTEMPTS * MAX_ASKS
    state = await room.session()
    assert state.budget.background_calls == len(room.model.requests)
    assert state.watermarks.summarized == 12
    assert await room.records("failures") == {"summarize-6", "summarize-12"}


async def test_five_quick_turns_with_a_slow_supervisor_are_judged_once() -> None:
    room, queue = Room({"supervisor": JUDGEMENT}), MemoryTaskQueue()
    install(room)
    await room.open(session(task()), tuple(f"이야기 {number}" for number in range(5)))
    for turn in range(1, 6):
        await room.change(seq=turn, message_count=turn)
        await enqueue_due(queue, room.house.due(await room.session()))
    late = [queued for queued in queue.take() if queued.kind is TaskKind.SUPERVISE]
    assert [await deliver(queued) for queued in late] == [["done"]]
    assert len(room.model.asked("supervisor")) == (await room.session()).budget.background_calls == 1
    assert await room.records("supervision") == {"3"}


async def test_supervision_that_was_given_up_is_done_with_the_next_period() -> None:
    room, queue = Room({"supervisor": ModelUnavailable("down")}), MemoryTaskQueue()
    install(room)
    await room.open(session(task()), tuple(f"이야기 {number}" for number in range(6)))
    results = []
    for turn in range(1, 7):
        await room.change(seq=turn, message_count=turn)
        await enqueue_due(queue, room.house.due(await room.session()))
        due = [queued for queued in queue.take() if queued.kind is TaskKind.SUPERVISE]
        results += [(queued.name, (await deliver(queued))[-1]) for queued in due]
        if turn == 5:
            room.model.scripts["supervisor"] = JUDGEMENT
    assert results == [("c1-supervise-3", "given_up"), ("c1-supervise-6", "done")]
    assert (await room.session()).watermarks.supervised == 6
    assert "이야기 2" in room.model.asked("supervisor")[-1].messages[0].text


@pytest.mark.parametrize("answer", [ModelUnavailable("down"), "no json", ""])
async def test_an_ended_session_has_its_closing_after_the_last_attempt_whatever_the_model_does(answer: object) -> None:
    room, queue = Room({"closer": answer}), MemoryTaskQueue()
    install(room)
    await room.open(session(task(), status=SessionStatus.COMPLETED), ("하나", "둘", "셋"))
    for _ in range(3):
        await enqueue_due(queue, room.house.due(await room.session()))
    (queued,) = queue.take()
    assert queued.name == "c1-close-0"
    assert await deliver(queued) == ["retry"] * (TASK_ATTEMPTS - 1) + ["given_up"]
    assert (await room.record("closings", "final") or {})["origin"] == "rule"
    assert room.house.due(await room.session()) == ()
    assert (await room.session()).budget.background_calls == len(room.model.requests)
    assert await deliver(queued) == ["moot"]
