"""Facts of a conversation that determine which guard rules apply."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.sentence import squashed

_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)*")


class When(StrEnum):
    """When a rule applies."""

    ALWAYS = "always"
    FORMAL = "formal"
    """The user is addressed in 존댓말."""
    CASUAL = "casual"
    """The user is addressed in 반말."""
    NO_RECORD = "no_record"
    """No earlier session is known."""
    NOTICED = "noticed"
    """A rule said before the reply that it is an AI."""
    DEMANDED = "demanded"
    """The user asks of the AI what it is not or cannot do, so a yes would be a lie."""
    DECISION_ASKED = "decision_asked"
    """The user asks whether to take a decision about their life, while calm: a yes would take it for them."""
    IN_DANGER = "in_danger"
    """After a concern or a crisis, when a goodbye may be read as permission to die."""
    DESPAIR = "despair"
    """In danger, and the newest message says that nothing helps: a bare "you are right" agrees with that."""
    CALM = "calm"
    """No danger is open, and nobody hurts the user: there, going or calling now is right."""
    MEDICINE = "medicine"
    """The last messages speak of a medicine, so that a reply need not name it."""
    MEANS = "means"
    """In danger, and the last messages speak of a means of suicide, so that a reply need not name it."""
    HURT = "hurt"
    """The user has told of violence against them."""
    HOME = "home"
    """A person at home hurts the user, or they fear it."""
    CALLED = "called"
    """In danger, the user has told that they called somebody, or that somebody comes."""


@dataclass(frozen=True)
class Situation:
    """Facts of a conversation.

    Attributes:
        register: Of a Korean conversation; None in English.
        record: Earlier sessions are known.
        noticed: A rule said before the reply that it is an AI.
        demanded: The user asks of the AI what it is not or cannot do.
        decision_asked: The user asks whether to take a decision about their life.
        explained: Categories that a rule has just explained to the user.
        said: The user's own words, newest and earlier.
        in_danger: A concern or a crisis is open.
        despair: The newest message says so, or that nothing helps.
        hurt: The user has told of violence against them.
        home: A person at home hurts the user, or they fear it.
        called: In danger, the user has told that they called somebody, or that somebody comes.
        medicine: The last messages speak of a medicine.
        means: The last messages speak of a means of suicide.
        languages: Languages that a reply may have; empty for any.
        name: The user's name, "" if it is not known; None where nobody is called by name.
    """

    register: Register | None = None
    record: bool = False
    noticed: bool = False
    demanded: bool = False
    decision_asked: bool = False
    explained: frozenset[Category] = frozenset()
    said: str = ""
    in_danger: bool = False
    despair: bool = False
    hurt: bool = False
    home: bool = False
    called: bool = False
    medicine: bool = False
    means: bool = False
    languages: frozenset[Locale] = frozenset()
    name: str | None = None

    def meets(self, when: When) -> bool:
        """Return whether rules with this condition apply."""
        calm = not (self.in_danger or self.hurt or self.home)
        return {
            When.ALWAYS: True,
            When.FORMAL: self.register is Register.FORMAL,
            When.CASUAL: self.register is Register.CASUAL,
            When.NO_RECORD: not self.record,
            When.NOTICED: self.noticed,
            When.DEMANDED: self.demanded,
            When.DECISION_ASKED: self.decision_asked and calm,
            When.IN_DANGER: self.in_danger,
            When.DESPAIR: self.in_danger and self.despair,
            When.CALM: calm,
            When.MEDICINE: self.medicine,
            When.MEANS: self.in_danger and self.means,
            When.HURT: self.hurt,
            When.HOME: self.home,
            When.CALLED: self.called,
        }[when]

    @cached_property
    def words(self) -> str:
        """The user's words without blanks and marks."""
        return squashed(self.said)

    @cached_property
    def latin_words(self) -> frozenset[str]:
        """The user's words in Latin letters."""
        return frozenset(word.casefold() for word in _LATIN_WORD.findall(self.said))
