"""Answers that say little ("네", "몰라요"): met without questions; after some a rest or the end is offered."""

import pytest

from shared.domain.counseling.review import REST_AFTER_DECLINE
from shared.domain.counseling.session import SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.short_answers import OFFER_AFTER, QUIET_AFTER
from shared.lexicon.asking import asks_of
from shared.lexicon.session_words import questions_of
from tests.builders.answers import user_state_reading
from tests.builders.talk import Talk


async def say(talk: Talk, *messages: str):
    return [await talk.say(text) for text in messages]


class TestNoAnswer:
    async def test_to_a_question_is_met_without_the_next_slot(self, talk):
        told = "어제는 팀장님과 회의가 길었어요"
        first, unsure, *later = await say(talk, "네", "몰라요", told, "그래서 집에 늦게 들어갔어요")
        assert (first.ask is None, unsure.ask, later[-1].ask is None) == (False, None, False)

    async def test_twice_in_a_row_is_met_with_no_question_and_words_that_leave_time(self, talk):
        no_hurry = talk.content.messages(talk.state.locale, talk.state.register_).variants("no_hurry")
        talk.model.scripts["counselor"] = "네. 요즘 무엇이 가장 힘드세요?"
        _, second, told = await say(talk, "몰라요 진짜", "딱히 생각나는 게 없어요", "저도 인정받고 싶었어요")
        assert (second.ask, asks_of(second.reply)) == (None, ())
        assert any(words in second.reply for words in no_hurry)
        assert not any(words in told.reply for words in no_hurry)

    async def test_fills_no_slot_although_a_model_reads_one(self, talk):
        talk.work_on("task_persona_1")
        talk.model.scripts["task_completion_checker"] = (
            '{"complete": false, "evidence": "",'
            ' "slots": [{"name": "support_people", "quote": "잘 모르겠어요", "value": "잘 모르겠어요"}]}'
        )
        await talk.say("잘 모르겠어요")
        assert "support_people" not in talk.state.user_info


class TestARunOfShortAnswers:
    async def test_ends_the_counsellors_questions_and_then_brings_one_offer(self, talk):
        said = await say(talk, *["네"] * OFFER_AFTER)
        asked = [len(questions_of(one.reply)) for one in said]
        assert asked[QUIET_AFTER - 1 : -1] == [0] * (OFFER_AFTER - QUIET_AFTER)
        assert asked[-1] == 1
        assert said[-1].directive["end_cause"] == "short_answers"
        assert not talk.content.session_words.asks_to_end(said[-1].reply), "it offers to stay as well"
        assert (talk.state.wrap_up.aim, talk.state.wrap_up.choice) == (WrapUpAim.END, True)

    @pytest.mark.parametrize("answer", ["네", "네네, 좋아요", "몰라요", "글쎄요", "네, 고마워요"])
    async def test_a_bare_yes_or_no_answer_to_the_choice_ends_nothing_and_it_rests(self, talk, answer):
        await say(talk, *["네"] * OFFER_AFTER)
        passed = await talk.say(answer)
        assert (talk.state.ended, talk.state.wrap_up.stage) == (False, WrapUpStage.DECLINED)
        later = await say(talk, *["네", "몰라요"] * (REST_AFTER_DECLINE // 2 - 1))
        assert [one.directive["proposes"] for one in (passed, *later)] == [None] * (len(later) + 1)

    @pytest.mark.parametrize("answer", ["오늘은 여기까지요", "네, 여기까지 할게요", "후자요", "그만할래요"])
    async def test_words_that_name_the_end_end_the_session(self, talk, answer):
        await say(talk, *["네"] * OFFER_AFTER)
        await talk.say(answer)
        assert talk.state.status is SessionStatus.COMPLETED

    async def test_the_rest_is_offered_once_and_later_only_the_choice(self, talk):
        said = await say(talk, *["네"] * (OFFER_AFTER + REST_AFTER_DECLINE + OFFER_AFTER))
        messages = talk.content.messages(talk.state.locale, talk.state.register_)
        rest, choice = (
            {asks_of(text)[-1] for text in messages.variants(key)} for key in ("rest_or_end", "stay_or_end")
        )
        asked = [asks_of(one.reply)[-1] for one in said if one.directive["end_cause"] == "short_answers"]
        assert [one in rest for one in asked] == [True, False]
        assert asked[1] in choice
        assert not talk.state.ended

    async def test_declined_begins_anew_and_the_offer_rests(self, talk):
        await say(talk, *["네"] * OFFER_AFTER)
        declined = await talk.say("아니요, 더 있을래요")
        assert (talk.state.short_answers, declined.directive["skipped"]) == (0, False)
        later = await say(talk, *["네"] * OFFER_AFTER)
        assert [one.directive["proposes"] for one in later] == [None] * OFFER_AFTER

    async def test_is_broken_by_words_with_content_and_by_a_feeling_waits_for_calm(self, talk):
        await say(talk, "네", "몰라요", "네", "글쎄요", "엄마 생각이 나서 눈물이 나요")
        assert talk.state.short_answers == 0
        talk.model.scripts["user_state_detector"] = user_state_reading(emotion="sadness", intensity=8)
        sad = await say(talk, *["몰라요"] * OFFER_AFTER)
        assert sad[-1].directive["proposes"] is None

    async def test_does_not_count_answers_about_danger(self, talk):
        await say(talk, "죽고 싶어요", *["네"] * OFFER_AFTER)
        assert talk.state.short_answers == 0


async def test_one_declined_topic_is_no_resistance_even_to_the_model_and_skips_what_was_asked(talk):
    talk.work_on("task_persona_1", covered=["task_welcome_1", "task_info_1", "task_rapport_1", "task_process_1"])
    talk.set(user_info={"prior_counseling": False})
    talk.ask_for("support_people")
    talk.model.scripts["user_state_detector"] = user_state_reading(resistance="strong")
    said = await talk.say("집 얘기는 말 안 할래요")
    assert talk.state.user_state.resistance.value == "none"
    assert (talk.state.declined_slots, questions_of(said.reply)) == (("support_people",), ())


async def test_a_skipped_question_gives_a_turn_without_another_question(talk):
    await talk.say("네")
    skipped = await talk.say("말하고 싶지 않아요")
    assert "SlotDeclined" in skipped.events
    assert (skipped.ask, skipped.directive["skipped"], questions_of(skipped.reply)) == (None, True, ())
    later = await say(talk, "어제는 회의가 길었어요", "집에 늦게 들어갔어요", "씻고 바로 잤어요")
    assert any(one.ask for one in later)
