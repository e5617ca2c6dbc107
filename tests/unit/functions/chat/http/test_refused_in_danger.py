"""A message in danger that is refused or gets no turn: the response lists the help lines; flags and audit are right."""

import json
from uuid import uuid4

import pytest

from shared.adapters.documents import writes
from shared.domain.conversation import Budget
from shared.domain.counseling.session import SessionStatus
from shared.domain.counseling.staff_review import NEWEST_SEQS
from shared.domain.errors import DocumentTooNew, DocumentUnreadable, StoreUnavailable
from shared.domain.usage import UsageEntry, Used, service_day
from shared.engine.capacity import Phase
from shared.engine.user_usage import DANGER_FACTOR
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.builders.danger_service import CALLS, LINE, PER_MINUTE, PLAIN, SAID, SENTENCE, Service, helps
from tests.builders.staff_reviews import QUEUE
from tests.unit.functions.chat.conftest import ALL, MINE, SSE, events_in

HIDING = "남편이 때려서 지금 화장실에 숨어 있어요"


async def store_unavailable(*_args, **_more):
    raise StoreUnavailable("away")


async def opened(locale="ko", *, ended=False, **more):
    service = Service(locale)
    await service.open(**more)
    if ended:
        await end(service)
    return service


@pytest.fixture(params=["ko", "en"])
async def service(request):
    return await opened(request.param)


@pytest.fixture
async def korean():
    return await opened()


async def end(service):
    await service.call("POST", f"{ALL}/{service.id}/end")


async def rate(service, comment, rating=1):
    return await service.call("POST", f"{ALL}/{service.id}/satisfaction", rating=rating, comment=comment)


async def audited(service):
    return [doc.data for doc in await service.database.tree("audit") if doc.data["action"] == "after_end"]


class TestInAnEndedSession:
    async def test_the_response_lists_help_lines_and_reviewers_get_a_flag_without_the_words(self, service):
        await end(service)
        plain = (await service.send(PLAIN[service.locale])).json()
        assert (plain["code"], "resources" in plain) == ("session_ended", False)
        assert SENTENCE[service.locale] not in plain["detail"]
        assert await service.queue() == []
        helps(service, await service.send(SAID[service.locale]), 409, "session_ended")
        (entry,) = await service.queue()
        assert (entry["conversation_id"], entry["priority"], entry["after_end"]) == (service.id, "crisis", True)
        assert "after_end" in entry["flags"][0]["rules"]
        stored = await service.everything()
        assert "after_end" in stored
        assert SAID[service.locale] not in stored

    async def test_a_reviewed_conversation_is_queued_again_for_each_new_message(self, service):
        await end(service)
        for note in ("하나", "둘"):
            await service.send(SAID[service.locale])
            assert len(await service.queue()) == 1
            look = (await service.call("GET", f"{QUEUE}/{service.id}", "rae/reviewer")).json()["look"]
            await service.call("POST", f"{QUEUE}/{service.id}/seen", "rae/reviewer", note=note, look=look)
            assert await service.queue() == []

    async def test_a_message_or_comment_of_a_minor_is_answered_with_the_youth_line(self):
        service = await opened(ended=True, age_band="14_18")
        for answered in (await service.send(SAID["ko"]), await rate(service, SAID["ko"])):
            assert "1388" in [line["number"] for line in answered.json()["resources"]]

    async def test_violence_at_this_moment_lists_the_police_and_is_flagged(self):
        service = await opened(ended=True)
        problem = (await service.send(HIDING)).json()
        assert any("112" in line["number"] for line in problem["resources"])
        assert [entry["priority"] for entry in await service.queue()] == ["abuse_now"]

    async def test_a_repeated_message_is_counted_audited_and_logged_once(self, caplog):
        service, body = await opened(ended=True), {"message_id": str(uuid4()), "text": SAID["ko"]}
        for _ in range(4):
            helps(service, await service.call("POST", f"{ALL}/{service.id}/chat", **body), 409, "session_ended")
        (entry,) = await service.queue()
        assert (entry["flags"][0]["count"], len(await audited(service))) == (1, 1)
        assert caplog.text.count("crisis_detected") == 1
        assert body["message_id"] not in str(await audited(service))

    async def test_audit_lines_of_unreviewed_messages_are_bounded_and_another_danger_adds_one(self):
        service = await opened(ended=True)
        for _ in range(NEWEST_SEQS + 3):
            await service.send(SAID["ko"])
        assert len(await audited(service)) == NEWEST_SEQS
        for _ in range(2):
            await service.send(HIDING)
        (entry,) = await service.queue()
        assert (entry["priority"], len(await audited(service))) == ("abuse_now", NEWEST_SEQS + 1)

    async def test_a_danger_that_cannot_be_stored_is_logged(self, caplog):
        service = await opened(ended=True)
        service.store.save_state = store_unavailable
        helps(service, await service.send(SAID["ko"]), 409, "session_ended")
        assert "crisis_detected level=crisis" in caplog.text


