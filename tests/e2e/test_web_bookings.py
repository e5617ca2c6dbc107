"""Bookings on the page: the card of the request in work, and the user's booked sessions."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.support.web_page import (
    KEYBOARD,
    LINES,
    PHONES,
    answer_with,
    faults,
    phone,
    posts,
    replies,
    resize,
    say,
    talk,
)

pytestmark = pytest.mark.browser
DEVICE = phone
BOOKINGS = re.compile(r"/api/bookings")
CALENDAR = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"
SLOTS = {
    "date": "2026-12-02",
    "time": "15:30:00",
    "length_minutes": 50,
    "way": "phone",
    "phone_number": "01012345678",
    "note": "창가 자리가 아니어도 괜찮아요",
}
CARD: dict[str, Any] = {
    "stage": "READY",
    "kind": "book",
    "slots": SLOTS,
    "before": None,
    "missing": [],
    "slot_errors": [],
    "batch_total": 2,
    "batch_progress": 1,
    "booking_id": None,
    "zone": "Asia/Seoul",
}
BOOKED = {
    "booking_id": "b1",
    "starts_at": "2026-12-02T06:30:00Z",
    "ends_at": "2026-12-02T07:20:00Z",
    "length_minutes": 50,
    "way": "chat",
    "phone_number": None,
    "note": "조용한 시간",
    "status": "booked",
}


def booking(page: Page, text: str, **changes: Any) -> Locator:
    """Send a message that the booking answers; return the card."""
    answer_with(page, "이렇게 예약할까요?", service="booking", booking=CARD | changes)
    say(page, text)
    return page.locator("#booking")


def answered(page: Page, card: Locator, button: str) -> str:
    """Press a button of the card; return the message that it sends."""
    answer_with(page, "네.", service="booking", booking=CARD | {"stage": "INIT", "kind": None, "slots": None})
    sent, before = posts(page), replies(page).count()
    card.get_by_role("button", name=button, exact=True).tap()
    expect(replies(page)).to_have_count(before + 1)
    expect(card).to_be_hidden()
    return str(sent[0]["text"])


def test_the_card_shows_the_values_and_its_buttons_answer(page: Page) -> None:
    talk(page)
    card = booking(page, "수요일과 목요일에 예약할래요")
    expect(page.get_by_role("region", name="새 예약 · 2건 중 1번째")).to_be_visible()
    expect(card.locator("dd")).to_have_text(
        ["12월 2일 (수)", "오후 3:30", "50분", "전화", "01012345678", "창가 자리가 아니어도 괜찮아요"]
    )
    for size in (*PHONES, (195, 422), KEYBOARD):
        resize(page, size)
        assert faults(page, "#chat") == [], size
    expect(page.locator("#send")).to_be_in_viewport(ratio=1)
    resize(page, PHONES[1])
    card.get_by_role("button", name="바꾸기").tap()
    expect(page.locator("#text")).to_be_focused()
    expect(page.locator("#text")).to_have_attribute("placeholder", "예: 오후 4시로 바꿔 주세요")
    assert answered(page, card, "확정") == "네, 확정해 주세요"
    assert answered(page, booking(page, "다시요"), "취소") == "예약은 취소할게요"


def test_what_is_open_or_was_not_taken_is_shown_without_buttons(page: Page) -> None:
    talk(page)
    slots = {**SLOTS, "time": None, "note": None, "phone_number": None, "way": "chat"}
    errors = [{"slot": "time", "code": "outside_hours", "text": "그 시간에는 상담을 하지 않아요."}]
    card = booking(
        page, "밤 열한 시요", stage="FILLING", slots=slots, missing=["time"], slot_errors=errors, batch_total=1
    )
    expect(page.get_by_role("region", name="새 예약", exact=True)).to_be_visible()
    expect(card.locator(".open")).to_have_text("시간아직 정하지 않았어요")
    expect(card).to_contain_text("그 시간에는 상담을 하지 않아요.")
    expect(card.get_by_role("button")).to_have_count(0)


def test_a_cancellation_is_answered_by_words_that_cannot_be_taken_for_each_other(page: Page) -> None:
    talk(page)
    cancelling = {"kind": "cancel", "before": SLOTS, "batch_total": 1}
    assert answered(page, booking(page, "취소요", **cancelling), "예약 취소하기") == "네, 예약을 취소해 주세요"
    assert answered(page, booking(page, "취소요", **cancelling), "그대로 두기") == "아니요, 예약은 그대로 둘게요"


def test_the_card_gives_way_to_the_help_lines_in_danger(page: Page) -> None:
    talk(page)
    card = booking(page, "예약할래요")
    expect(card).to_be_visible()
    answer_with(page, "지금 안전하세요?", booking=CARD, risk={"level": "crisis", "resources": LINES})
    say(page, "사실은요")
    expect(page.locator("#strip")).to_be_visible()
    expect(card).to_be_hidden()


def test_an_executed_request_gives_its_calendar_file_until_another_service_answers(page: Page) -> None:
    talk(page)
    page.route(BOOKINGS, lambda route: route.fulfill(body=CALENDAR, content_type="text/calendar"))
    card = booking(page, "확정이요", stage="EXECUTED", booking_id="b1", batch_total=1)
    expect(page.get_by_role("region", name="예약했어요")).to_be_visible()
    with page.expect_download() as saved:
        card.get_by_role("button", name=".ics 받기").tap()
    assert Path(saved.value.path()).read_bytes() == CALENDAR.encode()
    answer_with(page, "더 들려주세요.", booking=CARD | {"stage": "EXECUTED"})
    say(page, "그런데 요즘 힘들어요")
    expect(card).to_be_hidden()


def opened(page: Page, bookings: list[dict[str, Any]]) -> Locator:
    """Open the sheet of booked sessions; a cancelled one leaves it."""

    def answer(route: Route) -> None:
        if route.request.method == "DELETE":
            bookings.clear()
            return route.fulfill(status=204)
        return route.fulfill(json={"bookings": bookings, "zone": "Asia/Seoul"})

    page.route(BOOKINGS, answer)
    page.locator("#open-list").tap()
    page.locator("#drawer").get_by_role("button", name="내 예약").tap()
    return page.get_by_role("dialog", name="내 예약")


def test_booked_sessions_are_listed_in_the_zone_of_the_service_and_cancelled_after_a_question(page: Page) -> None:
    talk(page)
    sheet = opened(page, [BOOKED])
    item = sheet.get_by_role("listitem")
    expect(item.get_by_role("heading")).to_have_text("2026년 12월 2일 수요일 오후 3:30 대한민국 시간")
    expect(item).to_contain_text("50분 · 채팅")
    expect(item).to_contain_text("메모: 조용한 시간")
    for size in (*PHONES, (195, 422)):
        resize(page, size)
        assert faults(page, "#bookings") == [], size
    item.get_by_role("button", name=re.compile("예약 취소$")).tap()
    asked = page.get_by_role("dialog", name="이 예약을 취소할까요?")
    asked.get_by_role("button", name="그대로 둘게요").tap()
    expect(item).to_have_count(1)
    item.get_by_role("button", name=re.compile("예약 취소$")).tap()
    asked.get_by_role("button", name="예약을 취소할게요").tap()
    expect(sheet.get_by_role("status")).to_have_text("예약을 취소했어요.")
    expect(item).to_have_count(0)
