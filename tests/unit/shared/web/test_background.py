"""Tasks, events and scheduled calls at the edge."""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from starlette.requests import Request
from starlette.responses import Response

from local.embedded.delivery import DeliveryPolicy
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import IdentityUnavailable, StoreUnavailable, Unauthenticated
from shared.engine.jobs import CreatedDocument, JobResult
from shared.model import Model
from shared.web.background import MAX_EVENT, TASK_ATTEMPTS, AtLast, handle_event, handle_schedule, handle_task
from shared.web.invoker_auth import InvokerAuth

BODY = {"conversation_id": "c1", "kind": "supervise", "seq": 3, "state_version": 7}
NOW = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)


RIGHT = "Bearer right"
DOCUMENT = CreatedDocument("c1", "part_transitions", "1-2")


class OneInvoker:
    """Knows one token, or does what it is told."""

    def __init__(self, outcome: Exception | None = None) -> None:
        self.outcome = outcome

    async def verify(self, authorization: str | None) -> None:
        if self.outcome is not None:
            raise self.outcome
        if authorization != RIGHT:
            raise Unauthenticated("another caller")


class Decoded:
    """Answers as a decoder would; keeps what it was given."""

    def __init__(self, document: CreatedDocument | None | Exception = DOCUMENT) -> None:
        self.document = document
        self.bodies: list[bytes] = []

    def __call__(self, headers: Mapping[str, str], body: bytes) -> CreatedDocument | None:
        self.bodies.append(body)
        if isinstance(self.document, Exception):
            raise self.document
        return self.document


DOOR = InvokerAuth(OneInvoker(), Decoded())


def request(
    body: object = BODY, retries: str | None = None, kind: str = "application/json", method: str = "POST", **more: str
) -> Request:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"content-type": kind, "authorization": RIGHT} | {k.replace("_", "-"): v for k, v in more.items()}
    if retries is not None:
        headers["x-cloudtasks-taskretrycount"] = retries
    return incoming([{"type": "http.request", "body": raw, "more_body": False}], headers, method)


def incoming(messages: list[dict[str, object]], headers: dict[str, str], method: str = "POST") -> Request:
    async def receive() -> dict[str, object]:
        return messages.pop(0)

    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    return Request({"type": "http", "method": method, "path": "/", "query_string": b"", "headers": encoded}, receive)


class Work:
    def __init__(self, outcome: JobResult | Exception) -> None:
        self.outcome = outcome
        self.seen: list[object] = []

    async def __call__(self, seen: object) -> JobResult:
        self.seen.append(seen)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


async def handled(
    work: Work, asked: Request, give_up: Work | None = None, stand_in: Work | None = None
) -> tuple[int, dict[str, str]]:
    at_last = AtLast(give_up or Work(JobResult.DONE), stand_in)
    response = await handle_task(asked, work, {JobKind.SUPERVISE}, DOOR, at_last, max_attempts=8)
    return response.status_code, said(response)


def said(response: Response) -> dict[str, str]:
    read: dict[str, str] = json.loads(bytes(response.body))
    return read


async def announced(
    work: Work, asked: Request, now: datetime = NOW, door: InvokerAuth = DOOR
) -> tuple[int, dict[str, str]]:
    response = await handle_event(asked, "part_transitions", work, now, door)
    return response.status_code, said(response)


@pytest.mark.parametrize("result", [JobResult.DONE, JobResult.MOOT])
async def test_what_is_done_or_moot_is_acknowledged(result: JobResult) -> None:
    work = Work(result)
    assert await handled(work, request()) == (200, {"result": result.value})
    assert work.seen == [TaskPayload.model_validate(BODY)]


async def test_what_failed_is_tried_again_before_the_last_attempt(subtests: pytest.Subtests) -> None:
    for retries in (None, "0", "6", "x", "-1", "²"):
        with subtests.test(retries=retries):
            give_up = Work(JobResult.DONE)
            assert (await handled(Work(JobResult.RETRY), request(retries=retries), give_up))[0] == 503
            assert not give_up.seen


@pytest.mark.parametrize("retries", ["7", "30"])
async def test_after_the_last_attempt_poison_is_given_up(retries: str, caplog: pytest.LogCaptureFixture) -> None:
    give_up = Work(JobResult.DONE)
    assert await handled(Work(JobResult.POISON), request(retries=retries), give_up) == (200, {"result": "given_up"})
    assert give_up.seen == [TaskPayload.model_validate(BODY)]
    assert "kind=supervise conversation=c1 seq=3 attempt=" in caplog.text
    assert {record.levelname for record in caplog.records} == {"ERROR"}


