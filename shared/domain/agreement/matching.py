"""Matches the passages of a user's contract with those of a standard form, by title and by content.

The content is compared by BM25 both ways: how much of the user's passage the form's has, and how much of the form's
the user's has. A long passage that mentions everything is therefore no match for a short one.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from shared.domain.agreement.bm25 import Bm25
from shared.domain.agreement.document import AgreementDocument, Passage
from shared.domain.agreement.tokens import units_of
from shared.model import Model

ENOUGH = 0.25
"""The likeness from which two passages are about the same matter; found on our own forms, compared with each other."""
_RELATED = 0.18
"""The mean likeness from which a form is of the contract's sort: more than a statute has with any of our forms."""
_SAMPLE = 60
"""Passages by which the sort of a contract is known."""


class Match(Model):
    """A passage of the user's contract with the passage of the form that it matches best.

    Attributes:
        standard: None if the form has nothing like it.
        likeness: From 0 to 1.
    """

    passage: Passage
    standard: Passage | None
    likeness: float


class Comparison(Model):
    """A contract beside a standard form.

    Attributes:
        matches: One for each passage of the contract, in its order.
        missing: The passages of the form that the contract has nothing like, in the form's order.
    """

    standard: AgreementDocument
    matches: tuple[Match, ...]
    missing: tuple[Passage, ...]


def match(passages: Sequence[Passage], standard: AgreementDocument) -> Comparison:
    """Match passages of a user's contract with a form."""
    formed = standard.passages
    likeness = _likeness([_Compared(passage) for passage in passages], [_Compared(passage) for passage in formed])
    best: dict[int, tuple[float, int]] = {}
    for (user, form), value in likeness.items():
        best[user] = max((value, -form), best.get(user, (0.0, 0)))
    matches = []
    for index, passage in enumerate(passages):
        value, at = best.get(index, (0.0, 0))
        found = formed[-at] if value >= ENOUGH else None
        matches.append(Match(passage=passage, standard=found, likeness=round(value, 3)))
    like = {at for (_, at), value in likeness.items() if value >= ENOUGH}
    missing = tuple(passage for at, passage in enumerate(formed) if at not in like)
    return Comparison(standard=standard, matches=tuple(matches), missing=missing)


def closest(passages: Sequence[Passage], standards: Iterable[AgreementDocument]) -> AgreementDocument | None:
    """Return the form of the contract's sort: the one whose passages are most like the contract's; None if none is."""
    compared = [_Compared(passage) for passage in passages if not passage.id.startswith("contents-")][:_SAMPLE]
    best: AgreementDocument | None = None
    highest = _RELATED
    for standard in standards:
        tops: dict[int, float] = {}
        for (index, _), value in _likeness(compared, [_Compared(passage) for passage in standard.passages]).items():
            tops[index] = max(value, tops.get(index, 0.0))
        mean = sum(tops.values()) / len(compared) if compared else 0.0
        if mean > highest:
            best, highest = standard, mean
    return best


class _Compared:
    """The units of a passage, and those of its title."""

    def __init__(self, passage: Passage) -> None:
        self.counts = Counter(units_of(f"{passage.title}\n{passage.text}"))
        self.title = frozenset(units_of(passage.title))


def _likeness(users: Sequence[_Compared], forms: Sequence[_Compared]) -> Mapping[tuple[int, int], float]:
    """Return how alike the passages are that have any word in common, by the indexes of both."""
    forward, backward = _shares(users, forms), _shares(forms, users)
    return {
        (user, form): _with_titles(math.sqrt(share * backward.get((form, user), 0.0)), users[user], forms[form])
        for (user, form), share in forward.items()
    }


def _shares(asked: Sequence[_Compared], texts: Sequence[_Compared]) -> dict[tuple[int, int], float]:
    """Return the share of the highest possible score that each text has for each asked one."""
    index = Bm25([one.counts for one in texts])
    found = {}
    for at, one in enumerate(asked):
        highest = index.highest(one.counts) or 1.0
        for text, score in index.scores(dict.fromkeys(one.counts, 1.0)).items():
            found[at, text] = min(1.0, score / highest)
    return found


def _with_titles(content: float, user: _Compared, form: _Compared) -> float:
    if not user.title or not form.title:
        return content
    common = 2 * len(user.title & form.title) / (len(user.title) + len(form.title))
    return (content + common) / 2
