"""A message that tells of a danger, against all that may refuse it or keep it from its turn: its sender is told who
can help, and what is noted of it is true.
"""

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


async def away(*_args, **_more):
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


async def send(service, **body):
    return await service.call("POST", f"{ALL}/{service.id}/chat", **body)


async def audited(service):
    return [doc.data for doc in await service.database.tree("audit") if doc.data["action"] == "after_end"]


class TestInAnEndedSession:
    async def test_it_names_help_and_brings_it_to_the_reviewers_without_its_words(self, service):
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

    async def test_one_that_was_seen_it_opens_again(self, service):
        await end(service)
        for note in ("하나", "둘"):
            await service.send(SAID[service.locale])
            assert len(await service.queue()) == 1
            look = (await service.call("GET", f"{QUEUE}/{service.id}", "rae/reviewer")).json()["look"]
            await service.call("POST", f"{QUEUE}/{service.id}/seen", "rae/reviewer", note=note, look=look)
            assert await service.queue() == []

    async def test_of_somebody_young_it_names_the_line_for_the_young(self):
        service = await opened(ended=True, age_band="14_18")
        problem = helps(service, await service.send(SAID["ko"]), 409, "session_ended")
        assert "1388" in [line["number"] for line in problem["resources"]]

    async def test_violence_at_this_moment_is_heeded_as_well(self):
        service = await opened(ended=True)
        problem = (await service.send(HIDING)).json()
        assert any("112" in line["number"] for line in problem["resources"])
        assert [entry["priority"] for entry in await service.queue()] == ["abuse_now"]

    async def test_one_message_is_noted_once_however_often_it_is_sent(self, caplog):
        service, body = await opened(ended=True), {"message_id": str(uuid4()), "text": SAID["ko"]}
        for _ in range(4):
            helps(service, await send(service, **body), 409, "session_ended")
        (entry,) = await service.queue()
        assert (entry["flags"][0]["count"], len(await audited(service))) == (1, 1)
        assert caplog.text.count("crisis_detected") == 1
        assert body["message_id"] not in str(await audited(service))

    async def test_of_many_that_nobody_looks_at_only_another_danger_is_news(self):
        service = await opened(ended=True)
        for _ in range(NEWEST_SEQS + 3):
            await service.send(SAID["ko"])
        assert len(await audited(service)) == NEWEST_SEQS
        for _ in range(2):
            await service.send(HIDING)
        (entry,) = await service.queue()
        assert (entry["priority"], len(await audited(service))) == ("abuse_now", NEWEST_SEQS + 1)

    async def test_it_is_in_the_log_when_the_store_failed_to_take_it(self, caplog):
        service = await opened(ended=True)
        service.store.save_state = away
        helps(service, await service.send(SAID["ko"]), 409, "session_ended")
        assert "crisis_detected level=crisis" in caplog.text


