"""Everything stored of a person, as one file."""

from datetime import datetime

from pydantic import Field, JsonValue

from shared.contracts.booking import BookingView
from shared.contracts.documents import DocumentExport
from shared.contracts.retrieval import ConversationExport, UsageToday
from shared.contracts.wire import Wire


class PersonExport(Wire):
    """Everything that is stored of the caller."""

    user_id: str
    exported_at: datetime
    profile: dict[str, JsonValue] | None
    usage: UsageToday | None = None
    appointments: tuple[BookingView, ...] = ()
    conversations: tuple[ConversationExport, ...]
    documents: tuple[DocumentExport, ...] = ()
    unreadable: tuple[str, ...] = Field(
        default=(), description="What is stored and could not be read: ids of conversations and documents, `profile`"
    )
