"""Log lines hold codes and numbers, and never a user's words, even when they log an error."""

import ast
import asyncio
import gc
import io
import json
import logging
import math
import sys
import warnings

import pytest
from pydantic import BaseModel

from shared.domain.errors import ModelBlocked, StoreUnavailable, VersionConflict
from shared.domain.turn import DecidedBy
from shared.observability.events import LogEvent
from shared.observability.fields import checked
from shared.observability.formats import TextFormatter
from shared.observability.log_event import log_event
from shared.observability.traces import trace_of
from tests.support.process import ROOT

WORDS = "나는 요즘 너무 힘들어 secret words of a person"
GOOGLE = "logging.googleapis.com"


class Number(BaseModel):
    value: int


def raised(error):
    try:
        raise error
    except type(error) as caught:
        return caught


def foreign():
    try:
        Number(value=WORDS)
    except ValueError as error:
        return error


def quotes_the_user(text):
    return "힘들어" in text or "secret" in text


def plain_lines(file):
    """Yield each place where a file logs a line that is not an event."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            named = isinstance(owner, ast.Name) and owner.id.strip("_") in {"log", "logger", "logging"}
            if named and node.func.attr in {"debug", "info", "warning", "error", "exception", "critical", "log"}:
                yield f"{file.relative_to(ROOT)}:{node.lineno}"


def test_code_outside_the_adapters_logs_only_through_log_event():
    files = [file for top in ("functions", "shared") for file in (ROOT / top).rglob("*.py")]
    # Adapters log plain lines about their vendors, in which only ids, numbers and codes are filled in.
    may = ("shared/adapters", "shared/observability")
    ours = [file for file in files if not str(file.relative_to(ROOT)).startswith(may)]
    assert len(ours) > 100
    assert [line for file in ours for line in plain_lines(file)] == []


class TestFields:
    def test_ids_codes_and_numbers_are_kept(self):
        kept = {"conversation": "c1-Ab_9", "seq": 3, "cost_krw": 0.1234, "degraded": False, "prompt": "counselor/v1.ko"}
        kept |= {"decided_by": DecidedBy.SAFE_DEFAULT, "rules": ("ko-imminent-overdose", "model")}
        assert checked(kept) == (kept, ())
        assert checked({"seq": None}) == ({}, ())
        assert checked({"cost_krw": 0.123456})[0] == {"cost_krw": 0.1235}, "rounded to four decimals"

    def test_another_value_is_dropped_and_its_field_is_listed_if_the_field_name_is_a_code(self):
        words = ["나는 요즘 힘들어", "죽고싶다", "I feel bad", "me@example.com", "x" * 129, "", "line\nbreak", "\ud800"]
        cases = [
            *(("conversation", value) for value in (*words, {"text": "x"})), ("seq", "3"), ("seq", True),
            ("cost_krw", math.nan), ("latency_ms", math.inf), ("degraded", 1), ("rules", ("fine", "not fine at all")),
            ("rules", "not-a-list"), ("text", "anything"), ("user_id", "u1"),
        ]  # fmt: skip
        assert [(case, got) for case in cases if (got := checked(dict([case]))) != ({}, (case[0],))] == []
        assert checked({"나는 힘들어": 1}) == ({}, ("?",))


class TestEvents:
    def test_below_the_log_level_are_not_written(self, logged, log):
        lines = logged("text", level=logging.WARNING)
        log_event(log, LogEvent.TURN, seq=1)
        log_event(log, LogEvent.CRISIS, level="crisis", conversation="c1")
        assert lines.text == "WARNING shared.tests: crisis_detected level=crisis conversation=c1\n"

    def test_with_free_text_in_a_field_are_logged_without_the_field_and_list_its_name(self, logged, log):
        lines = logged()
        log_event(log, LogEvent.TURN, conversation=WORDS, seq=1)
        (line,) = lines.parsed
        assert (line["dropped"], line["message"]) == (["conversation"], "turn seq=1 dropped=conversation")
        assert not quotes_the_user(lines.text)

    def test_show_the_code_of_an_expected_error_and_its_message_only_if_our_code_wrote_it(self, logged, log):
        lines = logged()
        log_event(log, LogEvent.TURN_FAILED, error=ModelBlocked(WORDS))
        log_event(log, LogEvent.TURN_FAILED, error=StoreUnavailable("the disk\nis full"))
        blocked, away = lines.parsed
        assert blocked["error"] == "model_blocked"
        assert "stack_trace" not in blocked
        assert away["reason"] == "the disk?is full"
        assert away["message"].endswith(": the disk?is full")
        where = away[f"{GOOGLE}/sourceLocation"]
        assert where["function"].startswith("test_show_the_code_of_an_expected_error")
        assert where["file"].endswith("test_logs.py")
        assert not quotes_the_user(lines.text)

    def test_show_the_stack_of_an_unexpected_error_without_quoting_its_message(self, logged, log):
        lines = logged()
        log_event(log, LogEvent.HOOK_FAILED, error=foreign())
        log_event(log, LogEvent.REQUEST_BROKE, error=raised(VersionConflict("sessions/1")))
        inner, outer = raised(ModelBlocked(WORDS)), RuntimeError(WORDS)
        outer.__context__ = inner
        log_event(log, LogEvent.FLOW_BROKE, error=raised(outer))
        invalid, conflict, chained = lines.parsed
        assert invalid["error"] == "ValidationError"
        assert invalid["stack_trace"].startswith("Traceback (most recent call last):\n")
        assert "in foreign" in invalid["stack_trace"]
        assert "VersionConflict: sessions/1 was changed" in conflict["stack_trace"]
        assert "ModelBlocked (model_blocked)" in chained["stack_trace"]
        assert not quotes_the_user(lines.text)


def test_a_stack_trace_lists_the_causes_and_stops_at_a_cycle_of_causes():
    one, two = RuntimeError("x"), ValueError("y")
    one.__cause__, two.__cause__ = two, one
    assert trace_of(one) == "RuntimeError\ncaused by:\nValueError"


@pytest.mark.parametrize("form", ["json", "text"])
class TestPlainLines:
    def test_show_an_error_without_its_message(self, logged, log, form):
        lines = logged(form)
        log.error("it broke", exc_info=foreign())
        logging.getLogger("another.library").error("Exception in ASGI application\n", exc_info=foreign())
        assert "it broke" in lines.text
        assert lines.text.count("ValidationError") >= 2
        assert lines.text.count("in foreign") == 2
        assert not quotes_the_user(lines.text)

    def test_of_a_library_show_the_constant_format_string_and_withhold_formatted_text(self, logged, form, recwarn):
        lines, other = logged(form), logging.getLogger("google.genai")
        other.warning("parts in the response: %s", WORDS)
        assert "parts in the response: %s" in lines.text
        other.warning(f"parts in the response {WORDS}")
        other.error(ValueError(WORDS))
        assert lines.text.count("[withheld] test_logs:") == 2
        logging.getLogger().error("Exception on / [POST]\n" + WORDS)  # noqa: G003 - as functions-framework does it
        warnings.warn(f"unexpected value {WORDS}", UserWarning, stacklevel=1)
        assert "WARNING" in lines.text.splitlines()[-1]
        assert lines.text.count("[withheld] ") == 4
        assert not quotes_the_user(lines.text)


@pytest.mark.parametrize("name", ["httpx2", "google_genai.models", "root"])
def test_other_libraries_are_logged_from_warning_level_on(logged, name, caplog):
    lines, other = logged(level=logging.DEBUG), logging.getLogger(name)
    caplog.set_level(logging.DEBUG, logger=name)
    other.debug("request %s", WORDS)
    other.info("HTTP Request: %s", WORDS)
    other.warning("connection pool is full")
    assert [line["message"] for line in lines.parsed] == ["connection pool is full"]


def test_a_plain_line_of_our_code_fills_in_only_ids_numbers_and_codes(logged, log):
    lines = logged("text")
    log.warning("delivery %s failed: %s after %d attempts in %.1f s", "c1-review-3", WORDS, 2, 1.25)
    log.warning("passed over: %s, %s", StoreUnavailable("no answer"), ModelBlocked(WORDS))
    log.warning("named %(what)s", {"what": WORDS})
    assert lines.text.splitlines() == [
        "WARNING shared.tests: delivery c1-review-3 failed: [withheld] after 2 attempts in 1.2 s",
        "WARNING shared.tests: passed over: no answer, model_blocked",
        "WARNING shared.tests: named [withheld]",
    ]
    line = sys._getframe().f_lineno
    record = log.makeRecord("shared.x", logging.INFO, __file__, line, "attempt %d", (WORDS,), None)
    assert TextFormatter().format(record) == "INFO shared.x: attempt %d", (
        "an argument that is no number: the format string stays as written"
    )


def test_a_record_with_line_breaks_or_surrogates_is_logged_as_one_line_of_json(logged, log):
    lines = logged()
    log.warning("first\nsecond\u2028third \ud800 end")
    log_event(log, LogEvent.TURN_FAILED, conversation="\ud800\n", error=StoreUnavailable("no\nanswer \ud800\u2028"))
    log.error("broke", exc_info=raised(type("Odd\u2028\nName", (Exception,), {})()))
    raw = lines.text.encode()
    assert raw.count(b"\n") == 3
    assert [json.loads(line)["severity"] for line in raw.splitlines()] == ["WARNING", "WARNING", "ERROR"]
    assert lines.parsed[1]["dropped"] == ["conversation"]
    assert "Odd" in lines.parsed[2]["stack_trace"]


async def test_an_error_of_a_task_that_was_not_awaited_is_logged_without_its_message(logged):
    lines = logged()

    async def lost():
        raise ValueError(WORDS)

    task = asyncio.create_task(lost())
    await asyncio.wait([task])
    del task
    gc.collect()
    (line,) = lines.parsed
    assert line[f"{GOOGLE}/labels"] == {"logger": "asyncio"}
    assert "in lost" in line["stack_trace"]
    assert not quotes_the_user(lines.text)


def test_a_failed_log_write_raises_nothing_and_prints_no_arguments(logged, log, capsys, monkeypatch):
    class Broken(io.StringIO):
        """Standard error whose reading process was killed."""

        def write(self, _text):
            raise BrokenPipeError

    logged().close()
    line = sys._getframe().f_lineno + 1
    log.warning("named %s", WORDS)
    assert capsys.readouterr().err == f"a log line of test_logs:{line} could not be written\n"
    monkeypatch.setattr("sys.stderr", Broken())
    log.warning("named %s", WORDS)
