"""Writes of the store's documents."""

from collections.abc import Iterable
from datetime import datetime

from shared.adapters.documents import paths
from shared.adapters.documents.mapping import to_document
from shared.domain.conversation import Message
from shared.domain.ids import ConversationId
from shared.domain.records import AuditEntry, Record, Rewritten
from shared.domain.usage import DailyUsage, UsageEntry, Used, end_of_day
from shared.domain.user_document import UserDocument
from shared.model import Model
from shared.ports.conversation_documents import VersionedMailbox
from shared.ports.document_writes import Add, Create, Put, ReplaceDocument, Value, Write
from shared.ports.user_store import VersionedUser


def create(path: str, model: Model) -> Create:
    return Create(path, to_document(path, model))


def put(path: str, model: Model, **beside: Value) -> Put:
    """Write a document unconditionally; `beside` as in `to_document`."""
    return Put(path, to_document(path, model, **beside))


def replace(path: str, model: Model, version: str) -> ReplaceDocument:
    return ReplaceDocument(path, to_document(path, model), version)


def message(conversation_id: ConversationId, entry: Message, expire_at: datetime) -> Put:
    """Write a message with its position in the history and its expiry."""
    path = paths.message(conversation_id, entry)
    return put(path, entry, position=paths.position(entry), expire_at=expire_at)


def mailbox(mailbox: VersionedMailbox) -> ReplaceDocument:
    return replace(paths.mailbox(mailbox.box.conversation_id), mailbox.box, mailbox.version)


def records(conversation_id: ConversationId, entries: Iterable[Record | Rewritten]) -> list[Create | Put]:
    """Create new records and replace rewritten ones."""
    return [_record(conversation_id, entry) for entry in entries]


def _record(conversation_id: ConversationId, entry: Record | Rewritten) -> Create | Put:
    record = entry.record if isinstance(entry, Rewritten) else entry
    path = paths.record(conversation_id, record.collection, record.record_id)
    return put(path, record) if isinstance(entry, Rewritten) else create(path, record)


def user(user: VersionedUser[UserDocument]) -> Write:
    """Write a user's document at its version, or create it."""
    path = paths.user(user.document.user_id)
    return create(path, user.document) if user.version is None else replace(path, user.document, user.version)


def usage(entry: UsageEntry) -> Add:
    """Add to a user's day. Zero amounts are added too, so that the answer has the sum of each."""
    path = paths.usage(entry.usage_id)
    whole = to_document(path, DailyUsage(day=entry.day.isoformat(), expire_at=end_of_day(entry.day)))
    rest = {name: value for name, value in whole.items() if name not in Used.model_fields}
    return Add(path, rest, entry.used.model_dump())


def audit(entry: AuditEntry) -> Create:
    return create(paths.audit(entry.audit_id), entry)
