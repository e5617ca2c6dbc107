"""The state of risk between turns: raised by findings, left only by the user's own word or a review.

One question is asked again and again in the follow-through, so one "I am safe" is politeness as often as it is an
answer: two are needed (safety.md, Crisis 4; own threshold, no literature gives a number). One of them must say it in so
many words: sudden calm and company are also what is told by somebody who has decided. Whoever is in several dangers
answers each before the follow-through is left.
"""

from collections.abc import Collection

from pydantic import Field

from shared.model import Model
from shared.safety.abuse import AT_HOME, AbuseKind
from shared.safety.crisis import Finding
from shared.safety.levels import CrisisOutcome, Danger, RiskLevel, most_pressing, risk_level
from shared.safety.needs import Need, needs_of, union
from shared.safety.reassurance import Reassurance, answered, comforts, dangers

SAFE_STATEMENTS_NEEDED = 2
"""How often the user says that they are safe before the follow-through is left (safety.md, Crisis 4)."""
RESOURCES_EVERY = 3
"""Turns between two resource blocks (safety.md, Crisis 4)."""
ATTENDED_TURNS = RESOURCES_EVERY
"""Turns in which the talk stays with somebody else's danger, or with violence that goes on. As long as it
takes to ask, to say how to help, and to show the resources once more."""
_ATTENDED = frozenset({CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW, CrisisOutcome.ABUSE})


class Risk(Model):
    """Where the conversation stands.

    Attributes:
        outcome: The most pressing finding since the risk was raised.
        since_seq: Turn in which the risk was raised; None while there is none.
        last_seq: Turn of the newest finding; None while there is none.
        safe_statements: How often the user has said that they are safe since then.
        turns_since: Turns since the newest finding, which itself showed the resources.
        needs: What all findings since then call for.
        found: Every outcome since then: the most pressing one does not tell of the others.
        said_plainly: Whether anything was answered: sessions stored before `answered` have it, and nothing asks it.
        answered: Every danger against which one of them was.
        asked_seq: Turn whose reply asked whether they want to die; None where none did. A "yes" answers it.
        hurt_by: Every kind of violence that the user has told of; it outlasts the risk, as whom they can trust does.
    """

    level: RiskLevel = RiskLevel.NONE
    outcome: CrisisOutcome = CrisisOutcome.NONE
    since_seq: int | None = None
    last_seq: int | None = None
    safe_statements: int = Field(default=0, ge=0)
    turns_since: int = Field(default=0, ge=0)
    needs: tuple[Need, ...] = ()
    found: tuple[CrisisOutcome, ...] = ()
    said_plainly: bool = False
    answered: tuple[Danger, ...] = ()
    asked_seq: int | None = None
    hurt_by: tuple[AbuseKind, ...] = ()

    @property
    def hurt_at_home(self) -> bool:
        """Whether somebody hurts, or hurt, the user who may be of their family."""
        return not AT_HOME.isdisjoint(self.hurt_by)

    @property
    def follow_through(self) -> bool:
        """Whether the next turns run with `crisis_support`, without wrap-up or Part transition."""
        return self.level >= RiskLevel.CRISIS

    @property
    def attended(self) -> bool:
        """Whether the talk stays for some turns with what was found, though nothing is held up for it."""
        return not self.follow_through and self.outcome in _ATTENDED and self.turns_since <= ATTENDED_TURNS


def escalate(
    risk: Risk, finding: Finding, seq: int, needs: tuple[Need, ...] = (), kinds: tuple[AbuseKind, ...] = ()
) -> Risk:
    """Return `risk` after `finding` in turn `seq`; never lower than before.

    A lesser finding inside a follow-through ("죽고 싶은 건 아니에요") neither restarts it nor takes back what the user
    said about being safe; it only adds what it calls for.

    Args:
        risk: As it was.
        finding: What was found.
        seq: The turn.
        needs: What it calls for beside what its outcomes do.
        kinds: The violence that it tells of.
    """
    level = risk_level(finding.outcome)
    hurt_by = tuple(dict.fromkeys((*risk.hurt_by, *kinds)))
    if level is RiskLevel.NONE:
        return risk.model_copy(update={"hurt_by": hurt_by})
    outcomes = (finding.outcome, *_by_severity(finding.outcomes - {finding.outcome, CrisisOutcome.NONE}))
    known = {
        "needs": union(risk.needs, *(needs_of(outcome) for outcome in outcomes), needs),
        "found": tuple(dict.fromkeys((*risk.found, *outcomes))),
        "hurt_by": hurt_by,
    }
    if risk.follow_through and level < RiskLevel.CRISIS:
        return risk.model_copy(update=known)
    raised = Risk(
        level=max(risk.level, level),
        outcome=most_pressing(risk.outcome, finding.outcome),
        since_seq=seq if risk.since_seq is None else risk.since_seq,
        last_seq=seq,
        asked_seq=risk.asked_seq,
    )
    return raised.model_copy(update=known)


def _by_severity(outcomes: Collection[CrisisOutcome]) -> list[CrisisOutcome]:
    return sorted(outcomes, key=lambda outcome: outcome.severity, reverse=True)


def asked(risk: Risk, seq: int) -> Risk:
    """Return `risk` after the reply of turn `seq` asked whether they want to die."""
    return risk.model_copy(update={"asked_seq": max(seq, risk.asked_seq or 0)})


def observe_turn(risk: Risk, said: Collection[Reassurance] = ()) -> Risk:
    """Return `risk` after a turn without a new finding; none once the user has said twice that they are safe.

    One of the two must be plain: company and calm never suffice by themselves. Where it was imminent, both must be: who
    has called somebody may still hold the means. Each danger must have been answered.
    """
    if risk.level is RiskLevel.NONE:
        return risk
    known = dangers((*risk.found, risk.outcome))
    plain = answered(said, known)
    comforted = CrisisOutcome.IMMINENT not in risk.found and comforts(said, known, hurt_at_home=risk.hurt_at_home)
    statements = risk.safe_statements + (bool(plain) or comforted)
    by_now = plain.union(risk.answered)
    if by_now >= known and statements >= SAFE_STATEMENTS_NEEDED:
        return _over(risk)
    return risk.model_copy(
        update={
            "safe_statements": statements,
            "said_plainly": bool(by_now),
            "answered": tuple(danger for danger in Danger if danger in by_now),
            "turns_since": risk.turns_since + 1,
        }
    )


def reviewed(risk: Risk, seq: int) -> Risk:
    """Return `risk` after a person has looked at everything up to turn `seq`: none, but for a newer finding."""
    newer = risk.last_seq is not None and risk.last_seq > seq
    return risk if newer or risk.level is RiskLevel.NONE else _over(risk)


def _over(risk: Risk) -> Risk:
    return Risk(hurt_by=risk.hurt_by, asked_seq=risk.asked_seq)


def needs_now(risk: Risk) -> tuple[Need, ...]:
    """Return what the resources are to serve; without any finding, whoever asks for help."""
    return union(needs_of(risk.outcome), risk.needs) or (Need.LIFE,)


def resources_due(risk: Risk) -> bool:
    """Return whether this turn's reply ends with the resource block, whatever the model wrote."""
    followed = risk.follow_through or risk.attended
    return followed and risk.turns_since > 0 and risk.turns_since % RESOURCES_EVERY == 0
