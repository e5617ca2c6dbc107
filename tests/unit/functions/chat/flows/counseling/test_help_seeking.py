"""A user in danger is guided to people by rule, whatever the model says, and without one."""

import re
from datetime import UTC, datetime

import pytest

from functions.chat.danger.danger_in_context import ANSWERED_MEANS
from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.wordings import nth
from shared.lexicon.session_words import questions_of
from shared.locale import Locale, Register
from shared.safety.demands import Demand
from shared.safety.help_seeking import Barrier, Inquiry, Step
from shared.safety.levels import CrisisOutcome
from tests.builders.talk import EN, KO, Talk, after, locale_of, told
from tests.fakes.settable_clock import SettableClock

WORDS = content().help_seeking
CASUAL = Voice(locale=Locale.KO, register_=Register.CASUAL)
DANGER = "요즘 자꾸 죽고 싶어요"
PLAIN = "오늘은 그냥 집에 있었어요"
NIGHT = datetime(2026, 11, 1, 17, 0, tzinfo=UTC)
BY_DAY = datetime(2026, 11, 2, 3, 0, tzinfo=UTC)


def steps(step, voice):
    return [WORDS.step(step, voice, nth(n)) for n in (0, 1)]


def says_step(reply, voice=KO):
    return [step for step in Step if any(text in reply for text in steps(step, voice))]


def asks(reply, voice=KO):
    return [about for about in Inquiry if any(text in reply for text in WORDS.questions(about, voice))]


def nightly():
    talk = Talk()
    talk.clock = SettableClock(NIGHT)
    return talk


