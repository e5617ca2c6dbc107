"""The whole port of the conversation store: adapters implement it, composition roots pass it on."""

from typing import Protocol

from shared.ports.audit_store import AuditStore
from shared.ports.conversation_documents import S
from shared.ports.conversation_reader import ConversationReader
from shared.ports.due_work import DueWork
from shared.ports.erasures import ErasureStore
from shared.ports.session_store import SessionStore
from shared.ports.turn_store import TurnStore
from shared.ports.upload_store import UploadStore
from shared.ports.user_store import UserStore
from shared.ports.withdrawals import WithdrawalStore


class ConversationStore(
    SessionStore[S],
    TurnStore[S],
    DueWork[S],
    ConversationReader,
    AuditStore,
    UserStore,
    ErasureStore,
    WithdrawalStore,
    UploadStore,
    Protocol[S],
):
    """One store for everything of a conversation; a turn's writes are one commit."""
