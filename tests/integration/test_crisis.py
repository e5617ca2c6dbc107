"""A crisis over HTTP while the model is unavailable, blocked, silent or empty."""

import pytest

from local.gemini.faults import Fault
from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.wordings import nth
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need
from tests.support.chat_client import spoken

KO, EN = (Voice(locale=locale, register_=Register.FORMAL) for locale in (Locale.KO, Locale.EN))


@pytest.mark.parametrize("fault", [Fault.UNAVAILABLE, Fault.BLOCKED_PROMPT, Fault.HANG, Fault.EMPTY])
async def test_under_a_model_fault_the_crisis_protocol_replies_and_the_farewell_has_the_help_lines(
    fault, person, model
):
    conversation = await person.open()
    model.fault(fault)
    events = await person.hear(conversation.id, "이제 정말 죽고 싶어요.")
    asked = await person.say(conversation.id, "오늘은 그만할래요.")
    left = await person.say(conversation.id, "네")

    # By the hour of the run, a step for the night follows.
    assert spoken(events) == events[-1].data["reply"]
    assert spoken(events).startswith(content().crisis_replies.reply(CrisisOutcome.CRISIS, KO, nth(0)))
    assert "crisis" in events[-1].data["flags"]
    assert events[-1].data["state_snapshot"]["risk"]["resources"]
    assert asked["state_snapshot"]["status"] == "active"
    assert "109" in asked["reply"]
    assert left["state_snapshot"]["status"] == "completed"
    assert left["reply"].endswith(content().crisis_replies.farewell_block(KO, (Need.LIFE,)))
    assert model.calls().keys() <= {"ClosingWork"}, "the closing job may have begun"


async def test_ending_by_the_endpoint_during_a_follow_through_returns_the_help_lines(person, model):
    conversation = await person.open(locale="en")
    model.fault(Fault.UNAVAILABLE)
    await person.say(conversation.id, "I want to die")
    cared = await person.say(conversation.id, "I'm at home, it is raining")
    assert cared["flags"] == ["degraded"]
    assert "109" in cared["reply"]
    ended = await person.http.post(f"/api/conversations/{conversation.id}/end")
    assert ended.json()["message"].endswith(content().crisis_replies.farewell_block(EN, (Need.LIFE,)))
