"""What was read in a message: values, and values that do not do with the reason."""

import datetime as dt
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

from pydantic import Field

from shared.domain.booking.slots import BookingSlots, Problem, SlotName
from shared.model import Model

T = TypeVar("T")


class RequestKind(StrEnum):
    BOOK = "book"
    CHANGE = "change"
    CANCEL = "cancel"


class ReadRequest(Model):
    """One request of a message, which may have several.

    Attributes:
        days: The days that an ambiguous date may mean.
        face: A time that may be in the morning or in the afternoon.
    """

    slots: BookingSlots = BookingSlots()
    errors: Mapping[SlotName, Problem] = Field(default_factory=dict)
    days: tuple[dt.date, ...] = ()
    face: dt.time | None = None

    @property
    def empty(self) -> bool:
        return self.slots.empty and not self.errors


class Wish(Model):
    """A wish for a booking that came beside something else, which was heard first.

    Attributes:
        kind: None if a request in work waits.
        seq: The turn in which it was said.
        offered_seq: The turn that offered to go on with it; it is offered once.
        asked: That offer was the reply's one question, so that a plain "yes" takes it up.
    """

    kind: RequestKind | None = None
    requests: tuple[ReadRequest, ...] = (ReadRequest(),)
    seq: int = Field(ge=0)
    offered_seq: int | None = None
    asked: bool = False


class Answer(StrEnum):
    """What a message says to the question whether to go through with a request."""

    CONFIRM = "confirm"
    CANCEL = "cancel"
    CANCEL_ALL = "cancel_all"
    UNCLEAR = "unclear"


class Reading(Model):
    """A whole message.

    Attributes:
        requests: At least one, which may be empty.
        kind: The kind that the words name; None if they name none.
        number: "2번": the place in the list that was shown; "마지막 거" is -1.
        all: "전부", "다": every booking.
        shows: The user asks to see their bookings.
        declines: The user does not want to answer what was asked.
        says_none: "없어요".
        asks_free: The user asks when there is room.
        not_known: "몰라요".
        changes_it: "4시로 바꿔 주세요": changes what was named before.
        shift: "한 시간 뒤로": from the time that a booking has.
        reminded: It stands for an earlier message, which answers no question.
    """

    requests: tuple[ReadRequest, ...] = Field(min_length=1)
    kind: RequestKind | None = None
    answer: Answer = Answer.UNCLEAR
    number: int | None = None
    all: bool = False
    shows: bool = False
    declines: bool = False
    says_none: bool = False
    asks_free: bool = False
    not_known: bool = False
    changes_it: bool = False
    shift: dt.timedelta | None = None
    reminded: bool = False

    @property
    def first(self) -> ReadRequest:
        return self.requests[0]

    @property
    def answers_without_a_value(self) -> bool:
        return (
            self.asks_free
            or self.declines
            or self.says_none
            or self.not_known
            or self.number is not None
            or self.shift is not None
        )

    @property
    def empty(self) -> bool:
        """Whether no value was read, neither a valid nor a wrong one."""
        return self.shift is None and all(request.empty for request in self.requests)


def listed_at(options: Sequence[T], number: int | None) -> T | None:
    """Return what stands at a place, counted from 1 or by a negative number from the end; None if nothing does."""
    if number is None or not 0 < abs(number) <= len(options):
        return None
    return options[number - 1 if number > 0 else number]
