import json
import re

import pytest
from starlette.exceptions import HTTPException

from shared.content.catalogue import content
from shared.contracts.events import Failed
from shared.domain import errors
from shared.domain.errors import CBotError
from shared.locale import Locale
from shared.safety.needs import Need
from shared.web.danger import DangerNotice, note_danger
from shared.web.errors import BodyTooLarge, MethodNotAllowed, RequestTimeout
from shared.web.faults import DoesNotFit, FieldFault
from shared.web.problem_texts import ContentProblemTexts
from shared.web.problems import (
    STATUS,
    error_classes,
    error_handlers,
    problem_of,
    problem_of_failed,
    problem_response,
    status_of,
)

LEAVES = [error for error in error_classes() if not error.__subclasses__() and error.__module__.startswith("shared.")]
WORDS = ContentProblemTexts(content())


def test_every_error_has_a_place_in_the_status_map():
    assert [error for error in LEAVES if not any(ancestor in STATUS for ancestor in error.__mro__)] == []


def test_every_public_error_has_words_of_its_own():
    assert {
        (locale, error): got
        for locale in Locale
        for error in [error for error in error_classes() if status_of(error) != 500]
        if (got := WORDS.problem(error.code, locale)) == WORDS.problem("internal", locale)
    } == {}


def test_an_error_of_ours_that_nobody_placed_is_internal(texts):
    class Unplaced(CBotError):
        code = "secret_detail"

    problem = problem_of(Unplaced("inside"), texts, Locale.KO)

    assert (problem.status, problem.code) == (500, "internal")


def test_an_error_becomes_its_problem(subtests):
    cases = [
        (errors.InvalidInput("x"), 422, "invalid_request", None),
        (errors.EmptyText(), 422, "empty_text", None),
        (errors.TextTooLong(5000, 4000), 413, "text_too_long", None),
        (errors.Unauthenticated("no"), 401, "unauthenticated", None),
        (errors.ConsentRequired(("terms",)), 403, "consent_required", None),
        (errors.GuardianRequired(), 403, "guardian_required", None),
        (errors.NotFound("x"), 404, "not_found", None),
        (errors.MessageIdConflict("x"), 409, "message_id_conflict", None),
        (errors.SessionEnded(), 409, "session_ended", None),
        (errors.SessionOpen(), 409, "session_open", None),
        (errors.TooManyRequests(60, "messages"), 429, "too_many_requests", 60),
        (errors.BudgetSpent(), 429, "budget_spent", None),
        (errors.TurnPending(7), 503, "turn_pending", 7),
        (errors.StoreUnavailable(), 503, "store_unavailable", 5),
        (errors.LeaseLost("c", 1), 503, "lease_lost", 5),
        (errors.VersionConflict("p"), 500, "internal", None),
        (errors.ModelTimeout("slow"), 500, "internal", None),
        (errors.ConfigError("x"), 500, "internal", None),
        (MethodNotAllowed(), 405, "method_not_allowed", None),
        (errors.Overloaded(3), 503, "overloaded", 3),
        (errors.ShuttingDown(), 503, "shutting_down", 1),
        (RequestTimeout(15), 408, "request_timeout", None),
        (BodyTooLarge(10), 413, "body_too_large", None),
    ]
    for error, status, code, retry_after in cases:
        with subtests.test(error=error):
            problem = problem_of(error, WORDS, Locale.KO)
            response = problem_response(problem, Locale.KO)

            assert (problem.status, problem.code, problem.retry_after) == (status, code, retry_after)
            assert response.headers.get("retry-after") == (str(retry_after) if retry_after else None)
            assert response.headers["content-type"] == "application/problem+json"
            assert response.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)
            assert not re.search(r"[{}]", problem.detail)


def test_the_detail_is_in_the_callers_language_with_the_errors_fields():
    error = errors.TextTooLong(5000, 4000)
    assert problem_of(error, WORDS, Locale.KO).detail.startswith("한 번에 4000자까지")
    assert "4000 characters and yours has 5000" in problem_of(error, WORDS, Locale.EN).detail


