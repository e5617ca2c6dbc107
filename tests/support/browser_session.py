"""A first session in the browser, from the greeting to its closing, then a conversation that tells of a danger."""

from playwright.sync_api import Page, expect

from shared.contracts.chat import StateSnapshot
from tests.builders.first_session import STORY
from tests.support.web_page import REPLY_WITHIN_MS, begin_without_a_story, calls, consent, replies, say

YES = {"wrap_up": "네, 마무리할게요", "end": "네, 여기서 마칠게요"}
SNAPSHOT = (
    """id => import("/js/api.js").then(({ conversation }) => conversation(id)).then(view => view.state_snapshot)"""
)
PLANNING = "준비하고 있어요"
BACKGROUND_WITHIN_MS = 90_000
"""A plan and a closing are several answers of the simulator, token by token."""


def talk_through_all_parts(page: Page) -> list[int]:
    """Say the lines of the tests' first session, and answer every proposal with the button, until it has ended.

    The last line says that all is said; it is repeated a few times.

    Returns:
        The Parts that were reached, in order.
    """
    parts, lines = list[int](), [line for line in STORY.lines if "agrees" not in line.reading.signs]
    for _ in range(2 * len(lines)):
        expect(page.locator("#task")).not_to_contain_text(PLANNING, timeout=BACKGROUND_WITHIN_MS)
        state = StateSnapshot.model_validate(page.evaluate(SNAPSHOT, page.url.rpartition("#/")[2]))
        parts += [state.part] if state.part not in parts else []
        if state.wrap_up is None or state.wrap_up.stage != "proposed":
            say(page, lines[0].client)
            lines = lines[1:] or lines
            continue
        before = replies(page).count()
        page.get_by_role("button", name=YES[state.wrap_up.aim], exact=True).click()
        if state.wrap_up.aim == "end":
            return parts
        expect(replies(page)).to_have_count(before + 1, timeout=REPLY_WITHIN_MS)
    raise AssertionError(f"no end, parts {parts}")


def end_by_the_button(page: Page) -> None:
    """Say that it is enough, and answer with the button."""
    say(page, "오늘은 그만하고 싶어요.")
    page.get_by_role("button", name=YES["end"], exact=True).click()
    see_the_closing(page)


def see_the_closing(page: Page) -> None:
    expect(page.get_by_role("heading", name="오늘 상담을 마쳤어요")).to_be_visible(timeout=REPLY_WITHIN_MS)
    expect(page.locator("#composer")).to_be_hidden()
    expect(page.locator(".gist-summary")).not_to_be_empty(timeout=BACKGROUND_WITHIN_MS)
    expect(page.locator("#gist-state")).to_have_text("", timeout=BACKGROUND_WITHIN_MS)


def tell_of_a_danger_in_the_next(page: Page) -> None:
    """The numbers of help stand below the next conversation, and stay there over a reload."""
    page.locator("#closed-new").click()
    begin_without_a_story(page)
    consent(page)
    expect(replies(page)).to_have_count(1, timeout=REPLY_WITHIN_MS)
    say(page, "죽고 싶어요.")
    for reloads in (True, False):
        expect(page.locator('#strip a[href="tel:109"]')).to_be_visible(timeout=REPLY_WITHIN_MS)
        assert all(call["shown"] for call in calls(page, "#strip a"))
        expect(page.locator("#wrap-up")).to_be_hidden()
        if reloads:
            page.reload()
