"""A concern is asked about directly in every reply; a yes is a crisis, and the end waits for the answer."""

from datetime import timedelta

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.wordings import nth
from shared.domain.counseling.measures import MeasureResult
from shared.domain.counseling.risk_events import RiskRaised, RiskReviewed
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.session_events import WrapUpProposed
from shared.locale import Locale, Register
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.needs import Need
from tests.builders.answers import newest_message, reads
from tests.builders.talk import EN, KO, REPLY, Talk, after, locale_of, speaking, told

YOUNG = KO.model_copy(update={"minor": True})
CASUAL = Voice(locale=Locale.KO, register_=Register.CASUAL)
CONCERN = {"ko": "더는 못 버티겠어요", "en": "I can't do this anymore"}
READER = "reader"
REPLIES, ANSWERS = content().crisis_replies, content().crisis_answers


async def concerned(locale="ko"):
    talk = await after(CONCERN[locale])
    assert talk.state.risk.level is RiskLevel.CONCERN
    return talk


class TestAYes:
    @pytest.mark.parametrize(
        "yes",
        [
            *("네", "응", "네 맞아요", "네, 그런 뜻이에요", "가끔요", "네 그런 생각 들어요"),
            *("yes", "Yes I do.", "yeah, that's what I mean", "sometimes"),
        ],
    )
    async def test_to_the_question_is_a_crisis_without_any_model(self, yes):
        talk = await concerned(locale_of(yes))
        asked = len(talk.model.requests)
        said = await talk.say(yes)
        assert said.outcome.flags == ("crisis",)
        assert (talk.state.risk.level, talk.state.risk.follow_through) == (RiskLevel.CRISIS, True)
        assert said.outcome.audit[0].rule == "answered-yes"
        assert (said.run("safety_gate").output, said.run("safety_gate").reason) == ("crisis", "answered-yes")
        assert talk.state.staff_review.flags[0].reason == "crisis"
        assert len(talk.model.requests) == asked

    @pytest.mark.parametrize("no", ["아니요", "네, 그런 뜻은 아니에요", "네 괜찮아요", "그냥 너무 힘들다는 뜻이에요"])
    async def test_is_not_read_in_a_no(self, no):
        talk = await concerned()
        await talk.say(no)
        assert talk.state.risk.level is RiskLevel.CONCERN

    @pytest.mark.parametrize("none", ["네 없어요", "그런 건 없어요", "없어요 그런 거", "yes none", "none of that"])
    async def test_is_neither_read_in_a_mere_none_nor_asked_for_again(self, none):
        talk = await concerned(locale_of(none))
        said = await talk.say(none)
        assert (talk.state.risk.level, ANSWERS.asks_directly(said.reply)) == (RiskLevel.CONCERN, False)

    @pytest.mark.parametrize(
        "none", ["네, 희망이 없어요", "네 사는 이유가 없어요", "네, 아무도 없어요", "yes, nothing matters"]
    )
    async def test_is_read_where_something_else_is_wanting(self, none):
        talk = await concerned(locale_of(none))
        await talk.say(none)
        assert talk.state.risk.level is RiskLevel.CRISIS

    @pytest.mark.parametrize("no", ["아니요 자살은 아니에요", "자살은 아니고요, 그냥 지쳤어요"])
    async def test_is_not_asked_for_again_after_a_no_that_names_suicide(self, no):
        said = await (await concerned()).say(no)
        assert not any(isinstance(event, RiskRaised) for event in said.outcome.events)

    async def test_to_the_question_of_a_turn_without_a_model_is_a_crisis(self, talk):
        talk.model.scripts = {}
        await talk.say(CONCERN["ko"])
        assert (await talk.say("네")).outcome.flags == ("crisis",)

    async def test_to_another_question_or_a_turn_later_is_no_crisis(self):
        talk = speaking(counselor="오늘은 집에서 쉬셨어요?")
        await talk.say("오늘은 그냥 집에 있었어요")
        assert (await talk.say("네")).outcome.flags == ()
        _, said = await told(CONCERN["ko"], "음, 뭐라고 해야 할까요", "비가 와요", "네")
        assert said.outcome.flags == ()

    async def test_that_was_sent_before_the_question_is_left_to_the_model(self):
        talk = await concerned()
        said = await talk.say("네", received_at=talk.clock.now() - timedelta(seconds=1))
        assert said.outcome.flags == ()
        asked = talk.model.asked(READER)[-1]
        assert newest_message(asked) == "네"

    async def test_counts_after_a_reviewer_has_cleared_the_concern(self):
        talk = await concerned()
        talk.happen(RiskReviewed(reviewer="r", seq=1))
        assert talk.state.risk.level is RiskLevel.NONE
        assert (await talk.say("네")).outcome.flags == ("crisis",)

    async def test_of_a_helper_counts_only_behind_the_question_about_themselves_that_follows_the_protocol(self, talk):
        said = [await talk.say(text) for text in ("친구가 죽고 싶대요", "네", "네, 가끔요")]
        assert [ANSWERS.asks_directly(one.reply, last=True) for one in said[:2]] == [False, True]
        assert [one.outcome.flags for one in said] == [("crisis",), (), ("crisis",)]

    @pytest.mark.parametrize("answer", ["네, 부모님이랑 있대요", "네 지금은 괜찮대요", "네, 집에 왔답니다"])
    async def test_of_a_helper_is_none_if_it_reports_what_the_other_person_does(self, talk, answer):
        said = [await talk.say(text) for text in ("친구가 죽고 싶대요", "걱정돼요", answer)]
        assert ANSWERS.asks_directly(said[1].reply, last=True)
        assert said[2].outcome.flags == ()

    async def test_in_a_follow_through_counts_behind_the_question_after_a_correction_only(self):
        talk = await after("죽고 싶어요")
        assert (await talk.say("네")).outcome.flags == ()
        talk = await after("죽고 싶어요", "죽고 싶다는 게 아니라 쉬고 싶다는 말이에요")
        assert (await talk.say("네")).outcome.flags == ("crisis",)

    @pytest.mark.parametrize("sound", ["네 알겠어요", "네 감사합니다"])
    async def test_that_the_rules_leave_open_is_read_by_the_model(self, sound):
        talk = await concerned()
        talk.model.scripts[READER] = reads(danger="own_crisis", quote=sound)
        assert (await talk.say(sound)).outcome.flags == ("crisis",)


