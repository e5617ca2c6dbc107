"""A run of tests that is killed leaves no process: each case starts a small run and ends it."""

import json
import signal
import subprocess
import sys

import psutil
import pytest

from tests.support.polling import until
from tests.support.process import ROOT, clean_environment

RUN = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/fixtures/interrupted/waiting.py"]
GONE_WITHIN_S = 10


def launch(command, file, said):
    environment = clean_environment({"PROCESSES_FILE": str(file)})
    with said.open("wb") as log:
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


@pytest.fixture
async def waiting(tmp_path):
    """Start a small run, and return it with all that it started, once it waits."""
    runs = []

    async def start(*arguments):
        home = tmp_path / f"run{len(runs)}"
        home.mkdir()
        file, said = home / "processes.json", home / "run.log"
        run = launch([*RUN, f"--basetemp={home / 'tmp'}", *arguments], file, said)
        runs.append(run)
        await until(lambda: file.exists() or run.poll() is not None, what="the start of the small run")
        assert run.poll() is None, said.read_text("utf-8", errors="replace")[-4000:]
        started = {name: psutil.Process(pid) for name, pid in json.loads(file.read_text("utf-8")).items()}
        assert all(map(alive, started.values()))
        return run, started

    yield start
    for run in runs:
        run.kill()
        run.wait()


def alive(process):
    """Tell whether it runs; one that only waits for its parent to take its exit code does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def gone(started):
    await until(
        lambda: not any(map(alive, started.values())),
        within_s=GONE_WITHIN_S,
        what=f"the end of {', '.join(started)}",
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_a_run_that_is_ended_leaves_no_process(waiting, number):
    run, started = await waiting()
    run.send_signal(number)
    await gone(started)


@pytest.mark.parametrize("killed", ["worker", "main process"])
async def test_a_run_in_several_processes_leaves_none(waiting, killed):
    run, started = await waiting("--numprocesses=1")
    if killed == "worker":
        started["run"].kill()
    else:
        run.kill()
    await gone(started)


async def test_processes_of_another_run_go_on(waiting):
    run, started = await waiting()
    _, others = await waiting()
    run.kill()
    await gone(started)
    assert all(map(alive, others.values()))
