"""What is danger only as an answer: it is done, it is near, it is about them; and what is said in parts."""

from datetime import timedelta
from itertools import pairwise

import pytest

from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.fakes.answers import user_state_reading
from tests.fakes.talk import Talk

DANGER = {"ko": "죽고 싶어요", "en": "I want to die"}
DETECTOR = "user_state_detector"


async def in_danger(locale: str = "ko", **opened: str) -> Talk:
    talk = Talk(locale=locale, **opened)
    await talk.say(DANGER[locale])
    assert talk.state.risk.level is RiskLevel.CRISIS
    return talk


class TestThatItIsDone:
    async def test_is_heard_and_answered_with_the_ambulance(self, subtests):
        cases = [
            *(
                ("ko", text)
                for text in ("먹었어요", "네 이미 했어요", "그었어요", "방금 스무 알 먹었어요", "피가 안 멈춰요")
            ),
            *(("en", text) for text in ("I took them", "I did it", "yes, already done", "bleeding a lot")),
        ]
        for locale, answer in cases:
            with subtests.test(answer=answer):
                talk = await in_danger(locale)
                said = await talk.say(answer)
                assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))
                assert "answered-done" in said.outcome.audit[0].rule
                assert {"ko": "119", "en": "911"}[locale] in said.reply

    async def test_is_not_heard_in_other_answers(self, subtests):
        for answer in ("아직 안 했어요", "밥 먹었어요", "엄마한테 전화했어요", "생각만 했어요"):
            with subtests.test(answer=answer):
                talk = await in_danger()
                assert (await talk.say(answer)).outcome.flags == ()

    async def test_is_heard_right_behind_the_protocol_alone(self):
        talk = await in_danger()
        await talk.say("그냥 누워 있어요")
        assert (await talk.say("먹었어요")).outcome.flags == ()

    async def test_is_heard_turns_later_where_the_act_is_named(self, subtests):
        cases = [
            *(("ko", text) for text in ("약을 먹었어요", "수면제 먹었어요", "방금 스무 알 먹었어요", "피가 계속 나요")),
            *(("en", text) for text in ("I took the pills", "I jumped", "bleeding a lot")),
        ]
        for locale, act in cases:
            with subtests.test(act=act):
                talk = await in_danger(locale)
                for other in {"ko": ("그냥 누워 있어요", "비가 오네요"), "en": ("just lying here", "it is raining")}[
                    locale
                ]:
                    await talk.say(other)
                said = await talk.say(act)
                assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))
                assert CrisisOutcome.ATTEMPTED in talk.state.risk.found
                assert "told-done" in said.outcome.audit[0].rule
                assert {"ko": "119", "en": "911"}[locale] in said.reply

    async def test_is_not_heard_turns_later_in_what_people_do_every_day(self, subtests):
        for daily in ("저녁 약 먹었어요", "타이레놀 한 알 먹었어요", "밥 먹었어요", "숙제 다 했어요"):
            with subtests.test(daily=daily):
                talk = await in_danger()
                await talk.say("그냥 누워 있어요")
                assert (await talk.say(daily)).outcome.flags == ()

    async def test_is_not_heard_outside_a_follow_through(self, talk):
        assert (await talk.say("약을 먹었어요")).outcome.flags == ()

    @pytest.mark.parametrize(("locale", "act"), [("ko", "약을 먹었어요"), ("en", "I took them")])
    async def test_is_heard_behind_a_yes_to_its_question(self, locale, act):
        talk = await in_danger(locale)
        await talk.say({"ko": "네 맞아요", "en": "yes"}[locale])
        said = await talk.say(act)
        assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))

    async def test_is_no_answer_where_it_was_sent_before_the_question(self):
        talk = await in_danger()
        assert (await talk.say("먹었어요", received_at=talk.clock.now() - timedelta(seconds=1))).outcome.flags == ()

    @pytest.mark.parametrize("words", ["했어요", "칼로 찔렀어요"])
    async def test_is_no_answer_to_who_would_hurt_somebody_else(self, talk, words):
        await talk.say("그 사람을 죽여 버릴 거예요")
        await talk.say(words)
        assert CrisisOutcome.ATTEMPTED not in talk.state.risk.found


