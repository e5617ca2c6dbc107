"""The fixed replies of the crisis protocol, their resources, and what the user answers; needs no model."""

from functools import cache
from pathlib import Path

from shared.content.crisis_rules import crisis_rules
from shared.content.loader import load_yaml
from shared.content.schemas.crisis import RESOURCE_SLOT, CrisisProtocol, Phrases, Resource, Variants, When
from shared.content.schemas.references import HotlineFile
from shared.domain.errors import ContentError
from shared.domain.locale import Locale, Register
from shared.domain.safety.detector import detect
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.normalise import normalise
from shared.domain.safety.patterns import Rule, RuleSet, patterns_of

_DATA = Path(__file__).parent / "data"
_FILE = _DATA / "crisis_protocol.yaml"


@cache
def protocol() -> CrisisProtocol:
    """Return the protocol as written.

    Raises:
        ContentError: A file is wrong, or a number is not in hotlines.json, where its source and date stand.
    """
    written = load_yaml(_FILE, CrisisProtocol)
    known = load_yaml(_DATA / "hotlines.json", HotlineFile).root
    sourced = " ".join(f"{line.number} {line.note}" for line in known)
    for entry in (*written.resources.ko, *written.resources.en):
        if entry.number not in sourced:
            raise ContentError(_FILE.name, None, f"{entry.number} is not in hotlines.json")
    return written


def resources(locale: Locale, *, minor: bool, imminent: bool) -> tuple[Resource, ...]:
    """Return whom to turn to, Korea's 109 first."""
    shown = {When.ALWAYS} | ({When.MINOR} if minor else set()) | ({When.IMMINENT} if imminent else set())
    entries = protocol().resources.ko if locale is Locale.KO else protocol().resources.en
    return tuple(
        Resource(name=entry.name, number=entry.number, hours=entry.hours) for entry in entries if entry.when in shown
    )


def protocol_reply(outcome: CrisisOutcome, locale: Locale, register: Register, variant: int, *, minor: bool) -> str:
    """Return the fixed reply to `outcome`.

    Args:
        outcome: Any but none.
        locale: The conversation's language.
        register: Its register; English has none.
        variant: A counter; two neighbours never give the same text.
        minor: Whether the user is one.

    Raises:
        KeyError: `outcome` is none, which has no reply.
    """
    variants: Variants = dict(protocol().replies)[outcome.value]
    texts: tuple[str, ...] = dict(variants)[_voice(locale, register)]
    lines = _lines(locale, register, minor=minor, imminent=outcome.severity >= CrisisOutcome.HARM_TO_OTHERS.severity)
    return texts[variant % len(texts)].replace(RESOURCE_SLOT, lines)


def resource_block(locale: Locale, register: Register, *, minor: bool, imminent: bool) -> str:
    """Return the block that code appends in the follow-through and whenever the user asks."""
    block: str = dict(protocol().block)[_voice(locale, register)]
    return block.replace(RESOURCE_SLOT, _lines(locale, register, minor=minor, imminent=imminent))


def says_safe(text: str) -> bool:
    """Return whether the user says that they are safe; never while the same message holds a finding of its own."""
    return _said(_safe(), text) and not detect(text, crisis_rules()).outcome.needs_protocol


def asks_resources(text: str) -> bool:
    """Return whether the user asks for numbers or places to turn to."""
    return _said(_asks_resources(), text)


def _voice(locale: Locale, register: Register) -> str:
    if locale is Locale.EN:
        return "en"
    return "ko_casual" if register == Register.CASUAL else "ko"


def _lines(locale: Locale, register: Register, *, minor: bool, imminent: bool) -> str:
    line: str = dict(protocol().line)[_voice(locale, register)]
    shown = resources(locale, minor=minor, imminent=imminent)
    return "\n".join(line.format(name=one.name, number=one.number, hours=one.hours) for one in shown)


@cache
def _safe() -> RuleSet:
    return _rule_set("says-safe", protocol().safe)


@cache
def _asks_resources() -> RuleSet:
    return _rule_set("asks-resources", protocol().asks_resources)


def _rule_set(rule_id: str, phrases: Phrases) -> RuleSet:
    fragments = protocol().fragments
    patterns, exclusions = patterns_of(phrases.patterns, fragments), patterns_of(phrases.exclusions, fragments)
    rule = Rule(id=rule_id, outcome=CrisisOutcome.NONE, patterns=patterns, exclusions=exclusions, unless=())
    return RuleSet.of([rule])


def _said(phrases: RuleSet, text: str) -> bool:
    return any(phrases.hits(reading) for reading in normalise(text))
