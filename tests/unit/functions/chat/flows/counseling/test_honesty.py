"""The notice that the counsellor is an AI: by rule, whenever the user asks and every three hours, without a model."""

from datetime import timedelta

import pytest

from shared.content.catalogue import content
from shared.domain.errors import ModelStreamBroken, ModelUnavailable
from shared.locale import Locale
from tests.builders.talk import REPLY, Talk, speaking
from tests.fakes.scripted_model import Stream

PLAIN, ASKS, DANGER = "오늘은 그냥 집에 있었어요", "혹시 사람이세요?", "정말 죽고 싶어요"
HOURS = timedelta(hours=3).total_seconds()
"""As the law and the promise S-23 say, independent of the code."""
CUT = ModelStreamBroken("cut")
MESSAGES = content().messages(Locale.KO)
NOTICE, REMINDER, BREAK = (MESSAGES.text(key) for key in ("ai_notice", "ai_reminder", "break_reminder"))


class TestTheNotice:
    @pytest.mark.parametrize(
        ("model", "reply"),
        [
            (ModelUnavailable("503"), f"{NOTICE}\n\n{MESSAGES.variants('degraded_reply')[0]}"),
            ("네, 저는 AI 상담사예요. 그 점이 궁금하셨군요.", f"{NOTICE}\n\n그 점이 궁금하셨군요."),
            ("저는 사람이 아니라 AI예요.", NOTICE),
        ],
        ids=["no model", "repeats it and goes on", "repeats it alone"],
    )
    async def test_comes_once_in_any_reply_of_the_model(self, model, reply):
        assert (await speaking(counselor=model).say(ASKS)).reply == reply

    async def test_comes_in_a_failed_turn_and_after_the_protocols_reply_in_danger(self, talk):
        assert talk.flow.apologize(talk.turn(ASKS)).reply.startswith(NOTICE)
        said = await talk.say(f"{DANGER}. 사람이에요?")
        assert "crisis" in said.outcome.flags
        assert said.reply.endswith(f"\n\n{NOTICE}")

    @pytest.mark.parametrize("script", [[Stream(("네",), CUT), REPLY], [Stream((REPLY, " 그리"), CUT)]], ids=repr)
    async def test_stays_on_the_screen_when_the_stream_is_retried_or_cut(self, script):
        talk = Talk(fallback_model="other")
        talk.model.scripts["counselor"] = script
        said = await talk.say(ASKS)
        assert said.shown.startswith(NOTICE)
        assert said.shown == said.reply

    @pytest.mark.parametrize(
        "claim",
        [
            "네, 저는 진짜 사람이에요. 믿으셔도 돼요.",
            "네, 사람이에요. 걱정 마세요.",
            "저는 AI가 아닙니다. 서울에 사는 상담사예요.",
        ],
    )
    async def test_replaces_a_models_claim_to_be_human_and_is_not_repeated(self, claim):
        said = await speaking(counselor=claim).say(ASKS)
        assert said.shown == said.reply
        start, rest = said.reply[: len(NOTICE)], said.reply[len(NOTICE) :]
        assert (start, [word for word in ("사람이에요", "상담사", "AI") if word in rest]) == (NOTICE, [])
        assert (said.run("output_guard").output, "guarded" in said.outcome.flags) == ("human", True)


class TestTheReminder:
    async def test_comes_before_the_reply_every_three_hours(self, talk):
        talk.clock.advance(HOURS - 1)
        assert (await talk.say(PLAIN)).reply == REPLY
        talk.clock.advance(1)
        assert (await talk.say(PLAIN)).reply.startswith(f"{REMINDER}\n\n")
        assert REMINDER not in (await talk.say(PLAIN)).reply
        talk.clock.advance(HOURS)
        assert (await talk.say(PLAIN)).reply.startswith(REMINDER)

    async def test_comes_three_hours_after_a_notice(self, talk):
        talk.clock.advance(HOURS / 2)
        await talk.say(ASKS)
        talk.clock.advance(HOURS / 2)
        assert REMINDER not in (await talk.say(PLAIN)).reply

    async def test_tells_minors_to_take_a_break(self):
        talk = Talk(age_band="14_18")
        talk.clock.advance(HOURS)
        assert (await talk.say(PLAIN)).reply.startswith(f"{REMINDER} {BREAK}\n\n")

    async def test_comes_after_the_protocols_reply_in_danger(self, talk):
        talk.clock.advance(HOURS)
        assert (await talk.say(DANGER)).reply.endswith(f"\n\n{REMINDER}")
        assert REMINDER not in (await talk.say(PLAIN)).reply

    @pytest.mark.parametrize("text", [ASKS, f"{DANGER}. {ASKS}"])
    async def test_gives_way_to_the_notice_when_the_user_asks(self, talk, text):
        talk.clock.advance(HOURS)
        reply = (await talk.say(text)).reply
        assert (reply.count(NOTICE), reply.count(REMINDER)) == (1, 0)
