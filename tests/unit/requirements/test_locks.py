"""The locks: whole, in step with each other, free of addresses, and no longer than the code asks."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.process import ROOT

PIN = re.compile(
    r"^([a-z0-9.-]+)==([^ ;]+)(?: ;[^\\]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)
BY_OTHERS = {"cryptography"}
"""Depended on because a library imports it when it is there: PyJWT, for signatures by key pairs."""
LOCKS = sorted((ROOT / "requirements").iterdir())


def pins(lock: Path) -> dict[str, str]:
    return {match[1]: match[2] for match in PIN.finditer(lock.read_text("utf-8"))}


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def names(requirements):
    return {re.match(r"[a-z0-9-]+", requirement)[0] for requirement in requirements}


def test_there_is_a_lock_for_the_functions_and_one_for_development():
    assert [lock.name for lock in LOCKS] == ["dev.txt", "functions.txt"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_holds_nothing_but_pins_with_hashes(lock):
    rest = PIN.sub("", lock.read_text("utf-8"))
    assert [line for line in rest.splitlines() if not re.match(r" *#", line)] == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_address(lock):
    assert not re.search(r"://|index-url|find-links|trusted-host|@", lock.read_text("utf-8"))


def test_what_is_tested_is_what_is_deployed():
    tested, deployed = (
        set(PIN.findall((ROOT / f"requirements/{name}.txt").read_text("utf-8"))) for name in ("dev", "functions")
    )
    assert deployed <= tested, "of the same files, by their hashes"


def test_the_functions_lock_holds_every_dependency_and_no_local_one():
    locked = pins(ROOT / "requirements/functions.txt").keys()
    assert names(project()["dependencies"]) <= locked
    assert not locked & {"aiosqlite", "httpx", "pytest", "setuptools"}


def test_the_functions_import_what_they_depend_on_and_depend_on_what_they_import():
    unseen = "|".join(sorted(names(project()["optional-dependencies"]["local"]) | BY_OTHERS))
    ended = subprocess.run(
        [sys.executable, "-m", "deptry", "functions", "shared", "--per-rule-ignores", f"DEP002={unseen}", "--no-ansi"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
