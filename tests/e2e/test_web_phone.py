"""The page on a phone: a refusal, the input of a message, and a layout that fits, with larger text too."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.web_page import (
    CONSENTS,
    CONVERSATION,
    PHONES,
    answer_with,
    ask_to_start,
    begin_without_a_story,
    change,
    faults,
    phone,
    refuse,
    resize,
    say,
    send,
    talk,
)

pytestmark = pytest.mark.browser
DEVICE = phone

# Width, height and the text's size: small phones; text twice as large; the whole page twice as large.
FITTING = ((*PHONES[0], 100), (*PHONES[2], 200), (*PHONES[1], 200), (195, 422, 100))
NUMBERS = ("119", "112", "109", "1388", "1577-0199")
LINES = [{"name": "전화", "number": number, "hours": "24시간"} for number in NUMBERS]
DANGER = {"level": "imminent", "resources": LINES}


def test_a_child_under_14_is_referred_to_a_guardian_and_to_help_lines(page: Page, excused: list[str]) -> None:
    excused.append(r"status of 403")
    ask_to_start(page, "under_14")
    refusal = page.get_by_role("alert").filter(has=page.get_by_role("heading"))
    expect(refusal).to_contain_text("보호자")
    expect(refusal).to_contain_text("카카오톡")
    expect(refusal).not_to_contain_text(re.compile("null|undefined"))
    for number in ("1388", "119", "112"):
        expect(refusal.locator(f'a[href="tel:{number}"]').last).to_be_visible()
    expect(page.locator("#chat")).to_be_hidden()
    for width, height, size in FITTING:
        fit(page, width, height, size)
        assert faults(page, "#welcome") == [], (width, size)


def test_on_a_phone_enter_makes_a_new_line_and_the_button_sends(page: Page) -> None:
    talk(page)
    box = page.locator("#text")
    expect(box).to_have_attribute("enterkeyhint", "enter")
    expect(page.locator("#input-hint")).not_to_contain_text("Shift")
    box.tap()
    box.press_sequentially("첫 줄")
    box.press("Enter")
    box.press_sequentially("둘째 줄")
    expect(box).to_have_value("첫 줄\n둘째 줄")
    expect(page.locator("#messages .user")).to_have_count(0)
    page.locator("#send").tap()
    expect(page.locator("#messages .user .bubble")).to_have_text("첫 줄\n둘째 줄")


def fit(page: Page, width: int, height: int, size: int) -> None:
    resize(page, (width, height))
    page.evaluate("size => document.documentElement.style.fontSize = `${size}%`", size)


def require_fit(page: Page, root: str, sizes: Sequence[tuple[int, int, int]] = FITTING) -> None:
    for width, height, size in sizes:
        fit(page, width, height, size)
        assert faults(page, f":is(body > header, #demo, {root})") == [], (width, size, root)
    fit(page, *PHONES[1], 100)


@pytest.mark.parametrize(("language", "sizes"), [("ko-KR", FITTING), ("en-US", FITTING[:2])])
def test_nothing_overlaps_or_is_cut_on_a_small_phone_or_with_text_twice_as_large(
    page: Page, sizes: Sequence[tuple[int, int, int]]
) -> None:
    begin_without_a_story(page)
    for details in page.locator("#welcome summary").all():
        details.tap()
    require_fit(page, "#welcome", sizes)
    talk(page)
    require_fit(page, "#chat", sizes)
    answer_with(page, "지금 안전한 곳에 계신가요? 119나 1577-0199로 전화해 주세요.", risk=DANGER)
    say(page, "https://example.com/" + "a" * 80)
    require_fit(page, "#chat", sizes)
    dialogs = {"#open-help": "#help", "#open-settings": "#settings", "#open-list": "#drawer", "#end": "#confirm"}
    for opener, dialog in dialogs.items():
        page.locator(opener).tap()
        expect(page.locator(dialog)).to_be_visible()
        require_fit(page, dialog, sizes)
        page.keyboard.press("Escape")
        expect(page.locator(dialog)).to_be_hidden()
    proposed = {"wrap_up": {"stage": "proposed", "aim": "wrap_up"}, "status": "wrapping_up"}
    answer_with(page, "여기서 마무리해 볼까요?", **proposed, task={"id": "t", "title": "이름과 찾아온 이유 나누기"})
    say(page, "둘")
    expect(page.locator("#wrap-up")).to_be_visible()
    require_fit(page, "#chat", sizes)

    change(page, CONVERSATION, closed)
    page.reload()
    expect(page.locator(".gist-summary")).to_be_visible()
    require_fit(page, "#chat", sizes)
    page.unroute_all()


def test_the_consents_asked_for_again_fit_a_small_phone_and_larger_text(page: Page, excused: list[str]) -> None:
    excused.append(r"status of 403")
    talk(page)
    refuse(page, 403, "consent_required", consents=[{"id": name, "version": "1"} for name in CONSENTS])
    send(page, "요즘 잠이 안 와요.")
    page.get_by_role("button", name="동의 내용 보기").tap()
    expect(page.locator("#consent")).to_be_visible()
    for details in page.locator("#consent summary").all():
        details.tap()
    require_fit(page, "#consent")
    page.keyboard.press("Escape")
    require_fit(page, "#chat")


def test_the_reviewers_page_fits_a_small_phone_and_larger_text(page: Page) -> None:
    talk(page)
    say(page, "죽고 싶어요")
    page.goto("/review.html")
    entry = page.locator("#entries li").first
    expect(entry).to_be_visible()
    require_fit(page, "#main")
    entry.get_by_role("button").tap()
    expect(page.locator("#one-heading")).to_be_visible()
    require_fit(page, "#main")


def closed(body: dict[str, Any]) -> None:
    """A conversation that was ended."""
    body["status"] = body["state_snapshot"]["status"] = "completed"
    words = {"summary": "발표를 앞둔 마음을 나누었어요.", "next_session": "다음 이야기", "made_by_rule": True}
    body["closing"] = {**words, "goals": ["발표할 때 덜 떨고 싶어요", "잠을 잘 자고 싶어요"]}
