"""The staged folders as a platform runs them: over what is locked, started by functions-framework, called."""

import json
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.staging.folder import stage
from infra.staging.sources import function_names
from local.loopback import NO_AUTHORITIES
from shared.contracts.triggers import TRIGGERS
from shared.web.composition import WRONG_ENVIRONMENT
from tests.support.process import ROOT
from tests.support.signer import Signer
from tests.support.staged import StagedFunction, clean_venv, entry_points, outside
from tests.support.terraform import infrastructure

NOBODY = "127.0.0.1:9"
ACCOUNT = "tasks@demo-staged.iam.gserviceaccount.com"
SECRET = "top-secret-key"
AUDIENCE = "https://functions.demo-staged.example"
ANYWHERE = {
    "CBOT_PROJECT": "demo-staged",
    "CBOT_TASKS_LOCATION": "asia-northeast3",
    "CBOT_TASKS_SERVICE_ACCOUNT": ACCOUNT,
    "CBOT_ANSWER_URL": f"http://{NOBODY}/answer",
    "CBOT_SUPERVISOR_URL": f"http://{NOBODY}/supervisor",
    "CBOT_PLANNER_URL": f"http://{NOBODY}/planner",
    "CBOT_SESSION_MANAGER_URL": f"http://{NOBODY}/session-manager",
    "CBOT_INVOKERS": ACCOUNT,
    "CBOT_AUDIENCES": AUDIENCE,
    "GEMINI_API_KEY": SECRET,
}
ENVIRONMENT = {
    **ANYWHERE,
    "FIRESTORE_EMULATOR_HOST": NOBODY,
    "CLOUD_TASKS_EMULATOR_HOST": NOBODY,
    "GOOGLE_GEMINI_BASE_URL": f"http://{NOBODY}",
    "CBOT_LOG_FORMAT": "json",
}
CLOUD = {
    **ANYWHERE,
    "K_SERVICE": "a-function",
    "K_REVISION": "a-function-00001-abc",
    "LOG_EXECUTION_ID": infrastructure().locals["framework"]["LOG_EXECUTION_ID"],
}
"""No emulator, no credentials: a function that has started has needed neither."""
EVENT = {
    "ce-id": "1",
    "ce-source": "//firestore.googleapis.com/projects/demo-staged/databases/(default)",
    "ce-specversion": "1.0",
    "ce-type": "google.cloud.firestore.document.v1.created",
    "ce-document": "sessions/s1/planner_feedback/f1",
    "content-type": "application/protobuf",
}
PUBLIC = ("chat", "chat")
FUNCTIONS = function_names(ROOT)
TARGETS = [(function, target) for function in FUNCTIONS for target in entry_points(function)]
PRIVATE = [pair for pair in TARGETS if pair != PUBLIC]
SWEEP = ("session_manager", "sweep")
WRONG = [("chat", "CBOT_PROJECT"), ("planner", "CBOT_INVOKERS")]
"""A variable that does not fit, and one that is missing."""
WRONG_IN_CLOUD = [("planner", ""), ("chat", "No Project")]
"""Values of `CBOT_PROJECT`; with one that does not fit, the log cannot be configured as the settings say either."""
PROBED_WITHIN_S = 120
ANSWERED_WITHIN_S = 60
AT_ONCE = 2


@dataclass(frozen=True)
class Refusal:
    """What a function in a wrong environment answered, None when it did not start, and what it said."""

    answer: httpx.Response | None
    said: str


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("staged")


@pytest.fixture(scope="module")
def folders(home: Path) -> Mapping[str, Path]:
    """The staged folders by function."""
    return {function: stage(ROOT, function, home) for function in FUNCTIONS}


@pytest.fixture(scope="module")
def untouched(folders: Mapping[str, Path]) -> Mapping[str, Sequence[Path]]:
    """What stood in the folders before anything ran there."""
    return {function: _paths(folder) for function, folder in folders.items()}


@pytest.fixture(scope="module")
def venv(home: Path, folders: Mapping[str, Path], untouched: Mapping[str, Sequence[Path]]) -> Path:
    """What the lock holds and nothing else; the functions have one lock."""
    locks = {(folder / "requirements.txt").read_bytes() for folder in folders.values()}
    assert len(locks) == 1
    return clean_venv(home / "venv", folders["chat"] / "requirements.txt")


@pytest.fixture(scope="module")
def probed(venv: Path, folders: Mapping[str, Path]) -> Mapping[str, str]:
    """What the probe said of each folder."""
    return {function: _probe(venv, folder) for function, folder in folders.items()}


@pytest.fixture(scope="module")
def signer() -> Iterator[Signer]:
    with Signer() as signer:
        yield signer


