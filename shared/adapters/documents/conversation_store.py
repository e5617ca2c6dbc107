"""`ConversationStore` over a `DocumentDatabase`: two reads and two commits per turn, the first of one document."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Generic

from pydantic import JsonValue

from shared.adapters.documents import paths, writes
from shared.adapters.documents.erasures import DocumentErasures
from shared.adapters.documents.kinds import kind_of
from shared.adapters.documents.listing import readable, views_of, whole
from shared.adapters.documents.mapping import from_document, to_json
from shared.adapters.documents.uploads import DocumentUploads
from shared.domain.conversation import RETENTION, Message
from shared.domain.errors import DocumentExists, VersionConflict
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.mailbox import Mailbox
from shared.domain.records import AuditEntry, Record, Rewritten
from shared.domain.turn import TurnRecord
from shared.domain.usage import DailyUsage, UsageEntry, Used, usage_id
from shared.domain.user_document import UserDocument
from shared.domain.withdrawal import Withdrawal
from shared.ports.conversation_documents import S, Snapshot, TurnCommit, Versioned, VersionedMailbox, View
from shared.ports.document_database import DocumentDatabase, Query
from shared.ports.document_writes import Data, Remove, Write
from shared.ports.user_store import U, VersionedUser


class DocumentWithdrawals:
    """The part of the store for unfinished withdrawals."""

    _database: DocumentDatabase

    async def withdrawal(self, withdrawal_id: str) -> Withdrawal | None:
        """See the port."""
        (found,) = await self._database.get([paths.withdrawal(withdrawal_id)])
        return None if found is None else from_document(Withdrawal, found)

    async def withdrawals(self, until: datetime, after: datetime | None, limit: int) -> list[Withdrawal]:
        """See the port."""
        query = Query(collection=paths.WITHDRAWALS, order_by="requested_at", after=after, until=until, limit=limit)
        return await readable(self._database, Withdrawal, query)

    async def end_withdrawal(self, withdrawal_id: str) -> None:
        """See the port."""
        await self._database.commit([Remove(paths.withdrawal(withdrawal_id))])


PAGE = 100
"""Documents per page when all are listed."""


class DocumentConversationStore(DocumentErasures, DocumentWithdrawals, DocumentUploads, Generic[S]):
    """The store; `state_model` is the session model that all services share."""

    def __init__(self, database: DocumentDatabase, state_model: type[S]) -> None:
        super().__init__(database)
        self._state_model = state_model

    async def create(
        self,
        state: S,
        greeting: Message,
        view: View,
        user: VersionedUser[UserDocument] | None = None,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """See the port."""
        identifier = state.conversation_id
        mailbox = Mailbox(conversation_id=identifier, expire_at=state.expire_at)
        documents: list[Write] = [
            writes.create(paths.session(identifier), state),
            writes.create(paths.mailbox(identifier), mailbox),
            writes.create(paths.view(identifier), view),
            writes.message(identifier, greeting, state.expire_at),
            *(writes.audit(entry) for entry in audit),
        ]
        await self._commit(documents, user)

    async def load(self, conversation_id: ConversationId) -> Snapshot[S] | None:
        """See the port."""
        session, mailbox = await self._database.get([paths.session(conversation_id), paths.mailbox(conversation_id)])
        if session is None or mailbox is None:
            return None
        return Snapshot(
            session=Versioned(state=from_document(self._state_model, session), version=session.version),
            mailbox=VersionedMailbox(box=from_document(Mailbox, mailbox), version=mailbox.version),
        )

    async def turn(self, conversation_id: ConversationId, message_id: MessageId) -> TurnRecord | None:
        """See the port."""
        (found,) = await self._database.get([paths.turn(conversation_id, message_id)])
        return None if found is None else from_document(TurnRecord, found)

    async def mailbox(self, conversation_id: ConversationId) -> VersionedMailbox | None:
        """See the port."""
        (found,) = await self._database.get([paths.mailbox(conversation_id)])
        return None if found is None else VersionedMailbox(from_document(Mailbox, found), found.version)

    async def save_mailbox(self, mailbox: VersionedMailbox) -> VersionedMailbox:
        """See the port."""
        versions = await self._database.commit([writes.mailbox(mailbox)])
        return VersionedMailbox(box=mailbox.box, version=versions[0])

    async def commit_turn(self, commit: TurnCommit[S]) -> Used | None:
        """See the port.

        The record is written before the mailbox, so that no reader finds a message neither waiting nor
        answered (docs/decisions/0008).
        """
        state = commit.session.state
        identifier = state.conversation_id
        documents: list[Write] = [
            writes.replace(paths.session(identifier), state, commit.session.version),
            writes.create(paths.turn(identifier, commit.turn.message_id), commit.turn),
            writes.mailbox(commit.mailbox),
            writes.put(paths.view(identifier), commit.view),
            *(writes.message(identifier, entry, state.expire_at) for entry in commit.messages),
            *writes.records(identifier, commit.records),
            *(writes.audit(entry) for entry in commit.audit),
            *([writes.usage(commit.usage)] if commit.usage else []),
        ]
        left = await self._database.commit(documents)
        return Used.model_validate(dict(left[-1].numbers)) if commit.usage else None

    async def save_state(
        self,
        session: Versioned[S],
        view: View,
        records: Sequence[Record | Rewritten] = (),
        user: VersionedUser[UserDocument] | None = None,
        audit: Sequence[AuditEntry] = (),
        messages: Sequence[Message] = (),
        usage: UsageEntry | None = None,
    ) -> None:
        """See the port. The session's version rejects late work, including its change of the user's document."""
        identifier = session.state.conversation_id
        documents: list[Write] = [
            writes.replace(paths.session(identifier), session.state, session.version),
            writes.put(paths.view(identifier), view),
            *(writes.message(identifier, entry, entry.created_at + RETENTION) for entry in messages),
            *writes.records(identifier, records),
            *(writes.audit(entry) for entry in audit),
            *([writes.usage(usage)] if usage else []),
        ]
        await self._commit(documents, user)

    async def user(self, user_id: UserId, model: type[U]) -> VersionedUser[U] | None:
        """See the port."""
        (found,) = await self._database.get([paths.user(user_id)])
        return None if found is None else VersionedUser(from_document(model, found), found.version)

    async def save_user(
        self,
        user: VersionedUser[UserDocument],
        audit: Sequence[AuditEntry] = (),
        withdrawal: Withdrawal | None = None,
    ) -> None:
        """See the port."""
        documents: list[Write] = [writes.audit(entry) for entry in audit]
        if withdrawal is not None:
            documents.append(writes.create(paths.withdrawal(withdrawal.withdrawal_id), withdrawal))
        await self._commit(documents, user)

    async def view(self, conversation_id: ConversationId) -> View | None:
        """See the port."""
        (found,) = await self._database.get([paths.view(conversation_id)])
        return None if found is None else from_document(View, found)

    async def views_of(self, user_id: UserId, before: datetime | None, limit: int) -> list[View]:
        """See the port."""
        found = await self._database.query(views_of(user_id, before, limit))
        return [from_document(View, document) for document in found]

    async def conversations_of(self, user_id: UserId, since: datetime | None = None) -> list[ConversationId]:
        """See the port."""
        found = await whole(self._database, replace(views_of(user_id, None, PAGE), until=since))
        return [paths.conversation_id(document.path) for document in found]

    async def messages(self, conversation_id: ConversationId, after: int, limit: int) -> list[Message]:
        """See the port."""
        behind = after * 2 + 1 if after >= 0 else None
        found = await self._database.query(
            Query(collection=paths.messages(conversation_id), order_by="position", after=behind, limit=limit * 2)
        )
        entries = [from_document(Message, document) for document in found]
        shown = sorted({entry.seq for entry in entries})[:limit]
        return [entry for entry in entries if entry.seq in shown]

    async def record(
        self, conversation_id: ConversationId, collection: str, record_id: str
    ) -> dict[str, JsonValue] | None:
        """See the port."""
        (found,) = await self._database.get([paths.record(conversation_id, collection, record_id)])
        return None if found is None else _json(kind_of(found.path).fields(found))

    async def records(
        self, conversation_id: ConversationId, collection: str, status: str, newest: int
    ) -> list[dict[str, JsonValue]]:
        """See the port."""
        query = Query(
            collection=paths.records(conversation_id, collection),
            order_by="seq",
            descending=True,
            limit=newest,
            where={"status": status},
        )
        found = await self._database.query(query)
        return [_json(kind_of(document.path).fields(document)) for document in reversed(found)]

    async def overdue(self, until: datetime, after: datetime | None, limit: int) -> list[S]:
        """See the port."""
        query = Query(collection=paths.SESSIONS, order_by="due_since", after=after, until=until, limit=limit)
        return await readable(self._database, self._state_model, query)

    async def waiting(self, until: datetime, after: datetime | None, limit: int) -> list[Mailbox]:
        """See the port."""
        query = Query(collection=paths.MAILBOXES, order_by="waiting_since", after=after, until=until, limit=limit)
        return await readable(self._database, Mailbox, query)

    async def for_review(self, status: str, after: str | None, limit: int) -> list[S]:
        """See the port. A place begins with its status, so one ordered field both filters and sorts."""
        query = Query(
            collection=paths.SESSIONS,
            order_by="review_place",
            after=after or f"{status}.",
            until=f"{status}.~",
            limit=limit,
        )
        return await readable(self._database, self._state_model, query)

    async def add_audit(self, entry: AuditEntry, usage: UsageEntry | None = None) -> None:
        """See the port."""
        await self._database.commit([writes.audit(entry), *([writes.usage(usage)] if usage else [])])

    async def usage(self, user_id: UserId, day: date) -> DailyUsage | None:
        """See the port."""
        (found,) = await self._database.get([paths.usage(usage_id(user_id, day))])
        return None if found is None else from_document(DailyUsage, found)

    async def export(self, conversation_id: ConversationId) -> list[tuple[str, dict[str, JsonValue]]]:
        """See the port."""
        trees = [
            await self._database.tree(paths.view(conversation_id)),
            await self._database.tree(paths.session(conversation_id)),
            await self._database.tree(paths.mailbox(conversation_id)),
        ]
        return [(document.path, _json(document.data)) for tree in trees for document in tree]

    async def _commit(self, documents: list[Write], user: VersionedUser[UserDocument] | None) -> None:
        """Write documents with a user's document; if another writer created that first, it is a conflict."""
        if user is None:
            await self._database.commit(documents)
            return
        own = writes.user(user)
        try:
            await self._database.commit([*documents, own])
        except DocumentExists as met:
            if met.path == own.path:
                raise VersionConflict(own.path) from None
            raise


def _json(data: Data) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {name: to_json(value) for name, value in data.items()}
    return fields
