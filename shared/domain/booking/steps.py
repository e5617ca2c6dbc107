"""The transitions of a booking: pure functions from one state to the next."""

import datetime as dt
from collections.abc import Mapping, Sequence

from shared.domain.booking.appointment import MOST_OPEN
from shared.domain.booking.readings import ReadRequest, RequestKind, listed_at
from shared.domain.booking.slots import BookingSlots, Problem, SlotName, Way
from shared.domain.booking.state import (
    MOST_ASKS,
    MOST_REQUESTS,
    MOST_UNCLEAR,
    BookingRequest,
    BookingStage,
    BookingState,
    Finished,
    gate_open,
    missing,
)
from shared.domain.booking.validation import Situation, problems

_INDISPENSABLE = (SlotName.DATE, SlotName.TIME, SlotName.TARGET)
"""No booking can be without them."""
_TOLD_ONCE = (SlotName.LENGTH, SlotName.WAY)
"""They have a default, which stands after the error was told."""


def begun(state: BookingState, requests: Sequence[BookingRequest]) -> BookingState:
    """Return the state with a new batch; what was in work before is dropped, since the user asks for something else."""
    first, *waiting = requests[:MOST_REQUESTS]
    kept = state.model_copy(update={"finished": (), "queue": tuple(waiting), "wish": None})
    return _with_request(kept, first)


def queued(state: BookingState, requests: Sequence[BookingRequest]) -> BookingState:
    """Return the state with further requests that wait."""
    room = MOST_REQUESTS - state.batch_total
    return state.model_copy(update={"queue": (*state.queue, *requests[: max(0, room)])})


def filled(state: BookingState, read: ReadRequest) -> BookingState:
    """Return the state with what a message said about the request in work: valid values and errors."""
    request = state.request
    if request is None or not state.stage.open:
        return state
    slots = read.slots.over(request.slots).without(*read.errors)
    declined = tuple(slot for slot in request.declined if not slots.given(slot))
    changed = not read.empty
    return state.model_copy(
        update={
            "request": request.model_copy(update={"slots": slots, "declined": declined}),
            "slot_errors": dict(read.errors),
            "refused_day": None,
            "days": read.days if changed else state.days,
            "face": read.face if changed else state.face,
            "parse_error": False,
            "paused": False,
            "unclear": 0 if changed else state.unclear,
            **_excused(state, read),
        }
    )


def _excused(state: BookingState, read: ReadRequest) -> dict[str, object]:
    """Return the counts after a message that gave another slot than the one asked for: the question did not count.

    A slot excuses once, so that a request ends.
    """
    slot = state.last_asked
    before = state.request.whole if state.request else BookingSlots()
    told = {name for name, value in read.slots if value is not None and value != getattr(before, name)}
    new = [one for one in SlotName if one.value in told and one not in state.excused]
    if slot is None or not new or read.slots.given(slot) or slot in read.errors:
        return {}
    counts = {**state.asked, slot: max(0, state.asked.get(slot, 0) - 1)}
    return {"asked": counts, "excused": (*state.excused, *new)}


def shifted(state: BookingState, shift: dt.timedelta | None) -> BookingState:
    """Return the state in which the request begins so much later, or earlier, than it would."""
    request = state.request
    if shift is None or request is None or request.whole.date is None or request.whole.time is None:
        return state
    start = dt.datetime.combine(request.whole.date, request.whole.time) + shift
    slots = request.slots.model_copy(update={"date": start.date(), "time": start.time()})
    return state.model_copy(update={"request": request.model_copy(update={"slots": slots}), "unclear": 0})


def aimed(state: BookingState, booking_id: str, base: BookingSlots) -> BookingState:
    """Return the state in which the request changes or cancels this booking."""
    if state.request is None:
        return state
    slots = state.request.slots.model_copy(update={"target": booking_id})
    request = state.request.model_copy(update={"slots": slots, "base": base})
    errors = {slot: problem for slot, problem in state.slot_errors.items() if slot is not SlotName.TARGET}
    return state.model_copy(update={"request": request, "slot_errors": errors})


def offering(state: BookingState, offered: Sequence[BookingSlots]) -> BookingState:
    """Return the state with what the reply offers; an earlier list stays while it answers the open question."""
    slot, request = state.last_asked, state.request
    if offered or slot is None or request is None:
        return state.model_copy(update={"offered": tuple(offered)})
    day = request.whole.date
    still = tuple(one for one in state.offered if one.given(slot) and (slot is SlotName.DATE or one.date == day))
    return state.model_copy(update={"offered": still})


def chosen(state: BookingState, read: ReadRequest, number: int | None) -> ReadRequest:
    """Return what a message says, with what it chooses by its place in the list; a value that it names counts."""
    option, slot = listed_at(state.offered, number), state.last_asked
    if option is None or slot is None or not option.given(slot) or read.slots.given(slot) or slot in read.errors:
        return read
    return read.model_copy(update={"slots": read.slots.over(option)})


def declined(state: BookingState) -> BookingState:
    """Return the state after the user declines to give what was asked.

    Without a number the session is by chat; without a day or a time there is none.
    """
    request, slot = state.request, state.last_asked
    if request is None or slot is None:
        return state
    if slot in _INDISPENSABLE:
        return ended(state, BookingStage.CANCELLED, problem=Problem.DATE_NEEDED)
    slots = request.slots
    if slot is SlotName.PHONE_NUMBER:
        slots = slots.model_copy(update={"way": Way.CHAT})
    without = tuple(dict.fromkeys((*request.declined, slot)))
    errors = {one: problem for one, problem in state.slot_errors.items() if one is not slot}
    changed = request.model_copy(update={"slots": slots, "declined": without})
    return state.model_copy(update={"request": changed, "slot_errors": errors})