async def test_after_the_last_attempt_all_other_work_stays_due(subtests: pytest.Subtests) -> None:
    for failed in (JobResult.RETRY, StoreUnavailable("down"), ValueError("broken")):
        with subtests.test(failed=failed):
            give_up, stand_in = Work(JobResult.DONE), Work(JobResult.DONE)
            assert await handled(Work(failed), request(retries="7"), give_up, stand_in) == (200, {"result": "left_due"})
            assert await handled(Work(failed), request(retries="7"), give_up) == (200, {"result": "left_due"})
            assert (give_up.seen, stand_in.seen) == ([], [TaskPayload.model_validate(BODY)])


async def test_what_cannot_be_written_at_last_is_not_acknowledged(subtests: pytest.Subtests) -> None:
    for outcome in (JobResult.RETRY, StoreUnavailable("down")):
        for failed in (JobResult.POISON, JobResult.RETRY):
            with subtests.test(outcome=outcome, failed=failed):
                asked = request(retries="7")
                assert await handled(Work(failed), asked, Work(outcome), Work(outcome)) == (
                    503,
                    {"result": failed.value},
                )


async def test_work_that_another_delivery_does_comes_again_and_is_never_given_up() -> None:
    assert await handled(Work(JobResult.BUSY), request(retries="7")) == (503, {"result": "busy"})


async def test_the_work_is_told_which_attempt_it_is_and_the_body_never_is() -> None:
    work = Work(JobResult.DONE)
    await handled(work, request(retries="2"))
    (payload,) = work.seen
    assert isinstance(payload, TaskPayload)
    assert payload.attempt == 3
    assert "attempt" not in payload.model_dump()


async def test_what_succeeds_at_the_last_attempt_is_not_given_up() -> None:
    give_up = Work(JobResult.DONE)
    assert await handled(Work(JobResult.DONE), request(retries="7"), give_up) == (200, {"result": "done"})
    assert not give_up.seen


def test_the_queue_delivers_once_more_than_a_task_is_tried() -> None:
    assert DeliveryPolicy().max_attempts - 1 == TASK_ATTEMPTS


@pytest.mark.parametrize(
    "asked",
    [
        request(b"{"),
        request(b""),
        request([]),
        request({**BODY, "kind": "dance"}),
        request({**BODY, "seq": -1}),
        request({**BODY, "conversation_id": "../x"}),
        request({**BODY, "extra": 1}),
        request(BODY, kind="text/plain"),
        request({**BODY, "kind": "close"}),
    ],
)
async def test_a_poison_task_is_acknowledged_with_the_reason(asked: Request, caplog: pytest.LogCaptureFixture) -> None:
    work = Work(JobResult.DONE)
    status, answered = await handled(work, asked)
    assert (status, answered["result"]) == (200, "poison")
    assert answered["reason"]
    assert not work.seen
    assert "task_poison" in caplog.text


