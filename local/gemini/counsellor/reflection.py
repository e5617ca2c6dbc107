"""Gives back what was said: the person's own words, then what may lie in them, as a guess."""

from functools import cache

from local.gemini.counsellor.brief import Brief
from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.themes import is_pleasant, themes_of
from local.gemini.counsellor.voice import Speaker, Wordings

SHORT = 12
"""Characters up to which a message gets a short answer."""
_THEME_OF_FEELING = {"confusion": "lost"}
_FIRST = ("loss", "breakup", "self_criticism")
"""Themes that say more than the feeling beside them."""


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
    """Return one or two sentences; always at least one."""
    words, guess = _own_words(brief, speaker), _guess(brief, speaker)
    if not words and not guess:
        return [speaker.any(reflection_data().plain)]
    if not words or not guess:
        return [words or guess]
    if brief_only or len(brief.text) <= SHORT:
        return [words]
    return [guess] if speaker.chance("shape", 9) else [words, guess]


def person_in(text: str) -> str:
    """Return the person whom a message names, or an empty text."""
    named = [person for person in reflection_data().people if person in text]
    return min(named, key=text.index, default="")


def _own_words(brief: Brief, speaker: Speaker) -> str:
    gist, data = brief.gist, reflection_data()
    if gist.because:
        return speaker.any(data.because, {"because": gist.because})
    if not gist.said or gist.said in " ".join(brief.replies):
        return ""
    heavy = gist.weight >= 4 and not is_pleasant(themes_of(brief.text))
    return speaker.any(data.heavy if heavy else data.light, {"said": gist.said})


def _guess(brief: Brief, speaker: Speaker) -> str:
    """Return a fresh sentence on the first theme that has one left."""
    felt = feeling_of(brief.text).label
    themes = themes_of(brief.text)
    wanted = [*(theme for theme in themes if theme in _FIRST), _THEME_OF_FEELING.get(felt, felt), *themes]
    pools = (reflection_data().themes[theme] for theme in wanted if theme in reflection_data().themes)
    return next((said for pool in pools if (said := speaker.fresh(pool))), "")
