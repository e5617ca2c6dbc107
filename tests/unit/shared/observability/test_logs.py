import asyncio
import gc
import io
import json
import logging
import sys
import warnings

import pytest

from shared.domain.errors import ModelBlocked, StoreUnavailable
from shared.observability.events import LogEvent
from shared.observability.formats import TextFormatter
from shared.observability.log_event import log_event
from shared.observability.trace_context import incoming

WORDS = "나는 요즘 너무 힘들어 secret words of a person"
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def fail(error):
    raise error


def speaks(text):
    return "힘들어" in text or "secret" in text


def test_a_line_bears_the_trace_that_cloud_logging_links_to(logged, log):
    lines = logged(project="demo-cbot")
    with incoming({"traceparent": f"00-{TRACE}-{SPAN}-01"}):
        log_event(log, LogEvent.TURN, seq=1)
    log_event(log, LogEvent.TURN, seq=2)
    inside, outside = lines.parsed
    assert inside["logging.googleapis.com/trace"] == f"projects/demo-cbot/traces/{TRACE}"
    assert inside["logging.googleapis.com/spanId"] == SPAN
    assert inside["logging.googleapis.com/trace_sampled"] is True
    assert inside["logging.googleapis.com/labels"] == {"logger": "shared.tests"}
    assert inside["time"].endswith("+00:00")
    assert not any("trace" in name for name in outside)


async def test_two_turns_at_once_log_each_its_own_trace(logged, log):
    lines = logged()

    async def turn(number):
        with incoming({"traceparent": f"00-{number:032x}-{SPAN}-01"}):
            for _ in range(5):
                await asyncio.sleep(0)
                log_event(log, LogEvent.TURN, seq=number)

    await asyncio.gather(*(turn(number) for number in range(1, 5)))
    assert len(lines.parsed) == 20
    assert all(int(line["logging.googleapis.com/trace"], 16) == line["seq"] for line in lines.parsed)


def test_text_is_one_line_for_people(logged, log):
    lines = logged("text")
    log_event(log, LogEvent.CRISIS, level="crisis", conversation="c1")
    assert lines.text == "WARNING shared.tests: crisis_detected level=crisis conversation=c1\n"


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_foreign_error_is_shown_without_its_words_whoever_logs_it(logged, log, form):
    lines = logged(form)
    try:
        fail(ValueError(WORDS))
    except ValueError:
        log.exception("it broke")
        logging.getLogger("somebody.else").exception("Exception in ASGI application\n")
    assert "it broke" in lines.text
    assert "ValueError" in lines.text
    assert "in test_a_foreign_error_is_shown" in lines.text
    assert not speaks(lines.text)


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_foreign_line_is_shown_as_its_author_wrote_it_and_never_with_its_values(logged, form):
    lines, foreign = logged(form), logging.getLogger("google.genai")
    foreign.warning("parts in the response: %s", WORDS)
    assert "parts in the response: %s" in lines.text
    foreign.warning(f"parts in the response {WORDS}")
    foreign.error(ValueError(WORDS))
    assert lines.text.count("[withheld] test_logs:") == 2
    assert not speaks(lines.text)


def test_functions_frameworks_account_of_a_crash_is_withheld(logged):
    lines = logged()
    logging.getLogger().error("Exception on / [POST]\n" + WORDS)  # noqa: G003 - as the framework does it
    assert lines.parsed[0]["message"].startswith("[withheld] ")
    assert not speaks(lines.text)


@pytest.mark.parametrize("name", ["google.auth", "httpx2", "uvicorn.access", "grpc", "google_genai.models", "root"])
def test_other_libraries_are_heard_from_warnings_on(logged, name):
    lines = logged(level=logging.DEBUG)
    foreign = logging.getLogger(name)
    before = foreign.level
    foreign.setLevel(logging.DEBUG)
    try:
        foreign.debug("request %s", WORDS)
        foreign.info("HTTP Request: %s", WORDS)
        foreign.warning("connection pool is full")
    finally:
        foreign.setLevel(before)
    assert [line["message"] for line in lines.parsed] == ["connection pool is full"]


