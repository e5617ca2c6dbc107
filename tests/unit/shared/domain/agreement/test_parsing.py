import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.agreement.document import AgreementDocument, PassageKind
from shared.domain.agreement.parsing import LONGEST, parse
from shared.locale import Locale


def parsed(text: str, locale: Locale = Locale.KO) -> AgreementDocument:
    return parse(text, id="upload-1", version="1", title="계약서", locale=locale)


def outline(text: str) -> list[tuple[str, str, str]]:
    return [(passage.id, passage.title, passage.heading) for passage in parsed(text).passages]


CONTRACT = """데이터 제공 계약서

목 차
제1조(목적) ........ 1
제2조(정의) ........ 2

갑과 을은 다음과 같이 계약을 체결한다.

제1장 총칙
제1조(목적)
이 계약은 데이터 제공에 관한 사항을 정한다. 자세한 것은
제5조에 따라 정하고, 다음과 같은 사항은 갑과 을이 따로 정하는 바에 따라
제3조(대가)를 준용한다.
제2조 [정의] ① 뜻은 다음 각 호와 같다. 1. "데이터"란 자료다. 2. "제공"이란 건네는 일이다. ② 그 밖은 법령을 따른다.
제2장 대가
제3조 대가 및 지급조건
제3조의2 지연배상
을은 지연배상금을 지급한다.
제4조
(해지)
제3조 및 제5조를 위반하면 해지할 수 있다.
제5조 갑과 을은 비밀을 지켜야 한다.

부칙
제1조(시행일) 이 계약은 서명한 날부터 시행한다.

[별지 1] 대가표
월 100만원
"""


def test_korean_articles_chapters_supplement_and_exhibits_are_found():
    assert outline(CONTRACT) == [
        ("preamble-1", "전문", ""),
        ("contents-1", "목차", ""),
        ("preamble-2", "전문", ""),
        ("article-1", "목적", "제1장 총칙"),
        ("article-2", "정의", "제1장 총칙"),
        ("article-3", "대가 및 지급조건", "제2장 대가"),
        ("article-3-2", "지연배상", "제2장 대가"),
        ("article-4", "해지", "제2장 대가"),
        ("article-5", "", "제2장 대가"),
        ("addendum-1", "시행일", "부칙"),
        ("exhibit-1", "대가표", ""),
    ]


