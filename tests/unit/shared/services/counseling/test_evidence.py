from hypothesis import given
from hypothesis import strategies as st

from shared.services.counseling.evidence import is_verbatim_quote

TEXT = "요즘 회사 일 때문에, 잠을 못 자요… “정말” 힘들어요!"


def test_words_that_were_said_count_whatever_their_spacing_and_marks():
    cases = [
        "잠을 못 자요", "잠을못자요", "“잠을 못 자요.”", "회사 일 때문에 잠을", "정말 힘들어요", "  힘들어요  ",
        TEXT,
    ]  # fmt: skip
    assert [quote for quote in cases if not is_verbatim_quote(quote, TEXT)] == []


def test_words_that_were_not_said_do_not():
    assert [
        quote
        for quote in ("잠을 잘 자요", "일 때문에 회사", "", "  ", "...", "“”", "저는 지민이에요")
        if is_verbatim_quote(quote, TEXT)
    ] == []


def test_case_and_unicode_form_do_not_matter():
    assert is_verbatim_quote("MY BOSS", "it is my boss.")
    assert is_verbatim_quote("\u1112\u1161\u11ab", "한")


def test_brackets_that_the_prompt_neutralised_do_not_matter():
    assert is_verbatim_quote("‹b›안녕", "<b>안녕")


@given(st.text(alphabet="가나다 .,!", min_size=1), st.text(), st.text())
def test_a_part_of_the_text_was_said(quote, before, after):
    if quote.strip(" .,!"):
        assert is_verbatim_quote(quote, before + quote + after)


@given(st.text(), st.text())
def test_any_words_can_be_looked_at(quote, text):
    assert is_verbatim_quote(quote, text) in (True, False)
