"""What the user answers to the protocol: yes, that they are safe, or that they want numbers; needs no model."""

import re
from collections.abc import Mapping
from functools import cache

from shared.content.abuse_rules import abuse_rules
from shared.content.crisis_protocol import heard, phrases, protocol
from shared.content.crisis_rules import crisis_rules
from shared.content.schemas.crisis import Phrases
from shared.safety.abuse import detect_abuse
from shared.safety.detector import detect
from shared.safety.levels import CrisisOutcome
from shared.safety.reassurance import Reassurance
from shared.safety.ruleset import RuleSet

_QUOTED_QUESTION = re.compile(r"\"[^\"?]*\?[^\"]*\"|“[^”?]*\?[^”]*”")
_QUESTION = re.compile(r"[^.?!\n]*\?")


def reassurances(text: str) -> tuple[Reassurance, ...]:
    """Return how the user says that they are safe.

    Nothing counts in a message that holds a finding of its own, tells of violence, or speaks of a decision, of hiding
    or of fear (`safe.doubt`): so somebody speaks who has made up their mind, or who cannot speak freely.
    """
    said = tuple(kind for kind, words in _safe().items() if heard(words, text))
    return said if said and not _in_doubt(text) else ()


def asks_directly(reply: str, *, last: bool = False) -> bool:
    """Return whether a reply asks the user whether they want to die; what it tells them to ask others is no question.

    Args:
        reply: What was said to them.
        last: Whether it must be what the reply asks last: then a "yes" is an answer to nothing else.
    """
    own = _QUOTED_QUESTION.sub(" ", reply)
    questions = _QUESTION.findall(own)
    return any(heard(_asks_directly(), question) for question in (questions[-1:] if last else questions))


def admits(text: str) -> bool:
    """Return whether a message is a yes to the question whether they want to die; without the question it is nothing.

    What denies it anywhere, or says that they are safe, makes it none: then the model's second opinion reads it.
    """
    return heard(_admits(), text) and not heard(_denies(), text) and not reassurances(text)


def acted(text: str) -> bool:
    """Return whether a message says, as the answer to whether they did it already, that it is done."""
    return heard(_answers("acted"), text)


def act_named(text: str) -> bool:
    """Return whether a message that says that it is done names the act, so that it is no answer to something else."""
    return acted(text) and heard(_answers("act_named"), text)


def done(text: str) -> bool:
    """Return whether a message in which danger was found tells of an act that is done."""
    return heard(_answers("done"), text)


def soon(text: str) -> bool:
    """Return whether a message says, as the answer to when, where and with what, that it is near."""
    return heard(_answers("soon"), text)


def about_me(text: str) -> bool:
    """Return whether a helper says that the one they worry about is they themselves."""
    return heard(_answers("about_me"), text)


def violence_near(text: str) -> bool:
    """Return whether somebody who told of violence says that the other is near or armed, or that they hide or bleed."""
    return heard(_answers("violence_near"), text)


def named_near(text: str, told: str) -> bool:
    """Return whether one of the family is there who may be the one that hurts them.

    Args:
        text: What they say.
        told: What they said before. Whoever it does not speak of while it speaks of others is company.
    """
    if not heard(_answers("named_near"), text):
        return False
    here, before = _relatives(text), _relatives(told)
    return not here or not before or not here.isdisjoint(before)


def _relatives(text: str) -> frozenset[str]:
    return frozenset(words for words in protocol().relatives if re.search(words, text))


def danger_near_them(text: str) -> bool:
    """Return whether a helper says that the one they worry about is there, took something, or lies still."""
    return heard(_answers("danger_near_them"), text)


def harm_near(text: str) -> bool:
    """Return whether a message says, of a harm to somebody else, that it is near."""
    return heard(_answers("harm_near"), text)


def place_named(text: str) -> bool:
    """Return whether a message names a place of danger, so that it needs no question before it."""
    return heard(_answers("place_named"), text)


def asks_resources(text: str) -> bool:
    """Return whether the user asks for numbers or places to turn to."""
    return heard(_asks_resources(), text)


def _in_doubt(text: str) -> bool:
    if heard(_doubt(), text) or detect(text, crisis_rules()).outcome.needs_protocol:
        return True
    return detect_abuse(text, abuse_rules()).outcome is not CrisisOutcome.NONE


@cache
def _asks_directly() -> RuleSet:
    return phrases("asks-directly", protocol().asks_directly)


@cache
def _admits() -> RuleSet:
    written = protocol().admits
    return phrases("admits", written, Phrases(patterns=written.understated, exclusions=()))


@cache
def _answers(name: str) -> RuleSet:
    written: Phrases = getattr(protocol(), name)
    return phrases(name.replace("_", "-"), written)


@cache
def _denies() -> RuleSet:
    written = protocol().admits
    return phrases("denies", Phrases(patterns=written.denials, exclusions=written.understated))


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
