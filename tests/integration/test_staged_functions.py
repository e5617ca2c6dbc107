"""The staged folders as a platform runs them: with the locked libraries, under functions-framework."""

import json
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import SimpleNamespace

import httpx
import pytest

from infra.staging.folder import stage
from infra.staging.sources import function_names
from local.emulators.signing import OidcSigner
from shared.adapters.system_clock import SystemClock
from shared.contracts.triggers import TRIGGERS
from shared.web.composition import WRONG_ENVIRONMENT
from tests.support.answering import answering
from tests.support.process import LOOPBACK, ROOT
from tests.support.staged import (
    ACCOUNT,
    AUDIENCE,
    UNREACHABLE,
    StagedFunction,
    clean_venv,
    entry_points,
    outside,
    settings_of,
)
from tests.support.terraform import infrastructure

SECRET = "top-secret-key"
ANYWHERE = settings_of("demo-staged", GEMINI_API_KEY=SECRET)
ENVIRONMENT = {
    **ANYWHERE,
    "FIRESTORE_EMULATOR_HOST": UNREACHABLE,
    "CLOUD_TASKS_EMULATOR_HOST": UNREACHABLE,
    "GOOGLE_GEMINI_BASE_URL": f"http://{UNREACHABLE}",
    "CBOT_LOG_FORMAT": "json",
}
EVENT = {
    "ce-id": "1",
    "ce-source": "//firestore.googleapis.com/projects/demo-staged/databases/(default)",
    "ce-specversion": "1.0",
    "ce-type": "google.cloud.firestore.document.v1.created",
    "ce-document": "sessions/s1/planner_feedback/f1",
    "content-type": "application/protobuf",
}
PUBLIC, SWEEP = ("chat", "chat"), ("session_manager", "sweep")
FUNCTIONS = function_names(ROOT)
ONE_SOON = [pytest.param(name, marks=[] if name == "chat" else pytest.mark.long) for name in FUNCTIONS]
TARGETS = [(function, target) for function in FUNCTIONS for target in entry_points(function)]
PRIVATE = [pair for pair in TARGETS if pair != PUBLIC]
PROBED_WITHIN_S = 120
ANSWERED_WITHIN_S = 60
AT_ONCE = 2


def cloud():
    """No emulator, no credentials: a function that has started has needed neither."""
    return {
        **ANYWHERE,
        "K_SERVICE": "a-function",
        "K_REVISION": "a-function-00001-abc",
        "LOG_EXECUTION_ID": infrastructure().locals["framework"]["LOG_EXECUTION_ID"],
    }


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("staged")


@pytest.fixture(scope="module")
def folders(home):
    """The staged folders by function."""
    return {function: stage(ROOT, function, home) for function in FUNCTIONS}


@pytest.fixture(scope="module")
def untouched(folders):
    """The files of the folders before anything ran there."""
    return {function: paths(folder) for function, folder in folders.items()}


@pytest.fixture(scope="module")
def venv(home, folders, untouched):
    """The locked libraries and nothing else; all functions have one lock."""
    locks = {(folder / "requirements.txt").read_bytes() for folder in folders.values()}
    assert len(locks) == 1
    return clean_venv(home / "venv", folders["chat"] / "requirements.txt")


@pytest.fixture(scope="module")
def signer():
    """Plays Google: signs service accounts' tokens, and publishes the keys."""
    signer = OidcSigner.generated(SystemClock())
    with answering(lambda _path, _body: (200, signer.jwks())) as address:
        yield SimpleNamespace(certs_url=address, token=signer.token)


@pytest.fixture(scope="module")
def running(venv, folders, signer):
    """Every entry point in a process of its own."""
    with ExitStack() as stack, ThreadPoolExecutor(AT_ONCE) as pool:
        functions = {}
        for function, target in TARGETS:
            # The platform sets this by the kind of the entry point, not by the decorator in the code.
            signature = {"FUNCTION_SIGNATURE_TYPE": "cloudevent" if target in TRIGGERS else "http"}
            variables = {**ENVIRONMENT, "CBOT_OIDC_CERTS_URL": signer.certs_url, **signature}
            functions[function, target] = StagedFunction(venv, folders[function], target, variables)
            stack.callback(functions[function, target].end)
        ready = pool.map(lambda function: function.launch().ready(), functions.values())
        for pair, is_ready in zip(functions, ready, strict=True):
            assert is_ready, f"{pair} ended at once:\n{functions[pair].said[-4000:]}"
        yield functions


