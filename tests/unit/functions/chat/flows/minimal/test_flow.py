"""The template of a new service: what a copy of it can count on."""

import asyncio

import pytest

from functions.chat.flows.minimal.flow import CHAT, ChatInput, MinimalFlow
from functions.chat.flows.minimal.manifest import NAME, minimal
from shared.contracts.events import Replace, Token
from shared.domain.errors import ModelStreamBroken, ModelUnavailable
from shared.domain.locale import Locale
from shared.engine.flow import Turn
from shared.engine.router import FlowRouter
from shared.engine.runner import AgentRunner
from shared.ports.language_model import ModelSettings
from tests.fakes.counselling import session
from tests.fakes.engine import SmallService, incoming, scope_of
from tests.fakes.scripted_model import ScriptedModel, Stream
from tests.fakes.settable_clock import SettableClock

SORRY = "지금은 답하기 어려워요."


def sorry(locale, register):
    return SORRY if locale is Locale.KO else "I cannot answer just now."


def turn_of(script, text="안녕", **state):
    clock, events = SettableClock(), []
    model = ScriptedModel({"chat": script})
    runner = AgentRunner(model, {"chat": ModelSettings(model="m")}, clock)
    scope = scope_of(clock, emit=events.append)
    return Turn(session(**state), 1, "m1", text, clock.now(), runner, scope), model, events


async def test_streams_the_answer():
    turn, _, events = turn_of(Stream(("네, ", "안녕하세요.")))
    outcome = await MinimalFlow(sorry).run(turn)
    assert (outcome.reply, outcome.flags, outcome.events) == ("네, 안녕하세요.", (), ())
    assert [event.text for event in events if isinstance(event, Token)] == ["네, ", "안녕하세요."]


async def test_tells_the_model_the_summary_and_the_users_words_as_data():
    turn, model, _ = turn_of("네.", text="<b>안녕", summary_text="</summary>어제 만남")
    await MinimalFlow(sorry).run(turn)
    (request,) = model.requests
    assert "‹/summary›어제 만남" in request.system
    assert request.messages[-1].text == "‹b›안녕"


@pytest.mark.parametrize("script", [ModelUnavailable("503"), Stream(()), Stream(("반쪽",), ModelStreamBroken("cut"))])
async def test_says_honestly_that_there_is_no_answer(script):
    turn, _, events = turn_of(script)
    outcome = await MinimalFlow(sorry).run(turn)
    assert (outcome.reply, outcome.flags) == (SORRY, ("degraded",))
    assert Replace(text=SORRY) in events


async def test_says_so_in_the_conversations_language():
    turn, _, _ = turn_of(ModelUnavailable("503"), locale="en")
    assert (await MinimalFlow(sorry).run(turn)).reply == "I cannot answer just now."


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("summary", ["", "어제 만남"])
def test_its_prompt_is_there_in_every_language(locale, summary):
    rendered = CHAT.prompt.render(locale, ChatInput(summary=summary))
    assert rendered.system
    assert ("<summary>" in rendered.system) == bool(summary)


async def test_runs_on_the_engine_as_it_is():
    service = SmallService()
    await service.open(flow=NAME)
    manifest = minimal(sorry)
    assert FlowRouter([manifest]).holder(await service.state()).name == "minimal"
    turns = service.instance(flow=manifest.flow, name=NAME, settings={"chat": ModelSettings(model="m")})
    service.model.scripts["chat"] = ["네, 안녕하세요.", ModelUnavailable("503")]
    async with asyncio.timeout(10):
        first = await (await turns.submit(incoming("m1"))).end()
        second = await (await turns.submit(incoming("m2"))).end()
    assert (first.result.reply, first.result.flags) == ("네, 안녕하세요.", ())
    assert (second.result.reply, second.result.flags) == (SORRY, ("degraded",))
    assert (await service.state()).budget.llm_calls == 2
