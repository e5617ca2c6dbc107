"""A first session in the browser, from the greeting to its closing, then a conversation that tells of a danger."""

from playwright.sync_api import Page, expect

from tests.builders.first_session import BETWEEN, PART_1
from tests.support.web_page import REPLY_WITHIN_MS, calls, consent, replies, say

PLANNING = "준비하고 있어요"
BACKGROUND_WITHIN_MS = 90_000
"""A plan and a closing are several answers of the simulator, token by token."""


def talk_into_part_2(page: Page) -> None:
    for line in PART_1:
        say(page, line.text)
    expect(page.locator("#task")).not_to_contain_text(PLANNING, timeout=BACKGROUND_WITHIN_MS)
    say(page, BETWEEN.text)
    expect(page.locator('#parts [aria-current="step"]')).to_have_attribute("data-part", "2")


def end_by_the_button(page: Page) -> None:
    """Say that it is enough, answer with the button, and wait until the closing is there."""
    say(page, "오늘은 그만하고 싶어요.")
    page.get_by_role("button", name="네, 여기서 마칠게요", exact=True).click()
    expect(page.get_by_role("heading", name="오늘 상담을 마쳤어요")).to_be_visible(timeout=REPLY_WITHIN_MS)
    expect(page.locator("#composer")).to_be_hidden()
    expect(page.locator(".gist-summary")).not_to_be_empty(timeout=BACKGROUND_WITHIN_MS)
    expect(page.locator("#gist-state")).to_have_text("", timeout=BACKGROUND_WITHIN_MS)


def tell_of_a_danger_in_the_next(page: Page) -> None:
    """The numbers of help stand below the next conversation, and stay there over a reload."""
    page.locator("#closed-new").click()
    consent(page)
    expect(replies(page)).to_have_count(1, timeout=REPLY_WITHIN_MS)
    say(page, "죽고 싶어요.")
    for reloads in (True, False):
        expect(page.locator('#strip a[href="tel:109"]')).to_be_visible(timeout=REPLY_WITHIN_MS)
        assert all(call["shown"] for call in calls(page, "#strip a"))
        expect(page.locator("#wrap-up")).to_be_hidden()
        if reloads:
            page.reload()
