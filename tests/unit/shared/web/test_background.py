"""Tasks and events at the edge."""

import json
import logging
from datetime import UTC, datetime, timedelta

import pytest
from starlette.requests import Request
from starlette.responses import Response

from local.embedded.delivery import DeliveryPolicy
from shared.contracts.tasks import TaskKind, TaskPayload
from shared.domain.errors import StoreUnavailable
from shared.engine.jobs import CreatedDocument, JobResult
from shared.web.background import TASK_ATTEMPTS, created_document, handle_event, handle_task
from shared.web.errors import TryAgain

BODY = {"conversation_id": "c1", "kind": "supervise", "seq": 3, "state_version": 7}
NOW = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)


def request(body: object = BODY, retries: str | None = None, kind: str = "application/json") -> Request:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = [(b"content-type", kind.encode())]
    if retries is not None:
        headers.append((b"x-cloudtasks-taskretrycount", retries.encode()))

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": raw, "more_body": False}

    return Request({"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}, receive)


class Work:
    def __init__(self, outcome: JobResult | Exception) -> None:
        self.outcome = outcome
        self.seen: list[object] = []

    async def __call__(self, seen: object) -> JobResult:
        self.seen.append(seen)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


async def handled(work: Work, asked: Request, give_up: Work | None = None) -> tuple[int, dict[str, str]]:
    giving_up = give_up or Work(JobResult.DONE)
    response: Response = await handle_task(asked, work, {TaskKind.SUPERVISE}, giving_up, max_attempts=8)
    return response.status_code, json.loads(bytes(response.body))


@pytest.mark.parametrize("result", [JobResult.DONE, JobResult.MOOT])
async def test_what_is_done_or_moot_is_acknowledged(result: JobResult) -> None:
    work = Work(result)
    assert await handled(work, request()) == (200, {"result": result.value})
    assert work.seen == [TaskPayload.model_validate(BODY)]


@pytest.mark.parametrize("retries", [None, "0", "6", "x", "-1", "²"])
async def test_what_failed_is_tried_again_before_the_last_attempt(retries: str | None) -> None:
    give_up = Work(JobResult.DONE)
    assert (await handled(Work(JobResult.RETRY), request(retries=retries), give_up))[0] == 503
    assert not give_up.seen


@pytest.mark.parametrize("retries", ["7", "30"])
async def test_after_the_last_attempt_the_failure_is_recorded(retries: str, caplog: pytest.LogCaptureFixture) -> None:
    for work in (Work(JobResult.RETRY), Work(StoreUnavailable("down"))):
        give_up = Work(JobResult.DONE)
        assert await handled(work, request(retries=retries), give_up) == (200, {"result": "given_up"})
        assert give_up.seen == [TaskPayload.model_validate(BODY)]
    assert "kind=supervise conversation=c1 seq=3 attempt=" in caplog.text


@pytest.mark.parametrize("outcome", [JobResult.RETRY, StoreUnavailable("down")])
async def test_a_failure_that_cannot_be_recorded_is_not_acknowledged(outcome: JobResult | Exception) -> None:
    asked = request(retries="7")
    assert await handled(Work(JobResult.RETRY), asked, Work(outcome)) == (503, {"result": "retry"})


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
    status, said = await handled(work, asked)
    assert (status, said["result"]) == (200, "poison")
    assert said["reason"]
    assert not work.seen
    assert "task poison" in caplog.text


@pytest.mark.parametrize("error", [StoreUnavailable("down"), ValueError("민지의 비밀")])
async def test_what_breaks_is_tried_again_and_logged_without_content(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    assert (await handled(Work(error), request()))[0] == 503
    assert "supervise" in caplog.text
    assert "비밀" not in caplog.text


DOCUMENT = CreatedDocument("c1", "part_transitions", "1-2")


@pytest.mark.parametrize(
    ("event", "document"),
    [
        ({"document": "sessions/c1/part_transitions/1-2"}, DOCUMENT),
        ({"subject": "documents/sessions/c1/part_transitions/1-2"}, DOCUMENT),
        ({"document": "nonsense", "subject": "documents/sessions/c1/part_transitions/1-2"}, DOCUMENT),
        ({}, None),
        ({"document": "sessions/c1"}, None),
        ({"document": "sessions/c1/part_transitions/1-2/x/y"}, None),
        ({"document": "sessions/../part_transitions/1-2"}, None),
        ({"document": "sessions/c1/part_transitions/1-2\n"}, None),
    ],
)
def test_the_document_comes_from_the_attributes(event: dict[str, str], document: CreatedDocument | None) -> None:
    assert created_document(event) == document


async def test_an_event_of_something_else_is_acknowledged() -> None:
    work = Work(JobResult.DONE)
    for path in ("sessions/c1/planner_feedback/1-x", "users/u1", ""):
        await handle_event({"document": path}, "part_transitions", work, NOW)
    assert not work.seen


async def test_a_failing_event_comes_again_until_it_is_old(caplog: pytest.LogCaptureFixture) -> None:
    event = {"document": "sessions/c1/part_transitions/1-2", "time": NOW.isoformat()}
    for time in (event["time"], "", "yesterday"):
        with pytest.raises(TryAgain):
            await handle_event({**event, "time": time}, "part_transitions", Work(JobResult.RETRY), NOW)
    with caplog.at_level(logging.ERROR):
        await handle_event(event, "part_transitions", Work(JobResult.RETRY), NOW + timedelta(hours=2))
    assert "given_up" in caplog.text


async def test_an_event_that_succeeds_is_acknowledged_however_old() -> None:
    work = Work(JobResult.DONE)
    event = {"document": "sessions/c1/part_transitions/1-2", "time": "2020-01-01T00:00:00Z"}
    await handle_event(event, "part_transitions", work, NOW)
    assert work.seen == [DOCUMENT]
