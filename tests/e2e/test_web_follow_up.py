"""After the end the closing is shown, and the next conversation refers to it."""

import re

import pytest
from playwright.sync_api import Page, expect

from shared.content.catalogue import content
from shared.locale import Locale
from tests.support.web_page import CONVERSATION, begin_without_a_story, change, consent, replies, say

pytestmark = pytest.mark.browser

STANDS_IN = content().messages(Locale.KO).text("closing_to_follow_without_words")


def stands_in(body: dict) -> None:
    """Set the closing that stands in while no model answers."""
    body["closing"] = {"summary": STANDS_IN, "goals": [], "next_session": "", "made_by_rule": True, "to_follow": True}


def test_the_closing_is_shown_after_the_end_and_the_next_greeting_refers_to_it(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 720})
    begin_without_a_story(page)
    expect(page.locator("#again")).to_be_hidden()
    consent(page)
    expect(replies(page)).to_have_count(1)
    say(page, "저는 민지라고 해요. 발표가 무서워서 잠이 안 와요. 덜 떨고 싶어요.")
    change(page, CONVERSATION, stands_in, times=2)
    page.locator("#end").click()
    page.locator("#confirm-yes").click()

    expect(page.locator(".gist-summary")).to_have_text(STANDS_IN)
    expect(page.locator(".gist-summary")).not_to_have_text(STANDS_IN, timeout=30_000)
    expect(page.locator("#gist-state")).to_have_text("")
    expect(page.locator("#gist-parts li")).to_contain_text("덜 떨고 싶어요")
    box = page.locator("#gist").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    shown = page.locator("#gist-parts").inner_text()
    page.reload()
    expect(page.locator("#gist-parts")).to_have_text(re.compile(r"덜 떨고 싶어요"))
    assert page.locator("#gist-parts").inner_text() == shown

    page.locator("#closed-new").click()
    page.locator("#no-story").click()
    expect(page.locator("#again")).to_be_visible()
    consent(page)
    greeting = page.locator("#messages .counselor .bubble").first
    expect(greeting).to_contain_text("민지 님, 다시 와 주셔서 반가워요.")
    expect(greeting).to_contain_text("전에 들려주신")
