"""An issuer of tokens for a test."""

import pytest

from tests.support.issuer import running_issuer


@pytest.fixture
async def issuer():
    async with running_issuer("first") as running:
        yield running
