"""What every service's conversation holds, whatever it is about."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from pydantic import ConfigDict, Field

from shared.domain.claims import Claim
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.locale import Locale, Register
from shared.model import Model

RECENT_MESSAGES = 16
"""Messages kept in the session for prompts: eight turns."""
MOST_RECENT_MESSAGES = 60
"""Messages kept where no summary holds the older ones, because no model could be reached: thirty turns, as many as one
summary takes in. They all stay in the history, and the next summary reads them there."""
RETENTION = timedelta(days=365)
"""How long a conversation is kept after its user spoke last; Firestore's TTL deletes it then."""


class Role(StrEnum):
    """Who spoke."""

    USER = "user"
    COUNSELOR = "counselor"


class Message(Model):
    """One message of the history.

    Attributes:
        seq: The turn it belongs to; 0 is the greeting.
        message_id: The client's id of the user's message; the reply bears the same.
    """

    seq: int = Field(ge=0)
    role: Role
    text: str
    created_at: datetime
    message_id: MessageId | None = None


class Consent(Model):
    """One consent, with what was agreed to and when.

    Attributes:
        version: Of the text that was shown.
        stated: The client named the version that it showed; otherwise it is the text of that day, and no more is known.
        withdrawn_at: When it was taken back; it is not `granted` then.
    """

    granted: bool
    version: str
    at: datetime
    stated: bool = True
    withdrawn_at: datetime | None = None


class Budget(Model):
    """What a conversation has used up of its model budget; cost in Korean won.

    Attributes:
        llm_calls: Of its turns: these alone are limited.
        background_calls: Of its jobs, which fail and are tried again without its person's doing.
    """

    llm_calls: int = 0
    background_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost_krw: float = 0

    def plus(self, spent: "Budget") -> "Budget":
        """Return the sum."""
        return Budget(
            llm_calls=self.llm_calls + spent.llm_calls,
            background_calls=self.background_calls + spent.background_calls,
            prompt_tokens=self.prompt_tokens + spent.prompt_tokens,
            output_tokens=self.output_tokens + spent.output_tokens,
            cost_krw=round(self.cost_krw + spent.cost_krw, 4),
        )

    @property
    def calls(self) -> int:
        """All model calls."""
        return self.llm_calls + self.background_calls

    @property
    def in_background(self) -> "Budget":
        """The same, spent by a job."""
        return self.model_copy(update={"llm_calls": 0, "background_calls": self.calls})


class ConversationState(Model):
    """The part of a session that the engine itself works on; services extend it.

    Attributes:
        seq: The newest committed turn.
        message_count: Messages of the user.
        state_version: Grows with every write; background results name the one they were found at.
        flow: The service that holds the conversation.
        mid_flow: The flow is in the middle of something: intent is not asked.
        recent: The newest messages, oldest first.
        summary_text: What happened before `recent`.
        due_since: From when on background work that is due counts as lost; the sweep looks for it.
        swept: How often the sweep has queued what is due; each time it waits longer before the next.
        claims: Which deliveries of background work are under way, by work.
        poisoned: How often the model's answers were of no use since the work was last done, by work.
    """

    conversation_id: ConversationId
    user_id: UserId
    locale: Locale = Locale.KO
    register_: Register = Field(default=Register.FORMAL, alias="register")
    consents: Mapping[str, Consent]
    age_band: str
    flow: str
    mid_flow: bool = True
    created_at: datetime
    updated_at: datetime
    expire_at: datetime
    seq: int = Field(default=0, ge=0)
    message_count: int = Field(default=0, ge=0)
    state_version: int = Field(default=0, ge=0)
    summary_text: str = ""
    recent: tuple[Message, ...] = ()
    budget: Budget = Budget()
    due_since: datetime | None = None
    swept: int = Field(default=0, ge=0)
    claims: Mapping[str, Claim] = Field(default_factory=dict)
    poisoned: Mapping[str, int] = Field(default_factory=dict)

    model_config = ConfigDict(populate_by_name=True)

    @property
    def ended(self) -> bool:
        """Whether the conversation takes no more messages."""
        return False

    @property
    def in_danger(self) -> bool:
        """Whether the talk is about a danger, told of or asked about last. Limits are wider then."""
        return False

    @property
    def unsummarized(self) -> int:
        """How many of the user's messages, the newest, no summary holds."""
        return 0

    @property
    def keeps_words(self) -> bool:
        """Whether what the user writes is kept once it is answered."""
        return True


S = TypeVar("S", bound=ConversationState)


def remember(state: S, *messages: Message) -> S:
    """Add messages to the window, the oldest leaving it, and count the user's: retention counts from their newest.

    What no summary holds yet stays in the window, within its bound.
    Messages that are kept no longer leave the window too, however short it is.
    """
    newest = max(message.created_at for message in messages)
    spoken = [message.created_at for message in messages if message.role is Role.USER]
    unsummarized = 2 * (state.unsummarized + len(spoken))
    window = (*state.recent, *messages)[-min(MOST_RECENT_MESSAGES, max(RECENT_MESSAGES, unsummarized)) :]
    recent = tuple(message for message in window if message.created_at > newest - RETENTION)
    return state.model_copy(
        update={
            "recent": recent,
            "message_count": state.message_count + len(spoken),
            "seq": max(state.seq, *(message.seq for message in messages)),
            "expire_at": max((state.expire_at, *(at + RETENTION for at in spoken))),
        }
    )


def touch(state: S, now: datetime) -> S:
    """Mark a write: new version, new time. It moves no expiry: what staff or jobs do keeps nothing for longer."""
    return state.model_copy(update={"state_version": state.state_version + 1, "updated_at": now})