class TestTheNextStep:
    @pytest.mark.parametrize(
        ("messages", "step"),
        [
            (("정신과에 다니고 있어요", DANGER), Step.IN_CARE),
            (("상담 받고 있는데 죽고 싶어요",), Step.IN_CARE),
            (("지금 집에 혼자 있어요", DANGER), Step.ALONE),
            (("엄마가 옆방에 있어요", DANGER), Step.WITH_FAMILY),
            (("부모님이랑 같이 살아요", DANGER), Step.LIVES_WITH_FAMILY),
            (("혼자 살아요", DANGER), Step.LIVES_ALONE),
            (("엄마는 거실에 계세요", "옥상에 올라왔는데 죽고 싶어요"), Step.LIVES_WITH_FAMILY),
            (("I'm seeing a therapist", "I want to die"), Step.IN_CARE),
            (("it's 3 am", "it's 3 am and I want to die"), Step.AT_NIGHT),
        ],
    )
    async def test_of_the_protocol_fits_what_the_user_told_in_the_session(self, messages, step):
        _, said = await told(*messages, now=BY_DAY)
        assert says_step(said.reply, EN if locale_of(messages[0]) == "en" else KO) == [step]
        assert said.outcome.flags == ("crisis",)

    async def test_is_none_where_nothing_is_known(self):
        _, said = await told(DANGER, now=BY_DAY)
        assert says_step(said.reply) == []

    async def test_is_in_the_users_register(self):
        _, said = await told("정신과에 다니고 있어", "자꾸 죽고 싶어", register="반말", now=BY_DAY)
        assert says_step(said.reply, CASUAL) == [Step.IN_CARE]

    async def test_at_night_in_korea_leads_to_the_lines_and_to_the_clinic_in_the_morning(self):
        talk = nightly()
        assert says_step((await talk.say(DANGER)).reply) == [Step.AT_NIGHT]
        assert says_step((await talk.say("정신과에 다니고 있어요")).reply) == [Step.IN_CARE_AT_NIGHT]

    async def test_follows_the_help_lines_of_the_follow_through_too(self):
        talk = Talk()
        talk.clock = SettableClock(BY_DAY)
        await talk.say(DANGER)
        talk.clock = SettableClock(NIGHT)
        assert says_step((await talk.say("전화번호 알려 주세요")).reply) == [Step.AT_NIGHT]

    async def test_is_named_once_in_a_follow_through_then_the_next_that_fits(self):
        talk = await after(DANGER, "정신과에 다니고 있어요", now=BY_DAY)
        assert says_step((await talk.say("지금 집에 혼자 있어요")).reply) == [Step.ALONE]
        later = [(await talk.say(text)).reply for text in ("전화번호 알려 주세요", DANGER, PLAIN, PLAIN, PLAIN)]
        assert [says_step(reply) for reply in later] == [[]] * 5

    async def test_is_not_to_look_for_somebody_once_somebody_knows(self):
        talk = await after("옥상에 올라왔는데 죽고 싶어요", "지금 혼자예요", now=BY_DAY)
        assert says_step((await talk.say("엄마한테 전화했어요. 오고 계세요")).reply) == [Step.CONTACT]
        later = [
            (await talk.say(text)).reply for text in ("약은 엄마한테 드렸어요", PLAIN, "전화번호 알려 주세요", PLAIN)
        ]
        assert [says_step(reply) for reply in later] == [[]] * 4

    async def test_is_to_look_for_somebody_again_if_nobody_comes(self):
        talk = await after(DANGER, "엄마한테 전화했어요", now=BY_DAY)
        assert says_step((await talk.say("안 오신대요. 지금 혼자예요")).reply) == [Step.ALONE]

    async def test_never_keeps_a_user_with_a_family_that_may_hurt(self):
        talk = await after("아빠가 매일 저를 때려요", DANGER, now=BY_DAY)
        assert Step.CONTACT not in says_step((await talk.say("아빠한테 말했어요")).reply)

    async def test_leads_no_minor_to_the_line_that_they_have_called(self):
        talk = await after(DANGER, now=BY_DAY, age_band="14_18")
        assert says_step((await talk.say("1388에 전화했어요")).reply) == [Step.CONTACT]

    async def test_is_named_at_once_to_one_who_tells_of_it_in_the_follow_through(self):
        _, said = await told(DANGER, "지금 집에 혼자 있어요")
        assert says_step(said.reply) == [Step.ALONE]

    @pytest.mark.parametrize(
        "messages",
        [
            ("아빠가 매일 저를 때려요", "엄마랑 아빠랑 같이 살아요", DANGER),
            ("집이 무서워요. 부모님이랑 살아요. 죽고 싶어요",),
            ("아빠한테 매일 맞으면서 같이 살고 있어요", DANGER),
            ("집에 아빠랑 둘이 있는데 무서워요", DANGER),
            ("부모님이랑 같이 살아요", DANGER, "집에 들어가기가 무서워요"),
        ],
    )
    async def test_never_leads_to_a_family_that_may_hurt_or_is_feared_but_to_people_outside(self, messages):
        _, said = await told(*messages, now=BY_DAY)
        assert says_step(said.reply) == [Step.UNSAFE_HOME]
        assert "가족" not in said.reply

    async def test_is_none_for_one_at_home_with_others_whom_the_family_hurt_long_ago(self):
        _, said = await told("어릴 때 아빠가 무서웠어요", "아내랑 같이 살아요", DANGER, now=BY_DAY)
        assert says_step(said.reply) == []

    async def test_tells_a_minor_whom_to_tell_in_the_place_of_the_general_advice(self):
        _, said = await told("고2예요", DANGER, now=BY_DAY)
        assert said.reply.count("담임 선생님") == 1
        assert "부모님" not in said.reply

    async def test_and_the_reply_to_a_minor_who_fears_home_name_no_parents(self):
        _, said = await told("부모님이 알면 안 돼요", "엄마랑 아빠랑 같이 살아요", DANGER, now=NIGHT, age_band="14_18")
        assert says_step(said.reply) == [Step.MINOR]
        assert not re.search("부모|엄마|아빠|가족", said.reply)

    async def test_of_a_soldier_leads_to_people_of_the_unit_and_to_their_line(self):
        _, said = await told("생활관에 혼자 있는데 자꾸 죽고 싶어요", now=NIGHT)
        assert says_step(said.reply) == [Step.SOLDIER]
        assert "국방헬프콜 1303" in said.reply

    @pytest.mark.parametrize("danger", ["그 사람을 죽여버리고 싶어요", "친구가 죽고 싶대요", "남편이 매일 때려요"])
    async def test_is_for_the_users_own_life_only(self, danger):
        _, said = await told("지금 집에 혼자 있어요", danger)
        assert said.outcome.flags == ("crisis",)
        assert says_step(said.reply) == []