@pytest.mark.parametrize("name", ["google", "uvicorn.access"])
def test_a_library_that_cut_itself_off_is_heard_too(logged, name):
    logging.getLogger(name).propagate = False  # as google.api_core and uvicorn do
    lines = logged()
    logging.getLogger(name).warning("connection pool is full")
    assert [line["message"] for line in lines.parsed] == ["connection pool is full"]


def test_in_our_own_plain_lines_only_ids_numbers_and_codes_are_filled_in(logged, log):
    lines = logged("text")
    log.warning("delivery %s failed: %s after %d attempts in %.1f s", "c1-review-3", WORDS, 2, 1.25)
    log.warning("passed over: %s, %s", StoreUnavailable("no answer"), ModelBlocked(WORDS))
    log.warning("named %(what)s", {"what": WORDS})
    assert lines.text.splitlines() == [
        "WARNING shared.tests: delivery c1-review-3 failed: [withheld] after 2 attempts in 1.2 s",
        "WARNING shared.tests: passed over: no answer, model_blocked",
        "WARNING shared.tests: named [withheld]",
    ]


def test_a_value_in_a_numbers_place_leaves_the_text_as_written(log):
    place = sys._getframe()
    record = log.makeRecord("shared.x", logging.INFO, __file__, place.f_lineno, "attempt %d", (WORDS,), None)
    assert TextFormatter().format(record) == "INFO shared.x: attempt %d"


def test_a_line_stays_one_line_and_json_whatever_is_in_it(logged, log):
    lines = logged()
    log.warning("first\nsecond\u2028third \ud800 end")
    log_event(log, LogEvent.TURN_FAILED, conversation="\ud800\n", error=StoreUnavailable("no\nanswer \ud800\u2028"))
    try:
        fail(type("Odd\u2028\nName", (Exception,), {})())
    except Exception:
        log.exception("broke")
    raw = lines.text.encode()
    assert raw.count(b"\n") == 3
    assert [json.loads(line)["severity"] for line in raw.splitlines()] == ["WARNING", "WARNING", "ERROR"]
    assert lines.parsed[1]["dropped"] == ["conversation"]
    assert "Odd" in lines.parsed[2]["stack_trace"]


def test_a_warning_is_a_line_without_the_value_that_it_quotes(logged, recwarn):
    lines = logged()
    warnings.warn(f"unexpected value {WORDS}", UserWarning, stacklevel=1)
    assert lines.parsed[0]["severity"] == "WARNING"
    assert not speaks(lines.text)


async def test_an_error_that_nobody_awaited_is_told_without_its_words(logged):
    lines = logged()

    async def lost():
        raise ValueError(WORDS)

    task = asyncio.create_task(lost())
    await asyncio.wait([task])
    del task
    gc.collect()
    (line,) = lines.parsed
    assert line["logging.googleapis.com/labels"] == {"logger": "asyncio"}
    assert "in lost" in line["stack_trace"]
    assert not speaks(lines.text)


def test_a_line_that_cannot_be_written_does_not_print_its_arguments(logged, log, capsys):
    lines = logged()
    lines.stream.close()
    log.warning("named %s", WORDS)
    told = capsys.readouterr().err
    assert told == f"a log line of test_logs:{log_line()} could not be written\n"
    assert not speaks(told)


def test_a_line_that_nobody_reads_any_more_stops_nothing(logged, log, monkeypatch):
    """As when the process that read our standard error was killed: what is logged goes on."""

    class Broken(io.StringIO):
        def write(self, _text):
            raise BrokenPipeError

    lines = logged()
    lines.stream.close()
    monkeypatch.setattr("sys.stderr", Broken())
    log.warning("named %s", WORDS)


def log_line():
    source = test_a_line_that_cannot_be_written_does_not_print_its_arguments.__code__
    return source.co_firstlineno + 3


def test_configuring_again_does_not_write_twice(logged, log):
    logged("text")
    lines = logged("text")
    log.warning("once")
    assert lines.text.count("once") == 1
