"""The Counselor's own instructions as a rule of the output guard: what repeats them is cut."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from shared.content.catalogue import content
from shared.content.guard_rules import guard_rules
from shared.domain.counseling.session import SessionType
from shared.locale import Locale, Register
from shared.prompts.catalogue import Prompt
from shared.safety.output_guard.rules import Category, GuardRule, GuardRules, Hit, Standing, Ways
from shared.safety.output_guard.sentence import folded_letter

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

    def standing(self, folded: str, place: int, behind: int, left: Ways) -> tuple[Standing, Ways]:
        """See `Hit`."""
        if self.matched(folded, place, behind) is not None:
            return Standing.HIT, left
        may = len(folded) < place + self.reach and self._letters(folded, place) in self._beginnings_of_windows
        return (Standing.MAY_COME if may else Standing.NONE), left

    def _letters(self, folded: str, place: int) -> str:
        return folded[place : place + self.reach].replace(" ", "")[:WINDOW]

    @cached_property
    def _beginnings_of_windows(self) -> frozenset[str]:
        return frozenset(window[:length] for window in self.windows for length in range(START, len(window) + 1))


@cache
def guarding(prompt: Prompt[Any], locale: Locale) -> GuardRules:
    """Return the output guard's rules, with one against a prompt in a language."""
    source = "\n".join((prompt.source(locale), *_filled_in(locale)))
    return GuardRules(rules=(_rule(source),), shared=guard_rules())


def _filled_in(locale: Locale) -> Iterator[str]:
    """Yield what of our own content the prompt is filled with: how a module works, what a task is for."""
    for module in content().modules(locale):
        yield from module.summary
    for kind in SessionType:
        for task in content().templates(kind.value, locale, Register.FORMAL):
            yield from filter(None, (task.target, task.restrictions))


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
        words = [one for found in _WORD.finditer(stretch) if (one := _word(found, to_say))[0]]
        letters = "".join(word for word, _ in words)
        said = b"".join(heard for _, heard in words)
        spaced, place = " ".join(word for word, _ in words), 0
        for number, (word, _) in enumerate(words):
            window = letters[place : place + WINDOW]
            whole = len(window) == WINDOW or (number == 0 and len(window) >= SHORTEST)
            if whole and said.count(0, place, place + WINDOW) >= OWN_LEAST:
                yield window, _beginning(spaced[place + number :])
            place += len(word)


def _word(found: re.Match[str], to_say: bytearray) -> tuple[str, bytes]:
    """Return the folded letters of a word, and for each whether it is meant to be heard."""
    folded = [folded_letter(letter) for letter in found[0]]
    heard = bytes(to_say[found.start() + place] for place, letter in enumerate(folded) if letter)
    return "".join(folded), heard


def _beginning(text: str) -> str:
    """Return the words up to the letter from which on they are held back."""
    return next(text[:end] for end in range(START, len(text) + 1) if end - text.count(" ", 0, end) == START)
