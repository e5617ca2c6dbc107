"""The state of risk between turns: raised by findings, left only by the user's own word or a review.

One question is asked again and again in the follow-through, so one "I am safe" is politeness as often as it is an
answer: two are needed (safety.md, Crisis 4; own threshold, no literature gives a number).
"""

from pydantic import Field

from shared.domain.model import Model
from shared.domain.safety.detector import Finding
from shared.domain.safety.levels import CrisisOutcome, RiskLevel, most_pressing, risk_level
from shared.domain.safety.needs import Need, needs_of, union

SAFE_STATEMENTS_NEEDED = 2
"""How often the user says that they are safe before the follow-through is left (safety.md, Crisis 4)."""
RESOURCES_EVERY = 3
"""Turns between two resource blocks (safety.md, Crisis 4)."""
ATTENDED_TURNS = RESOURCES_EVERY
"""Turns in which the talk stays with somebody else's danger, or with violence that goes on. Own figure: as long as it
takes to ask, to say how to help, and to show the resources once more."""
_ATTENDED = frozenset({CrisisOutcome.THIRD_PARTY, CrisisOutcome.ABUSE})


class Risk(Model):
    """Where the conversation stands.

    Attributes:
        outcome: The most pressing finding since the risk was raised.
        since_seq: Turn in which the risk was raised; None while there is none.
        last_seq: Turn of the newest finding; None while there is none.
        safe_statements: How often the user has said that they are safe since then.
        turns_since: Turns since the newest finding, which itself showed the resources.
        needs: What all findings since then call for.
    """

    level: RiskLevel = RiskLevel.NONE
    outcome: CrisisOutcome = CrisisOutcome.NONE
    since_seq: int | None = None
    last_seq: int | None = None
    safe_statements: int = Field(default=0, ge=0)
    turns_since: int = Field(default=0, ge=0)
    needs: tuple[Need, ...] = ()

    @property
    def follow_through(self) -> bool:
        """Whether the next turns run with `crisis_support`, without wrap-up or Part transition."""
        return self.level >= RiskLevel.CRISIS

    @property
    def attended(self) -> bool:
        """Whether the talk stays for some turns with what was found, though nothing is held up for it."""
        return not self.follow_through and self.outcome in _ATTENDED and self.turns_since <= ATTENDED_TURNS


def escalate(risk: Risk, finding: Finding, seq: int, needs: tuple[Need, ...] = ()) -> Risk:
    """Return `risk` after `finding` in turn `seq`; never lower than before.

    A lesser finding inside a follow-through ("죽고 싶은 건 아니에요") neither restarts it nor takes back what the user
    said about being safe; it only adds what it calls for.

    Args:
        risk: As it was.
        finding: What was found.
        seq: The turn.
        needs: What it calls for beside what its outcome does.
    """
    found = risk_level(finding.outcome)
    if found is RiskLevel.NONE:
        return risk
    called_for = union(risk.needs, needs_of(finding.outcome), needs)
    if risk.follow_through and found < RiskLevel.CRISIS:
        return risk.model_copy(update={"needs": called_for})
    return Risk(
        level=max(risk.level, found),
        outcome=most_pressing(risk.outcome, finding.outcome),
        since_seq=seq if risk.since_seq is None else risk.since_seq,
        last_seq=seq,
        needs=called_for,
    )


def observe_turn(risk: Risk, said_safe: bool) -> Risk:
    """Return `risk` after a turn without a new finding; no risk once the user has said twice that they are safe."""
    if risk.level is RiskLevel.NONE:
        return risk
    safe_statements = risk.safe_statements + said_safe
    if safe_statements >= SAFE_STATEMENTS_NEEDED:
        return Risk()
    return risk.model_copy(update={"safe_statements": safe_statements, "turns_since": risk.turns_since + 1})


def reviewed(risk: Risk, seq: int) -> Risk:
    """Return `risk` after a person has looked at everything up to turn `seq`: none, but for a newer finding."""
    newer = risk.last_seq is not None and risk.last_seq > seq
    return risk if newer or risk.level is RiskLevel.NONE else Risk()


def needs_now(risk: Risk) -> tuple[Need, ...]:
    """Return what the resources are to serve; without any finding, whoever asks for help."""
    return risk.needs or needs_of(risk.outcome) or (Need.LIFE,)


def resources_due(risk: Risk) -> bool:
    """Return whether this turn's reply ends with the resource block, whatever the model wrote."""
    followed = risk.follow_through or risk.attended
    return followed and risk.turns_since > 0 and risk.turns_since % RESOURCES_EVERY == 0
