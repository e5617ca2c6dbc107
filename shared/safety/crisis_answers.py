"""Reads answers to the crisis protocol by rule: a yes, a statement of safety, a request for numbers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.safety.levels import CrisisOutcome
from shared.safety.phrases import Phrases
from shared.safety.protocol_questions import ClosedQuestion, ToldByAnswer, Topic
from shared.safety.reassurance import Reassurance
from shared.safety.screening import ScreenedMessage, readings_of

_QUOTED_QUESTION = re.compile(r"\"[^\"?]*\?[^\"]*\"|“[^”?]*\?[^”]*”")
_QUESTION = re.compile(r"[^.?!\n]*\?")
_BARE_ANSWER = 40
"""Maximum letters of a yes or no without other content, tears and laughter aside; a longer message has content."""
_TEARS = "ㅠㅜㅋㅎ"


@dataclass(frozen=True)
class Living:
    """Patterns of people who are told of as living.

    Attributes:
        people: Each matches the words for one person.
        lives: What follows them, if the person lives.
        died: What follows them, if the person has died.
        follows: The wish to follow somebody who is not named.
    """

    people: Sequence[str]
    lives: str
    died: str
    follows: str


@dataclass(frozen=True)
class AnswerPhrases:
    """The phrases of answers to the protocol.

    Attributes:
        safe: Statements of safety by kind.
        doubt: Words that revoke every statement of safety.
        direct_question: The question whether they want to die.
        admission: A yes to it.
        denial: A no to it.
        resources_asked: A request for numbers or places.
        relatives: Patterns; each matches some relatives.
        living: Who is told of as living.
        closed: The questions whose bare yes or no tells something.
        answers: Phrases of other answers, by the name of the method that uses them.
    """

    safe: Mapping[Reassurance, Phrases]
    doubt: Phrases
    direct_question: Phrases
    admission: Phrases
    denial: Phrases
    resources_asked: Phrases
    relatives: Sequence[str]
    living: Living
    closed: Sequence[ClosedQuestion]
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
        self._living = phrases.living
        self._closed = phrases.closed
        self._answers = phrases.answers

    @property
    def closed_topics(self) -> tuple[Topic, ...]:
        """The topics of the questions whose bare yes or no tells something."""
        return tuple(dict.fromkeys(one.topic for one in self._closed))

    def told_by_answer(self, message: ScreenedMessage, topic: Topic, asked: str) -> ToldByAnswer | None:
        """Return what a message tells as the answer to a question in these words."""
        if topic is Topic.COMPANY and (near := self._who_is_near(message)):
            return near
        meant = (one for one in self._closed if one.topic is topic and re.search(one.asks, asked))
        one = next(meant, None)
        if one is None:
            return None
        if self.says_only_yes(message):
            return one.yes
        return one.no if self._is_bare("bare_no", message) else None

    def _who_is_near(self, message: ScreenedMessage) -> ToldByAnswer | None:
        if self._answers["names_nobody"].heard(message.readings):
            return ToldByAnswer.ALONE
        return ToldByAnswer.WITH_SOMEBODY if self._answers["names_company"].heard(message.readings) else None

    def says_only_yes(self, message: ScreenedMessage) -> bool:
        """Return whether a message is a yes without other content."""
        return self._is_bare("bare_yes", message)

    def _is_bare(self, name: str, message: ScreenedMessage) -> bool:
        letters = sum(map(str.isalnum, message.text)) - sum(map(message.text.count, _TEARS))
        return letters <= _BARE_ANSWER and self._answers[name].heard(message.readings)

    def reassurances(self, message: ScreenedMessage) -> tuple[Reassurance, ...]:
        """Return the kinds of safety that the user states.

        The result is empty if the message has a finding of danger or violence, or tells of a decision, hiding or fear
        (`safe.doubt`): a user who has decided, or cannot speak freely, writes this.
        """
        said = tuple(kind for kind, words in self._safe.items() if words.heard(message.readings))
        return said if said and not self._in_doubt(message) else ()

    def asks_directly(self, reply: str, *, last: bool = False) -> bool:
        """Return whether a reply asks the user whether they want to die; a quoted question for others does not count.

        Args:
            reply: The reply to the user.
            last: Whether it must be the last question, so that a "yes" answers no other.
        """
        own = _QUOTED_QUESTION.sub(" ", reply)
        questions = _QUESTION.findall(own)
        return any(
            self._direct_question.heard(readings_of(question)) for question in (questions[-1:] if last else questions)
        )

    def asks_meaning(self, reply: str) -> bool:
        """Return whether a reply asks whether the user's words were meant as a wish to die."""
        return self._answers["asks_meaning"].heard(readings_of(reply))

    def admits(self, message: ScreenedMessage) -> bool:
        """Return whether a message is a yes to the question whether the user wants to die, if that was asked.

        A message with a denial or a statement of safety is no yes; the model's second opinion reads it.
        """
        return self._admission.heard(message.readings) and not self.denies(message) and not self.reassurances(message)

    def denies(self, message: ScreenedMessage) -> bool:
        """Return whether a message holds a no to that question."""
        return self._denial.heard(message.readings) or self._answers["bare_none"].heard(message.readings)

    def says_only_no(self, message: ScreenedMessage) -> bool:
        """Return whether a message is a no, or says that there is nothing, without other content."""
        return any(self._answers[name].heard(message.readings) for name in ("bare_no", "bare_none"))

    def only_denies(self, message: ScreenedMessage) -> bool:
        """Return whether a message denies a wish to die and says nothing else."""
        return self._answers["only_denies"].heard(message.readings)

    def acted(self, message: ScreenedMessage) -> bool:
        """Return whether a message says that the act is done, as an answer to that question."""
        return self._answers["acted"].heard(message.readings)

    def act_named(self, message: ScreenedMessage) -> bool:
        """Return whether a message says that it is done and names the act, so that it can answer no other question."""
        return self.acted(message) and self._answers["act_named"].heard(message.readings)

    def done(self, message: ScreenedMessage) -> bool:
        """Return whether a message with a finding of danger says that the act is done."""
        return self._answers["done"].heard(message.readings)

    def soon(self, message: ScreenedMessage) -> bool:
        """Return whether a message says that the act is near, as an answer to when, where and with what."""
        return self._answers["soon"].heard(message.readings)

    def harms_child(self, message: ScreenedMessage, before: str) -> bool:
        """Return whether the user says that they have hurt a child of theirs, or a pet, which `before` may name."""
        if self._answers["harms_child"].heard(message.readings):
            return True
        told = readings_of(before)
        named = any(self._answers[name].heard(told) for name in ("harms_child", "scolds_child"))
        return named and self._answers["own_blow"].heard(message.readings)

    def injured(self, message: ScreenedMessage) -> bool:
        """Return whether a message that tells of violence tells of an injury."""
        return self._answers["injured"].heard(message.readings)

    def about_me(self, message: ScreenedMessage) -> bool:
        """Return whether a helper says that they worry about themselves."""
        return self._answers["about_me"].heard(message.readings)

    def violence_near(self, message: ScreenedMessage) -> bool:
        """Return whether a victim of violence says that the offender is near, or that they bleed or hide."""
        return self._answers["violence_near"].heard(message.readings)

    def named_near(self, message: ScreenedMessage, told: str) -> bool:
        """Return whether a message says that a relative is present who may be the offender.

        Args:
            message: The user's message.
            told: The earlier messages. If they name relatives, a relative whom they do not name is no offender.
        """
        if not self._answers["named_near"].heard(message.readings):
            return False
        here, before = self._relatives_in(message.text), self._relatives_in(told)
        return not here or not before or not here.isdisjoint(before)

    def _relatives_in(self, text: str) -> frozenset[str]:
        return frozenset(words for words in self._relatives if re.search(words, text))

    def lives(self, text: str, told: Sequence[str]) -> bool:
        """Return whether a person whom a text names lives, as the messages before tell."""
        words, before = self._living, "\n".join(told)
        named = [person for person in words.people if re.search(person, text)]
        return any(
            re.search(f"(?:{person}){words.lives}", before) and not re.search(f"(?:{person}){words.died}", before)
            for person in named
        )

    def died(self, text: str, told: Sequence[str]) -> bool:
        """Return whether a person whom a text names has died, as it or the messages before tell."""
        words, said = self._living, "\n".join((*told, text))
        named = (person for person in words.people if re.search(person, text))
        return any(re.search(f"(?:{person}){words.died}", said) for person in named)

    def follows_the_dead(self, text: str, told: Sequence[str]) -> bool:
        """Return whether a text wishes to follow somebody it does not name, after a death was told."""
        words = self._living
        unnamed = not any(re.search(person, text) for person in words.people)
        wishes = unnamed and re.search(words.follows, text)
        return bool(wishes) and any(self.died(one, ()) for one in told)

    def fine_oneself(self, message: ScreenedMessage) -> bool:
        """Return whether a helper says that they do not think of dying themselves."""
        denied = Reassurance.NO_INTENT in self.reassurances(message)
        return denied or self._answers["fine_oneself"].heard(message.readings)

    def danger_near_them(self, message: ScreenedMessage) -> bool:
        """Return whether the endangered person is at the place, took a means, lies still, or cannot be reached."""
        return self._answers["danger_near_them"].heard(message.readings) or self.lost_touch(message)

    def lost_touch(self, message: ScreenedMessage) -> bool:
        """Return whether a helper says that the endangered person cannot be reached, or has said farewell."""
        return self._answers["lost_touch"].heard(message.readings)

    def harm_near(self, message: ScreenedMessage) -> bool:
        """Return whether a message says that a harm to another person is near."""
        return self._answers["harm_near"].heard(message.readings)

    def harm_told(self, message: ScreenedMessage) -> bool:
        """Return whether a message says that the threatened person is near, or something dangerous, as an answer."""
        return self._answers["harm_told"].heard(message.readings)

    def takes_back(self, message: ScreenedMessage) -> bool:
        """Return whether a message says that a threat was not meant, and names no means."""
        return self._answers["takes_back"].heard(message.readings) and not self.harm_near(message)

    def place_named(self, message: ScreenedMessage) -> bool:
        """Return whether a message names a place of danger, so that it counts without a preceding question."""
        return self._answers["place_named"].heard(message.readings)

    def cared_for(self, message: ScreenedMessage) -> bool:
        """Return whether a message says that a person treats the user's injury, even next to words of danger."""
        return self._safe[Reassurance.CARED_FOR].heard(message.readings)

    def asks_resources(self, message: ScreenedMessage) -> bool:
        """Return whether the user asks for help numbers or places."""
        return self._resources_asked.heard(message.readings)

    def _in_doubt(self, message: ScreenedMessage) -> bool:
        if message.crisis.outcome.needs_protocol or message.abuse.outcome is not CrisisOutcome.NONE:
            return True
        return self._doubt.heard(message.readings)
