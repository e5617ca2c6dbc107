"""`state_words.yaml`: the wording of the user's state for the Counselor and the planner."""

from pydantic import Field, model_validator

from shared.content.schemas.voice import placeholders
from shared.domain.counseling.module import ChoiceCause
from shared.domain.counseling.state_feedback import StateKind
from shared.domain.counseling.user_state import EmotionLabel, StateSignal
from shared.locale import Locale, Localized
from shared.model import Model

STRONG_RESISTANCE = "resistance_strong"
"""Key of the text for one open refusal, which names no count of messages."""
FEEDBACK_FIELDS = frozenset({"emotion", "intensity", "before", "count", "within"})
"""Values that code fills into a reason: names and numbers, never a user's words."""


class StateWordsFile(Model):
    """All words.

    Attributes:
        emotions: Names of emotions.
        module_changes: Reasons for a change of technique, by the session's code; for the Counselor.
        module_reasons: The same in a few words; the session keeps them.
        feedback: Reasons for a re-plan, by `StateKind`, and one for strong resistance.
    """

    emotions: dict[EmotionLabel, Localized]
    module_changes: dict[str, Localized] = Field(min_length=1)
    module_reasons: dict[str, Localized] = Field(min_length=1)
    feedback: dict[str, Localized]

    @model_validator(mode="after")
    def _is_whole(self) -> "StateWordsFile":
        states = {f"state:{one.value}" for one in StateSignal if one is not StateSignal.RISK}
        codes = states | {one.value for one in ChoiceCause if one is not ChoiceCause.STATE}
        missing: dict[str, set[str]] = {
            "emotions": {*EmotionLabel} - set(self.emotions),
            "module_changes": codes - set(self.module_changes),
            "module_reasons": codes - set(self.module_reasons),
            "feedback": {*StateKind, STRONG_RESISTANCE} - set(self.feedback),
        }
        for field, keys in missing.items():
            if keys:
                raise ValueError(f"{field}: no words for {sorted(keys)}")
        for key, text in self.feedback.items():
            if unknown := (placeholders(text.ko) | placeholders(text.en)) - FEEDBACK_FIELDS:
                raise ValueError(f"{key}: unknown placeholder {{{min(unknown)}}}; there are {sorted(FEEDBACK_FIELDS)}")
        return self


class StateWords:
    def __init__(self, file: StateWordsFile, locale: Locale) -> None:
        self._file = file
        self._locale = locale

    def module_change(self, code: str) -> str:
        """Return the reason for a change of technique, for the Counselor; empty for an unknown code."""
        return self._by_code(self._file.module_changes, code)

    def module_reason(self, code: str) -> str:
        """Return the reason for a change of technique, as the session keeps it; empty for an unknown code."""
        return self._by_code(self._file.module_reasons, code)

    def emotion(self, label: EmotionLabel) -> str:
        return self._file.emotions[label].at(self._locale)

    def feedback(self, kind: str, **values: object) -> str:
        """Return the reason of a feedback by its kind, or `STRONG_RESISTANCE`; surplus values are ignored."""
        return self._file.feedback[kind].at(self._locale).format_map(values)

    def _by_code(self, words: dict[str, Localized], code: str) -> str:
        found = words.get(code) or words.get(code.partition(":")[0])
        return found.at(self._locale) if found else ""