async def test_without_consent_it_names_help_and_leaves_nothing_at_all(service, caplog):
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
async def test_too_long_it_is_read_at_its_beginning_and_its_end(service, where, length):
    filler = f"{PLAIN[service.locale]}. " * (length // len(PLAIN[service.locale]))
    text = where.format(said=SAID[service.locale], filler=filler[:length], half=filler[: length // 2])
    answered = await service.send(text)
    if "half" in where and length > 8_000:
        assert "resources" not in answered.json(), "what is between the two ends is not read"
    else:
        helps(service, answered, 413, "text_too_long")


async def test_too_often_it_is_answered_all_the_same_up_to_a_bound_that_names_help(service):
    for _ in range(PER_MINUTE * DANGER_FACTOR):
        answered = await service.send(SAID[service.locale])
        assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"]), answered.text
    for text in (SAID, PLAIN):
        helps(service, await service.send(text[service.locale]), 429, "too_many_requests")
    assert service.model.requests == []


async def test_when_the_model_budget_is_spent_it_is_answered_without_a_model(service):
    await service.set(budget=Budget(llm_calls=CALLS))
    assert (await service.send(PLAIN[service.locale])).json()["code"] == "budget_spent"
    answered = await service.send(SAID[service.locale])
    assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"])
    assert LINE[service.locale] in answered.json()["reply"]
    assert service.model.requests == []


@pytest.mark.parametrize("conversation_id", ["nothing", "a.b"])
async def test_where_there_is_or_can_be_no_such_conversation_it_names_help(service, conversation_id):
    service.id = conversation_id
    helps(service, await service.send(SAID[service.locale]), 404, "not_found")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(StoreUnavailable("away"), 503, "store_unavailable"), (ValueError("a defect"), 500, "internal")],
)
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_where_the_service_breaks_it_names_help(service, error, status, code, accept):
    async def broken(message):
        raise error

    service.parts.turns.submit = broken
    helps(service, await service.send(SAID[service.locale], {"Accept": accept}), status, code)


@pytest.mark.parametrize("unreadable", [DocumentTooNew, DocumentUnreadable])
async def test_where_its_session_cannot_be_read_it_names_help(korean, unreadable):
    async def load(conversation_id):
        raise unreadable(f"sessions/{conversation_id}", "x")

    korean.store.load = load
    helps(korean, await korean.send(SAID["ko"]), 500, "internal")


async def test_when_its_turn_fails_midway_its_stream_names_help_now_and_when_it_is_asked_for_again(service):
    service.store.commit_turn = away
    message_id = str(uuid4())
    first = await send(service, message_id=message_id, text=SAID[service.locale], headers=SSE)
    address = f"{ALL}/{service.id}/turns/{message_id}"
    for answered in (first, await service.call("GET", address, headers=SSE)):
        failed = dict(events_in(answered.text))["error"]
        assert LINE[service.locale] in " ".join(line["number"] for line in failed["resources"])
        assert SENTENCE[service.locale] in failed["detail"]
    by_another = await service.call("GET", address, who="bob", headers=SSE)
    assert (by_another.status_code, "resources" in by_another.json()) == (404, False)


@pytest.mark.parametrize(
    "wrong", [{"message_id": "mine"}, {"more": 1}, {"document_id": 5}, {"text": f"{SAID['ko']}\ud800"}]
)
async def test_whatever_else_does_not_fit_its_text_is_read(korean, wrong):
    body = json.dumps({"message_id": str(uuid4()), "text": SAID["ko"], **wrong})
    async with korean.client() as client:
        path = f"{ALL}/{korean.id}/chat"
        answered = await client.post(path, content=body, headers={"Content-Type": "application/json"})
    helps(korean, answered, 422, "invalid_request")


@pytest.mark.parametrize("text", [PLAIN["ko"], None, [SAID["ko"]], {}])
async def test_what_is_no_danger_or_no_text_is_refused_as_ever(korean, text):
    answered = await send(korean, message_id="mine", text=text)
    assert (answered.status_code, "resources" in answered.json()) == (422, False)


@pytest.mark.parametrize("flow", ["minimal", "gone"])
async def test_whichever_flow_a_conversation_is_said_to_be_in_the_protocol_answers(korean, flow):
    await korean.set(flow=flow)
    answered = await korean.send(SAID["ko"])
    assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"])
    assert LINE["ko"] in answered.json()["reply"]


class TestAnAnswerInAConversationAboutADanger:
    """It has no word of danger in it: what it answers has."""

    FOLLOWED = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, since_seq=1, last_seq=1)
    ASKED = Risk(asked_seq=0)

    @pytest.fixture(params=[(FOLLOWED, "이미 먹었어요"), (ASKED, "네")], ids=["what was done", "a yes"])
    async def answer(self, request):
        risk, text = request.param
        service = Service("ko", turns=1)
        await service.open()
        await service.set(risk=risk)
        return service, text

    async def test_is_taken_by_a_full_instance_and_by_one_that_leaves(self, answer):
        service, text = answer
        service.parts.turns.capacity.take("another", stored=True, pressing=False)
        service.parts.turns.capacity.phase = Phase.DRAINING
        answered = await service.send(text)
        assert answered.status_code == 200, answered.text
        assert LINE["ko"] in answered.json()["reply"]

    @pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
    async def test_names_help_where_no_instance_is_left_to_answer_it(self, answer, accept):
        service, text = answer
        service.parts.turns.capacity.phase = Phase.CLOSED
        helps(service, await service.send(text, {"Accept": accept}), 503, "shutting_down")

    async def test_has_wider_limits_and_what_passes_them_names_help(self, answer):
        service, text = answer
        await service.set(budget=Budget(llm_calls=CALLS))
        for _ in range(PER_MINUTE + 1):
            assert (await service.send(text)).status_code == 200
        await service.set(budget=Budget(llm_calls=CALLS * DANGER_FACTOR))
        helps(service, await service.send(text), 429, "budget_spent")

    async def test_names_help_when_the_day_is_used_up(self, answer):
        service, text = answer
        spent = UsageEntry("ann", service_day(service.clock.now()), Used(messages=10_000))
        await service.database.commit([writes.usage(spent)])
        *_, last = [await service.send(said) for said in (text, "글쎄요", "글쎄요")]  # it hears of it by its own commit
        helps(service, last, 429, "daily_limit")

    async def test_names_help_when_its_turn_fails(self, answer):
        service, text = answer
        service.store.commit_turn = away
        helps(service, await service.send(text), 503, "store_unavailable")


