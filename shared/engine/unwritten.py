"""Finished turns that the store did not take: kept for the retry, which then commits and asks no model again."""

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
"""How long a client may take for its retry; what a person said stays no longer in memory than that."""
KEPT_TURNS = 100
"""Of one instance; the oldest gives way. Some kilobytes each."""


@dataclass(frozen=True)
class UnwrittenTurn(Generic[S]):
    """One turn that is finished but for its commit.

    Attributes:
        token: Of its lease, which the store may not have freed either.
        until: On the clock's stopwatch.
    """

    turn: Turn[S]
    manifest: Manifest[S]
    outcome: Outcome[S]
    token: int
    until: float


class UnwrittenTurns(Generic[S]):
    """Those of this instance, one a conversation: its next turn can only be of the same message."""

    def __init__(self, clock: Clock) -> None:
        """Keep nothing yet."""
        self._clock = clock
        self._kept: OrderedDict[ConversationId, UnwrittenTurn[S]] = OrderedDict()

    def keep(self, turn: Turn[S], manifest: Manifest[S], outcome: Outcome[S], claimed: Snapshot[S]) -> None:
        """Keep a turn that is finished."""
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
        """Return the kept turn if it is the same one, and remove what was kept of its conversation.

        Background work may have written the session since: the commit applies a turn's events to the newest state. If
        another turn was committed, or a consent changed, the reply is not used.
        """
        self._drop_old()
        kept = self._kept.pop(turn.state.conversation_id, None)
        return kept if kept is not None and _identity(kept.turn) == _identity(turn) else None

    def forget(self, conversation_id: ConversationId) -> None:
        """Forget what was kept of a conversation."""
        self._kept.pop(conversation_id, None)

    def kept_under(self, conversation_id: ConversationId, lease: Lease) -> bool:
        """Whether a lease is that of a kept turn, which has ended."""
        kept = self._kept.get(conversation_id)
        return kept is not None and kept.token == lease.token

    def _drop_old(self) -> None:
        now = self._clock.monotonic()
        for conversation_id in [one for one, kept in self._kept.items() if kept.until <= now]:
            del self._kept[conversation_id]


def _identity(turn: Turn[S]) -> tuple[object, ...]:
    """Return what two runs of one turn have in common."""
    return turn.seq, turn.message_id, turn.text, turn.declines, turn.state.consents
