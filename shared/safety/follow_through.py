"""The risk state of a conversation: findings raise it; only the user's reassurances or a review end it.

The follow-up repeats its question, so a single "I am safe" may be politeness: two reassurances are needed (no
literature gives a number). One must say it explicitly, since calm and company are also reported by people who have
decided to die. Every danger must be answered before the follow-up ends. See docs/safety.md.
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
"""Reassurances needed to end the follow-up."""
RESOURCES_EVERY = 3
"""Turns between two resource blocks."""
ATTENDED_TURNS = RESOURCES_EVERY
"""Turns in which the conversation stays with another person's danger or ongoing violence: enough to ask, to advise and
to show the resources once more."""
INTAKE_RESTS = 2 * ATTENDED_TURNS
"""Turns without intake after violence or another's danger was told: as long again as the replies stay with it, so that
what it has stirred up can be told."""
WISH = frozenset({CrisisOutcome.CRISIS, CrisisOutcome.CONCERN})
"""The outcomes of a wish to die without anything nearer."""
_NEAR = frozenset({CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED})
_ATTENDED = frozenset({CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW, CrisisOutcome.ABUSE})
_DISCLOSED = _ATTENDED | {CrisisOutcome.ABUSE_TOLD, CrisisOutcome.ABUSE_NOW}


class Risk(Model):
    """Risk state of a conversation.

    Attributes:
        outcome: The most pressing finding since the risk was raised.
        since_seq: Turn in which the risk was raised; None without risk.
        last_seq: Turn of the newest finding; None without risk.
        safe_statements: Reassurances of the user since then.
        turns_since: Turns since the newest finding, whose reply showed the resources.
        needs: Needs of all findings since then; after a denial that was believed they stay, and with them the lines.
        found: All outcomes since then.
        said_plainly: Whether any danger was answered; unused, kept for stored sessions.
        answered: Dangers that a reassurance answered.
        asked_seq: Turn whose reply asked whether the user wants to die; a following "yes" answers it.
        hurt_by: Kinds of violence that the user has told of; kept after the risk ends.
        told_seq: Turn in which violence or another person's danger was last told; kept after the risk ends.
        over_seq: Turn in which the risk ended; None if there was none, or a new one was raised.
        supported: More than a rule's reading of one message tells of danger: a model's reading, an answer to the direct
            question that does not deny it, a questionnaire, several messages together, or more than a wish; kept after
            the risk ends.
        doubted_seq: Newest turn in which a model found a concern, or the answer about one did not deny it; it lapses.
        taken_back: The user took a threat back at once: one question checks it.
        corrected: The user says that the wish to die was that of a game, a film or a song: no plan of it is asked for.
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
    told_seq: int | None = None
    over_seq: int | None = None
    corrected: bool = False
    taken_back: bool = False
    supported: bool = False
    doubted_seq: int | None = None

    @property
    def hurt_at_home(self) -> bool:
        """Whether a possible family member hurts or hurt the user."""
        return not AT_HOME.isdisjoint(self.hurt_by)

    @property
    def is_open(self) -> bool:
        """Whether anything is open, be it a concern: the model's words stay whole, and the guard is strict."""
        return self.level is not RiskLevel.NONE

    @property
    def follow_through(self) -> bool:
        """Whether the next turns run with `crisis_support`, without wrap-up or Part transition."""
        return self.level >= RiskLevel.CRISIS

    @property
    def deniable(self) -> bool:
        """Whether a rule alone found a wish to die, in one message, and no violence or danger of others was told.

        A concern of the model counts from shortly before that message on.
        """
        wish_alone = WISH.issuperset((*self.found, self.outcome))
        told = self.supported or self.hurt_by or self.told_seq is not None
        doubted = self.doubted_seq is not None and (self.last_seq or 0) - self.doubted_seq <= ATTENDED_TURNS
        return self.follow_through and wish_alone and not (told or doubted)

    @property
    def attended(self) -> bool:
        """Whether the replies stay with the finding for some turns although it is no crisis of the user."""
        return not self.follow_through and self.outcome in _ATTENDED and self.turns_since <= ATTENDED_TURNS

    def just_over(self, seq: int) -> bool:
        """Return whether the risk ended in turn `seq` or the turn before."""
        return self.over_seq is not None and seq <= self.over_seq + 1

    def intake_rests(self, seq: int) -> bool:
        """Return whether turn `seq` asks no intake: during a risk, just after, and long after a disclosure."""
        lately = self.told_seq is not None and seq - self.told_seq <= INTAKE_RESTS
        return lately or self.follow_through or self.attended or self.just_over(seq)


