"""Reads whether the user is hurt by somebody, by whom, and whether it is over; holds no text.

What was done is found by the rules of acts. When it was is read from the message as a whole: words of long ago make it
past, unless words of today stand beside them. Where nothing tells, it is taken to go on, and the protocol asks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from shared.model import Model
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need, union
from shared.safety.normalise import normalise
from shared.safety.ruleset import RuleSet


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


class Act(Model):
    """What one rule of acts stands for.

    Attributes:
        grave: It endangers body or freedom; cruelty in words alone is believed and talked about.
    """

    kind: AbuseKind
    grave: bool


@dataclass(frozen=True, slots=True)
class AbuseRules:
    """The compiled rules.

    Attributes:
        acts: By id, see `means`.
        past: Words of long ago.
        present: Words of today: with them, what began long ago goes on.
        now: Words of danger at this moment.
    """

    acts: RuleSet
    means: Mapping[str, Act]
    past: RuleSet
    present: RuleSet
    now: RuleSet


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


def detect_abuse(text: str, rules: AbuseRules) -> AbuseFinding:
    """Return what `rules` find in `text`; never raises, whatever the text."""
    readings = normalise(text)
    ids = _hits(rules.acts, readings)
    found = {rule.id: rules.means[rule.id] for rule in rules.acts.rules if rule.id in ids}
    if not found:
        return AbuseFinding()
    grave = any(act.grave for act in found.values())
    return AbuseFinding(
        outcome=_when(rules, readings) if grave else CrisisOutcome.ABUSE_TOLD,
        rule_ids=tuple(found),
        kinds=tuple(dict.fromkeys(act.kind for act in found.values())),
    )


def _when(rules: AbuseRules, readings: tuple[str, ...]) -> CrisisOutcome:
    if _hits(rules.past, readings) and not _hits(rules.present, readings):
        return CrisisOutcome.ABUSE_TOLD
    return CrisisOutcome.ABUSE_NOW if _hits(rules.now, readings) else CrisisOutcome.ABUSE


def _hits(rules: RuleSet, readings: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*(rules.hits(reading) for reading in readings))
