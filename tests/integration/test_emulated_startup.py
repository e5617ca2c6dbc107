"""How `make run-emulators` starts and ends: clear advice, and no process left."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.support.emulated import Emulated
from tests.support.polling import until
from tests.support.process import ROOT, clean_environment


def family(running: Emulated) -> list[psutil.Process]:
    """Return every process that belongs to it."""
    parent = psutil.Process(running.pid)
    return [parent, *parent.children(recursive=True)]


async def nobody_is_left(processes: list[psutil.Process]) -> None:
    def left() -> list[psutil.Process]:
        return [one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]

    await until(lambda: not left(), within_s=40, what="the end of all processes")


@pytest.mark.emulator
async def test_interrupted_it_ends_all_that_it_started(tmp_path: Path) -> None:
    with Emulated(tmp_path) as running:
        processes, logs = family(running), Path(running.parts()["logs"])
        assert len(processes) >= 8, "pages, Firestore, deliveries, simulator, four functions"
        assert running.stop(signal.SIGINT) == 0
        await nobody_is_left(processes)
    await until(lambda: not logs.exists(), what="the end of the logs")


@pytest.mark.emulator
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux alone does this")
async def test_killed_it_leaves_nobody_behind(tmp_path: Path) -> None:
    with Emulated(tmp_path) as running:
        processes = family(running)
        running.kill()
        await nobody_is_left(processes)


def outcome(**variables: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "local.emulators"]
    environment = clean_environment({"PORT": "0", **variables})
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_without_java_it_says_what_to_install(tmp_path: Path) -> None:
    ended = outcome(PATH=str(tmp_path), JAVA_HOME="")

    assert ended.returncode == 2
    assert "cbot: no Java: install a Java runtime, 17 or newer" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_without_the_emulator_it_says_where_to_get_it(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.symlink_to("/bin/true")
    ended = outcome(PATH=str(tmp_path), FIRESTORE_EMULATOR_JAR=str(tmp_path / "gone.jar"))

    assert ended.returncode == 2
    assert "FIRESTORE_EMULATOR_JAR" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_taken_port_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = outcome(PORT=str(taken.getsockname()[1]), PATH=os.environ["PATH"])

    assert ended.returncode == 2
    assert "PORT: 127.0.0.1" in ended.stderr