class TestTheQuestionsAfterTheProtocol:
    @pytest.mark.parametrize("model", [True, False])
    async def test_are_the_plan_the_means_and_the_barrier_each_evaded_one_twice_then_whether_they_are_safe(self, model):
        talk = await after(DANGER)
        if not model:
            talk.model.scripts = {}
        replies = [(await talk.say(PLAIN)).reply for _ in range(21)]
        twice = [[Inquiry.PLAN], [Inquiry.PLAN], [Inquiry.MEANS], [Inquiry.MEANS]]
        assert [asks(reply) for reply in replies[:6]] == [*twice, [Inquiry.BARRIER], []]
        # The fixed replies without a model ask about safety themselves.
        later = [turn for turn, reply in enumerate(replies, 1) if asks(reply) == [Inquiry.SAFE]]
        assert later == ([9, 12, 15] if model else [15])
        assert [len(questions_of(reply)) for reply in replies[:5]] == [1] * 5

    async def test_are_not_asked_once_more_after_words_about_them(self):
        talk = await after(DANGER, PLAIN)
        assert asks((await talk.say("생각만 해 봤어요")).reply) == [Inquiry.MEANS]
        assert asks((await talk.say("다 치웠어요")).reply) == [Inquiry.BARRIER]

    async def test_are_left_to_the_model_where_it_asks_itself(self):
        talk = await after(DANGER)
        talk.model.scripts["counselor"] = own = "그러셨군요. 구체적으로 계획한 것이 있으세요?"
        assert (await talk.say(PLAIN)).reply == own
        talk.model.scripts["counselor"] = "그러셨군요."
        assert asks((await talk.say(PLAIN)).reply) == [Inquiry.MEANS]

    @pytest.mark.parametrize(
        ("danger", "due"),
        [
            ("약을 먹고 죽고 싶어요", Inquiry.PLAN),
            ("죽고 싶어서 밧줄을 샀어요", Inquiry.BARRIER),
            ("다음 주에 끝내기로 했어요. 죽고 싶어요", Inquiry.MEANS),
        ],
    )
    async def test_do_not_ask_what_the_crisis_message_told(self, danger, due):
        talk = await after(danger)
        asked = [about for _ in range(3) for about in asks((await talk.say(PLAIN)).reply)]
        assert asked[0] is due

    async def test_do_not_ask_for_the_means_of_one_at_a_place_of_danger(self):
        talk = await after("지금 뛰어내리고 싶어요. 다리 위예요")
        assert Inquiry.MEANS not in [about for _ in range(3) for about in asks((await talk.say(PLAIN)).reply)]

    @pytest.mark.parametrize("model", [True, False])
    async def test_are_asked_of_one_who_has_just_said_that_they_are_safe_before_the_follow_through_ends(self, model):
        talk = await after(DANGER)
        if not model:
            talk.model.scripts = {}
        replies = [(await talk.say(text)).reply for text in ("지금은 괜찮아요", "죽을 생각은 없어요")]
        assert [asks(reply) for reply in replies] == [[Inquiry.PLAN], [Inquiry.MEANS]]
        said = [[n for n in (0, 1) if WORDS.checks_all_the_same(KO, nth(n)) in reply] for reply in replies]
        assert sorted(said) == [[0], [1]], "each wording once"
        assert [len(questions_of(reply)) for reply in replies] == [1, 1]
        assert talk.state.risk.follow_through

    @pytest.mark.parametrize(
        ("answer", "over"), [("없어요", True), ("아니요", True), ("글쎄요", False), ("몰라요", False), ("네", False)]
    )
    async def test_answered_by_a_plain_no_end_it_after_two_reassurances_and_evaded_do_not(self, answer, over):
        talk = await after(DANGER, "지금은 괜찮아요", "죽을 생각은 없어요", answer)
        assert talk.state.risk.follow_through is not over

    async def test_refused_let_the_user_out_at_the_next_words_of_safety(self):
        talk = await after(DANGER, "지금은 괜찮아요", "대답하기 싫어요")
        assert talk.state.risk.follow_through
        await talk.say("죽을 생각은 없어요")
        assert not talk.state.risk.follow_through

    @pytest.mark.parametrize("denial", ["아니요 그런 거 아니에요", "그런 뜻이 아니었어요", "그냥 농담이었어요"])
    async def test_are_asked_of_one_who_takes_the_wish_back_in_general_words(self, denial):
        talk = await after(DANGER, denial, "죽을 생각은 없어요", "지금은 괜찮아요")
        assert {Inquiry.PLAN, Inquiry.MEANS} <= talk.state.help_seeking.asked.keys()

    async def test_do_not_follow_the_denial_of_one_who_spoke_of_a_game(self):
        talk = await after(DANGER, "그냥 게임 얘기였어요")
        asked = [asks((await talk.say(text)).reply) for text in ("죽을 생각은 없어요", "정말 안 죽을게요")]
        assert asked == [[], []]
        assert not talk.state.risk.follow_through

    @pytest.mark.parametrize("refusal", ["대답하기 싫어요", "그 질문은 좀 그래요", "다른 거 물어봐 주세요", "싫어요"])
    async def test_are_not_repeated_to_one_who_does_not_want_to_be_asked(self, refusal):
        talk = await after(DANGER)
        asked = [asks((await talk.say(text)).reply) for text in (refusal, PLAIN, PLAIN)]
        assert asked == [[], [Inquiry.BARRIER], []]

    @pytest.mark.parametrize("yes", ["네", "네, 있어요", "서랍에 있어요"])
    async def test_a_yes_to_the_means_is_an_imminent_danger(self, yes):
        talk = await after(DANGER, PLAIN, "생각만 해 봤어요")
        said = await talk.say(yes)
        assert talk.state.risk.outcome is CrisisOutcome.IMMINENT
        assert said.outcome.audit[0].rule == ANSWERED_MEANS

    @pytest.mark.parametrize("no", ["아니요", "없어요", "네 다 치웠어요", PLAIN])
    async def test_a_no_to_the_means_is_none(self, no):
        talk = await after(DANGER, PLAIN, "생각만 해 봤어요", no)
        assert talk.state.risk.outcome is CrisisOutcome.CRISIS

    async def test_a_time_told_in_answer_to_the_plan_is_an_imminent_danger(self):
        talk = await after(DANGER, PLAIN, "오늘 밤에요")
        assert talk.state.risk.outcome is CrisisOutcome.IMMINENT

    @pytest.mark.parametrize(
        ("text", "asked"),
        [("차 트렁크에 있긴 한데 캠핑용이에요", [Inquiry.PUT_AWAY]), ("언니가 가져갔어요", []), ("차에 있어요", [])],
    )
    async def test_a_means_told_later_is_to_be_put_away_which_is_asked_once(self, text, asked):
        talk = await after("번개탄 사놨어요", "아 농담이에요", "저녁 뭐 먹을지 고민이네요", "네네 괜찮다니까요")
        assert asks((await talk.say(text)).reply) == asked
        assert asks((await talk.say("서랍에도 하나 있긴 해요")).reply).count(Inquiry.PUT_AWAY) == (not asked)


