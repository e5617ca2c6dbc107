"""Selects the flow of a turn: the current flow mid-flow, then keyword rules, then the intent agent."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Generic

from shared.domain.conversation import S
from shared.engine.flow import Manifest, Turn

Intent = Callable[[Turn[S], Sequence[str]], Awaitable[str | None]]
"""Asks a model which of the named flows the user means; None if unclear."""


class FlowRouter(Generic[S]):
    """Routes turns among the registered flows."""

    def __init__(self, manifests: Sequence[Manifest[S]], intent: Intent[S] | None = None) -> None:
        """Register flows with unique names. The first one takes conversations whose flow is not registered."""
        self._manifests = {manifest.name: manifest for manifest in manifests}
        if len(self._manifests) != len(manifests):
            raise ValueError("two flows bear one name")
        self._default = manifests[0]
        self._intent = intent

    def holder(self, state: S) -> Manifest[S]:
        """Return the conversation's current flow."""
        return self._manifests.get(state.flow, self._default)

    async def route(self, turn: Turn[S]) -> Manifest[S]:
        """Return the flow for a turn. A failed intent keeps the current flow."""
        holder = self.holder(turn.state)
        if turn.state.mid_flow or len(self._manifests) == 1:
            turn.scope.ledger.ruled("intent", holder.name, "mid-flow" if turn.state.mid_flow else "one flow")
            return holder
        claimed = next((m for m in self._manifests.values() if m.claims and m.claims(turn.text)), None)
        if claimed is not None:
            turn.scope.ledger.ruled("intent", claimed.name, "keyword")
            return claimed
        if self._intent is None:
            return holder
        meant = await self._intent(turn, tuple(self._manifests))
        return self._manifests.get(meant or "", holder)
