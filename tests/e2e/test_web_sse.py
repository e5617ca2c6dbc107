"""The page's parser of event streams, run in the browser."""

from typing import Any

import pytest
from playwright.sync_api import Page

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


def test_the_parser_returns_the_same_events_wherever_a_stream_is_cut(blank: Page, subtests: pytest.Subtests) -> None:
    for newline in (b"\n", b"\r\n", b"\r"):
        with subtests.test(newline=newline):
            stream = STREAM.replace(b"\n", newline)
            for cut in range(len(stream) + 1):
                assert parse(blank, stream, [cut]) == EVENTS, cut
            assert parse(blank, stream, list(range(1, len(stream)))) == EVENTS


def test_the_parser_follows_the_event_stream_format(blank: Page) -> None:
    cases = [
        ("data: 첫 줄\ndata: 둘째 줄\n\n", [{"id": "", "event": "message", "data": "첫 줄\n둘째 줄"}]),
        ("data:  two\n\n", [{"id": "", "event": "message", "data": " two"}]),
        (": only a comment\n\n", []),
        ("event: token\n\ndata: x\n\n", [{"id": "", "event": "message", "data": "x"}]),
        ("id: 1\n\ndata: x\n\n", [{"id": "1", "event": "message", "data": "x"}]),
        ("id: a\0b\nunknown: y\nretry: 5\ndata: x\n\n", [{"id": "", "event": "message", "data": "x"}]),
        ("data: never ended\n", []),
    ]
    assert {stream: got for stream, expected in cases if (got := parse(blank, stream.encode(), [])) != expected} == {}
