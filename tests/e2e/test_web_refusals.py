"""A refused message: help lines with numbers that can be dialled, and consents that are asked for again."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.web_page import CONSENTS, LINES, change, consent, refuse, replies, send, talk

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 720}


def overflow(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def refused(page: Page, text: str = "이제 정말 죽고 싶어요.") -> Locator:
    """Send a text; returns the note below the message."""
    send(page, text)
    return page.locator("#messages .user .failure")


@pytest.mark.parametrize(("status", "code"), [(403, "consent_required"), (409, "session_ended"), (429, "budget_spent")])
def test_a_refusal_with_help_lines_shows_them(page: Page, excused: list[str], status: int, code: str) -> None:
    excused.append(f"status of {status}")
    page.set_viewport_size(PHONE)
    talk(page)
    refuse(page, status, code, resources=LINES)
    alert = refused(page).get_by_role("alert")
    expect(alert).to_contain_text("지금 바로 사람에게 연락해 주세요")
    for number in ("109", "15770199"):
        expect(alert.locator(f'a[href="tel:{number}"]')).to_be_visible()
    assert overflow(page) == 0


def test_a_refusal_of_a_harmless_message_shows_no_help_lines(page: Page, excused: list[str]) -> None:
    excused.append("status of 429")
    talk(page)
    refuse(page, 429, "daily_limit", retry_after=39231)
    failure = refused(page, "오늘은 날씨가 좋네요.")
    expect(failure).to_contain_text("자정이 지나면 다시 이야기해요")
    expect(failure).not_to_contain_text("39231")
    expect(failure.locator(".contacts")).to_have_count(0)


def nothing_is_due(body: dict) -> None:
    """No consent is due for the user; the refusal of the conversation asks for them all the same."""
    for one in body["consents"]:
        one["due"] = False


def test_a_withdrawn_consent_is_asked_for_again_and_the_conversation_goes_on(page: Page, excused: list[str]) -> None:
    excused.append(r"status of 403")
    page.set_viewport_size(PHONE)
    page.goto("/#/begin")
    whole = page.locator("#whole-overseas_transfer details")
    whole.locator("summary").click()
    expect(whole).to_contain_text("Google LLC")
    consent(page)
    expect(replies(page)).to_have_count(1)

    page.locator("#open-settings").click()
    page.locator("#withdraw").click()
    page.locator("#confirm-yes").click()
    expect(page.locator("#settings-note")).to_contain_text("철회하셨어요")
    page.locator("#settings [data-close]").click()
    change(page, "**/api/me/consents", nothing_is_due)
    send(page, "요즘 잠이 안 와요.")
    page.get_by_role("button", name="동의 내용 보기").click()

    asked = page.locator("#consent")
    assert overflow(page) == 0
    expect(page.locator("#consent-yes")).to_be_disabled()
    for name in CONSENTS:
        asked.locator(f'input[name="{name}"]').check()
    page.locator("#consent-yes").click()
    expect(asked).to_be_hidden()
    expect(replies(page)).to_have_count(2, timeout=30_000)
    expect(page.locator("#messages .user .bubble")).to_have_text(["요즘 잠이 안 와요."])
