"""The Firestore emulator for tests: one a test run, one project a test; required in CI, loudly skipped elsewhere."""

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from local.emulators.firestore import FirestoreEmulator
from shared.domain.errors import ConfigError

RULES = Path(__file__).resolve().parents[2] / "infra" / "firestore.rules"


def required() -> bool:
    """Return whether a missing emulator is a failure (in CI) and not a reason to skip."""
    return os.environ.get("CBOT_REQUIRE_EMULATORS", "") not in ("", "0")


def firestore_emulator_or_skip(log: Path, **options: Any) -> FirestoreEmulator:
    """Prepare an emulator; without Java or its file the test is skipped, or fails where they are required."""
    try:
        return FirestoreEmulator(os.environ, log, **options)
    except ConfigError as error:
        if required():
            pytest.fail(f"CBOT_REQUIRE_EMULATORS is set, but there is {error}", pytrace=False)
        pytest.skip(f"EMULATOR TEST SKIPPED: {error}")


@contextmanager
def running_emulator(log: Path, *, functions: str | None = None) -> Iterator[FirestoreEmulator]:
    """Run an emulator under the rules of the repository."""
    with firestore_emulator_or_skip(log, rules=RULES, functions=functions) as emulator:
        yield emulator


@contextmanager
def shared_emulator(folder: Path) -> Iterator[str]:
    """Give the workers of a run the address of one emulator: the first starts it, and ends it after the others."""
    told = folder / "firestore.address"
    with (folder / "firestore.starting").open("a") as starting, (folder / "firestore.users").open("a") as users:
        fcntl.flock(starting, fcntl.LOCK_EX)
        if told.exists():
            fcntl.flock(users, fcntl.LOCK_SH)
            address = told.read_text("utf-8")
            fcntl.flock(starting, fcntl.LOCK_UN)
            yield address
            return
        with running_emulator(folder / "firestore.log") as emulator:
            told.write_text(emulator.address, "utf-8")
            fcntl.flock(starting, fcntl.LOCK_UN)
            yield emulator.address
            fcntl.flock(starting, fcntl.LOCK_EX)
            told.unlink()
            fcntl.flock(starting, fcntl.LOCK_UN)
            fcntl.flock(users, fcntl.LOCK_EX)


def new_project() -> str:
    return f"demo-{uuid.uuid4().hex[:16]}"
