"""Outcomes of the safety screening, and how each routes the conversation.

They route only; they predict nothing and are never shown (NICE NG225, recommendation 1.6: do not use risk assessment
tools and scales to predict future suicide or repetition of self-harm).
"""

from enum import IntEnum, StrEnum
from typing import assert_never


class RiskLevel(IntEnum):
    """How the conversation is routed; never shown or stored as a prediction (NICE NG225)."""

    NONE = 0
    CONCERN = 1
    """Unclear: ask directly."""
    CRISIS = 2
    """Ideation, self-harm, a wish to disappear."""
    IMMINENT = 3
    """Means, time, place, an act under way."""


class CrisisOutcome(StrEnum):
    """What a message tells, from least to most pressing."""

    NONE = "none"
    ABUSE_TOLD = "abuse_told"
    """Violence that is past, or cruelty without physical danger: believed, and left to the counsellor."""
    CONCERN = "concern"
    """Unclear (panic, exhaustion, bereavement by suicide, a denial): ask directly."""
    THIRD_PARTY = "third_party"
    """Another person is at risk: support the user as a helper."""
    ABUSE = "abuse"
    """Violence that goes on or is not said to be over: domestic, sexual, digital, stalking, at school or work."""
    THIRD_PARTY_NOW = "third_party_now"
    """Another person's life is in danger now: the user must call an ambulance."""
    CRISIS = "crisis"
    """Suicidal ideation, self-harm, a wish to disappear or not to wake."""
    HARM_TO_OTHERS = "harm_to_others"
    """A wish, threat or plan to hurt or kill another person."""
    ATTEMPTED = "attempted"
    """An attempt within days: the body needs care, however well the user feels."""
    ABUSE_NOW = "abuse_now"
    """Violence at this moment: hiding, fleeing, the offender at the door, a weapon, an injury."""
    IMMINENT = "imminent"
    """Means at hand, a time, a place, a farewell, an act under way."""

    @property
    def severity(self) -> int:
        """Order of urgency, 0 for none."""
        return _SEVERITY[self]

    @property
    def needs_protocol(self) -> bool:
        """Whether the crisis protocol answers this turn instead of the model."""
        return self.severity >= CrisisOutcome.THIRD_PARTY.severity


_SEVERITY = {outcome: place for place, outcome in enumerate(CrisisOutcome)}


class Danger(StrEnum):
    """What a crisis endangers; several may hold at once."""

    OWN_LIFE = "own_life"
    OTHERS = "others"
    """Another person, by the user."""
    VIOLENCE = "violence"
    """The user, by another person, at this moment."""
    BODY = "body"
    """The user, by what they have already done to themselves."""


def danger_of(outcome: CrisisOutcome) -> Danger | None:
    """Return the danger of `outcome`, or None if it is no crisis of the user.

    An attempt endangers the life; reassurance.py adds the body.
    """
    match outcome:
        case CrisisOutcome.HARM_TO_OTHERS:
            return Danger.OTHERS
        case CrisisOutcome.ABUSE_NOW:
            return Danger.VIOLENCE
        case _:
            return Danger.OWN_LIFE if risk_level(outcome) >= RiskLevel.CRISIS else None


def most_pressing(*outcomes: CrisisOutcome) -> CrisisOutcome:
    """Return the most pressing outcome: another reader never lowers a rule's finding."""
    return max(outcomes, key=lambda outcome: outcome.severity, default=CrisisOutcome.NONE)


def risk_level(outcome: CrisisOutcome) -> RiskLevel:
    """Return the risk of the *user* for `outcome`.

    Worry about another person is a concern for the user too, but no crisis of their own. Ongoing violence is asked
    about and followed up for some turns; it may last for years and does not stop the session.
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
