"""Without a key: a story is chosen, played by its button to the end, left for other words, and taken up again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from local.trial_stories import client_lines, offers
from shared.locale import Locale
from tests.support.local_server import LocalServer
from tests.support.web_page import FAULTS, REPLY_WITHIN_MS, consent, phone, replies, say

pytestmark = pytest.mark.browser
DEVICE = phone
STORY = "circular_divorce"
OTHER = "오늘은 창밖에 눈이 오네요"
UNREAD = "이 체험판은 직접 쓰신 글을 읽지 못해요"


@pytest.fixture(scope="module")
def server(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server whose plans and reviews take no time, since the next line waits for them."""
    with LocalServer(tmp_path_factory.mktemp("trial")) as running:
        yield running.address


def press(page: Page, line: str) -> None:
    """Press the button, once it offers this line, and wait for the reply."""
    button, before = page.get_by_role("button", name="이어서 할 말:"), replies(page).count()
    expect(button).to_have_text(f"이어서 할 말: {line}")
    expect(button).to_have_attribute("aria-disabled", "false", timeout=REPLY_WITHIN_MS)
    button.press("Enter")
    expect(replies(page)).to_have_count(before + 1, timeout=REPLY_WITHIN_MS)
    expect(page.locator("#messages .user .bubble").last).to_have_text(line)


def test_a_story_is_played_to_its_end_by_its_button_and_other_words_are_said_to_be_unread_with_the_numbers_of_help(
    page: Page,
) -> None:
    page.goto("/")
    listed = page.locator("#stories-list").get_by_role("link")
    told = [one for one in offers() if one.locale is Locale.KO]
    expect(listed).to_have_text([re.compile(re.escape(one.title) + re.escape(one.sentence)) for one in told])
    expect(page.get_by_role("heading", name=UNREAD)).to_be_visible()
    assert page.evaluate(FAULTS, "#stories") == []
    chosen = next(one for one in told if one.id == STORY)
    listed.filter(has_text=chosen.title).press("Enter")
    page.get_by_role("heading", name=chosen.title).wait_for()
    page.locator("#whole-terms details").wait_for()
    expect(page.locator("#service")).to_be_hidden()
    consent(page)

    lines, notice = client_lines(STORY), page.get_by_role("region", name=UNREAD)
    press(page, lines[0])
    expect(page.get_by_role("button", name="이어서 할 말:")).to_be_focused()
    say(page, f"  {lines[1].replace(' ', '  ')} !!")
    press(page, lines[2])
    expect(notice).to_be_hidden()
    assert page.evaluate(FAULTS, "#chat") == []

    say(page, OTHER)
    for reloads in (True, False):
        expect(notice.get_by_role("link", name=re.compile("109"))).to_be_visible()
        expect(notice.get_by_text("실제 AI 모델과 이야기하려면")).to_be_visible()
        expect(page.get_by_role("button", name="이어서 할 말:")).to_contain_text(lines[3][:12])
        if reloads:
            page.reload()
    notice.locator("summary").click()
    expect(notice.get_by_text("GEMINI_API_KEY=… make run", exact=True)).to_be_visible()
    assert page.evaluate(FAULTS, "#chat") == []

    for line in lines[3:]:
        press(page, line)
        expect(notice).to_be_hidden()
    expect(page.get_by_role("heading", name="오늘 상담을 마쳤어요")).to_be_visible()
    expect(page.locator("#next")).to_be_hidden()
