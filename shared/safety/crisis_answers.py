"""What the user answers to the protocol: yes, that they are safe, or that they want numbers; needs no model."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.safety.levels import CrisisOutcome
from shared.safety.phrases import Phrases
from shared.safety.reassurance import Reassurance
from shared.safety.screening import ScreenedMessage, readings_of

_QUOTED_QUESTION = re.compile(r"\"[^\"?]*\?[^\"]*\"|“[^”?]*\?[^”]*”")
_QUESTION = re.compile(r"[^.?!\n]*\?")


@dataclass(frozen=True)
class AnswerPhrases:
    """What is said in answer to the protocol.

    Attributes:
        safe: Words of safety by kind.
        doubt: Words that take any word of safety back.
        direct_question: The question whether they want to die.
        admission: A yes to it.
        denial: A no to it.
        resources_asked: A request for numbers or places.
        relatives: Patterns, each of which names some of the family.
        answers: Other answers, by the name of the method that reads them.
    """

    safe: Mapping[Reassurance, Phrases]
    doubt: Phrases
    direct_question: Phrases
    admission: Phrases
    denial: Phrases
    resources_asked: Phrases
    relatives: Sequence[str]
    answers: Mapping[str, Phrases]


class CrisisAnswers:
    """Reads a screened message as an answer to the protocol."""

    def __init__(self, phrases: AnswerPhrases) -> None:
        """Take the phrases of both languages."""
        self._safe = phrases.safe
        self._doubt = phrases.doubt
        self._direct_question = phrases.direct_question
        self._admission = phrases.admission
        self._denial = phrases.denial
        self._resources_asked = phrases.resources_asked
        self._relatives = phrases.relatives
        self._answers = phrases.answers

    def reassurances(self, message: ScreenedMessage) -> tuple[Reassurance, ...]:
        """Return how the user says that they are safe.

        Nothing counts in a message that holds a finding of its own, tells of violence, or speaks of a decision, of
        hiding or of fear (`safe.doubt`): a user who has made up their mind, or cannot speak freely, says such things.
        """
        said = tuple(kind for kind, words in self._safe.items() if words.heard(message.readings))
        return said if said and not self._in_doubt(message) else ()

    def asks_directly(self, reply: str, *, last: bool = False) -> bool:
        """Return whether a reply asks the user whether they want to die; a question to put to others does not count.

        Args:
            reply: What was said to them.
            last: Whether it must be what the reply asks last: then a "yes" is an answer to nothing else.
        """
        own = _QUOTED_QUESTION.sub(" ", reply)
        questions = _QUESTION.findall(own)
        return any(
            self._direct_question.heard(readings_of(question)) for question in (questions[-1:] if last else questions)
        )

    def admits(self, message: ScreenedMessage) -> bool:
        """Return whether a message is a yes to the question whether they want to die, if that was asked.

        A denial anywhere, or a word of safety, makes it none: then the model's second opinion reads it.
        """
        return (
            self._admission.heard(message.readings)
            and not self._denial.heard(message.readings)
            and not self.reassurances(message)
        )

    def acted(self, message: ScreenedMessage) -> bool:
        """Return whether a message says, as the answer to whether they did it already, that it is done."""
        return self._answers["acted"].heard(message.readings)

    def act_named(self, message: ScreenedMessage) -> bool:
        """Return whether a message that says that it is done names the act, so that it answers nothing else."""
        return self.acted(message) and self._answers["act_named"].heard(message.readings)

    def done(self, message: ScreenedMessage) -> bool:
        """Return whether a message in which danger was found tells of an act that is done."""
        return self._answers["done"].heard(message.readings)

    def soon(self, message: ScreenedMessage) -> bool:
        """Return whether a message says, as the answer to when, where and with what, that it is near."""
        return self._answers["soon"].heard(message.readings)

    def about_me(self, message: ScreenedMessage) -> bool:
        """Return whether a helper says that the one they worry about is they themselves."""
        return self._answers["about_me"].heard(message.readings)

    def violence_near(self, message: ScreenedMessage) -> bool:
        """Return whether a user who told of violence says that the other is near, or that they bleed or hide."""
        return self._answers["violence_near"].heard(message.readings)

    def named_near(self, message: ScreenedMessage, told: str) -> bool:
        """Return whether one of the family is there who may be the one that hurts them.

        Args:
            message: What they say.
            told: What they said before. A relative whom it does not name, while it names others, is company.
        """
        if not self._answers["named_near"].heard(message.readings):
            return False
        here, before = self._relatives_in(message.text), self._relatives_in(told)
        return not here or not before or not here.isdisjoint(before)

    def _relatives_in(self, text: str) -> frozenset[str]:
        return frozenset(words for words in self._relatives if re.search(words, text))

    def danger_near_them(self, message: ScreenedMessage) -> bool:
        """Return whether a helper says that the one they worry about is there, took something, or lies still."""
        return self._answers["danger_near_them"].heard(message.readings)

    def harm_near(self, message: ScreenedMessage) -> bool:
        """Return whether a message says, of a harm to somebody else, that it is near."""
        return self._answers["harm_near"].heard(message.readings)

    def place_named(self, message: ScreenedMessage) -> bool:
        """Return whether a message names a place of danger, so that it needs no question before it."""
        return self._answers["place_named"].heard(message.readings)

    def asks_resources(self, message: ScreenedMessage) -> bool:
        """Return whether the user asks for numbers or places to turn to."""
        return self._resources_asked.heard(message.readings)

    def _in_doubt(self, message: ScreenedMessage) -> bool:
        if message.crisis.outcome.needs_protocol or message.abuse.outcome is not CrisisOutcome.NONE:
            return True
        return self._doubt.heard(message.readings)
