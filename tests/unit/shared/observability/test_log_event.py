import logging

from pydantic import BaseModel, ValidationError

from shared.domain.errors import ModelBlocked, StoreUnavailable, VersionConflict
from shared.observability.events import SEVERITY, LogEvent
from shared.observability.log_event import log_event

WORDS = "나는 요즘 너무 힘들어 secret words of a person"


class Number(BaseModel):
    value: int


def fail(error):
    raise error


def foreign():
    try:
        Number(value=WORDS)
    except ValidationError as error:
        return error


def test_an_event_is_a_line_of_its_name_and_fields(logged, log):
    lines = logged()
    log_event(log, LogEvent.JOB, kind="supervise", conversation="c1", seq=3, attempt=1, result="done")
    (line,) = lines.parsed
    assert (line["event"], line["severity"]) == ("job", "INFO")
    assert (line["kind"], line["conversation"], line["seq"], line["result"]) == ("supervise", "c1", 3, "done")
    assert line["message"] == "job kind=supervise conversation=c1 seq=3 attempt=1 result=done"
    assert "dropped" not in line


def test_every_event_has_its_gravity_and_a_caller_may_say_otherwise(logged, log, subtests):
    lines = logged()
    for event in LogEvent:
        with subtests.test(event=event):
            log_event(log, event)
            log_event(log, event, severity=logging.CRITICAL)
            own, said = lines.parsed[-2:]
            assert own["severity"] == logging.getLevelName(SEVERITY.get(event, logging.INFO))
            assert said["severity"] == "CRITICAL"


def test_what_broke_is_always_graver_than_what_failed():
    assert {SEVERITY[event] for event in LogEvent if event.broke} == {logging.ERROR}


def test_words_in_a_field_are_dropped_and_the_field_is_named(logged, log):
    lines = logged()
    log_event(log, LogEvent.TURN, conversation=WORDS, seq=1)
    (line,) = lines.parsed
    assert (line["dropped"], line["message"]) == (["conversation"], "turn seq=1 dropped=conversation")
    assert "힘들어" not in lines.text
    assert "secret" not in lines.text


def test_an_expected_error_of_ours_is_its_code(logged, log):
    lines = logged()
    log_event(log, LogEvent.TURN_FAILED, error=ModelBlocked(WORDS))
    (line,) = lines.parsed
    assert line["error"] == "model_blocked"
    assert "stack_trace" not in line
    assert "secret" not in lines.text


def test_an_error_whose_words_are_our_own_says_them(logged, log):
    lines = logged()
    log_event(log, LogEvent.TURN_FAILED, error=StoreUnavailable("the disk\nis full"))
    (line,) = lines.parsed
    assert line["reason"] == "the disk?is full"
    assert line["message"].endswith(": the disk?is full")


def test_of_a_foreign_error_its_type_and_frames_are_shown(logged, log):
    lines = logged()
    log_event(log, LogEvent.HOOK_FAILED, error=foreign())
    (line,) = lines.parsed
    assert line["error"] == "ValidationError"
    assert line["stack_trace"].startswith("Traceback (most recent call last):\n")
    assert "in foreign" in line["stack_trace"]
    assert "secret" not in lines.text


def test_what_breaks_has_its_frames_even_when_the_error_is_ours(logged, log):
    lines = logged()
    try:
        fail(VersionConflict("sessions/1"))
    except VersionConflict as error:
        log_event(log, LogEvent.REQUEST_BROKE, error=error)
    assert "VersionConflict: sessions/1 was changed" in lines.parsed[0]["stack_trace"]


def test_a_model_error_inside_another_is_not_quoted(logged, log):
    lines = logged()
    try:
        try:
            fail(ModelBlocked(WORDS))
        except ModelBlocked:
            raise RuntimeError(WORDS) from None
    except RuntimeError as error:
        error.__suppress_context__ = False
        log_event(log, LogEvent.FLOW_BROKE, error=error)
    assert "ModelBlocked (model_blocked)" in lines.parsed[0]["stack_trace"]
    assert "secret" not in lines.text


def test_below_the_level_nothing_is_written(logged, log):
    lines = logged(level=logging.WARNING)
    log_event(log, LogEvent.TURN, seq=1)
    log_event(log, LogEvent.CRISIS, level="crisis", conversation="c1")
    assert [line["event"] for line in lines.parsed] == ["crisis_detected"]


def test_a_line_names_the_place_that_logged_it(logged, log):
    lines = logged()
    log_event(log, LogEvent.TURN_FAILED, error="x")
    where = lines.parsed[0]["logging.googleapis.com/sourceLocation"]
    assert where["function"] == "test_a_line_names_the_place_that_logged_it"
    assert where["file"].endswith("test_log_event.py")
