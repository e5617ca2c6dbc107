"""Messages that are danger only as an answer to the protocol, messages sent in parts, and weak signs."""

from datetime import timedelta
from itertools import pairwise

import pytest

from functions.chat.legacy.voice import wordings
from functions.chat.wordings import voice_of
from shared.content.catalogue import content
from shared.domain.counseling.session import WrapUp, WrapUpAim, WrapUpStage
from shared.domain.errors import ModelUnavailable
from shared.safety.help_seeking import Circumstance
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.protocol_questions import ORDER, Topic
from tests.builders.answers import reads
from tests.builders.talk import KO, Talk, after, told

DANGER, DANGER_EN = "죽고 싶어요", "I want to die"
FRIEND, THREAT, BEATEN = "친구가 죽고 싶대요", "그 사람을 죽여 버릴 거예요", "남편이 자꾸 때려요"
DAD, HUSBAND = "아빠가 술 마시면 때려요", "my husband hits me"
LYING, UNCLEAR = "그냥 누워 있어요", "더 이상 못 버티겠어요"
LONE_FAREWELLS = ("놀라지 마 괜찮아", "엄마가 걱정하지 말래요")
LATER, LATER_EN = (DANGER, LYING, "비가 오네요"), (DANGER_EN, "just lying here", "it is raining")
DETECTOR = "reader"
NONE, CRISIS, IMMINENT, ATTEMPTED = (CrisisOutcome[one] for one in ("NONE", "CRISIS", "IMMINENT", "ATTEMPTED"))
ABUSE, ABUSE_NOW, FRIEND_NOW = CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW, CrisisOutcome.THIRD_PARTY_NOW
OWN_LIFE_TOO = Topic.OWN_LIFE_TOO


def topics_in(reply):
    """Return what a reply asks about a threat to another person."""
    questions = content().crisis_replies.questions
    return [topic for topic in ORDER[CrisisOutcome.HARM_TO_OTHERS] if any(q in reply for q in questions(topic, KO))]


