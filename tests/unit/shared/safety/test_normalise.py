"""The normaliser, and the reading of Korean typed on an English keyboard layout."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from shared.safety.disguises import MEANT
from shared.safety.normalise import from_keyboard, normalise


def test_the_first_reading_undoes_disguises():
    meant = {
        "ㅈㅏ살": "자살",
        "ㅈㅜㄱㄱㅗ싶어": "죽고싶어",
        "주ㄱ고싶어": "죽고싶어",
        "ㅈr살": "자살",
        "죽고싶어어어어어": "죽고싶어",
        "죽\u200b고\u2060싶\ufeff어": "죽고싶어",
        "죽고😭싶어ㅠㅠㅠ": "죽고 싶어",
        "죽고   \n싶어....": "죽고 싶어",
        "ＫＩＬＬ ｍｙｓｅｌｆ": "kill myself",
        "𝐝𝐢𝐞": "die",
        "I DON’T wanna": "i dont wanna",
        unicodedata.normalize("NFD", "죽고 싶어"): "죽고 싶어",
        "죽고\u3000\t싶어": "죽고 싶어",
        "“죽고” (싶어)~": "죽고 싶어",
        "k!ll su*cide un@l!ve d*e": "kill suicide unalive die",
        "s@cide": "suicide",
        "ㅈㅜㄱ고 ㅋㅋ ㅠㅠ 싶어": "죽고 싶어",
        "끄ㅌ났어": "끝났어",
        "끝?! ...죽자": "끝? 죽자",
        "손목 그엇어 햇다 햇빛": "손목 그었어 했다 햇빛",
        "it huuurts 1000 times": "it hurts 1000 times",
        "\U00020000\U00020000\U00020000": "\U00020000",
    }
    assert {typed: normalise(typed)[0] for typed in meant} == meant
    before, after = "어제 Seoul에서 2시에 만났어요.", "and he said it’s ok ㅇㅇ 💊"
    amid = {typed: normalise(f"{before} {typed} {after}")[0] for typed in meant}
    assert amid == {
        typed: f"어제 seoul에서 2시에 만났어요. {read} and he said its ok ㅇㅇ 💊" for typed, read in meant.items()
    }


def test_the_last_reading_joins_separated_letters():
    meant = {
        "죽.고.싶.어": "죽고싶어",
        "죽 고 싶 어": "죽고싶어",
        "자1살": "자살",
        "su1c1de": "suicide",
        "ki1l myse1f": "kill myself",
        "a su1c1da1 1ife": "a suicidal life",
        "s u i c i d e": "suicide",
        "wnat to klil": "want to kill",
        "wn4t to l1ve 100 years": "want to live 100 years",
        "죽고💊싶어": "죽고 싶어",
        "𠀀 죽. 고. 싶, 어": "𠀀 죽고싶어",
        "나の죽. 고. 싶, 어": "나の죽고싶어",
        "죽 고 싶中죽. 고. 싶어": "죽고싶中죽. 고. 싶어",
        "\ud7b0죽. 고. 싶, 어": "죽고싶어",
        "sucidie and suiside": "suicide and suicide",
        "mysef and overdoze": "myself and overdose",
        "안 돼 a 죽 고 싶 다고": "안 돼 a 죽고싶 다고",
    }
    assert {typed: normalise(typed)[-1] for typed in meant} == meant
    amid = {typed: normalise(f"어제 Seoul에서 만났어요. {typed} and he said ok")[-1] for typed in meant}
    assert [typed for typed, read in amid.items() if not read.endswith(f". {meant[typed]} and he said ok")] == []


def test_english_abbreviations_and_fillers_are_resolved():
    meant = {
        "I'm so done... I can't": "im so done. i cant",
        "i want to... die": "i want to die",
        "im tired\t...\tI said out": "im tired. i said out",
        "i cant...” she said": "i cant. she said",
        "im tired\nI want out": "im tired. i want out",
        "wanna\ndie": "wanna die",
        "im tired \t\nI said .. out": "im tired. i said. out",
        "힘들어요 \n그만할래\n \n끝": "힘들어요. 그만할래. 끝",
        "I honestly fucking want 2 die": "i want to die",
        "2 days ago, my 2 kids": "2 days ago, my 2 kids",
        "w/o hope n w/ pain & fear": "without hope and with pain and fear",
        "not safe w myself": "not safe with myself",
        "gone 2moro": "gone tomorrow",
        **{f"gone {word}": "gone tomorrow" for word in ("tmr", "tmrw", "tmrow", "2morrow", "2mora", "2moz", "tomoz")},
        **{f"i {word} want it": "i want it" for word in ("ffkn", "kinda", "legit", "goddamn", "fuckin")},
        "me n you w him": "me and you with him",
        "a tmrx 2morning fucks w": "a tmrx 2morning fucks w",
        "so tired. honestly. done": "so tired. done",
        "literally": "literally",
        "literally. done": "done",
    }
    assert {typed: normalise(typed)[0] for typed in meant} == meant


def test_no_corrected_spelling_is_itself_a_misspelling():
    assert MEANT.keys().isdisjoint(MEANT.values())


def test_plain_text_has_one_reading_and_laughter_and_crying_are_dropped():
    assert {normalise(laughter) for laughter in ("하ㅋㅋㅋ", "하 ㅠㅠ", "하ㅎㅎ")} == {("하",)}
    assert normalise("오늘은 조금 나아졌어요.") == ("오늘은 조금 나아졌어요.",)


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_can_be_normalised(text):
    for reading in normalise(text):
        assert reading == " ".join(reading.split())
        reading.encode()  # no lone surrogate is left


def test_english_keys_are_read_as_korean_letters_only_if_they_form_syllables():
    meant = {"wnrrh tlvek": "죽고 싶다", "wkgo": "자해", "나 wnrrh tlvek": "나 죽고 싶다"}
    meant |= {"dhksqurgl ajfdjwutj": "완벽히 멀어져서"}
    meant |= {text: text for text in ("", "죽고 싶다", "i want to sleep", "so do go", "hello there", "lol")}
    assert {typed: from_keyboard(typed) for typed in meant} == meant
