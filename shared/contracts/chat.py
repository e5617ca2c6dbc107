"""The chat API: request and response bodies."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue

from shared.contracts.booking import BookingCard
from shared.contracts.wire import Wire
from shared.domain.turn import TurnResult

MAX_TEXT = 4000
DOCUMENT_ID = r"^[A-Za-z0-9_-]{1,64}$"
VISIBLE = (
    r"[^\u0000-\u0020\u007f-\u00a0\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160"
    r"\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff"
    r"\uffa0\ufff9-\ufffb]"
)
"""Pattern of a visible character for the API description. It excludes what `shared.web.text`, which decides, counts as
blank on the basic plane."""


def whole(value: object) -> object:
    """Return 1 for 1.0, and any other value as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


OneToFive = Annotated[int, Field(ge=1, le=5), BeforeValidator(whole)]
"""An integer that may be written as 1.0, as in JSON Schema. The bounds come first: behind the validator, pydantic would
not describe them."""


class Consents(Wire):
    """The three consents, each asked for separately. Absent means not given."""

    terms: bool = False
    sensitive_data: bool = False
    overseas_transfer: bool = False


class ConsentVersions(Wire):
    """Versions of the texts that were shown, as `GET /api/consents` gave them.

    One that is left out at an opening is kept as not stated; to give consents by themselves all must be named.
    """

    terms: str | None = None
    sensitive_data: str | None = None
    overseas_transfer: str | None = None


ServiceName = Literal["counseling", "agreement", "booking"]


class CreateConversation(Wire):
    """Opens a conversation."""

    service: ServiceName = Field(
        default="counseling",
        description="The service that answers first; in every conversation the others answer when their words come up",
    )

    locale: Literal["ko", "en"] = "ko"
    register_: Literal["존댓말", "반말"] = Field(default="존댓말", alias="register")
    session_type: Literal["first_session", "follow_up", "closing"] = "first_session"
    persona: str | None = Field(default=None, pattern=r"^Type_[A-P]$", description="One of the 16 types")
    counseling_level: OneToFive | None = Field(
        default=None,
        description="How deep Part 2 goes: 1 rapport and naming the problem, 5 solving and maintaining. Left out, the "
        "level that staff set for the user counts (custom claim `counseling_level`); else a follow-up starts at the "
        "level that the last closing suggested, and a first session's is derived from Part 1",
    )
    document_id: str | None = Field(
        default=None,
        pattern=DOCUMENT_ID,
        description="The document that questions are about: the caller's own (`GET /api/documents`); left out, the "
        "counselling agreement of the service",
    )
    age_band: Literal["under_14", "14_18", "adult"]
    consents: Consents = Consents()
    versions: ConsentVersions = ConsentVersions()


class TaskView(Wire):
    """The current task."""

    id: str
    title: str


class WrapUpView(Wire):
    """A proposal to close that waits for the user's answer."""

    stage: Literal["suggested", "proposed", "agreed", "declined"]
    aim: Literal["wrap_up", "end"]


class ResourceView(Wire):
    """A line of help."""

    name: str
    number: str
    hours: str = ""


class RiskView(Wire):
    """Safety routing; `resources` are to be shown when there are any."""

    level: Literal["none", "concern", "crisis", "imminent"]
    resources: tuple[ResourceView, ...] = ()


class AskView(Wire):
    """What the newest reply asks the user for; it can be declined (`ChatRequest.declines`)."""

    slot: str
    label: str


MeasureName = Literal["phq9", "gad7"]
MomentName = Literal["start", "end"]


class MeasuresOffered(Wire):
    """Self-report measures that may be offered now; answering is the user's choice."""

    moment: MomentName
    left: tuple[MeasureName, ...] = Field(description="Those without an answer at this moment, in order")
    until: datetime | None = Field(default=None, description="Not offered after this time; null without a bound")


