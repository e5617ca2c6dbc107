"""A concern is asked about directly, whatever the model says; a plain yes is heard, and nothing ends unasked."""

from datetime import timedelta

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.domain.counseling.risk_events import RiskReviewed
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.session_events import WrapUpProposed
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.fakes.answers import user_state_reading
from tests.fakes.talk import Talk

KO = Voice(locale=Locale.KO, register_=Register.FORMAL)
YOUNG = KO.model_copy(update={"minor": True})
CONCERN = {"ko": "더는 못 버티겠어요", "en": "I can't do this anymore"}
ASKED = "많이 지치셨나 봐요. 혹시 죽고 싶다는 뜻으로 하신 말씀인가요?"
DETECTOR = "user_state_detector"


async def concerned(locale: str = "ko", **opened: str) -> Talk:
    talk = Talk(locale=locale, **opened)
    await talk.say(CONCERN[locale])
    assert talk.state.risk.level is RiskLevel.CONCERN
    return talk


class TestAYes:
    async def test_to_the_question_is_a_crisis_without_any_model(self, subtests):
        cases = [
            *(("ko", text) for text in ("네", "응", "네 맞아요", "네, 그런 뜻이에요", "가끔요", "네 그런 생각 들어요")),
            *(("en", text) for text in ("yes", "Yes I do.", "yeah, that's what I mean", "sometimes")),
        ]
        for locale, yes in cases:
            with subtests.test(yes=yes):
                talk = await concerned(locale)
                asked = len(talk.model.requests)
                said = await talk.say(yes)
                assert said.outcome.flags == ("crisis",)
                assert (talk.state.risk.level, talk.state.risk.follow_through) == (RiskLevel.CRISIS, True)
                assert said.outcome.audit[0].rule == "answered-yes"
                assert (said.run("safety_gate").output, said.run("safety_gate").reason) == ("crisis", "answered-yes")
                assert talk.state.staff_review.flags[0].reason == "crisis"
                assert len(talk.model.requests) == asked

    async def test_is_not_heard_in_a_no(self, subtests):
        for text in ("아니요", "네, 그런 뜻은 아니에요", "네 괜찮아요", "그냥 너무 힘들다는 뜻이에요"):
            with subtests.test(text=text):
                talk = await concerned()
                await talk.say(text)
                assert talk.state.risk.level is RiskLevel.CONCERN

    async def test_to_the_question_of_a_turn_without_a_model_is_heard_as_well(self):
        talk = Talk()
        talk.model.scripts = {}
        await talk.say(CONCERN["ko"])
        assert (await talk.say("네")).outcome.flags == ("crisis",)

    async def test_to_another_question_is_none(self, talk):
        talk.model.scripts["counselor"] = "오늘은 집에서 쉬셨어요?"
        await talk.say("오늘은 그냥 집에 있었어요")
        assert (await talk.say("네")).outcome.flags == ()

    async def test_a_turn_later_is_none(self):
        talk = await concerned()
        await talk.say("음, 뭐라고 해야 할까요")
        assert (await talk.say("네")).outcome.flags == ()

    async def test_that_was_sent_before_the_question_is_no_answer_and_is_read_by_the_model(self):
        talk = await concerned()
        said = await talk.say("네", received_at=talk.clock.now() - timedelta(seconds=1))
        assert said.outcome.flags == ()
        assert talk.model.asked(DETECTOR)[-1].messages[-1].text.count("네") == 1

    async def test_counts_though_a_reviewer_ended_the_concern_meanwhile(self):
        talk = await concerned()
        talk.happen(RiskReviewed(reviewer="r", seq=1))
        assert talk.state.risk.level is RiskLevel.NONE
        assert (await talk.say("네")).outcome.flags == ("crisis",)

    async def test_of_a_helper_who_is_asked_about_themselves_is_heard(self, talk):
        said = await talk.say("친구가 죽고 싶대요")
        assert content().crisis_answers.asks_directly(said.reply, last=True)
        assert (await talk.say("네, 가끔요")).outcome.flags == ("crisis",)

    async def test_of_a_helper_who_was_asked_other_things_is_none(self, talk):
        talk.set(protocol_replies=1)
        assert not content().crisis_answers.asks_directly((await talk.say("친구가 죽고 싶대요")).reply, last=True)
        assert (await talk.say("네")).outcome.flags == ()

    @pytest.mark.parametrize("sound", ["네 알겠어요", "네 감사합니다"])
    async def test_that_the_rules_leave_open_is_read_by_the_model(self, sound):
        talk = await concerned()
        talk.model.scripts[DETECTOR] = user_state_reading(risk="crisis", evidence=sound)
        assert (await talk.say(sound)).outcome.flags == ("crisis",)

    async def test_is_a_mere_sound_where_nothing_was_found(self, talk):
        await talk.say("오늘은 그냥 집에 있었어요")
        asked = len(talk.model.asked(DETECTOR))
        await talk.say("네 감사합니다")
        assert len(talk.model.asked(DETECTOR)) == asked


