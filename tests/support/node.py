"""Node and the locked packages of `node/`: required in CI, loudly skipped elsewhere."""

import os

import pytest

from local.emulators.auth import missing
from tests.support.emulators import required


def firebase_packages_or_skip() -> None:
    """Skip, or fail where they are required, without Node, the Firebase SDK or Firebase's emulators."""
    lacking = missing(os.environ)
    if not lacking:
        return
    if required():
        pytest.fail(f"CBOT_REQUIRE_EMULATORS is set, but there is {lacking}", pytrace=False)
    pytest.skip(f"FIREBASE TEST SKIPPED: {lacking}")
