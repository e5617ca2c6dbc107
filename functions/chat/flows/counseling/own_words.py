"""The Counselor's own instructions as a rule of the output guard: what repeats them is cut."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from shared.content.guard_rules import guard_rules
from shared.domain.locale import Locale
from shared.domain.safety.guard_rules import Category, GuardRule, GuardRules
from shared.domain.safety.guard_text import folded_letter
from shared.prompts.catalogue import Prompt

WINDOW = 18
"""Letters, blanks aside, that are nobody's but the prompt's. Own figure: examples of wording in it are shorter, and any
40 characters of it hold a word with so many letters from it on."""
SHORTEST = 12
"""Letters of a whole sentence of the prompt that is shorter than a window."""
START = 7
"""Letters from which on words are held back until it is clear whether they are the prompt's."""
REACH = 32
"""Letters of a window with its blanks."""

_NOT_OURS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<[^<>\n]*>", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?]) |\n")


@dataclass(frozen=True)
class OwnWords(GuardRule):
    """Finds stretches of a text.

    Attributes:
        windows: The first `WINDOW` letters from each word of the text on, and its shorter sentences whole.
    """

    windows: frozenset[str] = frozenset()

    def matched(self, folded: str, at: int) -> int | None:
        """See `GuardRule`."""
        letters = folded[at : at + self.reach].replace(" ", "")[:WINDOW]
        found = any(letters[:length] in self.windows for length in range(SHORTEST, WINDOW + 1))
        return min(len(folded), at + self.reach) if found else None


@cache
def guarding(prompt: Prompt[Any], locale: Locale) -> GuardRules:
    """Return the output guard's rules, with one against a prompt in a language."""
    return GuardRules(rules=(*guard_rules().rules, _rule(prompt.source(locale))))


def _rule(source: str) -> OwnWords:
    windows = frozenset(_windows(source))
    return OwnWords(
        id="own-instructions",
        category=Category.INTERNAL,
        starts=tuple(sorted({window[:START] for window in windows})),
        patterns=(),
        exclusions=(),
        reach=REACH,
        excuses=frozenset(),
        windows=windows,
    )


def _windows(source: str) -> Iterator[str]:
    for stretch in _SENTENCE_END.split(_NOT_OURS.sub("\n", source)):
        words = ["".join(folded_letter(letter) for letter in word) for word in stretch.split()]
        for place in range(len(words)):
            letters = "".join(words[place:])[:WINDOW]
            if len(letters) == WINDOW or (place == 0 and len(letters) >= SHORTEST):
                yield letters
