"""Keeps finished turns that the store did not accept, so that the retry commits them without asking a model."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic

from shared.domain.conversation import S
from shared.domain.ids import ConversationId
from shared.domain.mailbox import Lease
from shared.engine.flow import Manifest, Outcome, Turn
from shared.ports.clock import Clock
from shared.ports.conversation_documents import Snapshot

KEPT_SECONDS = 300.0
"""How long a turn is kept for the client's retry, seconds; the user's text stays in memory no longer."""
KEPT_TURNS = 100
"""Turns kept per instance, some kilobytes each; the oldest is dropped."""


@dataclass(frozen=True)
class UnwrittenTurn(Generic[S]):
    """A finished turn that is not committed.

    Attributes:
        token: Token of its lease, which the store may not have freed either.
        until: When it is dropped, on the stopwatch.
    """

    turn: Turn[S]
    manifest: Manifest[S]
    outcome: Outcome[S]
    token: int
    until: float


class UnwrittenTurns(Generic[S]):
    """The uncommitted turns of this instance, one per conversation: its next turn is of the same message."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[ConversationId, UnwrittenTurn[S]] = OrderedDict()

    def keep(self, turn: Turn[S], manifest: Manifest[S], outcome: Outcome[S], claimed: Snapshot[S]) -> None:
        lease, conversation_id = claimed.mailbox.box.lease, turn.state.conversation_id
        self._kept.pop(conversation_id, None)
        self._kept[conversation_id] = UnwrittenTurn(
            turn=turn,
            manifest=manifest,
            outcome=outcome,
            token=lease.token if lease else 0,
            until=self._clock.monotonic() + KEPT_SECONDS,
        )
        if len(self._kept) > KEPT_TURNS:
            self._kept.popitem(last=False)
        asyncio.get_running_loop().call_later(KEPT_SECONDS, self._drop_old)

    def take(self, turn: Turn[S]) -> UnwrittenTurn[S] | None:
        """Return the kept turn if it is the same one, and drop the conversation's kept turn.

        Background work may have written the session in between: the commit applies a turn's events to the newest state.
        If another turn was committed or a consent changed, the kept turn is not returned.
        """
        self._drop_old()
        kept = self._kept.pop(turn.state.conversation_id, None)
        return kept if kept is not None and _identity(kept.turn) == _identity(turn) else None

    def forget(self, conversation_id: ConversationId) -> None:
        """Drop the kept turn of a conversation."""
        self._kept.pop(conversation_id, None)

    def kept_under(self, conversation_id: ConversationId, lease: Lease) -> bool:
        """Whether a lease belongs to a kept turn, which has ended."""
        kept = self._kept.get(conversation_id)
        return kept is not None and kept.token == lease.token

    def _drop_old(self) -> None:
        now = self._clock.monotonic()
        for conversation_id in [one for one, kept in self._kept.items() if kept.until <= now]:
            del self._kept[conversation_id]


def _identity(turn: Turn[S]) -> tuple[object, ...]:
    """Return the values that two runs of one turn share."""
    return turn.seq, turn.message_id, turn.text, turn.declines, turn.document_id, turn.state.consents
