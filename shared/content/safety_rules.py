"""Reads, checks and compiles the rules of the safety gate."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import shared.safety
from shared.content.loader import load_yaml
from shared.content.schemas.safety_rules import PredicateEntry, PredicateFile, RuleEntry, RuleFile, VocabularyFile
from shared.domain.errors import ContentError
from shared.locale import Locale
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family, Matcher, Rule
from shared.safety.patterns import Vocabulary
from shared.safety.predicates import Predicate, Surroundings, may_lower
from shared.safety.screening import Screening

RULES = Path(shared.safety.__file__).parent / "rules"
_SHARED = ("words", "predicates")
"""Prefixes of files without rules."""
_OF_REPLIES = "guard_"
"""Prefix of files with rules about replies (guard_rules.py), which are not read for messages."""


def load_screening() -> Screening:
    """Return the screening of messages.

    Raises:
        ContentError: A rule file is wrong.
    """
    return Screening(Matcher(rule for locale in Locale for rule in _rules(locale)))


def rule_files(locale: Locale) -> list[Path]:
    """Return the rule files for messages of a language, in order."""
    paths = (RULES / locale.value).glob("*.yaml")
    return sorted(path for path in paths if not path.name.startswith(_SHARED) and not path.name.startswith(_OF_REPLIES))


def vocabulary(locale: Locale, named: str = "words") -> Vocabulary:
    """Return the shared vocabulary of a language's patterns, from the files whose names begin with `named`.

    Raises:
        ContentError: A file is wrong.
    """
    fragments: dict[str, str] = {}
    stems: dict[str, Sequence[str]] = {}
    for path in _files(locale, named):
        written = load_yaml(path, VocabularyFile)
        fragments |= {name: _alternatives(lines) for name, lines in written.fragments.items()}
        stems |= {name: tuple(stem.replace("_", " ") for stem in those) for name, those in written.stems.items()}
    return Vocabulary(fragments, stems, whole_words=locale is Locale.EN)


def _alternatives(lines: Sequence[str]) -> str:
    return lines[0] if len(lines) == 1 else f"(?:{'|'.join(lines)})"


def predicates(locale: Locale, words: Vocabulary, named: str = "predicates") -> Mapping[str, Predicate]:
    """Return the predicates of a language by name, from the files whose names begin with `named`.

    Raises:
        ContentError: A file is wrong.
    """
    files = (load_yaml(path, PredicateFile) for path in _files(locale, named))
    return {one.id: _predicate(one, words) for written in files for one in written.predicates}


def _files(locale: Locale, named: str) -> list[Path]:
    return sorted((RULES / locale.value).glob(f"{named}*.yaml"))


def _predicate(written: PredicateEntry, words: Vocabulary) -> Predicate:
    ways = tuple(
        Surroundings(way.before, way.behind, way.words, words, way.unless, way.previous, way.within, way.following)
        for way in written.any_of
    )
    return Predicate(written.id, written.makes, ways)


def _rules(locale: Locale) -> Iterator[Rule]:
    words = vocabulary(locale)
    known = predicates(locale, words)
    for path in rule_files(locale):
        written = load_yaml(path, RuleFile)
        for entry in written.rules:
            try:
                yield compiled(entry, written.family, words, known)
            except KeyError as error:
                raise ContentError(path.name, None, f"{entry.id}: no fragment, stems or predicate {error}") from error
            except (ValueError, re.error) as error:
                raise ContentError(path.name, None, f"{entry.id}: {error}") from error


def compiled(entry: RuleEntry, family: Family, words: Vocabulary, known: Mapping[str, Predicate]) -> Rule:
    """Return a rule, ready to match; its pattern is compiled when a message first needs it.

    Raises:
        KeyError: The rule names an unknown fragment, group of stems or predicate.
        ValueError: A predicate lowers an outcome that must not be lowered, or a stem is invalid.
    """
    not_if = tuple(known[name] for name in entry.not_if)
    if family is Family.CRISIS:
        outcome = CrisisOutcome(entry.outcome)
        if wrong := [one.id for one in not_if if not may_lower(one.makes, outcome)]:
            raise ValueError(f"nothing lowers what is {outcome.value}, so not {', '.join(wrong)}")
    return Rule(
        id=entry.id,
        family=family,
        outcome=entry.outcome,
        triggers=entry.triggers,
        sources=tuple(map(words.source, entry.pattern)),
        not_if=not_if,
        ground=entry.ground,
        kind=entry.kind,
        weight=entry.weight,
        wish=entry.wish,
    )
