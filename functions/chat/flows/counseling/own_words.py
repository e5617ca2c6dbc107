"""The Counselor's own instructions as a rule of the output guard: what repeats them is cut."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from shared.content.guard_rules import guard_rules
from shared.domain.locale import Locale
from shared.domain.safety.guard_rules import Category, GuardRule, GuardRules, Hit
from shared.domain.safety.guard_text import folded_letter
from shared.prompts.catalogue import Prompt

WINDOW = 18
"""Letters, blanks aside, that are nobody's but the prompt's. Own figure: examples of wording in it are shorter, and any
40 characters of it hold a word with so many letters from it on."""
SHORTEST = 12
"""Letters of a whole sentence of the prompt that is shorter than a window."""
OWN_LEAST = 4
"""Letters in a window that are not meant to be heard; with fewer it is no sign of a prompt that is given away."""
START = 7
"""Letters from which on words are held back until it is clear whether they are the prompt's."""
REACH = 32
"""Letters of a window with its blanks."""

_NOT_OURS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<[^<>\n]*>", re.DOTALL)
_TO_SAY = re.compile(
    r"[^.,\n]*?(?:는지|은지|인지|을지|할지|다는 것|라는 것|아니라는|아니라고|된다는|된다고)"
    r"(?=[^.\n]*(?:물어|묻|말해|전하|전합|전해|덧붙|살핍|확인))"
    r"|(?:\b(?:ask|say|tell|add|check|know|convey|mention)\b[^.\n]{0,60}?\b(?:whether|that|if|about|it is)\b)[^.\n]*"
)
"""What the prompt tells the speaker to say or ask: its wording is meant to be heard."""
_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"(?<=[.!?]) |\n")


@dataclass(frozen=True, eq=False)
class OwnWords(Hit):
    """Finds stretches of a text.

    Attributes:
        windows: The first `WINDOW` letters from each word of the text on, and its shorter sentences whole.
    """

    windows: frozenset[str] = frozenset()

    def matched(self, folded: str, place: int, behind: int) -> int | None:
        """See `Hit`."""
        letters = self._letters(folded, place)
        found = any(letters[:length] in self.windows for length in range(SHORTEST, WINDOW + 1))
        return min(len(folded), place + self.reach) if found else None

    def may_match(self, folded: str, place: int, behind: int) -> bool:
        """See `Hit`."""
        return len(folded) < place + self.reach and self._letters(folded, place) in self._beginnings_of_windows

    def _letters(self, folded: str, place: int) -> str:
        return folded[place : place + self.reach].replace(" ", "")[:WINDOW]

    @cached_property
    def _beginnings_of_windows(self) -> frozenset[str]:
        return frozenset(window[:length] for window in self.windows for length in range(START, len(window) + 1))


@cache
def guarding(prompt: Prompt[Any], locale: Locale) -> GuardRules:
    """Return the output guard's rules, with one against a prompt in a language."""
    return GuardRules(rules=(*guard_rules().rules, _rule(prompt.source(locale))))


def _rule(source: str) -> GuardRule:
    windows = dict(_windows(source))
    return GuardRule(
        id="own-instructions",
        category=Category.INTERNAL,
        hits=(OwnWords(starts=tuple(sorted(set(windows.values()))), reach=REACH, windows=frozenset(windows)),),
        excuses=frozenset(),
    )


def _windows(source: str) -> Iterator[tuple[str, str]]:
    """Yield windows, each with how it begins in the text, blanks included."""
    for stretch in _SENTENCE_END.split(_NOT_OURS.sub("\n", source)):
        to_say = bytearray(len(stretch))
        for found in _TO_SAY.finditer(stretch):
            to_say[found.start() : found.end()] = b"\1" * len(found[0])
        words = [tuple(_letters(word, to_say)) for word in _WORD.finditer(stretch)]
        for place in range(len(words)):
            window = [one for word in words[place:] for one in word][:WINDOW]
            if len(window) < WINDOW and (place or len(window) < SHORTEST):
                continue
            if sum(not said for _, said in window) >= OWN_LEAST:
                beginning = ["".join(letter for letter, _ in word) for word in words[place:]]
                yield "".join(letter for letter, _ in window), _beginning(beginning)


def _letters(word: re.Match[str], to_say: bytearray) -> Iterator[tuple[str, bool]]:
    """Yield the folded letters of a word, each with whether it is meant to be heard."""
    for place, letter in enumerate(word[0], start=word.start()):
        if folded := folded_letter(letter):
            yield folded, bool(to_say[place])


def _beginning(words: list[str]) -> str:
    """Return the words up to the letter from which on they are held back."""
    beginning, letters = "", 0
    for word in words:
        part = word[: START - letters]
        beginning += f" {part}" if beginning else part
        letters += len(part)
        if letters == START:
            break
    return beginning
