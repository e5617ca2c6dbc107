"""What the safety gate can find, and where each finding routes the conversation.

The words route; they predict nothing and are never shown (NICE NG225, recommendation 1.6: do not use risk
assessment tools and scales to predict future suicide or repetition of self-harm).
"""

from enum import IntEnum, StrEnum
from typing import assert_never


class RiskLevel(IntEnum):
    """Where the conversation is routed; never shown or stored as a prediction (NICE NG225)."""

    NONE = 0
    """Nothing was found."""
    CONCERN = 1
    """Unclear: ask directly."""
    CRISIS = 2
    """Ideation, self-harm, a wish to disappear."""
    IMMINENT = 3
    """Means, time, place, an act under way."""


class CrisisOutcome(StrEnum):
    """What a message was found to say; declared from the least to the most pressing."""

    NONE = "none"
    """Nothing was found."""
    CONCERN = "concern"
    """Unclear (panic, exhaustion, bereavement by suicide, a denial): ask directly."""
    THIRD_PARTY = "third_party"
    """Somebody else is at risk: help the helper."""
    CRISIS = "crisis"
    """Suicidal ideation, self-harm, a wish to disappear or not to wake."""
    HARM_TO_OTHERS = "harm_to_others"
    """A wish, threat or plan to hurt or kill somebody else."""
    IMMINENT = "imminent"
    """Means at hand, a time, a place, a farewell, an act under way."""

    @property
    def severity(self) -> int:
        """How pressing it is, 0 for none: decides when one message holds several findings."""
        return tuple(CrisisOutcome).index(self)

    @property
    def needs_protocol(self) -> bool:
        """Whether the fixed reply answers this turn instead of the model."""
        return self.severity >= CrisisOutcome.THIRD_PARTY.severity


def risk_level(outcome: CrisisOutcome) -> RiskLevel:
    """Return the risk of the *user* that `outcome` stands for.

    Worry about somebody else is a concern for the user too (the helper is asked), but no crisis of their own.
    """
    match outcome:
        case CrisisOutcome.NONE:
            return RiskLevel.NONE
        case CrisisOutcome.CONCERN | CrisisOutcome.THIRD_PARTY:
            return RiskLevel.CONCERN
        case CrisisOutcome.CRISIS | CrisisOutcome.HARM_TO_OTHERS:
            return RiskLevel.CRISIS
        case CrisisOutcome.IMMINENT:
            return RiskLevel.IMMINENT
        case _:
            assert_never(outcome)