def escalate(
    risk: Risk,
    finding: Finding,
    seq: int,
    needs: tuple[Need, ...] = (),
    kinds: tuple[AbuseKind, ...] = (),
    *,
    taken_back: bool = False,
) -> Risk:
    """Return `risk` after `finding` in turn `seq`; never lower than before.

    A lesser finding during a follow-up ("죽고 싶은 건 아니에요") neither restarts it nor cancels reassurances; it only
    adds its needs.

    Args:
        risk: The state before.
        finding: The finding.
        seq: The turn.
        needs: Needs beyond those of its outcomes.
        kinds: Kinds of violence in the message.
        taken_back: Whether the message takes its threat back, which is a first reassurance.
    """
    level = risk_level(finding.outcome)
    hurt_by = tuple(dict.fromkeys((*risk.hurt_by, *kinds)))
    told_seq = risk.told_seq if _DISCLOSED.isdisjoint({finding.outcome, *finding.outcomes}) else seq
    if level is RiskLevel.NONE:
        since = 0 if told_seq == seq else risk.turns_since
        return risk.model_copy(update={"hurt_by": hurt_by, "told_seq": told_seq, "turns_since": since})
    others = finding.outcomes - {finding.outcome, CrisisOutcome.NONE}
    outcomes = (finding.outcome, *sorted(others, key=lambda one: one.severity, reverse=True))
    known = {
        "needs": union(risk.needs, *(needs_of(outcome) for outcome in outcomes), needs),
        "found": tuple(dict.fromkeys((*risk.found, *outcomes))),
        "hurt_by": hurt_by,
        "told_seq": told_seq,
        "supported": risk.supported,
        "doubted_seq": risk.doubted_seq,
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
    raised = raised.model_copy(update=known)
    return took_back(raised) if taken_back and not risk.follow_through else raised


def asked(risk: Risk, seq: int) -> Risk:
    """Return `risk` after the reply of turn `seq` asked whether the user wants to die."""
    return risk.model_copy(update={"asked_seq": max(seq, risk.asked_seq or 0)})


def corrected(risk: Risk) -> Risk:
    """Return `risk` after the user says that they spoke of a work; words of a near danger or an attempt stand."""
    wish_only = risk.follow_through and _NEAR.isdisjoint((*risk.found, risk.outcome))
    return risk.model_copy(update={"corrected": True}) if wish_only else risk


def supported(risk: Risk) -> Risk:
    """Return `risk` after more than a rule's reading of one message has told of danger."""
    return risk if risk.supported else risk.model_copy(update={"supported": True})


def doubted(risk: Risk, seq: int) -> Risk:
    """Return `risk` after the model found a concern in turn `seq`, or one that was asked about was not denied there."""
    return risk.model_copy(update={"doubted_seq": max(seq, risk.doubted_seq or 0)})


def denied(risk: Risk) -> Risk:
    """Return `risk` after a plain denial that is believed: it ends, and its lines stay in sight."""
    return _over(risk).model_copy(update={"needs": needs_now(risk)}) if risk.deniable else risk


def took_back(risk: Risk) -> Risk:
    """Return `risk` after the user takes a threat back, which is a first reassurance; no other danger is answered."""
    if set(risk.found) != {CrisisOutcome.HARM_TO_OTHERS}:
        return risk
    first = {"taken_back": True, "safe_statements": max(1, risk.safe_statements), "answered": (Danger.OTHERS,)}
    return risk.model_copy(update=first)


def observe_turn(
    risk: Risk,
    said: Collection[Reassurance] = (),
    *,
    denied: bool = False,
    questions_open: bool = False,
    fears_home: bool = False,
) -> Risk:
    """Return `risk` after a turn without a new finding; it ends after two reassurances.

    One of them must be explicit; if the danger was imminent, both, since a user who called a helper may still hold the
    means. Every danger must be answered. It does not end while a question about the plan or the means is open, nor in
    a turn in which the user evades one.

    Args:
        risk: The state before.
        said: Reassurances in the message.
        denied: Whether the message says no to a question about the plan or the means.
        questions_open: Whether such a question was neither asked nor told nor refused.
        fears_home: Whether the user fears the home or the family: company is then no reassurance.
    """
    if risk.level is RiskLevel.NONE:
        return risk
    known = dangers((*risk.found, risk.outcome))
    plain = answered(said, known)
    unsafe = risk.hurt_at_home or fears_home
    comforted = CrisisOutcome.IMMINENT not in risk.found and comforts(said, known, unsafe_at_home=unsafe)
    statements = risk.safe_statements + (bool(plain) or comforted)
    by_now = plain.union(risk.answered)
    settles = (bool(said) or denied) and not questions_open
    if settles and by_now >= known and statements >= SAFE_STATEMENTS_NEEDED:
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
    """Return `risk` after a review of everything up to turn `seq`: it ends unless there is a newer finding."""
    newer = risk.last_seq is not None and risk.last_seq > seq
    return risk if newer or risk.level is RiskLevel.NONE else _over(risk)


def _over(risk: Risk) -> Risk:
    kept = ("hurt_by", "told_seq", "asked_seq", "supported", "doubted_seq")
    return Risk().model_copy(update={name: getattr(risk, name) for name in kept})


def needs_now(risk: Risk) -> tuple[Need, ...]:
    """Return the needs that the resources serve; by default those of a user who asks for help."""
    return union(needs_of(risk.outcome), risk.needs) or (Need.LIFE,)


def resources_due(risk: Risk) -> bool:
    """Return whether this turn's reply ends with the resource block, independent of the model's text."""
    followed = risk.follow_through or risk.attended
    return followed and risk.turns_since > 0 and risk.turns_since % RESOURCES_EVERY == 0
