"""The page against functions in processes of their own: it is served at one address and calls another."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.emulated import Emulated
from tests.support.web_page import CHAT, REPLY_WITHIN_MS, replies, say, talk

pytestmark = [pytest.mark.browser, pytest.mark.emulator]


@pytest.fixture(scope="module")
def server(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The pages' address."""
    with Emulated(tmp_path_factory.mktemp("emulated")) as running:
        yield running.address


def test_a_conversation_across_origins_streams_its_reply_and_is_kept_over_a_reload(page: Page, server: str) -> None:
    called: list[str] = []
    page.on("request", lambda request: called.append(request.url))
    talk(page)
    say(page, "저는 민지라고 해요.")
    shown = page.locator("#messages .bubble").all_inner_texts()
    page.reload()
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
    assert "민지" in " ".join(shown)
    assert page.locator("#messages .bubble").all_inner_texts() == shown
    turns = [url for url in called if CHAT.search(url)]
    assert turns
    assert not [url for url in turns if url.startswith(server)], "the chat function has another address"
