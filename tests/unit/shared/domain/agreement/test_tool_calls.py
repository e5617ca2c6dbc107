"""Numbers in words, the repair of arguments, and signatures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.agreement.numbers import MOST_NUMBERS, article_numbers, exhibit_numbers, number_of
from shared.domain.agreement.tool_calls import ToolArgs, ToolCall, ToolName, repaired, search

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
NAMES = st.sampled_from(
    ["topics", "query", "title", "titles", "topic", "article_numbers", "number", "exhibits", "user_article_numbers"]
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("제5조", ("5",)),
        ("5조랑 제5조의2", ("5", "5의2")),
        ("제3조부터 제6조까지", ("3", "4", "5", "6")),
        ("민법 제750조 말고 제2조", ("2",)),
        ("근로기준법 제23조", ()),
        ("5조 원을 잃었다", ()),
        ("Article 5 and articles 7 to 9", ("5", "7", "8", "9")),
        ("제1조부터 제999조", tuple(map(str, range(1, MOST_NUMBERS + 1)))),
    ],
)
def test_articles_of_the_document_are_read_in_both_languages(text, found):
    assert article_numbers(text) == found


def test_exhibits_are_read_in_both_languages():
    assert exhibit_numbers("별지 1, 별표 제2호, Exhibit 3") == ("1", "2", "3")


@pytest.mark.parametrize(
    ("value", "number"),
    [(5, "5"), ("5", "5"), (5.0, "5"), ("제5조", "5"), ("article-5-2", "5의2"), (True, None), (-1, None), ("x", None)],
)
def test_a_number_is_read_from_what_a_model_may_write(value, number):
    assert number_of(value) == number


@pytest.mark.parametrize(
    ("tool", "raw", "signature"),
    [
        ("hybrid_search", {"query": "해지"}, "hybrid_search:[('queries', ['해지'])]"),
        ("hybrid_search", {"topics": ["해지"]}, "hybrid_search:[('queries', ['해지'])]"),
        (
            "hybrid_search",
            {"topics": {"topic_name": "해지", "queries": ["해지", "종료"]}},
            "hybrid_search:[('queries', ['종료', '해지'])]",
        ),
        ("get_article_by_title", {"title": "보안"}, "get_article_by_title:[('titles', ['보안'])]"),
        ("get_article_by_index", {"article_number": "제5조"}, "get_article_by_index:[('article_numbers', ['5'])]"),
        (
            "lookup_standard_contract",
            {"article_numbers": [3], "query": "해지"},
            "lookup_standard_contract:[('topic', '해지'), ('user_article_numbers', ['3'])]",
        ),
        ("get_contract_structure", {"contract_id": "c"}, "get_contract_structure:[]"),
    ],
)
def test_wrong_arguments_are_repaired(tool, raw, signature):
    assert repaired(ToolName(tool), raw).signature == signature


@given(st.sampled_from(ToolName), st.dictionaries(NAMES, JSON, max_size=4))
def test_any_arguments_give_a_bounded_call_or_none(tool, raw):
    call = repaired(tool, raw)
    if call is not None:
        assert call == repaired(tool, call.args.model_dump())
        assert len(call.parts) <= 2 * MOST_NUMBERS


def test_the_order_and_the_spelling_of_words_make_no_other_call():
    one, other = search("해지  조건", "계약 종료"), search("계약 종료", "해지 조건", name="x")
    assert one.signature == other.signature
    numbers = [ToolCall(tool=ToolName.BY_INDEX, args=ToolArgs(article_numbers=tuple(pair))) for pair in ("12", "21")]
    assert len({call.signature for call in numbers}) == 1