class TestAnUrge:
    @pytest.mark.parametrize("messages", [("충동이 올라와서 지금 당장 죽고 싶어요",), (DANGER, "충동이 자꾸 올라와요")])
    async def test_is_met_with_something_to_do_in_the_next_minutes(self, messages):
        _, said = await told(*messages)
        assert any(WORDS.steadying(KO, nth(n)) in said.reply for n in (0, 1))

    async def test_is_not_where_the_body_must_be_seen_to(self):
        _, said = await told("어제 죽으려고 약을 먹었어요. 지금 당장 죽고 싶어요")
        assert not any(WORDS.steadying(KO, nth(n)) in said.reply for n in (0, 1))


class TestABarrier:
    async def test_is_asked_about_at_once_where_help_is_refused_and_only_once(self):
        talk = await after(DANGER)
        assert asks((await talk.say("병원은 싫어요")).reply) == [Inquiry.BARRIER]
        later = [asks((await talk.say("병원은 싫어요")).reply) for _ in range(3)]
        assert all(Inquiry.BARRIER not in asked for asked in later)

    async def test_is_not_asked_about_where_help_is_taken_up(self):
        talk = await after(DANGER, "엄마한테 말할게요")
        asked = [asks((await talk.say(PLAIN)).reply) for _ in range(4)]
        assert [Inquiry.BARRIER] not in asked

    @pytest.mark.parametrize(
        ("text", "barrier"),
        [
            ("병원비가 부담돼요", Barrier.MONEY),
            ("기록이 남을까 봐 걱정돼요", Barrier.RECORD),
            ("부끄러워서 말 못 하겠어요", Barrier.SHAME),
            ("상담하면 부모님이 알게 될까 봐 무서워요", Barrier.PARENTS),
            ("전화가 무서워요", Barrier.PHONE),
            ("109에 전화했는데 안 받아요", Barrier.UNANSWERED),
            ("강제로 입원시킬까 봐 무서워요", Barrier.FORCED),
            ("상담 받아도 도움이 안 됐어요", Barrier.NO_USE),
        ],
    )
    @pytest.mark.parametrize("model", [True, False])
    async def test_that_the_user_names_is_answered_once_and_the_reply_ends_with_its_one_question(
        self, text, barrier, model
    ):
        talk = await after(DANGER)
        if not model:
            talk.model.scripts = {}
        said = await talk.say(text)
        assert WORDS.answer(barrier, KO) in said.reply
        assert len(questions_of(said.reply)) == 1
        assert WORDS.answer(barrier, KO) not in (await talk.say(text)).reply

    async def test_money_is_one_in_answer_to_the_question_and_else_may_be_what_the_despair_is_about(self):
        talk = await after(DANGER, "병원은 싫어요")
        assert WORDS.answer(Barrier.MONEY, KO) in (await talk.say("돈이 없어요")).reply
        _, said = await told(DANGER, "돈이 없어서 다 끝난 것 같아요")
        assert WORDS.answer(Barrier.MONEY, KO) not in said.reply

    async def test_no_one_is_talked_out_of_the_fear_of_a_parent_who_hurts_them(self):
        _, said = await told("아빠가 매일 저를 때려요", DANGER, "상담하면 아빠가 알게 될까 봐 무서워요")
        assert WORDS.answer(Barrier.PARENTS, KO) not in said.reply

    async def test_is_no_matter_where_there_is_no_danger(self):
        _, said = await told("전화가 무서워요")
        assert WORDS.answer(Barrier.PHONE, KO) not in said.reply


