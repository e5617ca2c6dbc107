"""Every screen by axe-core, on a phone of 320 pixels and with larger text; the first talk by the keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.axe import COLOURS, SCHEMES, WORDS, cut, violations
from tests.support.screens import Walk
from tests.support.web_page import CONSENTS, REPLY_WITHIN_MS, replies

pytestmark = pytest.mark.browser
SEEN = {
    *("stories", "story", "welcome", "consents", "start", "measure-intro", "measure", "chat", "not-sent"),
    *("booking-card", "wrap-up"),
    *("list", "documents", "passage", "bookings", "safety-plan", "settings", "help", "confirm", "closing", "rating"),
    *("crisis", "confirm-in-danger", "closing-after-crisis", "review", "review-session", "offline"),
}


@pytest.mark.parametrize("language", ["ko-KR", pytest.param("en-US", marks=pytest.mark.long)])
def test_no_screen_has_a_fault_by_axe_in_both_themes_or_is_cut_in_small_and_large(
    page: Page, language: str, excused: list[str]
) -> None:
    excused += [r"status of 429", r"ERR_INTERNET_DISCONNECTED"]
    page.set_viewport_size({"width": 390, "height": 844})
    found: dict[str, list[str]] = {}
    for screen in Walk(page, language[:2]).every_screen():
        found[screen] = violations(page, WORDS) + cut(page)
        for scheme in SCHEMES if language == "ko-KR" else ():
            page.emulate_media(color_scheme=scheme)
            found[screen] += violations(page, COLOURS)
    assert found.keys() == SEEN
    assert {screen: faults for screen, faults in found.items() if faults} == {}


def test_a_first_talk_needs_no_pointer(page: Page) -> None:
    page.goto("/")
    page.locator("#stories-list a").first.wait_for()

    def tab_to(target: str) -> None:
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("target => document.activeElement.matches(target)", target):
                return
        pytest.fail(f"{target} is not reached by Tab")

    tab_to("#skip")
    page.keyboard.press("Enter")
    tab_to("#no-story")
    page.keyboard.press("Enter")
    expect(page.locator("#welcome-heading")).to_be_focused()
    page.locator(f"#whole-{CONSENTS[-1]} summary").wait_for()
    tab_to("[name=age_band]")
    page.keyboard.press("ArrowUp")
    expect(page.locator("[name=age_band][value=adult]")).to_be_checked()
    for name in CONSENTS:
        tab_to(f"[name={name}]")
        page.keyboard.press("Space")
    tab_to("#start")
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    for _ in range(12):
        if page.evaluate("document.activeElement.matches('#starters button')"):
            break
        page.keyboard.press("Shift+Tab")
    starter = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_be_focused()
    expect(page.locator("#text")).to_have_value(starter)
    expect(page.locator("#messages .user")).to_have_count(0)
    tab_to("#send")
    page.keyboard.press("Enter")
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
    expect(page.locator("#starters")).to_be_hidden()
