"""The forms of Korean stems."""

import pytest

from shared.safety.endings import Ending, inflected

_FORMS = [
    "죽 죽 죽 죽으 죽을 죽은 죽음 죽습 죽어 죽었",
    "베 베 베 베 벨 벤 벰 벱 베/베어 벴/베었",
    "뛰어내리 뛰어내리 뛰어내리 뛰어내리 뛰어내릴 뛰어내린 뛰어내림 뛰어내립 뛰어내려 뛰어내렸",
    "긋 긋 긋 그으 그을 그은 그음 긋습 그어 그었",
    "웃 웃 웃 웃으 웃을 웃은 웃음 웃습 웃어 웃었",
    "살 살 사 살 살 산 삶 삽 살아 살았",
    "들 들 드 들 들 든 듦 듭 들어 들었",
    "자살하 자살하 자살하 자살하 자살할 자살한 자살함 자살합 자살해/자살하여 자살했/자살하였",
    "눕 눕 눕 누우 누울 누운 누움 눕습 누워 누웠",
    "외롭 외롭 외롭 외로우 외로울 외로운 외로움 외롭습 외로워 외로웠",
    "잡 잡 잡 잡으 잡을 잡은 잡음 잡습 잡아 잡았",
    "찌르 찌르 찌르 찌르 찌를 찌른 찌름 찌릅 찔러 찔렀",
    "자르 자르 자르 자르 자를 자른 자름 자릅 잘라 잘랐",
    "따르 따르 따르 따르 따를 따른 따름 따릅 따라 따랐",
    "모으 모으 모으 모으 모을 모은 모음 모읍 모아 모았",
    "쓰 쓰 쓰 쓰 쓸 쓴 씀 씁 써 썼",
    "듣 듣 듣 들으 들을 들은 들음 듣습 들어 들었",
    "받 받 받 받으 받을 받은 받음 받습 받아 받았",
    "두 두 두 두 둘 둔 둠 둡 둬/두어 뒀/두었",
    "되 되 되 되 될 된 됨 됩 돼/되어 됐/되었",
    "떠나 떠나 떠나 떠나 떠날 떠난 떠남 떠납 떠나 떠났",
    "놓 놓 놓 놓으 놓을 놓은 놓음 놓습 놓아/놔 놓았/놨",
    "뛰 뛰 뛰 뛰 뛸 뛴 뜀 뜁 뛰어 뛰었",
]
"""A stem, then its forms before 고 는 으 ㄹ ㄴ ㅁ ㅂ 어 었."""


def test_a_stem_takes_the_forms_of_school_grammar():
    stems = [line.split()[0] for line in _FORMS]
    made = [" ".join([stem, *("/".join(inflected(stem, ending)) for ending in Ending)]) for stem in stems]
    assert made == _FORMS


def test_only_the_last_syllable_of_a_longer_stem_changes():
    assert inflected("목(?:을)? 매", Ending.PAST) == ("목(?:을)? 맸", "목(?:을)? 매었")


@pytest.mark.parametrize("stem", ["", "die", "죽ㄱ"])
def test_what_does_not_end_with_a_syllable_is_no_stem(stem):
    with pytest.raises(ValueError, match="no Korean stem"):
        inflected(stem, Ending.PAST)
