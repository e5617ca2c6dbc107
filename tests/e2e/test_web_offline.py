"""Trouble on the way: a message sent twice, no connection, the page left in mid-reply; the page when it is offline."""

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.web_page import REPLY_WITHIN_MS, phone, posts, replies, say, send, talk

pytestmark = pytest.mark.browser
BROKEN_LINE = r"net::ERR_|ERR_INTERNET_DISCONNECTED|status of 404"
SAID = "요즘 잠을 잘 못 자요."
KEPT = """async () => {
  const kept = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) kept.push([name, request.url, await (await cache.match(request)).text()]);
  }
  return kept;
}"""
STORED = """async () => (await import("./js/api.js")).messages(location.hash.slice(2))"""


def DEVICE(language: str) -> dict[str, Any]:  # noqa: N802 - the fixture's name
    return phone(language) | {"service_workers": "allow"}


def kept_page(page: Page) -> None:
    """Open the page, and wait until its service worker keeps it."""
    page.goto("/")
    page.evaluate("navigator.serviceWorker.ready")
    page.wait_for_function("navigator.serviceWorker.controller !== null")


def require_one_reply(page: Page, sent: list[dict[str, Any]]) -> None:
    """Check that the message and its reply are there once, on the page and on the server, however often it was sent."""
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
    expect(page.locator("#messages .user")).to_have_count(1)
    expect(page.locator(".failure")).to_have_count(0)
    stored = page.evaluate(STORED)["messages"]
    assert [(one["role"], one["message_id"]) for one in stored if one["message_id"]] == [
        ("user", sent[0]["message_id"]),
        ("counselor", sent[0]["message_id"]),
    ]
    assert sent == [sent[0]] * len(sent)
    assert page.evaluate("Object.keys(localStorage).filter(key => key.includes('pending'))") == []


def test_a_message_that_is_sent_twice_goes_once(page: Page) -> None:
    talk(page)
    sent = posts(page)
    page.locator("#text").fill(SAID)
    page.locator("#composer").evaluate("form => { form.requestSubmit(); form.requestSubmit(); }")
    require_one_reply(page, sent)
    assert len(sent) == 1


@pytest.mark.parametrize("moment", ["before_it_is_sent", "in_mid_reply"])
def test_a_message_goes_on_by_itself_once_the_connection_is_back(
    page: Page, context: BrowserContext, excused: list[str], moment: str
) -> None:
    excused.append(BROKEN_LINE)
    talk(page)
    sent = posts(page)
    if moment == "before_it_is_sent":
        context.set_offline(True)
        expect(page.locator("#net")).to_contain_text("인터넷이 끊겼어요")
    send(page, SAID)
    if moment == "in_mid_reply":
        expect(page.locator("#status")).not_to_be_empty()
        context.set_offline(True)
    expect(page.locator("#messages .user .bubble")).to_have_text(SAID)
    if moment == "before_it_is_sent":
        expect(page.locator("#status")).to_contain_text("다시 잇고 있어요")
    context.set_offline(False)
    expect(page.locator("#net")).to_be_empty()
    require_one_reply(page, sent)


@pytest.mark.parametrize("way", ["loaded_anew", "closed_and_opened_again"])
def test_the_reply_is_found_again_after_the_page_was_left_in_mid_reply(
    page: Page, context: BrowserContext, excused: list[str], way: str
) -> None:
    excused.append(BROKEN_LINE)
    talk(page)
    sent, address = posts(page), page.url
    send(page, SAID)
    expect(page.locator("#status")).not_to_be_empty()
    if way == "loaded_anew":
        page.reload()
        return require_one_reply(page, sent)
    page.close()
    again = context.new_page()
    again.goto(address)
    return require_one_reply(again, sent)


def test_the_page_opens_offline_with_the_numbers_and_keeps_no_word_and_no_answer(
    page: Page, context: BrowserContext, excused: list[str]
) -> None:
    excused.append(BROKEN_LINE)
    kept_page(page)
    talk(page)
    say(page, SAID)
    manifest = context.new_cdp_session(page).send("Page.getAppManifest")
    assert (manifest["errors"], "maskable" in manifest["data"]) == ([], True)
    kept = page.evaluate(KEPT)
    assert {name for name, *_ in kept} == {"shell-unstaged"}
    assert all(not re.search("/(api|local)/", address) and SAID not in text for _, address, text in kept)

    context.set_offline(True)
    page.reload()
    expect(
        page.get_by_role("status").filter(has_text=re.compile("연결(되어 있지 않아요|할 수 없어요)"))
    ).to_be_visible()
    expect(page.locator('#meanwhile a[href="tel:109"]')).to_be_in_viewport()
    page.get_by_role("button", name="도움이 필요할 때").tap()
    expect(page.locator('#help a[href="tel:119"]')).to_be_visible()
    page.keyboard.press("Escape")
    context.set_offline(False)
    page.get_by_role("button", name="다시 시도").tap()
    expect(replies(page)).to_have_count(2)


def test_another_version_of_the_page_drops_what_the_one_before_kept(page: Page) -> None:
    kept_page(page)
    page.evaluate("caches.open('shell-before')")
    page.evaluate("navigator.serviceWorker.ready.then(worker => worker.unregister())")
    page.reload()
    page.wait_for_function("caches.keys().then(names => names.join() === 'shell-unstaged')")