def test_what_does_not_fit_is_worded_in_the_callers_language(subtests):
    cases = [
        (
            FieldFault("bool_type", "consents.terms"),
            "consents.terms: 참이나 거짓",
            "consents.terms: must be true or false",
        ),
        (FieldFault("less_than_equal", "limit", limit="100"), "limit: 100 이하", "limit: must be at most 100"),
        (FieldFault("literal_error", "locale", expected="'ko', 'en'"), "locale: 다음 가운데 하나", "one of 'ko', 'en'"),
        (FieldFault("model_type"), "요청: JSON 객체", "request: must be a JSON object"),
        (FieldFault("a_type_of_the_future", "rating"), "rating: 받을 수 없는 값", "rating: is not accepted"),
        (
            FieldFault("literal_error", "x", expected="{field}"),
            "x: 다음 가운데 하나여야 해요: {field}",
            "one of {field}",
        ),
    ]
    for fault, ko, en in cases:
        with subtests.test(ko=ko):
            error = DoesNotFit((fault, FieldFault("missing", "age_band")))

            korean, english = (problem_of(error, WORDS, locale) for locale in (Locale.KO, Locale.EN))

            assert ko in korean.detail
            assert "age_band: 빠졌어요" in korean.detail
            assert en in english.detail
            assert "age_band: is missing" in english.detail
            assert (korean.status, korean.code) == (422, "invalid_request")


def test_missing_consents_are_listed_by_what_people_call_them(subtests):
    cases = [(Locale.KO, "이용약관, 개인정보의 국외 이전"), (Locale.EN, "terms of use, transfer of data abroad")]
    for locale, listed in cases:
        with subtests.test(locale=locale):
            detail = problem_of(errors.ConsentRequired(("terms", "overseas_transfer")), WORDS, locale).detail
            assert listed in detail
            assert "overseas_transfer" not in detail


def test_every_consent_has_what_people_call_it():
    for text in content().consents.consents:
        for locale in Locale:
            assert WORDS.consent(text.id, locale) != WORDS.consent("", locale)


@pytest.mark.parametrize("locale", list(Locale))
def test_a_turn_that_lacked_a_consent_is_worded_without_a_gap(locale):
    detail = problem_of_failed(Failed(code="consent_required", detail="", retryable=False), WORDS, locale).detail
    assert WORDS.consent("", locale) in detail


def test_to_somebody_in_danger_every_problem_says_who_can_help(subtests):
    for error in (errors.SessionEnded(), errors.VersionConflict("p"), errors.NotFound("x")):
        with subtests.test(error=error):
            problem = problem_of(error, WORDS, Locale.KO, DangerNotice((Need.LIFE,)))
            plain = problem_of(error, WORDS, Locale.KO)
            assert "109" in [line.number for line in problem.resources]
            assert problem.detail.startswith(plain.detail)
            assert "109" in problem.detail
            assert plain.resources is None


async def test_what_was_noted_of_a_request_goes_into_whatever_answers_it(texts, request_of):
    request = request_of(accept_language="en")
    note_danger(request.scope, DangerNotice((Need.LIFE,)))
    for kind, error in ((CBotError, errors.SessionEnded()), (CBotError, RuntimeError())):
        body = json.loads((await error_handlers(texts)[kind](request, error)).body)
        assert body["resources"] == [{"name": "line", "number": "109", "hours": ""}]
        assert body["detail"].endswith("help en line 109")


def test_a_field_that_the_error_lacks_leaves_a_gap(texts):
    assert problem_of(errors.SessionEnded(), texts, Locale.EN).detail == "|||None"


def test_a_failed_turn_gets_the_status_of_its_code(subtests):
    cases = [("turn_pending", 503), ("store_unavailable", 503), ("model_timeout", 500), ("unheard_of", 500)]
    for code, status in cases:
        with subtests.test(code=code):
            problem = problem_of_failed(Failed(code=code, detail="", retryable=True), WORDS, Locale.KO)
            assert problem.status == status
            assert problem.code == (code if status != 500 else "internal")
            assert problem.detail
            assert "None" not in problem.detail


async def test_starlettes_own_405_keeps_its_allow_header(texts, request_of):
    handler = error_handlers(texts)[HTTPException]
    response = await handler(request_of(accept_language="en"), HTTPException(405, headers={"Allow": "GET"}))
    assert (response.status_code, response.headers["allow"]) == (405, "GET")
    assert json.loads(response.body)["title"] == "method_not_allowed en"


async def test_only_what_is_our_fault_is_logged(texts, request_of, caplog):
    handler = error_handlers(texts)[CBotError]
    await handler(request_of(), errors.NotFound("conversation"))
    assert not caplog.records
    await handler(request_of(), errors.VersionConflict("sessions/1"))
    assert "VersionConflict: sessions/1 was changed" in caplog.text