class TestTheQuestion:
    @pytest.mark.parametrize(
        "reply",
        [
            "많이 힘드셨겠어요. 천천히 쉬어 가요.",
            "많이 힘드셨겠어요. 무엇이 제일 힘드세요?",
            "우울증이 분명해요. 혹시 죽고 싶다는 뜻인가요?",
        ],
    )
    async def test_is_appended_by_code_if_the_model_did_not_ask_it(self, reply):
        talk = speaking(counselor=reply)
        assert (await talk.say(CONCERN["ko"])).reply.endswith("\n\n" + REPLIES.direct_questions(KO)[0])
        assert (await talk.say("네")).outcome.flags == ("crisis",)

    @pytest.mark.parametrize("voice", [EN, CASUAL])
    async def test_is_asked_in_the_users_language_and_register(self, voice):
        _, said = await told(CONCERN[voice.locale.value], register=voice.register_.value)
        assert said.reply.endswith(REPLIES.direct_questions(voice)[0])

    async def test_is_asked_once_a_turn_and_in_other_words_in_the_next(self, talk):
        asked = "많이 지치셨나 봐요. 혹시 죽고 싶다는 뜻으로 하신 말씀인가요?"
        assert (await speaking(counselor=asked).say(CONCERN["ko"])).reply == asked
        replies = [(await talk.say(f"{CONCERN['ko']}{mark}")).reply for mark in ("", ".")]
        assert replies[0] != replies[1]
        assert all(ANSWERS.asks_directly(reply) for reply in replies)

    async def test_comes_first_in_the_reply_to_a_user_under_14_even_if_they_want_to_leave(self):
        talk, said = await told("저 초6이에요", CONCERN["ko"])
        question = REPLIES.reply(CrisisOutcome.CONCERN, YOUNG, nth(1), needs=(Need.LIFE, Need.INJURY))
        why = content().under_14_replies.addition(YOUNG)
        assert said.reply == f"{question}\n\n{why}"
        assert (await talk.say("네")).outcome.flags == ("crisis",)
        assert talk.model.requests == []
        _, said = await told("저 초6이에요", f"오늘은 그만할래요. {CONCERN['ko']}")
        assert ANSWERS.asks_directly(said.reply)

    @pytest.mark.parametrize("evading", ["모르겠어요", "글쎄요", "음...", "소주 두 병 마셨어요"])
    async def test_evaded_is_asked_once_more_and_not_a_third_time(self, evading):
        talk = await concerned()
        said = [await talk.say(evading) for _ in range(2)]
        assert [one.directive["concern"] for one in said] == [True, False]
        assert [ANSWERS.asks_directly(one.reply, last=True) for one in said] == [True, False]

    @pytest.mark.parametrize(
        ("answer", "heard"),
        [
            *((one, ()) for one in ("아니요, 그런 뜻은 아니에요", "회사에 일이 많아서 그래요", "말하기 싫어요")),
            *(("에이 말버릇이에요", (one,)) for one in ("denies_danger", "declines")),
        ],
    )
    async def test_is_not_asked_again_after_an_answer_or_a_refusal_that_rules_or_the_reader_hear(self, answer, heard):
        talk = await concerned()
        talk.model.scripts[READER] = reads(*heard)
        said = await talk.say(answer)
        assert not said.directive["concern"]
        assert not ANSWERS.asks_directly(said.reply)

    async def test_evaded_is_asked_plainly_after_it_was_asked_as_what_was_meant(self, talk):
        talk.model.scripts["counselor"] = ["그러셨군요. 혹시 죽고 싶다는 뜻으로 하신 말씀이세요?", REPLY]
        said = [await talk.say(text) for text in ("남편 없이는 더 이상 못 버티겠어요", "다리만 보면 그이 생각이 나요")]
        assert [ANSWERS.asks_meaning(one.reply.rpartition("\n\n")[2]) for one in said] == [True, False]
        assert all(ANSWERS.asks_directly(one.reply, last=True) for one in said)

    async def test_is_followed_by_no_intake_in_the_turn_that_answers_it(self):
        talk = await after("남편이 그리워요", CONCERN["ko"])
        assert [(await talk.say(text)).ask is None for text in ("아니요", "회사에 다녀요")] == [True, False]

    @pytest.mark.parametrize("denial", ["난 죽고 싶은 건 아니야", "저는 괜찮아요, 친구가요", "제 얘기는 아니에요"])
    async def test_is_not_asked_of_a_helper_who_has_denied_it_unasked(self, talk, denial):
        said = [await talk.say(text) for text in ("친구가 죽고 싶대요", denial, "같은 반 친구예요")]
        assert not any(ANSWERS.asks_directly(one.reply) for one in said[1:])
        assert (await talk.say("네")).outcome.flags == ()


