"""The user's state as one turn saw it."""

from enum import StrEnum

from pydantic import Field

from shared.domain.model import Model
from shared.domain.safety.levels import RiskLevel

STRONG_EMOTION = 7
"""Intensity (0-10) from which an emotion asks for regulation rather than exploration. Own threshold."""
CLEAR_EMOTION = 4
"""Intensity from which an emotion is answered before the task goes on. Own threshold."""


class Resistance(StrEnum):
    """How the user meets the conversation."""

    NONE = "none"
    MILD = "mild"
    """Short, evasive, doubting."""
    STRONG = "strong"
    """Refuses, attacks, or wants to stop."""


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


class StateSignal(StrEnum):
    """A finding that a module answers; declared most pressing first."""

    RISK = "risk"
    RESISTANCE = "resistance"
    STRONG_EMOTION = "strong_emotion"
    TOPIC_CHANGE = "topic_change"
    CIRCULAR = "circular"
    CLEAR_EMOTION = "clear_emotion"


class UserState(Model):
    """One reading of the user.

    Attributes:
        intensity: Of the emotion, 0 (none) to 10.
        evidence: A quote from the user's message, or empty.
    """

    resistance: Resistance = Resistance.NONE
    emotion: EmotionLabel = EmotionLabel.NEUTRAL
    intensity: int = Field(default=0, ge=0, le=10)
    topic_changed: bool = False
    circular: bool = False
    risk: RiskLevel = RiskLevel.NONE
    evidence: str = ""

    def signals(self) -> tuple[StateSignal, ...]:
        """Return what asks for an answer, most pressing first."""
        found = {
            StateSignal.RISK: self.risk >= RiskLevel.CRISIS,
            StateSignal.RESISTANCE: self.resistance is Resistance.STRONG,
            StateSignal.STRONG_EMOTION: self.intensity >= STRONG_EMOTION,
            StateSignal.TOPIC_CHANGE: self.topic_changed,
            StateSignal.CIRCULAR: self.circular,
            StateSignal.CLEAR_EMOTION: CLEAR_EMOTION <= self.intensity < STRONG_EMOTION,
        }
        return tuple(signal for signal, present in found.items() if present)


_RESISTANCE_ORDER = (Resistance.NONE, Resistance.MILD, Resistance.STRONG)


def combine(by_rule: UserState, by_model: UserState) -> UserState:
    """Join the rules' reading and the model's: the stronger of each, and risk is never lowered."""
    stronger = max(by_rule, by_model, key=lambda state: state.intensity)
    return UserState(
        resistance=max(by_rule.resistance, by_model.resistance, key=_RESISTANCE_ORDER.index),
        emotion=stronger.emotion,
        intensity=stronger.intensity,
        topic_changed=by_rule.topic_changed or by_model.topic_changed,
        circular=by_rule.circular or by_model.circular,
        risk=max(by_rule.risk, by_model.risk),
        evidence=by_model.evidence or by_rule.evidence,
    )