async def test_without_consent_the_response_lists_help_lines_and_nothing_is_stored(service, caplog):
    withdrawn = await service.call("PUT", MINE, consents={"sensitive_data": False, "terms": False})
    assert withdrawn.status_code == 200, withdrawn.text
    before = await service.everything()
    problem = helps(service, await service.send(SAID[service.locale]), 403, "consent_required")
    titles = ("이용약관", "민감정보") if service.locale == "ko" else ("terms of use", "sensitive (health) data")
    assert all(title in problem["detail"] for title in titles)
    assert "sensitive_data" not in problem["detail"]
    assert {consent["id"] for consent in problem["consents"]} == {"terms", "sensitive_data"}
    assert await service.everything() == before
    await service.set(ended_at=service.clock.now(), status=SessionStatus.COMPLETED)
    before = await service.everything()
    caplog.clear()
    helps(service, await service.send(SAID[service.locale]), 409, "session_ended")
    assert await service.everything() == before
    assert "crisis_detected" not in caplog.text


@pytest.mark.parametrize("length", [4_899, 15_000])
@pytest.mark.parametrize("where", ["{said} {filler}", "{filler} {said}", "{half} {said} {half}"])
async def test_a_too_long_message_is_screened_at_its_beginning_and_its_end(service, where, length):
    filler = f"{PLAIN[service.locale]}. " * (length // len(PLAIN[service.locale]))
    text = where.format(said=SAID[service.locale], filler=filler[:length], half=filler[: length // 2])
    answered = await service.send(text)
    if "half" in where and length > 8_000:
        assert "resources" not in answered.json(), "the middle is not screened"
    else:
        helps(service, answered, 413, "text_too_long")


async def test_danger_has_a_wider_rate_limit_whose_refusal_lists_help_lines(service):
    for _ in range(PER_MINUTE * DANGER_FACTOR):
        answered = await service.send(SAID[service.locale])
        assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"]), answered.text
    for text in (SAID, PLAIN):
        helps(service, await service.send(text[service.locale]), 429, "too_many_requests")
    assert service.model.requests == []


async def test_danger_is_answered_without_a_model_when_the_model_budget_is_spent(service):
    await service.set(budget=Budget(llm_calls=CALLS))
    assert (await service.send(PLAIN[service.locale])).json()["code"] == "budget_spent"
    answered = await service.send(SAID[service.locale])
    assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"])
    assert LINE[service.locale] in answered.json()["reply"]
    assert service.model.requests == []


@pytest.mark.parametrize("conversation_id", ["nothing", "a.b"])
async def test_an_unknown_conversation_is_answered_with_help_lines(service, conversation_id):
    service.id = conversation_id
    helps(service, await service.send(SAID[service.locale]), 404, "not_found")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(StoreUnavailable("away"), 503, "store_unavailable"), (ValueError("a defect"), 500, "internal")],
)
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_failure_of_the_engine_is_answered_with_help_lines(service, error, status, code, accept):
    async def broken(message):
        raise error

    service.parts.turns.submit = broken
    helps(service, await service.send(SAID[service.locale], {"Accept": accept}), status, code)


@pytest.mark.parametrize("unreadable", [DocumentTooNew, DocumentUnreadable])
async def test_an_unreadable_session_is_answered_with_help_lines(korean, unreadable):
    async def load(conversation_id):
        raise unreadable(f"sessions/{conversation_id}", "x")

    korean.store.load = load
    helps(korean, await korean.send(SAID["ko"]), 500, "internal")


async def test_the_stream_of_a_failed_turn_lists_help_lines_at_first_and_when_read_again(service):
    service.store.commit_turn = store_unavailable
    message_id = str(uuid4())
    body = {"message_id": message_id, "text": SAID[service.locale], "headers": SSE}
    first = await service.call("POST", f"{ALL}/{service.id}/chat", **body)
    address = f"{ALL}/{service.id}/turns/{message_id}"
    for answered in (first, await service.call("GET", address, headers=SSE)):
        failed = dict(await events_in(answered))["error"]
        assert LINE[service.locale] in " ".join(line["number"] for line in failed["resources"])
        assert SENTENCE[service.locale] in failed["detail"]
    by_another = await service.call("GET", address, who="bob", headers=SSE)
    assert (by_another.status_code, "resources" in by_another.json()) == (404, False)


@pytest.mark.parametrize(
    "wrong", [{"message_id": "mine"}, {"more": 1}, {"document_id": 5}, {"text": f"{SAID['ko']}\ud800"}]
)
async def test_the_text_of_an_invalid_request_is_screened(korean, wrong):
    body = json.dumps({"message_id": str(uuid4()), "text": SAID["ko"], **wrong})
    async with korean.client() as client:
        path = f"{ALL}/{korean.id}/chat"
        answered = await client.post(path, content=body, headers={"Content-Type": "application/json"})
    helps(korean, answered, 422, "invalid_request")


@pytest.mark.parametrize("text", [PLAIN["ko"], None, [SAID["ko"]], {}])
async def test_an_invalid_request_without_danger_is_refused_without_help_lines(korean, text):
    answered = await korean.call("POST", f"{ALL}/{korean.id}/chat", message_id="mine", text=text)
    assert (answered.status_code, "resources" in answered.json()) == (422, False)


@pytest.mark.parametrize("flow", ["minimal", "gone"])
async def test_the_protocol_answers_in_a_conversation_of_any_flow(korean, flow):
    await korean.set(flow=flow)
    answered = await korean.send(SAID["ko"])
    assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"])
    assert LINE["ko"] in answered.json()["reply"]


class TestAnAnswerToTheProtocol:
    """It has no word of danger itself; the question before it has."""

    FOLLOWED = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, since_seq=1, last_seq=1)
    ASKED = Risk(asked_seq=0)

    @pytest.fixture(params=[(FOLLOWED, "이미 먹었어요"), (ASKED, "네")], ids=["attempt", "yes"])
    async def answer(self, request):
        risk, text = request.param
        service = Service("ko", turns=1)
        await service.open()
        await service.set(risk=risk)
        return service, text

    async def test_is_answered_by_a_full_and_by_a_draining_instance(self, answer):
        service, text = answer
        service.parts.turns.capacity.take("another", "bob", stored=True, pressing=False)
        service.parts.turns.capacity.phase = Phase.DRAINING
        answered = await service.send(text)
        assert answered.status_code == 200, answered.text
        assert LINE["ko"] in answered.json()["reply"]

    @pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
    async def test_is_refused_with_help_lines_when_the_instance_is_closed(self, answer, accept):
        service, text = answer
        service.parts.turns.capacity.phase = Phase.CLOSED
        helps(service, await service.send(text, {"Accept": accept}), 503, "shutting_down")

    async def test_has_wider_limits_whose_refusal_lists_help_lines(self, answer):
        service, text = answer
        await service.set(budget=Budget(llm_calls=CALLS))
        for _ in range(PER_MINUTE + 1):
            assert (await service.send(text)).status_code == 200
        await service.set(budget=Budget(llm_calls=CALLS * DANGER_FACTOR))
        helps(service, await service.send(text), 429, "budget_spent")

    async def test_is_refused_with_help_lines_at_the_daily_limit(self, answer):
        service, text = answer
        spent = UsageEntry("ann", service_day(service.clock.now()), Used(messages=10_000))
        await service.database.commit([writes.usage(spent)])
        for said in (text, "글쎄요"):  # the instance reads the usage at its own commit
            await service.send(said)
        helps(service, await service.send("글쎄요"), 429, "daily_limit")

    async def test_is_answered_with_help_lines_when_its_turn_fails(self, answer):
        service, text = answer
        service.store.commit_turn = store_unavailable
        helps(service, await service.send(text), 503, "store_unavailable")


