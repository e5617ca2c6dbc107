"""A wish to stop behind a feeling is kept, asked about in the next free turn, and forgotten if the user goes on."""

import pytest

from shared.domain.counseling.session import WrapUpStage
from shared.lexicon.asking import asks_of
from shared.safety.levels import RiskLevel
from tests.builders.talk import told

WISH = "그만하고 싶어요. 너무 비참해요"


@pytest.mark.parametrize(
    ("wish", "later", "opened"),
    [
        (WISH, "네", {}),
        (WISH, "몰라요", {}),
        ("그만하고 싶어. 너무 서러워", "응", {"register": "반말"}),
        ("저 그만하고 싶네요. 좀 답답해요", "네", {}),
        ("I want to stop. I feel so miserable", "yes", {"locale": "en"}),
    ],
)
async def test_the_feeling_is_received_without_a_question_of_a_rule_and_the_next_turn_asks_whether_to_end(
    wish, later, opened
):
    talk, said = await told("회사 일로 왔어요" if opened.get("locale") != "en" else "I came about work", wish, **opened)
    assert (said.directive["proposes"], said.ask, talk.state.risk.level) == (None, None, RiskLevel.NONE)
    asked = await talk.say(later)
    assert (asked.directive["proposes"], asked.directive["end_cause"]) == ("end", "asked")
    assert talk.content.session_words.asks_to_end(asked.reply)
    assert len(asks_of(asked.reply)) == 1
    assert talk.state.wrap_up.stage is WrapUpStage.PROPOSED
    assert (await talk.say(later if later != "몰라요" else "네")).state.ended


@pytest.mark.parametrize(
    "on",
    ["팀장님이 어제 회의에서 또 제 말을 끊었어요", "아니요, 더 얘기할래요", "조금만 더 이야기해도 될까요?"],
)
async def test_it_is_forgotten_when_the_user_goes_on_or_says_otherwise(on):
    talk, said = await told("회사 일로 왔어요", WISH, on)
    assert (said.directive["proposes"], talk.state.stop_wished_seq) == (None, None)
    assert (await talk.say("네")).directive["proposes"] is None


async def test_another_feeling_goes_first_and_after_some_turns_it_is_too_old():
    talk, said = await told("회사 일로 왔어요", WISH, "무서워요")
    assert said.directive["proposes"] is None
    assert (await talk.say("네")).directive["proposes"] == "end"
    old, late = await told("회사 일로 왔어요", WISH, "무서워요", "화가 나요", "외로워요", "네")
    assert (late.directive["proposes"], old.state.stop_wished_seq) == (None, None)


async def test_a_question_of_the_users_is_answered_first_and_a_wish_that_is_repeated_is_asked_about():
    talk, said = await told("회사 일로 왔어요", WISH, "이거 누가 봐요?")
    assert said.directive["proposes"] is None
    assert (await talk.say("그만하고 싶어요")).directive["proposes"] == "end"


async def test_a_request_that_names_the_talk_is_asked_about_at_once():
    _, said = await told("너무 비참해요. 오늘 상담은 그만할래요")
    assert said.directive["proposes"] == "end"


async def test_a_question_about_danger_goes_before_it():
    talk, said = await told("회사 일로 왔어요", "그만하고 싶어요. 사는 게 의미가 없어요")
    assert said.outcome.directive is None or said.directive["proposes"] is None
    assert talk.state.risk.level is not RiskLevel.NONE
