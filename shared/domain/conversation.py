"""The state that conversations of every service share."""

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
"""Messages kept if no model could summarise the older ones: thirty turns, as many as one summary covers. All messages
stay in the history, from which the next summary reads them."""
RETENTION = timedelta(days=365)
"""How long a conversation is kept after its user's last message; then Firestore's TTL deletes it."""


class Role(StrEnum):
    """Who spoke."""

    USER = "user"
    COUNSELOR = "counselor"


class Message(Model):
    """One message of the history.

    Attributes:
        seq: The turn's number; 0 is the greeting.
        message_id: The client's id of the user's message; the reply has the same.
        fixed: The parts of a reply that code worded, verbatim and in order.
    """

    seq: int = Field(ge=0)
    role: Role
    text: str
    created_at: datetime
    message_id: MessageId | None = None
    fixed: tuple[str, ...] = ()

    @property
    def pieces(self) -> tuple["Message", ...]:
        """The message in pieces that are either fixed (`fixed` is then the whole piece) or of its speaker's own words.

        A part that does not stand in the text counts for nothing, so that the words around it stay the speaker's.
        """
        if not self.fixed:
            return (self,)
        left, pieces = self.text, list[Message]()
        for part in reversed(self.fixed):
            # Code's question comes last: the same words may stand in the model's text before it.
            before, found, after = left.rpartition(part) if part.strip() else ("", "", "")
            if found:
                pieces += (self._piece(after), self._piece(part, fixed=True))
                left = before
        return tuple(piece for piece in reversed((*pieces, self._piece(left))) if piece.text)

    @property
    def own_words(self) -> str:
        """The text without its fixed parts; empty if code worded all of it."""
        return "\n".join(piece.text for piece in self.pieces if not piece.fixed)

    def _piece(self, text: str, *, fixed: bool = False) -> "Message":
        return self.model_copy(update={"text": text.strip(), "fixed": (text.strip(),) if fixed else ()})


class Consent(Model):
    """A consent, or its withdrawal.

    Attributes:
        version: Version of the text that was shown.
        stated: The client named the version; else the current version is assumed.
        withdrawn_at: Time of the withdrawal; `granted` is then False.
    """

    granted: bool
    version: str
    at: datetime
    stated: bool = True
    withdrawn_at: datetime | None = None


class Budget(Model):
    """Model usage of a conversation; cost in Korean won.

    Attributes:
        llm_calls: Calls of its turns; only these are limited.
        background_calls: Calls of its jobs, which may be retried without any action of the user.
    """

    llm_calls: int = 0
    background_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost_krw: float = 0

    def plus(self, spent: "Budget") -> "Budget":
        return Budget(
            llm_calls=self.llm_calls + spent.llm_calls,
            background_calls=self.background_calls + spent.background_calls,
            prompt_tokens=self.prompt_tokens + spent.prompt_tokens,
            output_tokens=self.output_tokens + spent.output_tokens,
            cost_krw=round(self.cost_krw + spent.cost_krw, 4),
        )

    @property
    def calls(self) -> int:
        return self.llm_calls + self.background_calls

    @property
    def in_background(self) -> "Budget":
        """The same usage, counted as a job's."""
        return self.model_copy(update={"llm_calls": 0, "background_calls": self.calls})


class ConversationState(Model):
    """The part of a session that the engine uses; services extend it.

    Attributes:
        seq: The newest committed turn.
        message_count: Messages of the user.
        state_version: Increased by every write.
        flow: Name of the flow in which the conversation was opened.
        answered_by: Name of the flow that gave the newest reply; "" before the first one.
        recent: The newest messages, oldest first.
        summary_text: Summary of the messages before `recent`.
        due_since: Since when due background work waits; the sweep looks for it.
        swept: How often the sweep enqueued the due work; the pauses grow with it.
        claims: Running deliveries of background work, by work.
        poisoned: Jobs with useless answers since the work was last done, by work.
    """

    conversation_id: ConversationId
    user_id: UserId
    locale: Locale = Locale.KO
    register_: Register = Field(default=Register.FORMAL, alias="register")
    consents: Mapping[str, Consent]
    age_band: str
    flow: str
    answered_by: str = ""
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
        """Whether the conversation accepts no more messages."""
        return False

    @property
    def in_danger(self) -> bool:
        """Whether the conversation is about a danger or the last reply asked about one. Limits are wider then."""
        return False

    @property
    def unsummarized(self) -> int:
        """How many of the user's newest messages are not in the summary."""
        return 0

    @property
    def keeps_words(self) -> bool:
        """Whether the user's messages are stored after they are answered."""
        return True


S = TypeVar("S", bound=ConversationState)


def remember(state: S, *messages: Message) -> S:
    """Add messages to the window and count the user's; retention starts at the user's newest message.

    Messages that are not summarised stay in the window, up to its bound; messages past their retention leave it.
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
    """Mark a write with a new version and time. The expiry does not move, so staff and jobs never prolong retention."""
    return state.model_copy(update={"state_version": state.state_version + 1, "updated_at": now})