class StateSnapshot(Wire):
    """The client's view of a session after a turn."""

    status: Literal["active", "wrapping_up", "completed"]
    part: Literal[1, 2, 3]
    task: TaskView | None
    module: str
    progress: float = Field(ge=0, le=1)
    plan_status: Literal["none", "planning", "ready"]
    wrap_up: WrapUpView | None
    risk: RiskView
    asks: AskView | None = None
    may_skip: bool = Field(
        default=False, description="The newest reply asks something that the user may skip; a client can offer a button"
    )
    measures: MeasuresOffered | None = None
    service: ServiceName = Field(default="counseling", description="The service that gave the newest reply")
    document_id: str = Field(default="service", description="The document that questions on an agreement are about")
    booking: BookingCard | None = Field(default=None, description="The booking that waits for the user's words")


class Greeting(Wire):
    """The first words; they say that it is an AI."""

    text: str


class ConversationCreated(Wire):
    """The new conversation."""

    conversation_id: str
    greeting: Greeting
    state_snapshot: StateSnapshot


class ChatRequest(Wire):
    """One message of the user.

    `message_id` is made by the client; the same id gets the same reply, however often it is sent.
    """

    message_id: str = Field(
        pattern=r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
        description="UUID; in upper or lower case it is the same message, and answers bear it in lower case",
    )
    text: str = Field(
        description=f"1 to {MAX_TEXT} characters, one of them visible",
        json_schema_extra={"minLength": 1, "maxLength": MAX_TEXT, "pattern": VISIBLE},
    )
    declines: str | None = Field(
        default=None,
        pattern=r"^[a-z][a-z0-9_]{0,39}$",
        description="The slot that the user declines to fill: `state_snapshot.asks.slot`; it is not asked for again",
    )
    document_id: str | None = Field(
        default=None,
        pattern=DOCUMENT_ID,
        description="The document that this message asks about: the caller's own, or `service`; it is not opened",
    )


class HookView(Wire):
    """Something that happened in the turn."""

    type: str
    data: dict[str, JsonValue] = Field(default_factory=dict)


class ChatReply(Wire):
    """The turn's result; identical for every copy of the message."""

    message_id: str
    seq: int
    reply: str
    state_snapshot: StateSnapshot
    hooks: tuple[HookView, ...] = ()
    flags: tuple[str, ...] = ()


class MessageView(Wire):
    """One message of the history."""

    seq: int
    role: Literal["user", "counselor"]
    text: str
    created_at: datetime
    message_id: str | None = None


class MessagePage(Wire):
    """History in order; `next` goes into `after` for the next page."""

    messages: tuple[MessageView, ...]
    next: int | None = None


class ClosingView(Wire):
    """What an ended session leaves its user: a summary, their goals in their words, and what could come next."""

    summary: str
    goals: tuple[str, ...]
    next_session: str
    made_by_rule: bool = Field(description="No model could sum it up: it is what the user gave, put together by code")
    to_follow: bool = Field(default=False, description="It stands in for one that is still being made")


class ConversationView(Wire):
    """A conversation as its owner sees it."""

    conversation_id: str
    title: str = Field(
        description="From the closing's summary; empty before it, without one and after a danger: show the date then"
    )
    status: Literal["active", "wrapping_up", "completed"]
    part: Literal[1, 2, 3]
    progress: float
    last_message: str
    created_at: datetime
    updated_at: datetime
    state_snapshot: StateSnapshot
    closing: ClosingView | None = Field(
        default=None, description="Comes some seconds after the end; null until then, and if nothing was said"
    )


class ConversationPage(Wire):
    """Own conversations, the newest first; `next` goes into `before` for the next page."""

    conversations: tuple[ConversationView, ...]
    next: datetime | None = None


class Ended(Wire):
    """The conversation after its user ended it."""

    message: str
    state_snapshot: StateSnapshot


class Health(Wire):
    """Liveness, and whether the language model answers.

    Attributes:
        model: `degraded`: something is refused and other models answer; `unreachable`: nothing answers.
        model_reason: What is wrong, in codes, or what to set; null when all is well.
    """

    status: Literal["ok"] = "ok"
    version: str
    model: Literal["ok", "degraded", "unreachable"]
    model_reason: str | None


def reply_of(result: TurnResult) -> ChatReply:
    """Convert a turn's result to the client's reply."""
    return ChatReply.model_validate(result.model_dump(mode="json"))
