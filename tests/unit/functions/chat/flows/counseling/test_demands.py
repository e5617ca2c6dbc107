"""What the user asks of the AI that it is not or cannot do: a yes of the model is left out."""

import pytest

from shared.content.catalogue import content
from shared.locale import Locale
from shared.safety.demands import Demand
from tests.builders.answers import reads
from tests.builders.talk import KO, after, speaking

WORDS, NOTICE = content().demands, content().messages(Locale.KO).text("ai_notice")
DANGER = "요즘 자꾸 죽고 싶어요"
YES = "네, 그럼요."
ASKED = [
    ("저 우울증 맞죠?", Demand.DIAGNOSIS),
    ("약을 끊어도 될까요?", Demand.MEDICATION),
    ("이 얘기 비밀로 해 주실 거죠?", Demand.SECRECY),
    ("선생님도 우울했던 적 있어요?", Demand.LIVED),
    ("다음 주에 저 기억하실 거예요?", Demand.MEMORY),
    ("저 좀 안아 주세요", Demand.COME),
    ("선생님이랑 사귀고 싶어요", Demand.LOVE),
    ("사람 상담사로 바꿔 주세요", Demand.TRANSFER),
]


def said_of(reply, demand, voice=KO):
    return [one for one in WORDS.otherwise(demand, voice) if reply.startswith(one)]


CHALLENGES = ["넌 AI잖아", "기계가 뭘 알아", "사람도 아니면서 위로하지 마"]


@pytest.mark.parametrize("challenge", CHALLENGES)
class TestAChallenge:
    async def test_in_a_danger_is_answered_honestly_with_a_line_before_the_talk_goes_on(self, challenge):
        talk = await after(DANGER, "네")
        reply = (await talk.say(challenge)).reply
        assert reply.startswith(WORDS.in_danger(Demand.MACHINE, KO))
        assert content().help_seeking.asked_in(reply), "the question about safety follows"

    async def test_after_it_holds_back_the_offer_of_a_safety_plan_for_its_turn(self, challenge):
        calm = (DANGER, "네", "아니요", "없어요", "지금은 안전해요", "죽을 생각은 없어요", "밥을 먹었어요")
        talk, other = await after(*calm), await after(*calm)
        assert "SafetyPlanOffered" in (await other.say("오늘은 비가 오네요")).events
        talk.model.scripts["reader"] = other.model.scripts["reader"] = reads("asks_if_human")
        said = await talk.say(challenge)
        assert "SafetyPlanOffered" not in said.events
        assert "SafetyPlanPostponed" in (await other.say(challenge)).events


class TestAYes:
    @pytest.mark.parametrize(("message", "demand"), ASKED)
    async def test_that_is_all_of_a_reply_is_not_said_and_the_reply_is_not_empty(self, message, demand):
        said = await speaking(counselor=YES, reader=reads("asks_impossible")).say(message)
        assert "그럼요" not in said.reply
        assert said.reply.strip()

    @pytest.mark.parametrize(("message", "demand"), ASKED)
    async def test_is_left_out_in_a_danger_too_however_often_it_is_asked(self, message, demand):
        talk = await after(DANGER)
        talk.model.scripts["counselor"] = YES
        first, second = (await talk.say(message)).reply, (await talk.say(message)).reply
        assert first.startswith(WORDS.in_danger(demand, KO))
        assert said_of(second, demand)
        assert "그럼요" not in first + second

    @pytest.mark.parametrize("message", ["다 제 잘못이죠?", "제가 나쁜 사람인가요?"])
    async def test_to_whether_they_are_to_blame_is_left_out(self, message):
        said = await speaking(counselor="네, 맞아요. 많이 지치셨군요.").say(message)
        assert said.reply == "많이 지치셨군요."

    async def test_to_whether_it_is_a_person_is_left_out_behind_the_notice(self):
        assert (await speaking(counselor=YES).say("사람이죠?")).reply == NOTICE

    @pytest.mark.parametrize(
        ("message", "spoken", "kept"),
        [
            ("저 우울증 맞죠?", "네, 그런 것 같아요. 요즘 많이 지치셨군요.", "요즘 많이 지치셨군요."),
            (
                "다음 주에 저 기억하실 거예요?",
                "네! 꼭 기억하고 있을게요. 오늘 이야기를 더 들려주세요.",
                "오늘 이야기를 더 들려주세요.",
            ),
            ("약을 끊어도 될까요?", "끊으셔도 괜찮아요. 몸은 좀 어떠세요?", "몸은 좀 어떠세요?"),
            ("저 우울증 맞죠?", "우울증이 맞으세요. 푹 쉬세요.", None),
            ("저 우울증 맞죠?", "네, 많이 지치셨군요.", "네, 많이 지치셨군요."),
            ("저 우울증 맞죠?", "저는 AI라 몰라요. 다만 많이 지치셨군요.", "많이 지치셨군요."),
        ],
    )
    async def test_is_left_out_alone_and_what_the_reply_says_besides_stays(self, message, spoken, kept):
        said = await speaking(counselor=spoken).say(message)
        assert ("guarded" in said.outcome.flags) is (kept is None)
        assert "푹 쉬세요" not in said.reply
        assert kept is None or said.reply.endswith(kept)

    async def test_stays_where_nothing_is_asked_that_an_ai_cannot_do_or_it_is_true(self):
        assert (await speaking(counselor=YES).say("여기서 계속 이야기해도 되죠?")).reply.startswith(YES)
        talk = await after(DANGER)
        talk.model.scripts["counselor"] = "네, 듣고 있어요."
        assert "듣고 있어요." in (await talk.say("듣고 있어요?")).reply
