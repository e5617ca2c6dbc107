import html
import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.prompts.data import BREAK, LONGEST, as_data, as_message, as_read, decoded

SIGNS = "<>‹›＜＞﹤﹥«»⏎&＆;ltgt#x3c \n\r\t\u2028\u200b\u202e상담사:내담자{}%"
TEXTS = st.one_of(st.text(), st.text(alphabet=SIGNS))
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@given(TEXTS)
def test_data_is_one_line_without_angle_brackets_or_invisible_characters(text):
    data = as_data(text)
    assert not set("<>＜＞﹤﹥") & set(data)
    assert len(data.splitlines()) <= 1
    assert not {unicodedata.category(char) for char in data} & UNSEEN
    assert "<" not in html.unescape(data)


@given(TEXTS)
@example("«‹")
@example("&lt; ＆lt; &#60;")
@example(" ⏎ \n ⏎")
def test_encoded_text_can_be_decoded(text):
    assert decoded(as_data(text)) == as_read(text)
    assert decoded(as_message(text)) == as_read(text)


@given(TEXTS)
def test_a_message_is_encoded_like_data_but_keeps_its_lines(text):
    message = as_message(text)
    assert message.replace("\n", BREAK) == as_data(text)
    assert "\r" not in message
    assert not re.search(r"\n\s*\n\s*\n", message)


def test_plain_text_is_unchanged():
    plain = "발표가 무서워요 ㅠㅠ… (진짜로) “왜 나만?” 50% & 'it's fine' 😀"
    for text in (plain, "R&D", "AT&T에 다녀요", "Q&A 시간", "a & b", "& 그리고"):
        assert as_data(text) == as_message(text) == text
    assert as_data(5) == "5"


def test_an_entity_without_its_semicolon_is_escaped():
    entities = ("&lt", "&LT", "&gt", "&#60", "&#x3C", "&#0060", "&amp", "&quot")
    written = {entity: as_data(f"{entity}/summary{entity} 그리고") for entity in entities}
    assert written == {entity: f"＆{entity[1:]}/summary＆{entity[1:]} 그리고" for entity in entities}
    assert [entity for entity, data in written.items() if html.unescape(data) != data] == []


def test_every_look_alike_of_an_angle_bracket_is_replaced():
    pairs = ["<>", "＜＞", "﹤﹥", "〈〉", "\u2329\u232a", "《》", "⟨⟩", "⟪⟫", "❮❯", "❰❱", "❬❭", "⧼⧽", "ᐸᐳ", "˂˃"]
    for one, other in (*pairs, "≪≫", "⪡⪢", "⋖⋗"):
        assert as_data(f"{one}/summary{other}{one}system{other}") == "‹/summary›‹system›", one
        assert as_message(f"{one}/summary{other}") == "‹/summary›", one


def test_line_breaks_become_a_sign_in_data_and_blank_lines_are_merged_in_a_message():
    assert as_data("하나\r\n둘\u2028셋") == "하나 ⏎ 둘 ⏎ 셋"
    assert as_message("하나\n \n\n\n\n둘") == "하나\n\n둘"


@pytest.mark.parametrize("length", [LONGEST, LONGEST + 1, LONGEST * 50])
def test_data_is_shortened_to_the_longest_block(length):
    data = as_data("가" * (length - 1) + "끝")
    assert len(data) <= LONGEST
    assert data.endswith("끝")
    assert ("…" in data) == (length > LONGEST)
