import math

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.turn import DecidedBy
from shared.observability.fields import CODE, Fields, checked

KEPT = {
    "conversation": "c1-Ab_9",
    "seq": 3,
    "cost_krw": 0.1234,
    "degraded": False,
    "decided_by": DecidedBy.SAFE_DEFAULT,
    "prompt": "counselor/v1.ko",
    "rules": ("ko-imminent-overdose", "model"),
}


def test_ids_codes_and_numbers_are_kept():
    kept, dropped = checked(KEPT)
    assert kept == KEPT
    assert dropped == ()


def test_nothing_given_is_nothing_logged():
    assert checked({"seq": None}) == ({}, ())


def test_anything_else_is_dropped_and_named():
    cases = [
        ("conversation", "나는 요즘 힘들어"), ("conversation", "I feel bad"), ("conversation", "me@example.com"),
        ("conversation", "x" * 129), ("conversation", ""), ("conversation", "line\nbreak"),
        ("conversation", "\ud800"), ("conversation", {"text": "x"}), ("seq", "3"), ("seq", True),
        ("cost_krw", math.nan), ("latency_ms", math.inf), ("degraded", 1), ("rules", ("fine", "not fine at all")),
        ("rules", "not-a-list"), ("conversation", "죽고싶다"), ("text", "anything"), ("user_id", "u1"),
    ]  # fmt: skip
    assert [((name, value), got) for name, value in cases if (got := checked({name: value})) != ({}, (name,))] == []


def test_a_name_that_is_no_code_is_not_repeated():
    assert checked({"나는 힘들어": 1}) == ({}, ("?",))


def test_a_number_is_rounded_to_what_anybody_reads():
    assert checked({"cost_krw": 0.123456})[0] == {"cost_krw": 0.1235}


@given(st.dictionaries(st.sampled_from([*Fields.__annotations__, "text"]), st.text() | st.lists(st.text())))
def test_whatever_is_given_only_codes_get_in(fields):
    kept, _ = checked(fields)
    for value in kept.values():
        for one in value if isinstance(value, tuple) else (value,):
            assert isinstance(one, str)
            assert CODE.fullmatch(one)
