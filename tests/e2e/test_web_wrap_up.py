"""A proposal to close and the closing itself, on a phone and with the keyboard alone."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser_session import see_the_closing, talk_through_all_parts, tell_of_a_danger_in_the_next
from tests.support.web_page import CONVERSATION, REPLY_WITHIN_MS, change, replies, say, talk

pytestmark = pytest.mark.browser

WIDTH = 360
LIST = re.compile(r"/api/conversations$")
YES_TO_THE_END = "네, 여기서 마칠게요"
NO = "아니요, 더 이야기할래요"
WISH_TO_END = "오늘은 그만하고 싶어요."

BEGINNING_IN_SIGHT = """() => {
  const top = (selector) => document.querySelector(selector).getBoundingClientRect().top;
  return top("#messages li:last-child .bubble") >= top("#scroll");
}"""


def proposal(page: Page, heading: str) -> Locator:
    """The card that asks `heading`, with its two answers inside the screen."""
    card = page.get_by_role("region", name=heading)
    expect(card).to_be_visible()
    expect(card.get_by_role("button")).to_have_count(2)
    for button in card.get_by_role("button").all():
        expect(button).to_be_in_viewport(ratio=1)
    return card


def closing(body: dict[str, Any]) -> None:
    """Set the state of a conversation whose closing proposes to wrap up."""
    for view in body.get("conversations", [body]):
        view["status"] = view["state_snapshot"]["status"] = "wrapping_up"
        view["state_snapshot"]["wrap_up"] = {"stage": "proposed", "aim": "wrap_up"}


def test_the_buttons_answer_a_proposal_and_the_page_shows_the_closing_state(page: Page) -> None:
    page.set_viewport_size({"width": WIDTH, "height": 740})
    talk(page)
    say(page, WISH_TO_END)
    card = proposal(page, "오늘 상담을 마칠까요?")
    expect(card.get_by_role("button", name=YES_TO_THE_END, exact=True)).to_be_enabled()
    page.wait_for_function(BEGINNING_IN_SIGHT)
    expect(page.locator("#latest")).to_be_hidden()
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(card.get_by_role("button", name=NO, exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(replies(page)).to_have_count(3, timeout=REPLY_WITHIN_MS)
    expect(page.locator("#messages .user .bubble").last).to_have_text(NO)
    expect(card).to_be_hidden()
    expect(page.locator("#text")).to_be_focused()
    expect(page.locator("#task")).not_to_contain_text("마무리하는 중")

    for address in (LIST, CONVERSATION):
        change(page, address, closing)
    page.reload()
    expect(page.locator("#task")).to_have_text(re.compile("^마무리하는 중( · 지금: .+)?$"))
    expect(proposal(page, "이쯤에서 마무리해 볼까요?").get_by_role("button").first).to_have_text("네, 마무리할게요")
    page.get_by_role("button", name="대화 목록").click()
    expect(page.locator("#conversations a")).to_contain_text("마무리 중")
    page.keyboard.press("Escape")
    page.unroute_all()

    say(page, WISH_TO_END)
    proposal(page, "오늘 상담을 마칠까요?")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name=YES_TO_THE_END, exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="오늘 상담을 마쳤어요")).to_be_focused(timeout=REPLY_WITHIN_MS)
    expect(page.locator("#task")).to_have_text("상담을 마쳤어요")
    expect(page.locator("#wrap-up")).to_be_hidden()


@pytest.mark.long
def test_a_session_goes_through_all_parts_to_its_closing_and_a_danger_in_the_next_shows_the_numbers(page: Page) -> None:
    talk(page)
    assert talk_through_all_parts(page) == [1, 2, 3]
    see_the_closing(page)
    expect(page.locator("#parts .passed")).to_have_count(3)
    expect(page.locator("#bar")).to_have_js_property("value", 1)
    tell_of_a_danger_in_the_next(page)
