"""The five tools."""

import pytest

from shared.domain.agreement.tool_calls import ToolCall, ToolName, repaired
from shared.domain.agreement.tools import run_tool
from tests.builders.agreements import TEXT, library

LIBRARY = library()


def read(tool, **args):
    return [f"{ref.document_id}/{ref.passage_id}" for ref in run_tool(LIBRARY, repaired(ToolName(tool), args)).read]


@pytest.mark.parametrize(
    ("tool", "args", "found"),
    [
        ("get_article_by_index", {"article_numbers": [5]}, ["service/article-5"]),
        ("get_article_by_index", {"article_numbers": ["제5조의2", 12]}, ["service/article-5-2", "service/article-12"]),
        ("get_article_by_index", {"exhibit_numbers": [1]}, ["service/exhibit-1"]),
        ("get_article_by_index", {"article_numbers": [99]}, []),
        ("get_article_by_title", {"titles": ["비밀보장"]}, ["service/article-5"]),
        ("get_article_by_title", {"titles": ["주차"]}, []),
        ("lookup_standard_contract", {"user_article_numbers": [10]}, ["service/article-10", "standard/article-7"]),
        ("get_contract_structure", {}, []),
    ],
)
def test_read_what_is_asked_for(tool, args, found):
    assert read(tool, **args) == found


def test_a_search_reads_the_passages_of_each_topic():
    topics = [{"topic_name": "해지", "queries": ["계약 해지"]}, {"topic_name": "기록", "queries": ["기록 보관"]}]
    found = read("hybrid_search", topics=topics)
    assert {"service/article-10", "service/article-5-2"} <= set(found)


def test_a_topic_is_compared_with_the_standard_form():
    assert {"service/article-5-2", "standard/article-5"} <= set(read("lookup_standard_contract", topic="기록 보관"))


def test_a_whole_contract_is_compared_by_what_corresponds_best_wherever_it_stands():
    others = "\n".join(f"제{100 + one}조(주차 {one})\n① 차는 지하 {one}층에 세웁니다." for one in range(4))
    compared = run_tool(library(TEXT.replace("제1장 상담", others)), ToolCall(tool=ToolName.STANDARD)).read
    assert [ref.document_id for ref in compared] == ["service", "standard"] * 4


def test_what_is_not_in_the_document_is_noted():
    call = repaired(ToolName.BY_INDEX, {"article_numbers": [5, 99]})
    assert run_tool(LIBRARY, call).note == "1 passages; not in the document: 99"
