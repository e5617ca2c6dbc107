import pytest

from tests.fakes.talk import Talk


@pytest.fixture
def talk():
    return Talk()