@pytest.mark.parametrize(
    ("before", "answers", "outcome", "number", "rule"),
    [
        ((DANGER,), ("먹었어요", "네 이미 했어요", "그었어요"), IMMINENT, "119", "answered-done"),
        ((DANGER,), ("방금 스무 알 먹었어요", "피가 안 멈춰요"), IMMINENT, "119", "answered-done"),
        ((DANGER_EN,), ("I took them", "I did it"), IMMINENT, "911", "answered-done"),
        ((DANGER_EN,), ("yes, already done", "bleeding a lot"), IMMINENT, "911", "answered-done"),
        ((DANGER, "네 맞아요"), ("약을 먹었어요",), IMMINENT, "119", "done"),
        ((DANGER_EN, "yes"), ("I took them",), IMMINENT, "911", "done"),
        (LATER, ("약을 먹었어요", "수면제 먹었어요"), IMMINENT, "119", "told-done"),
        (LATER, ("방금 스무 알 먹었어요", "피가 계속 나요"), IMMINENT, "119", "told-done"),
        (LATER_EN, ("I took the pills", "I jumped", "bleeding a lot"), IMMINENT, "911", "told-done"),
        ((DANGER,), ("오늘 밤이요", "지금이요", "네 준비했어요"), IMMINENT, "", ""),
        ((DANGER,), ("옥상이요", "하려고요", "약 있어요"), IMMINENT, "", ""),
        ((DANGER_EN,), ("tonight", "right now", "on the roof"), IMMINENT, "", ""),
        ((DANGER_EN,), ("I have the pills ready", "I have pills"), IMMINENT, "", ""),
        (LATER, ("옥상이에요", "사실 다리 위에 있어요"), IMMINENT, "", ""),
        (LATER, ("바다 앞이에요", "아파트 꼭대기 층이에요"), IMMINENT, "", ""),
        ((UNCLEAR,), ("옥상이에요", "강가에 와 있어요"), IMMINENT, "", ""),
        ((DANGER, "소주 두 병 마셨어요", "비가 오네요"), ("혼자예요",), IMMINENT, "119", ""),
        (LATER, ("혼자 술 마시고 있어요",), IMMINENT, "", ""),
        (
            ("지금 옥상에 있어요 뛰어내릴 거예요", "바람이 세네요"),
            ("네 이미 했어요",),
            IMMINENT,
            "119",
            "answered-done",
        ),
        ((FRIEND,), ("사실 친구가 아니라 저예요", "실은 제 얘기예요"), CRISIS, "", ""),
        ((FRIEND,), ("그 친구가 저예요", "저도요", "저도 그래요"), CRISIS, "", ""),
        ((DAD,), ("지금 방에 숨어있어요", "아빠가 문을 두드려요"), ABUSE_NOW, "112", ""),
        ((DAD,), ("지금 때리고 나갔어요", "피가 나요", "지금 옆방에 있어요"), ABUSE_NOW, "112", ""),
        ((HUSBAND,), ("he is in the next room", "he's banging on the door"), ABUSE_NOW, "911", ""),
        ((HUSBAND,), ("he has a gun",), ABUSE_NOW, "911", ""),
        ((BEATEN,), ("남편이 집에 왔어요",), ABUSE_NOW, "112", ""),
        (("동생이 자살하고 싶대요",), ("옥상에 있대요", "약을 먹었대요"), FRIEND_NOW, "119", ""),
        (("동생이 자살하고 싶대요",), ("의식이 없어요",), FRIEND_NOW, "119", ""),
        (("my friend says she wants to die",), ("she's on the roof",), FRIEND_NOW, "911", ""),
        (("동생이 자살하고 싶대요",), ("연락이 안 돼요", "전화를 안 받아요"), FRIEND_NOW, "112", ""),
        (("동생이 자살하고 싶대요",), ("유서 같은 걸 보냈어요",), FRIEND_NOW, "112", ""),
        (("my friend says she wants to die",), ("I can't reach her",), FRIEND_NOW, "911", ""),
        ((), ("친구가 유서 같은 걸 보냈어요. 연락이 안 돼요",), FRIEND_NOW, "112", ""),
        ((), ("친구가 마지막이라고 하고 전화를 안 받아요",), FRIEND_NOW, "112", ""),
        ((), ("지금 뛰어내리고 싶어요. 다리 위예요",), IMMINENT, "119", ""),
        ((), ("난간에 서 있었던 건 아니고 지금 옥상에 있어요. 오늘 해고됐어요. 죽고 싶어요",), IMMINENT, "119", ""),
    ],
)
async def test_an_answer_that_tells_of_an_attempt_a_near_danger_or_oneself_is_a_crisis(
    before, answers, outcome, number, rule
):
    for words in answers:
        talk, said = await told(*before, words)
        assert (talk.state.risk.outcome, said.outcome.flags) == (outcome, ("crisis",)), words
        assert outcome is not IMMINENT or talk.state.risk.level is RiskLevel.IMMINENT
        assert (number in said.reply, rule in said.outcome.audit[0].rule) == (True, True), words
        assert not rule or ATTEMPTED in talk.state.risk.found, words


