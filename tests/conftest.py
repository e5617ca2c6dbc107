"""What holds for every test."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from local.emulators.firestore import FirestoreEmulator
from tests.support.emulators import running_emulator

# Speed is measured by `make bench`; a slow moment of the machine is no failure of a rule.
settings.register_profile("cbot", deadline=None)
settings.load_profile("cbot")


@pytest.fixture(scope="session")
def firestore_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirestoreEmulator]:
    """The emulator that the tests of a run share; each takes a project of its own (`new_project`)."""
    with running_emulator(tmp_path_factory.mktemp("firestore") / "emulator.log") as emulator:
        yield emulator
