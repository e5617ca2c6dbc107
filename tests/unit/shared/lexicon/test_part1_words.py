"""The reason for coming and the signs of a level are found in the user's own words."""

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.domain.counseling.level import RAISES, LevelSign
from shared.domain.counseling.reason import Reason
from shared.lexicon.part1_words import Part1WordsFile

FILE = load_yaml(DATA / "part1_words.yaml", Part1WordsFile)
WORDS = content().part1_words


def reason(text, **slots):
    found = WORDS.reason(text, slots)
    return None if found is None else found.reason


@pytest.mark.parametrize("expected", Reason)
def test_each_example_has_its_reason_and_each_other_sentence_has_not(expected):
    phrases = FILE.reasons[expected]
    assert {text: reason(text) for text in phrases.examples} == dict.fromkeys(phrases.examples, expected)
    assert [text for text in phrases.others if reason(text) is expected] == []


@pytest.mark.parametrize("sign", sorted(RAISES))
def test_each_example_shows_its_sign_and_each_other_sentence_does_not(sign):
    phrases = getattr(FILE.level, sign.value)
    assert [text for text in phrases.examples if not WORDS.sign(sign, text)] == []
    assert [text for text in phrases.others if WORDS.sign(sign, text)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("엄마가 우울증이래요", None),
        ("그냥 다 힘들어요", None),
        ("아빠가 소리 지르면 제가 너무 불안해요", Reason.FAMILY_CONFLICT),
        ("할머니가 돌아가신 뒤로 잠을 못 자요", Reason.GRIEF),
        ("회사에서 실수할까 봐 밤에 잠이 안 와요", Reason.WORK_STRESS),
        ("회사 때문인지 잠이 안 와요. 새벽마다 깨요. 자도 자도 피곤해요.", Reason.SLEEP),
    ],
)
def test_the_situation_goes_before_its_symptom_and_what_is_told_more_before_both(text, expected):
    assert reason(text) is expected


def test_the_given_reason_counts_twice_and_its_words_are_the_evidence():
    told = "회사 일도 많아요. 남자친구랑 헤어졌어요"
    assert reason(told) is Reason.WORK_STRESS
    found = WORDS.reason(told, {"reason": "남자친구랑 헤어졌어요", "name": "지우", "prior_counseling": True})
    assert (found.reason, found.quote) == (Reason.RELATIONSHIP, "남자친구랑 헤어졌어요")


def test_signs_that_the_state_shows_have_no_words():
    assert WORDS.sign(LevelSign.SEVERE, "너무 힘들어요") == ""
