"""Selects the service that answers a turn, by rule."""

from collections.abc import Sequence
from typing import Generic

from shared.domain.conversation import S
from shared.engine.flow import Manifest, Turn
from shared.engine.hooks import HookHandler, Hooks


class FlowRouter(Generic[S]):
    """Routes turns among the registered services.

    Attributes:
        hooks: Those of all services, in the order of registration.
    """

    def __init__(self, manifests: Sequence[Manifest[S]]) -> None:
        """Register services with unique names. The first one takes conversations whose service is not registered.

        Raises:
            ValueError: Two services bear one name, or handle one type of hook.
        """
        self._manifests = {manifest.name: manifest for manifest in manifests}
        if len(self._manifests) != len(manifests):
            raise ValueError("two flows bear one name")
        self._default = manifests[0]
        handlers: dict[str, HookHandler[S]] = {}
        for manifest in manifests:
            if twice := handlers.keys() & manifest.hook_handlers:
                raise ValueError(f"two flows handle one hook: {sorted(twice)}")
            handlers |= manifest.hook_handlers
        self.hooks = Hooks(handlers, tuple(each for manifest in manifests for each in manifest.after_turn))

    def holder(self, state: S) -> Manifest[S]:
        """Return the conversation's service, in which it was opened."""
        return self._manifests.get(state.flow, self._default)

    def named(self, name: str) -> Manifest[S] | None:
        return self._manifests.get(name)

    def unfinished(self, state: S) -> Manifest[S] | None:
        """Return the service that is in the middle of something, if any is."""
        return next((one for one in self._manifests.values() if one.mid_flow and one.mid_flow(state)), None)

    def choose(self, turn: Turn[S], meant: str | None) -> tuple[Manifest[S], str]:
        """Return the service that answers a turn, and why.

        Args:
            turn: The turn.
            meant: The service that the user means, as a model read it; None if it read none.
        """
        holder, registered = self.holder(turn.state), self._manifests.values()
        if len(registered) == 1:
            return holder, "one flow"
        if claiming := next((one for one in registered if one.claims and one.claims(turn.text)), None):
            return claiming, "keyword"
        if unfinished := self.unfinished(turn.state):
            return unfinished, "mid-flow"
        if read := self.named(meant or ""):
            return read, "meant"
        # A bare "yes" to the default service, in a conversation that another one opened, confirms nothing there.
        spoke = turn.state.answered_by == self._default.name
        return (self._default, "spoke last") if spoke else (holder, "no cue")
