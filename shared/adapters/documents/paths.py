"""Paths of all documents."""

from shared.domain.conversation import Message, Role
from shared.domain.ids import ConversationId, MessageId, UserId

CONVERSATIONS = "conversations"
SESSIONS = "sessions"
MAILBOXES = "mailboxes"
ERASURES = "erasures"
WITHDRAWALS = "withdrawals"


def view(conversation_id: ConversationId) -> str:
    """The client's view; its owner may read it."""
    return f"{CONVERSATIONS}/{conversation_id}"


def conversation_id(path: str) -> ConversationId:
    """The conversation of a view's path."""
    return ConversationId(path.removeprefix(f"{CONVERSATIONS}/"))


def messages(conversation_id: ConversationId) -> str:
    """The collection of the history."""
    return f"{view(conversation_id)}/messages"


def message(conversation_id: ConversationId, entry: Message) -> str:
    return f"{messages(conversation_id)}/{entry.seq}-{entry.role.value}"


def session(conversation_id: ConversationId) -> str:
    return f"{SESSIONS}/{conversation_id}"


def mailbox(conversation_id: ConversationId) -> str:
    """Turn lease and inbox, apart from the session to avoid conflicts with background writers."""
    return f"{MAILBOXES}/{conversation_id}"


def turn(conversation_id: ConversationId, message_id: MessageId) -> str:
    """The decision ledger of a turn."""
    return f"{session(conversation_id)}/turns/{message_id}"


def records(conversation_id: ConversationId, collection: str) -> str:
    """A collection of background results or trigger documents."""
    return f"{session(conversation_id)}/{collection}"


def record(conversation_id: ConversationId, collection: str, record_id: str) -> str:
    return f"{records(conversation_id, collection)}/{record_id}"


def audit(audit_id: str) -> str:
    return f"audit/{audit_id}"


def erasure(erasure_id: str) -> str:
    """An unfinished erasure."""
    return f"{ERASURES}/{erasure_id}"


def withdrawal(withdrawal_id: str) -> str:
    """An unfinished withdrawal of consents."""
    return f"{WITHDRAWALS}/{withdrawal_id}"


def user(user_id: UserId) -> str:
    return f"users/{user_id}"


def usage(usage_id: str) -> str:
    """A user's usage in a day; the path does not reveal the user."""
    return f"usage/{usage_id}"


def position(entry: Message) -> int:
    """Position of a message in the history: the user's message precedes its reply."""
    return entry.seq * 2 + (entry.role is Role.COUNSELOR)
