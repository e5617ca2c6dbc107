"""The minimal flow, the template of a new service."""

import asyncio
from datetime import timedelta

import pytest

from functions.chat.flows.minimal.flow import CHAT, ChatInput, MinimalFlow
from functions.chat.flows.minimal.manifest import NAME, minimal
from shared.content.catalogue import content
from shared.content.wordings import nth
from shared.contracts.events import Replace, Token
from shared.domain.conversation import Message, Role
from shared.domain.errors import ModelStreamBroken, ModelUnavailable
from shared.engine.flow import Turn
from shared.engine.router import FlowRouter
from shared.engine.runner import AgentRunner
from shared.locale import Locale
from shared.ports.model_settings import ModelSettings
from shared.services.output_guard import AGENT
from tests.builders.sessions import NOW, session
from tests.builders.small_service import SmallService, incoming, scope_of
from tests.builders.talk import EN, KO
from tests.fakes.scripted_model import ScriptedModel, Stream
from tests.fakes.settable_clock import SettableClock

FLOW = MinimalFlow(content())
MESSAGES = content().messages(Locale.KO)
SORRY = content().crisis_replies.unread_reply(KO, nth(0))
NOTICE, REMINDER, BREAK = (MESSAGES.text(key) for key in ("ai_notice", "ai_reminder", "break_reminder"))
DOWN = ModelUnavailable("503")


def turn_of(script, text="안녕", after=timedelta(0), **state):
    clock, events = SettableClock(), []
    clock.advance((NOW + after - clock.now()).total_seconds())
    model = ScriptedModel({"chat": script})
    runner = AgentRunner(model, {"chat": ModelSettings(model="m")}, clock)
    scope = scope_of(clock, emit=events.append)
    return Turn(session(**state), 1, "m1", text, clock.now(), runner, scope), model, events


def streamed(events):
    return "".join(event.text for event in events if isinstance(event, Token))


async def test_streams_the_reply():
    turn, _, events = turn_of(Stream(("네, ", "안녕하세요.")))
    outcome = await FLOW.run(turn)
    assert (outcome.reply, outcome.flags, outcome.events) == ("네, 안녕하세요.", (), ())
    assert streamed(events) == "네, 안녕하세요."


class TestHonesty:
    @pytest.mark.parametrize("script", ["반가워요.", DOWN])
    async def test_a_user_who_asks_gets_the_ai_notice_by_rule_even_when_the_turn_fails(self, script):
        turn, _, events = turn_of(script, text="혹시 사람이에요?")
        assert (await FLOW.run(turn)).reply.startswith(f"{NOTICE}\n\n")
        assert events[0] == Token(text=NOTICE)
        assert FLOW.apologize(turn).reply == f"{NOTICE}\n\n{SORRY}"

    @pytest.mark.parametrize(
        ("before", "after", "reminded"), [(2, 3, True), (3, 4, False), (5, 6.5, True), (0, 2.9, False)]
    )
    async def test_the_reminder_comes_every_three_hours(self, before, after, reminded):
        last = Message(seq=1, role=Role.COUNSELOR, text="네.", created_at=NOW + timedelta(hours=before))
        turn, _, _ = turn_of("반가워요.", after=timedelta(hours=after), recent=(last,), created_at=NOW)
        assert (await FLOW.run(turn)).reply == (f"{REMINDER} {BREAK}\n\n반가워요." if reminded else "반가워요.")


async def test_a_claim_to_be_human_is_cut_before_it_is_shown_and_the_notice_comes_once():
    turn, _, events = turn_of("반가워요. 저는 사람이에요. 믿으셔도 돼요.")
    outcome = await FLOW.run(turn)
    assert outcome.flags == ("guarded",)
    assert "저는 사람이에요" not in outcome.reply
    assert streamed(events) == outcome.reply
    assert [run.agent for run in turn.scope.ledger.runs][-1] == AGENT
    turn, _, _ = turn_of("네, 저는 사람이에요.", text="사람이에요?")
    reply = (await FLOW.run(turn)).reply
    assert reply.count("AI") == NOTICE.count("AI")
    assert "저는 사람이에요" not in reply


async def test_escapes_the_summary_and_the_users_words_for_the_model():
    turn, model, _ = turn_of("네.", text="<b>안녕", summary_text="</summary>어제 만남")
    await FLOW.run(turn)
    (request,) = model.requests
    assert "‹/summary›어제 만남" in request.system
    assert request.messages[-1].text == "‹b›안녕"


@pytest.mark.parametrize("script", [DOWN, Stream(()), Stream(("반쪽",), ModelStreamBroken("cut"))])
async def test_says_with_the_help_lines_that_nobody_read_the_message_when_the_model_fails(script):
    for locale in Locale:
        turn, _, events = turn_of(script, locale=locale)
        outcome = await FLOW.run(turn)
        sorry = content().crisis_replies.unread_reply({Locale.KO: KO, Locale.EN: EN}[locale], nth(0))
        assert (outcome.reply, outcome.flags) == (sorry, ("degraded",))
        assert Replace(text=sorry) in events


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("summary", ["", "어제 만남"])
def test_the_prompt_exists_in_every_language(locale, summary):
    system = CHAT.prompt.render(locale, ChatInput(summary=summary)).system
    assert system
    assert ("<summary>" in system) == bool(summary)


async def test_runs_on_the_engine():
    service = SmallService()
    await service.open(flow=NAME)
    manifest = minimal(content())
    assert FlowRouter([manifest]).holder(await service.state()).name == "minimal"
    turns = service.instance(flow=manifest.flow, settings={"chat": ModelSettings(model="m")})
    service.model.scripts["chat"] = ["네, 안녕하세요.", DOWN, DOWN]
    async with asyncio.timeout(10):
        results = [(await (await turns.submit(incoming(one))).end()).result for one in ("m1", "m2")]
    assert [(one.reply, one.flags) for one in results] == [("네, 안녕하세요.", ()), (SORRY, ("degraded",))]
    assert (await service.state()).budget.llm_calls == 3, "one more stream"
