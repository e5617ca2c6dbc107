"""A message that tells of a danger and is refused: the page says who can help, with numbers that can be dialled."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

CHAT = re.compile(r"/api/conversations/[^/]+/chat$")
SAID = "이제 정말 죽고 싶어요."
RESOURCES = [
    {"name": "자살예방상담전화", "number": "109", "hours": "24시간"},
    {"name": "정신건강위기상담전화", "number": "1577-0199", "hours": "24시간"},
]


def begin(page: Page) -> None:
    page.goto("/")
    page.locator("#welcome").wait_for()
    page.locator('input[name="age_band"][value="adult"]').check(force=True)
    for name in ("terms", "sensitive_data", "overseas_transfer"):
        page.locator(f'input[name="{name}"]').check()
    page.locator("#start").click()
    expect(page.locator("#messages .counselor")).to_have_count(1)


def refused(page: Page) -> Locator:
    """Say it; returns what stands under the message."""
    page.locator("#text").fill(SAID)
    page.locator("#text").press("Enter")
    return page.locator("#messages .user .failure")


def require_help(page: Page, failure: Locator) -> None:
    alert = failure.get_by_role("alert")
    expect(alert).to_contain_text("지금 바로 사람에게 연락해 주세요")
    for number in ("109", "15770199"):
        expect(alert.locator(f'a[href="tel:{number}"]')).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (403, "consent_required"),
        (409, "session_ended"),
        (413, "text_too_long"),
        (429, "too_many_requests"),
        (429, "budget_spent"),
    ],
)
def test_every_refusal_shows_who_can_help(page: Page, excused: list[str], status: int, code: str) -> None:
    excused.append(f"status of {status}")
    page.set_viewport_size({"width": 360, "height": 720})
    begin(page)
    problem = {"type": "about:blank", "status": status, "code": code, "detail": "…", "resources": RESOURCES}
    page.route(
        CHAT,
        lambda route: route.fulfill(status=status, content_type="application/problem+json", body=json.dumps(problem)),
        times=1,
    )
    require_help(page, refused(page))


def test_a_session_that_was_ended_elsewhere_answers_with_help(page: Page, excused: list[str]) -> None:
    excused.append("status of 409")
    begin(page)
    page.evaluate(
        """async () => {
          const uid = JSON.parse(localStorage.getItem("cbot.uid"));
          const signed = await fetch("/local/sign-in", {
            method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ uid }),
          });
          const { id_token: token } = await signed.json();
          await fetch(`/api/conversations/${location.hash.slice(2)}/end`, {
            method: "POST", headers: { Authorization: `Bearer ${token}` },
          });
        }"""
    )
    failure = refused(page)
    require_help(page, failure)
    expect(failure.locator('a[href="tel:109"]')).to_be_in_viewport()


def test_a_harmless_message_that_is_refused_is_no_alarm(page: Page, excused: list[str]) -> None:
    excused.append("status of 429")
    begin(page)
    problem = {"type": "about:blank", "status": 429, "code": "daily_limit", "detail": "…", "retry_after": 39231}
    page.route(
        CHAT,
        lambda route: route.fulfill(status=429, content_type="application/problem+json", body=json.dumps(problem)),
        times=1,
    )
    page.locator("#text").fill("오늘은 날씨가 좋네요.")
    page.locator("#text").press("Enter")
    failure = page.locator("#messages .user .failure")
    expect(failure).to_contain_text("자정이 지나면 다시 이야기해요")
    expect(failure).not_to_contain_text("39231")
    expect(failure.locator(".contacts")).to_have_count(0)
