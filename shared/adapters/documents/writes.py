"""What each thing of a conversation is written as."""

from collections.abc import Iterable
from datetime import datetime

from shared.adapters.documents import paths
from shared.adapters.documents.mapping import to_document
from shared.domain.conversation import Message
from shared.domain.ids import ConversationId
from shared.domain.model import Model
from shared.domain.records import AuditEntry, Record
from shared.ports.conversation_store import VersionedMailbox
from shared.ports.document_database import Create, Put, Replace, Value


def create(path: str, model: Model) -> Create:
    """Write a model where nothing may be yet."""
    return Create(path, to_document(path, model))


def put(path: str, model: Model, **beside: Value) -> Put:
    """Write a model whatever is there; `beside` as in `to_document`."""
    return Put(path, to_document(path, model, **beside))


def replace(path: str, model: Model, version: str) -> Replace:
    """Write a model over the version that was read."""
    return Replace(path, to_document(path, model), version)


def message(conversation_id: ConversationId, entry: Message, expire_at: datetime) -> Put:
    """Write a message, with its place in the history and its retention."""
    path = paths.message(conversation_id, entry)
    return put(path, entry, position=paths.position(entry), expire_at=expire_at)


def mailbox(mailbox: VersionedMailbox) -> Replace:
    """Write a mailbox over the version it was read at."""
    return replace(paths.mailbox(mailbox.box.conversation_id), mailbox.box, mailbox.version)


def records(conversation_id: ConversationId, entries: Iterable[Record]) -> list[Create]:
    """Write records, each once."""
    return [create(paths.record(conversation_id, entry.collection, entry.record_id), entry) for entry in entries]


def audit(entry: AuditEntry) -> Create:
    """Write a line of the audit trail, once."""
    return create(paths.audit(entry.audit_id), entry)
