"""Exports everything stored about a user as one JSON document, with one conversation or upload in memory at a time.

Exports are limited: one at a time per user and instance, and a number per day.
"""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil

from functions.chat.use_cases.retrieval import document_export, export
from shared.contracts.booking import AppointmentList
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import Session
from shared.domain.errors import DocumentTooNew, DocumentUnreadable, ExportsUsedUp
from shared.domain.ids import ConversationId, UserId
from shared.domain.usage import UsageEntry, Used, end_of_day, service_day
from shared.engine.capacity import Capacity
from shared.ports.appointments import Appointments
from shared.ports.audit_store import AuditStore
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.services.booking import view_of


@dataclass(frozen=True)
class ExportLimits:
    """Limits the exports of this instance.

    Attributes:
        per_day: Exports of one user per service day, over all instances.
        places: Let one export of a user run here at a time.
    """

    store: AuditStore
    clock: Clock
    per_day: int = 20
    places: Capacity = field(default_factory=lambda: Capacity(share=1))

    async def entry(self, user_id: UserId) -> UsageEntry:
        """Return what an export adds to a user's day.

        Raises:
            ExportsUsedUp: The daily limit is reached.
            StoreUnavailable: The store does not answer.
        """
        now = self.clock.now()
        today = service_day(now)
        used = await self.store.usage(user_id, today)
        if used is not None and used.exports >= self.per_day:
            raise ExportsUsedUp(ceil((end_of_day(today) - now).total_seconds()))
        return UsageEntry(user_id, today, Used(exports=1))


PROFILE = "profile"
"""Names the profile among the unreadable documents."""


async def export_person(
    store: ConversationStore[Session], appointments: Appointments, caller: Caller, now: datetime
) -> AsyncIterator[str]:
    """Yield a `PersonExport` in pieces; the first one follows the first answer of the store.

    Unreadable documents are skipped and named at the end.

    Raises:
        StoreUnavailable: The store does not answer.
    """
    unreadable: list[str] = []
    profile = "null"
    try:
        found = await store.user(caller.user_id, Profile)
        profile = found.document.model_dump_json() if found else profile
    except (DocumentTooNew, DocumentUnreadable):
        unreadable.append(PROFILE)
    used = await store.usage(caller.user_id, service_day(now))
    usage = used.model_dump_json(exclude={"expire_at"}) if used else "null"
    bookings = AppointmentList(tuple(map(view_of, await appointments.of_user(caller.user_id)))).model_dump_json()
    ids = await store.conversations_of(caller.user_id)
    yield f'{{"user_id":{_json(caller.user_id)},"exported_at":{_json(now.isoformat())},"profile":{profile},'
    yield f'"usage":{usage},"appointments":{bookings},'
    yield '"conversations":['
    async for piece in _separated(_conversations(store, ids, now, unreadable)):
        yield piece
    yield '],"documents":['
    async for piece in _separated(_documents(store, caller, unreadable)):
        yield piece
    yield f'],"unreadable":{_json(unreadable)}}}'


async def _conversations(
    store: ConversationStore[Session], ids: Iterable[ConversationId], now: datetime, unreadable: list[str]
) -> AsyncIterator[str]:
    for conversation_id in ids:
        try:
            conversation = await export(store, conversation_id, now)
        except (DocumentTooNew, DocumentUnreadable):
            unreadable.append(conversation_id)
            continue
        yield conversation.model_dump_json(by_alias=True)


async def _documents(store: ConversationStore[Session], caller: Caller, unreadable: list[str]) -> AsyncIterator[str]:
    for kept in await store.uploads_of(caller.user_id):
        try:
            document = await store.uploaded(kept)
        except (DocumentTooNew, DocumentUnreadable):
            unreadable.append(kept.document_id)
            continue
        if document is not None:
            yield document_export(kept, document).model_dump_json()


async def _separated(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    between = ""
    async for piece in pieces:
        yield between + piece
        between = ","


def _json(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False)
