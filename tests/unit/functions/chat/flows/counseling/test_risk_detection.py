"""The findings of the safety gate in a message and their effect in the turns that follow."""

from datetime import timedelta

import pytest

from functions.chat.flows.counseling.farewell import farewell
from shared.content.catalogue import content
from shared.domain.counseling.due import still_due
from shared.domain.counseling.lifecycle import Work, due_work, overdue_work
from shared.domain.counseling.risk_events import RiskReviewed
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.session_events import WrapUpProposed
from shared.domain.counseling.staff_review import FlagReason
from shared.safety.ages import StatedAge
from shared.safety.levels import RiskLevel
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.talk import KO, Talk, after, told

YOUNG = KO.model_copy(update={"minor": True})
DANGER = "요즘 자꾸 죽고 싶어요"
THREAT, BOTH = "그 사람을 죽여버리고 싶어요", "죽고 싶어요. 그 사람도 죽여버리고 싶어요"
NO_MEANS = "아니요, 없어요"
BEATEN = "남편이 지금 저를 때려요 죽고 싶어요"
FAMILY = ("가족", "부모", "친척")


def numbers(talk):
    return [line.number for line in CounselingPolicy(content()).snapshot(talk.state).risk.resources]


async def test_signs_of_calm_or_company_that_may_mislead_do_not_end_the_follow_through():
    for messages in (
        ("남편이 지금 칼 들고 저를 때려요 화장실에 숨었어요", "남편이 집에 있어요", "남편이 옆에 있어요"),
        ("My husband is beating me right now", "my husband is here", "my husband is next to me"),
        ("자살하려고 유서 썼어요", "이제 마음이 편해졌어요. 결정했거든요", "이제 괜찮아요 정리 다 했거든요"),
        (DANGER, "안전한 곳이에요 여기는 아무도 못 찾아요", "부모님이랑 같이 있어요 들킬까봐 무서워요"),
        (DANGER, "상담사랑 이야기했는데 소용없어요", "저는 괜찮은데 동생이 맞고 있어요"),
        (DANGER, "친구랑 있어요", "많이 진정됐어요"),
        (DANGER, "저는 지금 안전해요", "저는 지금 안전해요."),
        (BOTH, "그 사람을 해칠 생각은 없어요", "아무도 다치게 하지 않을게요"),
        (BEATEN, "경찰이 왔어요", "경찰분들이랑 같이 있어요"),
        (THREAT, "그 친구가 지금 왔어요", "지금은 괜찮아요"),
        ("I want to die", "i feel calmer now that i decided", "i feel calmer now"),
    ):
        assert (await after(*messages)).state.risk.follow_through, messages


async def test_explicit_words_of_safety_end_the_follow_through_and_are_flagged_for_review():
    for messages in (
        (DANGER, "자살 생각은 없어요", "괜찮아요 지금은", NO_MEANS),
        (DANGER, "109에 전화했어요", "죽고 싶지 않아요", NO_MEANS),
        ("남편이 때려서 지금 화장실에 숨어 있어요", "경찰이 왔어요", "지금은 안전해요"),
        (THREAT, "그 사람을 해칠 생각은 없어요", "아무도 다치게 하지 않을게요"),
        (BOTH, "그 사람을 해칠 생각은 없어요", "죽고 싶지 않아요", NO_MEANS),
        (BEATEN, "경찰이 왔어요", "죽을 생각은 없어요", NO_MEANS),
        (DANGER, "저는 지금 안전해요", "네 괜찮아요", "저는 지금 안전해요"),
    ):
        talk = await after(*messages[:-1])
        assert talk.state.risk.follow_through, messages
        said = await talk.say(messages[-1])
        assert not talk.state.risk.follow_through, messages
        assert [line.action for line in said.outcome.audit] == ["left_by_words"]
        assert talk.state.staff_review.waiting
        assert "left_by_words" in {rule for flag in talk.state.staff_review.flags for rule in flag.rules}


class TestAUserHurtAtHome:
    @pytest.mark.parametrize("band", ["14_18", "adult"])
    async def test_is_never_referred_to_the_family_even_after_a_review(self, band):
        for messages in (
            ("아빠가 맨날 때려서 죽고 싶어요",),
            ("어릴 때부터 아빠한테 맞았고 요즘도 맞아요", "죽고 싶어요"),
            ("엄마가 지금 저를 때려요", "친구가 죽고 싶대요"),
            ("어릴 때 아빠한테 많이 맞았어요", "죽고 싶어요"),
        ):
            talk = Talk(age_band=band)
            replies = [(await talk.say(text)).reply for text in messages]
            talk.happen(RiskReviewed(reviewer="r", seq=talk.state.seq))
            assert talk.state.risk.level is RiskLevel.NONE
            replies.append((await talk.say(DANGER)).reply)
            assert not any(word in reply for reply in replies for word in FAMILY), messages
            assert band == "adult" or "선생님" in replies[-1]


