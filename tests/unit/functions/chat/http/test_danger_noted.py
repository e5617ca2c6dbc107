"""Whatever keeps a message in danger from its turn: who can help is known by then, and what is noted is true."""

import json
from uuid import uuid4

import pytest

from shared.domain.counseling.session import SessionStatus
from shared.domain.counseling.staff_review import NEWEST_SEQS
from shared.domain.errors import DocumentTooNew, DocumentUnreadable, StoreUnavailable
from tests.fakes.danger_service import LINE, PLAIN, SAID, Service, helps

SSE = {"Accept": "text/event-stream"}


@pytest.fixture
async def service():
    service = Service("ko")
    await service.open()
    return service


async def send(service, **body):
    return await service.call("POST", f"/api/conversations/{service.id}/chat", **body)


async def audited(service):
    return [doc.data for doc in await service.database.tree("audit") if doc.data["action"] == "after_end"]


@pytest.mark.parametrize("unreadable", [DocumentTooNew, DocumentUnreadable])
async def test_where_its_session_cannot_be_read_it_names_help(service, unreadable):
    async def load(conversation_id):
        raise unreadable(f"sessions/{conversation_id}", "x")

    service.store.load = load
    helps(service, await service.send(SAID["ko"]), 500, "internal")


@pytest.mark.parametrize(
    "wrong", [{"message_id": "mine"}, {"more": 1}, {"document_id": 5}, {"text": f"{SAID['ko']}\ud800"}]
)
async def test_whatever_else_does_not_fit_its_text_is_read(service, wrong):
    body = json.dumps({"message_id": str(uuid4()), "text": SAID["ko"], **wrong})
    async with service.client() as client:
        path = f"/api/conversations/{service.id}/chat"
        answered = await client.post(path, content=body, headers={"Content-Type": "application/json"})
    helps(service, answered, 422, "invalid_request")


@pytest.mark.parametrize("text", [PLAIN["ko"], None, [SAID["ko"]], {}])
async def test_what_is_no_danger_or_no_text_is_refused_as_ever(service, text):
    answered = await send(service, message_id="mine", text=text)
    assert (answered.status_code, "resources" in answered.json()) == (422, False)


async def test_in_a_conversation_that_can_be_nobodys_it_names_help(service):
    service.id = "a.b"
    helps(service, await service.send(SAID["ko"]), 404, "not_found")


@pytest.mark.parametrize("flow", ["minimal", "gone"])
async def test_whichever_flow_a_conversation_is_said_to_be_in_the_protocol_answers(service, flow):
    await service.set(flow=flow)
    answered = await service.send(SAID["ko"])
    assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"])
    assert LINE["ko"] in answered.json()["reply"]


class TestAskedForAgain:
    @pytest.fixture
    async def address(self, service):
        """A message whose turn could not be committed."""

        async def broken(*_args, **_more):
            raise StoreUnavailable("away")

        service.store.commit_turn = broken
        identifier = str(uuid4())
        await send(service, message_id=identifier, text=SAID["ko"])
        return f"/api/conversations/{service.id}/turns/{identifier}"

    async def test_its_stream_names_help_as_the_first_answer_did(self, service, address):
        answered = await service.call("GET", address, headers=SSE)
        (failed,) = [
            json.loads(block.split("data: ")[1]) for block in answered.text.split("\r\n\r\n") if "event: error" in block
        ]
        assert LINE["ko"] in " ".join(line["number"] for line in failed["resources"])

    async def test_by_another_it_names_nothing(self, service, address):
        answered = await service.call("GET", address, who="bob", headers=SSE)
        assert (answered.status_code, "resources" in answered.json()) == (404, False)


class TestAfterTheEnd:
    @pytest.fixture(autouse=True)
    async def ended(self, service):
        await service.call("POST", f"/api/conversations/{service.id}/end")

    async def test_one_message_is_noted_once_however_often_it_is_sent(self, service, caplog):
        body = {"message_id": str(uuid4()), "text": SAID["ko"]}
        for _ in range(4):
            helps(service, await send(service, **body), 409, "session_ended")
        (entry,) = await service.queue()
        assert (entry["flags"][0]["count"], len(await audited(service))) == (1, 1)
        assert caplog.text.count("crisis_detected") == 1
        assert body["message_id"] not in str(await audited(service))

    async def test_of_many_that_nobody_looks_at_only_another_danger_is_news(self, service):
        for _ in range(NEWEST_SEQS + 3):
            await service.send(SAID["ko"])
        assert len(await audited(service)) == NEWEST_SEQS
        for _ in range(2):
            await service.send("남편이 때려서 지금 화장실에 숨어 있어요")
        (entry,) = await service.queue()
        assert (entry["priority"], len(await audited(service))) == ("abuse_now", NEWEST_SEQS + 1)

    async def test_it_is_in_the_log_when_the_store_failed_to_take_it(self, service, caplog):
        async def broken(*_args, **_more):
            raise StoreUnavailable("away")

        service.store.save_state = broken
        helps(service, await service.send(SAID["ko"]), 409, "session_ended")
        assert "crisis_detected level=crisis" in caplog.text


async def test_of_whoever_withdrew_the_log_says_nothing_either(service, caplog):
    await service.call("PUT", "/api/me/consents", consents={"sensitive_data": False})
    await service.set(ended_at=service.clock.now(), status=SessionStatus.COMPLETED)
    helps(service, await service.send(SAID["ko"]), 409, "session_ended")
    assert "crisis_detected" not in caplog.text
