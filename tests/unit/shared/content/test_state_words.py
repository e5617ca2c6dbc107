"""How the user's state is told to the Counselor and to the planner."""

import re

import pytest
from pydantic import ValidationError

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.state_words import FEEDBACK_FIELDS, StateWordsFile
from shared.domain.counseling.module import ChoiceCause
from shared.domain.counseling.state_feedback import StateKind
from shared.domain.counseling.user_state import EmotionLabel, StateSignal
from shared.locale import Locale
from shared.safety.levels import CrisisOutcome

HANGUL = re.compile(r"[가-힣]")
CODES = [
    *(cause.value for cause in ChoiceCause if cause not in (ChoiceCause.RISK, ChoiceCause.STATE)),
    *(f"state:{signal.value}" for signal in StateSignal if signal is not StateSignal.RISK),
    *(f"risk:{one.value}" for one in CrisisOutcome),
    "risk:risk",
]


@pytest.mark.parametrize("locale", Locale)
def test_every_reason_of_a_change_of_module_has_words_in_the_sessions_language(locale):
    told = {code: content().state_words(locale).module_change(code) for code in CODES}
    assert {code: words for code, words in told.items() if not words.endswith(".") or code in words} == {}
    assert {
        code: words for code, words in told.items() if bool(HANGUL.search(words)) is not (locale is Locale.KO)
    } == {}


def test_a_code_without_words_says_nothing():
    words = content().state_words(Locale.KO)
    assert {words.module_change(code) for code in ("", "nonsense", "state", "state:nonsense")} == {""}


@pytest.mark.parametrize("locale", Locale)
def test_every_kind_of_feedback_is_told_in_the_sessions_language(locale):
    words = content().state_words(locale)
    told = {kind: words.feedback(kind, **dict.fromkeys(FEEDBACK_FIELDS, 3)) for kind in StateKind}
    assert {kind: text for kind, text in told.items() if "{" in text} == {}
    assert {kind: text for kind, text in told.items() if bool(HANGUL.search(text)) is not (locale is Locale.KO)} == {}


@pytest.mark.parametrize(
    ("field", "key", "problem"),
    [
        ("emotions", EmotionLabel.JOY.value, "emotions: no words for"),
        ("module_changes", "state:circular", "module_changes: no words for"),
        ("feedback", StateKind.CIRCULAR.value, "feedback: no words for"),
    ],
)
def test_a_file_in_which_words_are_missing_is_refused(field, key, problem):
    whole = load_yaml(DATA / "state_words.yaml", StateWordsFile).model_dump(mode="json")
    del whole[field][key]
    with pytest.raises(ValidationError, match=problem):
        StateWordsFile.model_validate(whole)


def test_a_placeholder_that_nobody_fills_is_refused():
    whole = load_yaml(DATA / "state_words.yaml", StateWordsFile).model_dump(mode="json")
    whole["feedback"]["circular"]["ko"] = "{text}라고 했어요"
    with pytest.raises(ValidationError, match=re.escape("unknown placeholder {text}")):
        StateWordsFile.model_validate(whole)
