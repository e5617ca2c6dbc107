"""Reads whether the user is hurt by somebody, by whom, and whether it is over; holds no text.

What was done is found by the rules of the family `abuse`. When it was is read from the message as a whole, by those of
`abuse_time`: words of long ago make it past, unless words of today stand with them. Where nothing tells, it is taken to
go on, and the protocol asks.
"""

from collections.abc import Iterable
from enum import StrEnum

from shared.model import Model
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family, Match
from shared.safety.needs import Need, union


class AbuseKind(StrEnum):
    """Who hurts, and how."""

    DOMESTIC = "domestic"
    CHILD = "child"
    """By parents or other elders of the family."""
    ELDER = "elder"
    """By one's children or carers."""
    SEXUAL = "sexual"
    DIGITAL = "digital"
    """Images taken, faked, spread or used to threaten."""
    STALKING = "stalking"
    SCHOOL = "school"
    WORKPLACE = "workplace"
    OTHER = "other"
    """By somebody whom the message does not name."""


AT_HOME = frozenset({AbuseKind.DOMESTIC, AbuseKind.CHILD, AbuseKind.ELDER, AbuseKind.SEXUAL})
"""Kinds that somebody of the family may have done (sexual violence most often by one whom the victim knows): whoever
told of one is not sent to the family."""
_LINES = {
    AbuseKind.ELDER: (Need.ELDER, Need.VIOLENCE),
    AbuseKind.SCHOOL: (Need.SCHOOL, Need.MIND),
    AbuseKind.WORKPLACE: (Need.MIND,),
    AbuseKind.OTHER: (Need.MIND,),
}
"""The others' is the line for victims of violence (1366): violence at home, sexual and digital violence, stalking."""


class AbuseTime(StrEnum):
    """When it was."""

    PAST = "past"
    """Long ago."""
    PRESENT = "present"
    """Today: with it, what began long ago goes on."""
    NOW = "now"
    """At this moment."""


class AbuseFinding(Model):
    """What was found in one message.

    Attributes:
        needs: What its kinds call for beside what the outcome does.
    """

    outcome: CrisisOutcome = CrisisOutcome.NONE
    rule_ids: tuple[str, ...] = ()
    kinds: tuple[AbuseKind, ...] = ()

    @property
    def needs(self) -> tuple[Need, ...]:
        """See above."""
        return union(*(_LINES.get(kind, (Need.VIOLENCE,)) for kind in self.kinds))


def abuse_in(matches: Iterable[Match]) -> AbuseFinding:
    """Return what the matches in all readings of one message come to."""
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
    )


def _named(kinds: Iterable[AbuseKind]) -> tuple[AbuseKind, ...]:
    """Return the kinds without `OTHER` where another of them says who it was."""
    found = tuple(kinds)
    return tuple(kind for kind in found if kind is not AbuseKind.OTHER) or found


def _when(times: frozenset[str]) -> CrisisOutcome:
    if AbuseTime.PAST in times and AbuseTime.PRESENT not in times:
        return CrisisOutcome.ABUSE_TOLD
    return CrisisOutcome.ABUSE_NOW if AbuseTime.NOW in times else CrisisOutcome.ABUSE
