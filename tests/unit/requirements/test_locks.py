"""The lock files: complete, consistent, without addresses, and limited to the code's dependencies."""

import json
import re
import subprocess
import sys
import tomllib

from tests.support.process import ROOT

PIN = re.compile(
    r"^([a-z0-9.-]+)==([^ ;]+)(?: ;[^\\]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)
BY_OTHERS = {"cryptography", "python-multipart", "tzdata"}
"""Dependencies that only a library imports: PyJWT for signatures by key pairs, Starlette for forms, `zoneinfo`."""
LOCKS = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "requirements").iterdir())}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def names(requirements):
    return {re.match(r"[a-z0-9-]+", requirement)[0] for requirement in requirements}


def test_both_locks_hold_only_pins_with_hashes_and_no_address():
    assert [*LOCKS] == ["dev.txt", "functions.txt"]
    for name, lock in LOCKS.items():
        assert [line for line in PIN.sub("", lock).splitlines() if not re.match(r" *#", line)] == [], name
        assert not re.search(r"://|index-url|find-links|trusted-host|@", lock), name


def test_the_deployed_lock_is_part_of_the_tested_one_with_every_dependency_and_no_local_one():
    tested, deployed = (set(PIN.findall(LOCKS[name])) for name in ("dev.txt", "functions.txt"))
    assert deployed <= tested, "the deployed pins have the hashes of the tested ones"
    locked = {name for name, *_ in deployed}
    assert names(PROJECT["dependencies"]) <= locked
    assert not locked & {"aiosqlite", "httpx", "pytest", "setuptools"}


def test_the_functions_import_all_their_dependencies_and_no_others():
    unseen = "|".join(sorted(names(PROJECT["optional-dependencies"]["local"]) | BY_OTHERS))
    command = [sys.executable, "-m", "deptry", "functions", "shared", "--per-rule-ignores", f"DEP002={unseen}"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr


def test_the_locks_of_node_hold_hashes_and_no_address():
    locks = sorted((ROOT / "node").glob("*/package-lock.json"))
    assert len(locks) >= 2
    for path in locks:
        text = path.read_text("utf-8")
        packages = json.loads(text)["packages"]
        assert packages.pop("").get("dependencies"), path
        assert "://" not in text, path
        assert [name for name, entry in packages.items() if not entry.get("integrity")] == [], path