class TestThatItIsNear:
    async def test_is_heard(self, subtests):
        cases = [
            *(("ko", text) for text in ("오늘 밤이요", "지금이요", "네 준비했어요", "옥상이요", "하려고요")),
            *(("en", text) for text in ("tonight", "right now", "I have the pills ready", "on the roof")),
        ]
        for locale, answer in cases:
            with subtests.test(answer=answer):
                talk = await in_danger(locale)
                said = await talk.say(answer)
                assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))

    async def test_is_not_heard_in_other_answers(self, subtests):
        for answer in ("오늘 밤에 엄마가 와요", "내일 병원에 갈 거예요", "집이요", "혼자예요"):
            with subtests.test(answer=answer):
                talk = await in_danger()
                await talk.say(answer)
                assert talk.state.risk.level is RiskLevel.CRISIS


class TestThatItIsAboutThem:
    @pytest.mark.parametrize("words", ["사실 친구가 아니라 저예요", "실은 제 얘기예요", "그 친구가 저예요"])
    async def test_is_a_crisis_of_their_own(self, talk, words):
        await talk.say("친구가 죽고 싶대요")
        said = await talk.say(words)
        assert (talk.state.risk.outcome, said.outcome.flags) == (CrisisOutcome.CRISIS, ("crisis",))

    async def test_is_nothing_where_nobody_was_worried_about(self, talk):
        assert (await talk.say("사실 제 얘기예요")).outcome.flags == ()

    @pytest.mark.parametrize("words", ["저도요", "저도 그래요"])
    async def test_they_may_say_in_two_syllables_when_asked(self, talk, words):
        await talk.say("친구가 죽고 싶대요")
        assert (await talk.say(words)).outcome.flags == ("crisis",)


class TestAnAttempt:
    async def test_is_not_over_by_words_of_safety_before_somebody_sees_to_the_body(self, talk):
        await talk.say("방금 수면제 서른 알 먹었어요")
        for words in ("지금은 안전해요", "죽을 생각은 없어요", "네 정말 안전해요"):
            await talk.say(words)
        assert talk.state.risk.follow_through
        await talk.say("병원에 와 있어요")
        assert not talk.state.risk.follow_through

    async def test_that_is_only_near_is_over_by_words_of_safety(self, talk):
        await talk.say("지금 옥상에 올라와 있어요 뛰어내릴 거예요")
        for words in ("옥상에서 내려왔어요", "지금은 정말 안전해요"):
            await talk.say(words)
        assert not talk.state.risk.follow_through


class TestWhatIsSaidInParts:
    @pytest.mark.parametrize("parts", [("나 진짜 죽고", "싶다"), ("저 이제", "살기", "싫어요"), ("I want to", "die")])
    async def test_is_read_together(self, talk, parts):
        *begun, end = parts
        for part in begun:
            assert (await talk.say(part)).outcome.flags == ()
        assert (await talk.say(end)).outcome.flags == ("crisis",)

    async def test_is_read_together_late_in_a_talk_too(self, talk):
        for number in range(6):
            await talk.say(f"오늘은 집에서 {number}시까지 쉬었고 저녁에는 산책을 했어요")
        await talk.say("나 진짜 죽고")
        assert (await talk.say("싶다")).outcome.flags == ("crisis",)

    async def test_is_read_alone_when_time_went_by(self, talk):
        await talk.say("나 진짜 죽고")
        talk.clock.advance(120)
        assert (await talk.say("싶다")).outcome.flags == ()

    async def test_long_messages_are_no_parts(self, talk):
        await talk.say("요즘 회사 일이 너무 많아서 진짜 죽고")
        assert (await talk.say("싶은 게 많아서 여행 책을 샀어요")).outcome.flags == ()

    async def test_is_read_alone_where_each_answers_the_protocol(self):
        talk = await in_danger()
        assert (await talk.say("약을 먹었어요")).outcome.flags == ("crisis",)
        assert (await talk.say("지금은 안전해요")).outcome.flags == ()
        assert talk.state.risk.safe_statements == 1

    async def test_a_crisis_before_it_is_not_found_again(self):
        talk = await in_danger()
        assert (await talk.say("네")).outcome.flags == ()


class TestTheModelsSecondOpinion:
    async def test_holds_nobody_who_says_that_they_are_safe(self):
        talk = await in_danger()
        for words in ("이제 정말 안전해요", "죽고 싶지 않아요"):
            talk.model.scripts[DETECTOR] = user_state_reading(risk="crisis", evidence=words)
            assert (await talk.say(words)).outcome.flags == ()
        assert not talk.state.risk.follow_through

    async def test_of_something_graver_is_heard(self):
        talk = await in_danger()
        words = "이제 다 치워 놓고 있어"
        talk.model.scripts[DETECTOR] = user_state_reading(risk="imminent", evidence=words)
        assert (await talk.say(words)).outcome.flags == ("crisis",)


