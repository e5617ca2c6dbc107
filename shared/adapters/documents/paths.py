"""Paths of all documents (design: api.md, "Firestore")."""

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
    """The conversation that a document of `conversations` is the view of."""
    return ConversationId(path.removeprefix(f"{CONVERSATIONS}/"))


def messages(conversation_id: ConversationId) -> str:
    """The collection of the history."""
    return f"{view(conversation_id)}/messages"


def message(conversation_id: ConversationId, entry: Message) -> str:
    """One message of the history."""
    return f"{messages(conversation_id)}/{entry.seq}-{entry.role.value}"


def session(conversation_id: ConversationId) -> str:
    """The whole session."""
    return f"{SESSIONS}/{conversation_id}"


def mailbox(conversation_id: ConversationId) -> str:
    """Turn lease and inbox, apart from the session so that background writers do not collide with it."""
    return f"{MAILBOXES}/{conversation_id}"


def turn(conversation_id: ConversationId, message_id: MessageId) -> str:
    """The decision ledger of one turn."""
    return f"{session(conversation_id)}/turns/{message_id}"


def records(conversation_id: ConversationId, collection: str) -> str:
    """A kind of background results or trigger documents."""
    return f"{session(conversation_id)}/{collection}"


def record(conversation_id: ConversationId, collection: str, record_id: str) -> str:
    """A background result or trigger document."""
    return f"{records(conversation_id, collection)}/{record_id}"


def audit(audit_id: str) -> str:
    """One line of the audit trail."""
    return f"audit/{audit_id}"


def erasure(erasure_id: str) -> str:
    """An erasure that is not finished."""
    return f"{ERASURES}/{erasure_id}"


def withdrawal(withdrawal_id: str) -> str:
    """A withdrawal of consents that is not finished."""
    return f"{WITHDRAWALS}/{withdrawal_id}"


def user(user_id: UserId) -> str:
    """A user's profile."""
    return f"users/{user_id}"


def usage(usage_id: str) -> str:
    """What a user has used up in a day; neither the path nor the document names them."""
    return f"usage/{usage_id}"


def position(entry: Message) -> int:
    """Place of a message in the history: the user's words before the reply to them."""
    return entry.seq * 2 + (entry.role is Role.COUNSELOR)
