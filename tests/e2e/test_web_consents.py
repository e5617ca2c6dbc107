"""A consent that is withdrawn on the page, asked for again in the conversation, and the conversation that goes on."""

import pytest
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.browser

CONSENTS = ("terms", "sensitive_data", "overseas_transfer")
REPLY_WITHIN_MS = 30_000


def nothing_is_due(route: Route) -> None:
    """Answer as if all stood for the person: what the conversation says that it lacks is asked for all the same."""
    if route.request.method != "GET":
        route.continue_()
        return
    response = route.fetch()
    body = response.json()
    route.fulfill(response=response, json={**body, "consents": [{**one, "due": False} for one in body["consents"]]})


def test_what_was_withdrawn_is_asked_for_again_and_the_conversation_goes_on(page: Page, excused: list[str]) -> None:
    excused.append(r"status of 403")
    page.set_viewport_size({"width": 360, "height": 720})
    page.goto("/")
    whole = page.locator("#whole-overseas_transfer details")
    whole.locator("summary").click()
    expect(whole).to_contain_text("Google LLC")
    page.locator('input[name="age_band"][value="adult"]').check(force=True)
    for name in CONSENTS:
        page.locator(f'input[name="{name}"]').check()
    expect(whole).to_have_attribute("open", "")
    page.locator("#start").click()
    replies = page.locator('#messages .counselor[data-state="done"]')
    expect(replies).to_have_count(1)

    page.locator("#open-settings").click()
    page.locator("#withdraw").click()
    page.locator("#confirm-yes").click()
    expect(page.locator("#settings-note")).to_contain_text("철회하셨어요")
    page.locator("#settings [data-close]").click()
    page.route("**/api/me/consents", nothing_is_due)
    page.locator("#text").fill("요즘 잠이 안 와요.")
    page.locator("#text").press("Enter")
    page.get_by_role("button", name="동의 내용 보기").click()

    asked = page.locator("#consent")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    expect(page.locator("#consent-yes")).to_be_disabled()
    for name in CONSENTS:
        asked.locator(f'input[name="{name}"]').check()
    page.locator("#consent-yes").click()

    expect(asked).to_be_hidden()
    expect(replies).to_have_count(2, timeout=REPLY_WITHIN_MS)
    expect(page.locator("#messages .user .bubble")).to_have_text(["요즘 잠이 안 와요."])