class TestThatThePlaceIsDangerous:
    @pytest.mark.parametrize("words", ["옥상이에요", "사실 다리 위에 있어요"])
    async def test_is_heard_turns_later(self, words):
        talk = await in_danger()
        for other in ("그냥 누워 있었어요", "비가 오네요"):
            await talk.say(other)
        said = await talk.say(words)
        assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))

    @pytest.mark.parametrize("words", ["옥상에서 내려왔어요", "다리가 아파요"])
    async def test_is_not_heard_where_it_is_left_or_is_none(self, words):
        talk = await in_danger()
        await talk.say("그냥 누워 있어요")
        await talk.say(words)
        assert talk.state.risk.level is RiskLevel.CRISIS

    @pytest.mark.parametrize(("locale", "words"), [("ko", "약 있어요"), ("en", "I have pills")])
    async def test_nor_need_the_means_be_ready_in_so_many_words(self, locale, words):
        talk = await in_danger(locale)
        await talk.say(words)
        assert talk.state.risk.level is RiskLevel.IMMINENT


class TestThatTheOtherIsNear:
    async def test_is_violence_at_this_moment(self, subtests):
        cases = [
            *(
                ("ko", "아빠가 술 마시면 때려요", text)
                for text in (
                    "지금 방에 숨어있어요",
                    "아빠가 문을 두드려요",
                    "지금 때리고 나갔어요",
                    "피가 나요",
                    "지금 옆방에 있어요",
                )
            ),
            *(
                ("en", "my husband hits me", text)
                for text in ("he is in the next room", "he's banging on the door", "he has a gun")
            ),
        ]
        for locale, told, words in cases:
            with subtests.test(words=words):
                talk = Talk(locale=locale)
                await talk.say(told)
                said = await talk.say(words)
                assert (talk.state.risk.outcome, said.outcome.flags) == (CrisisOutcome.ABUSE_NOW, ("crisis",))
                assert {"ko": "112", "en": "911"}[locale] in said.reply

    async def test_is_not_heard_in_who_else_is_there(self, subtests):
        cases = [
            "아이가 옆에 있어요", "친구집에 있어요", "무서워요", "엄마가 옆에 있어요", "지금 엄마 집에 있어요",
            "남편은 밖에 있어요", "택배 아저씨가 문을 두드렸어요", "제 말이 방금 맞았어요",
        ]  # fmt: skip
        for words in cases:
            with subtests.test(words=words):
                talk = Talk()
                await talk.say("남편이 자꾸 때려요")
                await talk.say(words)
                assert talk.state.risk.outcome is CrisisOutcome.ABUSE

    async def test_is_heard_of_the_one_whom_they_told_of(self, talk):
        await talk.say("남편이 자꾸 때려요")
        await talk.say("남편이 집에 왔어요")
        assert talk.state.risk.outcome is CrisisOutcome.ABUSE_NOW

    async def test_is_nothing_where_nobody_told_of_violence(self, talk):
        assert (await talk.say("지금 방에 숨어있어요")).outcome.flags == ()


class TestThatTheOneTheyWorryAboutIsInDangerNow:
    async def test_calls_for_the_ambulance(self, subtests):
        cases = [
            *(("ko", "동생이 자살하고 싶대요", text) for text in ("옥상에 있대요", "약을 먹었대요", "의식이 없어요")),
            ("en", "my friend says she wants to die", "she's on the roof"),
        ]
        for locale, told, words in cases:
            with subtests.test(words=words):
                talk = Talk(locale=locale)
                await talk.say(told)
                said = await talk.say(words)
                assert talk.state.risk.outcome is CrisisOutcome.THIRD_PARTY_NOW
                assert {"ko": "119", "en": "911"}[locale] in said.reply


