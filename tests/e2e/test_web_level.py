"""The first screen asks, if the user likes, how far they would go, and opens the conversation at that level."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.web_page import begin_without_a_story, consent, phone, replies

pytestmark = pytest.mark.browser
DEVICE = phone


def opening(page: Page) -> dict:
    """Start, and return what was asked of the server."""
    with page.expect_request(lambda one: one.method == "POST" and one.url.endswith("/api/conversations")) as sent:
        consent(page)
    expect(replies(page)).to_have_count(1)
    return sent.value.post_data_json


def start_page(page: Page) -> None:
    begin_without_a_story(page)


def test_a_user_who_leaves_it_open_states_no_level(page: Page) -> None:
    start_page(page)
    expect(page.get_by_role("radio", name="이야기하면서 정할게요")).to_have_count(0)
    assert "counseling_level" not in opening(page)


def test_the_chosen_level_opens_the_conversation_and_is_not_kept_for_the_next_one(page: Page) -> None:
    start_page(page)
    page.locator("#level summary").tap()
    group = page.get_by_role("group", name="오늘은 어디까지 이야기해 보고 싶으세요?")
    expect(group).to_have_accessible_description(page.locator("#level-hint").inner_text())
    expect(group.get_by_role("radio")).to_have_count(6)
    expect(group.get_by_role("radio", name="이야기하면서 정할게요")).to_be_checked()
    group.get_by_text("왜 자꾸 그렇게 되는지 알고 싶어요").tap()
    assert opening(page)["counseling_level"] == 3
    page.goto("/#/begin")
    expect(page.locator("#level")).not_to_have_attribute("open", "")
    assert page.locator('input[name="counseling_level"]:checked').get_attribute("value") == "open"
