"""The client's reader of event streams, run in the browser that it is for."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.web_page import CHAT, send, talk

pytestmark = pytest.mark.browser

PARSE = """async ([bytes, cuts]) => {
  const { SseParser } = await import(new URL("/js/sse.js", location.href));
  const parser = new SseParser();
  const events = [];
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    events.push(...parser.feed(new Uint8Array(bytes.slice(from, to))));
    from = to;
  }
  return events;
}"""


def parse(page: Page, stream: bytes, cuts: list[int]) -> list[dict[str, Any]]:
    return page.evaluate(PARSE, [list(stream), cuts])


STREAM = (
    'id: 3.1\nevent: token\ndata: {"text": "마음이 무거우셨군요 🌿"}\n\n: ping\n\nid: 3.2\nevent: done\ndata: {}\n\n'
).encode()
EVENTS = [
    {"id": "3.1", "event": "token", "data": '{"text": "마음이 무거우셨군요 🌿"}'},
    {"id": "3.2", "event": "done", "data": "{}"},
]


def test_a_stream_reads_the_same_wherever_it_is_cut(blank: Page, subtests: pytest.Subtests) -> None:
    for newline in (b"\n", b"\r\n", b"\r"):
        with subtests.test(newline=newline):
            stream = STREAM.replace(b"\n", newline)
            for cut in range(len(stream) + 1):
                assert parse(blank, stream, [cut]) == EVENTS, cut
            assert parse(blank, stream, list(range(1, len(stream)))) == EVENTS


def test_the_rules_of_the_format_hold(blank: Page) -> None:
    cases = [
        ("data: 첫 줄\ndata: 둘째 줄\n\n", [{"id": "", "event": "message", "data": "첫 줄\n둘째 줄"}]),
        ("data:no space\n\n", [{"id": "", "event": "message", "data": "no space"}]),
        ("data:  two\n\n", [{"id": "", "event": "message", "data": " two"}]),
        ("data\n\n", [{"id": "", "event": "message", "data": ""}]),
        (": only a comment\n\n", []),
        ("event: token\n\ndata: x\n\n", [{"id": "", "event": "message", "data": "x"}]),
        ("id: 1\n\ndata: x\n\n", [{"id": "1", "event": "message", "data": "x"}]),
        ("id: a\0b\nunknown: y\nretry: 5\ndata: x\n\n", [{"id": "", "event": "message", "data": "x"}]),
        ("\ufeffdata: x\n\n", [{"id": "", "event": "message", "data": "x"}]),
        ("data: never ended", []),
        ("data: never ended\n", []),
    ]
    assert {stream: got for stream, expected in cases if (got := parse(blank, stream.encode(), [])) != expected} == {}


RECORD_STATUS = """() => {
  window.statuses = [];
  const status = document.getElementById("status");
  const note = change => change.addedNodes.forEach(node => window.statuses.push(node.data));
  new MutationObserver(changes => changes.forEach(note))
    .observe(status, { childList: true });
}"""


def test_a_step_that_is_tried_again_says_so_and_an_unknown_event_says_nothing(page: Page) -> None:
    talk(page)
    page.evaluate(RECORD_STATUS)
    snapshot = {"status": "active", "part": 1, "task": None, "progress": 0, "wrap_up": None, "risk": {"level": "none"}}
    events = [
        ("agent_start", {"agent": "planner", "label": "마음을 헤아리고 있어요"}),
        ("agent_retry", {"agent": "planner", "label": "마음을 헤아리고 있어요", "attempt": 2}),
        ("agent_dreamt", {"agent": "planner", "label": "모르는 일"}),
        ("agent_retry", {"agent": "planner", "label": None, "attempt": 3}),
        ("token", {"text": "천천히 "}),
        ("done", {"reply": "천천히 들을게요.", "state_snapshot": snapshot}),
    ]

    def stream(route: Route) -> None:
        told = "".join(
            f"id: 1.{n}\nevent: {name}\ndata: {json.dumps(data)}\n\n" for n, (name, data) in enumerate(events)
        )
        route.fulfill(content_type="text/event-stream", body=told)

    page.route(CHAT, stream, times=1)
    send(page, "요즘 마음이 무거워요.")
    expect(page.locator("#messages .counselor .bubble").last).to_have_text("천천히 들을게요.")
    assert page.evaluate("window.statuses") == [
        "이야기를 읽고 있어요",
        "마음을 헤아리고 있어요",
        "마음을 헤아리고 있어요 · 다시 시도하고 있어요",
        "이야기를 읽고 있어요 · 다시 시도하고 있어요",
    ]
