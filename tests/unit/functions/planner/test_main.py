"""The planner's trigger entry points as functions-framework serves them."""

from dataclasses import replace
from pathlib import Path

import functions_framework.aio
import httpx

from functions.planner import wiring
from local.functions import function_app
from shared.adapters.eventarc.decode import CreatedEvents
from shared.contracts.triggers import TRIGGERS
from shared.domain.counseling.records import PartTransition, PlannerFeedback
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.errors import StoreUnavailable, Unauthenticated
from shared.web.invoker_auth import InvokerAuth
from tests.builders.job_room import PROJECT, Room, announcement, transition
from tests.builders.sessions import session, task

MAIN = Path(wiring.__file__).with_name("main.py")
PATH = "sessions/c1/part_transitions/1-2"


class Eventarc:
    """Accepts the token of one service."""

    async def verify(self, authorization):
        if authorization != "Bearer eventarc":
            raise Unauthenticated("another service")


class BrokenStore:
    async def record(self, *_):
        raise StoreUnavailable("down")


async def planned_room():
    room = Room()
    covered = task(status=TaskStatus.SUFFICIENT)
    await room.open(session(covered, plan_status=PlanStatus.PLANNING), ("하나",), (transition("1-2"),))
    return room


async def post(app, path=PATH, project=PROJECT, body=None, **more):
    headers, announced = announcement(path, project)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://function") as http:
        return await http.post("/", headers=headers | more, content=announced if body is None else body)


async def test_a_transition_event_plans_part_2_once():
    room = await planned_room()
    wiring.COMPOSITION.install(room.parts())
    response = await post(function_app("planner", "on_part_transition"))
    assert (response.status_code, response.json()) == (200, {"result": "done"})
    assert (await room.session()).current_part is Part.EXPLORATION
    again = await post(function_app("planner", "on_part_transition"))
    assert (again.status_code, again.json()) == (200, {"result": "moot"})


async def test_a_cloud_event_target_checks_the_token_of_its_caller():
    room = await planned_room()
    wiring.COMPOSITION.install(room.parts(InvokerAuth(Eventarc(), CreatedEvents(PROJECT))))
    app = functions_framework.aio.create_asgi_app("on_part_transition", str(MAIN), "cloudevent")
    assert (await post(app)).status_code == 401
    assert (await room.session()).current_part is Part.OPENING
    assert (await post(app, authorization="Bearer eventarc")).status_code == 200
    assert (await room.session()).current_part is Part.EXPLORATION


async def test_an_event_is_answered_with_503_if_the_store_is_unavailable():
    parts = Room().parts()
    wiring.COMPOSITION.install(replace(parts, context=replace(parts.context, store=BrokenStore())))
    response = await post(function_app("planner", "on_part_transition"))
    assert (response.status_code, response.json()) == (503, {"result": "retry"})
    assert "x-google-status" not in response.headers


async def test_a_misrouted_event_is_acknowledged_and_changes_nothing(subtests):
    cases = [
        ("on_planner_feedback", PATH, PROJECT),
        ("on_part_transition", "sessions/c1/planner_feedback/f1", PROJECT),
        ("on_part_transition", PATH, "another-project"),
    ]
    for target, path, project in cases:
        with subtests.test(target=target, path=path, project=project):
            room = await planned_room()
            wiring.COMPOSITION.install(room.parts())
            response = await post(function_app("planner", target), path, project)
            assert (response.status_code, response.json()["result"]) == (200, "poison")
            assert (await room.session()).current_part is Part.OPENING


async def test_an_event_without_a_document_in_its_body_is_acknowledged():
    wiring.COMPOSITION.install(Room().parts())
    for body in (b"", b"{}", b'{"value": {}}', b"\xff"):
        response = await post(function_app("planner", "on_part_transition"), body=body)
        assert (response.status_code, response.json()["result"]) == (200, "poison")


def test_every_trigger_has_an_entry_point_and_the_collection_of_its_records():
    for target, record in {"on_part_transition": PartTransition, "on_planner_feedback": PlannerFeedback}.items():
        assert TRIGGERS[target].split("/")[2] == record.collection
        assert function_app("planner", target)
    assert len(TRIGGERS) == 2
