"""The strongest feeling in a message."""

import re
from functools import cache
from typing import NamedTuple

from local.gemini.counsellor.data_files import Data, load

_BEFORE = 16


class Feeling(NamedTuple):
    """A label of the product's schema, with intensity 0-10."""

    label: str
    intensity: int
    word: str


class FeelingData(Data):
    """See data/feelings.yaml."""

    ko: dict[str, dict[str, int]]
    en: dict[str, dict[str, int]]
    stronger: str
    weaker: str
    denied_after: str
    denied_before: str


CALM = Feeling("neutral", 0, "")


def feeling_of(text: str) -> Feeling:
    """Return the strongest feeling, the earliest of equals."""
    found = (_read(text, hit) for hit in _pattern().finditer(text))
    return max((one for one in found if one), key=lambda one: one.intensity, default=CALM)


def _read(text: str, hit: re.Match[str]) -> Feeling | None:
    data = _data()
    before = text[max(0, hit.start() - _BEFORE) : hit.start()]
    if re.search(data.denied_before, before, re.IGNORECASE) or re.match(data.denied_after, text[hit.end() :]):
        return None
    label, intensity = _known()[hit[0].lower()]
    if re.search(data.stronger, before, re.IGNORECASE):
        intensity += 1
    elif re.search(data.weaker, before, re.IGNORECASE):
        intensity -= 1
    return Feeling(label, min(max(intensity, 1), 10), hit[0])


@cache
def _data() -> FeelingData:
    return load("feelings", FeelingData)


@cache
def _known() -> dict[str, tuple[str, int]]:
    data = _data()
    return {
        word.lower(): (label, strength)
        for words in (data.ko, data.en)
        for label, group in words.items()
        for word, strength in group.items()
    }


@cache
def _pattern() -> re.Pattern[str]:
    data = _data()

    def joined(words: dict[str, dict[str, int]]) -> str:
        every = [word for group in words.values() for word in group]
        return "|".join(re.escape(word) for word in sorted(every, key=len, reverse=True))

    return re.compile(rf"{joined(data.ko)}|\b(?:{joined(data.en)})\b", re.IGNORECASE)
