"""The rules of the output guard as data: read, checked and compiled once, on first use."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from shared.content.crisis_protocol import protocol
from shared.content.loader import load_yaml
from shared.content.schemas.guard import GuardFile, GuardRuleDefinition, Hit
from shared.content.schemas.references import HotlineFile
from shared.domain.errors import ContentError
from shared.domain.locale import Locale, Register
from shared.domain.safety.guard_rules import Category, GuardRule, GuardRules
from shared.domain.safety.guard_text import folded_letter
from shared.domain.safety.patterns import patterns_of

_DATA = Path(__file__).parent / "data"
_FILE = _DATA / "guard_rules.yaml"
_BLANK = re.compile(r"\s+")
_BORDER = re.compile(r"(?<=[가-힣])(?=[a-z0-9])|(?<=[a-z])(?=\d)")
_SPECIAL = re.compile(r"[^\w ]")
_BETWEEN_NUMBERS = re.compile(r"[/;,(]|\bor\b")
_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}")


@cache
def guard_file() -> GuardFile:
    """Return the rules as written, with their examples.

    Raises:
        ContentError: The file is wrong.
    """
    return load_yaml(_FILE, GuardFile)


@cache
def guard_rules() -> GuardRules:
    """Return the compiled rules.

    Raises:
        ContentError: A file is wrong, or a rule names a fragment that is not there.
    """
    written = guard_file()
    return GuardRules(rules=tuple(compiled(rule, written.fragments) for rule in written.rules))


def safe_ending(category: Category | None, locale: Locale, register: Register, variant: int) -> str:
    """Return the words that end a reply from which something was cut; two neighbouring variants differ.

    Args:
        category: What was cut; None for words that explain nothing.
        locale: The conversation's language.
        register: Its register; English has none.
        variant: A counter.
    """
    endings = guard_file().endings
    wordings = (endings.of(category) if category else endings.plain).at(locale, register)
    return wordings[variant % len(wordings)]


def compiled(rule: GuardRuleDefinition, fragments: dict[str, str]) -> GuardRule:
    """Return a rule, ready to match.

    Raises:
        ContentError: A pattern names a fragment that is not there.
    """
    try:
        patterns = patterns_of([whole for hit in rule.hits for whole in _whole(hit)], fragments)
        exclusions = patterns_of(rule.exclusions, fragments)
    except KeyError as error:
        raise ContentError(_FILE.name, None, f"{rule.id}: no fragment {error}") from error
    return GuardRule(
        id=rule.id,
        category=rule.category,
        starts=tuple({_BLANK.sub("", _folded(word)): None for hit in rule.hits for word in hit.starts}),
        patterns=patterns,
        exclusions=exclusions,
        reach=rule.reach,
        when=rule.when,
        excuses=rule.excuses,
        at_end=rule.at_end,
        listed=_listed(),
    )


def _whole(hit: Hit) -> Iterator[str]:
    words = "|".join(_SPECIAL.sub(lambda mark: "\\" + mark[0], _BORDER.sub(" ", _folded(word))) for word in hit.starts)
    for then in hit.then:
        yield f"(?:{words}) {then}" if then else f"(?:{words})"


def _folded(word: str) -> str:
    return "".join(folded_letter(letter) for letter in word)


@cache
def _listed() -> frozenset[str]:
    """Return the numbers, digits alone, and the addresses that a reply may name."""
    lines = load_yaml(_DATA / "hotlines.json", HotlineFile).root
    shown = [entry.number for entry in (*protocol().resources.ko, *protocol().resources.en)]
    written = [line.number for line in lines] + shown
    numbers = {re.sub(r"\D", "", part) for text in written for part in _BETWEEN_NUMBERS.split(text)}
    hosts = {host for line in lines for host in _HOST.findall(f"{line.number} {line.note}")}
    return frozenset((numbers | hosts) - {""})
