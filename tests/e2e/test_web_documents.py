"""The documents that can be asked about: uploaded, looked into and deleted on their sheet."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.web_page import PHONES, faults, phone, resize, talk

pytestmark = pytest.mark.browser
DEVICE = phone
CONTRACT = """제1장 총칙
제1조(목적) 이 계약은 상담을 정한다.
제2조(해지) ① 한 달 전에 알린다.
제2조의2(환불) 남은 날만큼 돌려준다.
"""
DROP = """([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name, { type: "text/plain" }));
  const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  document.querySelector("#documents h2").dispatchEvent(drop);
}"""


def opened(page: Page) -> Locator:
    page.locator("#open-list").tap()
    page.locator("#drawer").get_by_role("button", name="문서").tap()
    sheet = page.get_by_role("dialog", name="문서", exact=True)
    expect(sheet.get_by_role("heading", name="상담 이용 약관 및 동의")).to_be_visible()
    return sheet


def upload(page: Page, name: str, content: bytes) -> None:
    page.locator("#documents-file").set_input_files({"name": name, "mimeType": "", "buffer": content})


def test_a_document_is_uploaded_read_by_its_articles_and_deleted(page: Page) -> None:
    talk(page)
    sheet = opened(page)
    expect(sheet.get_by_role("status")).to_have_text(re.compile("올린 문서 0개"))
    upload(page, "계약서.txt", CONTRACT.encode())
    expect(sheet.get_by_role("status")).to_have_text("올렸어요: 계약서")
    own = sheet.get_by_role("listitem").filter(has=page.get_by_role("heading", name="계약서", exact=True))
    expect(own).to_contain_text("계약서.txt · 1kB")
    expect(own.locator(".articles button")).to_have_text(["제1조 목적", "제2조 해지", "제2조의2 환불"])
    for size in (*PHONES, (195, 422)):
        resize(page, size)
        assert faults(page, "#documents") == [], size
    own.get_by_role("button", name="제2조 해지").tap()
    passage = page.get_by_role("dialog", name="제2조 해지")
    expect(passage).to_contain_text("한 달 전에 알린다.")
    page.keyboard.press("Escape")
    expect(passage).to_be_hidden()

    own.get_by_role("button", name="계약서 지우기").tap()
    page.get_by_role("dialog", name="이 문서를 지울까요?").get_by_role("button", name="지울게요").tap()
    expect(sheet.get_by_role("status")).to_have_text("문서를 지웠어요.")
    expect(own).to_have_count(0)
    page.evaluate(DROP, ["놓은 글.md", CONTRACT])
    expect(sheet.get_by_role("heading", name="놓은 글")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.exe", b"MZ\x00\x00" * 99, "텍스트(.txt, .md) 파일만 읽을 수 있어요."),
        ("empty.txt", b" \n", "파일에 글이 없어요."),
        ("large.txt", b"a" * (2 * 1024 * 1024 + 1), "파일이 너무 커요."),
    ],
)
def test_a_file_that_cannot_be_taken_shows_its_problem(
    page: Page, excused: list[str], name: str, content: bytes, problem: str
) -> None:
    excused.append(r"status of 4\d\d")
    talk(page)
    sheet = opened(page)
    upload(page, name, content)
    expect(sheet.get_by_role("alert")).to_contain_text(problem)
    expect(sheet.get_by_role("button", name="파일 올리기")).not_to_have_attribute("aria-busy", "true")


def test_the_service_agreement_is_asked_about_in_a_conversation_of_its_own(page: Page) -> None:
    talk(page)
    sheet = opened(page)
    sheet.get_by_role("button", name="이 문서에 대해 묻기").tap()
    expect(page.get_by_role("radio", name="동의서·계약서 물어보기")).to_be_checked()
    expect(sheet).to_be_hidden()
