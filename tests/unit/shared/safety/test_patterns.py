import re

from shared.safety.patterns import Ending, Vocabulary, expand, inflected
from shared.safety.phrases import Phrases
from shared.safety.screening import readings_of

KOREAN = Vocabulary({"want": "(?:싶|시퍼)", "both": "<want>다"}, {"die": ("죽", "뒤지"), "hang": ("목(?:을)? 매",)})
ENGLISH = Vocabulary({"want": "(?:want|wanna)"}, whole_words=True)


def test_a_pattern_matches_with_and_without_spaces_and_fragments_may_be_nested():
    texts = ("죽고싶", "죽고 싶", "죽 고싶", "죽 고 시퍼")
    assert [text for text in texts if not re.fullmatch(KOREAN.source("죽고 <want>"), text)] == []
    assert re.fullmatch(KOREAN.source("<both>"), "시퍼다")


def test_a_stem_with_an_ending_matches_its_inflected_form():
    texts = {"{die:었}": "뒤졌", "{hang:ㄹ}까": "목을 맬까", "{긋:어} 버": "그어버"}
    assert [pattern for pattern, text in texts.items() if not re.fullmatch(KOREAN.source(pattern), text)] == []


def test_a_gap_is_bounded_and_stays_within_the_sentence():
    near, far = (re.compile(KOREAN.source(f"약{gap}먹")) for gap in ("~", "~~"))
    assert near.search("약을 한꺼번에 먹")
    assert not near.search("약을 어제 집에 와서 한꺼번에 먹")
    assert far.search("약을 어제 집에 와서 한꺼번에 먹")
    assert not far.search("약이 있다. 밥을 먹")


def test_an_english_pattern_matches_only_whole_words():
    whole = ["i wanna cut", "wanna cut deep"]
    texts = [*whole, "iwanna cut", "wanna cutlery", "wannacut"]
    assert [text for text in texts if re.search(ENGLISH.source("<want> cut"), text)] == whole


def test_repetitions_are_bounded_and_classes_and_look_behinds_are_unchanged():
    assert expand("[가나]다(?<!가나)") == "[가나]다(?<!가나)"
    assert expand(r"(?:너무 |참 )*싫 \w+ [가-힣]+(?:a|b)+\+아+") == (
        r"(?:너 ?무 ?|참 ?){0,8}싫 ?\w{1,24} ?[가-힣]{1,24}(?:a|b){1,8}\+아{1,24}"
    )
    assert ENGLISH.source(r"kil+ br[eo]+k\w*") == r"\b(?:kil{1,24} br[eo]{1,24}k\w{0,24})\b"


_FORMS = [
    "죽 죽 죽 죽으 죽을 죽은 죽음 죽습 죽어 죽었",
    "베 베 베 베 벨 벤 벰 벱 베/베어 벴/베었",
    "뛰어내리 뛰어내리 뛰어내리 뛰어내리 뛰어내릴 뛰어내린 뛰어내림 뛰어내립 뛰어내려 뛰어내렸",
    "긋 긋 긋 그으 그을 그은 그음 긋습 그어 그었",
    "살 살 사 살 살 산 삶 삽 살아 살았",
    "들 들 드 들 들 든 듦 듭 들어 들었",
    "자살하 자살하 자살하 자살하 자살할 자살한 자살함 자살합 자살해/자살하여 자살했/자살하였",
    "눕 눕 눕 누우 누울 누운 누움 눕습 누워 누웠",
    "외롭 외롭 외롭 외로우 외로울 외로운 외로움 외롭습 외로워 외로웠",
    "찌르 찌르 찌르 찌르 찌를 찌른 찌름 찌릅 찔러 찔렀",
    "모으 모으 모으 모으 모을 모은 모음 모읍 모아 모았",
    "쓰 쓰 쓰 쓰 쓸 쓴 씀 씁 써 썼",
    "듣 듣 듣 들으 들을 들은 들음 듣습 들어 들었",
    "두 두 두 두 둘 둔 둠 둡 둬/두어 뒀/두었",
    "되 되 되 되 될 된 됨 됩 돼/되어 됐/되었",
    "놓 놓 놓 놓으 놓을 놓은 놓음 놓습 놓아/놔 놓았/놨",
]
"""A stem, then its forms before 고 는 으 ㄹ ㄴ ㅁ ㅂ 어 었."""


def test_a_stem_takes_the_forms_of_school_grammar():
    stems = [line.split()[0] for line in _FORMS]
    made = [" ".join([stem, *("/".join(inflected(stem, ending)) for ending in Ending)]) for stem in stems]
    assert made == _FORMS
    assert inflected("목(?:을)? 매", Ending.PAST) == ("목(?:을)? 맸", "목(?:을)? 매었"), (
        "the last syllable alone changes"
    )


def test_a_phrase_is_found_unless_an_exclusion_overlaps_it():
    safe = Phrases(["<now>? 안전해"], ["안전해지고"], {"now": "지금은"})
    heard = ["지금은 안전해요", "지금은안전해", "안전해지고 싶어. 지금은 안전해."]
    assert [text for text in (*heard, "", "안전해지고 싶어", "위험해요") if safe.heard(readings_of(text))] == heard