class TestInACommentBesideARating:
    async def rate(self, service, comment, rating=1):
        return await service.call("POST", f"{ALL}/{service.id}/satisfaction", rating=rating, comment=comment)

    async def ratings(self, service):
        found = [one.data for one in await service.database.tree(f"sessions/{service.id}") if "/ratings/" in one.path]
        return [(kept["rating"], kept["comment"]) for kept in found]

    async def test_it_is_answered_with_who_can_help_and_brought_to_the_reviewers(self, service):
        await end(service)
        harmless = await self.rate(service, PLAIN[service.locale], rating=4)
        assert (harmless.status_code, harmless.content, await service.queue()) == (204, b"", [])
        comment = f"{PLAIN[service.locale]}. {SAID[service.locale]}"
        answered = await self.rate(service, comment)
        assert answered.status_code == 200, answered.text
        told = answered.json()
        assert LINE[service.locale] in " ".join(line["number"] for line in told["resources"])
        assert SENTENCE[service.locale] in told["message"]
        (entry,) = await service.queue()
        assert (entry["conversation_id"], entry["priority"], entry["after_end"]) == (service.id, "crisis", True)
        assert sorted(await self.ratings(service)) == [(1, comment), (4, PLAIN[service.locale])]
        await self.rate(service, SAID[service.locale])
        assert len(await audited(service)) == 2
        assert SAID[service.locale] not in str(await service.database.tree("audit"))

    async def test_it_is_heeded_where_the_rating_is_refused(self, service):
        helps(service, await self.rate(service, SAID[service.locale]), 409, "session_open")
        helps(service, await self.rate(service, SAID[service.locale], rating=9), 422, "invalid_request")
        await end(service)
        helps(service, await self.rate(service, SAID[service.locale] + " " * 1001), 422, "invalid_request")
        assert (await service.queue(), await self.ratings(service)) == ([], [])

    async def test_without_consent_it_names_help_and_leaves_nothing_at_all(self, service):
        await end(service)
        await service.call("PUT", MINE, consents={"sensitive_data": False})
        before = await service.everything()
        helps(service, await self.rate(service, SAID[service.locale]), 403, "consent_required")
        assert await service.everything() == before

    async def test_of_somebody_young_it_names_the_line_for_the_young(self):
        told = (await self.rate(await opened(ended=True, age_band="14_18"), SAID["ko"])).json()
        assert "1388" in [line["number"] for line in told["resources"]]

    async def test_of_somebody_under_14_the_points_are_kept_and_not_the_comment(self, korean):
        await korean.send("저 초등학교 5학년이에요")
        await end(korean)
        assert (await self.rate(korean, "선생님이 친절했어요", rating=5)).status_code == 204
        assert await self.ratings(korean) == [(5, "")]
