"""The safety plan: written in the talk, kept on a yes, read and changed on its card, and at hand in the next crisis."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.web_page import FAULTS, phone, say, talk

pytestmark = pytest.mark.browser
DEVICE = phone
CARD = "나의 안전 계획"


def card(page: Page) -> Locator:
    """The card, once what is kept is in it."""
    opened = page.get_by_role("dialog", name=CARD)
    expect(opened.get_by_role("button", name="저장하기")).to_be_enabled()
    return opened


def from_the_history(page: Page) -> Locator:
    page.locator("#open-list").click()
    page.locator("#drawer").get_by_role("button", name=CARD).click()
    return card(page)


def closed(opened: Locator) -> None:
    opened.get_by_role("button", name="닫기").click()
    expect(opened).to_be_hidden()


def test_a_plan_is_told_kept_changed_on_its_card_and_opened_in_the_next_crisis(page: Page) -> None:
    talk(page)
    say(page, "안전 계획 만들고 싶어요")
    say(page, "가슴이 답답해져요")
    page.get_by_role("button", name="건너뛰기").click()
    expect(page.locator("#skip-ask")).to_be_visible()
    for text in ("동네 도서관", "민지", "없어요"):
        say(page, text)
    assert "이대로 저장해 둘까요?" in say(page, "없어요")
    assert "저장해 두었어요" in say(page, "네")

    opened = from_the_history(page)
    expect(opened.get_by_label("도움을 청할 사람")).to_have_value("민지")
    expect(opened.get_by_role("link", name="109")).to_be_visible()
    assert page.evaluate(FAULTS, "#plan") == []
    opened.get_by_label("혼자 해 볼 수 있는 것").fill("산책하기")
    opened.get_by_role("button", name="저장하기").click()
    expect(opened.get_by_text("저장했어요.")).to_be_visible()
    closed(opened)

    reply = say(page, "죽고 싶어요")
    assert reply.index("산책하기") < reply.index("민지") < reply.index("109")
    page.locator("#strip").get_by_role("button").click()
    opened = card(page)
    expect(opened.get_by_label("혼자 해 볼 수 있는 것")).to_have_value("산책하기")
    opened.get_by_role("button", name="안전 계획 지우기").click()
    page.get_by_role("dialog", name="안전 계획을 지울까요?").get_by_role("button", name="지울게요").click()
    expect(opened.get_by_text("안전 계획을 지웠어요.")).to_be_visible()
    expect(opened.get_by_label("도움을 청할 사람")).to_have_value("")


def test_words_of_danger_are_not_kept_and_help_is_shown_in_their_place(page: Page) -> None:
    talk(page)
    opened = from_the_history(page)
    opened.get_by_label("힘들어질 때의 신호").fill("죽고 싶다는 생각이 들어요")
    opened.get_by_role("button", name="저장하기").click()
    expect(opened.get_by_role("alert").get_by_role("link", name="109")).to_be_visible()
    expect(opened.get_by_text("이 부분은 저장하지 않았어요")).to_be_visible()
