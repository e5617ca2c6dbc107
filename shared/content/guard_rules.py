"""The rules of the output guard as data: read, checked and compiled once, on first use.

Reading some thousand words of YAML takes longer than the rest of a cold start. So what is needed at run time is kept in
guard_rules.json, beside the digest of the very file it was read from: with any other it is not used. After a change of
the rules it is written anew with `python -m tests.unit.shared.content.guard_kept`.
"""

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from shared.content.crisis_protocol import protocol
from shared.content.loader import load_yaml
from shared.content.schemas.guard import GuardContent, GuardFile, GuardRuleDefinition, KeptGuard, Wording
from shared.content.schemas.references import HotlineFile
from shared.domain.errors import ContentError
from shared.locale import Locale, Register
from shared.safety.output_guard.rules import Category, GuardRule, GuardRules, Hit, Surroundings
from shared.safety.output_guard.sentence import folded_letter
from shared.safety.patterns import Pattern, patterns_of

_DATA = Path(__file__).parent / "data"
_FILE = _DATA / "guard_rules.yaml"
_KEPT = _DATA / "guard_rules.json"
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


def kept_content() -> KeptGuard | None:
    """Return what was kept, None where nothing was.

    Raises:
        ContentError: The file is wrong.
    """
    if not _KEPT.exists():
        return None
    try:
        return KeptGuard.model_validate_json(_KEPT.read_bytes())
    except ValidationError as error:
        raise ContentError(_KEPT.name, None, "write it anew, see guard_rules.py") from error


def file_digest() -> str:
    """Return the digest of the file as it is written."""
    return sha256(_FILE.read_bytes()).hexdigest()


@cache
def _content() -> GuardContent:
    kept = kept_content()
    return kept.content if kept and kept.file == file_digest() else guard_file()


@cache
def guard_rules() -> GuardRules:
    """Return the compiled rules.

    Raises:
        ContentError: A file is wrong, or a rule names what is not there.
    """
    file = _content()
    written = file.model_copy(update={"fragments": _resolved(file.fragments)})
    compiler = Compiler(written)
    return GuardRules(rules=tuple(compiler.rule(rule) for rule in written.rules))


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
    endings = _content().endings
    found = endings.of(category) if category else endings.plain
    voiced = endings.means_of_others if category is Category.MEANS and others else found
    wordings = voiced.at(locale, register)
    return wordings[variant % len(wordings)]


def tells_of_others(text: str) -> bool:
    """Return whether somebody writes of another who is in danger or has died."""
    return any(pattern.regex.search(text.lower()) for pattern in _of_others())


@cache
def _of_others() -> tuple[Pattern, ...]:
    return patterns_of(_content().of_others, {})


class Compiler:
    """Makes rules of what is written in a file; what several of them name is made once."""

    def __init__(self, file: GuardContent) -> None:
        """Take the file, in whose fragments no other is named any more."""
        words = {name: tuple(map(_folded, words)) for name, words in file.words.items()}
        self._file = file.model_copy(update={"words": words})
        self._around: dict[str, Surroundings] = {}

    def rule(self, rule: GuardRuleDefinition) -> GuardRule:
        """Return a rule, ready to match.

        Raises:
            ContentError: It names a fragment, a list of words or surroundings that are not there.
        """
        try:
            return GuardRule(
                id=rule.id,
                category=rule.category,
                hits=tuple(_hit(wording, rule.reach, self._file) for wording in rule.hits),
                exclusions=patterns_of(rule.exclusions, self._file.fragments),
                unless=tuple(self._surroundings(name) for name in rule.unless),
                said_in=tuple(self._surroundings(name) for name in rule.said_in),
                when=rule.when,
                excuses=rule.excuses,
                listed=_listed,
            )
        except KeyError as error:
            raise ContentError(_FILE.name, None, f"{rule.id}: there is no {error}") from error

    def _surroundings(self, name: str) -> Surroundings:
        if name not in self._around:
            written, fragments = self._file.surroundings[name], self._file.fragments
            self._around[name] = Surroundings(
                before=patterns_of([rf"(?:{pattern}) \Z" for pattern in written.before], fragments),
                behind=patterns_of(written.behind, fragments),
            )
        return self._around[name]


def _resolved(fragments: dict[str, str]) -> dict[str, str]:
    """Return fragments with those above them put in their places."""
    whole: dict[str, str] = {}
    for name, pattern in fragments.items():
        whole[name] = _LIST.sub(lambda found: whole[found[1]], pattern)
    return whole


def _hit(wording: Wording, reach: int, file: GuardContent) -> Hit:
    starts = (start for written in wording.starts for start in _each(_folded(written), file.words))
    return Hit(
        starts=tuple(dict.fromkeys(starts)),
        then=patterns_of([f" {pattern}" for pattern in wording.then], file.fragments),
        reach=reach,
        joined=wording.joined,
    )


def _each(start: str, words: dict[str, tuple[str, ...]]) -> list[str]:
    """Return a start with each word of the list that it names in the list's place."""
    name = _LIST.search(start) if "<" in start else None
    if name is None:
        return [start]
    return [whole for word in words[name[1]] for whole in _each(start.replace(name[0], word, 1), words)]


def _folded(word: str) -> str:
    return "".join(map(folded_letter, word))


@cache
def _listed() -> frozenset[str]:
    """Return the numbers, digits alone, and the addresses that a reply may name."""
    lines = load_yaml(_DATA / "hotlines.json", HotlineFile).root
    shown = [entry.number for entry in (*protocol().resources.ko, *protocol().resources.en)]
    written = [line.number for line in lines] + shown
    numbers = {re.sub(r"\D", "", part) for text in written for part in _BETWEEN_NUMBERS.split(text)}
    hosts = {host for line in lines for host in _HOST.findall(f"{line.number} {line.note}")}
    return frozenset((numbers | hosts) - {""})
