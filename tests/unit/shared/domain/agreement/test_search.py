import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.agreement.parsing import parse
from shared.domain.agreement.search import Fusion, Index
from shared.domain.agreement.vocabulary import Vocabulary
from shared.locale import Locale

DOCUMENT = parse(
    """목차
제1조(목적) ..... 1
제2조(해지) ..... 2
제1조(목적) 이 계약은 용역에 관한 사항을 정한다.
제2조(계약의 해지) 당사자는 상대방이 위반하면 해지할 수 있다.
제3조(비밀유지) 당사자는 비밀을 누설하지 않는다.
제4조(대금) 도급인은 대금을 지급한다. 늦으면 이자를 더한다.
제5조(손해배상) 손해를 배상한다.""",
    id="upload-1",
    version="1",
    title="용역 계약서",
    locale=Locale.KO,
)
VOCABULARY = Vocabulary(words={"돈": ("대금", "요금"), "깨": ("해지",), "때리": ("폭행",), "누가 봐": ("비밀",)})


def found(queries, limit=3, near=()):
    hits = Index(DOCUMENT, VOCABULARY).search(queries, limit, near, Fusion(weight=0.3, close=0.9))
    return [hit.passage.id for hit in hits]


@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("해지 조건이 뭐야?", "article-2"),
        ("계약해지는 어떻게 하나요", "article-2"),
        ("비밀을 지켜야 하나요", "article-3"),
        ("돈 안 주면요?", "article-4"),
        ("이거 누가 봐요?", "article-3"),
        ("손해를 입으면 배상해요?", "article-5"),
    ],
)
def test_a_question_finds_its_article_by_particle_compound_title_and_everyday_word(query, passage):
    assert found([query])[0] == passage


def test_a_table_of_contents_is_never_found_and_words_that_only_ask_find_nothing():
    assert "contents-1" in [passage.id for passage in DOCUMENT.passages]
    assert "contents-1" not in found(["목차 목적 해지"], limit=99)
    assert found(["그럼 어떻게 되나요?"]) == found([]) == found([""]) == []


def test_several_wordings_are_fused_and_embeddings_lift_what_words_miss():
    assert set(found(["해지", "비밀"], limit=2)) == {"article-2", "article-3"}
    assert found(["물어내야 하나요"], near=[{"article-2": 0.1, "article-5": 0.9, "gone": 1.0}])[0] == "article-5"
    assert found(["해지"], near=[{}]) == found(["해지"])


def test_the_words_first_passage_stays_first_unless_one_that_fits_nearly_as_well_is_nearest_by_embeddings():
    first, second = found(["비밀 해지"], limit=2)
    index = Index(DOCUMENT, VOCABULARY)
    near = [{first: 0.5, second: 0.9}]
    for close, best in ((1, first), (0.1, second)):
        hits = index.search(["비밀 해지"], 2, near, Fusion(weight=0.3, close=close))
        assert hits[0].passage.id == best


@given(st.lists(st.text(max_size=60), max_size=3), st.integers(0, 6))
def test_any_query_gives_at_most_the_limit_once_each_the_best_first(queries, limit):
    hits = Index(DOCUMENT, VOCABULARY).search(queries, limit)
    assert len(hits) == len({hit.passage.id for hit in hits}) <= limit
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_an_empty_document_has_no_hits():
    empty = parse("", id="upload-1", version="1", title="", locale=Locale.KO)
    assert Index(empty).search(["해지"]) == ()


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("사장이 때렸어요", (("폭행",),)),
        ("때려요", (("폭행",),)),
        ("돈을 줘요", (("대금", "요금"),)),
        ("돈까스 먹어요", ()),
        ("두때리면", ()),
    ],
)
def test_an_everyday_word_is_known_inflected_but_not_inside_another_word(text, legal):
    assert VOCABULARY.legal_words(text) == legal
