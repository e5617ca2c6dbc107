"""Screens messages with the safety rules, once per message; the turn carries the result.

CPU only: no model and no store.
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
    """A message and its safety findings; nothing screens the message again.

    Attributes:
        text: As written; hidden in `repr`, since it must not be logged.
        readings: Normalised readings (normalise.py), the plain one first.
        age: The writer's age, if stated.
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
        """Whether the protocol answers the message, so that model budgets do not refuse it."""
        return self.outcome.needs_protocol

    @property
    def needs(self) -> tuple[Need, ...]:
        """Needed kinds of help, most urgent first."""
        found = sorted({*self.crisis.outcomes, self.abuse.outcome}, key=lambda one: (-one.severity, one))
        return union(*map(needs_of, found), self.abuse.needs)

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """Ids of all rules with a finding."""
        return (*self.crisis.rule_ids, *self.abuse.rule_ids)


END = 4000
"""Characters read at each end of a text that is too long for a message: the length of a message."""


class Screening:
    """Screens messages with the rules."""

    def __init__(self, rules: Matcher) -> None:
        self._rules = rules

    @property
    def rules(self) -> tuple[Rule, ...]:
        return self._rules.rules

    def screen(self, text: str) -> ScreenedMessage:
        """Return a message with its safety findings; never raises."""
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
        """Return every match in a message, lowered ones included, for explanations."""
        return list(chain.from_iterable(map(self._matches, readings_of(text))))

    def _matches(self, reading: Reading) -> list[Match]:
        return list(self._rules.matches(reading))


def readings_of(text: str) -> tuple[Reading, ...]:
    return tuple(map(Reading, normalise(text)))


def ends_of(text: str) -> str:
    """Return a text of at most twice the length of a message: all of it, or its two ends as paragraphs."""
    return text if len(text) <= 2 * END else f"{text[:END]}\n\n{text[-END:]}"
