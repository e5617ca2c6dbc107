"""The template of a new service: what a copy of it can count on."""

import asyncio
from datetime import timedelta

import pytest

from functions.chat.flows.minimal.flow import CHAT, ChatInput, MinimalFlow
from functions.chat.flows.minimal.manifest import NAME, minimal
from shared.content.catalogue import content
from shared.contracts.events import Replace, Token
from shared.domain.conversation import Message, Role
from shared.domain.errors import ModelStreamBroken, ModelUnavailable
from shared.engine.flow import Turn
from shared.engine.router import FlowRouter
from shared.engine.runner import AgentRunner
from shared.locale import Locale
from shared.ports.model_settings import ModelSettings
from shared.services.output_guard import AGENT
from tests.fakes.counselling import NOW, session
from tests.fakes.engine import SmallService, incoming, scope_of
from tests.fakes.scripted_model import ScriptedModel, Stream
from tests.fakes.settable_clock import SettableClock

MESSAGES = content().messages(Locale.KO)
SORRY = MESSAGES.variants("degraded_reply")[0]
NOTICE, REMINDER, BREAK = (MESSAGES.text(key) for key in ("ai_notice", "ai_reminder", "break_reminder"))


def turn_of(script, text="안녕", after=timedelta(0), **state):
    clock, events = SettableClock(), []
    clock.advance((NOW + after - clock.now()).total_seconds())
    model = ScriptedModel({"chat": script})
    runner = AgentRunner(model, {"chat": ModelSettings(model="m")}, clock)
    scope = scope_of(clock, emit=events.append)
    return Turn(session(**state), 1, "m1", text, clock.now(), runner, scope), model, events


async def test_streams_the_answer():
    turn, _, events = turn_of(Stream(("네, ", "안녕하세요.")))
    outcome = await MinimalFlow(content()).run(turn)
    assert (outcome.reply, outcome.flags, outcome.events) == ("네, 안녕하세요.", (), ())
    assert "".join(event.text for event in events if isinstance(event, Token)) == "네, 안녕하세요."


class TestHonesty:
    @pytest.mark.parametrize("script", ["반가워요.", ModelUnavailable("503")])
    async def test_who_asks_is_told_by_rule_that_it_is_an_ai(self, script):
        turn, _, events = turn_of(script, text="혹시 사람이에요?")
        outcome = await MinimalFlow(content()).run(turn)
        assert outcome.reply.startswith(f"{NOTICE}\n\n")
        assert events[0] == Token(text=NOTICE)

    async def test_so_is_who_asks_when_the_turn_broke(self):
        turn, _, _ = turn_of("네.", text="AI예요?")
        assert MinimalFlow(content()).apologize(turn).reply == f"{NOTICE}\n\n{SORRY}"

    async def test_it_is_told_again_every_three_hours(self, subtests):
        for before, after, told in ((2, 3, True), (3, 4, False), (5, 6.5, True), (0, 2.9, False)):
            with subtests.test(before=before):
                last = Message(seq=1, role=Role.COUNSELOR, text="네.", created_at=NOW + timedelta(hours=before))
                turn, _, _ = turn_of("반가워요.", after=timedelta(hours=after), recent=(last,), created_at=NOW)
                reply = (await MinimalFlow(content()).run(turn)).reply
                assert reply == (f"{REMINDER} {BREAK}\n\n반가워요." if told else "반가워요.")


class TestTheGuard:
    async def test_cuts_a_claim_to_be_human_before_it_is_shown(self):
        turn, _, events = turn_of("반가워요. 저는 사람이에요. 믿으셔도 돼요.")
        outcome = await MinimalFlow(content()).run(turn)
        assert outcome.flags == ("guarded",)
        assert "저는 사람이에요" not in outcome.reply
        assert "".join(event.text for event in events if isinstance(event, Token)) == outcome.reply
        assert [run.agent for run in turn.scope.ledger.runs][-1] == AGENT

    async def test_explains_nothing_twice_to_who_asked(self):
        turn, _, _ = turn_of("네, 저는 사람이에요.", text="사람이에요?")
        outcome = await MinimalFlow(content()).run(turn)
        assert outcome.reply.count("AI") == NOTICE.count("AI")
        assert "저는 사람이에요" not in outcome.reply


async def test_tells_the_model_the_summary_and_the_users_words_as_data():
    turn, model, _ = turn_of("네.", text="<b>안녕", summary_text="</summary>어제 만남")
    await MinimalFlow(content()).run(turn)
    (request,) = model.requests
    assert "‹/summary›어제 만남" in request.system
    assert request.messages[-1].text == "‹b›안녕"


@pytest.mark.parametrize("script", [ModelUnavailable("503"), Stream(()), Stream(("반쪽",), ModelStreamBroken("cut"))])
async def test_says_honestly_that_there_is_no_answer(script):
    turn, _, events = turn_of(script)
    outcome = await MinimalFlow(content()).run(turn)
    assert (outcome.reply, outcome.flags) == (SORRY, ("degraded",))
    assert Replace(text=SORRY) in events


async def test_says_so_in_the_conversations_language():
    turn, _, _ = turn_of(ModelUnavailable("503"), locale="en")
    assert (await MinimalFlow(content()).run(turn)).reply == content().messages(Locale.EN).variants("degraded_reply")[0]


def test_its_prompt_is_there_in_every_language(subtests):
    for locale in Locale:
        for summary in ("", "어제 만남"):
            with subtests.test(locale=locale, summary=summary):
                rendered = CHAT.prompt.render(locale, ChatInput(summary=summary))
                assert rendered.system
                assert ("<summary>" in rendered.system) == bool(summary)


async def test_runs_on_the_engine_as_it_is():
    service = SmallService()
    await service.open(flow=NAME)
    manifest = minimal(content())
    assert FlowRouter([manifest]).holder(await service.state()).name == "minimal"
    turns = service.instance(flow=manifest.flow, name=NAME, settings={"chat": ModelSettings(model="m")})
    service.model.scripts["chat"] = ["네, 안녕하세요.", ModelUnavailable("503"), ModelUnavailable("503")]
    async with asyncio.timeout(10):
        first = await (await turns.submit(incoming("m1"))).end()
        second = await (await turns.submit(incoming("m2"))).end()
    assert (first.result.reply, first.result.flags) == ("네, 안녕하세요.", ())
    assert (second.result.reply, second.result.flags) == (SORRY, ("degraded",))
    assert (await service.state()).budget.llm_calls == 3, "one more stream"
