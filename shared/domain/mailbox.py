"""The turn lease and the messages that wait for it: one document a conversation, apart from the session.

A message is stored by being queued here (docs/decisions/0018). Pure rules; the store writes a mailbox only over the
version it was read at, so each rule here runs on the truth.
"""

from datetime import datetime, timedelta

from pydantic import Field

from shared.domain.bloom_filter import BloomFilter, perhaps_in, with_id
from shared.domain.ids import ConversationId, MessageId
from shared.model import Model

LEASE_TTL = timedelta(seconds=15)
"""A lease that is not renewed for this long may be taken over by who compares it with their own clock, which may be ten
seconds ahead of its holder's; who waits and watches it need not wait so long (`SILENT_SECONDS`)."""
RATE_WINDOW = timedelta(minutes=1)


class Lease(Model):
    """The right to run the conversation's turn.

    Attributes:
        token: Fencing token: grows with every claim; a commit with an older one is refused.
    """

    owner: str
    token: int
    message_id: MessageId
    expires_at: datetime

    def live(self, now: datetime) -> bool:
        """Whether the holder may still be at work."""
        return now < self.expires_at


class QueuedMessage(Model):
    """A message that is stored and not yet answered: the user's words are nowhere else until its turn's commit.

    Attributes:
        declines: What the client said that its user does not want to tell, beside the text.
    """

    message_id: MessageId
    text: str
    received_at: datetime
    declines: str | None = None


class Mailbox(Model):
    """Messages that were stored and not yet answered, in order, and who is answering.

    Attributes:
        seen: The ids of all messages that ever came; it may take a few others for one of them.
        arrivals: When the newest messages came, for the rate limit.
        waiting_since: When the inbox was last empty no more; None while it is empty, or may not be answered. The sweep
            looks for it.
    """

    conversation_id: ConversationId
    expire_at: datetime
    inbox: tuple[QueuedMessage, ...] = ()
    seen: BloomFilter = ""
    lease: Lease | None = None
    last_token: int = Field(default=0, ge=0)
    arrivals: tuple[datetime, ...] = ()
    waiting_since: datetime | None = None

    def head(self) -> QueuedMessage | None:
        """The message that is to be answered next."""
        return self.inbox[0] if self.inbox else None

    def waiting(self, message_id: MessageId) -> QueuedMessage | None:
        """The message of an id, if it waits."""
        return next((message for message in self.inbox if message.message_id == message_id), None)

    def certainly_new(self, message_id: MessageId) -> bool:
        """Whether no message of this id ever came; False says nothing."""
        return not perhaps_in(self.seen, message_id)

    def free(self, now: datetime) -> bool:
        """Whether the lease can be claimed."""
        return self.lease is None or not self.lease.live(now)


def receive(box: Mailbox, message: QueuedMessage, expire_at: datetime) -> Mailbox:
    """Queue a message behind those that wait."""
    now = message.received_at
    recent = tuple(at for at in box.arrivals if now - at < RATE_WINDOW)
    return box.model_copy(
        update={
            "inbox": (*box.inbox, message),
            "seen": with_id(box.seen, message.message_id),
            "arrivals": (*recent, now),
            "expire_at": expire_at,
            "waiting_since": box.waiting_since or now,
        }
    )


def arrivals_within(box: Mailbox, now: datetime) -> int:
    """Count the messages of the last minute."""
    return sum(now - at < RATE_WINDOW for at in box.arrivals)


def claim(box: Mailbox, owner: str, now: datetime) -> Mailbox:
    """Take the lease for the head of the inbox; the caller has checked that it is free and not empty."""
    head = box.inbox[0]
    token = box.last_token + 1
    lease = Lease(owner=owner, token=token, message_id=head.message_id, expires_at=now + LEASE_TTL)
    return box.model_copy(update={"lease": lease, "last_token": token})


def renew(box: Mailbox, token: int, now: datetime) -> Mailbox | None:
    """Extend the lease; None when it is another's by now."""
    if box.lease is None or box.lease.token != token:
        return None
    return box.model_copy(update={"lease": box.lease.model_copy(update={"expires_at": now + LEASE_TTL})})


def settle(box: Mailbox, token: int) -> Mailbox | None:
    """Take the answered message out and free the lease; None when the lease is another's by now."""
    if box.lease is None or box.lease.token != token:
        return None
    done = box.lease.message_id
    left = tuple(message for message in box.inbox if message.message_id != done)
    return box.model_copy(update={"lease": None, "inbox": left, "waiting_since": box.waiting_since if left else None})


def abandon(box: Mailbox, token: int) -> Mailbox | None:
    """Free the lease and leave the message queued, for the next attempt; None when it is another's by now."""
    if box.lease is None or box.lease.token != token:
        return None
    return box.model_copy(update={"lease": None})


def revoke(box: Mailbox) -> Mailbox:
    """Take the lease from whoever holds it, or is about to claim it; what waits stays queued, but is due to nobody."""
    return box.model_copy(update={"lease": None, "last_token": box.last_token + 1, "waiting_since": None})


def reopen(box: Mailbox, now: datetime) -> Mailbox:
    """Let what stayed queued be in wait again, from now on; the same object when nothing did, or it is already."""
    if not box.inbox or box.waiting_since is not None:
        return box
    return box.model_copy(update={"waiting_since": now})
