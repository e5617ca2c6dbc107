"""What the user answers in a follow-through: that they are safe, or that they want numbers; needs no model."""

from collections.abc import Mapping
from functools import cache

from shared.content.abuse_rules import abuse_rules
from shared.content.crisis_protocol import heard, phrases, protocol
from shared.content.crisis_rules import crisis_rules
from shared.content.schemas.crisis import Phrases
from shared.domain.safety.abuse import detect_abuse
from shared.domain.safety.detector import detect
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.reassurance import Reassurance
from shared.domain.safety.ruleset import RuleSet


def reassurances(text: str) -> tuple[Reassurance, ...]:
    """Return how the user says that they are safe.

    Nothing counts in a message that holds a finding of its own, tells of violence, or speaks of a decision, of hiding
    or of fear (`safe.doubt`): so somebody speaks who has made up their mind, or who cannot speak freely.
    """
    said = tuple(kind for kind, words in _safe().items() if heard(words, text))
    return said if said and not _in_doubt(text) else ()


def says_safe(text: str) -> bool:
    """Return whether the user says in any way that they are safe."""
    return bool(reassurances(text))


def asks_resources(text: str) -> bool:
    """Return whether the user asks for numbers or places to turn to."""
    return heard(_asks_resources(), text)


def _in_doubt(text: str) -> bool:
    if heard(_doubt(), text) or detect(text, crisis_rules()).outcome.needs_protocol:
        return True
    return detect_abuse(text, abuse_rules()).outcome is not CrisisOutcome.NONE


@cache
def _safe() -> Mapping[Reassurance, RuleSet]:
    written = protocol().safe
    taken_back = Phrases(patterns=(), exclusions=written.exclusions)
    return {kind: phrases(f"safe-{kind.value}", getattr(written, kind.value), taken_back) for kind in Reassurance}


@cache
def _doubt() -> RuleSet:
    return phrases("safe-doubt", protocol().safe.doubt)


@cache
def _asks_resources() -> RuleSet:
    return phrases("asks-resources", protocol().asks_resources)
