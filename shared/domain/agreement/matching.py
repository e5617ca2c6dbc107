"""Matches the passages of a user's contract with those of a standard form, by title and by content.

The content is compared by BM25 both ways: how much of the user's passage the form's has, and how much of the form's
the user's has. A long passage that mentions everything is therefore no match for a short one. Which form is of the
contract's sort is told by the rare words of both.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from shared.domain.agreement.bm25 import Bm25
from shared.domain.agreement.document import AgreementDocument, Passage
from shared.domain.agreement.tokens import units_of
from shared.model import Model

ENOUGH = 0.25
"""The likeness from which two passages are about the same matter; found on our own forms, compared with each other."""
_LIFTED = 0.1
"""The likeness of contents from which titles count too: every contract has a 목적."""
_RELATED = 0.18
"""The likeness of all words from which a form is of the contract's sort. Contracts of work, of lease and of a gym have
0.13 at most with any of our forms, contracts of their sort 0.21 at least."""
_SECRECY = re.compile(r"비밀|confidential", re.IGNORECASE)
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
    """Return the form of the contract's sort, by the words of both; None if none is.

    Of forms whose titles differ in brackets only, the first one is for contracts that do not say what stands there.
    """
    forms = tuple(standards)
    own = "\n".join(_text(passage) for passage in passages[:_SAMPLE] if not passage.id.startswith("contents-"))
    rarity = _rarity(forms)
    asked = _weighted(own, rarity)
    likeness = {index: _cosine(asked, _weighted(_whole(form), rarity)) for index, form in enumerate(forms)}
    best = max(likeness, key=lambda index: likeness[index], default=None)
    if best is None or likeness[best] < _RELATED or _on_secrecy(passages):
        return None
    base = forms[best].title.partition("(")[0]
    family = [index for index, form in enumerate(forms) if form.title.partition("(")[0] == base]
    named = [index for index in family[1:] if _says(own, forms[index].title, 1 if index == best else 2)]
    return forms[max(named, key=lambda index: likeness[index], default=family[0])]


def _on_secrecy(passages: Sequence[Passage]) -> bool:
    """Return whether most passages are about secrecy: no form is of that sort, but data supply reads alike."""
    return 2 * sum(bool(_SECRECY.search(_text(one))) for one in passages) > len(passages)


def _says(text: str, title: str, times: int) -> bool:
    """Return whether a text says so often what stands in the brackets of a title, as 미성년 for 미성년자."""
    sorts = (word[:2] for word in re.findall(r"\w+", title.partition("(")[2]))
    return any(text.count(sort) >= times for sort in sorts)


def _text(passage: Passage) -> str:
    return f"{passage.title}\n{passage.text}"


def _whole(document: AgreementDocument) -> str:
    return "\n".join(map(_text, document.passages))


def _rarity(forms: Sequence[AgreementDocument]) -> Callable[[str], float]:
    passages = [passage for form in forms for passage in form.passages]
    spread = Counter(unit for passage in passages for unit in set(units_of(_text(passage))))
    return lambda unit: math.log((len(passages) + 1) / (spread[unit] + 0.5))


def _weighted(text: str, rarity: Callable[[str], float]) -> dict[str, float]:
    return {unit: (1 + math.log(count)) * rarity(unit) for unit, count in Counter(units_of(text)).items()}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    product = sum(weight * other.get(unit, 0.0) for unit, weight in one.items())
    size = math.hypot(*one.values()) * math.hypot(*other.values())
    return product / size if size else 0.0


class _Compared:
    """The units of a passage, and those of its title."""

    def __init__(self, passage: Passage) -> None:
        self.counts = Counter(units_of(_text(passage)))
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
    if content < _LIFTED or not user.title or not form.title:
        return content
    common = 2 * len(user.title & form.title) / (len(user.title) + len(form.title))
    return (content + common) / 2
