"""How users state their age, and what is said to somebody under 14: read, checked and compiled once."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from shared.content.crisis_protocol import Voice, resource_lines
from shared.content.loader import load_yaml
from shared.content.schemas.age import AgeFile, AgeRule
from shared.content.schemas.crisis import RESOURCE_SLOT, TestedPhrases
from shared.domain.errors import ContentError
from shared.safety.ages import AgeRules
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need
from shared.safety.patterns import patterns_of
from shared.safety.rules import Rule
from shared.safety.ruleset import RuleSet

_FILE = Path(__file__).parent / "data" / "age_rules.yaml"


@cache
def age_file() -> AgeFile:
    """Return the rules as written, with their examples.

    Raises:
        ContentError: The file is wrong.
    """
    return load_yaml(_FILE, AgeFile)


@cache
def age_rules() -> AgeRules:
    """Return the compiled rules.

    Raises:
        ContentError: The file is wrong.
    """
    written = age_file()
    return AgeRules(
        rules=RuleSet.of([_rule(rule, written) for rule in written.rules]),
        means={rule.id: rule.age for rule in written.rules},
        of_another=_phrases("of_another", written.of_another, written),
        of_self=_phrases("of_self", written.of_self, written),
    )


def under_14_reply(voice: Voice, variant: int, needs: Iterable[Need], *, first: bool = False) -> str:
    """Return what is said to somebody under 14 where nothing is being followed through.

    Args:
        voice: How this conversation speaks.
        variant: A counter; two neighbours never give the same text.
        needs: What all findings call for.
        first: Whether they have just told their age: the first text thanks them for it, and no other.
    """
    written: tuple[str, ...] = dict(age_file().replies)[voice.key]
    texts = written[:1] if first else written[1:]
    return texts[variant % len(texts)].replace(RESOURCE_SLOT, resource_lines(voice, needs))


def under_14_behind(voice: Voice) -> str:
    """Return what goes behind the words that a crisis calls for."""
    said: str = dict(age_file().behind)[voice.key]
    return said


def _rule(rule: AgeRule, written: AgeFile) -> Rule:
    return _compiled(rule.id, rule.patterns, (*rule.exclusions, *written.exclusions), written)


def _phrases(name: str, said: TestedPhrases, written: AgeFile) -> RuleSet:
    return RuleSet.of([_compiled(name, said.patterns, said.exclusions, written)])


def _compiled(name: str, patterns: Sequence[str], exclusions: Sequence[str], written: AgeFile) -> Rule:
    try:
        return Rule(
            id=name,
            outcome=CrisisOutcome.NONE,
            patterns=patterns_of(patterns, written.fragments),
            exclusions=patterns_of(exclusions, written.fragments),
        )
    except KeyError as error:
        raise ContentError(_FILE.name, None, f"{name}: no fragment {error}") from error
