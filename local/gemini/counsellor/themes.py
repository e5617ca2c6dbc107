"""Themes of messages."""

import re
from functools import cache

from local.gemini.counsellor.data_files import Data, load


class Theme(Data):
    """A theme, with patterns for any place in a message."""

    id: str
    ko: str
    en: str


class ThemeData(Data):
    """See data/themes.yaml."""

    themes: tuple[Theme, ...]
    pleasant: frozenset[str]
    outweighing: frozenset[str]


@cache
def theme_data() -> ThemeData:
    """Return the table."""
    return load("themes", ThemeData)


def themes_of(text: str) -> tuple[str, ...]:
    """Return the ids of a text's themes: what outweighs the others, then the most frequent."""
    hits = [(len(pattern.findall(text)), -rank, theme) for rank, (theme, pattern) in enumerate(_patterns())]
    found = [theme for count, _, theme in sorted(hits, reverse=True) if count]
    return tuple(sorted(found, key=lambda theme: theme not in theme_data().outweighing))


def is_pleasant(themes: tuple[str, ...]) -> bool:
    """Tell whether all themes are pleasant."""
    return bool(themes) and all(theme in theme_data().pleasant for theme in themes)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (theme.id, re.compile(f"(?:{theme.ko})|(?:{theme.en})", re.IGNORECASE)) for theme in theme_data().themes
    )
