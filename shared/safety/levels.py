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
    ABUSE_TOLD = "abuse_told"
    """Violence that is past, or cruelty without danger to the body: believed, and left to the counsellor."""
    CONCERN = "concern"
    """Unclear (panic, exhaustion, bereavement by suicide, a denial): ask directly."""
    THIRD_PARTY = "third_party"
    """Somebody else is at risk: help the helper."""
    ABUSE = "abuse"
    """Violence that goes on, or that nobody says is over: domestic, sexual, digital, stalking, at school or work."""
    THIRD_PARTY_NOW = "third_party_now"
    """Somebody else's life is in danger at this moment: the helper is to call an ambulance."""
    CRISIS = "crisis"
    """Suicidal ideation, self-harm, a wish to disappear or not to wake."""
    HARM_TO_OTHERS = "harm_to_others"
    """A wish, threat or plan to hurt or kill somebody else."""
    ATTEMPTED = "attempted"
    """An attempt within days: the body is to be seen to, however well they feel."""
    ABUSE_NOW = "abuse_now"
    """Violence at this moment: hiding, fleeing, the other at the door, a weapon, an injury."""
    IMMINENT = "imminent"
    """Means at hand, a time, a place, a farewell, an act under way."""

    @property
    def severity(self) -> int:
        """How pressing it is, 0 for none: decides when one message holds several findings."""
        return _SEVERITY[self]

    @property
    def needs_protocol(self) -> bool:
        """Whether the fixed reply answers this turn instead of the model."""
        return self.severity >= CrisisOutcome.THIRD_PARTY.severity


_SEVERITY = {outcome: place for place, outcome in enumerate(CrisisOutcome)}


class Danger(StrEnum):
    """What a crisis puts in danger; somebody may be in several kinds at once."""

    OWN_LIFE = "own_life"
    OTHERS = "others"
    """Somebody else, by the user."""
    VIOLENCE = "violence"
    """The user, by somebody else, at this moment."""
    BODY = "body"
    """The user, by what they have done to themselves already."""


def danger_of(outcome: CrisisOutcome) -> Danger | None:
    """Return the danger that `outcome` is a crisis of, or None where it is no crisis of the user's own.

    Whoever has attempted is in danger of their life, and their body beside it (reassurance.py).
    """
    match outcome:
        case CrisisOutcome.HARM_TO_OTHERS:
            return Danger.OTHERS
        case CrisisOutcome.ABUSE_NOW:
            return Danger.VIOLENCE
        case _:
            return Danger.OWN_LIFE if risk_level(outcome) >= RiskLevel.CRISIS else None


def most_pressing(*outcomes: CrisisOutcome) -> CrisisOutcome:
    """Return the most pressing of several; what a rule found is never lowered by what another reader thinks."""
    return max(outcomes, key=lambda outcome: outcome.severity, default=CrisisOutcome.NONE)


def risk_level(outcome: CrisisOutcome) -> RiskLevel:
    """Return the risk of the *user* that `outcome` stands for.

    Worry about somebody else is a concern for the user too (the helper is asked), but no crisis of their own. Violence
    that goes on is asked about and followed for some turns; it may last for years, and the talk is not held up for it.
    """
    match outcome:
        case CrisisOutcome.NONE | CrisisOutcome.ABUSE_TOLD:
            return RiskLevel.NONE
        case CrisisOutcome.CONCERN | CrisisOutcome.THIRD_PARTY | CrisisOutcome.ABUSE | CrisisOutcome.THIRD_PARTY_NOW:
            return RiskLevel.CONCERN
        case CrisisOutcome.CRISIS | CrisisOutcome.HARM_TO_OTHERS:
            return RiskLevel.CRISIS
        case CrisisOutcome.ATTEMPTED | CrisisOutcome.IMMINENT | CrisisOutcome.ABUSE_NOW:
            return RiskLevel.IMMINENT
        case _:
            assert_never(outcome)
