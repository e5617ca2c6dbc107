"""The search of logs for what was said: it finds a message however it is written down, and only a message."""

import json
from urllib.parse import quote, quote_plus, urlencode

import httpx
import pytest

from tests.support.overheard import LogSearch, Words, noted
from tests.support.polling import until
from tests.support.process import ReadyProcess

KOREAN = "요즘 밤마다 잠이 안 와서 하루가 너무 길어요. 🌙 그래서 말인데요,\n도와주실 수 있을까요?"
ENGLISH = 'I keep waking up at night, and then I say to myself: "what for?"'
QUIET = '{"event": "turn", "conversation": "c0ffee", "message": "turn conversation=c0ffee seq=3 flow=counseling"}\n'
WAYS = {
    "plain": str,
    "json": json.dumps,
    "json with its own letters": lambda text: json.dumps(text, ensure_ascii=False),
    "json in json": lambda text: json.dumps({"message": json.dumps({"text": text})}),
    "repr": repr,
    "ascii": ascii,
    "repr of bytes": lambda text: repr(text.encode()),
    "repr of json": lambda text: repr(json.dumps({"text": text}).encode()),
    "address": quote,
    "form": quote_plus,
    "query": lambda text: urlencode({"q": text}),
    "cut short": lambda text: text[:24],
    "without its beginning": lambda text: text[20:],
}


def test_a_message_is_found_however_it_is_written_down(subtests):
    for way, written in WAYS.items():
        for text in (KOREAN, ENGLISH):
            with subtests.test(way=way, text=text):
                (first, *_) = Words([text]).in_log(f"{QUIET}{QUIET}DEBUG said {written(text)} at once\n{QUIET}")
                assert (first.line, first.message) == (3, 0)


def test_a_short_message_is_not():
    assert {
        text: got
        for text in ("죽고 싶어요", "잠이 안 와요.", "I want to die", "ㅈㅏ살할래")
        if (got := Words([text]).in_log(f"{QUIET}WARNING {text}")) == []
    } == {}


def test_each_message_has_its_number():
    words = Words(["처음 뵙겠습니다", KOREAN, "그만하고 싶어요"])
    assert {heard.message for heard in words.in_log("x\n그만하고 싶어요")} == {2}


def test_what_was_said_before_is_not_looked_for():
    words = Words([KOREAN])
    search = LogSearch(words)
    search.hear("a log", KOREAN)
    words.add(ENGLISH)
    with pytest.raises(AssertionError, match="a log: line 1 holds 'Ikeepwakingup' of message 1"):
        search.hear("a log", ENGLISH)


def test_a_message_that_goes_on_over_lines_is_found():
    assert Words(["죽고 싶어요"]).in_log("죽고\n싶어요") != []


def test_a_file_is_searched_from_where_the_last_search_ended_and_the_line_counts_from_its_beginning(tmp_path):
    log, words = tmp_path / "stderr.log", Words()
    search = LogSearch(words)
    search.read(log)
    log.write_text(QUIET * 3, encoding="utf-8")
    search.read(log)
    words.add(KOREAN)
    with log.open("a", encoding="utf-8") as more:
        more.write(f"{QUIET}{KOREAN!r}\n")
    with pytest.raises(AssertionError, match=r"stderr\.log: line 5 holds "):
        search.read(log)
    search.read(log)


def test_what_a_request_says_is_taken_in(subtests):
    cases = [
        ({"message_id": "m1", "text": KOREAN}, 1), ({"rating": 5, "comment": KOREAN}, 1), ({"note": KOREAN}, 1),
        ({"text": 3}, 0), ([KOREAN], 0), (None, 0),
    ]  # fmt: skip
    for body, found in cases:
        with subtests.test(body=body, found=found):
            words = Words()
            words.add_body(json.dumps(body).encode())
            assert len(words) == found


def test_a_body_that_is_no_json_says_nothing():
    words = Words()
    words.add_body(b'{"text": "\xff')
    assert len(words) == 0


async def test_a_client_with_the_hook_is_listened_to():
    told = "오직 이 시험에서만 하는 말이에요"
    search = LogSearch()
    transport = httpx.MockTransport(lambda request: httpx.Response(200))
    async with httpx.AsyncClient(transport=transport, event_hooks={"request": [noted]}) as http:
        await http.post("http://test/chat", json={"text": told})
        await http.get("http://test/chat")
    with pytest.raises(AssertionError, match="message text was logged"):
        search.hear("a log", told)


SERVER = """
import sys, time
print("ready at http://127.0.0.1:1", flush=True)
print({text!r}, file=sys.{stream}, flush=True)
print("done", file=sys.stderr, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_a_server_that_tells_what_was_said_fails_the_test_that_ends_it(stream, tmp_path):
    words = Words()
    server = ReadyProcess(["-c", SERVER.format(text=KOREAN, stream=stream)], {}, tmp_path / "stderr.log", words)
    words.add(KOREAN)
    server.start()
    await until(lambda: "done" in server.stderr)
    with pytest.raises(AssertionError, match=f"(?s){stream}.* of message 0"):
        server.end()
    assert not server.alive
