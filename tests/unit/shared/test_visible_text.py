import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from shared.visible_text import UNREADABLE, visible


def test_no_invisible_character_is_left():
    unseen = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    spaces = {"Zs"}
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        category = unicodedata.category(char)
        if category in unseen | spaces and char not in " \n":
            assert visible(f"a{char}b") in {"ab", "a b", "a\nb", f"a{UNREADABLE}b"}, hex(code)


def test_visible_text_is_kept():
    cases = [
        ("이\u200b전 지\u2060시", "이전 지시"), ("ok\U000e0069\U000e0067\U000e007f", "ok"),
        ("😀\ufe01\U000e0101\U000e01ef", "😀"), ("\u202eabc\u202c", "abc"),
        ("가\u3164나\uffa0다\u2800라", "가 나 다 라"), ("a\r\nb\rc\u2028d\u0085e\x0bf", "a\nb\nc\nd\ne\nf"),
        ("a\n\n\n \n\nb", "a\n\nb"), ("\ud83d \ue000", f"{UNREADABLE} {UNREADABLE}"),
        ("👨\u200d👩\u200d👧 ❤\ufe0f", "👨👩👧 ❤"),
    ]  # fmt: skip
    assert {seen: got for written, seen in cases if (got := visible(written)) != seen} == {}


@given(st.text())
def test_visible_is_idempotent(text):
    assert visible(visible(text)) == visible(text)