def test_paragraphs_and_items_stand_on_lines_of_their_own():
    passage = parsed(CONTRACT).passage("article-2")
    assert passage is not None
    assert passage.text.splitlines() == [
        "① 뜻은 다음 각 호와 같다.",
        '1. "데이터"란 자료다.',
        '2. "제공"이란 건네는 일이다.',
        "② 그 밖은 법령을 따른다.",
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Article 1 Fees\nThe client pays.\nArticle 2. End. Either party may end it.", ["article-1", "article-2"]),
        ("ARTICLE I DEFINITIONS\nText.\nARTICLE II FEES\nText.", ["article-1", "article-2"]),
        ("ARTICLE I TERMS\nSection 1.1 Fees. Text.\nSection 1.2 Term. Text.", ["article-1-1", "article-1-2"]),
        ("Section 1. Fees\nAs said in\nSection 2 of this contract.\nSection 2. Term", ["article-1", "article-2"]),
        (
            "1. Terms\n1.1 A term.\n2. Fees\n  1. one\n  2. two\n  3. three\n3. End",
            ["article-1", "article-2", "article-3"],
        ),
        ("Article 1 Fees\nText.\nArticle 2 Term\nText.\nEXHIBIT B\nScope", ["article-1", "article-2", "exhibit-2"]),
        ("제1조(목적) 그렇다. 제2조(정의) 이렇다.", ["article-1", "article-2"]),
        ("### 제1조 (목적)\n글\n**제2조(정의)** 글", ["article-1", "article-2"]),
        ("제1조(가)\n글\n제1조(나)\n글\n제1조(다)", ["article-1", "repeatedarticle-2-1", "repeatedarticle-3-1"]),
        ("목적\n\n첫째 문단이에요.\n제5조 같은 건 없어요.\n\n둘째", ["paragraph-1", "paragraph-2", "paragraph-3"]),
        ("첫째 줄\n둘째 줄", ["paragraph-1", "paragraph-2"]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_each_way_of_numbering_is_read(text, found):
    assert [passage.id for passage in parsed(text).passages] == found


@pytest.mark.parametrize(
    "sentence",
    [
        "제5조에 따라 정한다.",
        "제5조의 규정은 그대로 둔다.",
        "제5조제1항에 따른다.",
        "제5조 및 제6조를 적용한다.",
        "제5조(대가)에 따라 지급한다.",
        "제5조(대가) 및 제6조(해지)를 적용한다.",
        "별지 1에 따른다.",
        "별지 1 요금표에 따라",
        "별지 1 참조",
        "별지 서식에 따라 씀",
        "제2장의 규정을 따른다.",
    ],
)
def test_a_reference_at_the_beginning_of_a_line_is_no_heading(sentence):
    assert outline(f"제1조(목적)\n글이다.\n{sentence}\n제2조(정의)\n글이다.") == [
        ("article-1", "목적", ""),
        ("article-2", "정의", ""),
    ]


@pytest.mark.parametrize(
    "line", ["별지 1 요금표", "별지 제1호 요금표", "별지1. 요금표", "별표 1 개인정보에 관한 동의서"]
)
def test_an_exhibit_needs_no_brackets_so_that_its_words_are_not_cited_as_the_last_articles(line):
    text = f"제1조(목적) 목적을 정한다.\n제2조(비밀) 알리지 않는다.\n\n{line}\n기본 8만 원"
    document = parsed(text)
    assert [one.id for one in document.passages] == ["article-1", "article-2", "exhibit-1"]
    assert "8만" not in document.passage("article-2").text


def test_an_article_without_title_may_begin_with_a_sentence_that_its_line_does_not_end():
    text = "제1조 임차인은 구조를 변경하지 못하며\n양도하지 못한다.\n제2조 임대인은 인도한다.\n특약사항\n1. 도배"
    assert outline(text) == [("article-1", "", ""), ("article-2", "", ""), ("intro-1", "", "특약사항")]


def test_a_table_of_contents_without_page_numbers_is_kept_apart():
    titles = "제1조 목적\n제2조 정의\n제3조 대가"
    text = titles + "\n" + titles.replace("\n", "\n글이다.\n") + "\n글이다."
    assert [passage.id for passage in parsed(text).passages] == ["contents-1", "article-1", "article-2", "article-3"]


def test_a_long_paragraph_is_divided_after_its_sentences():
    text = "이것은 긴 글이에요. " * 600
    passages = parsed(text).passages
    assert len(passages) >= 5
    assert all(len(passage.text) <= LONGEST for passage in passages)
    assert " ".join(passage.text for passage in passages) == text.strip()


ARTICLES = (
    "제{n}조({w})|제{n}조 {w}|제{n}조의2 [{w}]|제{n}조 ① {w}|제{n}장 {w}|부칙 ({w})|[별지 {n}] {w}|제{n}조에 따라 {w}"
)
ENGLISH = "Article {n} {w}|SECTION {n}. {w}|{n}. {w}|{n}.{n} {w}|# {w}|**{w}** 글"
OTHERS = "목차 {w} ..... {n}|{w} 한다. ① {w}b ② {w}c|다음 각 호 1. {w} 2. {w}d|{w}|\t {w} 다.|"
HEADS = st.sampled_from("|".join((ARTICLES, ENGLISH, OTHERS)).split("|"))


@given(st.lists(st.tuples(HEADS, st.integers(1, 9)), max_size=40))
def test_every_line_is_kept_once_and_ids_are_unique(lines):
    words = [f"Word{index}x" for index in range(len(lines))]
    text = "\n".join(head.format(n=n, w=word) for (head, n), word in zip(lines, words, strict=True))
    passages = parsed(text).passages
    assert len({passage.id for passage in passages}) == len(passages)
    texts = "\n".join(f"{passage.title}\n{passage.text}" for passage in passages)
    headings = {passage.heading for passage in passages}
    for (head, _), word in zip(lines, words, strict=True):
        in_text = texts.count(word)
        above = any(word in heading for heading in headings)
        assert (in_text, above) in {(head.count("{w}"), False), (0, head.count("{w}") == 1)}


@settings(max_examples=300)
@given(st.text(alphabet="제1조2의장(목적)[별지 .\n①②ArticleSn#*…다에", max_size=300))
def test_no_text_is_refused_and_none_is_lost(text):
    passages = parsed(text).passages
    assert bool(passages) == bool(text.strip())
    assert all(passage.kind is not PassageKind.ARTICLE or passage.number for passage in passages)


PIECES = "제1조(|제1조 |제1장 가\n|제1조(가)\n|1. |1.1.|각 호 1. |[별지|. . . |#|①\n"


@pytest.mark.parametrize("piece", [*PIECES.split("|"), "(" * 50, "가 " * 9])
def test_hostile_text_takes_time_in_proportion_to_its_length(piece):
    def took(size: int) -> float:
        text = piece * (size // len(piece))
        begin = time.process_time()
        parsed(text)
        return time.process_time() - begin

    took(1_000)
    assert took(200_000) < 3
