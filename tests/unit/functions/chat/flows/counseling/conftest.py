import pytest

from tests.builders.sessions import task
from tests.builders.talk import Talk


@pytest.fixture
def talk():
    return Talk()


@pytest.fixture
def waiting(talk):
    """Part 2 with three tasks that wait."""
    talk.plan(task("low", 2, priority="low"), task("high", 2, priority="high"), task("medium", 2))
    return talk


@pytest.fixture
def planned(waiting):
    """Part 2 with a task in progress and two that wait."""
    waiting.work_on("medium")
    return waiting