@pytest.mark.parametrize(
    ("before", "answers", "outcome"),
    [
        ((DANGER,), ("아직 안 했어요", "밥 먹었어요", "엄마한테 전화했어요", "생각만 했어요"), CRISIS),
        ((DANGER, LYING), ("먹었어요", "밥 먹었어요", "숙제 다 했어요"), CRISIS),
        ((DANGER, LYING), ("저녁 약 먹었어요", "타이레놀 한 알 먹었어요"), CRISIS),
        ((DANGER,), ("오늘 밤에 엄마가 와요", "내일 병원에 갈 거예요", "집이요", "혼자예요"), CRISIS),
        ((DANGER, LYING), ("소주 두 병 마셨어요", "친구랑 바다에 왔어요", "지금 혼자예요"), CRISIS),
        ((DANGER, LYING), ("옥상에서 내려왔어요", "다리가 아파요"), CRISIS),
        ((DANGER,), ("네",), CRISIS),
        ((BEATEN,), ("아이가 옆에 있어요", "친구집에 있어요", "무서워요", "엄마가 옆에 있어요"), ABUSE),
        ((BEATEN,), ("지금 엄마 집에 있어요", "남편은 밖에 있어요"), ABUSE),
        ((BEATEN,), ("택배 아저씨가 문을 두드렸어요", "제 말이 방금 맞았어요"), ABUSE),
        ((), ("약을 먹었어요", "사실 제 얘기예요", "지금 방에 숨어있어요"), NONE),
    ],
)
async def test_answers_about_daily_life_and_other_people_are_no_new_danger(before, answers, outcome):
    for words in answers:
        talk, said = await told(*before, words)
        assert (talk.state.risk.outcome, said.outcome.flags) == (outcome, ()), words


async def asked(danger, topic, number=0):
    """Return a talk in which the reply to a danger asks this."""
    talk = await after(danger)
    newest, text = talk.state.recent[-1], wordings(topic, voice_of(talk.state), content())[number]
    talk.set(recent=(*talk.state.recent[:-1], newest.model_copy(update={"text": f"{newest.text[:40]}\n\n{text}"})))
    return talk


@pytest.mark.parametrize(
    ("number", "answers", "near"),
    [
        (0, ("네", "응 지금은", "ㅇㅇ"), Circumstance.ALONE),
        (0, ("아니요", "아니요, 엄마 있어요", "아뇨 친구랑 있어요"), Circumstance.WITH_SOMEBODY),
        (1, ("네", "네 있어요"), Circumstance.WITH_SOMEBODY),
        (1, ("아니요", "아뇨 지금은요"), Circumstance.ALONE),
        (0, ("네 다 싫어요", "모르겠어요", "엄마는 회사에 있어요"), None),
    ],
)
async def test_a_yes_or_no_to_whether_somebody_is_near_is_kept(number, answers, near):
    for words in answers:
        talk = await asked(DANGER, Topic.COMPANY, number)
        await talk.say(words)
        assert talk.state.help_seeking.circumstances == ((near,) if near else ()), words


@pytest.mark.parametrize(
    ("danger", "topic", "number", "answer", "outcome"),
    [
        (BEATEN, Topic.AWAY, 0, "아니요", ABUSE_NOW),
        (BEATEN, Topic.AWAY, 0, "네", ABUSE),
        (FRIEND, Topic.IN_TOUCH, 0, "아니 안 돼요", FRIEND_NOW),
        (FRIEND, Topic.IN_TOUCH, 0, "네", CrisisOutcome.THIRD_PARTY),
        (FRIEND, Topic.THEIR_PLAN, 0, "네", FRIEND_NOW),
    ],
)
async def test_a_bare_yes_or_no_brings_a_danger_near(danger, topic, number, answer, outcome):
    talk = await asked(danger, topic, number)
    await talk.say(answer)
    assert talk.state.risk.outcome is outcome


async def test_a_bare_yes_to_the_means_is_read_as_means_at_hand_and_not_as_an_act():
    talk, said = await told(DANGER, "네", "아직 없어요", "네")
    assert talk.state.risk.outcome is IMMINENT
    assert any(text.split(". ")[0] in said.reply for text in content().crisis_replies.written.at_hand.ko)
    assert said.reply.endswith(wordings(Topic.COMPANY, KO, content())[0])
    assert ATTEMPTED not in talk.state.risk.found


async def test_a_bare_yes_to_whether_they_are_about_to_act_or_have_acted_is_asked_what_it_means():
    talk = await asked("지금 옥상에 있어요 뛰어내릴 거예요", Topic.ACTED)
    clear = wordings(Topic.ACTED, KO, content())[1]
    assert (await talk.say("네")).reply.endswith(clear)
    await talk.say("네")
    assert ATTEMPTED in talk.state.risk.found


