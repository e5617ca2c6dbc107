"""`Appointments` over a `DocumentDatabase`.

Every cell that an appointment takes is a document of its own, twice: one of the seat and one of the user. All are
created with the appointment in one commit, so that of two appointments that overlap only one can be stored. A booking
also needs the version of its user's document, so that of two at once one is counted by the other, and none comes after
an erasure. No other document is shared by writers that do not collide: users never wait for each other.
"""

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping

from shared.adapters.documents import paths, writes
from shared.adapters.documents.listing import whole
from shared.adapters.documents.mapping import from_document
from shared.domain.booking.appointment import MOST_OPEN, Appointment, AppointmentStatus, upcoming
from shared.domain.booking.slots import Problem
from shared.domain.errors import DocumentExists, DocumentTooNew, DocumentUnreadable, StoreUnavailable, VersionConflict
from shared.domain.ids import UserId
from shared.engine.retry import SESSION_WRITES, USER_DOCUMENT, retry_conflicts
from shared.model import Model
from shared.ports.document_database import DocumentDatabase, Query
from shared.ports.document_writes import Create, Document, Remove, ReplaceDocument, Write

PAGE = 100
TICK = dt.timedelta(microseconds=1)
"""Resolution of stored times."""
_DIGITS = 24


class TakenCell(Model):
    """A cell that is taken, of a seat or of a user; it begins at `at`."""

    at: dt.datetime
    booking_id: str
    expire_at: dt.datetime


class DocumentAppointments:
    """The appointments."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database

    async def book(self, appointment: Appointment, seats: int) -> Appointment | Problem:
        """See the port."""

        async def attempt() -> Appointment | Problem:
            counted = await self._counted(appointment)
            stored = await self._find(appointment.booking_id)
            if stored is not None:
                return stored[0]
            if len(upcoming(await self.of_user(appointment.user_id), appointment.created_at)) >= MOST_OPEN:
                return await self._stored_or(appointment.booking_id, Problem.TOO_MANY)
            return await self._seated(appointment, seats, counted)

        return await retry_conflicts(USER_DOCUMENT, attempt, "the calendar", (VersionConflict, DocumentExists))

    async def move(self, changed: Appointment, seats: int) -> Appointment | Problem:
        """See the port."""

        async def attempt() -> Appointment | Problem:
            found = await self._find(changed.booking_id)
            if found is None or found[0].user_id != changed.user_id or not found[0].booked:
                return Problem.NO_BOOKING
            stored, version = found
            if _content(stored) == _content(changed):
                return stored
            for seat in sorted(range(seats), key=lambda one: (one != stored.seat, one)):
                placed = changed.model_copy(update={"seat": seat, "sequence": stored.sequence + 1})
                created, removed = _difference(stored, placed)
                own = writes.replace(paths.appointment(placed.booking_id), placed, version)
                try:
                    await self._database.commit([own, *removed, *created])
                except DocumentExists:
                    met = await self._met(created)
                    if paths.APPOINTMENT_USERS in met:
                        return Problem.OWN_OVERLAP
                    if not met:
                        raise
                    continue
                return placed
            return Problem.TAKEN

        return await retry_conflicts(SESSION_WRITES, attempt, "the appointment", (VersionConflict, DocumentExists))

    async def cancel(self, user_id: UserId, booking_id: str, at: dt.datetime) -> Appointment | None:
        """See the port."""

        async def attempt() -> Appointment | None:
            found = await self._find(booking_id)
            if found is None or found[0].user_id != user_id:
                return None
            stored, version = found
            if not stored.booked:
                return stored
            free = {"status": AppointmentStatus.CANCELLED, "cells": (), "updated_at": at}
            cancelled = stored.model_copy(update={**free, "sequence": stored.sequence + 1})
            own = writes.replace(paths.appointment(booking_id), cancelled, version)
            await self._database.commit([own, *_removals(stored)])
            return cancelled

        return await retry_conflicts(SESSION_WRITES, attempt, "the appointment")

    async def find(self, booking_id: str) -> Appointment | None:
        """See the port."""
        found = await self._find(booking_id)
        return None if found is None else found[0]

    async def of_user(self, user_id: UserId) -> tuple[Appointment, ...]:
        """See the port."""
        found = await whole(self._database, appointments_of(user_id))
        return tuple(from_document(Appointment, document) for document in found)

    async def taken(self, since: dt.datetime, until: dt.datetime) -> Mapping[dt.datetime, int]:
        """See the port."""
        query = Query(paths.APPOINTMENT_SEATS, order_by="at", after=since - TICK, until=until - TICK, limit=PAGE)
        found = await whole(self._database, query)
        return Counter(from_document(TakenCell, document).at for document in found)

    async def _counted(self, appointment: Appointment) -> ReplaceDocument:
        """Return the write that a booking shares with the others of its user; a write of equal data is no new version.

        Raises:
            StoreUnavailable: The user was erased.
        """
        (user,) = await self._database.get([paths.user(appointment.user_id)])
        if user is None:
            raise StoreUnavailable("the user's document was erased")
        at, before = appointment.updated_at, user.data.get("updated_at")
        later = max(at, before + TICK) if isinstance(before, dt.datetime) else at
        return ReplaceDocument(user.path, {**user.data, "updated_at": later}, user.version)

    async def _seated(self, appointment: Appointment, seats: int, counted: ReplaceDocument) -> Appointment | Problem:
        for seat in range(seats):
            placed = appointment.model_copy(update={"seat": seat})
            own, cells = writes.create(paths.appointment(placed.booking_id), placed), _cells(placed)
            try:
                await self._database.commit([counted, own, *cells])
            except DocumentExists:
                met = await self._met(cells)
                if paths.APPOINTMENT_USERS in met:
                    return await self._stored_or(appointment.booking_id, Problem.OWN_OVERLAP)
                if not met:
                    raise
                continue
            return placed
        return Problem.TAKEN

    async def _find(self, booking_id: str) -> tuple[Appointment, str] | None:
        (found,) = await self._database.get([paths.appointment(booking_id)])
        return None if found is None else (from_document(Appointment, found), found.version)

    async def _stored_or(self, booking_id: str, problem: Problem) -> Appointment | Problem:
        found = await self._find(booking_id)
        return problem if found is None else found[0]

    async def _met(self, cells: Iterable[Create]) -> set[str]:
        """Return the collections in which a cell is taken; a database need not name the document that it met."""
        there = await self._database.get([cell.path for cell in cells])
        return {document.path.partition("/")[0] for document in there if document is not None}


def appointments_of(user_id: UserId) -> Query:
    """Return the query for a user's appointments, earliest first."""
    return Query(paths.APPOINTMENTS, order_by="starts_at", limit=PAGE, where={"user_id": user_id})


