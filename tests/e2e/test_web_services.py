"""The services on the page: which one begins, who answers now, and the sources of an answer."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.web_page import (
    PHONES,
    answer_with,
    begin_without_a_story,
    change,
    consent,
    faults,
    phone,
    replies,
    resize,
    say,
    talk,
)

pytestmark = pytest.mark.browser
DEVICE = phone
LIST = re.compile(r"/api/conversations$")
MESSAGES = re.compile(r"/api/conversations/[^/]+/messages")
FROM_THE_AGREEMENT = "동의서에 적힌 내용을 찾아 답하고 있어요"
TASK = {"id": "t", "title": "찾아온 이유 나누기"}
REPLY = "검토 담당자가 읽을 수 있어요. “진단, 처방, 치료를 하지 않으며” 라고 적혀 있어요. [제6조, 제99조]"
CITED = {"document_id": "service", "passage_id": "article-6", "label": "제6조", "title": "AI 상담의 한계"}
FORGET_CITATIONS = """() => {
  for (const key of Object.keys(localStorage)) if (key.startsWith("cbot.cites")) localStorage.removeItem(key);
}"""
CITATIONS = {"type": "citations", "data": {"citations": [CITED]}}


def start_page(page: Page) -> None:
    begin_without_a_story(page)


def greeted_by(page: Page, service: str) -> list[dict[str, Any]]:
    """Let the server open a conversation that this service greets; return what the page asks of the server."""
    asked: list[dict[str, Any]] = []

    def opened(route: Route) -> None:
        if route.request.method != "POST":
            return route.continue_()
        asked.append(route.request.post_data_json)
        response = route.fetch(post_data={**asked[-1], "service": "counseling"})
        body = response.json()
        body["greeting"]["text"] = "무엇이 궁금하세요?"
        body["state_snapshot"]["service"] = service
        return route.fulfill(response=response, json=body)

    page.route(LIST, opened)
    return asked


def test_the_counselling_is_chosen_until_the_user_chooses_another_service(page: Page) -> None:
    start_page(page)
    group = page.get_by_role("group", name="무엇을 도와드릴까요?")
    expect(group.get_by_role("radio", name="마음 나누기")).to_be_checked()
    expect(page.locator("#level")).to_be_visible()
    group.get_by_role("radio", name="마음 나누기").focus()
    page.keyboard.press("ArrowDown")
    expect(group.get_by_role("radio", name="동의서·계약서 물어보기")).to_be_checked()
    expect(page.locator("#level")).to_be_hidden()
    page.keyboard.press("ArrowUp")
    asked = greeted_by(page, "counseling")
    consent(page)
    expect(page.locator("#parts")).to_be_visible()
    assert asked[0]["service"] == "counseling"


def test_a_conversation_opened_in_a_service_is_greeted_by_it_and_shows_no_parts_even_after_a_reload(page: Page) -> None:
    start_page(page)
    page.get_by_text("동의서·계약서 물어보기").tap()
    asked = greeted_by(page, "agreement")
    consent(page)
    expect(replies(page)).to_contain_text("무엇이 궁금하세요?")
    expect(page.locator("#task")).to_have_text(FROM_THE_AGREEMENT)
    for of_the_counselling in ("#parts", "#measures", "#skip-ask"):
        expect(page.locator(of_the_counselling)).to_be_hidden()
    assert asked[0]["service"] == "agreement"
    assert "counseling_level" not in asked[0]
    for size in (*PHONES, (195, 422)):
        resize(page, size)
        assert faults(page, "#chat") == [], size
    page.reload()
    expect(replies(page)).to_have_count(1)
    expect(page.locator("#parts")).to_be_hidden()


def test_a_digression_names_who_answers_and_the_line_returns_to_the_task_with_the_next_reply(page: Page) -> None:
    talk(page)
    answer_with(page, "보관 기간은 1년이에요.", service="agreement", task=TASK)
    say(page, "얼마나 보관해요?")
    expect(page.locator("#task")).to_have_text(FROM_THE_AGREEMENT)
    expect(page.locator("#parts")).to_be_visible()
    expect(page.locator("#spoken")).to_contain_text(FROM_THE_AGREEMENT)
    answer_with(page, "예약을 도와드릴게요.", service="booking", task=TASK)
    say(page, "예약할래요")
    expect(page.locator("#task")).to_have_text("예약을 돕고 있어요")
    answer_with(page, "그 이야기를 더 들려주세요.", service="counseling", task=TASK)
    say(page, "회사가 힘들어요")
    expect(page.locator("#task")).to_have_text("지금: 찾아온 이유 나누기")


def opens_its_source(page: Page) -> None:
    sources = page.get_by_role("list", name="답의 근거")
    expect(sources.get_by_role("button")).to_have_count(1)
    sources.get_by_role("button", name=re.compile("^제6조 .+")).tap()
    sheet = page.get_by_role("dialog", name=re.compile("^제6조 .+"))
    expect(sheet).to_contain_text("의료기기도 병원도")
    expect(sheet.locator("mark")).to_have_text("진단, 처방, 치료를 하지 않으며")
    assert faults(page, "#passage") == []
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()


def test_a_cited_article_opens_with_the_quoted_words_marked_and_is_found_again_in_the_history(page: Page) -> None:
    talk(page)
    answer_with(page, REPLY, [CITATIONS], service="agreement")
    say(page, "누가 봐요?")
    opens_its_source(page)
    assert faults(page, "#chat") == []

    told = {"role": "counselor", "created_at": "2026-11-27T07:00:00Z"}
    plain = {**told, "seq": 7, "text": "[웃음] 제5조는 아니고요.", "message_id": None}
    cited = {**told, "seq": 1, "text": REPLY, "message_id": None}
    change(page, MESSAGES, lambda body: body["messages"].extend([plain, cited]))
    page.reload()
    opens_its_source(page)
    page.evaluate(FORGET_CITATIONS)
    page.reload()
    opens_its_source(page)
    page.unroute_all()


def test_a_source_that_is_gone_says_so_on_its_sheet(page: Page, excused: list[str]) -> None:
    excused.append("status of 404")
    talk(page)
    gone = {**CITED, "document_id": "deleted"}
    answer_with(page, REPLY, [{"type": "citations", "data": {"citations": [gone]}}], service="agreement")
    say(page, "누가 봐요?")
    page.get_by_role("list", name="답의 근거").get_by_role("button").tap()
    expect(page.locator("#passage").get_by_role("alert")).to_contain_text("이 조항은 지금 열 수 없어요")
