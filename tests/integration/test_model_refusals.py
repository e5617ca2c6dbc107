"""Models that are not served or rate limited: reports to the operator (docs/decisions/0031) and replies to users."""

import time

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.wordings import nth
from shared.domain.turn import DecidedBy
from shared.engine.send_budget import TURN_SENDS
from shared.locale import Locale, Register
from tests.support.chat_client import signed_in
from tests.support.forked import ForkedServer
from tests.support.stored import stored

HELLO = "안녕하세요. 요즘 회사에서 실수할까 봐 밤에 잠이 안 와요."
GO_ON = "어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요."
COUNSELORS = "gemini-3.6-flash"
SAID = [HELLO, GO_ON, "그 뒤로 계속 그 장면이 떠올라요."]
VOICE = Voice(locale=Locale.KO, register_=Register.FORMAL)
QUICK_S = 2.0
"""An honest reply when nothing is sent, on a busy machine too."""


async def health(person):
    found = (await person.http.get("/api/health")).json()
    return found["status"], found["model"], found["model_reason"]


async def test_a_model_that_is_not_served_is_reported_to_the_operator_and_its_fallback_replies(tmp_path, model):
    model.fault("model_gone", model=COUNSELORS)
    with ForkedServer(tmp_path, model) as server:
        assert server.ready_line.endswith("(Gemini: degraded)")
        assert f"cbot: {COUNSELORS} is not served (404): set another in agents.yaml" in server.stderr
        async with signed_in(server.address) as person:
            talk = await person.open()
            assert [(await person.say(talk.id, text))["flags"] for text in (HELLO, GO_ON)] == [[], []]
            assert await health(person) == ("ok", "degraded", f"{COUNSELORS}: model_not_found")
        async with stored(server.database) as store:
            runs = [run for turn in await store.turns(talk.id) for run in turn.agents if run.agent == "counselor"]
        answered = {run.decided_by for run in runs if not (run.error or run.cancelled)}
        assert answered == {DecidedBy.FALLBACK_MODEL}
        assert sum(run.attempts for run in runs if run.model == COUNSELORS) == 0, "the look at start has told it"
        assert sum("model_refused" in line for line in server.stderr.splitlines()) == 1


async def test_when_all_models_are_rate_limited_requests_stop_and_every_message_gets_a_reply(person, model):
    conversation = await person.open()
    model.fault("rate_limit", retry_s=60)
    replies, sent = [], []
    for text in SAID:
        model.forget_calls()
        began = time.monotonic()
        replies.append(await person.say(conversation.id, text))
        seconds = time.monotonic() - began
        sent.append(model.turn_calls())
    assert sent[0] <= TURN_SENDS
    assert sent[-1] == 0, "every model asked for a pause"
    assert seconds < QUICK_S
    crisis = await person.say(conversation.id, "이제 정말 죽고 싶어요.")
    history = await person.messages(conversation.id)
    assert [reply["flags"] for reply in replies] == [["degraded"]] * len(SAID)
    apologies = {reply["reply"] for reply in replies}
    assert len(apologies) == len(SAID)
    assert apologies == {content().crisis_replies.unread_reply(VOICE, nth(number)) for number in range(len(SAID))}
    assert ("crisis" in crisis["flags"], "109" in crisis["reply"]) == (True, True)
    assert [entry["text"] for entry in history if entry["role"] == "user"][: len(SAID)] == SAID