async def test_the_order_of_the_help_lines_depends_on_the_danger():
    for text, first in (
        ("남편이 지금 칼 들고 저를 때려요 화장실에 숨었어요", ["112", "119", "1366"]),
        ("지금 옥상에 올라와 있어요", ["119", "112", "109"]),
        ("어제 자살 시도했는데 실패했어요", ["119", "112", "109"]),
        ("친구가 방금 약 먹었대요", ["119", "112", "109"]),
        ("학교폭력을 당하고 있어요", ["117", "1577-0199", "112"]),
        ("아들이 돈 안 준다고 저를 때려요", ["1577-1389", "1366", "112"]),
    ):
        assert numbers(await after(text))[: len(first)] == first, text


@pytest.mark.parametrize(
    ("messages", "numbers"),
    [
        (("군대에서 선임이 때려요",), ("1303",)),
        (("저 상병인데요", "죽고 싶어요"), ("1303",)),
        (("아빠가 때려서 코피가 났어요",), ("119", "112")),
    ],
)
async def test_a_soldier_gets_the_line_of_the_forces_and_an_injury_told_the_ambulance(messages, numbers):
    _, said = await told(*messages)
    assert [number for number in numbers if f" {number} (" not in said.reply] == []


async def test_a_friend_in_acute_danger_gets_an_ambulance_and_no_question_about_intent():
    talk, said = await told("my friend just overdosed, she is on the floor")
    assert said.outcome.hooks[0].data == {"level": "third_party_now"}
    assert said.reply.index("ambulance") < said.reply.index("911")
    assert "Are you thinking" not in said.reply
    assert (talk.state.risk.follow_through, bool(talk.state.risk.attended)) == (False, True)


async def test_words_of_safety_that_were_sent_before_the_reply_do_not_count():
    talk = await after(DANGER, "저는 지금 안전해요")
    await talk.say("안전한 곳에 있어요", received_at=talk.clock.now() - timedelta(seconds=1))
    assert talk.state.risk.safe_statements == 1
    await talk.say("죽고 싶지 않아요")
    assert not talk.state.risk.follow_through


async def test_all_findings_of_a_message_are_kept_and_a_friends_danger_adds_the_ambulance():
    assert {"crisis", "harm_to_others"} <= set((await after(BOTH)).state.risk.found)
    talk, said = await told("친구가 방금 약 먹었대요. 저도 죽고 싶어요")
    assert {"crisis", "third_party_now"} <= set(talk.state.risk.found)
    assert talk.state.risk.follow_through
    assert said.reply.index("· 구급·구조 119") < said.reply.index("109")


@pytest.mark.parametrize("text", ["어제 자살 시도했는데 실패했어요", "어제 약 많이 먹었는데 안 죽었어요"])
async def test_a_recent_attempt_is_asked_about_injuries_and_followed_through(text):
    talk, said = await told(text)
    assert said.outcome.hooks[0].data == {"level": "attempted"}
    assert all(word in said.reply for word in ("몸", "응급실"))
    assert "탓하는" not in said.reply
    assert talk.state.risk.level is RiskLevel.IMMINENT
    assert talk.state.staff_review.flags[0].reason == "attempted"


@pytest.mark.parametrize(
    ("before", "level"),
    [
        ("할머니가 시골에 혼자 사세요", RiskLevel.NONE),
        ("할매가 어제 전화했어요", RiskLevel.NONE),
        ("할머니가 작년에 돌아가셨어요", RiskLevel.CRISIS),
        ("엄마가 시골에 사세요", RiskLevel.CONCERN),
        ("요즘 잠이 안 와요", RiskLevel.CONCERN),
    ],
)
async def test_a_wish_to_go_to_somebody_is_a_visit_if_they_live_a_crisis_if_they_died_and_else_asked_about(
    before, level
):
    assert (await after(before, "나도 할매 있는 데로 갈래")).state.risk.level is level


@pytest.mark.parametrize(
    ("before", "wish", "level"),
    [
        ("집사람이 작년 봄에 갔어요", "가끔은 나도 그냥 따라갔으면 싶어요", RiskLevel.CRISIS),
        ("집사람이 작년 봄에 갔어요", "집사람 따라가고 싶어요", RiskLevel.CRISIS),
        ("집사람이 작년 봄에 갔어요", "친구가 등산 간대서 나도 따라갔으면 좋겠어요", RiskLevel.NONE),
        ("집사람이 작년 봄에 갔어요", "그때 병원에 따라갔으면 좋았을걸요", RiskLevel.NONE),
        ("할머니가 돌아가셨어요", "수업을 따라가고 싶어요", RiskLevel.NONE),
        ("남편이 작년에 부산으로 갔어요", "나도 따라갔으면 좋겠어요", RiskLevel.NONE),
    ],
)
async def test_a_wish_to_follow_is_a_crisis_after_a_death_was_told(before, wish, level):
    assert (await after(before, wish)).state.risk.level is level


async def test_a_session_that_ends_in_danger_gets_its_own_farewell():
    talk, left = await told("지금 옥상에 올라와 있어요", "오늘은 그만할래요", "네")
    assert talk.state.ended
    assert left.reply.startswith(content().crisis_replies.goodbye(KO))
    assert "편안한 시간" not in left.reply


