"""The rules of the output guard as data: read, checked and compiled once, on first use."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from shared.content.crisis_protocol import protocol
from shared.content.loader import load_yaml
from shared.content.schemas.guard import Around, GuardFile, GuardRuleDefinition, Wording
from shared.content.schemas.references import HotlineFile
from shared.domain.errors import ContentError
from shared.domain.locale import Locale, Register
from shared.domain.safety.guard_rules import Category, GuardRule, GuardRules, Hit, Surroundings
from shared.domain.safety.guard_text import folded_letter
from shared.domain.safety.patterns import Pattern, patterns_of

_DATA = Path(__file__).parent / "data"
_FILE = _DATA / "guard_rules.yaml"
_LIST = re.compile(r"<([a-z_]+)>")
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
        ContentError: A file is wrong, or a rule names what is not there.
    """
    file = guard_file()
    written = file.model_copy(update={"fragments": _resolved(file.fragments)})
    return GuardRules(rules=tuple(compiled(rule, written) for rule in written.rules))


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
    endings = guard_file().endings
    found = endings.of(category) if category else endings.plain
    voiced = endings.means_of_others if category is Category.MEANS and others else found
    wordings = voiced.at(locale, register)
    return wordings[variant % len(wordings)]


def tells_of_others(text: str) -> bool:
    """Return whether somebody writes of another who is in danger or has died."""
    return any(pattern.regex.search(text.lower()) for pattern in _of_others())


@cache
def _of_others() -> tuple[Pattern, ...]:
    return patterns_of(guard_file().of_others, {})


def compiled(rule: GuardRuleDefinition, file: GuardFile) -> GuardRule:
    """Return a rule, ready to match.

    Raises:
        ContentError: It names a fragment, a list of words or surroundings that are not there.
    """
    try:
        return GuardRule(
            id=rule.id,
            category=rule.category,
            hits=tuple(_hit(wording, rule.reach, file) for wording in rule.hits),
            exclusions=patterns_of(rule.exclusions, file.fragments),
            unless=tuple(_surroundings(file.surroundings[name], file.fragments) for name in rule.unless),
            when=rule.when,
            excuses=rule.excuses,
            listed=_listed(),
        )
    except KeyError as error:
        raise ContentError(_FILE.name, None, f"{rule.id}: there is no {error}") from error


def _resolved(fragments: dict[str, str]) -> dict[str, str]:
    """Return fragments with those above them put in their places."""
    whole: dict[str, str] = {}
    for name, pattern in fragments.items():
        whole[name] = _LIST.sub(lambda found: whole[found[1]], pattern)
    return whole


def _hit(wording: Wording, reach: int, file: GuardFile) -> Hit:
    starts = (start for written in wording.starts for start in _each(written, file.words))
    return Hit(
        starts=tuple(dict.fromkeys(_folded(start) for start in starts)),
        then=patterns_of([f" {pattern}" for pattern in wording.then], file.fragments),
        reach=reach,
        joined=wording.joined,
    )


def _each(start: str, words: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield a start with each word of the list that it names in the list's place."""
    name = _LIST.search(start)
    if name is None:
        yield start
        return
    for word in words[name[1]]:
        yield from _each(start.replace(name[0], word, 1), words)


def _surroundings(written: Around, fragments: dict[str, str]) -> Surroundings:
    return Surroundings(
        before=patterns_of([rf"(?:{pattern}) \Z" for pattern in written.before], fragments),
        behind=patterns_of(written.behind, fragments),
    )


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
