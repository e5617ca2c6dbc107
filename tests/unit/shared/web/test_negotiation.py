from shared.locale import Locale
from shared.web.negotiation import locale_of, wants_stream


def test_the_language_is_the_best_that_we_speak_and_korean_otherwise(request_of, subtests):
    cases = [
        (None, Locale.KO), ("", Locale.KO), ("en", Locale.EN), ("en-US,en;q=0.9,ko;q=0.8", Locale.EN),
        ("ko-KR, en;q=0.9", Locale.KO), ("fr, en;q=0.1", Locale.EN), ("fr", Locale.KO), ("*", Locale.KO),
        ("en;q=0", Locale.KO), ("en;q=banana", Locale.KO), ("en;q=nan", Locale.KO), (";;;,,q=", Locale.KO),
    ]  # fmt: skip
    for header, locale in cases:
        with subtests.test(header=header):
            headers = {} if header is None else {"accept_language": header}
            assert locale_of(request_of(**headers)) is locale


def test_events_come_only_to_those_who_ask(request_of):
    cases = [
        ("text/event-stream", True), ("application/json, Text/Event-Stream;q=0.5", True),
        ("text/event-stream;q=0", False), ("application/json", False), ("*/*", False), ("", False),
    ]  # fmt: skip
    assert {
        accept: got for accept, stream in cases if (got := wants_stream(request_of(accept=accept))) is not stream
    } == {}


def test_a_head_request_gets_no_events(request_of):
    assert not wants_stream(request_of(method="HEAD", accept="text/event-stream"))
