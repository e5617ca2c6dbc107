"""The usual reasons for which people look for counselling."""

from enum import StrEnum

from shared.model import Model


class Reason(StrEnum):
    """What the user came with; each has plans of Part 2 (`part2_reasons.yaml`)."""

    GRIEF = "grief"
    MILITARY = "military"
    PARENTING = "parenting"
    STUDY = "study"
    """Study, exams and looking for work."""
    BURNOUT = "burnout"
    WORK_STRESS = "work_stress"
    FAMILY_CONFLICT = "family_conflict"
    RELATIONSHIP = "relationship"
    LONELINESS = "loneliness"
    SELF_ESTEEM = "self_esteem"
    ANGER = "anger"
    SLEEP = "sleep"
    ANXIETY = "anxiety"
    LOW_MOOD = "low_mood"


class ReasonHeard(Model):
    """A reason and the user's words that show it."""

    reason: Reason
    quote: str