@pytest.mark.parametrize("error", [StoreUnavailable("down"), ValueError("민지의 비밀")])
async def test_what_breaks_is_tried_again_and_logged_without_content(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    assert (await handled(Work(error), request()))[0] == 503
    assert "supervise" in caplog.text
    assert "비밀" not in caplog.text


async def test_an_event_is_read_from_headers_and_body_and_worked_on() -> None:
    decoded, work = Decoded(), Work(JobResult.DONE)
    answered = await announced(work, request(b"\x0a\x00"), door=InvokerAuth(OneInvoker(), decoded))
    assert answered == (200, {"result": "done"})
    assert decoded.bodies == [b"\x0a\x00"]
    assert work.seen == [DOCUMENT]


@pytest.mark.parametrize("document", [None, CreatedDocument("c1", "planner_feedback", "f1")])
async def test_an_event_of_something_else_is_acknowledged(
    document: CreatedDocument | None, caplog: pytest.LogCaptureFixture
) -> None:
    work = Work(JobResult.DONE)
    status, answered = await announced(work, request(), door=InvokerAuth(OneInvoker(), Decoded(document)))
    assert (status, answered["result"]) == (200, "poison")
    assert not work.seen
    assert "event_poison" in caplog.text


@pytest.mark.parametrize("outcome", [JobResult.RETRY, StoreUnavailable("down"), ValueError("민지의 비밀")])
async def test_a_failing_event_comes_again_until_it_is_old(
    outcome: JobResult | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    event = request(ce_time=NOW.isoformat())
    for time in (NOW.isoformat(), "2026-11-01T08:30:00.123456789Z", "", "yesterday"):
        again = await announced(Work(outcome), request(ce_time=time))
        assert again == (503, {"result": "retry"})
    with caplog.at_level(logging.WARNING):
        assert await announced(Work(outcome), event, NOW + timedelta(hours=2)) == (200, {"result": "left_due"})
    assert "left_due" in caplog.text
    assert "비밀" not in caplog.text


async def test_an_event_that_succeeds_is_acknowledged_however_old() -> None:
    work = Work(JobResult.DONE)
    assert (await announced(work, request(ce_time="2020-01-01T00:00:00Z")))[0] == 200
    assert work.seen == [DOCUMENT]


class Counts(Model):
    found: int


async def counted() -> Counts:
    return Counts(found=3)


async def failing() -> Counts:
    raise StoreUnavailable("down")


async def test_a_scheduled_call_is_answered_with_what_was_done() -> None:
    response = await handle_schedule(request(b""), counted, DOOR)
    assert (response.status_code, said(response)) == (200, {"found": 3})


async def test_a_scheduled_call_that_fails_is_to_be_repeated(caplog: pytest.LogCaptureFixture) -> None:
    response = await handle_schedule(request(b""), failing, DOOR)
    assert (response.status_code, said(response)) == (503, {"result": "retry"})
    assert "schedule" in caplog.text


async def every_entry(work: Work, asked: Request, door: InvokerAuth) -> list[Response]:
    """Ask all three kinds of endpoint the same."""

    async def scheduled() -> Counts:
        await work(None)
        return Counts(found=0)

    return [
        await handle_task(asked, work, {JobKind.SUPERVISE}, door),
        await handle_event(asked, "part_transitions", work, NOW, door),
        await handle_schedule(asked, scheduled, door),
    ]


def unreadable(**headers: str) -> Request:
    """Return a request whose body nobody may read: reading fails."""
    return incoming([], headers)


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wr0ng-t0ken"}])
async def test_a_wrong_caller_is_refused_before_the_body_is_read(
    headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    work = Work(JobResult.DONE)
    for response in await every_entry(work, unreadable(**headers), DOOR):
        assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
    assert not work.seen
    assert "another caller" in caplog.text
    assert "wr0ng-t0ken" not in caplog.text


async def test_a_caller_who_cannot_be_checked_now_is_asked_to_come_again() -> None:
    work = Work(JobResult.DONE)
    for response in await every_entry(work, unreadable(), InvokerAuth(OneInvoker(IdentityUnavailable()), Decoded())):
        assert response.status_code == 503
    assert not work.seen


async def test_only_post_is_taken(subtests: pytest.Subtests) -> None:
    for method in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"):
        with subtests.test(method=method):
            work = Work(JobResult.DONE)
            for response in await every_entry(work, request(method=method), DOOR):
                assert (response.status_code, response.headers["allow"]) == (405, "POST")
            assert not work.seen


async def test_what_breaks_at_the_door_is_tried_again_and_logged_without_content(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = InvokerAuth(OneInvoker(ValueError("Bearer t0ken")), Decoded())
    for response in await every_entry(Work(JobResult.DONE), unreadable(), broken):
        assert response.status_code == 503
    undecided = InvokerAuth(OneInvoker(), Decoded(KeyError("민지의 비밀")))
    assert (await announced(Work(JobResult.DONE), request(), door=undecided))[0] == 503
    assert "ValueError" in caplog.text
    assert "t0ken" not in caplog.text
    assert "비밀" not in caplog.text


async def test_a_caller_who_leaves_in_the_middle_is_nobodys_error(caplog: pytest.LogCaptureFixture) -> None:
    headers = {"authorization": RIGHT, "content-type": "application/json"}
    gone = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    for handle in (handled, announced):
        assert (await handle(Work(JobResult.DONE), incoming(list(gone), headers)))[0] == 503
    assert not caplog.records


async def test_an_event_longer_than_any_document_is_not_read_to_its_end() -> None:
    work, decoded = Work(JobResult.DONE), Decoded()
    status, answer = await announced(work, request(b"x" * (MAX_EVENT + 1)), door=InvokerAuth(OneInvoker(), decoded))
    assert (status, answer["result"]) == (200, "poison")
    assert not decoded.bodies
    assert not work.seen
