"""A plain yes, no, refusal and "not known" is read alike wherever a rule reads answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.domain.slots import SlotKind
from shared.lexicon.words import Answer

HOUSE = content()
YES = (
    *("네", "넵", "넹", "예", "옙", "응", "웅", "엉", "ㅇㅇ", "네네", "네에"),
    *("그럼요", "당연하죠", "맞아요", "yes", "yeah", "Yep"),
)
NO = (
    *("아니요", "아니오", "아뇨", "아니", "아니에요", "아녜요", "아닙니다"),
    *("ㄴㄴ", "노노", "아뇨아뇨", "no", "Nope", "nah"),
)
REFUSAL = (
    *("싫어요", "패스할게요", "넘어갈게요", "말하고 싶지 않아요", "대답하기 싫어요"),
    *("다른 거 물어봐 주세요", "I'd rather not say"),
)
NOT_KNOWN = (
    *("모르겠어요", "몰라요", "몰라", "글쎄요", "잘 모르겠습니다", "기억이 안 나요"),
    *("모름", "I don't know", "not sure"),
)
MARKS = ("", ".", "!", "~")


def readings(text):
    """Return what each reader takes an answer for: yes, no, a refusal, or that the user does not know."""
    words, screened = HOUSE.lexicon.read(text), HOUSE.screening.screen(text)
    plan, crisis, answers = HOUSE.safety_plan, HOUSE.crisis_answers, HOUSE.answers
    opening = text.rstrip(".!~")
    agreed = plan.accepts(f"{opening} 해 볼래요") and plan.keeps(f"{opening} 저장해 줘")
    return {
        "to a proposal": (words.answer is Answer.CONFIRM, words.answer is Answer.CANCEL),
        "to a question about facts": (answers.says_yes(text), answers.says_no(text)),
        "whether the user wants to die": (crisis.admits(screened), crisis.denies(screened)),
        "whether a means is near": (HOUSE.help_seeking.means_near(screened.readings), None),
        "whether to make or keep the plan": (agreed, None),
    }


def reads(text, *, yes, no):
    return [
        where
        for where, (heard_yes, heard_no) in readings(text).items()
        if heard_yes not in (yes, None) or heard_no not in (no, None)
    ]


@given(st.sampled_from(YES), st.sampled_from(MARKS))
def test_a_plain_yes_is_one_everywhere(yes, mark):
    assert reads(yes + mark, yes=True, no=False) == []


@given(st.sampled_from(NO), st.sampled_from(MARKS))
def test_a_plain_no_is_one_everywhere(no, mark):
    assert reads(no + mark, yes=False, no=True) == []


@pytest.mark.parametrize("text", [*REFUSAL, *NOT_KNOWN])
def test_a_refusal_and_not_knowing_are_no_yes_anywhere(text):
    assert [where for where, (yes, _) in readings(text).items() if yes] == []
    assert HOUSE.session_words.declines(text, SlotKind.TEXT) == (text in REFUSAL)
    assert HOUSE.lexicon.read(text).is_unsure == (text in NOT_KNOWN)


@pytest.mark.parametrize("text", ["네팔에 가고 싶어요", "예전에요", "노래방이요", "응급실이요"])
def test_a_word_that_begins_like_a_yes_or_a_no_is_none(text):
    assert [where for where, (yes, _) in readings(text).items() if yes] == []
