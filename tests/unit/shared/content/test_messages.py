"""The texts of `messages.yaml`: complete in every voice, and one for every error that reaches a client."""

import inspect
import re
from itertools import pairwise, product

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.messages import MessageFile
from shared.domain import errors
from shared.locale import Locale, Register
from shared.web.problems import error_classes

EVERY_VOICE = [(locale, register) for locale in Locale for register in Register]
AGENTS = ("reader", *("counselor", "safety_gate", "wrap_up_answer"))
HTTP_PROBLEMS = (
    *("not_found", "method_not_allowed", "unsupported_media_type", "body_too_large", "invalid_json"),
    *("invalid_request", "internal", "unauthenticated", "stream_lost"),
)
FILE = load_yaml(DATA / "messages.yaml", MessageFile)
RETRIED = [errors.TurnPending, errors.VersionConflict, errors.LeaseLost, errors.StoreUnavailable]
CLIENT_ERRORS = [*error_classes(errors.InvalidInput), *error_classes(errors.Refused), *RETRIED]


@pytest.mark.parametrize("locale", Locale)
def test_every_error_that_reaches_a_client_has_a_text_and_the_fields_to_fill_it(locale):
    written, messages = FILE.problems, content().messages(locale)
    wrong = {}
    for error in CLIENT_ERRORS:
        makers = [ancestor.__init__ for ancestor in error.__mro__ if issubclass(ancestor, errors.CBotError)]
        fields = {name for made in makers for name in inspect.signature(made).parameters} - {"self", "args", "kwargs"}
        if error.code not in written or not set(written[error.code].fields) <= fields:
            wrong[error.__name__] = "no text, or fields that it cannot fill"
        elif "{" in (filled := messages.problem(error.code).fill(**dict.fromkeys(fields, 1))):
            wrong[error.__name__] = filled
        elif not messages.problem(error.code).title:
            wrong[error.__name__] = "no title"
    assert wrong == {}


@pytest.mark.parametrize("locale", Locale)
def test_every_problem_of_the_http_layer_has_a_text(locale):
    messages = content().messages(locale)
    internal = messages.problem("internal")
    assert [code for code in HTTP_PROBLEMS if messages.problem(code) == internal] == ["internal"]
    assert messages.problem("content_error") == internal, "a code without a text gets the text of `internal`"


def test_validation_errors_are_in_korean_without_latin_letters_and_in_english_without_hangul():
    validation = FILE.validation
    for kind, text in {"whole": validation.whole, "other": validation.other, **validation.kinds}.items():
        korean = re.sub(r"\{\w+\}|JSON|true, false", "", text.ko)
        assert re.search("[가-힣]", korean), kind
        assert not re.search("[A-Za-z]", korean), kind
        assert not re.search("[가-힣]", text.en), kind


@pytest.mark.parametrize(("locale", "register"), EVERY_VOICE)
def test_the_greeting_names_the_ai_and_its_limits_and_degraded_replies_vary(locale, register):
    messages = content().messages(locale, register)
    text = messages.text("greeting")
    assert "AI" in text
    assert ("대신하지는 못" in text) if locale is Locale.KO else ("can't replace" in text)
    assert (len(re.findall(r"[.?!](?:\s|$)", text)) <= 4, text.count("?")) == (True, 1)
    degraded = messages.variants("degraded_reply")
    assert len(set(degraded)) >= 3
    assert all(one != other for one, other in pairwise(degraded)), "it differs each time"


def test_every_agent_has_a_short_label_and_another_for_its_second_attempt():
    labels = {
        (agent, *voice): [content().messages(*voice).label(agent, *attempt) for attempt in ((), (2,))]
        for agent, voice in product(AGENTS, EVERY_VOICE)
    }
    assert {case: both for case, both in labels.items() if not all(0 < len(label) <= 40 for label in both)} == {}
    assert {case: both for case, both in labels.items() if both[0] == both[1]} == {}