class TestTheQuestion:
    async def test_is_asked_by_code_where_the_model_did_not(self, subtests):
        cases = [
            "많이 힘드셨겠어요. 천천히 쉬어 가요.",
            "많이 힘드셨겠어요. 무엇이 제일 힘드세요?",
            "우울증이 분명해요. 혹시 죽고 싶다는 뜻인가요?",
        ]
        for reply in cases:
            with subtests.test(reply=reply):
                talk = Talk()
                talk.model.scripts["counselor"] = reply
                said = await talk.say(CONCERN["ko"])
                assert said.reply.endswith("\n\n" + content().crisis_replies.direct_question(KO, 1))
                assert (await talk.say("네")).outcome.flags == ("crisis",)

    async def test_is_asked_in_the_users_language_and_register(self, subtests):
        cases = [
            ({"locale": "en"}, Voice(locale=Locale.EN, register_=Register.FORMAL)),
            ({"register": "반말"}, Voice(locale=Locale.KO, register_=Register.CASUAL)),
        ]
        for request_, voice in cases:
            with subtests.test(voice=voice):
                said = await Talk(**request_).say(CONCERN[voice.locale.value])
                assert said.reply.endswith(content().crisis_replies.direct_question(voice, 1))

    async def test_is_not_asked_twice(self, talk):
        talk.model.scripts["counselor"] = ASKED
        assert (await talk.say(CONCERN["ko"])).reply == ASKED

    async def test_is_asked_in_other_words_in_the_next_turn(self, talk):
        replies = [(await talk.say(f"{CONCERN['ko']}{mark}")).reply for mark in ("", ".")]
        assert replies[0] != replies[1]
        assert all(content().crisis_answers.asks_directly(reply) for reply in replies)

    async def test_is_asked_of_somebody_under_14_before_anything_else_is_said(self):
        talk = Talk()
        await talk.say("저 초6이에요")
        said = await talk.say(CONCERN["ko"])
        assert said.reply == "\n\n".join(
            (
                content().crisis_replies.reply(CrisisOutcome.CONCERN, YOUNG, 1),
                content().under_14_replies.addition(YOUNG),
            )
        )
        assert (await talk.say("네")).outcome.flags == ("crisis",)
        assert talk.model.requests == []

    async def test_is_asked_of_somebody_under_14_who_wants_to_leave(self):
        talk = Talk()
        await talk.say("저 초6이에요")
        assert content().crisis_answers.asks_directly((await talk.say(f"오늘은 그만할래요. {CONCERN['ko']}")).reply)


class TestAConcernBesideAnAgreement:
    async def test_is_asked_about_before_anything_ends(self, subtests):
        cases = [("ko", "그만할게요. 더는 못 버티겠어요."), ("en", "yes, let's stop. I can't do this anymore")]
        for locale, text in cases:
            with subtests.test(locale=locale):
                talk = Talk(locale=locale)
                await talk.say("오늘은 그냥 집에 있었어요")
                talk.happen(WrapUpProposed(aim=WrapUpAim.END, seq=talk.state.seq))
                said = await talk.say(text)
                assert not talk.state.ended
                assert said.directive["concern"]
                assert content().crisis_answers.asks_directly(said.reply)

    async def test_leaves_the_end_to_be_asked_for_afterwards(self):
        talk = await concerned()
        assert (await talk.say("오늘은 그만할래요")).directive["proposes"] == "end"
        await talk.say("네")
        assert talk.state.ended
