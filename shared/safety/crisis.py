"""Combines the crisis rules' matches in one message."""

from collections.abc import Iterable, Sequence

from shared.model import Model
from shared.safety.levels import CrisisOutcome, most_pressing
from shared.safety.matcher import Family, Match
from shared.safety.predicates import Makes, lowered
from shared.safety.signs import ALONE, ENOUGH_WITHOUT_A_MODEL, LEAVING, UNSPECIFIC, adding_up, leave_taking

WITH_ONESELF = "with_oneself"
"""Kind of a rule that finds a harm to others by which the user would die, too; stands for a rule id as well."""
LEAVE_TAKING = "leave-taking"
"""Stands for a rule id: several kinds of leave-taking together."""


class Finding(Model):
    """Findings of crisis rules in one message; holds no text.

    Attributes:
        outcome: The most pressing one.
        outcomes: Outcomes of all rules and signs.
        rule_ids: Ids of the rules, most pressing first, then of the signs that added up.
        hints: Signs that are no concern, and rules whose words seem denied, over or meant of something else: they are
            asked about if no model gives a second opinion.
        leaving: Kinds of leave-taking and hopelessness, which add up over messages too (signs.py).
        wish: No more than a wish to be dead was found: no other rule speaks, and no sign of anything else.
    """

    outcome: CrisisOutcome = CrisisOutcome.NONE
    outcomes: frozenset[CrisisOutcome] = frozenset()
    rule_ids: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    leaving: frozenset[str] = frozenset()
    wish: bool = False


def outcome_of(match: Match) -> CrisisOutcome:
    """Return the outcome of a crisis rule's match, lowered by its predicate."""
    outcome = CrisisOutcome(match.rule.outcome)
    return lowered(outcome, match.by.makes) if match.by else outcome


def finding_of(readings: Iterable[Sequence[Match]]) -> Finding:
    """Combine the matches in the readings of one message."""
    found: dict[str, CrisisOutcome] = {}
    hints: tuple[str, ...] = ()
    leaving: set[str] = set()
    seeming: dict[str, None] = {}
    more = False
    for matches in readings:
        more = more or any(map(_tells_more, matches))
        leaving |= {match.rule.kind for match in matches if match.by is None and match.rule.kind in LEAVING}
        for match in matches:
            if match.rule.family is Family.CRISIS:
                found[match.rule.id] = most_pressing(found.get(match.rule.id, CrisisOutcome.NONE), outcome_of(match))
                if match.by is not None and match.by.makes is Makes.HINT:
                    seeming[match.rule.id] = None
            if match.rule.kind == WITH_ONESELF and match.by is None:
                found[WITH_ONESELF] = CrisisOutcome.CRISIS
        signs = [match for match in matches if match.rule.family is Family.SIGN]
        found |= dict.fromkeys(adding_up(signs), CrisisOutcome.CONCERN)
        hints = hints or adding_up(signs, ENOUGH_WITHOUT_A_MODEL, ALONE)
    if (together := leave_taking(leaving)) is not CrisisOutcome.NONE:
        found[LEAVE_TAKING] = together
    found = {rule_id: outcome for rule_id, outcome in found.items() if outcome is not CrisisOutcome.NONE}
    ids = sorted(found, key=lambda rule_id: -found[rule_id].severity)
    return Finding(
        outcome=most_pressing(*found.values()),
        outcomes=frozenset(found.values()),
        rule_ids=tuple(ids),
        hints=() if found else (*seeming, *hints),
        leaving=frozenset(leaving),
        wish=bool(found) and not more,
    )


def _tells_more(match: Match) -> bool:
    """Return whether a match finds more than a wish to be dead; complaints and circumstances tell nothing of danger."""
    if match.rule.family is Family.SIGN:
        return match.by is None and match.rule.kind not in UNSPECIFIC
    lowered_away = match.rule.family is not Family.CRISIS or outcome_of(match) is CrisisOutcome.NONE
    return not (match.rule.wish or lowered_away)
