"""Errors as problem responses, and in the log."""

import json
import re

import httpx
import pytest
from pydantic import BaseModel

from shared.content.catalogue import content
from shared.contracts.events import Failed
from shared.domain import errors
from shared.domain.errors import CBotError
from shared.locale import Locale
from shared.safety.needs import Need
from shared.web.danger import DangerNotice, note_danger
from shared.web.error_middleware import ErrorMiddleware
from shared.web.errors import BodyTooLarge, MethodNotAllowed, RequestTimeout
from shared.web.problem_texts import ContentProblemTexts
from shared.web.problems import STATUS, error_classes, error_handlers, problem_of, problem_response, status_of
from shared.web.problems import problem_of_failed as of_failed
from tests.builders.requests import request_of

LEAVES = [error for error in error_classes() if not error.__subclasses__() and error.__module__.startswith("shared.")]
WORDS = ContentProblemTexts(content())
DANGER = DangerNotice((Need.LIFE,))
SAID = "the words of a person"


def test_every_error_has_a_status_and_every_public_error_its_own_text():
    assert [error for error in LEAVES if not any(ancestor in STATUS for ancestor in error.__mro__)] == []
    public = {error.code for error in error_classes() if status_of(error) != 500}
    for locale in Locale:
        internal = WORDS.problem("internal", locale)
        assert [code for code in public if WORDS.problem(code, locale) == internal] == []


def test_each_error_becomes_a_problem_with_its_status_code_and_headers(subtests):
    cases = [
        (errors.InvalidInput("x"), 422, "invalid_request"), (errors.EmptyText(), 422, "empty_text"),
        (errors.TextTooLong(5000, 4000), 413, "text_too_long"), (errors.Unauthenticated("no"), 401, "unauthenticated"),
        (errors.ConsentRequired(("terms",)), 403, "consent_required"),
        (errors.GuardianRequired(), 403, "guardian_required"), (errors.NotFound("x"), 404, "not_found"),
        (errors.MessageIdConflict("x"), 409, "message_id_conflict"), (errors.SessionEnded(), 409, "session_ended"),
        (errors.SessionOpen(), 409, "session_open"), (errors.TooManyRequests(60, "m"), 429, "too_many_requests", 60),
        (errors.BudgetSpent(), 429, "budget_spent"), (errors.TurnPending(7), 503, "turn_pending", 7),
        (errors.StoreUnavailable(), 503, "store_unavailable", 5), (errors.LeaseLost("c", 1), 503, "lease_lost", 5),
        (errors.VersionConflict("p"), 500, "internal"), (errors.ModelTimeout("slow"), 500, "internal"),
        (errors.ConfigError("x"), 500, "internal"), (MethodNotAllowed(), 405, "method_not_allowed"),
        (errors.Overloaded(3), 503, "overloaded", 3), (errors.ShuttingDown(), 503, "shutting_down", 1),
        (RequestTimeout(15), 408, "request_timeout"), (BodyTooLarge(10), 413, "body_too_large"),
        (errors.IdentityUnavailable(), 503, "identity_unavailable", 5), (errors.Forbidden("x"), 403, "forbidden"),
        (errors.AppCheckFailed("x"), 403, "app_check_failed"), (errors.DailyLimitReached(9), 429, "daily_limit", 9),
    ]  # fmt: skip
    for error, status, code, *retry_after in cases:
        with subtests.test(error=error):
            problem = problem_of(error, WORDS, Locale.KO)
            headers = problem_response(problem, Locale.KO).headers
            after = retry_after[0] if retry_after else None
            assert (problem.status, problem.code, problem.retry_after) == (status, code, after)
            assert headers.get("retry-after") == (str(after) if after else None)
            assert headers["content-type"] == "application/problem+json"
            assert headers.get("www-authenticate") == ("Bearer" if status == 401 else None)
            assert not re.search(r"[{}]", problem.detail)


def test_missing_consents_are_listed_by_their_display_names_and_every_consent_has_one():
    error = errors.ConsentRequired(("terms", "overseas_transfer"))
    for locale, listed in (
        (Locale.KO, "이용약관, 개인정보의 국외 이전"),
        (Locale.EN, "terms of use, transfer of data abroad"),
    ):
        detail = problem_of(error, WORDS, locale).detail
        assert (listed in detail, "overseas_transfer" in detail) == (True, False)
        unknown = WORDS.consent("", locale)
        assert [one.id for one in content().consents.consents if WORDS.consent(one.id, locale) == unknown] == []
        failed = Failed(code="consent_required", detail="", retryable=False)
        assert unknown in of_failed(failed, WORDS, locale).detail, "of a failed turn the missing ones are not known"


async def test_every_problem_response_to_a_user_in_danger_lists_the_help_lines():
    for error in (errors.SessionEnded(), errors.VersionConflict("p"), errors.NotFound("x")):
        problem, plain = problem_of(error, WORDS, Locale.KO, DANGER), problem_of(error, WORDS, Locale.KO)
        assert "109" in [line.number for line in problem.resources]
        assert problem.detail.startswith(plain.detail)
        assert "109" in problem.detail
        assert plain.resources is None
    request = request_of(accept_language="en")
    note_danger(request.scope, DANGER)
    for error in (errors.SessionEnded(), RuntimeError()):
        body = json.loads((await error_handlers(WORDS)[CBotError](request, error)).body)
        assert "109" in [line["number"] for line in body["resources"]]
        assert WORDS.help(DANGER, Locale.EN)[0] in body["detail"]


@pytest.mark.parametrize(
    ("code", "status"), [("turn_pending", 503), ("text_too_long", 413), ("model_timeout", 500), ("unheard_of", 500)]
)
def test_a_failed_turn_gets_the_status_of_its_code(code, status):
    problem = of_failed(Failed(code=code, detail="", retryable=True), WORDS, Locale.KO)
    assert (problem.status, problem.code) == (status, code if status != 500 else "internal")
    assert problem.detail
    assert "None" not in problem.detail


class Note(BaseModel):
    text: int


class TestErrorMiddleware:
    async def test_an_unexpected_error_becomes_a_problem_and_a_logged_traceback_that_quotes_nothing(self, caplog):
        async def breaks(scope, receive, send):
            Note.model_validate({"text": SAID})

        transport = httpx.ASGITransport(ErrorMiddleware(breaks, WORDS))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            response = await http.get("/api", headers={"Accept-Language": "en-GB"})
        assert (response.status_code, response.json()["title"]) == (500, WORDS.problem("internal", Locale.EN)[0])
        assert "Traceback" not in response.text
        assert "in breaks" in caplog.text
        assert "ValidationError" in caplog.text
        assert SAID not in caplog.text

    async def test_an_error_after_the_response_start_ends_the_response_and_is_logged(self, caplog):
        sent = []

        async def half(scope, receive, send):
            await send({"type": "http.response.start", "status": 200, "headers": []})
            raise RuntimeError

        async def send(message):
            sent.append(message["type"])

        await ErrorMiddleware(half, WORDS)(request_of().scope, None, send)
        assert sent == ["http.response.start"]
        assert "RuntimeError" in caplog.text
