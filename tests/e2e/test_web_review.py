"""A reviewer finds a flagged session, reads it and marks it as seen, on a phone."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Page, expect

from tests.support.chat_client import signed_in

pytestmark = pytest.mark.browser

SAID = "요즘은 그냥 죽고 싶다는 생각만 들어요."


def flagged_conversation(server: str) -> str:
    """Send a crisis message as a new user; returns the conversation."""

    async def talk() -> str:
        async with signed_in(server) as person:
            conversation = (await person.open()).id
            assert "crisis" in (await person.say(conversation, SAID))["flags"]
            return conversation

    with ThreadPoolExecutor(1) as pool:  # Playwright's sync API has a running loop in this thread
        return pool.submit(asyncio.run, talk()).result()


def test_a_reviewer_reads_a_flagged_session_and_marks_it_as_seen(page: Page, server: str) -> None:
    conversation = flagged_conversation(server)
    page.set_viewport_size({"width": 360, "height": 720})
    page.goto("/review.html")
    card = page.locator(f'#entries li[data-id="{conversation}"]')
    expect(card.locator(".reasons")).to_contain_text("자살·자해 위기 1회")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(card).to_contain_text("성인")
    expect(page.locator("#purpose")).to_have_value("safety_review")
    page.locator("#purpose").select_option(label="민원 처리")
    page.reload()
    with page.expect_request(lambda request: f"/api/review/{conversation}?purpose=complaint" in request.url):
        card.get_by_role("button").click()

    expect(page.locator("#one-messages .flagged.user .bubble")).to_have_text(SAID)
    expect(page.locator("#one-messages .flagged.counselor .bubble")).to_contain_text("109")
    expect(page.locator("#one-heading")).to_be_focused()
    expect(page.locator("#one-shown")).to_contain_text("0–1번째")
    page.locator("#mark").click()
    expect(page.locator("#seen-note")).to_contain_text("적어 주세요")
    page.locator("#note").fill("109 안내가 나간 것을 확인했어요.")
    page.locator("#clear").check()
    page.locator("#mark").click()

    expect(page.locator("#queue")).to_be_visible()
    expect(card).to_have_count(0)
    page.locator("#show-seen").click()
    expect(card).to_contain_text("확인했어요")
    expect(card).not_to_contain_text("위기 대응 중")
    card.get_by_role("button").click()
    expect(page.locator("#one-notes")).to_contain_text("109 안내가 나간 것을 확인했어요.")
