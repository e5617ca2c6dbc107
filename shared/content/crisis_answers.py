"""What the user answers to the protocol: yes, that they are safe, or that they want numbers; needs no model."""

import re
from collections.abc import Mapping
from functools import cache

from shared.content.crisis_protocol import phrases, protocol
from shared.content.schemas.crisis import PhraseList
from shared.safety.levels import CrisisOutcome
from shared.safety.phrases import Phrases
from shared.safety.reassurance import Reassurance
from shared.safety.screening import ScreenedMessage, readings_of

_QUOTED_QUESTION = re.compile(r"\"[^\"?]*\?[^\"]*\"|“[^”?]*\?[^”]*”")
_QUESTION = re.compile(r"[^.?!\n]*\?")


def reassurances(message: ScreenedMessage) -> tuple[Reassurance, ...]:
    """Return how the user says that they are safe.

    Nothing counts in a message that holds a finding of its own, tells of violence, or speaks of a decision, of hiding
    or of fear (`safe.doubt`): so somebody speaks who has made up their mind, or who cannot speak freely.
    """
    said = tuple(kind for kind, words in _safe().items() if words.heard(message.readings))
    return said if said and not _in_doubt(message) else ()


def asks_directly(reply: str, *, last: bool = False) -> bool:
    """Return whether a reply asks the user whether they want to die; what it tells them to ask others is no question.

    Args:
        reply: What was said to them.
        last: Whether it must be what the reply asks last: then a "yes" is an answer to nothing else.
    """
    own = _QUOTED_QUESTION.sub(" ", reply)
    questions = _QUESTION.findall(own)
    return any(_asks_directly().heard(readings_of(question)) for question in (questions[-1:] if last else questions))


def admits(message: ScreenedMessage) -> bool:
    """Return whether a message is a yes to the question whether they want to die; without the question it is nothing.

    What denies it anywhere, or says that they are safe, makes it none: then the model's second opinion reads it.
    """
    return _admits().heard(message.readings) and not _denies().heard(message.readings) and not reassurances(message)


def acted(message: ScreenedMessage) -> bool:
    """Return whether a message says, as the answer to whether they did it already, that it is done."""
    return _answers("acted").heard(message.readings)


def act_named(message: ScreenedMessage) -> bool:
    """Return whether a message that says that it is done names the act, so that it is no answer to something else."""
    return acted(message) and _answers("act_named").heard(message.readings)


def done(message: ScreenedMessage) -> bool:
    """Return whether a message in which danger was found tells of an act that is done."""
    return _answers("done").heard(message.readings)


def soon(message: ScreenedMessage) -> bool:
    """Return whether a message says, as the answer to when, where and with what, that it is near."""
    return _answers("soon").heard(message.readings)


def about_me(message: ScreenedMessage) -> bool:
    """Return whether a helper says that the one they worry about is they themselves."""
    return _answers("about_me").heard(message.readings)


def violence_near(message: ScreenedMessage) -> bool:
    """Return whether somebody who told of violence says that the other is near or armed, or that they hide or bleed."""
    return _answers("violence_near").heard(message.readings)


def named_near(message: ScreenedMessage, told: str) -> bool:
    """Return whether one of the family is there who may be the one that hurts them.

    Args:
        message: What they say.
        told: What they said before. Whoever it does not speak of while it speaks of others is company.
    """
    if not _answers("named_near").heard(message.readings):
        return False
    here, before = _relatives(message.text), _relatives(told)
    return not here or not before or not here.isdisjoint(before)


def _relatives(text: str) -> frozenset[str]:
    return frozenset(words for words in protocol().relatives if re.search(words, text))


def danger_near_them(message: ScreenedMessage) -> bool:
    """Return whether a helper says that the one they worry about is there, took something, or lies still."""
    return _answers("danger_near_them").heard(message.readings)


def harm_near(message: ScreenedMessage) -> bool:
    """Return whether a message says, of a harm to somebody else, that it is near."""
    return _answers("harm_near").heard(message.readings)


def place_named(message: ScreenedMessage) -> bool:
    """Return whether a message names a place of danger, so that it needs no question before it."""
    return _answers("place_named").heard(message.readings)


def asks_resources(message: ScreenedMessage) -> bool:
    """Return whether the user asks for numbers or places to turn to."""
    return _asks_resources().heard(message.readings)


def _in_doubt(message: ScreenedMessage) -> bool:
    if message.crisis.outcome.needs_protocol or message.abuse.outcome is not CrisisOutcome.NONE:
        return True
    return _doubt().heard(message.readings)


@cache
def _asks_directly() -> Phrases:
    return phrases(protocol().asks_directly)


@cache
def _admits() -> Phrases:
    written = protocol().admits
    return phrases(written, PhraseList(patterns=written.understated, exclusions=()))


@cache
def _answers(name: str) -> Phrases:
    written: PhraseList = getattr(protocol(), name)
    return phrases(written)


@cache
def _denies() -> Phrases:
    written = protocol().admits
    return phrases(PhraseList(patterns=written.denials, exclusions=written.understated))


@cache
def _safe() -> Mapping[Reassurance, Phrases]:
    written = protocol().safe
    taken_back = PhraseList(patterns=(), exclusions=written.exclusions)
    return {kind: phrases(getattr(written, kind.value), taken_back) for kind in Reassurance}


@cache
def _doubt() -> Phrases:
    return phrases(protocol().safe.doubt)


@cache
def _asks_resources() -> Phrases:
    return phrases(protocol().asks_resources)
