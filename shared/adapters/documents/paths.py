"""Paths of all documents."""

import datetime as dt

from shared.domain.conversation import Message, Role
from shared.domain.ids import ConversationId, MessageId, UserId

CONVERSATIONS = "conversations"
SESSIONS = "sessions"
MAILBOXES = "mailboxes"
ERASURES = "erasures"
WITHDRAWALS = "withdrawals"
APPOINTMENTS = "appointments"
APPOINTMENT_SEATS = "appointment_seats"
APPOINTMENT_USERS = "appointment_users"
UPLOADS = "documents"


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


def checkpoint(conversation_id: ConversationId, message_id: MessageId) -> str:
    """How far an unfinished turn has got."""
    return f"{session(conversation_id)}/checkpoints/{message_id}"


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


def upload(document_id: str) -> str:
    """A document that a user uploaded; its owner may read it and its chunks."""
    return f"{UPLOADS}/{document_id}"


def chunk(document_id: str, position: int) -> str:
    """Passages of an upload."""
    return f"{upload(document_id)}/chunks/{position}"


def vectors(document_id: str) -> str:
    """The collection of the vectors of an upload's passages; nothing of it is shown to clients."""
    return f"{upload(document_id)}/vectors"


def vector(document_id: str, passage_id: str) -> str:
    return f"{vectors(document_id)}/{passage_id}"


def user(user_id: UserId) -> str:
    return f"users/{user_id}"


def usage(usage_id: str) -> str:
    """A user's usage in a day; the path does not reveal the user."""
    return f"usage/{usage_id}"


def appointment(booking_id: str) -> str:
    return f"{APPOINTMENTS}/{booking_id}"


def appointment_seat_cell(at: dt.datetime, seat: int) -> str:
    """A cell of the calendar that one seat has taken."""
    return f"{APPOINTMENT_SEATS}/{at:%Y%m%dT%H%MZ}-{seat}"


def appointment_user_cell(at: dt.datetime, user: str) -> str:
    """A cell of the calendar in which a user has an appointment; the path has a digest of the user."""
    return f"{APPOINTMENT_USERS}/{at:%Y%m%dT%H%MZ}-{user}"


def position(entry: Message) -> int:
    """Position of a message in the history: the user's message precedes its reply."""
    return entry.seq * 2 + (entry.role is Role.COUNSELOR)
