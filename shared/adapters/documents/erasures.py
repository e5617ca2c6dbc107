"""`ErasureStore` over a `DocumentDatabase`."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

from shared.adapters.documents import paths, writes
from shared.adapters.documents.appointments import TICK, appointments_of, erasing
from shared.adapters.documents.listing import readable, uploads_of, views_of, whole
from shared.adapters.documents.mapping import from_document
from shared.domain.erasure import Erasure, completed, requested
from shared.domain.errors import DocumentExists, VersionConflict
from shared.domain.ids import ConversationId, UserId
from shared.engine.retry import SESSION_WRITES, retry_conflicts
from shared.ports.document_database import DocumentDatabase, Query
from shared.ports.document_writes import Remove, Value, Write
from shared.ports.erasures import ReadUser

MOST_WRITES = 500
"""Writes of a Firestore commit."""
HIDDEN_AT_ONCE = 150
"""Conversations hidden in one commit, with three documents each, or fewer beside bookings."""
FREED_AT_ONCE = 240
"""Writes of a commit after which no further booking is erased in it."""
UPLOADS_AT_ONCE = 40
"""Uploads hidden in the first commit; a user may keep far fewer."""
PAGE = 100


class DocumentErasures:
    """The part of the store that erases."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database

    async def hide_conversation(self, erasure: Erasure, read_without: ReadUser) -> None:
        """See the port. An unreadable session is hidden too."""
        (session,) = await self._database.get([paths.session(ConversationId(erasure.erasure_id))])
        user = await read_without()
        documents: list[Write] = [] if session is None else [Remove(session.path, session.version)]
        documents += [] if user is None else [writes.user(user)]
        await self._database.commit([*documents, *hiding(erasure)])

    async def hide_everything(
        self, user_id: UserId, at: datetime, name: str, older_than: datetime | None = None
    ) -> Erasure | None:
        """See the port. Documents are not decoded, so unreadable ones are erased too.

        The user's document is deleted with the version read before the list of conversations, so that a conversation
        opened in between causes a conflict. A lost answer does too; the retry then finds nothing.
        """
        return await retry_conflicts(
            SESSION_WRITES,
            lambda: self._hide_everything(user_id, at, name, older_than),
            "the user's document",
            (VersionConflict, DocumentExists),
        )

    async def erasure(self, erasure_id: str) -> Erasure | None:
        """See the port."""
        (found,) = await self._database.get([paths.erasure(erasure_id)])
        return None if found is None else from_document(Erasure, found)

    async def erasures_of(self, user_id: UserId) -> list[Erasure]:
        """See the port."""
        query = Query(collection=paths.ERASURES, order_by="requested_at", limit=PAGE, where={"user_id": user_id})
        return [from_document(Erasure, document) for document in await whole(self._database, query)]

    async def erasures(self, until: datetime, after: datetime | None, limit: int) -> list[Erasure]:
        """See the port."""
        query = Query(collection=paths.ERASURES, order_by="requested_at", after=after, until=until, limit=limit)
        return await readable(self._database, Erasure, query)

    async def erase(self, conversation_id: ConversationId) -> None:
        """See the port. The session goes first, so that nothing can be committed to the rest."""
        await self._database.remove_tree(paths.session(conversation_id))
        await self._database.remove_tree(paths.mailbox(conversation_id))
        await self._database.remove_tree(paths.view(conversation_id))

    async def end_erasure(self, erasure: Erasure, at: datetime) -> None:
        """See the port."""
        with suppress(DocumentExists):
            await self._database.commit(
                [writes.audit(completed(erasure, at)), Remove(paths.erasure(erasure.erasure_id))]
            )

    async def _hide_everything(
        self, user_id: UserId, at: datetime, name: str, older_than: datetime | None
    ) -> Erasure | None:
        own, uploads = None, []
        if older_than is None:
            (own,) = await self._database.get([paths.user(user_id)])
            uploads = await self._database.query(uploads_of(user_id, UPLOADS_AT_ONCE))
        booked = await whole(self._database, appointments_of(user_id))
        booked = [one for one in booked if older_than is None or _time(one.data["created_at"]) <= at]
        mine: list[Write] = [] if own is None else [Remove(own.path, own.version)]
        mine += [Remove(upload.path) for upload in uploads]
        while booked and len(mine) < FREED_AT_ONCE:
            mine += erasing(booked.pop())
        most = min(HIDDEN_AT_ONCE, (MOST_WRITES - 2 - len(mine)) // 3)  # 2: the request and its audit entry
        query = views_of(user_id, older_than, most + 1)
        found = await self._database.query(query)
        if not found and not mine:
            return None
        views = found[:most]
        ids = tuple(paths.conversation_id(view.path) for view in views)
        erasure = Erasure(
            erasure_id=ids[-1] if ids else name,
            user_id=user_id,
            everything=True,
            conversations=ids,
            documents=tuple(upload.path.removeprefix(f"{paths.UPLOADS}/") for upload in uploads),
            requested_at=at,
            older_than=_time(views[-1].data[query.order_by]) + TICK if len(found) > len(views) else None,
        )
        await self._database.commit([*hiding(erasure), *mine])
        return erasure


def hiding(erasure: Erasure) -> list[Write]:
    """Return the writes that hide an erasure's conversations and store its request."""
    return [
        writes.create(paths.erasure(erasure.erasure_id), erasure),
        writes.audit(requested(erasure)),
        *(Remove(path) for path in _roots(erasure.conversations)),
    ]


def _roots(conversations: Iterable[ConversationId]) -> Iterable[str]:
    for conversation_id in conversations:
        yield from (paths.session(conversation_id), paths.mailbox(conversation_id), paths.view(conversation_id))


def _time(created_at: Value) -> datetime:
    if not isinstance(created_at, datetime):
        raise TypeError("what a user has is created at a time")
    return created_at
