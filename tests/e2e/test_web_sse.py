"""The page's reading of event streams, run in the browser; the turns of clients/contract, too."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.process import ROOT

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


CONTRACT = ROOT / "clients" / "contract"
SCENARIOS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(CONTRACT.glob("*.json"))}
RUN_TURN = """async ({ connections, sent }) => {
  const { runTurn } = await import(new URL("/js/turn.js", location.href));
  const real = window.fetch;
  const asked = [];
  const shown = [];
  window.fetch = async (path, options = {}) => {
    if (!/\\/(chat|turns\\/[^/]+)$/.test(path)) return real(path, options);
    const { bytes, chunks, answer } = connections[asked.length];
    asked.push([options.method, new Headers(options.headers).get("Last-Event-ID")]);
    if (answer) {
      const headers = { "Content-Type": "application/problem+json" };
      if (answer.retry_after) headers["Retry-After"] = `${answer.retry_after}`;
      return new Response(JSON.stringify(answer.problem), { status: answer.status, headers });
    }
    const body = new ReadableStream({
      start(controller) {
        let from = 0;
        for (const size of [...chunks, bytes.length]) {
          controller.enqueue(new Uint8Array(bytes.slice(from, from + size)));
          from += size;
        }
        controller.close();
      },
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  const messageId = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const turn = { conversationId: "c1", messageId, text: "잠이 안 와요", sent };
  const show = { status() {}, retrying() {}, waiting() {}, text: (text) => shown.push(text) };
  try {
    const reply = await runTurn(turn, show);
    return { asked, shown, ends: "done", reply };
  } catch (error) {
    return { asked, shown, ends: "error", code: error.code, resources: error.resources };
  } finally {
    window.fetch = real;
  }
}"""


def test_the_parser_and_a_turn_of_the_page_make_of_recorded_streams_what_they_should(
    blank: Page, subtests: pytest.Subtests
) -> None:
    for name, scenario in SCENARIOS.items():
        with subtests.test(name=name):
            connections = scenario["connections"]
            streams = [
                (CONTRACT / connection["stream"]).read_bytes() if "stream" in connection else b""
                for connection in connections
            ]
            for connection, stream in zip(connections, streams, strict=True):
                for cuts in ([], list(range(1, len(stream)))):
                    events = [{**event, "data": json.loads(event["data"])} for event in parse(blank, stream, cuts)]
                    assert events == connection.get("events", [])
            given = [
                {**connection, "bytes": list(stream), "chunks": connection.get("chunks", [])}
                for connection, stream in zip(connections, streams, strict=True)
            ]
            turn = blank.evaluate(RUN_TURN, {"connections": given, "sent": scenario.get("sent", False)})
            assert turn["asked"] == [[connection["method"], connection["last_event_id"]] for connection in connections]
            assert (turn["shown"], turn["ends"]) == (scenario["shown"], scenario["ends"])
            last = connections[-1]["events"][-1]["data"]
            if scenario["ends"] == "done":
                assert turn["reply"] == last
            else:
                assert (turn["code"], turn["resources"]) == (last["code"], last.get("resources", []))
