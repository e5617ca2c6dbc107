"""Every screen of the page, one after the other: for the accessibility test and for the pictures in docs/screens."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.support.web_page import (
    CONVERSATION,
    REPLY_WITHIN_MS,
    answer_with,
    begin_without_a_story,
    change,
    consent,
    refuse,
    replies,
    say,
    send,
    talk,
)

BOOKINGS = re.compile(r"/api/bookings")
_LOCALES = Path(__file__).resolve().parents[2] / "web" / "locales"
_PART_2: dict[str, Any] = {"part": 2, "progress": 0.4}
_SAID = {
    "ko": {
        "first": "저는 지우라고 해요. 요즘 잠을 잘 못 자요.",
        "second": "다음 주에 회사에서 발표가 있는데, 실수할까 봐 자꾸 걱정돼요.",
        "plan": "네, 맞아요. 그 생각만 하면 가슴이 답답해요.",
        "planned": "그만큼 잘하고 싶은 마음이 크셨겠어요. 그 답답함이 가장 커지는 때는 언제인가요?",
        "task": "발표를 앞둔 마음 들여다보기",
        "stop": "이제 마치고 싶어요",
        "stopping": "오늘은 여기서 마무리할까요? 더 하고 싶은 이야기가 있으면 이어 가도 괜찮아요.",
        "book": "다음 주 수요일 오후 3시 반에 전화 상담을 예약하고 싶어요",
        "booking": "이렇게 예약할까요? 맞으면 확정을 눌러 주세요.",
        "lost": "조금 더 이야기하고 싶어요",
        "crisis": "요즘은 그냥 죽고 싶다는 생각만 들어요",
        "note": "조용한 시간이 좋아요",
    },
    "en": {
        "first": "I'm Jiwoo. I haven't been sleeping well.",
        "second": "I have a presentation at work next week, and I keep worrying that I will get it wrong.",
        "plan": "Yes, that's right. My chest feels tight whenever I think of it.",
        "planned": "It sounds as if a lot depends on it for you. When is that tightness at its strongest?",
        "task": "Looking at how it feels before the presentation",
        "stop": "I'd like to stop now",
        "stopping": "Shall we end here for today? If there is more on your mind, we can go on.",
        "book": "I'd like to book a phone session next Wednesday at half past three",
        "booking": "Shall I book it like this? If it is right, press Confirm.",
        "lost": "I'd like to talk a little more",
        "crisis": "These days I just want to die",
        "note": "I like quiet hours",
    },
}


class Walk:
    """A visit to every screen in one language; each step yields the screen's name while the page shows it."""

    def __init__(self, page: Page, language: str) -> None:
        self.page, self.said = page, _SAID[language]
        self.words: dict[str, Any] = json.loads((_LOCALES / f"{language}.json").read_text("utf-8"))

    def every_screen(self) -> Iterator[str]:
        for part in (self._opening, self._talk, self._cards, self._sheets, self._end, self._danger, self._review):
            yield from part()
        yield from self._offline()

    def _opening(self) -> Iterator[str]:
        self.page.goto("/")
        self.page.locator("#stories-list a").first.wait_for()
        yield "stories"
        self.page.locator("#stories-list a").first.click()
        self.page.locator("#whole-terms details").wait_for()
        yield "story"
        begin_without_a_story(self.page)
        yield "welcome"
        for details in self.page.locator("#welcome summary").all():
            details.click()
        self.page.locator(".consents").first.evaluate("node => node.scrollIntoView()")
        yield "consents"
        talk(self.page)
        yield "start"
        self.page.locator("#measures-yes").press("Enter")
        yield "measure-intro"
        self.page.locator("#measure .answers button").click()
        yield "measure"
        self.page.keyboard.press("Escape")
        self.page.locator("#measures-no").click()

    def _talk(self) -> Iterator[str]:
        say(self.page, self.said["first"])
        say(self.page, self.said["second"])
        task = {"id": "t", "title": self.said["task"]}
        answer_with(self.page, self.said["planned"], **_PART_2, task=task, plan_status="planning")
        say(self.page, self.said["plan"])
        yield "chat"
        refuse(self.page, 429, "too_many_requests", retry_after=20)
        send(self.page, self.said["lost"])
        expect(self.page.locator(".failure .choices")).to_be_visible()
        yield "not-sent"
        self.page.locator(".failure .choices button").last.click()
        self.page.locator("#text").fill("")

    def _cards(self) -> Iterator[str]:
        answer_with(self.page, self.said["booking"], **_PART_2, service="booking", booking=self._card())
        say(self.page, self.said["book"])
        expect(self.page.locator("#booking")).to_be_visible()
        yield "booking-card"
        wrap_up = {"stage": "proposed", "aim": "end"}
        answer_with(self.page, self.said["stopping"], **_PART_2, wrap_up=wrap_up)
        say(self.page, self.said["stop"])
        expect(self.page.locator("#wrap-up")).to_be_visible()
        yield "wrap-up"

    def _card(self) -> dict[str, Any]:
        slots = {"date": "2026-12-02", "time": "15:30:00", "length_minutes": 50, "way": "phone"}
        more = {"phone_number": "01012345678", "note": self.said["note"]}
        state = {"stage": "READY", "kind": "book", "before": None, "missing": [], "slot_errors": []}
        batch = {"batch_total": 1, "batch_progress": 1, "booking_id": None, "zone": "Asia/Seoul"}
        return {**state, **batch, "slots": slots | more}

    def _sheets(self) -> Iterator[str]:
        self._open_list()
        self.page.locator("#open-documents").click()
        self.page.locator("#documents-list summary").first.click()
        yield "documents"
        self.page.locator("#documents-list details button").first.click()
        expect(self.page.locator("#passage-text")).not_to_be_empty()
        yield "passage"
        self._close("passage", "documents")
        self.page.route(BOOKINGS, self._booked)
        self._open_list()
        self.page.locator("#open-bookings").click()
        expect(self.page.locator("#bookings-list li")).to_be_visible()
        yield "bookings"
        self._close("bookings", "drawer")
        self.page.unroute(BOOKINGS)
        self._open_list()
        self.page.locator("#open-plan").click()
        expect(self.page.locator("#plan-save")).to_be_enabled()
        yield "safety-plan"
        self._close("plan")
        for opener, dialog in (("open-settings", "settings"), ("open-help", "help")):
            self.page.locator(f"#{opener}").click()
            expect(self.page.locator(f"#{dialog}")).to_be_visible()
            yield dialog
            self._close(dialog)

    def _open_list(self) -> bool:
        """Open the list of conversations if the page is narrow, and return whether it is."""
        opener = self.page.locator("#open-list")
        if not opener.is_visible():
            return False
        if not self.page.locator("#drawer").is_visible():
            opener.click()
        return True

    def _close(self, *dialogs: str) -> None:
        for dialog in dialogs:
            if self.page.locator(f"#{dialog}").is_visible():
                self.page.keyboard.press("Escape")
                expect(self.page.locator(f"#{dialog}")).to_be_hidden()

    def _booked(self, route: Route) -> None:
        times = {"starts_at": "2026-12-02T06:30:00Z", "ends_at": "2026-12-02T07:20:00Z", "length_minutes": 50}
        more = {"way": "chat", "phone_number": None, "note": self.said["note"], "status": "booked"}
        route.fulfill(json={"bookings": [{"booking_id": "b1", **times, **more}], "zone": "Asia/Seoul"})

    def _end(self) -> Iterator[str]:
        self.page.locator("#end").click()
        expect(self.page.locator("#confirm")).to_be_visible()
        yield "confirm"
        change(self.page, CONVERSATION, lambda body: body["state_snapshot"].update(_PART_2))
        self.page.locator("#confirm-yes").click()
        expect(self.page.locator(".gist-summary")).to_be_visible(timeout=REPLY_WITHIN_MS)
        self.page.locator("#closed").evaluate("node => node.scrollIntoView()")
        yield "closing"
        expect(self.page.locator("#conversations small")).to_contain_text("·")
        if self._open_list():
            yield "list"
            self.page.locator("#close-list").click()
        self.page.locator("#rating").evaluate("node => node.scrollIntoView({block: 'center'})")
        yield "rating"
        self.page.unroute(CONVERSATION)

    def _danger(self) -> Iterator[str]:
        self.page.locator("#closed-new").press("Enter")  # A press of the pointer is lost while the log still scrolls.
        self.page.locator("#no-story").click()
        self.page.locator("#whole-terms details").wait_for()
        consent(self.page)
        expect(replies(self.page)).to_have_count(1, timeout=REPLY_WITHIN_MS)
        say(self.page, self.said["crisis"])
        expect(self.page.locator("#strip")).to_be_visible()
        yield "crisis"
        self.page.locator("#end").click()
        expect(self.page.locator("#confirm .contacts")).to_be_visible()
        yield "confirm-in-danger"
        self.page.locator("#confirm-yes").click()
        expect(self.page.locator("#rating-gentle")).to_be_visible()
        yield "closing-after-crisis"

    def _review(self) -> Iterator[str]:
        self.page.goto("/review.html")
        self.page.locator("#entries li").first.wait_for()
        yield "review"
        self.page.locator("#entries li button").first.click()
        expect(self.page.locator("#one-heading")).to_be_visible()
        yield "review-session"

    def _offline(self) -> Iterator[str]:
        self.page.goto("/#/begin")
        self.page.locator("#whole-terms details").wait_for()
        self.page.context.set_offline(True)
        self.page.evaluate("location.hash = '#/another'")
        expect(self.page.locator("#meanwhile")).to_be_visible()
        yield "offline"
        self.page.context.set_offline(False)

    def every_account_form(self) -> Iterator[str]:
        """Yield what the page shows of accounts where it signs in with Firebase."""
        talk(self.page)
        self.page.locator("#open-settings").click()
        expect(self.page.locator("#account-go")).to_be_visible()
        for form in ("account-link", "account-enter"):
            self.page.locator("#account").evaluate("node => node.scrollIntoView({block: 'center'})")
            yield form
            self.page.locator("#account-other-form").click()
        self.page.goto("/review.html")
        expect(self.page.locator("#staff-go")).to_be_visible()
        yield "review-enter"