def _content(appointment: Appointment) -> Appointment:
    fixed = {"sequence": 0, "seat": 0, "updated_at": appointment.created_at}
    return appointment.model_copy(update=fixed)


def _cells(appointment: Appointment) -> list[Create]:
    cell = TakenCell(at=appointment.starts_at, booking_id=appointment.booking_id, expire_at=appointment.expire_at)
    user = hashlib.sha256(appointment.user_id.encode()).hexdigest()[:_DIGITS]
    places = [(paths.appointment_user_cell(at, user), at) for at in appointment.cells]
    places += [(paths.appointment_seat_cell(at, appointment.seat), at) for at in appointment.cells]
    return [writes.create(path, cell.model_copy(update={"at": at})) for path, at in places]


def _removals(appointment: Appointment) -> list[Remove]:
    return [Remove(cell.path) for cell in _cells(appointment)]


def _difference(before: Appointment, after: Appointment) -> tuple[list[Create], list[Remove]]:
    old, new = {cell.path for cell in _cells(before)}, {cell.path for cell in _cells(after)}
    created = [cell for cell in _cells(after) if cell.path not in old]
    return created, [Remove(path) for path in sorted(old - new)]


def erasing(document: Document) -> list[Write]:
    """Return the writes that erase an appointment and free its cells; those of an unreadable one expire."""
    try:
        cells = _removals(from_document(Appointment, document))
    except (DocumentTooNew, DocumentUnreadable):
        cells = []
    return [Remove(document.path, document.version), *cells]
