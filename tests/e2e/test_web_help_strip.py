"""While a risk is open, the help lines are visible and can be tapped on every phone."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.web_page import (
    CONVERSATION,
    KEYBOARD,
    LINES,
    PHONES,
    SIDEWAYS,
    TOUCH_TARGET,
    answer_with,
    calls,
    change,
    phone,
    replies,
    resize,
    say,
    talk,
)

pytestmark = pytest.mark.browser
DEVICE = phone

STRIP = "#strip a"
ROW = 60
LEAST_OF_TALK = 60
OPEN = {"level": "crisis", "resources": LINES}
COUNT_ANNOUNCEMENTS = """() => {
  window.announced = [];
  const region = document.getElementById("strip-said");
  new MutationObserver(() => window.announced.push(region.textContent))
    .observe(region, { childList: true, characterData: true, subtree: true });
}"""


def require_calls(page: Page, first: str, least: int = LEAST_OF_TALK) -> None:
    """Check that every number of the strip can be tapped, and that there is room to read and to write."""
    found = calls(page, STRIP)
    assert found
    assert found[0]["href"] == first
    for call in found:
        assert call["shown"], (page.viewport_size, call)
        assert min(call["width"], call["height"]) >= TOUCH_TARGET, call
    scroll = page.locator("#scroll").bounding_box()
    strip = page.locator("#strip").bounding_box()
    assert scroll is not None
    assert scroll["y"] + scroll["height"] <= strip["y"] + 0.5
    assert scroll["height"] >= least, page.viewport_size
    expect(page.locator("#text")).to_be_in_viewport(ratio=1)
    expect(page.locator("#send")).to_be_in_viewport(ratio=1)
    assert page.evaluate("innerWidth") == (page.viewport_size or {})["width"]


def require_nothing_over_the_talk(page: Page) -> None:
    """Check that the button to the latest message covers no message."""
    button, scroll = page.locator("#latest").bounding_box(), page.locator("#scroll").bounding_box()
    assert button is None or button["y"] >= scroll["y"] + scroll["height"] - 0.5


def test_after_a_crisis_reply_the_help_lines_can_be_called_on_every_phone(page: Page) -> None:
    talk(page)
    page.evaluate(COUNT_ANNOUNCEMENTS)
    say(page, "죽고 싶어요")
    region = page.get_by_role("region", name="지금 이야기할 수 있는 곳")
    expect(region).to_be_visible()
    expect(page.locator("#wrap-up")).to_be_hidden()
    expect(page.locator("#text")).to_be_enabled()
    for size in (*PHONES, KEYBOARD):
        resize(page, size)
        require_calls(page, "tel:109")
        require_nothing_over_the_talk(page)
        box = region.bounding_box()
        assert box["height"] <= ROW, size
    resize(page, SIDEWAYS)
    require_calls(page, "tel:109", least=0)
    resize(page, PHONES[1])
    page.locator("#scroll").evaluate("scroll => scroll.scrollTo(0, 0)")
    expect(page.locator("#latest")).to_be_visible()
    require_nothing_over_the_talk(page)

    page.locator("#text").tap()
    page.locator("#text").press_sequentially("네,")
    resize(page, KEYBOARD)
    page.locator("#text").fill("한 줄\n두 줄\n세 줄")
    require_calls(page, "tel:109")
    resize(page, PHONES[1])
    say(page, "네, 계속 그런 생각이 들어요.")
    require_calls(page, "tel:109")
    assert len(page.evaluate("window.announced")) == 1

    page.reload()
    expect(region).to_be_visible()
    require_calls(page, "tel:109")
    conversation = page.url
    page.goto("/#/new")
    expect(page.locator("#stories")).to_be_visible()
    page.goto(conversation)
    expect(region).to_be_visible()
    require_calls(page, "tel:109")


@pytest.mark.parametrize(
    ("language", "text", "first"),
    [("ko-KR", "지금 다리 위에 있어요. 뛰어내릴 거예요.", "tel:119"), ("en-US", "I want to die", "tel:988")],
    ids=["the_ambulance_in_immediate_danger", "the_lines_of_several_countries"],
)
def test_the_most_urgent_help_line_stands_first_on_every_phone(
    page: Page, language: str, text: str, first: str
) -> None:
    talk(page)
    say(page, text)
    if language == "en-US":
        expect(page.get_by_role("region", name="People you can talk to now")).to_be_visible()
    for size in (*PHONES, KEYBOARD):
        resize(page, size)
        require_calls(page, first)


def test_the_strip_keeps_its_focus_during_a_risk_and_is_hidden_after_it(page: Page) -> None:
    talk(page)
    answer_with(page, "지금 안전한 곳에 계신가요?", risk=OPEN)
    say(page, "하나")
    page.locator(STRIP).last.focus()
    answer_with(page, "곁에 누가 계신가요?", risk=OPEN)
    page.locator("#text").evaluate("box => { box.value = '둘'; box.dispatchEvent(new Event('input')); }")
    page.locator("#composer").evaluate("form => form.requestSubmit()")
    expect(replies(page)).to_have_count(3)
    expect(page.locator(STRIP).last).to_be_focused()
    answer_with(page, "말씀해 주셔서 고마워요.")
    say(page, "셋")
    expect(page.locator("#strip")).to_have_attribute("hidden", "")
    expect(page.locator("#strip-said")).to_be_empty()


def test_the_strip_stays_below_a_conversation_that_ended_in_danger(page: Page) -> None:
    talk(page)

    def ended(body: dict[str, Any]) -> None:
        body["status"] = body["state_snapshot"]["status"] = "completed"
        body["state_snapshot"]["risk"] = OPEN
        body["closing"] = {"summary": "나눈 이야기", "goals": [], "next_session": "", "made_by_rule": True}

    change(page, CONVERSATION, ended)
    page.reload()
    expect(page.locator(".gist-summary")).to_be_visible()
    assert [call["href"] for call in calls(page, STRIP) if call["shown"]] == ["tel:109", "tel:15770199"]
    page.unroute_all()


LINKS = """async text => {
  const { putText } = await import(new URL("/js/numbers.js", location.href));
  const node = document.createElement("p");
  putText(node, text);
  return [...node.querySelectorAll("a")].map(link => [link.textContent, link.getAttribute("href")]);
}"""
GROWING = """async texts => {
  const { putText } = await import(new URL("/js/numbers.js", location.href));
  const node = document.createElement("p");
  const seen = [];
  for (const text of texts) {
    putText(node, text);
    if (node.textContent !== text) throw new Error(node.textContent);
    seen.push([...node.querySelectorAll("a")]);
  }
  return { counts: seen.map(links => links.length), kept: seen.at(-1)[0] === seen.find(links => links.length)[0] };
}"""
TEXTS = [
    ("자살예방상담전화 109 (24시간), 1577-0199 24시간", ["tel:109", "tel:15770199"]),
    ("정신건강위기상담전화1577-0199로요", ["tel:15770199"]),
    ("112/119, 112 / 119, 112·119", ["tel:112", "tel:119"] * 3),
    ("Samaritans, UK and Ireland: 116 123 (24 hours)", ["tel:116123"]),
    ("Call 988, or 911. Then 1388!", ["tel:988", "tel:911", "tel:1388"]),
    ("Find A Helpline: https://findahelpline.com (by country)", ["https://findahelpline.com"]),
    ("10월 9일 1099 2026-109 109-1 1577-01990 1,109원 1.109 109.5 02) 1090 010-1577-0199", []),
    ("109명이 109호에서 112일 동안 119층, 109%와 109 days, B109, #109, 9/119, 1/109", []),
    ("https://findahelpline.com.evil.example https://example.com", []),
    ('카카오톡 "청소년상담1388", 전화는 "109"', ["tel:109"]),
]


def test_numbers_of_help_in_a_text_are_links_and_other_digits_are_not(blank: Page) -> None:
    for text, links in TEXTS:
        assert [href for _, href in blank.evaluate(LINKS, text)] == links, text


def test_a_link_in_a_growing_text_stays_the_same_element(blank: Page) -> None:
    whole = "지금 109, 그리고 1577-0199로 전화해 주세요. <b>119</b>"
    grown = blank.evaluate(GROWING, [whole[:length] for length in range(1, len(whole) + 1)])
    assert grown["kept"]
    assert grown["counts"][-1] == 3


def test_ending_in_danger_shows_the_help_lines_first_and_defaults_to_staying(page: Page) -> None:
    talk(page)
    answer_with(page, "지금 안전한 곳에 계신가요?", risk=OPEN)
    say(page, "하나")
    dialog = page.get_by_role("dialog", name="오늘 상담을 마칠까요?")
    stay, leave = (dialog.get_by_role("button", name=name, exact=True) for name in ("더 이야기할래요", "마칠게요"))
    for size in PHONES:
        resize(page, size)
        page.locator("#end").tap()
        found = calls(page, "#confirm a")
        assert [call["href"] for call in found] == ["tel:109", "tel:15770199"]
        for call in found:
            assert call["shown"], size
            assert min(call["width"], call["height"]) >= TOUCH_TARGET
        expect(stay).to_have_class(re.compile("primary"))
        expect(leave).not_to_have_class(re.compile("primary"))
        expect(stay).to_be_focused()
        for button in (stay, leave):
            expect(button).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
    page.locator("#end").tap()
    stay.tap()
    expect(page.locator("#closed")).to_be_hidden()

    answer_with(page, "말씀해 주셔서 고마워요.", wrap_up={"stage": "proposed", "aim": "end"})
    say(page, "둘")
    for answer in page.locator("#wrap-up").get_by_role("button").all():
        expect(answer).not_to_have_class(re.compile("primary"))
    page.locator("#end").tap()
    expect(stay).to_have_class(re.compile("primary"))
    expect(page.locator("#confirm a")).to_have_count(0)
    leave.tap()
    expect(page.locator("#closed")).to_be_visible()
