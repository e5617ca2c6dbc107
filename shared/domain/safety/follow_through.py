"""The state of risk between turns: raised by findings, left only by the user's own word or a review.

One question is asked again and again in the follow-through, so one "I am safe" is politeness as often as it is an
answer: two are needed (safety.md, Crisis 4; own threshold, no literature gives a number).
"""

from pydantic import Field

from shared.domain.model import Model
from shared.domain.safety.detector import Finding
from shared.domain.safety.levels import CrisisOutcome, RiskLevel, risk_level

SAFE_STATEMENTS_NEEDED = 2
"""How often the user says that they are safe before the follow-through is left (safety.md, Crisis 4)."""
RESOURCES_EVERY = 3
"""Turns between two resource blocks (safety.md, Crisis 4)."""


class Risk(Model):
    """Where the conversation stands.

    Attributes:
        outcome: The most pressing finding since the risk was raised.
        since_seq: Turn in which the risk was raised; None while there is none.
        last_seq: Turn of the newest finding; None while there is none.
        safe_statements: How often the user has said that they are safe since then.
        turns_since: Turns since the newest finding, which itself showed the resources.
    """

    level: RiskLevel = RiskLevel.NONE
    outcome: CrisisOutcome = CrisisOutcome.NONE
    since_seq: int | None = None
    last_seq: int | None = None
    safe_statements: int = Field(default=0, ge=0)
    turns_since: int = Field(default=0, ge=0)

    @property
    def follow_through(self) -> bool:
        """Whether the next turns run with `crisis_support`, without wrap-up or Part transition."""
        return self.level >= RiskLevel.CRISIS


def escalate(risk: Risk, finding: Finding, seq: int) -> Risk:
    """Return `risk` after `finding` in turn `seq`; never lower than before.

    A bare concern inside a follow-through ("죽고 싶은 건 아니에요") neither restarts it nor takes back what the user
    said about being safe.
    """
    found = risk_level(finding.outcome)
    if found is RiskLevel.NONE or (risk.follow_through and found < RiskLevel.CRISIS):
        return risk
    return Risk(
        level=max(risk.level, found),
        outcome=max(risk.outcome, finding.outcome, key=lambda outcome: outcome.severity),
        since_seq=seq if risk.since_seq is None else risk.since_seq,
        last_seq=seq,
    )


def observe_turn(risk: Risk, said_safe: bool) -> Risk:
    """Return `risk` after a turn without a new finding; no risk once the user has said twice that they are safe."""
    if risk.level is RiskLevel.NONE:
        return risk
    safe_statements = risk.safe_statements + said_safe
    if safe_statements >= SAFE_STATEMENTS_NEEDED:
        return Risk()
    return risk.model_copy(update={"safe_statements": safe_statements, "turns_since": risk.turns_since + 1})


def resources_due(risk: Risk) -> bool:
    """Return whether this turn's reply ends with the resource block, whatever the model wrote."""
    return risk.follow_through and risk.turns_since > 0 and risk.turns_since % RESOURCES_EVERY == 0
