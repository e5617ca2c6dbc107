"""Detects whether another person hurts the user, who it is, and whether it is over; stores no text.

Rules of the family `abuse` find the violence. Rules of `abuse_time` find its time in the whole message: words about
long ago make it past, unless words about today are there too. Without any, it counts as going on, and the protocol
asks.
"""

from collections.abc import Iterable
from enum import StrEnum

from shared.model import Model
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family, Match
from shared.safety.needs import Need, union


class AbuseKind(StrEnum):
    """Who hurts the user, and how."""

    DOMESTIC = "domestic"
    CHILD = "child"
    """By parents or other elders of the family."""
    ELDER = "elder"
    """By the victim's children or carers."""
    SEXUAL = "sexual"
    DIGITAL = "digital"
    """Images taken, faked, spread or used to threaten."""
    STALKING = "stalking"
    SCHOOL = "school"
    WORKPLACE = "workplace"
    OTHER = "other"
    """By a person whom the message does not identify."""


AT_HOME = frozenset({AbuseKind.DOMESTIC, AbuseKind.CHILD, AbuseKind.ELDER, AbuseKind.SEXUAL})
"""Kinds that a family member may have done (the offender of sexual violence is usually known to the victim): these
users are not referred to their family."""
_HOUSEHOLD = frozenset({AbuseKind.DOMESTIC, AbuseKind.CHILD, AbuseKind.ELDER})
_LINES = {
    AbuseKind.ELDER: (Need.ELDER, Need.VIOLENCE),
    AbuseKind.SCHOOL: (Need.SCHOOL, Need.MIND),
    AbuseKind.WORKPLACE: (Need.MIND,),
    AbuseKind.OTHER: (Need.MIND, Need.VIOLENCE),
}
"""Other kinds get the line for victims of violence (1366) alone. Somebody who is not named may be a partner."""


class AbuseTime(StrEnum):
    """When the violence happened."""

    PAST = "past"
    PRESENT = "present"
    """Today, even if it began long ago."""
    NOW = "now"
    """At this moment."""


class AbuseFinding(Model):
    """Findings about violence in one message.

    Attributes:
        over: Whether it is told as past.
        needs: Needs of the kinds beyond those of the outcome.
    """

    outcome: CrisisOutcome = CrisisOutcome.NONE
    rule_ids: tuple[str, ...] = ()
    kinds: tuple[AbuseKind, ...] = ()
    over: bool = False

    @property
    def unsafe_home(self) -> bool:
        """Whether a person at home hurts the user, or is feared, and it is not told as past."""
        return not self.over and not _HOUSEHOLD.isdisjoint(self.kinds)

    @property
    def needs(self) -> tuple[Need, ...]:
        """See above."""
        return union(*(_LINES.get(kind, (Need.VIOLENCE,)) for kind in self.kinds))


def abuse_in(matches: Iterable[Match]) -> AbuseFinding:
    """Combine the matches in all readings of one message."""
    found = [match for match in matches if match.by is None]
    acts = {match.rule.id: match.rule for match in found if match.rule.family is Family.ABUSE}
    if not acts:
        return AbuseFinding()
    grave = any(act.outcome == CrisisOutcome.ABUSE for act in acts.values())
    times = frozenset(match.rule.outcome for match in found if match.rule.family is Family.ABUSE_TIME)
    return AbuseFinding(
        outcome=_when(times) if grave else CrisisOutcome.ABUSE_TOLD,
        rule_ids=tuple(acts),
        kinds=_named(dict.fromkeys(AbuseKind(act.kind) for act in acts.values())),
        over=_is_over(times),
    )


def _named(kinds: Iterable[AbuseKind]) -> tuple[AbuseKind, ...]:
    """Drop `OTHER` if another kind was found."""
    found = tuple(kinds)
    return tuple(kind for kind in found if kind is not AbuseKind.OTHER) or found


def _is_over(times: frozenset[str]) -> bool:
    return AbuseTime.PAST in times and AbuseTime.PRESENT not in times


def _when(times: frozenset[str]) -> CrisisOutcome:
    if _is_over(times):
        return CrisisOutcome.ABUSE_TOLD
    return CrisisOutcome.ABUSE_NOW if AbuseTime.NOW in times else CrisisOutcome.ABUSE
