"""The measures on the page: offered, skipped, answered by keyboard and on a phone, and the answer about self-harm."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.web_page import PHONES, REPLY_WITHIN_MS, SIDEWAYS, calls, faults, phone, replies, resize, say, talk

pytestmark = pytest.mark.browser

DEVICE = phone
CALM = "없음"
NEARLY_EVERY_DAY = "거의 매일"
GREETING_IN_SIGHT = """() => {
  const top = (selector) => document.querySelector(selector).getBoundingClientRect().top;
  return top("#messages .bubble") >= top("#scroll");
}"""


def offered(page: Page) -> None:
    """Wait until the offer is shown and the greeting above it is in its place: a press on a moving button is lost."""
    expect(page.get_by_role("region", name="시작하기 전에 지난 2주를 잠깐 살펴볼까요?")).to_be_visible()
    page.wait_for_function(GREETING_IN_SIGHT)


def open_offer(page: Page) -> None:
    """Press what is offered by a key: a click is lost if the page above the button grows between its two halves."""
    page.get_by_role("button", name="살펴볼게요").press("Enter")
    expect(page.locator("#measure")).to_be_visible()


def begin(page: Page) -> None:
    open_offer(page)
    page.get_by_role("button", name="시작할게요").click()


def answer_all(page: Page, answers: list[str]) -> None:
    for number, words in enumerate(answers, 1):
        expect(page.locator(".measure-item")).to_contain_text(f"{len(answers)}개 가운데 {number}번째")
        expect(page.locator(".measure-item")).to_be_focused()
        page.get_by_role("button", name=words, exact=True).click()
    page.get_by_role("button", name="결과 보기").click()


def test_skipping_takes_one_press_and_the_talk_goes_on(page: Page) -> None:
    talk(page)
    offered(page)
    assert faults(page, "#chat") == []
    page.get_by_role("button", name="건너뛸게요").click()
    expect(page.locator("#measures")).to_be_hidden()
    page.reload()
    expect(replies(page)).to_have_count(1, timeout=REPLY_WITHIN_MS)
    expect(page.locator("#measures")).to_be_hidden()
    say(page, "지우라고 불러 주세요.")


def test_a_measure_is_answered_by_keyboard_with_a_way_back_and_its_result_is_calm(page: Page) -> None:
    talk(page)
    offered(page)
    page.get_by_role("button", name="살펴볼게요").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="기분 (PHQ-9)")
    expect(dialog).to_contain_text("진단이 아니고")
    expect(dialog).to_contain_text("박승진")
    assert faults(page, "#measure") == []
    for number in (1, 2):
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(dialog.locator(".measure-item")).to_contain_text(f"{number}번째")
    dialog.get_by_role("button", name="이전으로").click()
    expect(dialog.get_by_role("button", name=CALM, exact=True)).to_have_attribute("aria-pressed", "true")
    answer_all(page, ["2,3일 이상", "7일 이상", *[CALM] * 7])
    expect(dialog.locator(".measure-item")).to_be_focused()
    expect(dialog).to_contain_text("27점 가운데 3점이에요.")
    assert faults(page, "#measure") == []
    dialog.get_by_role("button", name="다음 질문도 살펴볼게요").click()
    expect(page.get_by_role("dialog", name="불안과 걱정 (GAD-7)")).to_be_visible()
    page.get_by_role("button", name="그만할게요").click()
    expect(page.locator("#measures")).to_be_hidden()

    say(page, "지우라고 불러 주세요.")
    page.locator("#end").click()
    page.locator("#confirm-yes").click()
    expect(page.get_by_role("region", name="마치면서 지난 2주를 잠깐 살펴볼까요?")).to_be_visible(
        timeout=REPLY_WITHIN_MS
    )
    expect(page.locator("#measures-series")).to_contain_text(re.compile(r"기분 \(PHQ-9\): .+ 3점"))
    begin(page)
    answer_all(page, [CALM] * 9)
    expect(page.locator("#measure")).to_contain_text(re.compile(r"지난번\(.+\)에는 3점이었어요\."))
    page.get_by_role("button", name="닫기").last.click()


def test_after_the_end_the_answer_about_self_harm_leads_to_people_and_to_a_new_conversation(page: Page) -> None:
    talk(page)
    say(page, "지우라고 불러 주세요.")
    page.locator("#end").click()
    page.locator("#confirm-yes").click()
    begin(page)
    answer_all(page, [*[CALM] * 8, "2,3일 이상"])
    expect(page.locator(".measure-help")).to_contain_text("새 대화를 열어 말씀해 주시면")
    assert "tel:109" in [call["href"] for call in calls(page, "#measure .calls a")]
    page.locator("#measure").get_by_role("button", name="새 대화").click()
    expect(page.locator("#stories")).to_be_visible()


def test_the_answer_about_self_harm_brings_the_question_and_the_lines_of_help_at_once(page: Page) -> None:
    talk(page)
    offered(page)
    begin(page)
    answer_all(page, [*[CALM] * 8, NEARLY_EVERY_DAY])
    expect(page.locator(".measure-help")).to_be_focused()
    expect(page.locator(".measure-help")).to_contain_text("자살을 생각하고 계신가요?")
    assert "tel:109" in [call["href"] for call in calls(page, "#measure .calls a")]
    assert faults(page, "#measure") == []
    page.get_by_role("button", name="이야기로 돌아가기").click()
    expect(page.locator("#measures")).to_be_hidden()
    expect(page.locator("#strip-list a").first).to_be_visible()
    expect(replies(page).last).to_contain_text("자살을 생각하고 계신가요?")
    page.reload()
    expect(replies(page).last).to_contain_text("자살을 생각하고 계신가요?", timeout=REPLY_WITHIN_MS)

    conversation = page.url.partition("#/")[2]
    page.goto("/review.html")
    page.locator(f'#entries li[data-id="{conversation}"] button').click()
    expect(page.locator("#one-reasons")).to_contain_text("질문지의 자해 문항에 답함")
    expect(page.locator("#one-measures")).to_contain_text("PHQ-9 · 시작 전 · 3/27점")
    expect(page.locator("#one-measures")).to_contain_text("자해 문항의 답: 3 가운데 3")


@pytest.mark.parametrize("size", [*PHONES, SIDEWAYS])
def test_every_step_fits_any_phone(page: Page, size: tuple[int, int]) -> None:
    talk(page)
    resize(page, size)
    open_offer(page)
    assert faults(page, "#measure") == []
    page.get_by_role("button", name="시작할게요").click()
    for _ in range(9):
        assert faults(page, "#measure") == []
        page.get_by_role("button", name=CALM, exact=True).click()
    assert faults(page, "#measure") == []
