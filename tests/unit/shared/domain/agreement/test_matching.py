import pytest

from shared.content.catalogue import content
from shared.domain.agreement.parsing import parse
from shared.domain.agreement.tools import closest, match
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


@pytest.mark.parametrize(
    ("said", "form"),
    [("", "adult"), ("미성년자는 보호자와, 상담자는 미성년자와", "minor"), ("부부는, 상담자는 부부의", "couple")],
)
def test_a_counselling_contract_is_compared_with_the_form_for_those_whom_it_names(said, form):
    text = f"""제1조(상담의 목적) {said} 심리적 어려움을 상담자와 함께 다룬다.
제2조(상담료) 상담료는 회기당 9만 원이며 상담 전에 낸다.
제3조(예약의 변경과 취소) 예약을 바꾸거나 취소하려면 24시간 전까지 알린다.
제4조(비밀보장과 예외) 상담자는 상담 내용을 비밀로 한다. 자신이나 타인을 해칠 위험이 있으면 알릴 수 있다.
제5조(녹음과 기록) 상담 기록은 5년 동안 보관하며 녹음은 동의를 받는다.
제6조(종결) 내담자는 언제든 상담을 그만둘 수 있다."""
    contract = parse(text, id="c", version="1", title="", locale=Locale.KO)
    assert closest(contract.passages, STANDARDS.values()).id == f"counseling_{form}"


def test_the_closest_form_is_of_the_contracts_sort_and_another_text_has_none():
    assert closest(CONTRACT.passages, STANDARDS.values()) == STANDARDS["services"]
    text = """제1조(목적) 이 계약은 갑과 을의 근로 조건을 정함을 목적으로 한다.
제2조(임금) 월급은 300만 원으로 하고 매월 25일에 지급한다.
제3조(근로시간) 근로시간은 오전 9시부터 오후 6시까지로 한다.
제4조(비밀유지) 을은 업무상 알게 된 회사의 비밀을 누설하지 아니한다.
제5조(기타) 이 계약에 정하지 않은 사항은 근로기준법에 따른다."""
    work = parse(text, id="w", version="1", title="", locale=Locale.KO)
    assert closest(work.passages, STANDARDS.values()) is None, "목적 and 비밀유지 stand in every contract"
    secrecy = """제1조(목적) 이 계약은 데이터와 자료를 제공하는 자와 받는 자의 비밀정보 보호를 정한다.
제2조(비밀정보) 비밀정보란 제공자가 이용자에게 제공하는 데이터와 자료를 말한다.
제3조(의무) 이용자는 제공받은 데이터의 비밀을 지키고 목적 밖으로 이용하지 않는다.
제4조(반환) 계약이 끝나면 이용자는 데이터와 사본을 파기하고 제공자에게 알린다.
제5조(손해배상) 비밀을 누설한 당사자는 손해를 배상한다."""
    assert closest(parse(secrecy, id="s", version="1", title="", locale=Locale.KO).passages, STANDARDS.values()) is None
    letter = parse("밥은 같이 먹어요.\n\n밤에는 조용히 해요.", id="u", version="1", title="", locale=Locale.KO)
    assert closest(letter.passages, STANDARDS.values()) is None
    assert closest((), STANDARDS.values()) is None
    assert match((), STANDARDS["services"]).missing == STANDARDS["services"].passages
