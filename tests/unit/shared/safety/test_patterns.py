"""Behaviour of the pattern language."""

import re

import pytest

from shared.safety.patterns import Vocabulary, expand

KOREAN = Vocabulary({"want": "(?:싶|시퍼)", "both": "<want>다"}, {"die": ("죽", "뒤지"), "hang": ("목(?:을)? 매",)})
ENGLISH = Vocabulary({"want": "(?:want|wanna)"}, whole_words=True)


def test_a_pattern_matches_with_and_without_spaces():
    texts = ("죽고싶", "죽고 싶", "죽 고싶", "죽 고 시퍼")
    assert [text for text in texts if not re.fullmatch(KOREAN.source("죽고 <want>"), text)] == []


def test_stems_are_inflected_where_an_ending_follows():
    texts = {"{die:었}": "뒤졌", "{hang:ㄹ}까": "목을 맬까", "{긋:어} 버": "그어버"}
    assert [pattern for pattern, text in texts.items() if not re.fullmatch(KOREAN.source(pattern), text)] == []


def test_a_gap_stays_within_the_sentence_and_is_short():
    near, far = (re.compile(KOREAN.source(f"약{gap}먹")) for gap in ("~", "~~"))
    assert near.search("약을 한꺼번에 먹")
    assert not near.search("약을 어제 집에 와서 한꺼번에 먹")
    assert far.search("약을 어제 집에 와서 한꺼번에 먹")
    assert not far.search("약이 있다. 밥을 먹")


def test_a_fragment_may_name_another():
    assert re.fullmatch(KOREAN.source("<both>"), "시퍼다")


def test_an_english_pattern_finds_whole_words_and_no_part_of_one():
    whole = ["i wanna cut", "wanna cut deep"]
    texts = [*whole, "iwanna cut", "wanna cutlery", "wannacut"]
    assert [text for text in texts if re.search(ENGLISH.source("<want> cut"), text)] == whole


def test_classes_and_look_behinds_are_left_alone():
    assert expand("[가나]다(?<!가나)") == "[가나]다(?<!가나)"


def test_what_is_repeated_has_a_bound():
    assert expand(r"(?:너무 |참 )*싫 \w+ [가-힣]+(?:a|b)+\+아+") == (
        r"(?:너 ?무 ?|참 ?){0,8}싫 ?\w{1,24} ?[가-힣]{1,24}(?:a|b){1,8}\+아{1,24}"
    )
    assert ENGLISH.source(r"kil+ br[eo]+k\w*") == r"\b(?:kil{1,24} br[eo]{1,24}k\w{0,24})\b"


def test_an_unknown_ending_is_an_error_that_names_those_there_are():
    with pytest.raises(ValueError, match="고 는 으"):
        KOREAN.source("{die:았}")


@pytest.mark.parametrize("pattern", ["<nothing>", "{nothing:었}"])
def test_an_unknown_name_is_an_error(pattern):
    with pytest.raises(KeyError, match="nothing"):
        KOREAN.source(pattern)
