import asyncio

from starlette.requests import Request

from shared.web.invoker_auth import InvokerAuth, said
from tests.support.polling import until


class Everybody:
    async def verify(self, authorization):
        """Let them in."""


def request(**headers):
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": given})


async def handled():
    return said("done", 200)


async def test_a_caller_with_a_second_token_is_refused_since_cloud_run_checks_only_that_one():
    door = InvokerAuth(Everybody(), lambda headers, body: None)
    assert (await door.admit(request(authorization="Bearer a"), handled)).status_code == 200
    both = request(authorization="Bearer a", x_serverless_authorization="Bearer b")
    assert (await door.admit(both, handled)).status_code == 401


async def test_a_leaving_instance_lets_jobs_end_and_sends_the_rest_and_new_ones_elsewhere():
    door, ending, begun = InvokerAuth(Everybody(), lambda headers, body: None), asyncio.Event(), []

    async def ends():
        begun.append("ends")
        await ending.wait()
        return said("done", 200)

    async def never_ends():
        begun.append("never")
        await asyncio.Event().wait()

    jobs = [asyncio.create_task(door.admit(request(), job)) for job in (ends, never_ends)]
    await until(lambda: len(begun) == len(jobs))
    async with asyncio.timeout(10):
        draining = asyncio.create_task(door.jobs.drain(0.05))
        await asyncio.sleep(0)
        new = await door.admit(request(), handled)
        ending.set()
        answers = await asyncio.gather(*jobs)
        await draining

    assert [answer.status_code for answer in answers] == [200, 503]
    assert new.status_code == 503
