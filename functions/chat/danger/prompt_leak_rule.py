"""Output guard rule against replies that repeat the Counselor's prompt."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from shared.content.catalogue import Content
from shared.domain.counseling.session import SessionType
from shared.locale import Locale, Register
from shared.prompts.catalogue import Prompt
from shared.safety.matcher import Family, Rule
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.rules import GuardRule, GuardRules
from shared.safety.output_guard.sentence import folded_letter

WINDOW = 18
"""Letters of a window, spaces not counted: more than a phrase quoted in the prompt has, and so few that any 40
characters of the prompt hold a window."""
SHORTEST = 12
"""Minimum letters of a sentence that is matched whole because it is shorter than a window."""
OWN_LEAST = 4
"""Minimum letters of a window outside the wording that the prompt tells the model to use; fewer are no leak."""

_NOT_OURS = re.compile(r"<examples>.*?</examples>|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<[^<>\n]*>", re.DOTALL)
"""Variables, tags, and the example replies, whose words may be said."""
_TO_SAY = re.compile(
    r"[^.,\n]{0,80}?(?:는지|은지|인지|을지|할지|다는 것|라는 것|아니라는|아니라고|된다는|된다고)"
    r"(?=[^.\n]{0,80}(?:물어|묻|말해|전하|전합|전해|덧붙|살핍|확인))"
    r"|CBot[^.\n]{0,20}"
    r"|\b(?:[Aa]sk|say|tell|add|check|know|convey|mention)\b[^.,\n]{0,60}?\b(?:whether|that|if|about|it is)\b[^.\n]*"
)
"""What the prompt tells the model to say or ask: no leak if the reply contains it."""
_ASIDE = re.compile(r" ?\([^()\n]*\)")
"""What a module offers as examples."""
_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"(?<=[.!?]) |\n")


@cache
def guard_rules_with_prompt(content: Content, prompt: Prompt[Any], locale: Locale) -> GuardRules:
    """Return the output guard's rules with one against repeating this prompt."""
    source = "\n".join((prompt.source(locale), *_filled_in(content, locale)))
    orders = (line for module in content.modules(locale) for line in module.summary)
    windows = (*_windows(source), *(window for line in orders for window in _order(line, locale)))
    return GuardRules(rules=(_rule(windows),), shared=content.guard_rules)


def _filled_in(content: Content, locale: Locale) -> Iterator[str]:
    """Yield the content that is filled into the prompt and not to be said: what tasks are for."""
    for kind in SessionType:
        for task in content.templates(kind.value, locale, Register.FORMAL):
            yield from filter(None, (task.target, task.restrictions))


def _order(line: str, locale: Locale) -> Iterator[str]:
    """Yield the window of a module's line that gives the order: its end in Korean, its beginning in English.

    The rest of the line is what the order tells the model to say, so a reply holds it.
    """
    for stretch in _SENTENCE_END.split(_ASIDE.sub("", line)):
        windows = tuple(_windows(stretch))
        yield from windows[:1] if locale is Locale.EN else windows[-1:]


def _rule(windows: Iterable[str]) -> GuardRule:
    """Return the rule; one window is enough to trigger it."""
    triggers = tuple(dict.fromkeys(windows))
    looks_for = Rule("own-instructions", Family.GUARD, Category.INTERNAL.value, triggers=triggers, sources=())
    return GuardRule(category=Category.INTERNAL, looks_for=looks_for, reach=0, excuses=frozenset())


def _windows(source: str) -> Iterator[str]:
    """Yield the `WINDOW` letters from the start of each word, and each shorter sentence whole."""
    for stretch in _SENTENCE_END.split(_NOT_OURS.sub("\n", source)):
        to_say = bytearray(len(stretch))
        for found in _TO_SAY.finditer(stretch):
            to_say[found.start() : found.end()] = b"\1" * len(found[0])
        words = [one for found in _WORD.finditer(stretch) if (one := _word(found, to_say))[0]]
        letters = "".join(word for word, _ in words)
        said = b"".join(heard for _, heard in words)
        place = 0
        for number, (word, _) in enumerate(words):
            window = letters[place : place + WINDOW]
            whole = len(window) == WINDOW or (number == 0 and len(window) >= SHORTEST)
            if whole and said.count(0, place, place + WINDOW) >= OWN_LEAST:
                yield window
            place += len(word)


def _word(found: re.Match[str], to_say: bytearray) -> tuple[str, bytes]:
    """Return the folded letters of a word, and for each whether the prompt tells the model to say it."""
    folded = [folded_letter(letter) for letter in found[0]]
    heard = bytes(to_say[found.start() + place] for place, letter in enumerate(folded) if letter)
    return "".join(folded), heard
