"""The end of an instance of `chat`, whose authenticator takes erasures and left messages too."""

import asyncio

import pytest

from shared.web.invoker_auth import said
from shared.web.jobs_under_way import BrokenOff
from tests.fakes.danger_service import Service


async def test_lets_a_job_end_and_begins_none():
    parts, ending = Service("ko").parts, asyncio.Event()

    async def job():
        await ending.wait()
        return said("done", 200)

    erasure = asyncio.create_task(parts.platform.invoker_auth.jobs.run(job))
    await asyncio.sleep(0)
    draining = asyncio.create_task(parts.drain())
    await asyncio.sleep(0.01)
    assert not draining.done(), "a job is under way"
    with pytest.raises(BrokenOff):
        await parts.platform.invoker_auth.jobs.run(job)
    ending.set()
    async with asyncio.timeout(10):
        assert (await erasure).status_code == 200
        await draining
