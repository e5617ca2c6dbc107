"""The user's state in one turn."""

from enum import StrEnum

from pydantic import Field

from shared.model import Model
from shared.safety.levels import RiskLevel

STRONG_EMOTION = 7
"""Intensity (0-10) from which an emotion needs regulation rather than exploration."""
CLEAR_EMOTION = 4
"""Intensity from which the reply answers an emotion before the task."""


class Resistance(StrEnum):
    """How the user meets the conversation."""

    NONE = "none"
    MILD = "mild"
    """Short, evasive, doubting."""
    STRONG = "strong"
    """Refuses, attacks or wants to stop."""


class EmotionLabel(StrEnum):
    """The leading emotion."""

    NEUTRAL = "neutral"
    SADNESS = "sadness"
    ANXIETY = "anxiety"
    ANGER = "anger"
    SHAME = "shame"
    LONELINESS = "loneliness"
    EXHAUSTION = "exhaustion"
    CONFUSION = "confusion"
    RELIEF = "relief"
    JOY = "joy"


PLEASANT = frozenset({EmotionLabel.RELIEF, EmotionLabel.JOY})
"""Emotions that need no regulation, however strong."""


class EmotionChange(StrEnum):
    """How the emotion stands to those of the turns before; `readings.compare` finds it."""

    NONE = "none"
    TURNED = "turned"
    """From pleasant to unpleasant."""
    RISE = "rise"
    """Sharply stronger than before."""
    SUSTAINED = "sustained"
    """Strong for several turns."""
    EASED = "eased"
    """Weaker than before."""


_UNSETTLED = frozenset({EmotionChange.TURNED, EmotionChange.RISE, EmotionChange.SUSTAINED})


class StateSignal(StrEnum):
    """Findings that a module answers, most pressing first."""

    RISK = "risk"
    RESISTANCE = "resistance"
    STRONG_EMOTION = "strong_emotion"
    EMOTION_CHANGE = "emotion_change"
    TOPIC_CHANGE = "topic_change"
    CIRCULAR = "circular"
    EASED = "eased"
    CLEAR_EMOTION = "clear_emotion"


class UserState(Model):
    """One reading of the user's state.

    Attributes:
        intensity: Of the emotion, 0 (none) to 10.
        emotion_change: Against the previous readings.
        resistance_persists: Mild resistance that lasts (`readings.compare`).
        evidence: A quote from the user's message, or "".
    """

    resistance: Resistance = Resistance.NONE
    emotion: EmotionLabel = EmotionLabel.NEUTRAL
    intensity: int = Field(default=0, ge=0, le=10)
    emotion_change: EmotionChange = EmotionChange.NONE
    resistance_persists: bool = False
    topic_changed: bool = False
    circular: bool = False
    risk: RiskLevel = RiskLevel.NONE
    evidence: str = ""

    @property
    def pleasant(self) -> bool:
        """Whether the emotion is pleasant."""
        return self.emotion in PLEASANT

    @property
    def troubled(self) -> bool:
        """Whether there is a clear unpleasant emotion."""
        return not self.pleasant and self.intensity >= CLEAR_EMOTION

    @property
    def distressed(self) -> bool:
        """Whether there is a strong unpleasant emotion."""
        return not self.pleasant and self.intensity >= STRONG_EMOTION

    def signals(self) -> tuple[StateSignal, ...]:
        """Return the findings that need an answer, most pressing first."""
        found = {
            StateSignal.RISK: self.risk >= RiskLevel.CRISIS,
            StateSignal.RESISTANCE: self.resistance is Resistance.STRONG or self.resistance_persists,
            StateSignal.STRONG_EMOTION: self.distressed,
            StateSignal.EMOTION_CHANGE: self.emotion_change in _UNSETTLED,
            StateSignal.TOPIC_CHANGE: self.topic_changed,
            StateSignal.CIRCULAR: self.circular,
            StateSignal.EASED: self.emotion_change is EmotionChange.EASED,
            StateSignal.CLEAR_EMOTION: self.intensity >= CLEAR_EMOTION and not self.distressed,
        }
        return tuple(signal for signal, present in found.items() if present)


_RESISTANCE_ORDER = (Resistance.NONE, Resistance.MILD, Resistance.STRONG)


def combine(by_rule: UserState, by_model: UserState) -> UserState:
    """Merge the readings of rules and model: the stronger value of each, and risk is never lowered.

    The change of emotion is the model's proposal, which `readings.compare` checks.
    """
    stronger = max(by_rule, by_model, key=lambda state: state.intensity)
    return UserState(
        resistance=max(by_rule.resistance, by_model.resistance, key=_RESISTANCE_ORDER.index),
        emotion=stronger.emotion,
        intensity=stronger.intensity,
        emotion_change=by_model.emotion_change,
        topic_changed=by_rule.topic_changed or by_model.topic_changed,
        circular=by_rule.circular or by_model.circular,
        risk=max(by_rule.risk, by_model.risk),
        evidence=by_model.evidence or by_rule.evidence,
    )
