import pytest

from tests.builders.talk import Talk


@pytest.fixture
def talk():
    return Talk()