class TestWhatTheAiCannotDo:
    @pytest.mark.parametrize(
        ("message", "demand"),
        [
            ("지금 와 줄 수 있어요?", Demand.COME),
            ("저 대신 신고해 주세요", Demand.CALL),
            ("당신이 제 치료사잖아요", Demand.HEAL),
            ("여기에만 말할 거예요", Demand.ONLY),
            ("저만의 비밀로 해 주세요", Demand.SECRECY),
            ("안 죽겠다고 약속하면 되나요?", Demand.PROMISE),
            ("듣고 있어요?", Demand.PRESENT),
        ],
    )
    async def test_is_said_first_to_a_user_in_danger_who_asks_for_it_and_the_rest_of_the_reply_stays(
        self, message, demand
    ):
        talk, plain = await after(DANGER, now=BY_DAY), await after(DANGER, now=BY_DAY)
        reply = (await talk.say(message)).reply
        assert reply.startswith(content().demands.in_danger(demand, KO))
        assert asks(reply) == asks((await plain.say(PLAIN)).reply)
        assert len(questions_of(reply)) == 1

    async def test_is_said_once_in_a_follow_through(self):
        talk = await after(DANGER)
        assert content().demands.in_danger(Demand.COME, KO) in (await talk.say("지금 와 줄 수 있어요?")).reply
        assert content().demands.in_danger(Demand.COME, KO) not in (await talk.say("와 주세요")).reply

    async def test_is_said_without_a_model_too(self):
        talk = await after(DANGER)
        talk.model.scripts = {}
        assert content().demands.in_danger(Demand.CALL, KO) in (await talk.say("대신 신고해 주세요")).reply

    async def test_is_said_to_one_who_is_in_another_danger(self):
        talk = await after("그 사람을 죽여버리고 싶어요")
        assert content().demands.in_danger(Demand.CALL, KO) in (await talk.say("대신 신고해 주세요")).reply

    async def test_is_not_said_where_there_is_no_danger(self):
        _, said = await told("듣고 있어요?")
        assert content().demands.in_danger(Demand.PRESENT, KO) not in said.reply


