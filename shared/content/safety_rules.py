"""The rules of the safety gate: read, checked and compiled once, on first use."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
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
_SHARED = frozenset(("words.yaml", "predicates.yaml"))
"""Files of a language that hold no rules."""


@cache
def screening() -> Screening:
    """Return the reader of messages.

    Raises:
        ContentError: A file of rules is wrong.
    """
    return Screening(Matcher(rule for locale in Locale for rule in _rules(locale)))


def alarming(*texts: str) -> bool:
    """Tell whether the rules of danger find anything at all in one of the texts.

    Such words are answered and followed through. They never become a goal, an item of a plan or a title.
    """
    return any(screening().screen(text).crisis.outcome is not CrisisOutcome.NONE for text in texts)


def rule_files(locale: Locale) -> list[Path]:
    """Return the files of rules of a language, in order."""
    return sorted(path for path in (RULES / locale.value).glob("*.yaml") if path.name not in _SHARED)


def vocabulary(locale: Locale) -> Vocabulary:
    """Return what the patterns of a language share.

    Raises:
        ContentError: The file is wrong.
    """
    written = load_yaml(RULES / locale.value / "words.yaml", VocabularyFile)
    stems = {name: tuple(stem.replace("_", " ") for stem in those) for name, those in written.stems.items()}
    return Vocabulary(written.fragments, stems, whole_words=locale is Locale.EN)


def predicates(locale: Locale, words: Vocabulary) -> Mapping[str, Predicate]:
    """Return the predicates of a language by name.

    Raises:
        ContentError: The file is wrong.
    """
    written = load_yaml(RULES / locale.value / "predicates.yaml", PredicateFile)
    return {one.id: _predicate(one, words) for one in written.predicates}


def _predicate(written: PredicateEntry, words: Vocabulary) -> Predicate:
    ways = tuple(Surroundings(way.before, way.behind, words) for way in written.any_of)
    return Predicate(written.id, written.makes, ways)


def _rules(locale: Locale) -> Iterator[Rule]:
    words = vocabulary(locale)
    known = predicates(locale, words)
    for path in rule_files(locale):
        written = load_yaml(path, RuleFile)
        for entry in written.rules:
            try:
                yield compiled(entry, written.family, words, known)
            except (KeyError, ValueError, re.error) as error:
                raise ContentError(path.name, None, f"{entry.id}: {error}") from error


def compiled(entry: RuleEntry, family: Family, words: Vocabulary, known: Mapping[str, Predicate]) -> Rule:
    """Return a rule as written, ready to match; its pattern itself is compiled when a message first needs it.

    Raises:
        KeyError: It names a fragment, a group of stems or a predicate that is not there.
        ValueError: A predicate lowers what nothing may lower, or a stem is none.
    """
    not_if = tuple(known[name] for name in entry.not_if)
    wrong = [one.id for one in not_if if family is Family.CRISIS and not may_lower(one.makes, CrisisOutcome(entry.outcome))]
    if wrong:
        raise ValueError(f"nothing lowers what is {entry.outcome}, so not {', '.join(wrong)}")
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
    )