async def test_a_message_that_was_sent_before_the_question_is_no_answer_to_it():
    talk = await after(DANGER)
    said = await talk.say("먹었어요", received_at=talk.clock.now() - timedelta(seconds=1))
    assert said.outcome.flags == ()


class TestAnAttempt:
    async def test_is_followed_through_after_words_of_safety_until_there_is_medical_care(self):
        safe = ("지금은 안전해요", "죽을 생각은 없어요", "네 정말 안전해요")
        talk = await after("방금 수면제 서른 알 먹었어요", *safe)
        assert talk.state.risk.follow_through
        await talk.say("병원에 와 있어요")
        assert not talk.state.risk.follow_through

    async def test_that_was_near_and_not_made_is_left_by_words_of_safety(self):
        near = "지금 옥상에 올라와 있어요 뛰어내릴 거예요"
        assert not (await after(near, "옥상에서 내려왔어요", "지금은 정말 안전해요")).state.risk.follow_through

    @pytest.mark.parametrize("comfort", ["109에 전화했어요", "친구 왔어요"])
    async def test_planned_for_tonight_is_not_left_by_company_and_one_statement_of_safety(self, comfort):
        talk = await after("오늘 밤에 죽을 거예요", comfort, "지금은 안전해요")
        assert talk.state.risk.level is RiskLevel.IMMINENT
        await talk.say("안 죽을게요")
        assert talk.state.risk.level is RiskLevel.NONE


class TestAMessageSentInParts:
    @pytest.mark.parametrize(
        ("before", "parts"),
        [
            (0, ("나 진짜 죽고", "싶다")),
            (6, ("나 진짜 죽고", "싶다")),
            (0, ("저 이제", "살기", "싫어요")),
            (0, ("I want to", "die")),
        ],
    )
    async def test_is_screened_as_a_whole_early_and_late_in_a_talk(self, talk, before, parts):
        for number in range(before):
            await talk.say(f"오늘은 집에서 {number}시까지 쉬었고 저녁에는 산책을 했어요")
        flags = [(await talk.say(part)).outcome.flags for part in parts]
        assert flags == [()] * (len(parts) - 1) + [("crisis",)]

    async def test_is_screened_part_by_part_after_a_pause_or_when_the_parts_are_long(self, talk):
        await talk.say("나 진짜 죽고")
        talk.clock.advance(120)
        assert (await talk.say("싶다")).outcome.flags == ()
        _, said = await told("요즘 회사 일이 너무 많아서 진짜 죽고", "싶은 게 많아서 여행 책을 샀어요")
        assert said.outcome.flags == ()

    async def test_is_screened_part_by_part_when_each_answers_the_protocol(self):
        talk, said = await told(DANGER, "약을 먹었어요")
        assert said.outcome.flags == ("crisis",)
        assert (await talk.say("지금은 안전해요")).outcome.flags == ()
        assert talk.state.risk.safe_statements == 1


