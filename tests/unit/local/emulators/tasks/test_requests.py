"""What a target is sent."""

import jwt
from google.cloud.tasks_v2.types import HttpRequest, OidcToken, Task

from local.emulators.tasks import QueueSettings
from tests.support.tasks_bench import QUEUE

EMAIL = "tasks@p.iam.gserviceaccount.test"


def told(request):
    """The headers of Cloud Tasks, without their prefix."""
    prefix = "x-cloudtasks-"
    return {name.removeprefix(prefix): value for name, value in request.headers.items() if name.startswith(prefix)}


async def test_the_request_is_the_one_that_was_asked_for(bench):
    await bench.create("t1", body=b'{"a": 1}', headers={"Content-Type": "application/json", "traceparent": "00-aa"})
    await bench.emulator.idle()
    (request,) = bench.receiver.received
    assert (request.method, request.path, request.body) == ("POST", "/work", b'{"a": 1}')
    assert (request.headers["content-type"], request.headers["traceparent"]) == ("application/json", "00-aa")
    assert request.headers["user-agent"] == "Google-Cloud-Tasks"
    assert "authorization" not in request.headers


async def test_headers_tell_of_the_task_and_of_what_became_of_earlier_attempts(open_bench):
    bench = await open_bench(404, 503, 200, settings=QueueSettings(min_backoff_s=1))
    eta = bench.clock.now().timestamp()
    await bench.create("t1")
    await bench.failed("t1", 1)
    bench.pass_time(1)
    await bench.failed("t1", 2)
    bench.pass_time(2)
    await bench.emulator.idle()
    first, second, third = map(told, bench.receiver.received)
    usual = {"queuename": "q", "taskname": "t1"}
    assert first == {**usual, "taskretrycount": "0", "taskexecutioncount": "0", "tasketa": f"{eta:.6f}"}
    assert second == {
        **usual,
        "taskretrycount": "1",
        "taskexecutioncount": "1",
        "tasketa": f"{eta + 1:.6f}",
        "taskpreviousresponse": "404",
        "taskretryreason": "NOT_FOUND(5): HTTP status code 404",
    }
    # a response of 5xx is a retry, and no execution
    assert (third["taskretrycount"], third["taskexecutioncount"]) == ("2", "1")
    assert third["taskpreviousresponse"] == "503"


async def claims_of(bench, token):
    await bench.create("t1", oidc_token=token, headers={"authorization": "Basic mine"})
    await bench.emulator.idle()
    scheme, _, bearer = bench.receiver.received[0].headers["authorization"].partition(" ")
    assert scheme == "Bearer"
    (key,) = jwt.PyJWKSet.from_dict(bench.signer.jwks()).keys
    audience = token.audience or f"{bench.receiver.address}/work"
    # the test's clock stands in another year than the machine's
    options = {"verify_exp": False, "verify_iat": False}
    return jwt.decode(bearer, key, algorithms=["RS256"], audience=audience, options=options)


async def test_an_oidc_token_names_the_account_and_holds_by_the_public_keys(bench):
    claims = await claims_of(bench, OidcToken(service_account_email=EMAIL, audience="https://planner"))
    assert (claims["email"], claims["email_verified"]) == (EMAIL, True)
    assert claims["iss"] == "https://accounts.google.com"


async def test_each_attempt_has_a_token_of_its_own_time(open_bench):
    bench = await open_bench(500, 200, settings=QueueSettings(min_backoff_s=3000))
    request = HttpRequest(url=bench.receiver.address, oidc_token=OidcToken(service_account_email=EMAIL))
    await bench.client.create_task(parent=QUEUE, task=Task(name=f"{QUEUE}/tasks/t1", http_request=request))
    await bench.failed("t1", 1)
    bench.pass_time(3000)
    await bench.emulator.idle()
    first, second = (
        jwt.decode(request.headers["authorization"].partition(" ")[2], options={"verify_signature": False})
        for request in bench.receiver.received
    )
    assert second["iat"] - first["iat"] == 3000
