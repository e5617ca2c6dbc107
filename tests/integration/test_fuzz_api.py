"""A short run of `make fuzz-api`, always with the same requests."""

import asyncio

from tests.fuzzing.__main__ import opened
from tests.fuzzing.api import Run

SEED = 20261124


async def test_every_response_conforms_to_the_api_description(server, model):
    ((conversation, token),) = await opened(server.address)
    code, report = await asyncio.to_thread(Run(server.address, token, SEED, 1, conversation, phases="fuzzing").go)
    assert code == 0, report