class TestTheModelsSecondOpinion:
    async def test_does_not_override_a_users_words_of_safety(self):
        talk = await after(DANGER)
        for words in ("이제 정말 안전해요", "죽고 싶지 않아요", "없어요"):
            talk.model.scripts[DETECTOR] = reads(danger="own_crisis", quote=words)
            assert (await talk.say(words)).outcome.flags == ()
        assert not talk.state.risk.follow_through

    async def test_of_a_graver_danger_counts(self):
        talk, words = await after(DANGER), "이제 다 치워 놓고 있어"
        talk.model.scripts[DETECTOR] = reads(danger="own_imminent", quote=words)
        assert (await talk.say(words)).outcome.flags == ("crisis",)

    async def test_decides_about_a_weak_sign_and_without_a_model_the_user_is_asked(self, talk):
        hint = "핸드폰도 초기화했고 계정도 전부 삭제했어요"
        message = content().screening.screen(hint)
        assert message.outcome is CrisisOutcome.NONE
        assert message.crisis.hints
        await talk.say(hint)
        assert talk.state.risk.level is RiskLevel.NONE
        alone = Talk()
        alone.model.scripts = {}
        assert "죽고 싶" in (await alone.say(hint)).reply
        assert alone.state.risk.level is RiskLevel.CONCERN

    @pytest.mark.parametrize("words", LONE_FAREWELLS)
    async def test_decides_about_a_lone_farewell_and_without_a_model_the_user_is_asked(self, words):
        talk, alone = Talk(), Talk()
        said = await talk.say(words)
        assert talk.state.risk.level is RiskLevel.NONE
        assert not talk.content.crisis_answers.asks_directly(said.reply)
        alone.model.scripts = {}
        assert alone.content.crisis_answers.asks_directly((await alone.say(words)).reply)
        assert alone.state.risk.level is RiskLevel.CONCERN

    @pytest.mark.parametrize("words", LONE_FAREWELLS)
    async def test_that_sees_danger_in_a_lone_farewell_counts(self, words):
        talk = Talk()
        talk.model.scripts[DETECTOR] = reads(danger="own_concern", quote=words)
        assert talk.content.crisis_answers.asks_directly((await talk.say(words)).reply)
        assert talk.state.risk.level is RiskLevel.CONCERN

    @pytest.mark.parametrize("words", LONE_FAREWELLS)
    async def test_is_never_asked_for_under_14_so_that_a_lone_farewell_is_asked_about(self, words):
        talk = await after("저 12살이에요")
        assert talk.content.crisis_answers.asks_directly((await talk.say(words)).reply)

    @pytest.mark.parametrize(
        ("reading", "asked"),
        [(reads("agrees"), False), (reads("agrees", danger="own_concern"), True), (ModelUnavailable("away"), True)],
    )
    async def test_comes_before_a_yes_with_a_farewell_ends_the_session(self, reading, asked):
        talk, words = Talk(), "네, 좋아요. 다들 놀라지 마세요"
        talk.set(wrap_up=WrapUp(stage=WrapUpStage.PROPOSED, aim=WrapUpAim.END, seq=0))
        talk.model.scripts[DETECTOR] = reading
        said = await talk.say(words)
        assert talk.content.crisis_answers.asks_directly(said.reply) is asked
        assert talk.state.ended is not asked


