"""The log search finds user messages in any encoding and fails the test that logged them."""

import json
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest

from tests.support.log_search import LogSearchPlugin
from tests.support.overheard import LogSearch, Words
from tests.support.polling import until
from tests.support.process import ReadyProcess

KOREAN = "요즘 밤마다 잠이 안 와서 하루가 너무 길어요. 🌙 그래서 말인데요,\n도와주실 수 있을까요?"
ENGLISH = 'I keep waking up at night, and then I say to myself: "what for?"'
QUIET = '{"event": "turn", "conversation": "c0ffee", "message": "turn conversation=c0ffee seq=3 flow=counseling"}\n'
ENCODINGS = {
    "plain": str,
    "json": json.dumps,
    "json in json": lambda text: json.dumps({"message": json.dumps({"text": text})}),
    "repr": repr,
    "repr of bytes": lambda text: repr(text.encode()),
    "repr of json": lambda text: repr(json.dumps({"text": text}).encode()),
    "address": quote,
    "cut short": lambda text: text[:24],
    "without its beginning": lambda text: text[20:],
}


def test_a_message_is_found_in_every_encoding(subtests):
    for way, written in ENCODINGS.items():
        for text in (KOREAN, ENGLISH):
            with subtests.test(way=way, text=text):
                (first, *_) = Words([text]).in_log(f"{QUIET}{QUIET}DEBUG said {written(text)} at once\n{QUIET}")
                assert (first.line, first.message) == (3, 0)
    for text in ("죽고 싶어요", "잠이 안 와요.", "I want to die", "ㅈㅏ살할래"):
        assert Words([text]).in_log(f"{QUIET}WARNING {text}"), text
    assert Words(["죽고 싶어요"]).in_log("죽고\n싶어요")
    assert {heard.message for heard in Words(["처음 뵙겠습니다", KOREAN, ENGLISH]).in_log(f"x\n{ENGLISH}")} == {2}


def test_each_search_of_a_file_starts_where_the_last_one_ended(tmp_path):
    log, words = tmp_path / "stderr.log", Words([ENGLISH])
    search = LogSearch(words)
    search.read(log)
    log.write_text(f"{QUIET}{ENGLISH}\n{QUIET}", encoding="utf-8")
    search.read(log)
    words.add_body(json.dumps({"message_id": "m1", "text": KOREAN}).encode())
    words.add_body(b'{"text": "\xff')
    with log.open("a", encoding="utf-8") as more:
        more.write(f"{QUIET}{KOREAN!r}\n")
    with pytest.raises(AssertionError, match=r"stderr\.log: line 5 holds .* of message 1"):
        search.read(log)
    search.read(log)


@pytest.mark.parametrize(
    ("section", "file", "outcome"),
    [
        *(("Captured log call", "test_here.py", "failed"), ("Captured stderr setup", "test_here.py", "failed")),
        *(("Captured stdout call", "test_here.py", "passed"), ("Captured log call", "test_elsewhere.py", "passed")),
    ],
)
def test_a_test_that_logged_a_message_of_its_file_fails_at_teardown(section, file, outcome):
    words = Words()
    plugin = LogSearchPlugin(words)
    plugin.pytest_runtest_setup(SimpleNamespace(path=Path("test_here.py")))
    words.add(KOREAN)
    plugin.pytest_runtest_setup(SimpleNamespace(path=Path(file)))
    report = SimpleNamespace(
        when="teardown", passed=True, outcome="passed", longrepr=None, sections=[(section, KOREAN)]
    )
    search = plugin.pytest_runtest_makereport()
    next(search)
    with pytest.raises(StopIteration):
        search.send(report)
    assert report.outcome == outcome


def test_the_log_search_is_active_in_this_run(request):
    assert request.config.pluginmanager.has_plugin("log-search")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_a_server_that_prints_a_message_fails_the_test_that_ends_it(stream, tmp_path):
    says = f"print({KOREAN!r}, file=sys.{stream}, flush=True); print('done', file=sys.stderr, flush=True)"
    script = f"import sys, time; print('ready at http://127.0.0.1:1', flush=True); {says}; time.sleep(60)"
    words = Words()
    server = ReadyProcess(["-c", script], {}, tmp_path / "stderr.log", words)
    words.add(KOREAN)
    server.start()
    await until(lambda: "done" in server.stderr)
    with pytest.raises(AssertionError, match=f"(?s){stream}.* of message 0"):
        server.end()
    assert not server.alive
