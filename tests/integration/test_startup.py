"""Start and end: a wrong setting gives one clear line and exit code 2, a signal ends all processes."""

import re
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import psutil
import pytest

from tests.support.answering import answering
from tests.support.chat_client import ANSWER_WITHIN_S
from tests.support.forked import ForkedServer, run_forked
from tests.support.local_server import LocalServer
from tests.support.process import LOOPBACK, clean_environment, run_python

SAYS_NO_WITHIN_S = 120
NO_SERVER = "127.0.0.1:9"
AT_ONCE = 3
WRONG_SETTINGS = (
    ({"PORT": "eighty"}, "PORT"),
    ({"GEMINI_API_KEY": "top-secret 키"}, "GEMINI_API_KEY"),
    ({"CBOT_AGENTS_FILE": "/nowhere/agents.yaml"}, "/nowhere/agents.yaml"),
    ({"CBOT_DATA_DIR": "/proc/cbot/data"}, "/proc/cbot/data"),
    ({"CBOT_SIMULATOR_TTFT_MS": "soon"}, "CBOT_SIMULATOR_TTFT_MS"),
    ({"K_SERVICE": "chat"}, "K_SERVICE"),
)
"""One for each part that reads settings; test_settings.py has the rest."""


def refused(home, **variables):
    """Start a server that must refuse to start, and return its one line of output."""
    environment = clean_environment({"PORT": "0", "CBOT_DATA_DIR": str(home / "data"), **variables})
    ended = run_forked(["-m", "local"], environment, SAYS_NO_WITHIN_S)
    said = ended.stdout + ended.stderr
    assert (ended.returncode, len(said.splitlines())) == (2, 1), said
    assert said.startswith("cbot: ")
    assert "top-secret" not in said
    return said


def get(address):
    return httpx.get(f"{address}/healthz", timeout=ANSWER_WITHIN_S, **LOOPBACK)


def test_a_wrong_setting_is_named_in_one_line(tmp_path):
    """In parallel, since each case starts a process."""
    homes = [tmp_path / f"home{number}" for number in range(len(WRONG_SETTINGS))]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        lines = list(pool.map(lambda home, case: refused(home, **case[0]), homes, WRONG_SETTINGS))
    for (variables, named), line in zip(WRONG_SETTINGS, lines, strict=True):
        assert named in line, variables


def test_a_wrong_setting_is_refused_before_the_server_is_imported():
    script = "import sys\nfrom local.__main__ import main\nprint(main(), 'local.server' in sys.modules)"
    ended = run_python("-c", script, environment={"PORT": "eighty"})
    assert ended.stdout == "2 False\n"


def test_a_taken_port_or_a_file_that_is_no_database_is_named_and_left_unchanged(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refused(tmp_path, PORT=str(port))
    assert f"127.0.0.1:{port}" in line
    assert "in use" in line

    diary = "this is a diary, not a database" * 100
    file = tmp_path / "none" / "data" / "cbot.sqlite3"
    file.parent.mkdir(parents=True)
    file.write_text(diary, encoding="utf-8")
    assert str(file) in refused(tmp_path / "none")
    assert file.read_text("utf-8") == diary


def test_a_second_server_on_the_same_data_is_refused_and_the_first_keeps_running(tmp_path):
    with ForkedServer(tmp_path) as first:
        assert f"process {first.pid}" in refused(tmp_path)
        assert get(first.address).status_code == 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_ready_line_names_a_working_address_and_a_signal_ends_all_processes(tmp_path, number):
    with LocalServer(tmp_path) as server:
        assert re.fullmatch(r"CBot is ready at http://127\.0\.0\.1:\d+ \(.*demo.*\)", server.ready_line)
        pid, children = server.pid, psutil.Process(server.pid).children(recursive=True)
        with httpx.Client(base_url=server.address, timeout=ANSWER_WITHIN_S, **LOOPBACK) as kept_open:
            health = kept_open.get("/healthz")
            assert (health.status_code, health.json()["status"]) == (200, "ok")
            assert server.stop(number) == 0
        assert not psutil.pid_exists(pid)
        assert not [child for child in children if child.is_running()]
        assert server.stderr == ""


def test_a_server_starts_without_its_model_and_reports_the_model_as_unreachable(tmp_path):
    with LocalServer(tmp_path, GEMINI_API_KEY="any", GOOGLE_GEMINI_BASE_URL=f"http://{NO_SERVER}") as server:
        assert server.ready_line.endswith("(Gemini: unreachable)")
        assert server.stderr.splitlines()[0].startswith("cbot: the Gemini API cannot be reached")
        health = get(server.address).json()
        assert (health["model"], health["model_reason"]) == ("unreachable", "model_unavailable")
        assert server.stop() == 0


def test_a_gateway_that_serves_another_version_of_the_api_is_named_with_the_variable_to_set(tmp_path):
    cut = {"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]}

    def gateway(path, _body):
        return (200, cut) if path.startswith("/v1beta/models/small:") else (405, {"detail": "Method Not Allowed"})

    with answering(gateway) as address:
        access = {"GEMINI_API_KEY": "any", "GOOGLE_GEMINI_BASE_URL": address, "CBOT_MODEL": "small"}
        with LocalServer(tmp_path, **access) as server:
            assert server.ready_line.endswith("(Gemini: unreachable)")
            health = get(server.address).json()
            assert health["model"] == "unreachable"
            for said in (server.stderr, health["model_reason"]):
                assert all(word in said for word in ("405", "GOOGLE_GENAI_API_VERSION"))
        with LocalServer(tmp_path, **access, GOOGLE_GENAI_API_VERSION="v1beta") as server:
            assert server.ready_line.endswith("(Gemini: ok)")