class TestHarmToOthers:
    async def test_is_not_found_in_an_answer_about_ones_own_life(self):
        talk = await after(DANGER, "오늘 밤에 할 거예요")
        assert talk.state.risk.outcome is IMMINENT
        assert CrisisOutcome.HARM_TO_OTHERS not in talk.state.risk.found

    async def test_is_asked_about_until_each_question_is_asked_and_a_yes_brings_the_protocol_again(self):
        talk = await after(THREAT)
        replies = [(await talk.say(words)).reply for words in ("글쎄요", "화가 나서요", "그냥요", "그냥 그래요")]
        assert [topics_in(reply) for reply in replies] == [[Topic.TARGET_NEAR], [Topic.HARM_MEANS], [OWN_LIFE_TOO], []]
        said = await (await after(THREAT, "글쎄요")).say("네")
        assert said.outcome.flags == ("crisis",)
        assert not topics_in((await (await after(THREAT)).say("아니요, 아무도 안 해칠 거예요")).reply)

    @pytest.mark.parametrize(
        ("answers", "again"),
        [
            (("글쎄요", "지금 가고 있어요"), True),
            (("글쎄요", "옆방에 있어요"), True),
            (("글쎄요", "아니요", "부엌칼이요"), True),
            (("글쎄요", "아니요 집이에요"), False),
            (("글쎄요", "아니요", "칼은 없어요"), False),
        ],
    )
    async def test_brings_the_protocol_again_when_an_answer_says_that_they_are_near_or_what_is_at_hand(
        self, answers, again
    ):
        said = await (await after(THREAT, *answers[:-1])).say(answers[-1])
        assert ("crisis" in said.outcome.flags) is again

    @pytest.mark.parametrize(
        "messages", [("죽여버리고 싶어요 아 그냥 말이 그렇다고요",), ("부장을 죽이고 싶어요", "아 홧김에 한 말이에요")]
    )
    async def test_that_is_taken_back_at_once_is_checked_once_and_the_talk_goes_on(self, messages):
        talk = Talk()
        replies = [(await talk.say(words)).reply for words in (*messages, "부장이 저만 갈궈요", "회의 때마다 그래요")]
        assert [topic for reply in replies for topic in topics_in(reply)] == [Topic.HARM_INTENT]
        assert talk.state.risk.level is RiskLevel.NONE

    @pytest.mark.parametrize("answer", ["네", "칼도 샀어요", "글쎄요"])
    async def test_that_is_taken_back_and_confirmed_or_left_open_goes_on(self, answer):
        assert (await after("죽여버리고 싶어요 아 그냥 말이 그렇다고요", answer)).state.risk.follow_through

    @pytest.mark.parametrize(
        "text", ["애들을 죽이고 저도 죽고 싶어요", "아이랑 같이 죽으려고요", "I want to kill my kids and then myself"]
    )
    async def test_and_to_oneself_gets_the_suicide_protocol_with_the_others_safety(self, text):
        talk, said = await told(text)
        assert {CRISIS, CrisisOutcome.HARM_TO_OTHERS} <= set(talk.state.risk.found)
        asks, voice = content().crisis_answers.asks_directly(said.reply, last=True), voice_of(talk.state)
        assert (asks, content().crisis_replies.others_too(voice) in said.reply) == (True, True)
        assert all(number in said.reply for number in ("109", "112"))
        assert topics_in((await talk.say("너무 지쳤어요")).reply) == [Topic.TARGET_NEAR] or text.isascii()

    async def test_stays_the_only_finding_in_answers_about_the_threat(self):
        for words in ("칼 샀어요", "네 칼도 준비했어요", "내일 회사에서 찌를거예요", "오늘 밤에 할 거예요"):
            talk, said = await told(THREAT, words)
            assert (said.outcome.flags, set(talk.state.risk.found)) == (("crisis",), {CrisisOutcome.HARM_TO_OTHERS})
            assert "죽으려고" not in said.reply, words
        for words in ("했어요", "칼로 찔렀어요"):
            assert ATTEMPTED not in (await after(THREAT, words)).state.risk.found, words

    @pytest.mark.parametrize(
        ("threat", "answers"),
        [
            (
                THREAT,
                ("지금 죽을 거예요", "오늘 밤에 죽을 거예요", "네 죽으려고요", "저를 죽일 거예요", "뛰어내릴게요"),
            ),
            ("I am going to kill him", ("I have a knife to cut myself",)),
        ],
    )
    async def test_does_not_hide_an_answer_about_ones_own_life(self, threat, answers):
        for words in answers:
            assert {CRISIS, IMMINENT} & set((await after(threat, words)).state.risk.found), words
        assert CRISIS in (await after(THREAT, "저도 죽고 싶어요")).state.risk.found


