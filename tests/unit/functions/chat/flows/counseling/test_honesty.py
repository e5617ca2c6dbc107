"""It says that it is an AI by rule: whenever asked and every three hours, with or without a model."""

from datetime import timedelta

import pytest

from shared.content.catalogue import content
from shared.domain.errors import ModelUnavailable
from shared.locale import Locale
from tests.builders.talk import REPLY, Talk, speaking

PLAIN, ASKS, DANGER = "오늘은 그냥 집에 있었어요", "혹시 사람이세요?", "정말 죽고 싶어요"
HOURS = timedelta(hours=3).total_seconds()
"""What the law and the promise S-23 say, whatever the code says."""
MESSAGES = content().messages(Locale.KO)
NOTICE, REMINDER, BREAK = (MESSAGES.text(key) for key in ("ai_notice", "ai_reminder", "break_reminder"))


class TestAsked:
    @pytest.mark.parametrize(
        ("model", "reply"),
        [
            (ModelUnavailable("503"), f"{NOTICE}\n\n{MESSAGES.variants('degraded_reply')[0]}"),
            ("네, 저는 AI 상담사예요. 그 점이 궁금하셨군요.", f"{NOTICE}\n\n그 점이 궁금하셨군요."),
            ("저는 사람이 아니라 AI예요.", NOTICE),
        ],
        ids=["no model", "repeats it and goes on", "repeats it alone"],
    )
    async def test_it_says_so_once_whatever_the_model_adds(self, model, reply):
        assert (await speaking(counselor=model).say(ASKS)).reply == reply

    async def test_it_answers_even_when_the_turn_broke_and_behind_the_protocol_in_danger(self, talk):
        assert talk.flow.apologize(talk.turn(ASKS)).reply.startswith(NOTICE)
        said = await talk.say(f"{DANGER}. 사람이에요?")
        assert "crisis" in said.outcome.flags
        assert said.reply.endswith(f"\n\n{NOTICE}")

    @pytest.mark.parametrize(
        "claim",
        [
            "네, 저는 진짜 사람이에요. 믿으셔도 돼요.",
            "네, 사람이에요. 걱정 마세요.",
            "저는 AI가 아닙니다. 서울에 사는 상담사예요.",
        ],
    )
    async def test_a_models_claim_to_be_human_is_cut_and_not_explained_twice(self, claim):
        said = await speaking(counselor=claim).say(ASKS)
        behind = said.reply.removeprefix(NOTICE)
        assert [word for word in ("사람이에요", "상담사", "AI") if word in behind] == []
        assert (said.run("output_guard").output, "guarded" in said.outcome.flags) == ("human", True)


class TestEveryThreeHours:
    async def test_it_reminds_before_the_reply_and_not_again_until_as_long_has_passed(self, talk):
        talk.clock.advance(HOURS - 1)
        assert (await talk.say(PLAIN)).reply == REPLY
        talk.clock.advance(1)
        assert (await talk.say(PLAIN)).reply == f"{REMINDER}\n\n{REPLY}"
        assert (await talk.say(PLAIN)).reply == REPLY
        talk.clock.advance(HOURS)
        assert (await talk.say(PLAIN)).reply.startswith(REMINDER)

    async def test_an_answer_to_who_asked_counts(self, talk):
        talk.clock.advance(HOURS / 2)
        await talk.say(ASKS)
        talk.clock.advance(HOURS / 2)
        assert (await talk.say(PLAIN)).reply == REPLY

    async def test_minors_are_told_to_take_a_break(self):
        talk = Talk(age_band="14_18")
        talk.clock.advance(HOURS)
        assert (await talk.say(PLAIN)).reply.startswith(f"{REMINDER} {BREAK}\n\n")

    async def test_in_danger_it_comes_behind_the_protocol(self, talk):
        talk.clock.advance(HOURS)
        assert (await talk.say(DANGER)).reply.endswith(f"\n\n{REMINDER}")
        assert REMINDER not in (await talk.say(PLAIN)).reply

    @pytest.mark.parametrize("text", [ASKS, f"{DANGER}. {ASKS}"])
    async def test_who_asks_is_told_once(self, talk, text):
        talk.clock.advance(HOURS)
        reply = (await talk.say(text)).reply
        assert (reply.count(NOTICE), reply.count(REMINDER)) == (1, 0)