class TestWhatIsToldOfTheWayToHelp:
    @pytest.mark.parametrize(
        ("message", "step"),
        [
            ("연락할 사람이 없어요", Step.NO_ONE),
            ("입원했다 퇴원했어요", Step.DISCHARGED),
            ("약 먹고 있어요 우울증으로", Step.IN_CARE),
            ("외국에 살아요", Step.ABROAD),
            ("군대라 전화를 못 해요", Step.SOLDIER),
        ],
    )
    async def test_leads_to_the_step_that_fits(self, message, step):
        talk = await after(DANGER, now=BY_DAY)
        assert says_step((await talk.say(message)).reply) == [step]

    async def test_a_night_that_the_user_tells_of_leads_to_who_answers_at_night(self):
        talk = await after(DANGER, now=BY_DAY)
        assert says_step((await talk.say("새벽이라 아무도 안 깨어 있어요")).reply) == [Step.AT_NIGHT]

    async def test_a_soldier_who_may_not_call_is_not_told_of_a_fear_of_calling(self):
        talk = await after(DANGER)
        reply = (await talk.say("군대라 전화를 못 해요")).reply
        assert WORDS.answer(Barrier.PHONE, KO) not in reply
        assert "1303" in reply

    async def test_one_for_whom_nothing_would_change_gets_an_answer(self):
        talk = await after(DANGER)
        assert WORDS.answer(Barrier.NO_CHANGE, KO) in (await talk.say("그런다고 뭐가 달라져요")).reply


@pytest.mark.parametrize(
    ("message", "answered"), [("아니요, 그런 계획은 없어요", Inquiry.PLAN), ("집에 위험한 건 없어요", Inquiry.MEANS)]
)
async def test_what_the_user_says_there_is_none_of_is_not_asked(message, answered):
    talk = await after(DANGER)
    replies = [(await talk.say(text)).reply for text in (message, PLAIN, PLAIN, PLAIN)]
    asked = [about for reply in replies for about in asks(reply)]
    assert answered not in asked
    assert asked


async def test_what_explains_a_question_stays_behind_it_when_the_lines_come_first(talk):
    await talk.say(DANGER)
    reply = (await talk.say("전화번호 알려 주세요")).reply
    assert reply.index("109") < reply.index("혹시 어떻게, 언제") < reply.index("나무라려는 것이 아니라")
