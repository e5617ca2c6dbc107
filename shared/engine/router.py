"""Selects the flow of a turn: rules first; a model only where they leave a doubt."""

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
        """Return the conversation's flow, in which it was opened."""
        return self._manifests.get(state.flow, self._default)

    async def route(self, turn: Turn[S]) -> Manifest[S]:
        """Return the flow for a turn. A failed intent keeps the conversation's flow, or the default one if it spoke."""
        manifest, reason = self._by_rule(turn)
        if manifest is None:
            meant = await self._intent(turn, tuple(self._manifests)) if self._intent else None
            spoke = turn.state.answered_by == self._default.name
            return self._manifests.get(meant or "", self._default if spoke else self.holder(turn.state))
        turn.scope.ledger.ruled("intent", manifest.name, reason)
        return manifest

    def listener(self, chosen: Manifest[S]) -> Manifest[S] | None:
        """Return the flow that hears what the chosen one answers; None if that hears for itself."""
        return None if chosen.hears else next((one for one in self._manifests.values() if one.hears), None)

    def _by_rule(self, turn: Turn[S]) -> tuple[Manifest[S] | None, str]:
        """Return the flow that a rule chooses, and why; None if the user's intent is in doubt."""
        holder, registered = self.holder(turn.state), self._manifests.values()
        if len(registered) == 1:
            return holder, "one flow"
        if keeping := next((one for one in registered if one.keeps and one.keeps(turn)), None):
            return keeping, "kept"
        if claiming := next((one for one in registered if one.claims and one.claims(turn.text)), None):
            return claiming, "keyword"
        if unfinished := next((one for one in registered if one.mid_flow and one.mid_flow(turn.state)), None):
            return unfinished, "mid-flow"
        return (None, "") if self._in_doubt(turn, holder) else (holder, "no cue")

    def _in_doubt(self, turn: Turn[S], holder: Manifest[S]) -> bool:
        digressed = turn.state.answered_by not in {"", holder.name}
        cued = any(one.hints and one.hints(turn.text) for one in self._manifests.values())
        return digressed or cued or holder is not self._default
