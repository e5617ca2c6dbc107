"""Sentences by stance or kind of answer."""

from functools import cache

from local.gemini.counsellor.brief import Brief
from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.voice import Speaker, Wordings


class StanceData(Data):
    """See data/stances.yaml."""

    sentences: dict[str, Wordings]


def say(kind: str, speaker: Speaker, **values: str) -> str:
    """Return a sentence of a kind, fresh if possible."""
    return speaker.any(_data().sentences[kind], values)


def say_anew(kind: str, speaker: Speaker, **values: str) -> str:
    """Return an unused sentence of a kind, or ""."""
    return speaker.fresh(_data().sentences[kind], values)


def gathered(kind: str, brief: Brief, speaker: Speaker) -> str:
    """Summarise what the user told; `kind` is "bridge" or "today"."""
    told = brief.told
    if len(told) > 1:
        return say(f"{kind}_two", speaker, first=told[0], second=told[1])
    return say(f"{kind}_one", speaker, first=told[0]) if told else say(f"{kind}_none", speaker)


@cache
def _data() -> StanceData:
    return load("stances", StanceData)
