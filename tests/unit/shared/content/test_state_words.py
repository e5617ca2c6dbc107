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
@pytest.mark.parametrize("code", CODES)
def test_every_reason_of_a_change_of_module_has_words_in_the_sessions_language(code, locale):
    words = content().state_words(locale).module_change(code)
    assert words.endswith(".")
    assert code not in words
    assert bool(HANGUL.search(words)) is (locale is Locale.KO)


@pytest.mark.parametrize("code", ["", "nonsense", "state", "state:nonsense"])
def test_a_code_without_words_says_nothing(code):
    assert content().state_words(Locale.KO).module_change(code) == ""


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("kind", StateKind)
def test_every_kind_of_feedback_is_told_in_the_sessions_language(kind, locale):
    words = content().state_words(locale)
    filled = words.feedback(kind, **dict.fromkeys(FEEDBACK_FIELDS, 3))
    assert "{" not in filled
    assert bool(HANGUL.search(filled)) is (locale is Locale.KO)


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
