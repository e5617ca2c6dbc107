"""Starting and ending: a wrong setting is one clear line and exit 2, a signal is a clean end that leaves nothing."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from local.loopback import NO_AUTHORITIES
from tests.support.chat_client import ANSWER_WITHIN_S
from tests.support.forked import ForkedServer, run_forked
from tests.support.local_server import LocalServer
from tests.support.process import ROOT, clean_environment

WRONG_CONFIG = 2
SAYS_NO_WITHIN_S = 120
NO_SERVER = "127.0.0.1:9"
AT_ONCE = 3

WRONG_SETTINGS: Sequence[tuple[Mapping[str, str], str]] = (
    ({"PORT": "eighty"}, "PORT"), ({"PORT": "70000"}, "PORT"), ({"PORT": "-1"}, "PORT"),
    ({"CBOT_PROJECT": "No Project"}, "CBOT_PROJECT"),
    ({"GOOGLE_GEMINI_BASE_URL": f"http://{NO_SERVER}"}, "GEMINI_API_KEY"),
    ({"GOOGLE_GEMINI_BASE_URL": "ftp://x", "GEMINI_API_KEY": "top-secret"}, "GOOGLE_GEMINI_BASE_URL"),
    ({"GEMINI_API_KEY": "top-secret 키"}, "GEMINI_API_KEY"),
    ({"GOOGLE_GEMINI_BASE_URL": "http://[::1", "GEMINI_API_KEY": "top-secret"}, "GOOGLE_GEMINI_BASE_URL"),
    ({"CBOT_ORIGINS": "foo"}, "CBOT_ORIGINS"), ({"GOOGLE_GENAI_USE_VERTEXAI": "true"}, "GOOGLE_CLOUD_PROJECT"),
    ({"CBOT_MAX_WAITING_MESSAGES": "0"}, "CBOT_MAX_WAITING_MESSAGES"),
    ({"CBOT_AGENTS_FILE": "/nowhere/agents.yaml"}, "/nowhere/agents.yaml"),
    ({"CBOT_DATA_DIR": "/proc/cbot/data"}, "/proc/cbot/data"),
    ({"CBOT_SIMULATOR_TTFT_MS": "soon"}, "CBOT_SIMULATOR_TTFT_MS"),
    ({"CBOT_SIMULATOR_TOKEN_MS": "-1"}, "CBOT_SIMULATOR_TOKEN_MS"), ({"K_SERVICE": "chat"}, "K_SERVICE"),
)  # fmt: skip
BROKEN_AGENTS_FILES = (
    ("agents: [", "no YAML"),
    ("agents: {counsellor: {timeout_s: 3}}", "unknown agents: counsellor"),
    ("agents: {counselor: {timeout_s: soon}}", "counselor"),
    ("agents: {counselor: {timeout_s: -1}}", "timeout_s"),
    ("agent: {}", "agent"),
    ("- counselor", "agents.yaml"),
)


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each wrong configuration is answered with; tried side by side, since each takes a start."""
    tried: dict[str, tuple[Path, Mapping[str, str]]] = {}
    for variables, _ in WRONG_SETTINGS:
        tried[str(variables)] = tmp_path_factory.mktemp("setting"), variables
    for text, _ in BROKEN_AGENTS_FILES:
        home = tmp_path_factory.mktemp("agents")
        (home / "agents.yaml").write_text(text, encoding="utf-8")
        tried[text] = home, {"CBOT_AGENTS_FILE": str(home / "agents.yaml")}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        lines = pool.map(lambda case: _said(case[0], case[1]), tried.values())
        return dict(zip(tried, lines, strict=True))


def test_a_wrong_setting_is_named_in_one_line(refusals: dict[str, str], subtests: pytest.Subtests) -> None:
    for variables, named in WRONG_SETTINGS:
        with subtests.test(variables=variables, named=named):
            line = _only_line(refusals[str(variables)])
            assert named in line
            assert "top-secret" not in line