def paths(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*"))


def events(function):
    """Return the events that it has logged; None stands for the lines of libraries and adapters."""
    return {line.get("event") for line in function.lines}


def ask(method, address, **what):
    return httpx.request(method, address, timeout=ANSWERED_WITHIN_S, **LOOPBACK, **what)


def run(venv, script, folder, variables):
    """Run a script of tests/support over a staged folder in its venv; returns what it printed."""
    command = [str(venv / "bin/python"), "-P", str(ROOT / "tests/support" / script), str(folder)]
    options = {"capture_output": True, "text": True, "timeout": PROBED_WITHIN_S}
    ended = subprocess.run(command, cwd=folder.parent, env=outside(variables), check=False, **options)
    assert ended.returncode == 0, ended.stderr[-4000:]
    return ended.stdout


@pytest.mark.parametrize("function", ONE_SOON)
def test_the_staged_folder_and_the_lock_hold_everything_that_a_function_imports_and_reads(venv, folders, function):
    modules, prompts = map(int, run(venv, "staged_probe.py", folders[function], {}).split())
    sources = ROOT / "functions" / function
    assert modules > len(list(sources.rglob("*.py")))
    assert prompts >= len({file.parent for file in sources.rglob("v*.j2")})


def test_the_staged_chat_reports_its_version_and_refuses_unauthenticated_requests(running):
    healthy = ask("GET", f"{running[PUBLIC].address}/healthz")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert (healthy.status_code, healthy.json()["version"]) == (200, version)
    refused = ask("POST", f"{running[PUBLIC].address}/api/conversations", json={"flow": "counseling"})
    assert (refused.status_code, refused.headers["content-type"]) == (401, "application/problem+json")


@pytest.mark.parametrize("pair", PRIVATE, ids="/".join)
def test_a_background_entry_point_accepts_calls_of_its_service_account_alone(running, signer, pair):
    """The calls are empty: an event without its document, a task without its payload; a sweep finds no store."""
    function = running[pair]
    for headers in ({}, {"authorization": "Bearer made.up.token"}):
        refused = ask("POST", function.address, headers={**EVENT, **headers}, content=b"")
        assert refused.status_code == 401, function.said[-4000:]
    assert "caller_refused" in events(function)
    assert "Traceback" not in function.said
    headers = {**EVENT, "authorization": f"Bearer {signer.token(AUDIENCE, ACCOUNT)}"}
    answer = ask("POST", function.address, headers=headers, content=b"")
    expected = (503, "retry") if pair == SWEEP else (200, "poison")
    assert (answer.status_code, answer.json()["result"]) == expected, function.said[-4000:]
    assert ({"job_failed"} if pair == SWEEP else {"task_poison", "event_poison"}) & events(function)


@pytest.mark.parametrize("function", ONE_SOON)
def test_in_the_cloud_a_listening_function_is_built_without_connections_or_further_threads(venv, folders, function):
    """The server forks after it: connections and threads would be the parent's."""
    found = json.loads(run(venv, "staged_start.py", folders[function], cloud()))
    assert found == {"connected": [], "threads": 1, "built": True}


def test_in_the_cloud_the_staged_chat_serves_and_logs_json_only(venv, folders):
    """What functions-framework does to the loggers after `main.py` is imported must leave ours alone."""
    with StagedFunction(venv, folders["chat"], "chat", cloud(), log="cloud.log") as function:
        assert ask("GET", f"{function.address}/api/health").status_code == 200
        assert ask("POST", f"{function.address}/api/conversations", json={}).status_code == 401
    assert [line["event"] for line in function.lines] == ["leaving"]
    with StagedFunction(venv, folders["chat"], "answer_waiting", cloud(), log="cloud.log") as function:
        assert ask("POST", function.address).status_code == 401
    line, _leaving = function.lines
    assert (line["event"], line["severity"]) == ("caller_refused", "WARNING")


@pytest.mark.parametrize("in_the_cloud", [pytest.param(False, marks=pytest.mark.long), True])
@pytest.mark.parametrize(
    ("function", "variable", "value"), [("chat", "CBOT_PROJECT", "No Project"), ("planner", "CBOT_INVOKERS", "")]
)
def test_a_wrong_environment_variable_is_named_without_any_secret(
    venv, folders, function, variable, value, in_the_cloud
):
    """In the cloud the process ends; with a wrong project the log cannot be configured either."""
    wrong = {**(cloud() if in_the_cloud else ENVIRONMENT), variable: value}
    log = f"{variable}.{in_the_cloud}.log"
    staged = StagedFunction(venv, folders[function], entry_points(function)[0], wrong, log=log)
    try:
        answer = ask("POST", staged.address, headers=EVENT, content=b"") if staged.launch().ready() else None
    finally:
        staged.end()
    assert variable in staged.said
    assert not any(word in staged.said for word in ("Traceback", SECRET))
    assert answer is None or (answer.status_code, variable in answer.text) == (503, False)
    if in_the_cloud:
        assert (answer, staged.ended_with) == (None, WRONG_ENVIRONMENT)
        (line,) = staged.lines
        assert (line["event"], line["severity"]) == ("misconfigured", "CRITICAL")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_start_writes_nothing_into_the_staged_folder(folders, running, untouched, function):
    assert paths(folders[function]) == untouched[function]
