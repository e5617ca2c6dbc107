from collections import Counter
from pathlib import Path

import pytest

from tests.builders import talk as talks
from tests.builders.talk import Talk

OF_WORDS = {
    *("test_answers_to_the_protocol", "test_asked_directly", "test_corrected_in_danger", "test_demands"),
    *("test_help_seeking", "test_leave_taking", "test_risk_detection"),
}
"""Modules whose tables hold what users say: one row in `EVERY` runs with an early reply, and all in the long run."""
EVERY = 3
BOTH_WAYS = {
    *OF_WORDS,
    *("test_broken_reading", "test_crisis_without_a_model", "test_hanging_models", "test_honesty"),
    *("test_output_guard", "test_plain_denial", "test_protocol_question", "test_safety_gate", "test_safety_steps"),
    *("test_safety_plan", "test_unnamed_model", "test_unread_messages", "test_violence_told"),
}
"""Modules about danger, faults and the guard: their tests run step by step, and with a reply begun early."""
WAYS = {"step_by_step": False, "early": True}


def pytest_generate_tests(metafunc):
    if metafunc.module.__name__.rpartition(".")[2] in BOTH_WAYS:
        metafunc.parametrize("way", WAYS.values(), ids=list(WAYS), indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    rows = Counter()
    for item in items:
        here = item.path.parent == Path(__file__).parent  # the hook sees the tests of every folder
        if here and item.path.stem in OF_WORDS and item.callspec.params["way"] is True:
            table = (item.path, item.cls, item.originalname)
            if rows[table] % EVERY:
                item.add_marker(pytest.mark.long)
            rows[table] += 1


@pytest.fixture(autouse=True)
def way(request, monkeypatch):
    """Set how a `Talk` runs its turns."""
    if hasattr(request, "param"):
        monkeypatch.setattr(talks, "EARLY", request.param)


@pytest.fixture
def talk():
    return Talk()
