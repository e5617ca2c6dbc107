"""The background functions as functions-framework serves them."""

from types import ModuleType

import httpx
import pytest

from functions.planner import wiring as planner
from functions.session_manager import wiring as session_manager
from functions.supervisor import wiring as supervisor
from local.functions import function_app
from shared.config.agents import agent_settings
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.errors import ConfigError
from shared.web.composition import Composition
from tests.fakes.background_room import Room, transition
from tests.fakes.counselling import session, task
from tests.fakes.memory_queue import MemoryTaskQueue


class Ids:
    def new_id(self) -> str:
        return "id"


def client(function: str, target: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=function_app(function, target)), base_url="http://function"
    )


def install(room: Room) -> None:
    for wiring in (supervisor, planner, session_manager):
        parts = wiring.compose(
            store=room.store,
            queue=MemoryTaskQueue(),
            model=room.model,
            settings=agent_settings(),
            clock=room.clock,
            ids=Ids(),
        )
        wiring.COMPOSITION.install(parts)


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


@pytest.mark.parametrize("attribute", [{"ce-document": "{}"}, {"ce-subject": "documents/{}"}])
async def test_a_transitions_event_reaches_the_planner(attribute: dict[str, str]) -> None:
    room = Room()
    install(room)
    covered = task(status=TaskStatus.SUFFICIENT)
    await room.open(session(covered, plan_status=PlanStatus.PLANNING), ("하나",), (transition("1-2"),))
    path = "sessions/c1/part_transitions/1-2"
    headers = {name: value.format(path) for name, value in attribute.items()} | {
        "ce-specversion": "1.0",
        "ce-id": "e1",
        "ce-type": "google.cloud.firestore.document.v1.created",
        "ce-source": "//firestore.googleapis.com/projects/p/databases/(default)",
        "content-type": "application/json",
    }
    async with client("planner", "on_part_transition") as http:
        assert (await http.post("/", content=b"{}", headers=headers)).status_code == 200
    assert (await room.session()).current_part is Part.EXPLORATION
    async with client("planner", "on_planner_feedback") as http:
        assert (await http.post("/", content=b"{}", headers=headers)).status_code == 200


@pytest.mark.parametrize("wiring", [supervisor, planner, session_manager])
def test_without_an_installed_platform_the_operator_reads_why(wiring: ModuleType) -> None:
    with pytest.raises(ConfigError, match="make run"):
        Composition(wiring.from_environment).parts()
