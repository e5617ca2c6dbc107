"""How much of a phone is left for the talk, and what the page says around it."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.web_page import CONVERSATION, LINES, change, phone, say, talk

pytestmark = pytest.mark.browser
DEVICE = phone
PART_2 = {"part": 2, "progress": 0.5}


def ended(body: dict[str, Any], **state: Any) -> None:
    body["status"] = body["state_snapshot"]["status"] = "completed"
    body["state_snapshot"] |= state


def test_an_early_end_shows_the_part_that_was_reached(page: Page) -> None:
    talk(page)
    change(page, CONVERSATION, lambda body: ended(body, **PART_2))
    page.reload()
    expect(page.locator("#task")).to_have_text("상담을 마쳤어요")
    expect(page.locator("#parts .state")).to_have_text(["(지나옴)", "(여기까지)", ""])
    expect(page.locator("#bar")).to_have_js_property("value", 0.5)


def test_after_a_crisis_words_are_asked_for_without_points(page: Page) -> None:
    talk(page)
    say(page, "저는 지우예요.")
    page.locator("#end").tap()
    change(page, CONVERSATION, lambda body: ended(body, risk={"level": "crisis", "resources": LINES}))
    with page.expect_response(re.compile("/end$")):  # Left before it came, the conversation would still be open.
        page.locator("#confirm-yes").tap()
    page.reload()
    expect(page.locator("#closed-text")).to_contain_text("혼자 견디지 않으셔도 돼요")
    expect(page.locator("#stars")).to_be_hidden()
    expect(page.locator("#rate")).to_be_disabled()
    page.get_by_role("textbox", name=re.compile("남기지 않으셔도")).fill("들어 줘서 고마웠어요.")
    with page.expect_request(re.compile("/satisfaction$")) as rated:
        page.locator("#rate").tap()
    assert rated.value.post_data_json == {"comment": "들어 줘서 고마웠어요."}
    expect(page.locator("#thanks")).to_have_text("남겨 주셔서 고마워요.")
