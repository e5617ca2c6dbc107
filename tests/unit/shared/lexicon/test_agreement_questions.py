"""The words of questions on agreements."""

import pytest

from shared.content.catalogue import content
from shared.lexicon.lexicon_file import ExemplifiedPhrases

QUESTIONS = content().agreement_questions
LISTS = [
    name
    for name in type(QUESTIONS.written).model_fields
    if name not in {"fragments", "comparing_words", "naming_words"}
]
READ = {
    "searches": lambda text: QUESTIONS._finds("searches", text),
    "plain_names": lambda text: not QUESTIONS.names(text, text),
}


@pytest.mark.parametrize("name", LISTS)
def test_every_example_matches_and_no_other_does(name):
    phrases = getattr(QUESTIONS.written, name)
    assert isinstance(phrases, ExemplifiedPhrases)
    read = READ.get(name) or getattr(QUESTIONS, name)
    assert [text for text in phrases.examples if not read(text)] == []
    assert [text for text in phrases.others if read(text)] == []


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("제5조 내용이 뭐야?", "get_article_by_index:[('article_numbers', ['5'])]"),
        ("해지 조건이 뭐야?", "hybrid_search:[('queries', ['해지 조건이 뭐야'])]"),
        ("표준계약서와 비교해 줘", "lookup_standard_contract:[]"),
        ("제5조를 표준계약서와 비교해 줘", "lookup_standard_contract:[('user_article_numbers', ['5'])]"),
        ("목차 보여 줘", "get_contract_structure:[]"),
        ("안녕", None),
        ("그건 왜 그래?", None),
    ],
)
def test_a_clear_question_names_its_tool(text, signature):
    call = QUESTIONS.first_call(text)
    assert (call and call.signature) == signature


def test_a_long_message_is_no_claim_whatever_its_words():
    assert not QUESTIONS.claims("동의서에 뭐가 있나요? " + "요즘 너무 힘들어요. " * 20)


@pytest.mark.parametrize(
    ("text", "title", "asked"),
    [
        ("올린 계약서에서 찾아 줘", "", ""),
        ("근로계약서에서 다시 찾아봐 줘.", "근로계약서", ""),
        ("Please look in my document", "", ""),
        ("근로계약서에서 월급은 얼마예요?", "근로계약서", "근로계약서에서 월급은 얼마예요?"),
    ],
)
def test_a_message_that_only_names_a_document_asks_nothing_itself(text, title, asked):
    assert QUESTIONS.without_names(text, title) == asked
