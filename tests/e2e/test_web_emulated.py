"""The page against functions in processes of their own: it is served at one address and calls another."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.emulated import Emulated

pytestmark = [pytest.mark.browser, pytest.mark.emulator]

REPLY_WITHIN_MS = 30_000


@pytest.fixture(scope="module")
def server(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The pages' address."""
    with Emulated(tmp_path_factory.mktemp("emulated")) as running:
        yield running.address


def test_a_conversation_across_origins_streams_its_reply_and_is_kept_over_a_reload(page: Page, server: str) -> None:
    called: list[str] = []
    page.on("request", lambda request: called.append(request.url))
    page.goto("/")
    page.locator("#welcome").wait_for()
    page.locator('input[name="age_band"][value="adult"]').check(force=True)
    for name in ("terms", "sensitive_data", "overseas_transfer"):
        page.locator(f'input[name="{name}"]').check()
    page.locator("#start").click()
    replies = page.locator('#messages .counselor[data-state="done"]')
    expect(replies).to_have_count(1, timeout=REPLY_WITHIN_MS)
    page.locator("#text").fill("저는 민지라고 해요.")
    page.locator("#text").press("Enter")
    expect(replies).to_have_count(2, timeout=REPLY_WITHIN_MS)
    shown = page.locator("#messages .bubble").all_inner_texts()
    page.reload()
    expect(replies).to_have_count(2, timeout=REPLY_WITHIN_MS)

    assert "민지" in " ".join(shown)
    assert page.locator("#messages .bubble").all_inner_texts() == shown
    turns = [url for url in called if re.search(r"/api/conversations/[^/]+/chat$", url)]
    assert turns
    assert not [url for url in turns if url.startswith(server)], "the function has an address of its own"
