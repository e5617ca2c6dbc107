"""The words that end a reply from which the output guard cut something."""

import re
from functools import cache
from pathlib import Path

from shared.content.loader import load_yaml
from shared.content.schemas.guard_endings import GuardEndings
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category
from shared.safety.patterns import expand

_FILE = Path(__file__).parent / "data" / "guard_endings.yaml"


def safe_ending(
    category: Category | None, locale: Locale, register: Register, variant: int, *, others: bool = False
) -> str:
    """Return the words that end a reply from which something was cut; two neighbouring variants differ.

    Args:
        category: What was cut; None for words that explain nothing.
        locale: The conversation's language.
        register: Its register; English has none.
        variant: A counter.
        others: Somebody else is in danger, or has died.
    """
    endings = _written().endings
    found = endings.of(category) if category else endings.plain
    voiced = endings.means_of_others if category is Category.MEANS and others else found
    wordings = voiced.at(locale, register)
    return wordings[variant % len(wordings)]


def tells_of_others(text: str) -> bool:
    """Return whether somebody writes of another who is in danger or has died."""
    return _of_others().search(text.lower()) is not None


@cache
def _written() -> GuardEndings:
    return load_yaml(_FILE, GuardEndings)


@cache
def _of_others() -> re.Pattern[str]:
    return re.compile("|".join(map(expand, _written().of_others)))
