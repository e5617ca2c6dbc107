import logging

from functions.chat.flows.counseling.manifest import counseling
from functions.chat.flows.counseling.opening import FLOW
from shared.content.catalogue import content
from shared.domain.turn import TurnResult
from shared.engine.hooks import HookContext, run_hooks


async def test_a_crisis_leaves_a_line_for_alerts_without_any_words_of_the_user(talk, caplog):
    said = await talk.say("요즘 자꾸 죽고 싶어요")
    result = TurnResult(message_id="m1", seq=1, reply=said.reply, state_snapshot={}, hooks=said.outcome.hooks)
    await run_hooks(HookContext(talk.state, result), counseling(content()).hook_handlers, [])
    assert "crisis_detected level=crisis conversation=c1" in caplog.text
    assert "죽고" not in caplog.text


async def test_an_end_leaves_a_line(talk, caplog):
    caplog.set_level(logging.INFO)
    await talk.say("오늘은 그만하고 싶어요")
    said = await talk.say("네")
    result = TurnResult(message_id="m2", seq=2, reply=said.reply, state_snapshot={}, hooks=said.outcome.hooks)
    await run_hooks(HookContext(talk.state, result), counseling(content()).hook_handlers, [])
    assert "session_completed conversation=c1 turns=2" in caplog.text


def test_sessions_open_in_the_flow_that_the_manifest_names(talk):
    assert counseling(content()).name == FLOW == talk.state.flow
