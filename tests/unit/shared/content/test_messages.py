"""The sentences of `messages.yaml`: whole, sayable in every voice, and with words for every error a client meets."""

import inspect
import re
from itertools import pairwise, product
from typing import get_args

import pytest
from pydantic import ValidationError
from pydantic_core import core_schema

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.messages import MessageFile
from shared.content.schemas.voice import VoicedVariants
from shared.contracts.chat import Consents
from shared.domain import errors
from shared.domain.errors import ContentError
from shared.locale import Locale, Register
from tests.support.process import ROOT

CODE = ("functions", "shared", "local")
EVERY_VOICE = [(locale, register) for locale in Locale for register in Register]
AGENTS = (
    *("part_check", "task_completion_checker", "user_state_detector", "task_selector", "module_selector"),
    *("counselor", "safety_gate", "wrap_up_answer", "intent"),
)
HTTP_PROBLEMS = (
    *("not_found", "method_not_allowed", "unsupported_media_type", "body_too_large", "invalid_json"),
    *("invalid_request", "internal", "unauthenticated", "stream_lost"),
)
COMMON_FAULTS = {
    *("missing", "extra_forbidden", "literal_error", "enum", "model_type", "json_invalid"),
    *("bool_type", "bool_parsing", "int_type", "int_parsing", "datetime_parsing", "timezone_aware"),
    *("string_type", "string_pattern_mismatch", "string_too_long", "string_too_short"),
    *("greater_than_equal", "less_than_equal"),
}
FILE = load_yaml(DATA / "messages.yaml", MessageFile)


def tree(root):
    return [root, *(below for child in root.__subclasses__() for below in tree(child))]


CLIENT_ERRORS = [
    *tree(errors.InvalidInput),
    *tree(errors.Refused),
    errors.TurnPending,
    errors.VersionConflict,
    errors.LeaseLost,
    errors.StoreUnavailable,
]


@pytest.mark.parametrize("locale", Locale)
def test_every_error_that_reaches_a_client_has_words_that_it_can_fill(locale):
    written, messages = FILE.problems, content().messages(locale)
    wrong = {}
    for error in CLIENT_ERRORS:
        makers = [ancestor.__init__ for ancestor in error.__mro__ if issubclass(ancestor, errors.CBotError)]
        fields = {name for made in makers for name in inspect.signature(made).parameters} - {"self", "args", "kwargs"}
        if error.code not in written or not set(written[error.code].fields) <= fields:
            wrong[error.__name__] = "no words, or words that it cannot fill"
        elif "{" in (filled := messages.problem(error.code).fill(**dict.fromkeys(fields, 1))):
            wrong[error.__name__] = filled
        elif not messages.problem(error.code).title:
            wrong[error.__name__] = "no title"
    assert wrong == {}


@pytest.mark.parametrize("locale", Locale)
def test_the_edge_has_words_for_its_own_problems(locale):
    messages = content().messages(locale)
    internal = messages.problem("internal")
    assert [code for code in HTTP_PROBLEMS if messages.problem(code) == internal] == ["internal"]
    assert messages.problem("content_error") == internal, "a code without words tells nothing but that it is ours"


def test_what_does_not_fit_is_told_in_korean_words_to_koreans():
    validation = FILE.validation
    for kind, text in {"whole": validation.whole, "other": validation.other, **validation.kinds}.items():
        korean = re.sub(r"\{\w+\}|JSON|true, false", "", text.ko)
        assert re.search("[가-힣]", korean), kind
        assert not re.search("[A-Za-z]", korean), kind
        assert not re.search("[가-힣]", text.en), kind


def test_what_commonly_does_not_fit_has_words_of_its_own():
    own = {"unknown_parameter", "lone_surrogate", "not_understood", "unknown_look", "not_all_shown"}
    assert COMMON_FAULTS - FILE.validation.kinds.keys() == set()
    assert FILE.validation.kinds.keys() - set(get_args(core_schema.ErrorType)) == own


@pytest.mark.parametrize(
    ("right", "wrong", "problem", "entry"),
    [
        ("{limit}자까지", "{limits}자까지", "unknown placeholder {limits}", "text_too_long:"),
        ("{field}: must be at most {limit}", "{field}: must be at most {lmit}", "unknown placeholder {lmit}", None),
    ],
)
def test_an_unknown_placeholder_is_found_at_load(tmp_path, right, wrong, problem, entry):
    text = (DATA / "messages.yaml").read_text(encoding="utf-8")
    path = tmp_path / "messages.yaml"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(ContentError, match=re.escape(problem)) as caught:
        load_yaml(path, MessageFile)
    assert entry is None or text.split("\n")[caught.value.line - 1].strip() == entry


@pytest.mark.parametrize(("locale", "register"), EVERY_VOICE)
def test_a_greeting_says_what_it_is_and_what_it_is_not(locale, register):
    messages = content().messages(locale, register)
    text = messages.text("greeting")
    assert "AI" in text
    assert ("대신하지는 못" in text) if locale is Locale.KO else ("can't replace" in text)
    assert (len(re.findall(r"[.?!](?:\s|$)", text)) <= 4, text.count("?")) == (True, 1)
    degraded = messages.variants("degraded_reply")
    assert len(set(degraded)) >= 3
    assert all(one != other for one, other in pairwise(degraded)), "it differs each time"


def test_every_agent_has_a_short_label_and_another_where_it_is_asked_once_more():
    labels = {
        (agent, *voice): [content().messages(*voice).label(agent, *attempt) for attempt in ((), (2,))]
        for agent, voice in product(AGENTS, EVERY_VOICE)
    }
    assert {case: both for case, both in labels.items() if not all(0 < len(label) <= 40 for label in both)} == {}
    assert {case: both for case, both in labels.items() if both[0] == both[1]} == {}


def test_casual_falls_back_to_polite_where_there_is_none():
    formal, casual = (content().messages(Locale.KO, register) for register in Register)
    assert formal.text("demo_notice") == casual.text("demo_notice")
    assert formal.text("greeting") != casual.text("greeting")


def test_every_sentence_is_said_somewhere():
    code = "\n".join(path.read_text("utf-8") for name in CODE for path in (ROOT / name).rglob("*.py"))
    named = set(re.findall(r"[\"'](\w+)[\"']", code)) | {f"consent_{name}" for name in Consents.model_fields}
    assert (FILE.texts | FILE.variants | FILE.recalled).keys() - named == set()


def test_no_sentence_is_translationese():
    files = [DATA / "messages.yaml", *DATA.glob("tasks_*.yaml")]
    assert [path.name for path in files if "당신" in path.read_text(encoding="utf-8")] == []


def test_variants_come_in_every_voice_and_a_torn_wording_or_a_missing_one_is_refused():
    whole = {
        "ko": ("네, 들어요.", "말씀하세요."),
        "ko_casual": ("응, 들어.", "말해."),
        "en": ("Yes, I listen.", "Tell me."),
    }
    assert VoicedVariants(**whole).ko == whole["ko"]
    assert VoicedVariants(ko=whole["ko"], en=whole["en"]).ko_casual == ()
    for wrong, why in (
        ({"ko": ("네", "들어요. 말씀하세요.")}, "end like a sentence"),
        ({"ko_casual": ("응, 들어.",)}, "as many wordings"),
        ({"en": (*whole["en"], "Go on.")}, "as many wordings"),
    ):
        with pytest.raises(ValidationError, match=why):
            VoicedVariants(**(whole | wrong))
