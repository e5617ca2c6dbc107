"""What a message does to the state of booking, before the gate."""

from dataclasses import dataclass

from functions.chat.flows.booking import targets
from functions.chat.flows.booking.desk import Desk
from shared.domain.booking import steps
from shared.domain.booking.readings import Answer, Reading, ReadRequest, RequestKind
from shared.domain.booking.slots import SlotName, Way
from shared.domain.booking.state import MOST_ASKS, BookingStage, BookingState

_CALLS_OFF = (Answer.CANCEL, Answer.CANCEL_ALL)


@dataclass(frozen=True)
class Heard:
    """The outcome of a message.

    Attributes:
        state: The state before the gate.
        confirms: The ready request is to be carried out.
        unclear: The ready request was not answered.
        idle: The message asks for nothing, and nothing is in work.
    """

    state: BookingState
    confirms: bool = False
    unclear: bool = False
    idle: bool = False


def heard(state: BookingState, reading: Reading, seq: int, desk: Desk, *, agrees: bool) -> Heard:
    """Take a message in.

    Args:
        state: The state before it.
        reading: What the rules, or the extractor, read.
        seq: The turn, for the ids of new requests.
        desk: The calendar.
        agrees: The message begins with a yes, whatever else it says.
    """
    if not state.stage.open:
        return _begun(state, reading, seq, desk)
    if reading.reminded and reading.kind is None:
        return Heard(state)
    if reading.kind is RequestKind.CANCEL and state.request and state.request.kind is not RequestKind.CANCEL:
        return Heard(_cancelling(state, reading, seq, desk))
    if reading.answer in _CALLS_OFF and reading.first.empty:
        if reading.answer is Answer.CANCEL_ALL:
            return Heard(steps.all_cancelled(state))
        return Heard(steps.ended(state, BookingStage.CANCELLED))
    if state.stage is BookingStage.READY:
        return _ready(state, reading, agrees=agrees)
    return Heard(_filling(state, reading, seq, desk))


def behind_another_reply(state: BookingState, reading: Reading) -> Reading:
    """Return a reading in which a bare yes or no decides no booking: another service has just spoken.

    A wish that was offered again is answered.
    """
    return reading if state.wish is not None else reading.model_copy(update={"answer": Answer.UNCLEAR})


def taking_up(state: BookingState, reading: Reading, *, confirms: bool) -> tuple[BookingState, Reading]:
    """Return the state without its wish, and what the wish says if the message says nothing of its own.

    `confirms`: the message names the confirmation, which a yes to another service does not.
    """
    wish, own = state.wish, not reading.empty or reading.shows or reading.answer in _CALLS_OFF or confirms
    state = state.model_copy(update={"wish": None, "paused": False})
    if wish is None or own or reading.kind in (RequestKind.CHANGE, RequestKind.CANCEL):
        return state, reading
    return state, Reading(requests=wish.requests, kind=wish.kind, reminded=True)


def _begun(state: BookingState, reading: Reading, seq: int, desk: Desk) -> Heard:
    kind = reading.kind
    if reading.changes_it and kind in (None, RequestKind.BOOK) and desk.booking(state.executed):
        kind = RequestKind.CHANGE
    looks = reading.asks_free or (reading.not_known and state.stage is BookingStage.INIT)
    kind = kind or (None if reading.empty and not looks else RequestKind.BOOK)
    if kind is None:
        return Heard(state, idle=True)
    if kind is not RequestKind.BOOK:
        return Heard(targets.begun(state, reading, kind, seq, desk))
    first, *_ = reading.requests
    begun = steps.begun(state, steps.new_requests(kind, reading.requests, seq))
    return Heard(steps.filled(begun, first))


def _ready(state: BookingState, reading: Reading, *, agrees: bool) -> Heard:
    if reading.first.empty and reading.shift is None:
        if reading.answer is Answer.CONFIRM:
            return Heard(state, confirms=True)
        return Heard(steps.unclear(state), unclear=True)
    changed = steps.shifted(steps.filled(state, reading.first), reading.shift)
    same = state.request is not None and changed.request is not None and changed.request.whole == state.request.whole
    if same and agrees and not reading.first.errors:
        return Heard(state, confirms=True)
    return Heard(changed)


def _filling(state: BookingState, reading: Reading, seq: int, desk: Desk) -> BookingState:
    if reading.declines:
        return steps.declined(state)
    if state.last_asked is SlotName.TARGET:
        return targets.aimed(state, reading, desk)
    if _agrees_to_chat(state, reading):
        return steps.filled(state, ReadRequest(slots=reading.first.slots.model_copy(update={"way": Way.CHAT})))
    first, *others = reading.requests
    filled = steps.shifted(steps.filled(state, steps.chosen(state, first, reading.number)), reading.shift)
    more = steps.new_requests(RequestKind.BOOK, others, seq, first=1)
    return steps.queued(filled, more)


def _cancelling(state: BookingState, reading: Reading, seq: int, desk: Desk) -> BookingState:
    """Return the state after a word to cancel in another request: it cancels the booking that it names, or the request.

    All that is to be cancelled includes what is in work.
    """
    day = reading.first.slots.date
    named = day is not None and any(one.slots(desk.zone).date == day for one in desk.bookings)
    if named or reading.number is not None:
        return targets.begun(state, reading, RequestKind.CANCEL, seq, desk)
    return steps.all_cancelled(state) if reading.all else steps.ended(state, BookingStage.CANCELLED)


def _agrees_to_chat(state: BookingState, reading: Reading) -> bool:
    offered = state.last_asked is SlotName.PHONE_NUMBER and state.asked.get(SlotName.PHONE_NUMBER, 0) >= MOST_ASKS
    return offered and reading.answer is Answer.CONFIRM
