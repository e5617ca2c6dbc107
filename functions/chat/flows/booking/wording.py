"""Words the reply of a turn from the state that it leads to."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from functions.chat.flows.booking.desk import Desk
from shared.content.booking import MOST_DAYS, BookingVoice
from shared.domain.booking.readings import Reading, RequestKind
from shared.domain.booking.slots import BookingSlots, Problem, SlotName, Way
from shared.domain.booking.state import BookingRequest, BookingStage, BookingState, Finished
from shared.domain.booking.validation import way_of
from shared.domain.errors import StoreError

_MADE = (RequestKind.BOOK, RequestKind.CHANGE)
_NEXT_DAYS = 14
"""Days that are searched for free ones."""


@dataclass(frozen=True)
class Question:
    """A question for a slot, in parts: the asker words it anew from them.

    Attributes:
        text: The fixed wording of the question alone.
        errors: Why values were not taken.
        facts: What helps to answer.
        offered: The days or times that the facts list, in their order.
        known: What is known so far.
        parse_error: The message was not understood.
        first: It is the first question for this slot.
    """

    text: str
    errors: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    offered: tuple[BookingSlots, ...] = ()
    known: str = ""
    parse_error: bool = False
    first: bool = True

    @property
    def fixed(self) -> str:
        """The whole fixed text."""
        return " ".join([*self.errors, *self.facts, self.text])

    @property
    def needs_words(self) -> bool:
        """Whether there is something to explain, so that a model may word it."""
        return bool(self.errors) or self.parse_error or not self.first


async def question_of(state: BookingState, voice: BookingVoice, desk: Desk, reading: Reading) -> Question | None:
    """Return the question for the slot that is open; None if nothing is asked.

    A user who asks when there is room, or does not know, is told what is free.
    """
    request, slot = state.request, state.last_asked
    if request is None or slot is None or state.stage is not BookingStage.FILLING:
        return None
    asked = state.asked.get(slot, 1)
    asks_free = reading.asks_free or reading.not_known
    errors = list(dict.fromkeys(state.slot_errors.values()))
    unclear = state.parse_error or (asked > 1 and reading.empty and slot not in state.slot_errors)
    if unclear and not asks_free and slot is not SlotName.TARGET:
        errors.append(Problem.UNCLEAR)
    facts, offered = await _facts(state, request, voice, desk, asks_free=asks_free)
    return Question(
        text=voice.question(slot, asked, request.kind),
        errors=tuple(voice.problem(one, state.refused_day) for one in errors),
        facts=facts,
        offered=offered,
        known=voice.when(request.whole),
        parse_error=state.parse_error,
        first=asked == 1,
    )


async def _facts(
    state: BookingState, request: BookingRequest, voice: BookingVoice, desk: Desk, *, asks_free: bool
) -> tuple[tuple[str, ...], tuple[BookingSlots, ...]]:
    """Return what helps to answer: the days that may be meant, the list, or what is free if the store answers.

    With it, the days or times that can be chosen from it by their place.
    """
    day, slot = request.whole.date, state.last_asked
    if slot is SlotName.TARGET:
        return (voice.listed(desk.bookings),), ()
    try:
        if slot is SlotName.TIME and day and (asks_free or SlotName.TIME in state.slot_errors):
            times = voice.some_of(await desk.free(day, request))
            return (voice.free_times(day, times),), tuple(BookingSlots(date=day, time=one) for one in times)
        if slot is SlotName.DATE and (asks_free or state.refused_day):
            days = await _free_days(request, desk, state.refused_day)
            return ((voice.free_days(days),) if days else ()), _as_options(days)
    except StoreError:
        return (), ()
    meant = voice.days_meant(state.days) if slot is SlotName.DATE else ""
    return ((meant,), _as_options(state.days)) if meant else ((), ())


def _as_options(days: Sequence[dt.date]) -> tuple[BookingSlots, ...]:
    return tuple(BookingSlots(date=one) for one in days)


async def _free_days(request: BookingRequest, desk: Desk, wanted: dt.date | None) -> list[dt.date]:
    today, found = desk.local_now.date(), list[dt.date]()
    first = max(today, min(wanted or today, today + dt.timedelta(days=desk.calendar.horizon_days - _NEXT_DAYS)))
    for days in range(_NEXT_DAYS):
        day = first + dt.timedelta(days=days)
        if await desk.free(day, request):
            found.append(day)
        if len(found) == MOST_DAYS:
            break
    return found


def ended_words(done: Finished, voice: BookingVoice) -> str:
    """Return what became of a request."""
    written = voice.written
    match done.stage:
        case BookingStage.EXECUTED:
            return voice.done(done.request)
        case BookingStage.CANCELLED:
            aside = [voice.problem(done.problem)] if done.problem else []
            kept = written.called_off if done.request.kind is RequestKind.BOOK else written.kept_as_it_was
            return " ".join([*aside, voice.say(kept)])
        case _ if done.problem is Problem.TOO_MANY:
            return voice.problem(done.problem)
        case _:
            why = [voice.problem(done.problem)] if done.problem else []
            gave_up = written.gave_up if done.request.kind is RequestKind.BOOK else written.kept_as_it_was
            return " ".join([*why, voice.say(gave_up)])


def what_stays(state: BookingState, voice: BookingVoice) -> str:
    """Return what of a batch that was called off is booked and stays so; empty for nothing."""
    made = [one.request for one in state.finished if one.stage is BookingStage.EXECUTED and one.request.kind in _MADE]
    what = voice.say(voice.written.joined).join(voice.when(one.whole) for one in made)
    return voice.say(voice.written.stays, what=what) if what else ""


def by_chat_now(before: BookingState, after: BookingState) -> bool:
    """Return whether a phone session was changed to chat because the user gives no number."""
    if before.request is None or after.request is None or before.last_asked is not SlotName.PHONE_NUMBER:
        return False
    return way_of(before.request.whole) is Way.PHONE and way_of(after.request.whole) is Way.CHAT


def notices(state: BookingState, voice: BookingVoice) -> str:
    """Return what a ready request has to tell first: values with a default that could not be taken."""
    return " ".join(voice.problem(problem) for problem in state.slot_errors.values())
