"""What a user can do in the browser, against the whole local server."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.support.web_page import (
    CHAT,
    CONSENTS,
    REPLY_WITHIN_MS,
    begin_without_a_story,
    posts,
    refuse,
    replies,
    say,
    send,
    talk,
)

pytestmark = pytest.mark.browser

BROKEN_LINE = r"net::ERR_"
UNKNOWN_TURN = r"status of 404"

RECORD_STREAMING = """() => {
  window.streamed = [];
  new MutationObserver(() => {
    const bubble = document.querySelector('#messages .counselor[data-state="streaming"] .bubble');
    if (bubble && window.streamed.at(-1) !== bubble.textContent) window.streamed.push(bubble.textContent);
  }).observe(document.getElementById("messages"), {
    subtree: true, childList: true, characterData: true, attributes: true
  });
}"""


def dialogue(page: Page) -> list[str]:
    return page.locator("#messages .bubble").all_inner_texts()


def test_a_conversation_starts_only_with_an_age_and_every_consent(page: Page) -> None:
    begin_without_a_story(page)
    start = page.locator("#start")
    expect(page.get_by_role("heading", name="저는 사람이 아니라 AI예요")).to_be_visible()
    expect(start).to_be_disabled()
    for name in CONSENTS:
        page.locator(f'input[name="{name}"]').check()
    expect(start).to_be_disabled()
    page.get_by_text("만 19세 이상").click()
    expect(start).to_be_enabled()
    for name in CONSENTS:
        box = page.locator(f'input[name="{name}"]')
        box.uncheck()
        expect(start).to_be_disabled()
        box.check()
    start.click()
    expect(replies(page)).to_have_count(1)
    expect(page.locator("#messages .bubble").first).to_contain_text("AI")


def test_a_conversation_streams_remembers_the_name_and_shows_the_part(page: Page) -> None:
    talk(page)
    current = page.locator('#parts li[aria-current="step"]')
    expect(current).to_contain_text("여는 이야기")
    page.evaluate(RECORD_STREAMING)
    texts = (
        *("안녕하세요, 저는 민지라고 해요.", "요즘 회사에서 발표를 앞두고 잠을 잘 못 자서 왔어요."),
        *("다들 잘하는데 저만 뒤처지는 것 같아서 불안해요.", "실수하면 사람들이 실망할까 봐 걱정돼요."),
    )
    answers = [say(page, text) for text in texts]
    streamed: list[str] = page.evaluate("window.streamed")
    assert len(set(streamed) - set(answers)) >= 2, "replies are shown while they stream"
    assert all(answers)
    assert any("민지" in answer for answer in answers[1:]), answers
    expect(current).to_have_count(1)
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator("#task")).not_to_be_empty()
    expect(page.locator("#spoken")).to_contain_text(answers[-1][:20])


def test_the_skip_button_declines_a_slot_and_the_slot_is_not_asked_for_again(page: Page) -> None:
    talk(page)
    skip = page.locator("#skip-ask")
    expect(skip).to_be_visible()
    expect(skip).to_have_accessible_name("건너뛰기: 이름")
    sent = posts(page)
    skip.click()
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
    assert [(body["text"], body["declines"]) for body in sent] == [("건너뛸게요.", "name")]
    assert "건너뛸게요." in dialogue(page)
    said = say(page, "요즘 회사 일로 잠을 잘 못 자서 왔어요.")
    assert not re.search("부르면|불러|불리고", said), said
    if skip.is_visible():
        expect(skip).not_to_have_accessible_name("건너뛰기: 이름")


def test_a_reload_keeps_the_history_the_draft_and_the_user(page: Page) -> None:
    talk(page)
    say(page, "제 이름은 민지예요.")
    say(page, "잠이 안 와서 힘들어요.")
    before = dialogue(page)
    uid = page.evaluate("localStorage.getItem('cbot.uid')")
    page.locator("#text").fill("쓰다 만 이야기")
    page.reload()
    expect(page.locator("#messages .bubble")).to_have_count(len(before))
    assert dialogue(page) == before
    expect(page.locator("#text")).to_have_value("쓰다 만 이야기")
    assert page.evaluate("localStorage.getItem('cbot.uid')") == uid
    say(page, "다시 왔어요.")


def test_enter_sends_a_message_unless_a_syllable_is_composed_or_the_text_is_too_long(page: Page) -> None:
    talk(page)
    sent, box = posts(page), page.locator("#text")
    box.fill("안녕하세")
    for init in ("{isComposing: true}", "{keyCode: 229}"):
        box.evaluate(
            f"box => box.dispatchEvent(new KeyboardEvent('keydown', "
            f"{{key: 'Enter', bubbles: true, cancelable: true, ...{init}}}))"
        )
    box.press("Shift+Enter")
    expect(box).to_have_value("안녕하세\n")
    box.fill("가" * 4003)
    expect(page.locator("#count")).to_have_text("3자 줄여 주세요")
    expect(page.locator("#send")).to_be_disabled()
    box.press("Enter")
    assert len(box.input_value()) == 4003
    assert sent == []
    expect(page.locator("#messages .user")).to_have_count(0)
    box.fill("안녕하세요")
    box.press("Enter")
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
    assert len(sent) == 1


def test_the_page_sends_a_lost_message_again_and_fetches_a_lost_reply(
    page: Page, context: BrowserContext, excused: list[str]
) -> None:
    excused += [BROKEN_LINE, UNKNOWN_TURN]
    talk(page)
    sent = posts(page)
    page.route(CHAT, lambda route: route.abort("connectionreset"), times=1)
    say(page, "연결이 끊겨도 괜찮을까요?")
    assert sent == [sent[0]] * 2
    expect(page.locator("#messages .message")).to_have_count(3)

    def lose(route: Route) -> None:
        route.fetch()
        route.abort("connectionreset")

    page.route(CHAT, lose, times=1)
    say(page, "답이 오다가 사라지면요?")
    assert len(sent) == 3
    expect(page.locator("#messages .message")).to_have_count(5)
    page.reload()
    expect(page.locator("#messages .message")).to_have_count(5)

    context.set_offline(True)
    send(page, "지하철이라 연결이 끊겨요.")
    expect(page.locator("#status")).to_contain_text("연결")
    context.set_offline(False)
    expect(replies(page)).to_have_count(4, timeout=REPLY_WITHIN_MS)
    expect(page.locator("#messages .user")).to_have_count(3)

    send(page, "답을 기다리다가 새로고침을 눌렀어요.")
    expect(page.locator("#messages .user")).to_have_count(4)
    page.reload()
    expect(replies(page)).to_have_count(5, timeout=REPLY_WITHIN_MS)
    expect(page.locator("#messages .user")).to_have_count(4)
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('cbot.pending'))") == []


def test_a_failed_message_is_retried_under_the_same_id(page: Page, excused: list[str]) -> None:
    excused.append(r"status of 500")
    talk(page)
    sent = posts(page)
    refuse(page, 500, "internal", detail="지금은 답할 수 없어요.")
    send(page, "이번에는 실패할 거예요.")
    expect(page.get_by_role("alert").filter(has_text="지금은 답할 수 없어요.")).to_be_visible()
    page.get_by_role("button", name="다시 보내기").click()
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
    assert sent[0] == sent[1]
    expect(page.locator("#messages .user")).to_have_count(1)


def test_the_page_retries_a_message_at_an_overloaded_or_leaving_instance(page: Page, excused: list[str]) -> None:
    excused += [r"status of 503", UNKNOWN_TURN]
    talk(page)
    sent = posts(page)
    lines = [{"name": "자살예방상담전화", "number": "109", "hours": "24시간"}]
    failed = {"code": "shutting_down", "detail": "연결을 옮기고 있어요.", "retryable": True}
    busy = {"status": 503, "code": "overloaded", "resources": lines}
    answers: list[dict[str, Any]] = [
        {"status": 503, "headers": {"Retry-After": "1"}, "json": busy},
        {"status": 200, "content_type": "text/event-stream", "body": f"event: error\ndata: {json.dumps(failed)}\n\n"},
    ]
    page.route(CHAT, lambda route: route.fulfill(**answers.pop(0)), times=len(answers))
    send(page, "사람이 많아도 들어 주나요?")
    line = page.locator('#messages .user .failure a[href="tel:109"]')
    expect(line).to_be_visible()
    expect(page.locator("#messages .message")).to_have_count(3)
    expect(line).to_have_count(0)
    assert sent == [sent[0]] * 3
    expect(page.get_by_role("alert").filter(has_text="옮기고")).to_have_count(0)


def test_the_help_lines_open_by_one_press_on_every_screen(page: Page) -> None:
    page.goto("/")
    for number in ("109", "15770199", "112", "119"):
        page.get_by_role("button", name="도움이 필요할 때").click()
        expect(page.locator(f'#help a[href="tel:{number}"]')).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#help")).to_be_hidden()
    talk(page)
    page.get_by_role("button", name="도움이 필요할 때").click()
    expect(page.locator('#help a[href="tel:109"]')).to_be_visible()


def test_ending_asks_for_confirmation_and_then_takes_one_rating(page: Page) -> None:
    talk(page)
    say(page, "오늘은 여기까지 할게요. 그냥 들어 줘서 좋았어요.")
    if page.locator("#composer").is_visible():
        page.get_by_role("button", name="상담 마치기").click()
        page.get_by_role("button", name="더 이야기할래요", exact=True).click()
        expect(page.locator("#composer")).to_be_visible()
        page.get_by_role("button", name="상담 마치기").click()
        page.get_by_role("button", name="마칠게요", exact=True).click()
    expect(page.get_by_role("heading", name="오늘 상담을 마쳤어요")).to_be_visible()
    expect(page.locator("#composer")).to_be_hidden()
    expect(page.locator("#rate")).to_be_disabled()
    page.locator("#stars label").nth(3).click()
    page.locator("#comment").fill("차분해서 좋았어요.")
    page.locator("#rate").click()
    expect(page.locator("#thanks")).to_contain_text("고마워요")
    page.reload()
    expect(page.locator("#thanks")).to_contain_text("고마워요")
    expect(page.locator("#rating")).to_be_hidden()
    page.locator("#closed-new").click()
    expect(page.locator("#stories")).to_be_visible()
    expect(page.locator("#conversations a")).to_have_count(1)


def test_a_conversation_can_be_downloaded_and_all_data_deleted(page: Page) -> None:
    talk(page)
    say(page, "이 말은 내려받고 나서 지울 거예요.")
    page.get_by_role("button", name="설정").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="이 대화 내려받기").click()
    taken = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert "이 말은 내려받고 나서 지울 거예요." in json.dumps(taken, ensure_ascii=False)
    page.get_by_role("button", name="내 정보 모두 지우기").click()
    page.get_by_role("button", name="지울게요").click()
    expect(page.locator("#stories")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage).filter(key => key !== 'cbot.uid')") == []


def test_the_page_switches_to_english_and_keeps_the_choice_after_a_reload(page: Page) -> None:
    begin_without_a_story(page)
    page.get_by_role("button", name="설정").click()
    page.locator("#settings").get_by_text("English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("How are you feeling today?")
    page.get_by_role("button", name="See who to call").click()
    for address in ("tel:988", "tel:116123", "tel:109", "https://findahelpline.com"):
        expect(page.locator(f'#help a[href="{address}"]')).to_have_count(1)


def test_the_consents_and_the_chat_can_be_used_with_the_keyboard_alone(page: Page) -> None:
    begin_without_a_story(page)
    page.locator(f"#whole-{CONSENTS[-1]} summary").wait_for()
    page.locator('input[name="age_band"]').first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    expect(page.locator("#level summary")).to_be_focused()
    for name in CONSENTS:
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        expect(page.locator(f"#whole-{name} summary")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(replies(page)).to_have_count(1)
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("hello")
    page.keyboard.press("Enter")
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