class TestThatAnotherIsToBeHurt:
    async def test_is_not_heard_where_the_danger_is_to_their_own_life(self, talk):
        await talk.say("죽고 싶어요")
        await talk.say("오늘 밤에 할 거예요")
        assert talk.state.risk.outcome is CrisisOutcome.IMMINENT
        assert CrisisOutcome.HARM_TO_OTHERS not in talk.state.risk.found

    async def test_stays_a_danger_to_the_other_alone(self, subtests):
        for words in ("칼 샀어요", "네 칼도 준비했어요", "내일 회사에서 찌를거예요", "오늘 밤에 할 거예요"):
            with subtests.test(words=words):
                talk = Talk()
                await talk.say("그 사람을 죽여 버릴 거예요")
                said = await talk.say(words)
                assert said.outcome.flags == ("crisis",)
                assert set(talk.state.risk.found) == {CrisisOutcome.HARM_TO_OTHERS}
                assert "죽으려고" not in said.reply

    async def test_does_not_hide_an_answer_that_is_of_their_own_life(self, subtests):
        cases = [
            *(
                ("ko", "그 사람을 죽여 버릴 거예요", text)
                for text in (
                    "지금 죽을 거예요",
                    "오늘 밤에 죽을 거예요",
                    "네 죽으려고요",
                    "저를 죽일 거예요",
                    "뛰어내릴게요",
                )
            ),
            ("en", "I am going to kill him", "I have a knife to cut myself"),
        ]
        for locale, told, words in cases:
            with subtests.test(words=words):
                talk = Talk(locale=locale)
                await talk.say(told)
                await talk.say(words)
                assert {CrisisOutcome.CRISIS, CrisisOutcome.IMMINENT} & set(talk.state.risk.found)

    async def test_does_not_hide_their_own_wish(self, talk):
        await talk.say("그 사람을 죽여 버릴 거예요")
        await talk.say("저도 죽고 싶어요")
        assert CrisisOutcome.CRISIS in talk.state.risk.found


class TestANoInSoManyWords:
    async def test_is_not_asked_about_again(self, subtests):
        cases = [
            ("ko", "더 이상 못 버티겠어요", ("아니요 죽고 싶지는 않아요", "죽고 싶은 건 아니에요")),
            ("en", "I can't take it any more", ("no, I don't want to die", "I'm not suicidal")),
        ]
        for locale, unclear, denials in cases:
            with subtests.test(locale=locale):
                talk = Talk(locale=locale)
                await talk.say(unclear)
                asked = talk.state.risk.asked_seq
                assert asked is not None
                for denial in denials:
                    await talk.say(denial)
                assert (talk.state.risk.asked_seq, talk.state.risk.level) == (asked, RiskLevel.NONE)

    async def test_is_asked_about_where_nobody_asked_before(self, talk):
        await talk.say("죽고 싶지는 않아요")
        assert talk.state.risk.level is RiskLevel.CONCERN

    async def test_does_not_hide_a_yes_behind_it(self, talk):
        await talk.say("더 이상 못 버티겠어요")
        await talk.say("죽고 싶지 않다고는 못 하겠어요")
        assert talk.state.risk.level is not RiskLevel.NONE


class TestSomebodyUnder14:
    async def test_hears_why_it_does_not_go_on_once_in_a_follow_through(self, talk):
        await talk.say("저 12살이에요")
        why = "하나 더 말씀드릴게요"
        assert why in (await talk.say("죽고 싶어요")).reply
        replies = [(await talk.say(words)).reply for words in ("네", "몰라요", "무서워요")]
        assert not any(why in reply for reply in replies)

    async def test_hears_it_in_a_follow_through_where_the_age_is_told_there(self):
        talk = await in_danger()
        assert "하나 더 말씀드릴게요" in (await talk.say("저 12살이에요")).reply

    async def test_is_thanked_for_the_age_only_where_it_was_told(self, talk):
        thanks = "나이를 알려 주셔서"
        assert thanks in (await talk.say("저 12살이에요")).reply
        replies = [(await talk.say(words)).reply for words in ("학교에서 괴롭혀요", "네", "심심해요", "뭐 해요")]
        assert not any(thanks in reply for reply in replies)
        assert all(one != other for one, other in pairwise(replies))


class TestAPlanForTonight:
    @pytest.mark.parametrize("comfort", ["109에 전화했어요", "친구 왔어요"])
    async def test_is_not_over_by_company_and_one_word_of_safety(self, talk, comfort):
        for words in ("오늘 밤에 죽을 거예요", comfort, "지금은 안전해요"):
            await talk.say(words)
        assert talk.state.risk.level is RiskLevel.IMMINENT
        await talk.say("안 죽을게요")
        assert talk.state.risk.level is RiskLevel.NONE
