"""Provisional: runs the service that a message belongs to, until the turn itself reads every message and routes it."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from functions.chat.flows.routing.digression import Overhearing
from shared.domain.counseling.session import Session
from shared.engine.flow import Manifest, Outcome, Turn
from shared.engine.reply_prefix import ReplyPrefix
from shared.engine.router import FlowRouter


class RoutedFlow:
    """The turn of all services.

    Args:
        router: The services, the counselling first.
        talk: The counselling.
        keepers: Tell by service, in this order, that a message is its own whatever another service claims.
    """

    def __init__(
        self,
        router: FlowRouter[Session],
        talk: Manifest[Session],
        keepers: Mapping[str, Callable[[Turn[Session]], bool]],
    ) -> None:
        self._router = router
        self._talk = talk
        self._keepers = keepers

    async def run(self, turn: Turn[Session]) -> Outcome[Session]:
        """Run the service; who is in danger is heard before another one than the counselling answers."""
        service, before = self._keeping(turn) or self._router.route(turn, None), ""
        if service is not self._talk and isinstance(self._talk.flow, Overhearing):
            heard = await self._talk.flow.overhear(turn)
            if isinstance(heard, Outcome):
                return replace(heard, flow=self._talk.name)
            before = heard or ""
        prefix = ReplyPrefix(before, turn.scope.emit)
        outcome = await service.flow.run(replace(turn, scope=replace(turn.scope, emit=prefix.emit)))
        return replace(outcome, reply=prefix.before(outcome.reply), flow=service.name)

    def apologize(self, turn: Turn[Session]) -> Outcome[Session]:
        service = self._router.holder(turn.state)
        return replace(service.flow.apologize(turn), flow=service.name)

    def _keeping(self, turn: Turn[Session]) -> Manifest[Session] | None:
        for name, keeps in self._keepers.items():
            if (service := self._router.named(name)) is not None and keeps(turn):
                turn.scope.ledger.ruled("intent", name, "kept")
                return service
        return None
