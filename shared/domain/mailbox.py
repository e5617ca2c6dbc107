"""The turn lease and the inbox of a conversation, in one document apart from the session.

Queueing a message here stores it (docs/decisions/0018). The rules are pure; the store writes a mailbox only if its
version is unchanged.

Known ids are in a Bloom filter: a set of fixed size with false positives but no false negatives. `BITS` bits and
`PROBES` of them for each id. With n ids in it the chance of a false positive is p = (1 - e^(-PROBES * n /
BITS))^PROBES: 6e-5 at 500 ids, 1.6e-2 at 1,000. At 500 ids the optimum is BITS / n * ln 2 = 14 probes; one fewer
costs almost nothing. B. H. Bloom, Space/Time Trade-offs in Hash Coding with Allowable Errors, CACM 13(7), 1970,
https://doi.org/10.1145/362686.362692; the formula as in A. Broder and M. Mitzenmacher, Network Applications of Bloom
Filters: A Survey, Internet Mathematics 1(4), 2004, section 2.

The bits come from SHA-512, so every process computes the same ones.
"""

import hashlib
from base64 import b64decode, b64encode
from datetime import datetime, timedelta
from typing import Annotated, TypeAlias

from pydantic import Field

from shared.domain.ids import ConversationId, MessageId
from shared.model import Model

BITS = 10_080
"""1,260 bytes: 1,680 characters of base64, without padding."""
PROBES = 13
"""Words used of the sixteen 32-bit words of a SHA-512 digest."""
WORD = 4
"""Bytes per word."""

BloomFilter: TypeAlias = Annotated[str, Field(pattern=rf"^([A-Za-z0-9+/]{{{BITS // 6}}})?$")]
"""The set as base64 text; "" is the empty set."""
LEASE_TTL = timedelta(seconds=15)
"""A lease that is not renewed for so long may be taken over by clock comparison, although that clock may be ten seconds
ahead of its holder's. A watcher of the lease takes over sooner (`TAKEOVER_SECONDS`)."""
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
        """Whether the holder may still be working."""
        return now < self.expires_at


class QueuedMessage(Model):
    """A stored, unanswered message; the user's text is nowhere else until the turn's commit.

    Attributes:
        declines: The slot that the user declines to fill.
        document_id: The document that it asks about.
    """

    message_id: MessageId
    text: str
    received_at: datetime
    declines: str | None = None
    document_id: str | None = None

    @property
    def asked(self) -> tuple[str, str | None, str | None]:
        """What makes two messages with one id the same."""
        return self.text, self.declines, self.document_id


class Mailbox(Model):
    """The unanswered messages in order, and the lease.

    Attributes:
        seen: Ids of all messages ever received; may have false positives.
        arrivals: Times of the newest messages, for the rate limit.
        waiting_since: Since when the inbox is not empty; None while it is empty or may not be answered. The sweep looks
            for it.
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
        """The message to answer next."""
        return self.inbox[0] if self.inbox else None

    def waiting(self, message_id: MessageId) -> QueuedMessage | None:
        return next((message for message in self.inbox if message.message_id == message_id), None)

    def certainly_new(self, message_id: MessageId) -> bool:
        """Whether no message of this id was received; False is uncertain."""
        return not perhaps_in(self.seen, message_id)

    def free(self, now: datetime) -> bool:
        """Whether the lease can be claimed."""
        return self.lease is None or not self.lease.live(now)


def receive(box: Mailbox, message: QueuedMessage, expire_at: datetime) -> Mailbox:
    """Append a message to the inbox."""
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
    """Claim the lease for the head of the inbox; the lease must be free and the inbox not empty."""
    head = box.inbox[0]
    token = box.last_token + 1
    lease = Lease(owner=owner, token=token, message_id=head.message_id, expires_at=now + LEASE_TTL)
    return box.model_copy(update={"lease": lease, "last_token": token})


def renew(box: Mailbox, token: int, now: datetime) -> Mailbox | None:
    """Extend the lease; None if it was lost."""
    if box.lease is None or box.lease.token != token:
        return None
    return box.model_copy(update={"lease": box.lease.model_copy(update={"expires_at": now + LEASE_TTL})})


def settle(box: Mailbox, token: int) -> Mailbox | None:
    """Remove the answered message and free the lease; None if it was lost."""
    if box.lease is None or box.lease.token != token:
        return None
    done = box.lease.message_id
    left = tuple(message for message in box.inbox if message.message_id != done)
    return box.model_copy(update={"lease": None, "inbox": left, "waiting_since": box.waiting_since if left else None})


def abandon(box: Mailbox, token: int) -> Mailbox | None:
    """Free the lease and leave the message queued for the next attempt; None if the lease was lost."""
    if box.lease is None or box.lease.token != token:
        return None
    return box.model_copy(update={"lease": None})


def revoke(box: Mailbox) -> Mailbox:
    """Revoke the lease and any claim in progress; messages stay queued, but the sweep ignores them."""
    return box.model_copy(update={"lease": None, "last_token": box.last_token + 1, "waiting_since": None})


def reopen(box: Mailbox, now: datetime) -> Mailbox:
    """Make queued messages due again from now on; the same object if nothing changes."""
    if not box.inbox or box.waiting_since is not None:
        return box
    return box.model_copy(update={"waiting_since": now})


def with_id(seen: BloomFilter, identifier: str) -> BloomFilter:
    """Return the set with an id added."""
    bits = bytearray(b64decode(seen) or BITS // 8)
    for place in _places(identifier):
        bits[place // 8] |= 1 << place % 8
    return b64encode(bits).decode()


def perhaps_in(seen: BloomFilter, identifier: str) -> bool:
    """Tell whether an id may be in the set; False is certain."""
    bits = b64decode(seen)
    return bool(bits) and all(bits[place // 8] >> place % 8 & 1 for place in _places(identifier))


def _places(identifier: str) -> list[int]:
    digest = hashlib.sha512(identifier.encode(errors="surrogatepass")).digest()
    return [int.from_bytes(digest[at : at + WORD]) % BITS for at in range(0, PROBES * WORD, WORD)]
