"""Tasks, events and scheduled calls at the edge, and the authentication of their callers."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from itertools import repeat
from unittest.mock import Mock

import pytest
from starlette.requests import Request

from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import IdentityUnavailable, StoreUnavailable, Unauthenticated
from shared.engine.jobs import CreatedDocument, JobResult
from shared.model import Model
from shared.web.background import MAX_EVENT, AtLast, handle_event, handle_schedule, handle_task
from shared.web.invoker_auth import InvokerAuth, said
from tests.builders.requests import request_of
from tests.support.polling import until

BODY = {"conversation_id": "c1", "kind": "supervise", "seq": 3, "state_version": 7}
PAYLOAD = TaskPayload.model_validate(BODY)
NOW = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
RIGHT = "Bearer right"
DOCUMENT = CreatedDocument("c1", "part_transitions", "1-2")
FAILURES = [JobResult.RETRY, StoreUnavailable("down"), ValueError("민지의 비밀")]


class OneInvoker:
    def __init__(self, error):
        self.error = error

    async def verify(self, authorization):
        if self.error is not None:
            raise self.error
        if authorization != RIGHT:
            raise Unauthenticated("another caller")


class Work:
    def __init__(self, outcome=JobResult.DONE):
        self.outcome = outcome
        self.seen = []

    async def __call__(self, seen=None):
        self.seen.append(seen)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class Counts(Model):
    found: int


def invoker_auth(document=DOCUMENT, error=None):
    return InvokerAuth(OneInvoker(error), Mock(side_effect=repeat(document)))


def a_request(body=BODY, retries=None, **more):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    count = {} if retries is None else {"x_cloudtasks_taskretrycount": retries}
    return request_of(raw, **{"content_type": "application/json", "authorization": RIGHT, **count, **more})


def broken_request(**headers):
    """Return a request whose body fails to be read."""
    return Request(request_of(**headers).scope)


def parsed(response):
    return response.status_code, json.loads(response.body)


async def run_task(work, request, give_up=None, stand_in=None):
    at_last = AtLast(give_up or Work(), stand_in)
    return parsed(await handle_task(request, work, {JobKind.SUPERVISE}, invoker_auth(), at_last, max_attempts=8))


async def run_event(work, request, now=NOW, auth=None):
    return parsed(await handle_event(request, "part_transitions", work, now, auth or invoker_auth()))


async def run_all(work, request, auth):
    return [
        await handle_task(request, work, {JobKind.SUPERVISE}, auth),
        await handle_event(request, "part_transitions", work, NOW, auth),
        await handle_schedule(request, work, auth),
    ]


async def test_a_done_or_moot_task_is_acknowledged_and_its_work_receives_the_attempt_number():
    for result, retries, attempt in ((JobResult.MOOT, None, 1), (JobResult.DONE, "2", 3), (JobResult.DONE, "7", 8)):
        work, give_up = Work(result), Work()
        assert await run_task(work, a_request(retries=retries), give_up) == (200, {"result": result.value})
        (payload,) = work.seen
        assert (payload.model_dump(mode="json"), payload.attempt) == ({**BODY, "again": 0}, attempt)
        assert not give_up.seen


async def test_a_failed_task_is_retried_before_the_last_attempt_and_logged_without_content(caplog, subtests):
    for failed in (*FAILURES, JobResult.POISON):
        for retries in (None, "6", "x", "²"):
            with subtests.test(failed=failed, retries=retries):
                caplog.clear()
                give_up, stand_in = Work(), Work()
                result = {"result": "poison" if failed is JobResult.POISON else "retry"}
                assert await run_task(Work(failed), a_request(retries=retries), give_up, stand_in) == (503, result)
                assert (give_up.seen, stand_in.seen) == ([], [])
                assert "supervise" in caplog.text or not isinstance(failed, Exception)
                assert "비밀" not in caplog.text


@pytest.mark.parametrize(
    ("failed", "written", "answer", "given_up", "stood_in"),
    [
        (JobResult.POISON, JobResult.DONE, (200, "given_up"), 1, 0),
        *((failed, JobResult.DONE, (200, "left_due"), 0, 1) for failed in FAILURES),
        *((JobResult.POISON, not_written, (503, "poison"), 1, 0) for not_written in FAILURES),
        *((JobResult.RETRY, not_written, (503, "retry"), 0, 1) for not_written in FAILURES),
        (JobResult.BUSY, JobResult.DONE, (503, "busy"), 0, 0),
    ],
)
async def test_at_the_last_attempt_poison_is_given_up_and_other_work_left_due_if_that_can_be_written(
    failed, written, answer, given_up, stood_in
):
    for retries in ("7", "30"):
        give_up, stand_in = Work(written), Work(written)
        status, body = await run_task(Work(failed), a_request(retries=retries), give_up, stand_in)
        assert (status, body["result"]) == answer
        assert (give_up.seen, stand_in.seen) == ([PAYLOAD] * given_up, [PAYLOAD] * stood_in)


async def test_an_unreadable_task_is_acknowledged_as_poison_with_the_reason(caplog, subtests):
    wrong = [{"kind": "dance"}, {"kind": "close"}, {"conversation_id": "../x"}]
    bodies = [b"{", b"", [], *({**BODY, **one} for one in wrong)]
    for request in (*map(a_request, bodies), a_request(content_type="text/plain")):
        with subtests.test(body=request):
            caplog.clear()
            work = Work()
            status, answer = await run_task(work, request)
            assert (status, answer["result"], bool(answer["reason"])) == (200, "poison", True)
            assert not work.seen
            assert "task_poison" in caplog.text


async def test_an_event_of_another_collection_or_over_the_size_limit_is_acknowledged_as_poison(caplog, subtests):
    for document, body in (
        (None, b"x"),
        (CreatedDocument("c1", "planner_feedback", "f1"), b"x"),
        (DOCUMENT, b"x" * (MAX_EVENT + 1)),
    ):
        with subtests.test(document=document):
            caplog.clear()
            work, auth = Work(), invoker_auth(document)
            status, answer = await run_event(work, a_request(body), auth=auth)
            assert (status, answer["result"]) == (200, "poison")
            assert [given.args[1] for given in auth.created.call_args_list] == ([body] if len(body) == 1 else [])
            assert not work.seen
            assert "event_poison" in caplog.text


async def test_a_failing_event_is_retried_until_it_is_old_and_then_left_due(caplog, subtests):
    for failed in FAILURES:
        with subtests.test(failed=failed):
            caplog.clear()
            assert await run_event(Work(), a_request(ce_time="2020-01-01T00:00:00Z")) == (200, {"result": "done"})
            for time in (NOW.isoformat(), "2026-11-01T08:30:00.123456789Z", "", "yesterday"):
                assert await run_event(Work(failed), a_request(ce_time=time)) == (503, {"result": "retry"})
            event, later = a_request(ce_time=NOW.isoformat()), NOW + timedelta(hours=2)
            assert await run_event(Work(failed), event, later) == (200, {"result": "left_due"})
            assert "left_due" in caplog.text
            assert "비밀" not in caplog.text


async def test_a_scheduled_call_returns_its_result_or_503_after_a_failure(caplog):
    assert parsed(await handle_schedule(a_request(b""), Work(Counts(found=3)), invoker_auth())) == (200, {"found": 3})
    failed = await handle_schedule(a_request(b""), Work(StoreUnavailable("down")), invoker_auth())
    assert parsed(failed) == (503, {"result": "retry"})
    assert "schedule" in caplog.text


@pytest.mark.parametrize(
    ("headers", "logged"),
    [
        ({}, "another caller"),
        ({"authorization": "Bearer wr0ng-t0ken"}, "another caller"),
        ({"authorization": RIGHT, "x_serverless_authorization": "Bearer t0ken"}, "second_token"),
    ],
)
async def test_a_wrong_caller_or_a_second_token_is_refused_before_the_body_is_read(headers, logged, caplog):
    """Of two tokens Cloud Run checks only the second."""
    work = Work()
    for response in await run_all(work, broken_request(**headers), invoker_auth()):
        assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
    assert not work.seen
    assert logged in caplog.text
    assert "t0ken" not in caplog.text


async def test_a_method_other_than_post_is_refused():
    work = Work()
    for response in await run_all(work, a_request(method="GET"), invoker_auth()):
        assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert not work.seen


async def test_an_error_in_authentication_or_decoding_gives_503_and_is_logged_without_content(caplog):
    for error in (IdentityUnavailable(), ValueError("Bearer t0ken")):
        work = Work()
        answers = await run_all(work, broken_request(), invoker_auth(error=error))
        assert ([response.status_code for response in answers], work.seen) == ([503] * 3, [])
    undecided = invoker_auth(KeyError("민지의 비밀"))
    assert (await run_event(Work(), a_request(), auth=undecided))[0] == 503
    assert "ValueError" in caplog.text
    assert not any(secret in caplog.text for secret in ("t0ken", "비밀"))


async def test_draining_lets_short_jobs_end_and_refuses_long_and_new_jobs_with_503():
    auth, ending, begun = invoker_auth(), asyncio.Event(), []

    async def job(until_set):
        begun.append(until_set)
        await until_set.wait()
        return said("done", 200)

    events = (ending, asyncio.Event())
    jobs = [asyncio.create_task(auth.admit(a_request(), lambda event=event: job(event))) for event in events]
    await until(lambda: len(begun) == len(jobs))
    async with asyncio.timeout(10):
        draining = asyncio.create_task(auth.jobs.drain(0.05))
        await asyncio.sleep(0)
        new = await auth.admit(a_request(), lambda: job(ending))
        ending.set()
        answers = await asyncio.gather(*jobs)
        await draining
    assert [answer.status_code for answer in (*answers, new)] == [200, 503, 503]
    assert len(begun) == len(jobs)
