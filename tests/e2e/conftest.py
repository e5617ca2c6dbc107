"""A local server, and a real Chromium that opens its page."""

import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.support.emulators import required
from tests.support.local_server import LocalServer
from tests.support.overheard import SAID
from tests.support.web_page import begin_without_a_story, desktop

SEEN_WITHIN_MS = 20_000
CHROMIUM_ARGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--renderer-process-limit=1",
]  # fmt: skip
"""One process renders all pages: Chromium otherwise keeps a spare one ready, for a tenth of the time."""
PACE = {"CBOT_SIMULATOR_TTFT_MS": "250", "CBOT_SIMULATOR_TOKEN_MS": "8"}
"""A reply comes in visible pieces."""


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The path of Chromium; without it the tests are skipped, or fail where they are required."""
    path = os.environ.get("CBOT_CHROMIUM") or shutil.which("chromium")
    if path:
        return path
    reason = "NO CHROMIUM: none of the browser tests ran; install it or set CBOT_CHROMIUM"
    if required():
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def server(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with an empty store."""
    running = LocalServer(tmp_path_factory.mktemp("server"), CBOT_LOG_LEVEL="DEBUG", **PACE)
    with running:
        yield running.address
        assert running.stop() == 0, running.stderr[-4000:]


# Not wider than a module: while Playwright's sync API is open, its event loop runs in this thread, and async
# tests cannot.
@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    """Chromium with a new profile, which Playwright makes and throws away."""
    expect.set_options(timeout=SEEN_WITHIN_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path, args=CHROMIUM_ARGS)
        try:
            yield chromium
        finally:
            chromium.close()


def _noted(request: Request) -> None:
    """Remember what a user sends: no log may hold it."""
    if request.method == "POST" and request.post_data_buffer:
        SAID.add_body(request.post_data_buffer)


@pytest.fixture
def language() -> str:
    return "ko-KR"


@pytest.fixture
def device(request: pytest.FixtureRequest, language: str) -> dict[str, Any]:
    """The settings of the browser: a desktop, unless the module has a `DEVICE`."""
    return getattr(request.module, "DEVICE", desktop)(language)


@pytest.fixture
def context(browser: Browser, server: str, device: dict[str, Any]) -> Iterator[BrowserContext]:
    """A new user, without storage; without a service worker too, since it hides requests from `page.route`."""
    fresh = browser.new_context(**({"base_url": server, "service_workers": "block"} | device))
    fresh.set_default_timeout(SEEN_WITHIN_MS)
    fresh.on("request", _noted)
    try:
        yield fresh
    finally:
        fresh.close()


@pytest.fixture
def excused() -> list[str]:
    """Patterns of console errors that a test causes (a refusal, a connection that it cuts)."""
    return []


@pytest.fixture
def page(context: BrowserContext, excused: list[str]) -> Iterator[Page]:
    """The page; a console error or an uncaught exception fails the test unless it is excused."""
    errors: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            errors.append(message.text)

    opened = context.new_page()
    opened.on("console", heard)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    if not opened.is_closed():
        opened.unroute_all(behavior="wait")  # An answer on its way to a handler must not find the page closed.
    expected = [*excused, "Service Worker registration blocked by Playwright"]
    assert [text for text in errors if not any(re.search(pattern, text) for pattern in expected)] == []


@pytest.fixture
def blank(page: Page) -> Page:
    """The page whose scripts a test runs by themselves."""
    begin_without_a_story(page)
    return page
