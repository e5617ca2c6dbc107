"""How much of a phone is left for the talk, and what the page says around it."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.web_page import CONVERSATION, LINES, answer_with, change, phone, posts, say, talk

pytestmark = pytest.mark.browser
DEVICE = phone
LIST = re.compile(r"/api/conversations$")
MOST_OF_HEAD = 112
PART_2 = {"part": 2, "progress": 0.5}


def head(page: Page) -> float:
    box = page.locator("#scroll").bounding_box()
    assert box is not None
    return box["y"]


def test_the_head_is_one_slim_bar_and_a_line_once_somebody_talks(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    talk(page)
    expect(page.locator("#parts .part").nth(2)).to_be_visible()
    before = head(page)
    task = {"id": "t", "title": "이름과 찾아온 이유 나누기"}
    answer_with(page, "그러셨군요.", **PART_2, task=task)
    say(page, "안녕하세요.")
    assert head(page) <= MOST_OF_HEAD < before
    expect(page.locator("#parts [aria-current]")).to_contain_text("깊이 나누기")
    expect(page.locator("#task")).to_have_text("지금: 이름과 찾아온 이유 나누기")
    answer_with(page, "네.", task=task, plan_status="planning")
    say(page, "네.")
    expect(page.locator("#task")).to_have_text("나눌 이야기를 준비하고 있어요")


def test_a_minute_is_told_once(page: Page) -> None:
    page.clock.set_fixed_time("2026-11-27T10:00:00+09:00")
    talk(page)
    answer_with(page, "하나")
    say(page, "안녕하세요.")
    page.clock.set_fixed_time("2026-11-27T10:01:00+09:00")
    answer_with(page, "둘")
    say(page, "잠이 안 와요.")
    seen = page.locator("#messages .message").filter(has=page.locator("time:visible"))
    expect(seen.locator(".bubble")).to_have_text(["하나", "둘"])


def test_a_starter_is_put_into_the_text_box_and_not_sent(page: Page) -> None:
    talk(page)
    sent, starters = posts(page), page.get_by_role("region", name="이렇게 시작해도 좋아요").get_by_role("button")
    expect(starters).to_have_count(4)
    starters.first.tap()
    expect(page.locator("#text")).to_have_value("요즘 잠을 잘 못 자요")
    starters.nth(1).tap()
    expect(page.locator("#text")).to_have_value("별일 아닌데도 자꾸 불안해요")
    page.locator("#text").fill("그게요")
    starters.first.tap()
    expect(page.locator("#text")).to_have_value("그게요\n요즘 잠을 잘 못 자요")
    assert sent == []
    answer_with(page, "그러셨군요.")
    say(page, "안녕하세요.")
    expect(starters).to_have_count(0)


def ended(body: dict[str, Any], **state: Any) -> None:
    body["status"] = body["state_snapshot"]["status"] = "completed"
    body["state_snapshot"] |= state


def test_an_early_end_shows_the_part_that_was_reached(page: Page) -> None:
    talk(page)
    change(page, CONVERSATION, lambda body: ended(body, **PART_2))
    page.reload()
    expect(page.locator("#task")).to_have_text("상담을 마쳤어요")
    expect(page.locator("#parts .state")).to_have_text(["(지나옴)", "(여기까지)", ""])
    expect(page.locator("#bar")).to_have_js_property("value", 0.5)


def test_after_a_crisis_words_are_asked_for_without_points(page: Page) -> None:
    talk(page)
    say(page, "저는 지우예요.")
    page.locator("#end").tap()
    change(page, CONVERSATION, lambda body: ended(body, risk={"level": "crisis", "resources": LINES}))
    page.locator("#confirm-yes").tap()
    page.reload()
    expect(page.locator("#closed-text")).to_contain_text("혼자 견디지 않으셔도 돼요")
    expect(page.locator("#stars")).to_be_hidden()
    expect(page.locator("#rate")).to_be_disabled()
    page.get_by_role("textbox", name=re.compile("남기지 않으셔도")).fill("들어 줘서 고마웠어요.")
    with page.expect_request(re.compile("/satisfaction$")) as rated:
        page.locator("#rate").tap()
    assert rated.value.post_data_json == {"comment": "들어 줘서 고마웠어요."}
    expect(page.locator("#thanks")).to_have_text("남겨 주셔서 고마워요.")


def test_the_list_shows_a_title_or_the_date(page: Page) -> None:
    def titled(body: dict[str, Any]) -> None:
        first = body["conversations"][0]
        body["conversations"] = [first | {"conversation_id": "x", "title": "발표가 걱정돼요"}, first]

    talk(page)
    change(page, LIST, titled)
    page.reload()
    page.locator("#open-list").tap()
    expect(page.locator("#conversations b")).to_have_text(["발표가 걱정돼요", re.compile(r"^\d+월 \d+일의 이야기$")])
