"""Staged functions as a platform runs them: a clean venv, the real command line, no access to the repository."""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any, Self

import httpx
from packaging.markers import Marker

from local.ports import free_port
from tests.support.overheard import LogSearch
from tests.support.process import LOOPBACK, ROOT, clean_environment

UNREACHABLE = "127.0.0.1:9"
ACCOUNT, AUDIENCE = "tasks@demo.iam.gserviceaccount.com", "https://functions.example"
READY_WITHIN_S = 240
STOPPED_WITHIN_S = 20
_PIN = re.compile(r"^([a-z0-9.-]+)==([^ ;]+)(?: ; ([^\\]+))? \\$", re.MULTILINE)
_DECORATORS = ("functions_framework.aio.http", "functions_framework.aio.cloud_event")


def settings_of(project: str, **more: str) -> dict[str, str]:
    """Return the variables that a deployed function needs; its calls of other functions fail."""
    return {
        "CBOT_PROJECT": project,
        "CBOT_TASKS_LOCATION": "asia-northeast3",
        "CBOT_TASKS_SERVICE_ACCOUNT": ACCOUNT,
        **{
            f"CBOT_{one}_URL": f"http://{UNREACHABLE}/"
            for one in ("ANSWER", "SUPERVISOR", "PLANNER", "SESSION_MANAGER")
        },
        "CBOT_INVOKERS": ACCOUNT,
        "CBOT_AUDIENCES": AUDIENCE,
        **more,
    }


def entry_points(function: str) -> list[str]:
    tree = ast.parse((ROOT / "functions" / function / "main.py").read_text("utf-8"))
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
        and any(ast.unparse(decorator) in _DECORATORS for decorator in node.decorator_list)
    ]


def clean_venv(home: Path, lock: Path) -> Path:
    """Make a virtual environment with a lock's libraries and nothing else, and return its folder.

    They are copied from the tests' own, where `make setup` has installed the same files of the same versions, their
    hashes checked (tests/unit/requirements): to install them once more takes half a minute of CPU time.
    """
    _run([sys.executable, "-m", "venv", "--without-pip", str(home)])
    for name, version, marker in _PIN.findall(lock.read_text("utf-8")):
        if not marker or Marker(marker).evaluate():
            found = distribution(name)
            assert found.version == version, f"{name} {found.version}, not {version}: make setup"
            _copy(found, home)
    _run([sys.executable, "-m", "pip", "--python", str(home / "bin/python"), "check"])
    return home


def _copy(library: Distribution, home: Path) -> None:
    """Copy a library's files, bytecode among them, and make its commands."""
    site = home / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
    for file in library.files or ():
        if ".." not in file.parts:
            (site / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(Path(str(library.locate_file(file))), site / file)
    for command in library.entry_points.select(group="console_scripts"):
        script = home / "bin" / command.name
        start = f"import sys\nfrom {command.module} import {command.attr}\nsys.exit({command.attr}())\n"
        script.write_text(f"#!{home}/bin/python\n{start}", encoding="utf-8")
        script.chmod(0o755)


def outside(variables: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without paths to other code and without settings of Python; it has `variables`."""
    clean = clean_environment(variables)
    return {name: clean[name] for name in clean if not name.startswith("PYTHON") and name != "VIRTUAL_ENV"}


class StagedFunction:
    """One entry point of a staged folder under functions-framework; it ends with the `with`.

    Started as the platform's build has it: no arguments, the folder as working directory, all else in the environment.
    https://github.com/GoogleCloudPlatform/buildpacks/blob/main/cmd/python/functions_framework/main.go

    Once it has ended by itself, `ended_with` is its exit code.
    """

    def __init__(
        self, venv: Path, folder: Path, target: str, variables: Mapping[str, str], log: str = "output.log"
    ) -> None:
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.ended_with: int | None = None
        self._command = str(venv / "bin/functions-framework")
        place = {"FUNCTION_TARGET": target, "HOST": "127.0.0.1", "PORT": str(port)}
        self._environment = outside({**variables, **place})
        self._folder = folder
        self._log = folder.parent / f"{folder.name}.{target}.{log}"
        self._process: Any = None
        self._search = LogSearch()

    @property
    def pid(self) -> int:
        return int(self._process.pid)

    @property
    def said(self) -> str:
        return self._log.read_text("utf-8", errors="replace")

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.said.splitlines()]

    def launch(self) -> Self:
        with self._log.open("wb") as log:
            output: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            place = {"cwd": self._folder, "env": self._environment}
            # gunicorn has workers: they are ended together
            self._process = subprocess.Popen(self._command, **place, **output, start_new_session=True)
        return self

    def ready(self) -> bool:
        """Wait until it listens; False when it ended instead."""
        deadline = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < deadline:
            self.ended_with = self._process.poll()
            if self.ended_with is not None:
                return False
            try:
                httpx.head(f"{self.address}/robots.txt", **LOOPBACK)
            except httpx.TransportError:
                time.sleep(0.05)
            else:
                return True
        raise AssertionError(f"neither ready nor ended after {READY_WITHIN_S} s:\n{self.said[-4000:]}")

    def terminate(self) -> None:
        """Send SIGTERM to the first process alone, as Cloud Run does."""
        self._process.terminate()

    def wait(self) -> int:
        """Return the exit code of a process that was asked to end."""
        return self._process.wait(STOPPED_WITHIN_S)

    def end(self) -> None:
        """Make sure that it and its workers are gone; safe to repeat."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOPPED_WITHIN_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._search.read(self._log)

    def __enter__(self) -> Self:
        try:
            assert self.launch().ready(), f"it ended at once:\n{self.said[-4000:]}"
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _run(command: Sequence[str]) -> None:
    ended = subprocess.run(command, env=outside({}), capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, f"{' '.join(command)}:\n{ended.stdout}{ended.stderr}"
