"""What the rules of danger find in one message."""

from collections.abc import Iterable, Sequence

from shared.model import Model
from shared.safety.levels import CrisisOutcome, most_pressing
from shared.safety.matcher import Family, Match
from shared.safety.predicates import lowered
from shared.safety.signs import ENOUGH_WITHOUT_A_MODEL, adding_up


class Finding(Model):
    """What was found; holds no text.

    Attributes:
        outcome: The most pressing one.
        outcomes: All that its rules and signs come to.
        rule_ids: Every rule that found something, the most pressing first, then the signs that added up.
        hints: Signs that come to no concern, but are asked about where no model gives a second opinion.
    """

    outcome: CrisisOutcome = CrisisOutcome.NONE
    outcomes: frozenset[CrisisOutcome] = frozenset()
    rule_ids: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


def outcome_of(match: Match) -> CrisisOutcome:
    """Return what a match of a rule of danger comes to."""
    outcome = CrisisOutcome(match.rule.outcome)
    return lowered(outcome, match.by.makes) if match.by else outcome


def finding_of(readings: Iterable[Sequence[Match]]) -> Finding:
    """Return what the matches in the readings of one message come to."""
    found: dict[str, CrisisOutcome] = {}
    hints: tuple[str, ...] = ()
    for matches in readings:
        for match in matches:
            if match.rule.family is Family.CRISIS:
                found[match.rule.id] = most_pressing(found.get(match.rule.id, CrisisOutcome.NONE), outcome_of(match))
        signs = [match for match in matches if match.rule.family is Family.SIGN]
        found |= dict.fromkeys(adding_up(signs), CrisisOutcome.CONCERN)
        hints = hints or adding_up(signs, ENOUGH_WITHOUT_A_MODEL)
    found = {rule_id: outcome for rule_id, outcome in found.items() if outcome is not CrisisOutcome.NONE}
    ids = sorted(found, key=lambda rule_id: -found[rule_id].severity)
    return Finding(
        outcome=most_pressing(*found.values()),
        outcomes=frozenset(found.values()),
        rule_ids=tuple(ids),
        hints=() if found else hints,
    )