@pytest.fixture(scope="module")
def running(
    venv: Path, folders: Mapping[str, Path], probed: Mapping[str, str], signer: Signer
) -> Iterator[Mapping[tuple[str, str], StagedFunction]]:
    """Every entry point in a process of its own."""
    variables = {**ENVIRONMENT, "CBOT_OIDC_CERTS_URL": signer.certs_url}
    with ExitStack() as stack, ThreadPoolExecutor(AT_ONCE) as pool:
        functions = {
            (function, target): StagedFunction(venv, folders[function], target, variables | _signature(target))
            for function, target in TARGETS
        }
        for function in functions.values():
            stack.callback(function.end)
        ready = dict(
            zip(functions, pool.map(lambda function: function.launch().ready(), functions.values()), strict=True)
        )
        for pair, is_ready in ready.items():
            assert is_ready, f"{pair} ended at once:\n{functions[pair].said[-4000:]}"
        yield functions


@pytest.fixture(scope="module")
def refusals(venv: Path, folders: Mapping[str, Path], probed: Mapping[str, str]) -> Mapping[tuple[str, str], Refusal]:
    """What comes of each wrong environment."""

    def refuse(case: tuple[str, str]) -> Refusal:
        function, variable = case
        wrong = {**ENVIRONMENT, variable: "No Project" if variable == "CBOT_PROJECT" else ""}
        staged = StagedFunction(venv, folders[function], entry_points(function)[0], wrong, log=f"{variable}.log")
        try:
            ready = staged.launch().ready()
            answer = _post(staged.address, headers=EVENT, content=b"") if ready else None
        finally:
            staged.end()
        return Refusal(answer, staged.said)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(WRONG, pool.map(refuse, WRONG), strict=True))


@pytest.fixture(scope="module")
def refused_in_the_cloud(
    venv: Path, folders: Mapping[str, Path], probed: Mapping[str, str]
) -> Mapping[tuple[str, str], StagedFunction]:
    """What has ended because of each wrong environment."""

    def refuse(case: tuple[str, str]) -> StagedFunction:
        function, project = case
        wrong = {**CLOUD, "CBOT_PROJECT": project}
        log = f"cloud.{project or 'none'}.log"
        staged = StagedFunction(venv, folders[function], entry_points(function)[0], wrong, log=log)
        try:
            assert not staged.launch().ready(), "it listens"
        finally:
            staged.end()
        return staged

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(WRONG_IN_CLOUD, pool.map(refuse, WRONG_IN_CLOUD), strict=True))


@pytest.fixture
def chat(running: Mapping[tuple[str, str], StagedFunction]) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=running[PUBLIC].address, timeout=ANSWERED_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES
    ) as client:
        yield client


@pytest.mark.parametrize("function", FUNCTIONS)
def test_all_that_a_function_imports_and_reads_is_in_its_folder_and_its_lock(
    probed: Mapping[str, str], function: str
) -> None:
    modules, prompts = map(int, probed[function].split())
    sources = ROOT / "functions" / function
    assert modules > len(list(sources.rglob("*.py")))
    assert prompts >= len({file.parent for file in sources.rglob("*.j2")})


def test_the_staged_chat_is_healthy_and_says_its_version(chat: httpx.Client) -> None:
    answer = chat.get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def test_the_staged_chat_asks_who_is_there(chat: httpx.Client) -> None:
    answer = chat.post("/api/conversations", json={"flow": "counseling"})
    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")


def test_a_background_entry_point_lets_no_stranger_in(
    running: Mapping[tuple[str, str], StagedFunction], subtests: pytest.Subtests
) -> None:
    for pair in PRIVATE:
        with subtests.test(pair=pair):
            function = running[pair]
            for headers in ({}, {"authorization": "Bearer made.up.token"}):
                answer = _post(function.address, headers={**EVENT, **headers}, content=b"")
                assert answer.status_code == 401, function.said[-4000:]
            assert "caller_refused" in _events(function)
            assert "Traceback" not in function.said


def test_a_background_entry_point_takes_its_callers_word_and_acknowledges_what_nobody_could_do(
    running: Mapping[tuple[str, str], StagedFunction], signer: Signer, subtests: pytest.Subtests
) -> None:
    for pair in [pair for pair in PRIVATE if pair != SWEEP]:
        with subtests.test(pair=pair):
            function = running[pair]
            answer = _call(function, signer)
            assert (answer.status_code, answer.json()["result"]) == (200, "poison"), function.said[-4000:]
            assert {"task_poison", "event_poison"} & _events(function)


def test_a_sweep_that_finds_no_store_is_told_to_come_again(
    running: Mapping[tuple[str, str], StagedFunction], signer: Signer
) -> None:
    function = running[SWEEP]
    answer = _call(function, signer)
    assert (answer.status_code, answer.json()["result"]) == (503, "retry"), function.said[-4000:]
    assert "job_failed" in _events(function)