def settled(state: BookingState, situation: Situation) -> BookingState:
    """Return the state after the gate: `READY`, or `FILLING` with the slot to ask for, or `FAILED` when asked enough.

    Invalid values are taken out, with the reason. Only what is required holds a request up: a length or a way that is
    not offered is told, and the default stands.
    """
    request = state.request
    if request is None or not state.stage.open:
        return state
    wrong = problems(request, situation)
    slots = request.slots.without(*wrong)
    errors = {**state.slot_errors, **wrong}
    base = request.base.without(*wrong) if request.base else None
    if base and SlotName.TIME in errors and slots.time is None and slots.date is None:
        # A change of the time alone keeps its day, whatever was wrong with the time.
        slots, base = slots.model_copy(update={"date": base.date}), base.without(SlotName.TIME)
    if SlotName.LENGTH in wrong and base is not None:
        base = base.model_copy(update={"length_minutes": situation.calendar.default_length})
    request = request.model_copy(update={"slots": slots, "base": base})
    refused = state.request.whole.date if state.request and SlotName.DATE in wrong else state.refused_day
    state = state.model_copy(update={"request": request, "slot_errors": errors, "refused_day": refused})
    if gate_open(request):
        told = {one: problem for one, problem in state.slot_errors.items() if one in _TOLD_ONCE}
        return state.model_copy(update={"stage": BookingStage.READY, "last_asked": None, "slot_errors": told})
    slot = missing(request)[0]
    asked = state.asked.get(slot, 0)
    if asked >= MOST_ASKS:
        return ended(state, BookingStage.FAILED, problem=state.slot_errors.get(slot, Problem.UNCLEAR))
    counts = {**state.asked, slot: asked + 1}
    return state.model_copy(update={"stage": BookingStage.FILLING, "asked": counts, "last_asked": slot})


def turned_away(state: BookingState, booked: int) -> BookingState:
    """Return the state without requests for more bookings than a user may have; changes and cancellations go on."""
    while booked >= MOST_OPEN and state.request is not None and state.request.kind is RequestKind.BOOK:
        state = ended(state, BookingStage.FAILED, problem=Problem.TOO_MANY)
    return state


def unclear(state: BookingState) -> BookingState:
    """Return the state after an unclear answer to a ready request: it stays ready, and waits after a few of them."""
    if state.stage is not BookingStage.READY:
        return state
    count = state.unclear + 1
    return state.model_copy(update={"unclear": count, "paused": count >= MOST_UNCLEAR})


def confirmed(state: BookingState) -> BookingState:
    """Return the confirmed state; only a ready request can be confirmed."""
    if state.stage is not BookingStage.READY:
        return state
    return state.model_copy(update={"stage": BookingStage.CONFIRMED, "unclear": 0, "paused": False})


def executed(state: BookingState, booking_id: str) -> BookingState:
    """Return the state after a confirmed request was carried out; the next one is in work."""
    if state.stage is not BookingStage.CONFIRMED:
        return state
    return ended(state, BookingStage.EXECUTED, booking_id=booking_id)


def rejected(state: BookingState, problem: Problem) -> BookingState:
    """Return the state after the calendar refused a confirmed request: another was faster; the time is open again."""
    if state.stage is not BookingStage.CONFIRMED or state.request is None:
        return state
    slots = state.request.slots.without(SlotName.TIME)
    base = state.request.base.without(SlotName.TIME) if state.request.base else None
    request = state.request.model_copy(update={"slots": slots, "base": base})
    errors: Mapping[SlotName, Problem] = {**state.slot_errors, SlotName.TIME: problem}
    return state.model_copy(update={"stage": BookingStage.FILLING, "request": request, "slot_errors": errors})


def ended(
    state: BookingState, stage: BookingStage, *, booking_id: str | None = None, problem: Problem | None = None
) -> BookingState:
    """Return the state after the request in work has ended; the next one of the batch is in work then."""
    if state.request is None:
        return state
    done = Finished(request=state.request, stage=stage, booking_id=booking_id, problem=problem)
    finished = (*state.finished, done)
    state = state.model_copy(update={"finished": finished})
    if state.queue:
        first, *waiting = state.queue
        return _with_request(state.model_copy(update={"queue": tuple(waiting)}), first)
    return _cleared(state).model_copy(update={"request": None, "stage": stage})


def all_cancelled(state: BookingState) -> BookingState:
    """Return the state after the user called off the whole batch."""
    while state.request is not None:
        state = ended(state, BookingStage.CANCELLED)
    return state


def new_requests(
    kind: RequestKind, read: Sequence[ReadRequest], seq: int, first: int = 0
) -> tuple[BookingRequest, ...]:
    """Return requests of a turn, with ids that a repeated turn gives again."""
    return tuple(
        BookingRequest(request_id=f"{seq}-{first + index}", kind=kind, slots=one.slots)
        for index, one in enumerate(read)
    )


def _with_request(state: BookingState, request: BookingRequest) -> BookingState:
    return _cleared(state).model_copy(update={"request": request, "stage": BookingStage.FILLING})


def _cleared(state: BookingState) -> BookingState:
    """Return the state without what belongs to one request."""
    return state.model_copy(
        update={
            "slot_errors": {},
            "parse_error": False,
            "asked": {},
            "last_asked": None,
            "excused": (),
            "refused_day": None,
            "days": (),
            "face": None,
            "unclear": 0,
            "paused": False,
        }
    )
