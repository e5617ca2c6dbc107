"""Reflects a message: the user's own words, then a guess at their meaning."""

import re
from functools import cache

from local.gemini.counsellor.brief import Brief
from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.messages import is_small_talk
from local.gemini.counsellor.slots import is_wish
from local.gemini.counsellor.stances import say
from local.gemini.counsellor.themes import is_pleasant, themes_of
from local.gemini.counsellor.voice import Speaker, Wordings

SHORT = 12
"""Characters up to which a message gets a short answer."""
_NOUNS = re.compile(r"[가-힣]+(?: [가-힣]+){0,2}")
_ENDS_AS_VERB = re.compile(r"(?:[다요해어아여지네래줘야까니고서]|음|함|듯|게|면|도|만)$")
_THEME_OF_FEELING = {"confusion": "lost"}
HEAVY = 4
"""Weight from which a message is reflected with care."""
_RELATIONS = ("partner", "family", "friend")
"""Themes that only name a person: nothing is guessed from them unless trouble is told."""
_AT_EASE = ("relief", "joy", "neutral")
_TROUBLES = frozenset(
    {"loss", "breakup", "self_criticism", "shame", "conflict", "loneliness", "anxiety", "anger", "sadness"}
)
_FIRST = ("loss", "breakup", "self_criticism")
"""Themes that tell more than the feeling."""


class ReflectionData(Data):
    """See data/reflections.yaml."""

    themes: dict[str, Wordings]
    heavy: Wordings
    light: Wordings
    because: Wordings
    plain: Wordings
    people: tuple[str, ...]


@cache
def reflection_data() -> ReflectionData:
    """Return the sentences."""
    return load("reflections", ReflectionData)


def reflect(brief: Brief, speaker: Speaker, *, brief_only: bool = False) -> list[str]:
    """Return one or two sentences."""
    words, guess = _own_words(brief, speaker), _guess(brief, speaker)
    if not words and not guess:
        return [_one_word(brief, speaker) or speaker.any(reflection_data().plain)]
    if not words or not guess:
        return [words or guess]
    if brief_only or len(brief.text) <= SHORT:
        return [words]
    return [guess] if speaker.chance("shape", 9) else [words, guess]


def person_in(text: str) -> str:
    """Return the person that a message names, or ""."""
    named = [person for person in reflection_data().people if person in text]
    return min(named, key=text.index, default="")


def _own_words(brief: Brief, speaker: Speaker) -> str:
    gist, data = brief.gist, reflection_data()
    if gist.because:
        return speaker.any(data.because, {"because": gist.because})
    if not gist.said or gist.said in " ".join(brief.replies):
        return ""
    heavy = gist.weight >= HEAVY and _troubled(brief.text) and not is_wish(brief.text)
    return speaker.any(data.heavy if heavy else data.light, {"said": gist.said})


def _troubled(text: str) -> bool:
    """Tell whether a message tells of something hard, by feeling or theme."""
    themes = themes_of(text)
    felt = feeling_of(text)
    hard = felt.intensity > 0 and felt.label not in _AT_EASE
    return not is_pleasant(themes) and (hard or not _TROUBLES.isdisjoint(themes))


def _one_word(brief: Brief, speaker: Speaker) -> str:
    """Reflect a message of a word or two literally ("수학 시험", "잠"); "" for others."""
    bare = brief.text.strip(" .!~…")
    is_noun = bool(_NOUNS.fullmatch(bare)) and not _ENDS_AS_VERB.search(bare) and not is_small_talk(bare)
    return say("word", speaker, word=bare) if is_noun else ""


def _guess(brief: Brief, speaker: Speaker) -> str:
    """Return a fresh sentence on the first theme with one left, or ""."""
    felt = feeling_of(brief.text).label
    themes = themes_of(brief.text)
    if not _troubled(brief.text):
        themes = tuple(theme for theme in themes if theme not in _RELATIONS)
    wanted = [*(theme for theme in themes if theme in _FIRST), _THEME_OF_FEELING.get(felt, felt), *themes]
    pools = (reflection_data().themes[theme] for theme in wanted if theme in reflection_data().themes)
    return next((said for pool in pools if (said := speaker.fresh(pool))), "")
