"""Self-report measures (PHQ-9, GAD-7): scoring, and when a session offers them.

A score describes the last two weeks as the user sees them. It is never a diagnosis and never steers the conversation;
only the item about self-harm goes to the safety gate.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from shared.domain.errors import AnswersDoNotFit
from shared.domain.records import Record
from shared.locale import Locale
from shared.model import Model
from shared.safety.levels import CrisisOutcome

MOST = 3
"""The highest answer: nearly every day."""


class MeasureId(StrEnum):
    PHQ9 = "phq9"
    GAD7 = "gad7"


ITEMS = {MeasureId.PHQ9: 9, MeasureId.GAD7: 7}
"""Number of items, all of which must be answered."""


class Moment(StrEnum):
    """When in a session a measure is answered."""

    START = "start"
    """Before the first message."""
    END = "end"
    """After the end."""


class Band(Model):
    """A range of totals.

    Attributes:
        highest: The highest total in it.
    """

    id: str
    highest: int = Field(ge=0)


class Scale(Model):
    """How the answers to a measure are scored.

    Attributes:
        items: Ids of the items in the order in which they are asked.
        bands: In ascending order; the last one ends at the highest possible total.
        self_harm_item: The item about death or self-harm; None without one.
    """

    measure: MeasureId
    items: tuple[str, ...] = Field(min_length=1)
    bands: tuple[Band, ...] = Field(min_length=1)
    self_harm_item: str | None = None

    @property
    def highest(self) -> int:
        """The highest possible total."""
        return MOST * len(self.items)


class Score(Model):
    """A scored measure.

    Attributes:
        self_harm: The answer to the item about self-harm; 0 without such an item.
    """

    total: int = Field(ge=0)
    highest: int = Field(ge=0)
    band: str
    self_harm: int = Field(default=0, ge=0, le=MOST)


class MeasureResult(Score):
    """A result as the session keeps it, one per measure and moment.

    Attributes:
        seq: The session's newest turn at that time.
        highest_self_harm: The highest answer about self-harm at this moment, that of replaced results included.
    """

    measure: MeasureId
    moment: Moment
    seq: int = Field(ge=0)
    at: datetime
    highest_self_harm: int = Field(default=0, ge=0, le=MOST)


class MeasureAnswers(Record):
    """The answers to a measure. Id: `{measure}-{moment}`; later answers at the same moment replace them.

    Attributes:
        answers: By item, since the order of the items differs between languages.
        locale: The language in which the items were shown.
    """

    collection: ClassVar[str] = "measures"
    measure: MeasureId
    moment: Moment
    locale: Locale
    answers: Mapping[str, int]
    result: Score
    seq: int


def answers_of(scale: Scale, given: Sequence[int]) -> dict[str, int]:
    """Return answers, given in the order of the items, by item.

    Raises:
        AnswersDoNotFit: An item has no answer, there are too many answers, or one is out of range.
    """
    if len(given) != len(scale.items) or any(not 0 <= answer <= MOST for answer in given):
        raise AnswersDoNotFit(len(scale.items), MOST)
    return dict(zip(scale.items, given, strict=True))


def score(scale: Scale, answers: Mapping[str, int]) -> Score:
    total = sum(answers[item] for item in scale.items)
    return Score(
        total=total,
        highest=scale.highest,
        band=next(band.id for band in scale.bands if total <= band.highest),
        self_harm=answers[scale.self_harm_item] if scale.self_harm_item else 0,
    )


def outcome_of(self_harm: int) -> CrisisOutcome:
    """Return what an answer about self-harm means for the safety gate: asked about directly, or a crisis.

    "Nearly every day" is a crisis. Any other answer above 0 may be a passing thought or a plan, which only the direct
    question tells apart.
    """
    if self_harm == MOST:
        return CrisisOutcome.CRISIS
    return CrisisOutcome.CONCERN if self_harm else CrisisOutcome.NONE
