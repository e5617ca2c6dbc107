"""A message that tells of a danger, against all that may refuse it: whoever gets no reply is told who can help."""

import json

import pytest

from shared.adapters.documents import writes
from shared.domain.conversation import Budget
from shared.domain.counseling.session import SessionStatus
from shared.domain.errors import StoreUnavailable
from shared.domain.usage import UsageEntry, Used, service_day
from shared.engine.capacity import Phase
from shared.engine.user_usage import DANGER_FACTOR
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.fakes.danger_service import CALLS, LINE, PER_MINUTE, PLAIN, SAID, SENTENCE, Service, helps
from tests.support.reviewing import QUEUE


@pytest.fixture(params=["ko", "en"])
async def service(request):
    service = Service(request.param)
    await service.open()
    return service


async def test_in_an_ended_session_it_names_help_and_brings_it_to_the_reviewers_without_its_words(service):
    await service.call("POST", f"/api/conversations/{service.id}/end")
    assert await service.queue() == []
    helps(service, await service.send(SAID[service.locale]), 409, "session_ended")
    (entry,) = await service.queue()
    assert (entry["conversation_id"], entry["priority"], entry["after_end"]) == (service.id, "crisis", True)
    assert "after_end" in entry["flags"][0]["rules"]
    stored = await service.everything()
    assert "after_end" in stored
    assert SAID[service.locale] not in stored


async def test_in_an_ended_session_that_was_seen_it_opens_it_again(service):
    await service.call("POST", f"/api/conversations/{service.id}/end")
    for note in ("하나", "둘"):
        await service.send(SAID[service.locale])
        assert len(await service.queue()) == 1
        look = (await service.call("GET", f"{QUEUE}/{service.id}", "rae/reviewer")).json()["look"]
        await service.call("POST", f"{QUEUE}/{service.id}/seen", "rae/reviewer", note=note, look=look)
        assert await service.queue() == []


async def test_without_consent_it_names_help_and_leaves_nothing_at_all(service):
    withdrawn = await service.call("PUT", "/api/me/consents", consents={"sensitive_data": False, "terms": False})
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
    helps(service, await service.send(SAID[service.locale]), 409, "session_ended")
    assert await service.everything() == before


async def test_too_long_it_is_read_at_its_beginning_and_its_end(service, subtests):
    for where in ("{said} {filler}", "{filler} {said}", "{half} {said} {half}"):
        for length in (4_899, 15_000):
            with subtests.test(where=where, length=length):
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
    helps(service, await service.send(SAID[service.locale]), 429, "too_many_requests")
    plain = await service.send(PLAIN[service.locale])
    helps(service, plain, 429, "too_many_requests")
    assert service.model.requests == []


async def test_when_the_model_budget_is_spent_it_is_answered_without_a_model(service):
    await service.set(budget=Budget(llm_calls=CALLS))
    assert (await service.send(PLAIN[service.locale])).json()["code"] == "budget_spent"
    answered = await service.send(SAID[service.locale])
    assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"])
    assert LINE[service.locale] in answered.json()["reply"]
    assert service.model.requests == []


async def test_where_there_is_no_such_conversation_it_names_help(service):
    service.id = "nothing"
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


async def test_when_its_turn_fails_midway_its_stream_names_help(service):
    async def broken(*_args, **_more):
        raise StoreUnavailable("away")

    service.store.commit_turn = broken
    answered = await service.send(SAID[service.locale], {"Accept": "text/event-stream"})
    (failed,) = [
        json.loads(block.split("data: ")[1]) for block in answered.text.split("\r\n\r\n") if "event: error" in block
    ]
    assert LINE[service.locale] in " ".join(line["number"] for line in failed["resources"])
    assert SENTENCE[service.locale] in failed["detail"]


async def test_of_somebody_young_it_names_the_line_for_the_young():
    service = Service("ko")
    await service.open(age_band="14_18")
    await service.call("POST", f"/api/conversations/{service.id}/end")
    problem = helps(service, await service.send(SAID["ko"]), 409, "session_ended")
    assert "1388" in [line["number"] for line in problem["resources"]]


async def test_violence_at_this_moment_is_heeded_as_well():
    service = Service("ko")
    await service.open()
    await service.call("POST", f"/api/conversations/{service.id}/end")
    problem = (await service.send("남편이 때려서 지금 화장실에 숨어 있어요")).json()
    assert any("112" in line["number"] for line in problem["resources"])
    (entry,) = await service.queue()
    assert entry["priority"] == "abuse_now"


async def test_a_harmless_message_is_refused_as_ever(service):
    await service.call("POST", f"/api/conversations/{service.id}/end")
    problem = (await service.send(PLAIN[service.locale])).json()
    assert (problem["code"], "resources" in problem) == ("session_ended", False)
    assert SENTENCE[service.locale] not in problem["detail"]
    assert await service.queue() == []


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
        spent = Used(messages=10_000)
        await service.database.commit([writes.usage(UsageEntry("ann", service_day(service.clock.now()), spent))])
        *_, last = [await service.send(said) for said in (text, "글쎄요", "글쎄요")]  # it hears of it by its own commit
        helps(service, last, 429, "daily_limit")

    async def test_names_help_when_its_turn_fails(self, answer):
        service, text = answer

        async def broken(*_args, **_more):
            raise StoreUnavailable("away")

        service.store.commit_turn = broken
        helps(service, await service.send(text), 503, "store_unavailable")
