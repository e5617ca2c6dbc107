"""The one door of the safety rules: text in, a screened message out; normalised once, and carried through the turn.

CPU only: no model, no store, and nothing of it is kept.
"""

from dataclasses import dataclass, field
from itertools import chain

from shared.safety.abuse import AbuseFinding, abuse_in
from shared.safety.ages import StatedAge, stated_age
from shared.safety.crisis import Finding, finding_of
from shared.safety.levels import CrisisOutcome, most_pressing
from shared.safety.matcher import Match, Matcher, Rule
from shared.safety.needs import Need, needs_of, union
from shared.safety.normalise import normalise
from shared.safety.reading import Reading


@dataclass(frozen=True)
class ScreenedMessage:
    """A message and what the rules find in it; refusals heed it, and nothing reads the message again.

    Attributes:
        text: As it was written; never logged, so it is not shown by `repr`.
        readings: Its normalised readings (normalise.py), the plain one first.
        age: The writer's, where they state it.
    """

    text: str = field(default="", repr=False)
    readings: tuple[Reading, ...] = field(default=(), repr=False)
    crisis: Finding = field(default_factory=Finding)
    abuse: AbuseFinding = field(default_factory=AbuseFinding)
    age: StatedAge | None = None

    @property
    def outcome(self) -> CrisisOutcome:
        """The most pressing finding."""
        return most_pressing(self.crisis.outcome, self.abuse.outcome)

    @property
    def pressing(self) -> bool:
        """Whether the protocol answers the message: then it is not refused for what a model would cost."""
        return self.outcome.needs_protocol

    @property
    def needs(self) -> tuple[Need, ...]:
        """What kind of help it calls for, the most urgent first."""
        found = sorted({*self.crisis.outcomes, self.abuse.outcome}, key=lambda one: (-one.severity, one))
        return union(*map(needs_of, found), self.abuse.needs)

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """Every rule that found something."""
        return (*self.crisis.rule_ids, *self.abuse.rule_ids)


END = 4000
"""Characters that are read at each end of a text that is too long for a message: a message's length."""


class Screening:
    """Reads messages with the rules."""

    def __init__(self, rules: Matcher) -> None:
        """Take the rules of every family."""
        self._rules = rules

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules."""
        return self._rules.rules

    def screen(self, text: str) -> ScreenedMessage:
        """Return a message with what the rules find in it; never raises, whatever the text."""
        readings = readings_of(text)
        found = [self._matches(reading) for reading in readings]
        together = list(chain.from_iterable(found))
        return ScreenedMessage(
            text=text,
            readings=readings,
            crisis=finding_of(found),
            abuse=abuse_in(together),
            age=stated_age(together),
        )

    def matches(self, text: str) -> list[Match]:
        """Return every match in a message, lowered ones included, to explain what was found."""
        return list(chain.from_iterable(map(self._matches, readings_of(text))))

    def _matches(self, reading: Reading) -> list[Match]:
        return list(self._rules.matches(reading))


def readings_of(text: str) -> tuple[Reading, ...]:
    """Return the normalised readings of a text."""
    return tuple(map(Reading, normalise(text)))


def ends_of(text: str) -> str:
    """Return a text of at most twice the length of a message: all of it, or its two ends as two paragraphs."""
    return text if len(text) <= 2 * END else f"{text[:END]}\n\n{text[-END:]}"