def test_in_the_cloud_a_function_is_built_when_it_listens_and_has_connected_to_nothing(
    venv: Path, folders: Mapping[str, Path], probed: Mapping[str, str], subtests: pytest.Subtests
) -> None:
    """The server forks after it: connections and threads would be the parent's."""
    for function in FUNCTIONS:
        with subtests.test(function=function):
            found = json.loads(_run(venv, "staged_start.py", folders[function], CLOUD))
            assert found == {"connected": [], "threads": 1, "built": True}


def test_in_the_cloud_the_staged_chat_serves_and_logs_json_only(
    venv: Path, folders: Mapping[str, Path], probed: Mapping[str, str]
) -> None:
    with StagedFunction(venv, folders["chat"], "chat", CLOUD, log="cloud.log") as function:
        health = httpx.get(
            f"{function.address}/api/health", timeout=ANSWERED_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES
        )
        assert health.status_code == 200
        refused = _post(f"{function.address}/api/conversations", json={})
        assert refused.status_code == 401
    assert [line["event"] for line in function.lines] == ["leaving"]


def test_in_the_cloud_a_refused_caller_is_logged(
    venv: Path, folders: Mapping[str, Path], probed: Mapping[str, str]
) -> None:
    """What functions-framework does to the loggers after `main.py` is imported must leave ours alone."""
    with StagedFunction(venv, folders["chat"], "answer_waiting", CLOUD, log="cloud.log") as function:
        assert _post(function.address).status_code == 401
    line, _leaving = function.lines
    assert (line["event"], line["severity"]) == ("caller_refused", "WARNING")


def test_in_the_cloud_a_wrong_environment_ends_the_start_with_one_line_that_names_the_variable(
    refused_in_the_cloud: Mapping[tuple[str, str], StagedFunction], subtests: pytest.Subtests
) -> None:
    for case in WRONG_IN_CLOUD:
        with subtests.test(case=case):
            staged = refused_in_the_cloud[case]
            assert staged.ended_with == WRONG_ENVIRONMENT
            (line,) = staged.lines
            assert (line["event"], line["severity"]) == ("misconfigured", "CRITICAL")
            assert "CBOT_PROJECT" in line["reason"]
            assert "Traceback" not in staged.said
            assert SECRET not in staged.said


@pytest.mark.parametrize(("function", "variable"), WRONG)
def test_a_wrong_environment_is_told_in_a_line_that_names_the_variable_and_no_secret(
    refusals: Mapping[tuple[str, str], Refusal], function: str, variable: str
) -> None:
    refusal = refusals[function, variable]
    assert refusal.answer is None or refusal.answer.status_code == 503
    assert refusal.answer is None or variable not in refusal.answer.text
    assert [line for line in refusal.said.splitlines() if variable in line]
    assert "Traceback" not in refusal.said
    assert SECRET not in refusal.said


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_start_finds_all_bytecode_and_writes_nothing(
    folders: Mapping[str, Path],
    running: Mapping[tuple[str, str], StagedFunction],
    untouched: Mapping[str, Sequence[Path]],
    function: str,
) -> None:
    assert _paths(folders[function]) == untouched[function]


def _paths(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*"))


def _signature(target: str) -> dict[str, str]:
    """Return what the platform sets for an entry point of this kind, whatever the code's decorator says."""
    return {"FUNCTION_SIGNATURE_TYPE": "cloudevent" if target in TRIGGERS else "http"}


def _events(function: StagedFunction) -> set[str | None]:
    """Return the events that it has logged; None stands for the lines of libraries and adapters."""
    return {line.get("event") for line in function.lines}


def _call(function: StagedFunction, signer: Signer) -> httpx.Response:
    """Call as the platform does, about nothing: an event without its document, a task without its payload."""
    headers = {**EVENT, **signer.authorization(AUDIENCE, ACCOUNT)}
    return _post(function.address, headers=headers, content=b"")


def _post(address: str, **what: Any) -> httpx.Response:
    return httpx.post(address, timeout=ANSWERED_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES, **what)


def _probe(venv: Path, folder: Path) -> str:
    return _run(venv, "staged_probe.py", folder, {})


def _run(venv: Path, script: str, folder: Path, variables: Mapping[str, str]) -> str:
    ended = subprocess.run(
        [str(venv / "bin/python"), "-P", str(ROOT / "tests/support" / script), str(folder)],
        cwd=folder.parent,
        env=outside(variables),
        capture_output=True,
        text=True,
        timeout=PROBED_WITHIN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    return ended.stdout
