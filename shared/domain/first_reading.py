"""What the safety rules find in a message when it comes, before anything else is decided about it; holds no text."""

from shared.model import Model
from shared.safety.abuse import AbuseFinding
from shared.safety.detector import Finding
from shared.safety.levels import CrisisOutcome, most_pressing
from shared.safety.needs import Need, needs_of, union


class FirstReading(Model):
    """Goes with the message: refusals heed it, and the turn's safety gate need not read again."""

    crisis: Finding = Finding()
    abuse: AbuseFinding = AbuseFinding()

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
        """Every rule that spoke."""
        return (*self.crisis.rule_ids, *self.abuse.rule_ids)