@pytest.mark.parametrize(
    "before",
    [
        ("죽고 싶어요", "네", "아니요", "없어요", "지금은 안전해요", "죽을 생각은 없어요"),
        ("더 이상 못 버티겠어요", "아니요", "죽을 생각은 없어요", "지금은 안전해요"),
    ],
)
async def test_a_session_whose_danger_is_over_ends_with_the_line_named_once(before):
    talk = await after(*before)
    assert talk.state.risk.level is RiskLevel.NONE
    line = content().help_seeking.reach_again(KO)
    assert (farewell(content(), talk.state).count(line), farewell(content(), talk.state).count("109")) == (1, 1)
    talk.happen(WrapUpProposed(aim=WrapUpAim.END, seq=talk.state.seq))
    assert (await talk.say("네")).reply.count(line) == 1
    assert "109" not in farewell(content(), (await after("요즘 잠이 안 와요")).state)


class TestAStatedAge:
    async def test_of_a_minor_makes_the_session_a_minors(self):
        talk, said = await told("저 중2인데 죽고 싶어요")
        assert all(word in said.reply for word in ("1388", "어른"))
        assert "1388" in (await talk.say(DANGER)).reply
        assert "1388" in numbers(talk)

    async def test_of_another_person_or_an_adult_changes_nothing_and_of_a_minor_is_not_flagged(self):
        for text in ("우리 애가 중2예요", "중2 때 많이 울었어요", "저는 서른 살이에요"):
            state = (await after(text)).state
            assert (state.stated_age, state.minor, state.staff_review) == (None, False, None), text
        for text in ("저 중2예요", "제 동생이 12살이에요"):
            assert (await after(text)).state.staff_review is None, text


class TestAStatedAgeUnder14:
    async def test_in_a_crisis_gets_the_crisis_reply_before_the_reason(self):
        talk, said = await told("저 13살인데 죽고 싶어요")
        assert said.outcome.flags == ("crisis",)
        assert said.reply.index("1388") < said.reply.index(content().under_14_replies.addition(YOUNG))
        assert talk.state.risk.follow_through
        assert [line.action for line in said.outcome.audit] == ["under_14_stated", "protocol_reply"]
        assert len({line.audit_id for line in said.outcome.audit}) == 2

    async def test_in_the_words_that_end_a_follow_through_is_audited_apart_from_them(self):
        talk = await after(DANGER, "그냥 힘들어요", "잠을 못 자요", "지금은 안전해요")
        said = await talk.say("저 13살이에요. 네, 정말 안전해요")
        assert not talk.state.risk.follow_through
        assert [line.action for line in said.outcome.audit] == ["under_14_stated", "left_by_words"]
        assert len({line.audit_id for line in said.outcome.audit}) == 2

    async def test_is_flagged_once_for_review(self):
        talk = await after("저 12살이에요", "학교 가기 싫어요", "저 12살이라니까요")
        (flag,) = talk.state.staff_review.flags
        assert (flag.reason, flag.seqs, flag.rules) == (FlagReason.UNDER_14, (1,), ("stated-age:under_14",))
        assert talk.state.review_place

    async def test_asks_no_model_and_ends_the_session_only_at_the_users_wish(self, talk):
        said = ("저 초6이에요", "학교 가기 싫어요", "심심해요", DANGER, "네")
        replies = [(await talk.say(text)).reply for text in said]
        assert all("1388" in reply for reply in replies)
        assert len(set(replies)) == len(replies)
        assert (talk.model.requests, talk.state.ended) == ([], False)
        talk = await after("저 초6이에요", "오늘은 그만할래요", "네")
        assert (talk.model.requests, talk.state.ended, due_work(talk.state)) == ([], True, ())

    async def test_makes_no_background_work_due(self):
        talk = await after("저 초6이에요", *["오늘은 비가 와요"] * 6)
        assert (due_work(talk.state), overdue_work(talk.state)) == ((), ())
        assert not any(still_due(talk.state, work, talk.state.seq) for work in Work)
        talk.set(stated_age=None)
        assert due_work(talk.state)

    async def test_counts_a_repeated_statement_of_safety_once_although_its_text_is_not_stored(self):
        talk = await after("저 13살인데 죽고 싶어요", "이제 안전해요. 죽을 생각은 없어요")
        assert [one.text for one in talk.state.recent if one.role == "user"][-1] == ""
        await talk.say("이제 안전해요, 죽을 생각은 없어요!")
        assert talk.state.risk.follow_through
        await talk.say("정말 괜찮아요, 저 안전해요. 죽을 생각 없어요")
        assert not talk.state.risk.follow_through

    async def test_that_is_corrected_goes_on_as_a_minor(self):
        talk = await after("저 13살이에요", "심심해요", "아니 잘못 썼어요, 저 15살이에요", "요즘 잠을 못 자요")
        assert talk.state.stated_age is StatedAge.MINOR
        assert talk.model.requests
        assert all(message.text for request in talk.model.requests for message in request.messages)

    async def test_counts_in_a_failed_turn(self):
        talk = await after("저 초6이에요")
        assert "1388" in talk.flow.apologize(talk.turn("심심해요")).reply
