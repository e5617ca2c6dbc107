"""What clients rely on: the recorded streams of clients/contract, the server's own, and the TypeScript client."""

import asyncio
import json
import re
import shutil
from uuid import uuid4

import pytest

from tests.builders.first_session import BETWEEN, PART_1, PART_2
from tests.support.api_schema import validator
from tests.support.npm import node_or_skip, run_node
from tests.support.process import ROOT

CLIENT = ROOT / "clients" / "typescript"
LINES = [line.client for line in (*PART_1, BETWEEN, *PART_2)]
NOT_SOURCES = shutil.ignore_patterns("node_modules", "dist", "api.d.ts")
FOLDER = ROOT / "clients" / "contract"
SCENARIOS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
KINDS = {"agent_start", "agent_retry", "agent_done", "token", "replace", "done", "error"}


def done(command, folder, environment=None):
    ended = run_node(command, folder, environment)
    assert ended.returncode == 0, f"{' '.join(command)}\n{ended.stdout[-6000:]}\n{ended.stderr[-3000:]}"
    return ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """The client's folder in a copy, built: types from docs/openapi.json, compiled by tsc."""
    node_or_skip()
    home = tmp_path_factory.mktemp("typescript")
    shutil.copytree(CLIENT, home / "clients" / "typescript", ignore=NOT_SOURCES)
    shutil.copytree(ROOT / "clients" / "contract", home / "clients" / "contract")
    (home / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "openapi.json", home / "docs")
    folder = home / "clients" / "typescript"
    done(["npm", "ci", "--prefer-offline"], folder)
    done(["npm", "run", "build"], folder)
    return folder


def test_the_linter_finds_nothing_in_the_description_and_the_types_keep_every_event(client):
    assert "valid" in done(["npm", "run", "lint"], client)
    types = (client / "src" / "api.d.ts").read_text("utf-8")
    union = re.search(r"^ {8}TurnEvent: (.+);$", types, re.MULTILINE)[1]
    named = {"AgentStart", "AgentRetry", "AgentDone", "Token", "Replace", "Done", "Error"}
    assert set(re.findall(r'schemas"\]\["(\w+)"', union)) == {f"{name}Event" for name in named}


def test_the_client_makes_of_every_recorded_turn_what_it_should(client):
    told = done(["node", "--test", "--test-reporter=tap", "dist/test/contract.test.js"], client)
    scenarios = len(SCENARIOS)
    assert f"# pass {2 * scenarios + 1}\n" in told, "parser and turn of each, and one that is left"
    assert "# fail 0\n" in told


async def test_the_client_talks_a_whole_session_with_the_server(client, server, model):
    environment = {"CLIENT_ADDRESS": server.address, "CLIENT_LINES": json.dumps(LINES)}
    command = ["node", "--test", "--test-reporter=tap", "dist/test/session.test.js"]
    assert "# pass 1\n" in await asyncio.to_thread(done, command, client, environment)


def test_the_lock_names_versions_and_hashes_and_no_host():
    lock = (CLIENT / "package-lock.json").read_text("utf-8")
    assert "://" not in lock
    packages = [entry for path, entry in json.loads(lock)["packages"].items() if path]
    assert all(entry["integrity"].startswith("sha512-") for entry in packages)
    wanted = json.loads((CLIENT / "package.json").read_text("utf-8"))["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values()), "pinned"


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_recorded_turn_is_one_that_the_server_may_send(name):
    scenario = SCENARIOS[name]
    events = [event for connection in scenario["connections"] for event in connection.get("events", [])]
    for connection in scenario["connections"]:
        if "answer" in connection:
            validator("Problem").validate(connection["answer"]["problem"])
    if name != "additions":
        for event in events:
            validator("TurnEvent").validate({field: value for field, value in event.items() if value != ""})
    last = scenario["connections"][-1]["events"][-1]
    assert last["event"] == scenario["ends"]
    if last["event"] == "done":
        assert scenario["shown"][-1] == last["data"]["reply"], "what is shown in the end is what is stored"


def test_every_file_of_the_folder_belongs_to_a_turn_that_the_page_describes():
    connections = [connection for scenario in SCENARIOS.values() for connection in scenario["connections"]]
    streams = {connection["stream"] for connection in connections if "stream" in connection}
    assert streams == {path.name for path in FOLDER.glob("*.sse")}
    page = (FOLDER / "README.md").read_text("utf-8")
    assert [name for name in SCENARIOS if f"`{name}`" not in page] == []
    told = {event["event"] for connection in connections for event in connection.get("events", [])}
    assert told >= KINDS


@pytest.mark.parametrize(
    "text", ["요즘 잠을 잘 못 자요.", "죽고 싶어요. 오늘 밤에 끝내려고 약을 모아 뒀어요."], ids=["ordinary", "danger"]
)
async def test_what_the_server_sends_fits_the_same_schema_and_ends_once(person, text):
    conversation = await person.open()
    message = str(uuid4())
    heard = await person.hear(conversation.id, text, message)
    for event in heard:
        validator("TurnEvent").validate({"id": event.id, "event": event.name, "data": event.data})
    assert [event.name for event in heard if event.name in {"done", "error"}] == [heard[-1].name] == ["done"]
    assert [event.number for event in heard] == sorted({event.number for event in heard})
    async with person.attach(conversation.id, message, heard[-2].id) as events:
        behind = [event async for event in events]
    assert behind[-1].data == heard[-1].data, "asked for again, the turn ends alike"
