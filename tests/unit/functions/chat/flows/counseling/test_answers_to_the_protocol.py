"""What is danger only as an answer: it is done, it is near, it is about them; and what is said in parts."""

from datetime import timedelta

import pytest

from functions.chat.flows.counseling.detectors.user_state import UserStateReading
from shared.domain.safety.levels import CrisisOutcome, RiskLevel
from tests.fakes.talk import Talk

DANGER = {"ko": "죽고 싶어요", "en": "I want to die"}
DETECTOR = "user_state_detector"


async def in_danger(locale: str = "ko", **opened: str) -> Talk:
    talk = Talk(locale=locale, **opened)
    await talk.say(DANGER[locale])
    assert talk.state.risk.level is RiskLevel.CRISIS
    return talk


class TestThatItIsDone:
    @pytest.mark.parametrize(
        ("locale", "answer"),
        [
            *(
                ("ko", text)
                for text in ("먹었어요", "네 이미 했어요", "그었어요", "방금 스무 알 먹었어요", "피가 안 멈춰요")
            ),
            *(("en", text) for text in ("I took them", "I did it", "yes, already done", "bleeding a lot")),
        ],
    )
    async def test_is_heard_and_answered_with_the_ambulance(self, locale, answer):
        talk = await in_danger(locale)
        said = await talk.say(answer)
        assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))
        assert "answered-done" in said.outcome.audit[0].rule
        assert {"ko": "119", "en": "911"}[locale] in said.reply

    @pytest.mark.parametrize("answer", ["아직 안 했어요", "밥 먹었어요", "엄마한테 전화했어요", "생각만 했어요"])
    async def test_is_not_heard_in_other_answers(self, answer):
        talk = await in_danger()
        assert (await talk.say(answer)).outcome.flags == ()

    async def test_is_heard_right_behind_the_protocol_alone(self):
        talk = await in_danger()
        await talk.say("그냥 누워 있어요")
        assert (await talk.say("먹었어요")).outcome.flags == ()

    @pytest.mark.parametrize(
        ("locale", "act"),
        [
            *(("ko", text) for text in ("약을 먹었어요", "수면제 먹었어요", "방금 스무 알 먹었어요", "피가 계속 나요")),
            *(("en", text) for text in ("I took the pills", "I jumped", "bleeding a lot")),
        ],
    )
    async def test_is_heard_turns_later_where_the_act_is_named(self, locale, act):
        talk = await in_danger(locale)
        for other in {"ko": ("그냥 누워 있어요", "비가 오네요"), "en": ("just lying here", "it is raining")}[locale]:
            await talk.say(other)
        said = await talk.say(act)
        assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))
        assert CrisisOutcome.ATTEMPTED in talk.state.risk.found
        assert "told-done" in said.outcome.audit[0].rule
        assert {"ko": "119", "en": "911"}[locale] in said.reply

    @pytest.mark.parametrize("daily", ["저녁 약 먹었어요", "타이레놀 한 알 먹었어요", "밥 먹었어요", "숙제 다 했어요"])
    async def test_is_not_heard_turns_later_in_what_people_do_every_day(self, daily):
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
    @pytest.mark.parametrize(
        ("locale", "answer"),
        [
            *(("ko", text) for text in ("오늘 밤이요", "지금이요", "네 준비했어요", "옥상이요", "하려고요")),
            *(("en", text) for text in ("tonight", "right now", "I have the pills ready", "on the roof")),
        ],
    )
    async def test_is_heard(self, locale, answer):
        talk = await in_danger(locale)
        said = await talk.say(answer)
        assert (talk.state.risk.level, said.outcome.flags) == (RiskLevel.IMMINENT, ("crisis",))

    @pytest.mark.parametrize("answer", ["오늘 밤에 엄마가 와요", "내일 병원에 갈 거예요", "집이요", "혼자예요"])
    async def test_is_not_heard_in_other_answers(self, answer):
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
            talk.model.scripts[DETECTOR] = UserStateReading(risk="crisis", evidence=words)
            assert (await talk.say(words)).outcome.flags == ()
        assert not talk.state.risk.follow_through

    async def test_of_something_graver_is_heard(self):
        talk = await in_danger()
        words = "이제 다 치워 놓고 있어"
        talk.model.scripts[DETECTOR] = UserStateReading(risk="imminent", evidence=words)
        assert (await talk.say(words)).outcome.flags == ("crisis",)
