"""Tasks, events and scheduled calls at the edge, and the authentication of their callers."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

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
    """Knows one token, or raises what it is told to."""

    def __init__(self, error):
        self.error = error

    async def verify(self, authorization):
        if self.error is not None:
            raise self.error
        if authorization != RIGHT:
            raise Unauthenticated("another caller")


class Decoded:
    """Answers as a decoder would; keeps what it was given."""

    def __init__(self, document):
        self.document = document
        self.bodies = []

    def __call__(self, headers, body):
        self.bodies.append(body)
        if isinstance(self.document, Exception):
            raise self.document
        return self.document


class Work:
    """A job that ends as it is told; keeps what it was given."""

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
    return InvokerAuth(OneInvoker(error), Decoded(document))


def asked(body=BODY, retries=None, **more):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    count = {} if retries is None else {"x_cloudtasks_taskretrycount": retries}
    return request_of(raw, **{"content_type": "application/json", "authorization": RIGHT, **count, **more})


def unreadable(**headers):
    """Return a request whose body fails to be read."""
    return Request(request_of(**headers).scope)


def told(response):
    return response.status_code, json.loads(response.body)


async def handled(work, request, give_up=None, stand_in=None):
    at_last = AtLast(give_up or Work(), stand_in)
    return told(await handle_task(request, work, {JobKind.SUPERVISE}, invoker_auth(), at_last, max_attempts=8))


async def announced(work, request, now=NOW, entrance=None):
    return told(await handle_event(request, "part_transitions", work, now, entrance or invoker_auth()))


async def every_entry(work, request, entrance):
    """Ask all three kinds of endpoint the same."""
    return [
        await handle_task(request, work, {JobKind.SUPERVISE}, entrance),
        await handle_event(request, "part_transitions", work, NOW, entrance),
        await handle_schedule(request, work, entrance),
    ]


async def test_what_is_done_or_moot_is_acknowledged_at_any_attempt_and_the_work_is_told_which():
    for result, retries, attempt in ((JobResult.MOOT, None, 1), (JobResult.DONE, "2", 3), (JobResult.DONE, "7", 8)):
        work, give_up = Work(result), Work()
        assert await handled(work, asked(retries=retries), give_up) == (200, {"result": result.value})
        (payload,) = work.seen
        assert (payload.model_dump(mode="json"), payload.attempt) == ({**BODY, "again": 0}, attempt)
        assert not give_up.seen


async def test_what_failed_comes_again_before_the_last_attempt_and_is_logged_without_content(caplog, subtests):
    for failed in (*FAILURES, JobResult.POISON):
        for retries in (None, "6", "x", "²"):
            with subtests.test(failed=failed, retries=retries):
                caplog.clear()
                give_up, stand_in = Work(), Work()
                result = {"result": "poison" if failed is JobResult.POISON else "retry"}
                assert await handled(Work(failed), asked(retries=retries), give_up, stand_in) == (503, result)
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
async def test_at_last_poison_is_given_up_and_other_work_left_due_unless_that_cannot_be_written(
    failed, written, answer, given_up, stood_in
):
    for retries in ("7", "30"):
        give_up, stand_in = Work(written), Work(written)
        status, body = await handled(Work(failed), asked(retries=retries), give_up, stand_in)
        assert (status, body["result"]) == answer
        assert (give_up.seen, stand_in.seen) == ([PAYLOAD] * given_up, [PAYLOAD] * stood_in)


async def test_a_poison_task_is_acknowledged_with_the_reason(caplog, subtests):
    wrong = [{"kind": "dance"}, {"kind": "close"}, {"conversation_id": "../x"}]
    bodies = [b"{", b"", [], *({**BODY, **one} for one in wrong)]
    for request in (*map(asked, bodies), asked(content_type="text/plain")):
        with subtests.test(body=request):
            caplog.clear()
            work = Work()
            status, answer = await handled(work, request)
            assert (status, answer["result"], bool(answer["reason"])) == (200, "poison", True)
            assert not work.seen
            assert "task_poison" in caplog.text


async def test_an_event_of_something_else_or_longer_than_any_document_is_acknowledged(caplog, subtests):
    for document, body in (
        (None, b"x"),
        (CreatedDocument("c1", "planner_feedback", "f1"), b"x"),
        (DOCUMENT, b"x" * (MAX_EVENT + 1)),
    ):
        with subtests.test(document=document):
            caplog.clear()
            work, entrance = Work(), invoker_auth(document)
            status, answer = await announced(work, asked(body), entrance=entrance)
            assert (status, answer["result"]) == (200, "poison")
            assert (work.seen, entrance.created.bodies) == ([], [body] if len(body) == 1 else [])
            assert "event_poison" in caplog.text


async def test_a_failing_event_comes_again_until_it_is_old(caplog, subtests):
    for failed in FAILURES:
        with subtests.test(failed=failed):
            caplog.clear()
            assert await announced(Work(), asked(ce_time="2020-01-01T00:00:00Z")) == (200, {"result": "done"})
            for time in (NOW.isoformat(), "2026-11-01T08:30:00.123456789Z", "", "yesterday"):
                assert await announced(Work(failed), asked(ce_time=time)) == (503, {"result": "retry"})
            event, later = asked(ce_time=NOW.isoformat()), NOW + timedelta(hours=2)
            assert await announced(Work(failed), event, later) == (200, {"result": "left_due"})
            assert "left_due" in caplog.text
            assert "비밀" not in caplog.text


async def test_a_scheduled_call_is_answered_with_what_was_done_or_to_be_repeated(caplog):
    assert told(await handle_schedule(asked(b""), Work(Counts(found=3)), invoker_auth())) == (200, {"found": 3})
    failed = await handle_schedule(asked(b""), Work(StoreUnavailable("down")), invoker_auth())
    assert told(failed) == (503, {"result": "retry"})
    assert "schedule" in caplog.text


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({}, "another caller"),
        ({"authorization": "Bearer wr0ng-t0ken"}, "another caller"),
        ({"authorization": RIGHT, "x_serverless_authorization": "Bearer t0ken"}, "second_token"),
    ],
)
async def test_a_wrong_caller_or_a_second_token_is_refused_before_the_body_is_read(headers, told, caplog):
    """Of two tokens Cloud Run checks only the second."""
    work = Work()
    for response in await every_entry(work, unreadable(**headers), invoker_auth()):
        assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
    assert not work.seen
    assert told in caplog.text
    assert "t0ken" not in caplog.text


async def test_a_caller_who_cannot_be_checked_now_is_asked_to_come_again():
    work = Work()
    answers = await every_entry(work, unreadable(), invoker_auth(error=IdentityUnavailable()))
    assert ([response.status_code for response in answers], work.seen) == ([503] * 3, [])


async def test_only_post_is_taken():
    work = Work()
    for response in await every_entry(work, asked(method="GET"), invoker_auth()):
        assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert not work.seen


async def test_what_breaks_at_the_door_is_tried_again_and_logged_without_content(caplog):
    for response in await every_entry(Work(), unreadable(), invoker_auth(error=ValueError("Bearer t0ken"))):
        assert response.status_code == 503
    undecided = invoker_auth(KeyError("민지의 비밀"))
    assert (await announced(Work(), asked(), entrance=undecided))[0] == 503
    assert "ValueError" in caplog.text
    assert not any(secret in caplog.text for secret in ("t0ken", "비밀"))


async def test_a_leaving_instance_lets_jobs_end_and_sends_the_rest_and_new_ones_elsewhere():
    entrance, ending, begun = invoker_auth(), asyncio.Event(), []

    async def job(until_set):
        begun.append(until_set)
        await until_set.wait()
        return said("done", 200)

    events = (ending, asyncio.Event())
    jobs = [asyncio.create_task(entrance.admit(asked(), lambda event=event: job(event))) for event in events]
    await until(lambda: len(begun) == len(jobs))
    async with asyncio.timeout(10):
        draining = asyncio.create_task(entrance.jobs.drain(0.05))
        await asyncio.sleep(0)
        new = await entrance.admit(asked(), lambda: job(ending))
        ending.set()
        answers = await asyncio.gather(*jobs)
        await draining
    assert [answer.status_code for answer in (*answers, new)] == [200, 503, 503]
    assert len(begun) == len(jobs)
