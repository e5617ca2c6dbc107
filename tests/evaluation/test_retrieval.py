"""The search of agreements finds the right passage often enough, on questions that nobody tuned it on, too."""

import pytest

from shared.content.catalogue import content
from shared.domain.agreement.search import Index
from tests.evaluation.retrieval.__main__ import table
from tests.evaluation.retrieval.measure import documents, measure, questions


@pytest.mark.parametrize("name", ["service", "labor"])
@pytest.mark.parametrize("half", ["development", "held out"])
def test_the_right_passage_is_first_for_three_in_four_and_among_three_for_nine_in_ten(name, half):
    asked = [question for question in questions()[name] if question.half == half]
    document = documents()[name]
    assert all(document.passage(question.passage) for question in asked)
    index = Index(document, content().agreements.vocabulary)
    figures = measure(asked, lambda text: [hit.passage.id for hit in index.search([text], 3)])
    assert (figures.first >= 0.75, figures.third >= 0.90) == (True, True), figures


def test_two_hundred_questions_are_asked_and_the_table_compares_the_searches():
    assert all(len(questions()[name]) >= 100 for name in ("service", "labor"))
    assert {"BM25 on plain bigrams", "without the vocabulary", "shipped"} <= {
        line[10:34].strip() for line in table().splitlines()
    }


@pytest.mark.parametrize("text", ["상담 내용은 누가 봐요?", "그런데 상담 내용은 누가 볼 수 있나요?"])
def test_who_sees_the_conversation_is_answered_by_its_article(text):
    index = Index(documents()["service"], content().agreements.vocabulary)
    assert index.search([text])[0].passage.title == "상담 내용을 볼 수 있는 사람"
