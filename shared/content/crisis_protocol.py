"""The fixed replies of the crisis protocol, their resources, and what the user answers; needs no model."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from shared.content.crisis_rules import crisis_rules
from shared.content.loader import load_yaml
from shared.content.schemas.crisis import RESOURCE_SLOT, CrisisProtocol, Phrases, Resource, Variants, Voiced
from shared.content.schemas.references import HotlineFile
from shared.domain.errors import ContentError
from shared.domain.locale import Locale, Register
from shared.domain.model import Model
from shared.domain.safety.detector import detect
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.needs import Need, needs_of, union
from shared.domain.safety.normalise import normalise
from shared.domain.safety.patterns import Rule, patterns_of
from shared.domain.safety.ruleset import RuleSet

_DATA = Path(__file__).parent / "data"
_FILE = _DATA / "crisis_protocol.yaml"
_HURT = frozenset({CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW})
_OWN_PAIN = frozenset({CrisisOutcome.CONCERN, CrisisOutcome.CRISIS, CrisisOutcome.IMMINENT})
MINOR = "14_18"
"""The age band of those who also get the line for the young."""


class Voice(Model):
    """How a conversation speaks, and whether to somebody young."""

    locale: Locale
    register_: Register
    minor: bool = False

    @property
    def key(self) -> str:
        """Which of the texts it takes."""
        if self.locale is Locale.EN:
            return "en"
        return "ko_casual" if self.register_ is Register.CASUAL else "ko"


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


def resources(locale: Locale, needs: Iterable[Need], *, minor: bool) -> tuple[Resource, ...]:
    """Return whom to turn to, in the content's order: Korea's 109 first, and right behind it the line for minors."""
    wanted = {*needs, Need.YOUTH} if minor else set(needs)
    entries = protocol().resources.ko if locale is Locale.KO else protocol().resources.en
    return tuple(
        Resource(name=entry.name, number=entry.number, hours=entry.hours)
        for entry in entries
        if wanted.intersection(entry.needs)
    )


def protocol_reply(
    outcome: CrisisOutcome, voice: Voice, variant: int, *, needs: Iterable[Need] = (), said: str = ""
) -> str:
    """Return the fixed reply to `outcome`.

    Args:
        outcome: One that is answered, or a concern.
        voice: How this conversation speaks.
        variant: A counter; two neighbours never give the same text.
        needs: What all findings call for, where there are more than this one.
        said: The user's message: what weighs in it is acknowledged first, in words of our own.

    Raises:
        KeyError: `outcome` has no reply.
    """
    variants: Variants = dict(protocol().replies)[outcome.value]
    reply = _with_resources(_texts(variants, voice), variant, voice, union(needs_of(outcome), needs))
    opening = _acknowledgment(said, voice) if outcome in _OWN_PAIN else ""
    return "\n\n".join(part for part in (opening, reply, _for_minors(outcome, voice, variant)) if part)


def resource_block(voice: Voice, needs: Iterable[Need]) -> str:
    """Return the block that code appends in the follow-through and whenever the user asks."""
    return _fixed(protocol().block, voice, needs)


def farewell_block(voice: Voice, needs: Iterable[Need]) -> str:
    """Return what goes behind the farewell to somebody who leaves in a follow-through."""
    return _fixed(protocol().farewell, voice, needs)


def care_reply(voice: Voice, variant: int) -> str:
    """Return what is said in a follow-through when no model can speak."""
    texts = _texts(protocol().care, voice)
    return texts[variant % len(texts)]


def leave_question(voice: Voice, variant: int, needs: Iterable[Need]) -> str:
    """Return the question whether to end, to somebody who is being followed through."""
    return _with_resources(_texts(protocol().leave, voice), variant, voice, needs)


def says_safe(text: str) -> bool:
    """Return whether the user says that they are safe; never while the same message holds a finding of its own."""
    return _said(_safe(), text) and not detect(text, crisis_rules()).outcome.needs_protocol


def asks_resources(text: str) -> bool:
    """Return whether the user asks for numbers or places to turn to."""
    return _said(_asks_resources(), text)


def _for_minors(outcome: CrisisOutcome, voice: Voice, variant: int) -> str:
    if not voice.minor or outcome is CrisisOutcome.CONCERN:
        return ""
    texts = _texts(protocol().for_hurt_minors if outcome in _HURT else protocol().for_minors, voice)
    return texts[variant % len(texts)]


def _acknowledgment(said: str, voice: Voice) -> str:
    for written, phrases in zip(protocol().acknowledgments, _acknowledged(), strict=True):
        if said and _said(phrases, said):
            return _voiced(written, voice)
    return ""


def _with_resources(texts: tuple[str, ...], variant: int, voice: Voice, needs: Iterable[Need]) -> str:
    return texts[variant % len(texts)].replace(RESOURCE_SLOT, _lines(voice, needs))


def _fixed(text: Voiced, voice: Voice, needs: Iterable[Need]) -> str:
    return _voiced(text, voice).replace(RESOURCE_SLOT, _lines(voice, needs))


def _texts(variants: Variants, voice: Voice) -> tuple[str, ...]:
    texts: tuple[str, ...] = dict(variants)[voice.key]
    return texts


def _voiced(text: Voiced, voice: Voice) -> str:
    said: str = dict(text)[voice.key]
    return said


def _lines(voice: Voice, needs: Iterable[Need]) -> str:
    line = _voiced(protocol().line, voice)
    shown = resources(voice.locale, needs, minor=voice.minor)
    return "\n".join(line.format(name=one.name, number=one.number, hours=one.hours) for one in shown)


@cache
def _acknowledged() -> tuple[RuleSet, ...]:
    return tuple(
        _rule_set("acknowledgment", Phrases(patterns=one.patterns, exclusions=())) for one in protocol().acknowledgments
    )


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