def test_a_broken_agents_file_is_named_with_its_fault(refusals: dict[str, str], subtests: pytest.Subtests) -> None:
    for text, named in BROKEN_AGENTS_FILES:
        with subtests.test(named=named):
            line = _only_line(refusals[text])
            assert "agents.yaml" in line
            assert named in line


def test_a_wrong_setting_is_refused_before_the_server_is_imported() -> None:
    script = "import sys\nfrom local.__main__ import main\nprint(main(), 'local.server' in sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=clean_environment({"PORT": "eighty"}),
        capture_output=True,
        text=True,
        timeout=SAYS_NO_WITHIN_S,
        check=False,
    )
    assert ended.stdout == "2 False\n"


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = _refused(tmp_path, PORT=str(port))
    assert f"127.0.0.1:{port}" in line
    assert "in use" in line


def test_a_data_directory_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory", encoding="utf-8")
    assert str(tmp_path / "file") in _refused(tmp_path, CBOT_DATA_DIR=str(tmp_path / "file" / "data"))


def test_a_database_that_is_none_is_named_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "data" / "cbot.sqlite3"
    file.parent.mkdir()
    file.write_text("this is somebody's diary, not a database" * 100, encoding="utf-8")
    assert str(file) in _refused(tmp_path)
    assert file.read_text("utf-8").startswith("this is somebody's diary")


def test_a_second_server_on_the_same_data_is_told_who_has_it_and_the_first_goes_on(tmp_path: Path) -> None:
    with ForkedServer(tmp_path) as first:
        line = _refused(tmp_path)
        assert f"process {first.pid}" in line
        assert (
            httpx.get(
                f"{first.address}/healthz", timeout=ANSWER_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES
            ).status_code
            == 200
        )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_with_code_0_and_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    with LocalServer(tmp_path) as server:
        children = psutil.Process(server.pid).children(recursive=True)
        pid = server.pid
        with httpx.Client(
            base_url=server.address, timeout=ANSWER_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES
        ) as kept_open:
            assert kept_open.get("/healthz").status_code == 200
            assert server.stop(number) == 0
        assert not psutil.pid_exists(pid)
        assert not [child for child in children if child.is_running()]
        assert server.stderr == ""


def test_the_ready_line_names_an_address_that_answers_and_says_that_this_is_a_demo(tmp_path: Path) -> None:
    with LocalServer(tmp_path) as server:
        assert re.fullmatch(r"CBot is ready at http://127\.0\.0\.1:\d+ \(.*demo.*\)", server.ready_line)
        health = httpx.get(f"{server.address}/healthz", timeout=ANSWER_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES)
    assert health.status_code == 200
    assert health.json()["status"] == "ok"


def test_a_server_whose_model_cannot_be_reached_starts_and_says_so_in_its_first_lines(tmp_path: Path) -> None:
    with LocalServer(tmp_path, GEMINI_API_KEY="any", GOOGLE_GEMINI_BASE_URL=f"http://{NO_SERVER}") as server:
        assert server.ready_line.endswith("(Gemini: unreachable)")
        assert server.stderr.splitlines()[0].startswith("cbot: the Gemini API cannot be reached")
        health = httpx.get(f"{server.address}/healthz", timeout=ANSWER_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES)
        assert health.json()["model"] == "unreachable"
        assert health.json()["model_reason"] == "model_unavailable"
        assert server.stop() == 0


def _refused(home: Path, **variables: str) -> str:
    return _only_line(_said(home, variables))


def _said(home: Path, variables: Mapping[str, str]) -> str:
    """Start a server that must not come up, and return its exit code and what it said."""
    environment = clean_environment({"PORT": "0", "CBOT_DATA_DIR": str(home / "data"), **variables})
    ended = run_forked(["-m", "local"], environment, SAYS_NO_WITHIN_S)
    return f"{ended.returncode}\n{ended.stdout}{ended.stderr}"


def _only_line(said: str) -> str:
    code, *lines = said.splitlines()
    assert int(code) == WRONG_CONFIG, said
    assert len(lines) == 1, said
    assert lines[0].startswith("cbot: ")
    return lines[0]