class TestInACommentOfARating:
    async def ratings(self, service):
        found = [one.data for one in await service.database.tree(f"sessions/{service.id}") if "/ratings/" in one.path]
        return [(kept["rating"], kept["comment"]) for kept in found]

    async def test_the_response_lists_help_lines_and_reviewers_get_a_flag(self, service):
        await end(service)
        harmless = await rate(service, PLAIN[service.locale], rating=4)
        assert (harmless.status_code, harmless.content, await service.queue()) == (204, b"", [])
        comment = f"{PLAIN[service.locale]}. {SAID[service.locale]}"
        answered = await rate(service, comment)
        assert answered.status_code == 200, answered.text
        told = answered.json()
        assert LINE[service.locale] in " ".join(line["number"] for line in told["resources"])
        assert SENTENCE[service.locale] in told["message"]
        (entry,) = await service.queue()
        assert (entry["conversation_id"], entry["priority"], entry["after_end"]) == (service.id, "crisis", True)
        assert sorted(await self.ratings(service)) == [(1, comment), (4, PLAIN[service.locale])]
        await rate(service, SAID[service.locale])
        assert len(await audited(service)) == 2
        assert SAID[service.locale] not in str(await service.database.tree("audit"))

    async def test_a_refused_rating_lists_help_lines_and_is_not_stored(self, service):
        helps(service, await rate(service, SAID[service.locale]), 409, "session_open")
        helps(service, await rate(service, SAID[service.locale], rating=9), 422, "invalid_request")
        await end(service)
        helps(service, await rate(service, SAID[service.locale] + " " * 1001), 422, "invalid_request")
        assert (await service.queue(), await self.ratings(service)) == ([], [])

    async def test_without_consent_the_response_lists_help_lines_and_nothing_is_stored(self, service):
        await end(service)
        await service.call("PUT", MINE, consents={"sensitive_data": False})
        before = await service.everything()
        helps(service, await rate(service, SAID[service.locale]), 403, "consent_required")
        assert await service.everything() == before

    async def test_the_rating_of_a_user_under_14_is_stored_without_the_comment(self, korean):
        await korean.send("저 초등학교 5학년이에요")
        await end(korean)
        assert (await rate(korean, "선생님이 친절했어요", rating=5)).status_code == 204
        assert await self.ratings(korean) == [(5, "")]