class TestAnExplicitNo:
    @pytest.mark.parametrize(
        ("unclear", "denials"),
        [
            (UNCLEAR, ("아니요 죽고 싶지는 않아요", "죽고 싶은 건 아니에요")),
            ("I can't take it any more", ("no, I don't want to die", "I'm not suicidal")),
        ],
    )
    async def test_is_not_asked_about_again(self, unclear, denials):
        talk = await after(unclear)
        asked = talk.state.risk.asked_seq
        assert asked is not None
        for denial in denials:
            await talk.say(denial)
        assert (talk.state.risk.asked_seq, talk.state.risk.level) == (asked, RiskLevel.NONE)

    async def test_that_clears_up_the_words_before_is_not_followed_by_the_question(self):
        talk = await after("나 진짜 끝났어요")
        said = await talk.say("아뇨 죽고 싶다는 뜻은 아니에요")
        assert (said.directive["concern"], said.directive["ask"]) == (False, None)
        assert not content().crisis_answers.asks_directly(said.reply)
        assert talk.state.risk.level is RiskLevel.NONE
        assert (await talk.say("아뇨 그냥 다 끝내고 싶어요")).outcome.flags == ("crisis",)

    async def test_without_a_question_before_it_is_asked_about_only_if_a_model_hears_danger_or_none_is_there(self):
        denial = "죽고 싶지는 않아요"
        assert (await after(denial)).state.risk.level is RiskLevel.NONE
        for reading in (reads(danger="own_concern", quote=denial), ModelUnavailable("away")):
            talk = Talk()
            talk.model.scripts[DETECTOR] = reading
            await talk.say(denial)
            assert talk.state.risk.level is RiskLevel.CONCERN

    async def test_that_is_hedged_is_no_no(self):
        talk = await after(UNCLEAR)
        talk.model.scripts[DETECTOR] = ModelUnavailable("away")
        await talk.say("죽고 싶지 않다고는 못 하겠어요")
        assert talk.state.risk.level is not RiskLevel.NONE


class TestAFriendWhoCannotBeReached:
    @pytest.mark.parametrize(
        ("said", "outcome"),
        [
            ("친구가 연락이 안 돼요. 어제 죽고 싶다고 했거든요", CrisisOutcome.THIRD_PARTY_NOW),
            ("친구가 연락이 안 돼요. 제가 어제 죽고 싶다고 했거든요", CRISIS),
        ],
    )
    async def test_and_said_that_they_want_to_die_is_the_one_in_danger(self, said, outcome):
        assert (await after(said)).state.risk.outcome is outcome


class TestAUserUnder14:
    why, thanks = "하나 더 말씀드릴게요", "나이를 알려 주셔서"

    async def test_gets_the_reason_for_the_fixed_replies_once_in_a_follow_through(self):
        talk, said = await told("저 12살이에요", DANGER)
        assert self.why in said.reply
        later = [(await talk.say(words)).reply for words in ("네", "몰라요", "무서워요")]
        assert not any(self.why in reply for reply in later)
        _, said = await told(DANGER, "저 12살이에요")
        assert self.why in said.reply

    async def test_is_thanked_for_the_age_only_in_the_turn_that_states_it(self, talk):
        assert self.thanks in (await talk.say("저 12살이에요")).reply
        replies = [(await talk.say(words)).reply for words in ("학교에서 괴롭혀요", "네", "심심해요", "뭐 해요")]
        assert not any(self.thanks in reply for reply in replies)
        assert all(one != other for one, other in pairwise(replies))


@pytest.mark.parametrize(
    "messages",
    [
        ("죽고 싶어요. 칼을 들고 있어요",),
        ("죽고 싶어요", "약이 앞에 있어요"),
        ("I want to die", "I'm holding the pills"),
    ],
)
async def test_means_within_reach_told_unasked_are_imminent(messages):
    talk, _ = await told(*messages)
    assert talk.state.risk.level is RiskLevel.IMMINENT


async def test_a_plan_for_an_ordinary_tomorrow_is_no_plan_to_die_and_the_question_stays():
    talk = await after("죽고 싶은데 내일은 학교 갈 거예요")
    assert talk.state.risk.level is RiskLevel.CRISIS
    assert talk.state.help_seeking.told_in == {}


@pytest.mark.parametrize(
    ("text", "taken"), [("지금은 괜찮아요", False), ("엄마가 옆에 있어요", True), ("109에 전화했어요", True)]
)
async def test_calm_alone_is_no_help_taken_up(text, taken):
    talk = await after(DANGER, text)
    assert (talk.state.help_seeking.taken_up is not None) is taken
