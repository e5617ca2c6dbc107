"""The chat API apart from the chat itself: paging, pending turns, consents, the profile, the export."""

import re
from datetime import UTC, datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, field_validator

from shared.contracts.chat import ConsentVersions
from shared.contracts.wire import Wire

MAX_PAGE = 100
_BIGGEST_SEQ = 2**31 - 1
_DATE = re.compile(r"\d{4}-")
_EARLIEST, _LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


class RetrievalQuery(BaseModel):
    """Parameters of a query; unknown ones are refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ConversationsQuery(RetrievalQuery):
    """Which page of the own conversations."""

    before: AwareDatetime | None = Field(default=None, description="Created before this time")
    limit: int = Field(default=20, ge=1, le=MAX_PAGE)

    @field_validator("before", mode="before")
    @classmethod
    def _is_no_number(cls, value: object) -> object:
        """Refuse seconds since 1970, which pydantic would accept: the parameter is an RFC 3339 time."""
        if isinstance(value, str) and not _DATE.match(value):
            raise ValueError("not a time")
        return value

    @field_validator("before")
    @classmethod
    def _within_what_is_stored(cls, value: datetime | None) -> datetime | None:
        """Limit the time to the range that the database supports."""
        return value and min(max(value, _EARLIEST), _LATEST)


class MessagesQuery(RetrievalQuery):
    """Which page of the history."""

    after: int = Field(default=-1, ge=-1, le=_BIGGEST_SEQ, description="Behind this turn; -1: from the greeting")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE, description="Turns")


class TurnReceived(Wire):
    """The message is stored and not answered yet."""

    message_id: str
    status: Literal["received"] = "received"


class ErasureAccepted(Wire):
    """What was to be erased is shown to nobody any more, and is being erased."""

    status: Literal["hidden"] = "hidden"


class ExportedDocument(Wire):
    """A document as it is stored."""

    path: str
    fields: dict[str, JsonValue]


class PersonaView(Wire):
    """A style of talking and the level for the next session; no diagnosis."""

    type: str | None
    type_specific_keywords: tuple[str, ...]
    common_keywords: tuple[str, ...]
    counseling_level: int
    updated_at: datetime


class LastSessionView(Wire):
    """The newest session that has its closing."""

    conversation_id: str
    session_type: Literal["first_session", "follow_up", "closing"]
    ended_at: datetime


class ProfileView(Wire):
    """What is carried from session to session; all of it is empty before the first closing."""

    name: str | None = None
    summary: str = ""
    goals: tuple[str, ...] = ()
    next_plan: str = ""
    persona: PersonaView | None = None
    last_session: LastSessionView | None = Field(
        default=None, description="What a follow-up goes on from; null when there is nothing to go on from"
    )
    sessions: int = Field(default=0, description="Ended sessions that were taken in")
    under_14: bool = Field(
        default=False, description="They stated such an age in a talk: nothing is opened until they correct it there"
    )
    updated_at: datetime | None = None
    expire_at: datetime | None = None


class Me(Wire):
    """The caller, and what is kept of them beside their conversations."""

    user_id: str
    profile: ProfileView


class ConversationExport(Wire):
    """Everything that is stored about a conversation."""

    conversation_id: str
    exported_at: datetime
    documents: tuple[ExportedDocument, ...]


class ConsentsQuery(RetrievalQuery):
    """In which language."""

    locale: Literal["ko", "en"] = "ko"


class ConsentTextView(Wire):
    """What a person is asked to agree to, as it is to be shown."""

    id: str
    version: str
    required: bool
    title: str
    text: str


class ConsentTexts(Wire):
    """All consents, in the order in which they are asked for."""

    consents: tuple[ConsentTextView, ...]


class ConsentAnswers(Wire):
    """True gives a consent, false withdraws it; what is left out stays as it is."""

    terms: bool | None = None
    sensitive_data: bool | None = None
    overseas_transfer: bool | None = None


class ChangeConsents(Wire):
    """Gives or withdraws consents, for the caller and all their conversations."""

    consents: ConsentAnswers
    versions: ConsentVersions = ConsentVersions()


class ConsentState(Wire):
    """One consent of the caller's."""

    id: str
    version: str = Field(description="Of the text that is shown today")
    required: bool
    granted: bool
    granted_version: str | None = Field(default=None, description="Of the text that was agreed to")
    at: datetime | None = None
    withdrawn_at: datetime | None = None
    due: bool = Field(description="It is to be given, or given anew, before the next message")


class MyConsents(Wire):
    """The caller's consents as they stand."""

    consents: tuple[ConsentState, ...]
    note: str = Field(default="", description="After a withdrawal: what it means for what is stored")


class UsageToday(Wire):
    """What the caller has used up today, in the service's time; it is deleted when the day is over."""

    day: str
    messages: int
    exports: int
    cost_krw: float = Field(description="What model calls for them cost, in won")
