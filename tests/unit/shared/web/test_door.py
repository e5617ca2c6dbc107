from starlette.requests import Request

from shared.web.door import Door, said


class Everybody:
    async def verify(self, authorization):
        """Let them in."""


def request(**headers):
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": given})


async def handled():
    return said("done", 200)


async def test_a_caller_with_a_second_token_is_refused_since_cloud_run_checks_only_that_one():
    door = Door(Everybody(), lambda headers, body: None)

    assert (await door.admit(request(authorization="Bearer a"), handled)).status_code == 200
    both = request(authorization="Bearer a", x_serverless_authorization="Bearer b")
    assert (await door.admit(both, handled)).status_code == 401
