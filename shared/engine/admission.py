"""Admits messages: checks the limits and stores the message before any model is asked."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic

from shared.domain.consents import Terms, lacking
from shared.domain.conversation import RETENTION, ConversationState, S
from shared.domain.errors import (
    BudgetSpent,
    ConsentRequired,
    MessageIdConflict,
    NotFound,
    Refused,
    SessionEnded,
    TooManyRequests,
)
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.mailbox import Mailbox, QueuedMessage, arrivals_within, claim, receive
from shared.domain.turn import TurnRecord, digest_of
from shared.engine.capacity import Capacity
from shared.engine.retry import ARRIVALS, retry_conflicts
from shared.engine.user_usage import DANGER_FACTOR, UserUsage
from shared.model import Model
from shared.ports.clock import Clock
from shared.ports.conversation_documents import Snapshot, VersionedMailbox
from shared.ports.conversation_store import ConversationStore
from shared.safety.screening import ScreenedMessage


class Limits(Model):
    """Limits of one conversation.

    Attributes:
        waiting: Messages that may wait for an answer.
        per_minute: Messages in a minute.
        llm_calls: Model calls of the turns over the conversation's life.
    """

    waiting: int = 5
    per_minute: int = 30
    llm_calls: int = 3000

    @property
    def pressing(self) -> "Limits":
        """The limits that hold when the user is in danger."""
        return Limits(
            waiting=self.waiting * DANGER_FACTOR,
            per_minute=self.per_minute * DANGER_FACTOR,
            llm_calls=self.llm_calls * DANGER_FACTOR,
        )


@dataclass(frozen=True)
class Incoming:
    """A message as received.

    Attributes:
        screened: The text with its safety findings; None for a message that is retried.
        declines: The slot that the user declines to fill.
        document_id: The document that the message asks about.
        on_state: Called with the conversation as read at admission, before any refusal.
    """

    user_id: UserId
    conversation_id: ConversationId
    message_id: MessageId
    text: str
    screened: ScreenedMessage | None = None
    declines: str | None = None
    document_id: str | None = None
    on_state: Callable[[ConversationState], None] | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[UserId, ConversationId, MessageId]:
        return self.user_id, self.conversation_id, self.message_id

    @property
    def pressing(self) -> bool:
        """Whether the crisis protocol answers the message."""
        return self.screened is not None and self.screened.pressing

    def pressing_in(self, state: ConversationState) -> bool:
        """Whether a full instance must accept it: an answer within a danger conversation may hold no danger word."""
        return self.pressing or state.in_danger

    @property
    def digest(self) -> str:
        """SHA-256 of what is sent."""
        return digest_of(self.text, self.declines, self.document_id)


@dataclass(frozen=True)
class Admitted(Generic[S]):
    """A stored message.

    Attributes:
        answered: Its turn, if it was answered before; else the message waits.
        claimed: The snapshot, if the lease was claimed in the same write.
    """

    answered: TurnRecord | None = None
    claimed: Snapshot[S] | None = None


class Admission(Generic[S]):
    """Stores each message once and claims the turn lease in the same write if it is free."""

    def __init__(
        self,
        store: ConversationStore[S],
        clock: Clock,
        limits: Limits,
        owner: str,
        terms: Terms | None = None,
        *,
        capacity: Capacity | None = None,
        usage: UserUsage | None = None,
    ) -> None:
        """Wire the dependencies.

        Args:
            store: Stores messages.
            clock: Dates messages.
            limits: Limits of one conversation.
            owner: This instance's name in leases.
            terms: Required consents by name.
            capacity: Limits concurrent turns of this instance.
            usage: Daily limits and usage of users.
        """
        self.capacity = capacity or Capacity()
        self._store = store
        self._clock = clock
        self._limits = limits
        self._owner = owner
        self._terms: Terms = terms or {}
        self._usage = usage or UserUsage(clock)

    async def admit(self, message: Incoming) -> Admitted[S]:
        """Store a message unless it is stored already.

        Raises:
            NotFound: The conversation does not exist or belongs to another user.
            MessageIdConflict: The id was used with another text.
            SessionEnded, ConsentRequired, TooManyRequests, DailyLimitReached, BudgetSpent, Overloaded: Refused; nothing
                was stored.
            ShuttingDown: This instance stops; nothing was stored and the client should retry.
        """

        async def attempt() -> Admitted[S]:
            snapshot = await self.snapshot_for(message)
            known = await self._known(message, snapshot.mailbox.box)
            if known is None:
                refusal = self._refusal(message, snapshot.session.state, snapshot.mailbox.box)
                if refusal is not None:
                    raise refusal
            elif known.answered is not None:
                return known
            pressing = message.pressing_in(snapshot.session.state)
            self.capacity.take(message.key, message.user_id, stored=known is not None, pressing=pressing)
            if known is not None:
                return known
            with self._usage.taking(message.user_id):
                return await self._store_new(message, snapshot)

        return await retry_conflicts(ARRIVALS, attempt, "the mailbox")

    async def snapshot_for(self, message: Incoming) -> Snapshot[S]:
        """Load the conversation of a message and pass its state to `on_state`.

        Raises:
            NotFound: See `owned`.
        """
        snapshot = await owned(self._store, message.conversation_id, message.user_id)
        if message.on_state is not None:
            message.on_state(snapshot.session.state)
        return snapshot

    def without_consent(self, state: ConversationState) -> ConsentRequired | None:
        """Return the refusal if a current consent is missing, else None."""
        missing = lacking(state.consents, self._terms)
        return ConsentRequired(missing, self._terms) if missing else None

    async def _known(self, message: Incoming, box: Mailbox) -> Admitted[S] | None:
        """Find an earlier copy of a message.

        A new message costs no read, except for false positives of the Bloom filter.
        """
        waiting = box.waiting(message.message_id)
        if waiting is not None:
            if waiting.asked != (message.text, message.declines, message.document_id):
                raise MessageIdConflict(message.message_id)
            return Admitted()
        if box.certainly_new(message.message_id):
            return None
        answered = await self._store.turn(message.conversation_id, message.message_id)
        return None if answered is None else Admitted(answered=same_text(answered, message))

    async def _store_new(self, message: Incoming, snapshot: Snapshot[S]) -> Admitted[S]:
        """Queue a new message. Of two concurrent copies with one id, one write wins."""
        now = self._clock.now()
        before = snapshot.mailbox.box
        waiting = QueuedMessage(
            message_id=message.message_id,
            text=message.text,
            received_at=now,
            declines=message.declines,
            document_id=message.document_id,
        )
        box = receive(before, waiting, now + RETENTION)
        at_once = before.free(now) and not before.inbox
        if at_once:
            box = claim(box, self._owner, now)
        mailbox = await self._store.save_mailbox(VersionedMailbox(box=box, version=snapshot.mailbox.version))
        return Admitted(claimed=Snapshot(session=snapshot.session, mailbox=mailbox) if at_once else None)

    def _refusal(self, message: Incoming, state: ConversationState, box: Mailbox) -> Refused | None:
        pressing = message.pressing
        limits = self._limits.pressing if message.pressing_in(state) else self._limits
        if state.ended:
            return SessionEnded("the conversation is over")
        if (refusal := self.without_consent(state)) is not None:
            return refusal
        if len(box.inbox) >= limits.waiting:
            return TooManyRequests(retry_after=5, what="waiting messages")
        if arrivals_within(box, self._clock.now()) >= limits.per_minute:
            return TooManyRequests(retry_after=60, what="messages")
        if not pressing and state.budget.llm_calls >= limits.llm_calls:
            return BudgetSpent("the conversation's model budget is spent")
        return self._usage.refusal(message.user_id, pressing=pressing, in_danger=state.in_danger)


async def owned(store: ConversationStore[S], conversation_id: ConversationId, user_id: UserId) -> Snapshot[S]:
    """Load a conversation of this user.

    Raises:
        NotFound: It does not exist or belongs to another user.
    """
    snapshot = await store.load(conversation_id)
    if snapshot is None or snapshot.session.state.user_id != user_id:
        raise NotFound("conversation")
    return snapshot


def same_text(answered: TurnRecord, message: Incoming) -> TurnRecord:
    """Return the turn that answered a message, if both have the same text.

    Raises:
        MessageIdConflict: The texts differ.
    """
    if answered.text_digest != message.digest:
        raise MessageIdConflict(message.message_id)
    return answered
