"""It says that it is an AI by rule: whenever asked and every three hours, with or without a model."""

from datetime import timedelta

import pytest

from shared.content.catalogue import content
from shared.domain.errors import ModelUnavailable
from shared.locale import Locale
from tests.fakes.talk import REPLY, Talk

PLAIN = "오늘은 그냥 집에 있었어요"
ASKS = "혹시 사람이세요?"
DANGER = "정말 죽고 싶어요"
HOURS = timedelta(hours=3)
"""What the law and the promise S-23 say, whatever the code says."""
MESSAGES = content().messages(Locale.KO)
NOTICE, REMINDER, BREAK = (MESSAGES.text(key) for key in ("ai_notice", "ai_reminder", "break_reminder"))


def later(talk, by=HOURS):
    talk.clock.advance(by.total_seconds())


class TestAsked:
    async def test_it_answers_even_when_no_model_can(self, talk):
        talk.model.scripts["counselor"] = ModelUnavailable("503")
        said = await talk.say(ASKS)
        assert said.reply == f"{NOTICE}\n\n{MESSAGES.variants('degraded_reply')[0]}"

    async def test_it_answers_even_when_the_turn_broke(self, talk):
        assert talk.flow.apologize(talk.turn(ASKS)).reply.startswith(NOTICE)

    async def test_behind_the_protocol_in_danger(self, talk):
        said = await talk.say(f"{DANGER}. 사람이에요?")
        assert "crisis" in said.outcome.flags
        assert said.reply.endswith(f"\n\n{NOTICE}")

    async def test_it_says_so_once_whatever_the_model_adds(self, talk):
        talk.model.scripts["counselor"] = "네, 저는 AI 상담사예요. 그 점이 궁금하셨군요."
        assert (await talk.say(ASKS)).reply == f"{NOTICE}\n\n그 점이 궁금하셨군요."

    async def test_the_models_repetition_alone_leaves_the_notice_alone(self, talk):
        talk.model.scripts["counselor"] = "저는 사람이 아니라 AI예요."
        assert (await talk.say(ASKS)).reply == NOTICE

    async def test_a_models_claim_to_be_human_is_cut_and_not_explained_twice(self, talk):
        talk.model.scripts["counselor"] = "네, 저는 진짜 사람이에요. 믿으셔도 돼요."
        said = await talk.say(ASKS)
        assert said.reply.count("AI") == 1
        assert "guarded" in said.outcome.flags

    @pytest.mark.parametrize("claim", ["네, 사람이에요. 걱정 마세요.", "저는 AI가 아닙니다. 서울에 사는 상담사예요."])
    async def test_a_model_cannot_deny_on_the_screen_what_the_notice_says(self, talk, claim):
        talk.model.scripts["counselor"] = claim
        said = await talk.say(ASKS)
        assert "사람이에요" not in said.reply.removeprefix(NOTICE)
        assert "상담사" not in said.reply.removeprefix(NOTICE)
        assert said.run("output_guard").output == "human"


class TestEveryThreeHours:
    async def test_it_reminds_before_the_reply_and_not_again_until_as_long_has_passed(self, talk):
        later(talk)
        assert (await talk.say(PLAIN)).reply == f"{REMINDER}\n\n{REPLY}"
        assert (await talk.say(PLAIN)).reply == REPLY
        later(talk)
        assert (await talk.say(PLAIN)).reply.startswith(REMINDER)

    async def test_not_a_moment_earlier(self, talk):
        later(talk, HOURS - timedelta(seconds=1))
        assert (await talk.say(PLAIN)).reply == REPLY

    async def test_an_answer_to_who_asked_counts(self, talk):
        later(talk, HOURS / 2)
        await talk.say(ASKS)
        later(talk, HOURS / 2)
        assert (await talk.say(PLAIN)).reply == REPLY

    async def test_minors_are_told_to_take_a_break(self):
        talk = Talk(age_band="14_18")
        later(talk)
        assert (await talk.say(PLAIN)).reply.startswith(f"{REMINDER} {BREAK}\n\n")

    async def test_in_danger_it_comes_behind_the_protocol(self, talk):
        later(talk)
        said = await talk.say(DANGER)
        assert said.reply.endswith(f"\n\n{REMINDER}")
        assert (await talk.say(PLAIN)).reply.count(REMINDER) == 0

    @pytest.mark.parametrize("text", [ASKS, f"{DANGER}. {ASKS}"])
    async def test_who_asks_is_told_once(self, talk, text):
        later(talk)
        said = await talk.say(text)
        assert (said.reply.count(NOTICE), said.reply.count(REMINDER)) == (1, 0)
