"""Weak signs of danger that add up: a farewell together with a means, a settled estate together with a date.

The signs of neighbouring sentences add up, each kind once: a long message of ordinary complaints does not become a
finding, but a plan told in three short sentences does. A sign alone needs a model's agreement; without one it is
asked about. No sum makes more than a concern, which is asked about (docs/safety.md, "Signs that add up"). Only
leave-taking of two kinds, or beside hopelessness, is more.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable

from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Match, Rule

NEIGHBOURS = 3
"""Number of sentences weighed together."""
ENOUGH = 3
"""Weight that makes a concern, of two kinds at least; calibrated on the message sets of docs/safety.md."""
ENOUGH_WITHOUT_A_MODEL = 2
"""Weight that makes a concern if no model gives a second opinion: one typical sign."""
ALONE, TOGETHER = 1, 2
"""Fewest kinds of signs: a sign alone is ordinary talk more often than danger, so that a model must agree."""
SETTLING = frozenset(("settled", "giving_away"))
FAREWELL = "farewell"
PARTING = frozenset((FAREWELL, "goodbye"))
"""Thanks for all that was, and the formula that ends any talk."""
HOPELESS = "hopeless"
LEAVING = SETTLING | PARTING | {HOPELESS}
"""Kinds that `leave_taking` weighs."""
UNSPECIFIC = frozenset(("distress", "circumstance"))
"""Kinds that occur in every difficult conversation: they count only with a sign of another kind."""


def leave_taking(kinds: Collection[str]) -> CrisisOutcome:
    """Return what leave-taking of these kinds makes together: a crisis of two kinds, or of one beside hopelessness.

    Thanks with a goodbye, beside affairs that are settled or hopelessness, is imminent. Either of them alone is too
    common to count beside hopelessness.
    """
    done, hopeless, parting = SETTLING.intersection(kinds), HOPELESS in kinds, PARTING.intersection(kinds)
    if parting == PARTING and (done or hopeless):
        return CrisisOutcome.IMMINENT
    return CrisisOutcome.CRISIS if done and (len(done) > 1 or hopeless or parting) else CrisisOutcome.NONE


def adding_up(signs: Iterable[Match], enough: int = ENOUGH, kinds: int = TOGETHER) -> tuple[str, ...]:
    """Return the ids of the first neighbouring signs that make a concern, or ().

    Args:
        signs: Signs in one reading of a message.
        enough: Weight that makes a concern.
        kinds: Fewest different kinds that make one.
    """
    found: defaultdict[int, list[Rule]] = defaultdict(list)
    for match in signs:
        if match.by is None:
            found[match.sentence].append(match.rule)
    for first in sorted(found):
        near = [rule for number in range(first, first + NEIGHBOURS) for rule in found.get(number, ())]
        if len({rule.kind for rule in near}) >= kinds and _weight(near) >= enough:
            return tuple(dict.fromkeys(rule.id for rule in near))
    return ()


def _weight(signs: Iterable[Rule]) -> int:
    """Return the total weight; 0 if all signs are unspecific."""
    heaviest: dict[str, int] = {}
    for sign in signs:
        heaviest[sign.kind] = max(sign.weight, heaviest.get(sign.kind, 0))
    return 0 if heaviest.keys() <= UNSPECIFIC else sum(heaviest.values())
