"""The rules that find violence against the user: read, checked and compiled once, on first use."""

from functools import cache
from pathlib import Path

from shared.content.loader import load_yaml
from shared.content.schemas.abuse import AbuseFile, ActDefinition
from shared.content.schemas.crisis import Phrases
from shared.domain.errors import ContentError
from shared.safety.abuse import AbuseRules, Act
from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import patterns_of
from shared.safety.rules import Rule
from shared.safety.ruleset import RuleSet

_FILE = Path(__file__).parent / "data" / "abuse_rules.yaml"


@cache
def abuse_file() -> AbuseFile:
    """Return the rules as written, with their examples.

    Raises:
        ContentError: The file is wrong.
    """
    return load_yaml(_FILE, AbuseFile)


@cache
def abuse_rules() -> AbuseRules:
    """Return the compiled rules.

    Raises:
        ContentError: The file is wrong.
    """
    return compiled(abuse_file())


def compiled(written: AbuseFile) -> AbuseRules:
    """Return the rules of a file.

    Raises:
        ContentError: A pattern names a fragment that is not there.
    """
    times = written.times
    return AbuseRules(
        acts=RuleSet.of([_act(act, written.fragments) for act in written.acts]),
        means={act.id: Act(kind=act.kind, grave=act.grave) for act in written.acts},
        past=_cue("past", times.past, written.fragments),
        present=_cue("present", times.present, written.fragments),
        now=_cue("now", times.now, written.fragments),
    )


def _act(act: ActDefinition, fragments: dict[str, str]) -> Rule:
    return _rule(act.id, Phrases(patterns=act.patterns, exclusions=act.exclusions), act.unless, fragments)


def _cue(name: str, phrases: Phrases, fragments: dict[str, str]) -> RuleSet:
    return RuleSet.of([_rule(name, phrases, (), fragments)])


def _rule(rule_id: str, phrases: Phrases, unless: tuple[str, ...], fragments: dict[str, str]) -> Rule:
    try:
        return Rule(
            id=rule_id,
            outcome=CrisisOutcome.NONE,
            patterns=patterns_of(phrases.patterns, fragments),
            exclusions=patterns_of(phrases.exclusions, fragments),
            unless=patterns_of(unless, fragments),
        )
    except KeyError as error:
        raise ContentError(_FILE.name, None, f"{rule_id}: no fragment {error}") from error
