"""What the delivery loop can beyond what the embedded queue and triggers ask of it."""

import asyncio
from datetime import timedelta

import pytest

from local.embedded.backlog import Backlog, Table
from local.embedded.delivery import DeliveryLoop, DeliveryPolicy
from local.embedded.sqlite_file import SqliteFile


class Target:
    """Takes everything; may be held."""

    def __init__(self):
        self.ids = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, job):
        self.ids.append(job.id)
        await self.gate.wait()
        return 200


@pytest.fixture
async def backlog(file_path):
    file = await SqliteFile.open(file_path)
    yield Backlog(file, Table.TASKS)
    await file.aclose()


@pytest.fixture
def target():
    return Target()


@pytest.fixture
async def make_loop(backlog, target, clock):
    loops = []

    def make_loop(**policy):
        loops.append(DeliveryLoop(backlog, target, clock, DeliveryPolicy(**policy)))
        return loops[-1]

    yield make_loop
    for loop in loops:
        await loop.stop(grace_s=0.01)


@pytest.fixture
def add(backlog, clock):
    async def add(*ids, seconds=0):
        for each in ids:
            await backlog.add(each, "", clock.now() + timedelta(seconds=seconds))

    return add


async def idle(loop):
    async with asyncio.timeout(10):
        await loop.idle()


def test_a_delivery_is_given_up_when_all_limits_that_are_set_are_reached():
    cases = [
        ({"max_attempts": 3}, 2, 0, True),
        ({"max_attempts": 3}, 3, 0, False),
        ({"max_attempts": -1}, 10**6, 10**6, True),
        ({"max_attempts": 3, "max_retry_s": 60}, 3, 59, True),
        ({"max_attempts": 3, "max_retry_s": 60}, 2, 60, True),
        ({"max_attempts": 3, "max_retry_s": 60}, 3, 60, False),
        ({"max_attempts": -1, "max_retry_s": 60}, 1, 59, True),
        ({"max_attempts": -1, "max_retry_s": 60}, 1, 60, False),
    ]
    assert [
        ((policy, failures, age, goes_on), got)
        for policy, failures, age, goes_on in cases
        if (got := DeliveryPolicy(**policy).delay(failures, timedelta(seconds=age)) is not None) is not goes_on
    ] == []


def test_the_wait_grows_linearly_after_the_last_doubling():
    policy = DeliveryPolicy(max_attempts=-1, first_delay_s=10, max_doublings=2, max_delay_s=150)
    assert [policy.delay(n).total_seconds() for n in range(1, 7)] == [10, 20, 40, 80, 120, 150]
    never = DeliveryPolicy(max_attempts=-1, first_delay_s=10, max_doublings=0, max_delay_s=35)
    assert [never.delay(n).total_seconds() for n in range(1, 5)] == [10, 20, 30, 35]


async def test_idle_ends_although_two_attempts_of_one_delivery_ran(make_loop, add, backlog, target, eventually):
    target.gate.clear()
    loop = make_loop()
    await add("a")
    loop.start()
    await eventually(lambda: target.ids == ["a"])
    (job,) = await backlog.earliest(1, [])
    await loop.send_now(job)
    await eventually(lambda: target.ids == ["a", "a"])
    target.gate.set()
    await idle(loop)
    assert await backlog.earliest(1, []) == []
