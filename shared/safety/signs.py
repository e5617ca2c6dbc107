"""Signs that say little alone and much together: a farewell beside a means, a settled estate beside a date.

The signs of neighbouring sentences add up, each kind once: so a long message of ordinary complaints does not grow into
a crisis, and a plan told in three short sentences does. No sum makes more than a concern, which is asked about
(docs/safety.md, "Signs that add up").
"""

from collections import defaultdict
from collections.abc import Iterable

from shared.safety.matcher import Match, Rule

NEIGHBOURS = 3
"""Sentences that are weighed together: people tell a plan in two or three."""
ENOUGH = 3
"""The weight that makes a concern; set on our messages, docs/safety.md."""
ENOUGH_WITHOUT_A_MODEL = 2
"""The weight that makes one where no model gives a second opinion: one sign that is typical."""
UNSPECIFIC = frozenset(("distress", "circumstance"))
"""Kinds of every hard talk: they weigh something only beside a sign of another kind."""


def adding_up(signs: Iterable[Match], enough: int = ENOUGH) -> tuple[str, ...]:
    """Return the ids of the signs that come to a concern where they stand closest; none where they come to none.

    Args:
        signs: Those found in one reading of a message.
        enough: The weight that makes a concern.
    """
    found: defaultdict[int, list[Rule]] = defaultdict(list)
    for match in signs:
        if match.by is None:
            found[match.sentence].append(match.rule)
    for first in sorted(found):
        near = [rule for number in range(first, first + NEIGHBOURS) for rule in found.get(number, ())]
        if _weight(near) >= enough:
            return tuple(dict.fromkeys(rule.id for rule in near))
    return ()


def _weight(signs: Iterable[Rule]) -> int:
    """Return what signs weigh together; 0 where none says more than that a talk is hard."""
    heaviest: dict[str, int] = {}
    for sign in signs:
        heaviest[sign.kind] = max(sign.weight, heaviest.get(sign.kind, 0))
    return 0 if heaviest.keys() <= UNSPECIFIC else sum(heaviest.values())
