"""Reads, checks and compiles the rules of the output guard."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from shared.content.loader import load_yaml
from shared.content.safety_rules import RULES, compiled, predicates, vocabulary
from shared.content.schemas.crisis import CrisisProtocol
from shared.content.schemas.references import HotlineFile
from shared.content.schemas.safety_rules import RuleEntry, Words
from shared.content.schemas.unique import unique
from shared.domain.errors import ContentError
from shared.locale import Locale
from shared.model import Model
from shared.safety.matcher import Family
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.form import known_words
from shared.safety.output_guard.rules import Excuse, GuardRule, GuardRules
from shared.safety.output_guard.sentence import END
from shared.safety.output_guard.situation import When
from shared.safety.predicates import Predicate


class GuardEntry(RuleEntry):
    """One rule; it cuts the replies `found` in the situation `when`, and no rule cuts the replies `not_found`.

    Attributes:
        when: The situation in which it applies.
        unless: One in which it does not, all the same.
        excuses: What makes a match harmless.
        reach: Letters after a trigger within which a match ends.
        inside: A trigger may begin inside a word.
    """

    when: When = When.ALWAYS
    unless: When | None = None
    excuses: Words = (Excuse.QUOTED.value,)
    reach: int = Field(default=24, ge=0, le=64)
    inside: bool = False

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        Category(self.outcome)
        frozenset(map(Excuse, self.excuses))
        return self


class GuardFile(Model):
    """One file of rules: what a reply must not say about one topic, in one language."""

    family: Literal[Family.GUARD]
    rules: tuple[GuardEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        unique((rule.id for rule in self.rules), "rule ids")
        return self


WORDS, PREDICATES = "guard_words", "guard_predicates"
_LIST = re.compile(r"<([a-z_]+)>")
_END = "<end>"
"""Trigger for the end of a sentence, for rules about its last word."""
_MEDICINE, _MEANS = "(?:<medicine_told>)", "(?:<means_told>)"
"""What a message says of a medicine, and of a means of suicide."""
_BETWEEN_NUMBERS = re.compile(r"[/;,(]|\bor\b")
_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}")
_HOTLINES = Path(__file__).parent / "data" / "hotlines.json"


def load_guard_rules(protocol: CrisisProtocol, english: Iterable[str]) -> GuardRules:
    """Return the compiled rules; a reply may name the numbers of `protocol`, and has words of the `english` texts.

    Raises:
        ContentError: A file is wrong, or a rule names something unknown.
    """
    listed = _listed(protocol)
    rules = tuple(rule for locale in Locale for rule in _rules(locale, listed))
    known = [GuardWords(locale).vocabulary for locale in Locale]
    told = {each: "|".join(words.source(each) for words in known) for each in (_MEDICINE, _MEANS)}
    written = [rule for locale in Locale for path in guard_files(locale) for rule in load_yaml(path, GuardFile).rules]
    # The example replies also say what a language's sentences are made of.
    examples = [text for rule in written for text in (*rule.found, *rule.not_found)]
    return GuardRules(
        rules=rules,
        own_words=known_words((*english, *examples)),
        medicines=re.compile(told[_MEDICINE]),
        means=re.compile(told[_MEANS]),
    )


def guard_files(locale: Locale) -> list[Path]:
    """Return the rule files of a language, in order."""
    paths = (RULES / locale.value).glob("guard_*.yaml")
    return sorted(path for path in paths if not path.name.startswith((WORDS, PREDICATES)))


class GuardWords:
    """The shared vocabulary of a language's output guard rules.

    `<name>` stands for a list of words (`stems`): in a pattern for any of its words, in a trigger for each of them.
    """

    def __init__(self, locale: Locale) -> None:
        """Read the vocabulary.

        Raises:
            ContentError: The file is wrong.
        """
        written = vocabulary(locale, WORDS)
        choices = {name: f"(?:{'|'.join(words)})" for name, words in written.stems.items()}
        self.vocabulary = replace(written, fragments={**written.fragments, **choices})

    def triggers(self, written: Iterable[str]) -> tuple[str, ...]:
        """Return triggers without spaces, with each `<name>` replaced by the words of the list.

        Raises:
            KeyError: A trigger names an unknown list.
        """
        return tuple(dict.fromkeys(one.replace(" ", "") for each in written for one in self._each(each)))

    def _each(self, trigger: str) -> Iterator[str]:
        name = _LIST.search(trigger)
        if name is None:
            yield trigger
        elif name[0] == _END:
            yield END
        else:
            for word in self.vocabulary.stems[name[1]]:
                yield from self._each(trigger.replace(name[0], word, 1))


def _rules(locale: Locale, listed: frozenset[str]) -> Iterator[GuardRule]:
    words = GuardWords(locale)
    known = predicates(locale, words.vocabulary, PREDICATES)
    for path in guard_files(locale):
        for entry in load_yaml(path, GuardFile).rules:
            try:
                yield guard_rule(entry, words, known, listed)
            except (KeyError, ValueError, re.error) as error:
                raise ContentError(path.name, None, f"{entry.id}: {error}") from error


def guard_rule(
    entry: GuardEntry, words: GuardWords, known: Mapping[str, Predicate], listed: frozenset[str]
) -> GuardRule:
    """Return a compiled rule; `listed` are the numbers and addresses that a reply may name.

    Raises:
        KeyError: The rule names an unknown fragment, list of words or predicate.
        ValueError: A stem is invalid.
    """
    spelled = entry.model_copy(update={"triggers": words.triggers(entry.triggers)})
    return GuardRule(
        category=Category(entry.outcome),
        looks_for=compiled(spelled, Family.GUARD, words.vocabulary, known),
        reach=entry.reach,
        inside=entry.inside,
        when=entry.when,
        unless=entry.unless,
        excuses=frozenset(map(Excuse, entry.excuses)),
        listed=listed,
    )


def _listed(protocol: CrisisProtocol) -> frozenset[str]:
    """Return the numbers (digits only) and the addresses that a reply may name."""
    lines = load_yaml(_HOTLINES, HotlineFile).root
    shown = [entry.number for entry in (*protocol.resources.ko, *protocol.resources.en)]
    written = [line.number for line in lines] + shown
    numbers = {re.sub(r"\D", "", part) for text in written for part in _BETWEEN_NUMBERS.split(text)}
    hosts = {host for line in lines for host in _HOST.findall(f"{line.number} {line.note}")}
    return frozenset((numbers | hosts) - {""})
