"""Groups what was read in a message into requests."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from shared.domain.booking.readings import ReadRequest
from shared.domain.booking.slots import BookingSlots, Problem, SlotName, Way

OpenAt = Callable[[dt.date | None, dt.time], bool]
"""Whether the operator is open at a time; without a date, on any day of the week."""


@dataclass(frozen=True)
class Piece:
    """A value of a slot, or why there is none.

    Attributes:
        joined: Words before it join it to the piece before ("이랑").
    """

    slot: SlotName
    value: object = None
    problem: Problem | None = None
    days: tuple[dt.date, ...] = ()
    candidates: tuple[dt.time, ...] = ()
    joined: bool = False


@dataclass
class _Group:
    pieces: dict[SlotName, Piece] = field(default_factory=dict)
    joins: bool = False

    def __contains__(self, slot: SlotName) -> bool:
        return slot in self.pieces


def requests_of(pieces: Sequence[Piece], open_at: OpenAt) -> tuple[ReadRequest, ...]:
    """Return the requests that the pieces make up, at least one.

    A second date or time begins a request. One with a time only is on the day of the request before; one with a date
    only, joined to the next ("수요일이랑 금요일 3시"), is at the time of that. A way, a length, a number or a note that
    is said once is of all.
    """
    groups = _grouped([piece for piece in pieces if piece.slot in (SlotName.DATE, SlotName.TIME)])
    _share(groups)
    others = [piece for piece in pieces if piece.slot not in (SlotName.DATE, SlotName.TIME)]
    for slot in dict.fromkeys(piece.slot for piece in others):
        told = [piece for piece in others if piece.slot is slot]
        for index, group in enumerate(groups):
            group.pieces[slot] = told[min(index, len(told) - 1)] if len(told) == len(groups) else told[-1]
    return tuple(_request(group.pieces, open_at) for group in groups)


def _grouped(pieces: Sequence[Piece]) -> list[_Group]:
    groups = [_Group()]
    for piece in pieces:
        if piece.slot in groups[-1] or (piece.slot is SlotName.DATE and SlotName.TIME in groups[-1] and piece.joined):
            groups.append(_Group(joins=piece.joined))
        groups[-1].pieces[piece.slot] = piece
    return groups


def _share(groups: list[_Group]) -> None:
    for before, group in pairwise(groups):
        if SlotName.DATE not in group and SlotName.DATE in before:
            group.pieces[SlotName.DATE] = before.pieces[SlotName.DATE]
    for group, after in reversed(list(pairwise(groups))):
        if SlotName.TIME not in group and SlotName.TIME in after and after.joins:
            group.pieces[SlotName.TIME] = after.pieces[SlotName.TIME]


def _request(pieces: Mapping[SlotName, Piece], open_at: OpenAt) -> ReadRequest:
    slots: dict[str, object] = {}
    errors: dict[SlotName, Problem] = {}
    days: tuple[dt.date, ...] = ()
    face: dt.time | None = None
    for slot, piece in pieces.items():
        settled = piece
        if piece.candidates:
            date = pieces[SlotName.DATE].value if SlotName.DATE in pieces else None
            settled = which_time(piece, date if isinstance(date, dt.date) else None, open_at)
            face = min(piece.candidates) if settled.problem is Problem.WHICH_TIME else None
        days = days or settled.days
        if settled.problem is not None:
            errors[slot] = settled.problem
        else:
            slots[slot.value] = settled.value
    return ReadRequest(slots=BookingSlots.model_validate(slots), errors=errors, days=days, face=face)


def which_time(piece: Piece, date: dt.date | None, open_at: OpenAt) -> Piece:
    """Return the time that is meant: of the two halves of the day the one in which the operator is open."""
    if len(piece.candidates) == 1:
        return replace(piece, value=piece.candidates[0], candidates=())
    open_then = [time for time in piece.candidates if open_at(date, time)]
    if not open_then and date is not None:
        open_then = [time for time in piece.candidates if open_at(None, time)]
    if len(open_then) == 1:
        return replace(piece, value=open_then[0], candidates=())
    problem = Problem.WHICH_TIME if open_then else Problem.OUTSIDE_HOURS
    return replace(piece, problem=problem, candidates=())


def way_piece(way: Way | None) -> Piece:
    """Return a way; None is one that is not offered."""
    return Piece(SlotName.WAY, way) if way else Piece(SlotName.WAY, problem=Problem.WAY_NOT_OFFERED)
