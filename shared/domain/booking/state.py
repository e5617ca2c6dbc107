"""The state of booking in a conversation: the request in work, those that wait, and those that are done."""

import datetime as dt
from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from shared.domain.booking.readings import RequestKind, Wish
from shared.domain.booking.slots import BookingSlots, Problem, SlotName, Way
from shared.model import Model

MOST_ASKS = 3
"""How often a slot is asked for in one request; then the request fails with an honest word."""
MOST_UNCLEAR = 3
"""Unclear answers in a row to a ready request; it then waits, and the conversation goes on."""
MOST_REQUESTS = 5
"""Requests of one batch."""


class BookingStage(StrEnum):
    INIT = "INIT"
    FILLING = "FILLING"
    READY = "READY"
    """All required slots are valid; the user was asked to confirm."""
    CONFIRMED = "CONFIRMED"
    """The user confirmed; from `READY` only."""
    EXECUTED = "EXECUTED"
    CANCELLED = "CANCELLED"
    FAILED = "FAILED"

    @property
    def open(self) -> bool:
        return self in (BookingStage.FILLING, BookingStage.READY, BookingStage.CONFIRMED)


class BookingRequest(Model):
    """One thing that the user wants.

    Attributes:
        request_id: Unique in the conversation.
        slots: What the user said; in a change what is to be different.
        base: The values of the booking to change or cancel.
        declined: Slots that the user declines to fill; they are never asked for again.
    """

    request_id: str
    kind: RequestKind = RequestKind.BOOK
    slots: BookingSlots = BookingSlots()
    base: BookingSlots | None = None
    declined: tuple[SlotName, ...] = ()

    @property
    def whole(self) -> BookingSlots:
        """The values with those of the booking that it changes."""
        return self.slots if self.base is None else self.slots.over(self.base)


class Finished(Model):
    """A request that is done."""

    request: BookingRequest
    stage: BookingStage
    booking_id: str | None = None
    problem: Problem | None = None


class BookingState(Model):
    """Booking in one conversation.

    Attributes:
        request: The one in work.
        queue: Those that wait for it.
        finished: Those of this batch that are done.
        slot_errors: Why values of the last message were not taken.
        refused_day: The day of the last date that was not taken.
        parse_error: The extractor gave no usable answer to the last message.
        asked: How often each slot was asked for in this request.
        last_asked: The slot that the newest reply asked for.
        excused: Slots that were given instead of the one asked for; each time that question did not count.
        days: Days that an ambiguous date left open.
        face: A time that was left open between morning and afternoon.
        unclear: Unclear answers in a row to the ready request.
        paused: It waits, and other services may go on with the conversation.
        listed: Ids of the bookings shown last, by their numbers.
        offered: The days or times named last to choose from, in their order.
        zone: IANA name of the user's time zone; "" is the calendar's.
        wish: What the user wished for while another service heard them; None if nothing is left.
    """

    stage: BookingStage = BookingStage.INIT
    request: BookingRequest | None = None
    queue: tuple[BookingRequest, ...] = ()
    finished: tuple[Finished, ...] = ()
    slot_errors: Mapping[SlotName, Problem] = Field(default_factory=dict)
    parse_error: bool = False
    asked: Mapping[SlotName, int] = Field(default_factory=dict)
    last_asked: SlotName | None = None
    excused: tuple[SlotName, ...] = ()
    refused_day: dt.date | None = None
    days: tuple[dt.date, ...] = ()
    face: dt.time | None = None
    unclear: int = Field(default=0, ge=0)
    paused: bool = False
    listed: tuple[str, ...] = ()
    offered: tuple[BookingSlots, ...] = ()
    zone: str = ""
    wish: Wish | None = None

    @property
    def batch_total(self) -> int:
        return len(self.finished) + (self.request is not None) + len(self.queue)

    @property
    def batch_progress(self) -> int:
        """The number of the request in work; of the last one if none is."""
        return len(self.finished) + (self.request is not None)

    @property
    def executed(self) -> str | None:
        """The id of the booking that the newest request made or changed; None while another one is in work."""
        last = self.finished[-1] if self.finished and self.request is None else None
        return last.booking_id if last and last.request.kind is not RequestKind.CANCEL else None

    @property
    def mid_flow(self) -> bool:
        """Whether the next message belongs to booking."""
        return self.stage.open and not self.paused


def required(request: BookingRequest) -> tuple[SlotName, ...]:
    """Return the slots that a request needs. A phone session needs a number to call."""
    needed: list[SlotName] = []
    match request.kind:
        case RequestKind.BOOK:
            needed = [SlotName.DATE, SlotName.TIME]
        case RequestKind.CHANGE:
            needed = [SlotName.TARGET, SlotName.DATE, SlotName.TIME]
        case RequestKind.CANCEL:
            return (SlotName.TARGET,)
    if request.whole.way is Way.PHONE:
        needed.append(SlotName.PHONE_NUMBER)
    return tuple(needed)


def missing(request: BookingRequest) -> tuple[SlotName, ...]:
    """Return the required slots that are neither given nor declined; `0` and "" are given.

    A change that names nothing new has no date: that of the booking is the one to leave.
    """
    idle = request.kind is RequestKind.CHANGE and request.slots.without(SlotName.TARGET).empty
    given = {slot for slot in SlotName if request.whole.given(slot)} - ({SlotName.DATE} if idle else set())
    return tuple(slot for slot in required(request) if slot not in given and slot not in request.declined)


def gate_open(request: BookingRequest) -> bool:
    """Return whether everything is there: by this rule alone, no model is asked whether to go on."""
    return not missing(request)
