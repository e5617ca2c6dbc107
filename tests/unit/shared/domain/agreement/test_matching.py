import pytest

from shared.content.catalogue import content
from shared.domain.agreement.matching import closest, match
from shared.domain.agreement.parsing import parse
from shared.locale import Locale

STANDARDS = content().agreements.standards
CONTRACT = parse(
    """홈페이지 개발 계약서
제1조(목적) 갑이 을에게 홈페이지 개발을 맡기는 데 필요한 사항을 정한다.
제2조(대금의 지급) 갑은 계약금액을 착수금과 잔금으로 나누어 검수 뒤에 지급한다.
제3조(납품 및 검수) 을은 완료일까지 납품하고 갑은 7일 안에 검수한다.
제4조(비밀) 당사자는 상대방의 비밀을 누설하지 않는다.
제5조(반려동물) 을은 사무실에 고양이를 데려올 수 있다.""",
    id="upload-1",
    version="1",
    title="홈페이지 개발 계약서",
    locale=Locale.KO,
)


def test_articles_are_matched_by_title_and_content_and_what_the_form_has_more_is_missing():
    compared = match(CONTRACT.passages, STANDARDS["services"])
    matched = {one.passage.title: one.standard.title if one.standard else None for one in compared.matches}
    assert matched["대금의 지급"] == "계약금액과 지급"
    assert matched["납품 및 검수"] == "납품과 검수"
    assert matched["비밀"] == "비밀유지"
    assert matched["반려동물"] is None
    assert {"하자보수", "지식재산권", "손해배상"} <= {passage.title for passage in compared.missing}


@pytest.mark.parametrize("form", STANDARDS)
def test_a_form_matches_itself_article_by_article_and_is_the_closest_one(form):
    compared = match(STANDARDS[form].passages, STANDARDS[form])
    assert all(one.standard == one.passage for one in compared.matches)
    assert compared.missing == ()
    assert closest(STANDARDS[form].passages, STANDARDS.values()) == STANDARDS[form]


def test_the_closest_form_is_of_the_contracts_sort_and_another_text_has_none():
    assert closest(CONTRACT.passages, STANDARDS.values()) == STANDARDS["services"]
    letter = parse("밥은 같이 먹어요.\n\n밤에는 조용히 해요.", id="u", version="1", title="", locale=Locale.KO)
    assert closest(letter.passages, STANDARDS.values()) is None
    assert closest((), STANDARDS.values()) is None
    assert match((), STANDARDS["services"]).missing == STANDARDS["services"].passages
