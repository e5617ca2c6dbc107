"""What the output guard must know of a conversation, and which rules hold in it."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from shared.locale import Register
from shared.safety.output_guard.sentence import squashed


class When(StrEnum):
    """In which replies a rule holds."""

    ALWAYS = "always"
    FORMAL = "formal"
    """Where the user is addressed in 존댓말."""
    CASUAL = "casual"
    """Where the user is addressed in 반말."""
    NO_RECORD = "no_record"
    """Where nothing is known of earlier sessions."""
    NOTICED = "noticed"
    """Where a rule has said that it is an AI, before the reply."""
    IN_DANGER = "in_danger"
    """In the follow-through of a crisis, where a word of leave may be heard as leave to die."""
    HURT = "hurt"
    """Where the user has told of violence against them."""


@dataclass(frozen=True)
class Situation:
    """What is known of the conversation.

    Attributes:
        register: Of a Korean conversation; None in English.
        record: Something is known of earlier sessions.
        noticed: A rule has said that it is an AI, before the reply.
        said: The user's own words, the newest and those before.
        in_danger: The conversation is in the follow-through of a crisis.
        hurt: The user has told of violence against them.
    """

    register: Register | None = None
    record: bool = False
    noticed: bool = False
    said: str = ""
    in_danger: bool = False
    hurt: bool = False

    def meets(self, when: When) -> bool:
        """Return whether rules with this condition hold."""
        return {
            When.ALWAYS: True,
            When.FORMAL: self.register is Register.FORMAL,
            When.CASUAL: self.register is Register.CASUAL,
            When.NO_RECORD: not self.record,
            When.NOTICED: self.noticed,
            When.IN_DANGER: self.in_danger,
            When.HURT: self.hurt,
        }[when]

    @cached_property
    def words(self) -> str:
        """What the user said, without blanks and marks."""
        return squashed(self.said)
