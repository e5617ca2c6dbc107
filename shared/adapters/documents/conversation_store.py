"""`ConversationStore` over a `DocumentDatabase`: two reads and two commits a turn."""

from collections.abc import Sequence
from datetime import datetime
from typing import Generic

from pydantic import JsonValue

from shared.adapters.documents import paths
from shared.adapters.documents.mapping import from_document, message_document, to_document, to_json
from shared.domain.conversation import Message
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.mailbox import Mailbox
from shared.domain.records import Record
from shared.domain.turn import TurnRecord
from shared.ports.conversation_store import S, Snapshot, TurnCommit, Versioned, VersionedMailbox, View
from shared.ports.document_database import (
    Create,
    Data,
    DocumentDatabase,
    Put,
    Query,
    Replace,
    Write,
)

MESSAGE_FIELDS = ("position", "expire_at")
ERASE_PAGE = 100


class DocumentConversationStore(Generic[S]):
    """The store; `state_model` is the session that the house's services share."""

    def __init__(self, database: DocumentDatabase, state_model: type[S]) -> None:
        """Take a database and the model that session documents are read as."""
        self._database = database
        self._state_model = state_model

    async def create(self, state: S, greeting: Message, view: View) -> None:
        """See the port."""
        identifier = state.conversation_id
        mailbox = Mailbox(conversation_id=identifier, expire_at=state.expire_at)
        await self._database.commit(
            [
                Create(paths.session(identifier), to_document(state)),
                Create(paths.mailbox(identifier), to_document(mailbox)),
                Create(paths.view(identifier), to_document(view)),
                self._message(identifier, greeting, state.expire_at),
            ]
        )

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

    async def receive(self, turn: TurnRecord, mailbox: VersionedMailbox) -> VersionedMailbox:
        """See the port."""
        path = paths.turn(turn.conversation_id, turn.message_id)
        versions = await self._database.commit([Create(path, to_document(turn)), self._mailbox(mailbox)])
        return VersionedMailbox(box=mailbox.box, version=versions[1])

    async def save_mailbox(self, mailbox: VersionedMailbox) -> VersionedMailbox:
        """See the port."""
        versions = await self._database.commit([self._mailbox(mailbox)])
        return VersionedMailbox(box=mailbox.box, version=versions[0])

    async def commit_turn(self, commit: TurnCommit[S]) -> None:
        """See the port."""
        state = commit.session.state
        identifier = state.conversation_id
        writes: list[Write] = [
            Replace(paths.session(identifier), to_document(state), commit.session.version),
            self._mailbox(commit.mailbox),
            Put(paths.turn(identifier, commit.turn.message_id), to_document(commit.turn)),
            Put(paths.view(identifier), to_document(commit.view)),
            *(self._message(identifier, entry, state.expire_at) for entry in commit.messages),
            *self._records(identifier, commit.records),
            *(Create(paths.audit(entry.audit_id), to_document(entry)) for entry in commit.audit),
        ]
        await self._database.commit(writes)

    async def save_state(self, session: Versioned[S], view: View, records: Sequence[Record] = ()) -> None:
        """See the port."""
        identifier = session.state.conversation_id
        await self._database.commit(
            [
                Replace(paths.session(identifier), to_document(session.state), session.version),
                Put(paths.view(identifier), to_document(view)),
                *self._records(identifier, records),
            ]
        )

    async def view(self, conversation_id: ConversationId) -> View | None:
        """See the port."""
        (found,) = await self._database.get([paths.view(conversation_id)])
        return None if found is None else from_document(View, found)

    async def views_of(self, user_id: UserId, before: datetime | None, limit: int) -> list[View]:
        """See the port."""
        found = await self._database.query(
            Query(
                collection=paths.CONVERSATIONS,
                order_by="created_at",
                descending=True,
                after=before,
                limit=limit,
                where={"user_id": user_id},
            )
        )
        return [from_document(View, document) for document in found]

    async def messages(self, conversation_id: ConversationId, after: int, limit: int) -> list[Message]:
        """See the port."""
        behind = after * 2 + 1 if after >= 0 else None
        found = await self._database.query(
            Query(collection=paths.messages(conversation_id), order_by="position", after=behind, limit=limit * 2)
        )
        entries = [from_document(Message, document, without=MESSAGE_FIELDS) for document in found]
        shown = sorted({entry.seq for entry in entries})[:limit]
        return [entry for entry in entries if entry.seq in shown]

    async def record(
        self, conversation_id: ConversationId, collection: str, record_id: str
    ) -> dict[str, JsonValue] | None:
        """See the port."""
        (found,) = await self._database.get([paths.record(conversation_id, collection, record_id)])
        return None if found is None else _json(found.data)

    async def export(self, conversation_id: ConversationId) -> list[tuple[str, dict[str, JsonValue]]]:
        """See the port."""
        trees = [
            await self._database.tree(paths.view(conversation_id)),
            await self._database.tree(paths.session(conversation_id)),
        ]
        return [(document.path, _json(document.data)) for tree in trees for document in tree]

    async def erase(self, conversation_id: ConversationId) -> None:
        """See the port. The session goes first: nothing can be committed to the rest from then on."""
        await self._database.remove_tree(paths.session(conversation_id))
        await self._database.remove_tree(paths.view(conversation_id))

    async def erase_user(self, user_id: UserId) -> int:
        """See the port."""
        erased = 0
        while views := await self.views_of(user_id, None, ERASE_PAGE):
            for view in views:
                await self.erase(view.conversation_id)
            erased += len(views)
        await self._database.remove_tree(paths.user(user_id))
        return erased

    @staticmethod
    def _message(conversation_id: ConversationId, entry: Message, expire_at: datetime) -> Put:
        data = message_document(entry, paths.position(entry), expire_at)
        return Put(paths.message(conversation_id, entry), data)

    @staticmethod
    def _mailbox(mailbox: VersionedMailbox) -> Replace:
        path = paths.mailbox(mailbox.box.conversation_id)
        return Replace(path, to_document(mailbox.box), mailbox.version)

    @staticmethod
    def _records(conversation_id: ConversationId, records: Sequence[Record]) -> list[Create]:
        return [
            Create(paths.record(conversation_id, record.collection, record.record_id), to_document(record))
            for record in records
        ]


def _json(data: Data) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {name: to_json(value) for name, value in data.items()}
    return fields
