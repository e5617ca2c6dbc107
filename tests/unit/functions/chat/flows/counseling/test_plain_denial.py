"""A plain denial after a danger that rules alone found ends the questions, if the model read none in either message."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.errors import ModelUnavailable
from shared.engine.runner import AgentRunner
from shared.locale import Locale, Register
from shared.safety.levels import RiskLevel
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.answers import newest_message, reads
from tests.builders.shipped_settings import agent_settings
from tests.builders.talk import KO, Talk, locale_of

REPLIES, ANSWERS = content().crisis_replies, content().crisis_answers
FOUND = {"ko": "요즘 자꾸 죽고 싶어요", "en": "lately I want to die"}
"""A rule hears a crisis in it; what the model reads, each test says."""
DENIALS = ("죽을 생각은 없어요 애들도 있는데", "아니라니까요 그런 생각 없어요", "진짜 없어요")
DETECTOR = "reader"
NONE = reads()


def reading(**by_newest):
    """Return a reader that reads nothing but in messages with one of these words."""

    def answer(request):
        newest = newest_message(request)
        risk = next((risk for words, risk in by_newest.items() if words in newest), None)
        return risk if isinstance(risk, Exception) else reads(danger=f"own_{risk}" if risk else None)(request)

    return answer


def denying(denial, *, quote=None, danger=None):
    """Return a reader that reads a denial in this message."""

    def answer(request):
        said = denial in newest_message(request)
        return (reads("denies_danger", danger=danger, quote=quote or denial) if said else NONE)(request)

    return answer


async def after(*messages, reads=NONE, **opened):
    talk = Talk(**{"locale": locale_of(messages[0])} | opened)
    talk.model.scripts[DETECTOR] = reads
    for text in messages:
        await talk.say(text)
    return talk


async def denied(*messages, reads=NONE, **opened):
    """Say these messages, the last of them a denial, and return the talk and the turn of the denial."""
    talk = await after(*messages[:-1], reads=reads, **opened)
    return talk, await talk.say(messages[-1])


def asks_of_danger(said):
    return "SafetyInquired" in said.events or "DangerAsked" in said.events or ANSWERS.asks_directly(said.reply)


def assert_believed(talk, said):
    assert (talk.state.risk.level, talk.state.risk.follow_through) == (RiskLevel.NONE, False)
    assert "DenialBelieved" in said.events
    assert not asks_of_danger(said)
    assert "?" not in said.reply


def assert_followed(talk, said):
    assert "DenialBelieved" not in said.events
    assert talk.state.risk.follow_through


@pytest.mark.parametrize("denial", DENIALS)
async def test_ends_the_questions_with_one_reply_that_says_so_and_names_the_line(denial):
    talk, said = await denied(FOUND["ko"], denial)
    assert_believed(talk, said)
    assert said.reply in REPLIES.believed(KO, talk.state.risk.needs)
    assert "109" in said.reply


async def test_is_believed_in_other_words_the_second_time():
    talk, first = await denied(FOUND["ko"], DENIALS[0])
    await talk.say("사실 그냥 죽고 싶어요")
    again = await talk.say(DENIALS[2])
    assert_believed(talk, again)
    assert again.reply != first.reply


@pytest.mark.parametrize(
    "no", ["아니요", "없어요", "네, 그런 건 없어요", "아뇨 죽고 싶다는 뜻은 아니에요", "no", "I'm not suicidal"]
)
async def test_may_be_a_mere_no_to_the_direct_question(no):
    assert_believed(*await denied(FOUND[locale_of(no)], no))


async def test_is_believed_though_the_model_once_doubted_a_message_long_ago():
    worn = ("요즘 너무 지쳐서 아무것도 하기 싫어요", "아니요 죽고 싶지는 않아요")
    talk = await after(
        *worn,
        "회사 일이 많아요",
        "팀장님이 일을 더 주세요",
        "밤에 잠을 못 자요",
        "주말에도 일해요",
        FOUND["ko"],
        reads=reading(지쳐서="concern"),
    )
    assert_believed(talk, await talk.say(DENIALS[0]))


async def test_is_heard_after_a_correction_too_even_as_a_no_to_the_question_about_the_plan():
    talk = await after(FOUND["ko"], "그게 아니라 회사 얘기였어요")
    assert talk.state.risk.follow_through
    assert_believed(talk, await talk.say("진짜 없어요"))


async def test_is_answered_in_the_voice_of_the_conversation():
    for voice, opened in (
        (KO.model_copy(update={"register_": Register.CASUAL}), {"register": "반말"}),
        (KO.model_copy(update={"locale": Locale.EN}), {"locale": "en"}),
    ):
        first = FOUND[opened.get("locale", "ko")]
        talk, said = await denied(
            first, "죽을 생각은 없어" if opened.get("register") else "no, I don't want to die", **opened
        )
        assert said.reply in REPLIES.believed(voice, talk.state.risk.needs)


async def test_is_believed_after_the_model_was_asked_once_about_the_message_that_raised_it():
    talk = await after(FOUND["ko"])
    before = len(talk.model.requests)
    await talk.say(DENIALS[0])
    asked = [one for one in talk.model.requests[before:] if one.agent == DETECTOR]
    assert sorted(map(newest_message, asked)) == sorted((FOUND["ko"], DENIALS[0]))
    assert not talk.model.asked("counselor")


async def test_leaves_the_card_where_it_is_and_the_record_for_staff():
    talk, said = await denied(FOUND["ko"], DENIALS[0])
    risk = CounselingPolicy(content()).snapshot(talk.state).risk
    assert (risk.level, "109" in {line.number for line in risk.resources}) == ("none", True)
    assert [(line.action, line.level) for line in said.outcome.audit] == [("denial_believed", "crisis")]
    assert "denial_believed" in {rule for flag in talk.state.staff_review.flags for rule in flag.rules}


async def test_is_answered_after_what_the_user_asks_of_the_ai():
    talk, said = await denied(FOUND["ko"], "죽을 생각은 없어요. 비밀 지켜 주세요")
    assert_believed(talk, said)
    assert {"LimitsTold", "DenialBelieved"} <= set(said.events)
    assert said.reply.endswith(REPLIES.believed(KO, talk.state.risk.needs))


async def test_is_followed_by_listening_and_by_neither_an_inquiry_nor_a_safety_plan():
    talk, _ = await denied(FOUND["ko"], DENIALS[0])
    for text in (
        "회사 일이 많아서요",
        "팀장님이 자꾸 일을 더 주세요",
        "밤에 잠을 잘 못 자요",
        "주말에도 일해요",
        "네",
        "쉬고 싶어요",
    ):
        said = await talk.say(text)
        assert not asks_of_danger(said)
        assert not {"SafetyPlanOffered", "ProtocolReplied"} & set(said.events)
        assert talk.model.asked("counselor")
    assert talk.state.safety_plan.stage is PlanStage.NONE


async def test_lets_the_next_sign_count_as_the_first():
    first, other = await after(FOUND["ko"]), await after(FOUND["ko"], DENIALS[0])
    again = await other.say("사실 그냥 죽고 싶어요")
    assert again.outcome.flags == ("crisis",)
    assert [hook.data for hook in again.outcome.hooks] == [{"level": "crisis"}]
    risk = other.state.risk
    assert (risk.follow_through, risk.since_seq, risk.last_seq, risk.safe_statements) == (True, 3, 3, 0)
    assert {"DangerAsked", "ProtocolReplied"} <= set(again.events)
    other.model.scripts[DETECTOR] = reading(**{"죽고 싶": "crisis"})
    first.model.scripts[DETECTOR] = reading(**{"죽고 싶": "crisis"})
    asked = [await talk.say("그냥 누워 있어요") for talk in (first, other)]
    assert ["SafetyInquired" in one.events for one in asked] == [True, True]


HEARD_BY_THE_MODEL = (
    *("죽고 싶진 않아요", "아니에요 그런 거 아니에요", "아니라니까요", "진짜 아니에요", "안 죽어요", "말버릇이에요"),
    *("그런 건 아니라고 방금 말했는데요", "not at all", "no way", "I was joking"),
)


@pytest.mark.parametrize("denial", HEARD_BY_THE_MODEL)
async def test_may_be_in_words_that_the_model_hears(denial):
    assert_believed(*await denied(FOUND[locale_of(denial)], denial, reads=denying(denial)))


async def test_that_the_model_hears_may_come_after_a_correction():
    denial = "아니라니까요"
    assert_believed(*await denied(FOUND["ko"], "그게 아니라 회사 얘기였어요", denial, reads=denying(denial)))


TOLD = (
    *("자살 계획이 있어요", "어떻게 죽을지 생각해 뒀어요", "죽고 싶어요 오늘 밤에", "죽고 싶어서 한강에 갔다 왔어요"),
    *("손목 그었어요", "자해했어요 어제", "죽고 싶어요 수면제 많이 있어요", "이번 주말에 죽고 싶어요"),
    *("I have a plan to kill myself", "I cut myself last night", "I want to die tonight", "I've decided to die"),
)
"""A plan, an intent, a means, a time, a place or self-harm, which no model need confirm."""
PARTLY = (
    "가끔요",
    "네 조금요",
    "있긴 해요",
    "그냥 죽고 싶다고요",
    "모르겠어요",
    "회사 일이 많아서요",
    "sometimes, yes",
)
"""Answers to the direct question that do not deny it."""


class TestIsNotBelieved:
    @pytest.mark.parametrize("told", TOLD)
    async def test_after_more_than_a_wish_was_told_whatever_the_model_reads(self, told):
        denials = ("죽을 생각은 없어요", "진짜 없어요") if locale_of(told) == "ko" else ("no, I don't want to die",)
        for denial in denials:
            assert_followed(*await denied(told, denial))

    @pytest.mark.parametrize("answer", PARTLY)
    async def test_once_the_direct_question_was_answered_by_anything_but_a_denial(self, answer):
        locale = locale_of(answer)
        last = "진짜 없어요" if locale == "ko" else "no, I don't want to die"
        _, said = await denied(FOUND[locale], answer, last)
        assert "DenialBelieved" not in said.events

    @pytest.mark.parametrize(
        "reads", [{"quote": "죽을 생각 없어요"}, {"danger": "own_concern"}, {"danger": "own_crisis"}]
    )
    async def test_if_the_model_reads_a_denial_without_its_words_or_beside_a_danger(self, reads):
        denial = "말버릇이에요"
        _, said = await denied(FOUND["ko"], denial, reads=denying(denial, **reads))
        assert "DenialBelieved" not in said.events

    @pytest.mark.parametrize(
        "denial",
        [
            "말버릇이에요 근데 수면제는 모아 뒀어요",
            "글쎄요 말버릇이에요",
            "말버릇이에요 무서워요 오늘 밤 뛰어내릴까 봐",
        ],
    )
    async def test_on_the_model_s_word_next_to_a_sign_or_in_doubt(self, denial):
        _, said = await denied(FOUND["ko"], denial, reads=denying(denial))
        assert "DenialBelieved" not in said.events

    async def test_after_a_plan_though_the_model_reads_a_denial(self):
        assert_followed(*await denied("자살 계획이 있어요", "말버릇이에요", reads=denying("말버릇이에요")))

    async def test_soon_after_the_model_doubted_another_message(self):
        worn = "요즘 너무 지쳐서 아무것도 하기 싫어요"
        assert_followed(*await denied(worn, FOUND["ko"], DENIALS[0], reads=reading(지쳐서="concern")))

    @pytest.mark.parametrize("level", ["concern", "crisis", "imminent"])
    async def test_if_the_model_reads_a_danger_in_the_message_that_raised_it(self, level):
        assert_followed(*await denied(FOUND["ko"], DENIALS[0], reads=reading(**{"죽고 싶": level})))

    async def test_if_the_model_reads_a_danger_in_the_denial(self):
        assert_followed(*await denied(FOUND["ko"], DENIALS[0], reads=reading(애들도="crisis")))

    async def test_if_the_model_has_read_a_danger_in_any_turn(self):
        worn = "요즘 너무 지쳐서 아무것도 하기 싫어요"
        assert_followed(*await denied(FOUND["ko"], worn, DENIALS[0], reads=reading(지쳐서="crisis")))
        assert_followed(*await denied(worn, FOUND["ko"], DENIALS[0], reads=reading(지쳐서="crisis")))

    @pytest.mark.parametrize("model", [None, {DETECTOR: ModelUnavailable("away")}])
    async def test_while_the_model_is_away(self, model):
        talk = await after(FOUND["ko"])
        talk.model.scripts = talk.model.scripts | model if model else {}
        assert_followed(talk, await talk.say(DENIALS[0]))

    async def test_if_the_model_fails_on_the_message_that_raised_it(self):
        reads = reading(**{"죽고 싶": ModelUnavailable("away")})
        assert_followed(*await denied(FOUND["ko"], DENIALS[0], reads=reads))

    async def test_on_the_word_of_a_model_that_the_catalogue_does_not_name(self):
        talk = await after(FOUND["ko"])
        talk.runner = AgentRunner(talk.model, agent_settings(model="small-1.5b"), talk.clock)
        assert_followed(talk, await talk.say(DENIALS[0]))

    @pytest.mark.parametrize(
        "danger",
        [
            *("지금 옥상에 올라왔어요", "어제 약을 먹고 죽으려고 했어요", "그 사람을 죽여버리고 싶어요"),
            *("아빠가 맨날 때려서 죽고 싶어요", "친구가 죽고 싶대요", "수면제를 모아 뒀어요 죽고 싶어요"),
        ],
    )
    async def test_after_another_danger_than_a_lone_crisis_of_their_own_life(self, danger):
        _, said = await denied(danger, DENIALS[1])
        assert "DenialBelieved" not in said.events

    @pytest.mark.parametrize(
        "before", ["어릴 때 아빠한테 많이 맞았어요", "친구가 죽고 싶대요", "집에 들어가기 무서워요 엄마가 알면 혼나요"]
    )
    async def test_if_violence_or_another_danger_was_told_or_home_is_feared(self, before):
        _, said = await denied(before, FOUND["ko"], DENIALS[1])
        assert "DenialBelieved" not in said.events

    @pytest.mark.parametrize("told", ["집에 번개탄이 있어요", "이번 주말에 끝내려고 했어요"])
    async def test_after_a_means_or_a_time_was_told(self, told):
        _, said = await denied(FOUND["ko"], told, DENIALS[0])
        assert "DenialBelieved" not in said.events

    @pytest.mark.parametrize(
        "text",
        [
            *(
                "죽을 생각은 없는데 약은 모아놨어요",
                "죽을 생각은 없어요 그냥 사라지고 싶어요",
                "죽을 생각은 없어요 무서워요",
            ),
            *("죽을 생각은 없는데 더는 못 버티겠어요", "죽을 생각은 없지만 제가 짐이에요"),
            *("죽을 생각은 없어요 이제 다 정리했거든요", "글쎄요 없어요", "네 괜찮아요", "감사합니다", "모르겠어요"),
        ],
    )
    async def test_next_to_a_new_sign_or_where_nothing_is_plainly_denied(self, text):
        assert_followed(*await denied(FOUND["ko"], text))

    async def test_after_a_yes_to_the_direct_question(self):
        assert_followed(*await denied("더는 못 버티겠어요", "네", DENIALS[0]))

    async def test_of_a_user_under_14(self):
        _, said = await denied("저 초6이에요", FOUND["ko"], DENIALS[0])
        assert "DenialBelieved" not in said.events

    async def test_if_it_was_sent_before_the_question(self):
        talk = await after(FOUND["ko"])
        early = talk.clock.now().replace(year=talk.clock.now().year - 1)
        assert_followed(talk, await talk.say(DENIALS[0], received_at=early))