class TestAConcernInAnAgreement:
    @pytest.mark.parametrize("text", ["그만할게요. 더는 못 버티겠어요.", "yes, let's stop. I can't do this anymore"])
    async def test_is_asked_about_before_the_session_ends(self, text):
        talk = Talk(locale=locale_of(text))
        await talk.say("오늘은 그냥 집에 있었어요")
        talk.happen(WrapUpProposed(aim=WrapUpAim.END, seq=talk.state.seq))
        said = await talk.say(text)
        assert (talk.state.ended, said.directive["concern"]) == (False, True)
        assert ANSWERS.asks_directly(said.reply)

    async def test_lets_the_user_ask_for_the_end_afterwards(self):
        talk = await concerned()
        talk.model.scripts[READER] = reads("wants_to_stop")
        assert (await talk.say("오늘은 그만할래요")).directive["proposes"] == "end"
        await talk.say("네")
        assert talk.state.ended


@pytest.mark.parametrize("before", [("더는 못 버티겠어요",), ("죽고 싶어요", "그냥 누워 있어요")])
async def test_who_skips_a_question_about_danger_gets_the_help_lines(before):
    talk = await after(*before)
    assert "109" in (await talk.say("건너뛸게요")).reply


async def test_who_asks_where_to_turn_gets_the_lines_before_the_next_question():
    talk = await after("죽고 싶어요", "그냥 누워 있어요")
    reply = (await talk.say("어디에 말해야 돼요?")).reply
    assert 0 < reply.index("109") < reply.rindex("?")


@pytest.mark.parametrize(("seq", "named"), [(0, True), (None, False)])
async def test_a_concern_of_the_questionnaire_is_named_as_such_to_the_model(talk, seq, named):
    risk = Risk(level=RiskLevel.CONCERN, outcome=CrisisOutcome.CONCERN, since_seq=0, last_seq=0, asked_seq=0)
    band = {"total": 4, "highest": 27, "band": "least", "highest_self_harm": 1}
    taken = MeasureResult(**band, measure="phq9", moment="start", seq=0, at=talk.clock.now())
    talk.set(risk=risk, measures=(taken,) if seq == 0 else ())
    await talk.say("요즘 잠이 잘 안 와요")
    assert any("질문지에 적은 답" in str(request) for request in talk.model.requests) is named
