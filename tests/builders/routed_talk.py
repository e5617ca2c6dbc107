"""A conversation whose turns are routed among services, as the turn worker does."""

from shared.engine.flow import Outcome
from shared.engine.turn_worker import run_overheard


class RoutedTalk:
    """A talk and a router.

    Attributes:
        runs: The ledger of the newest turn.
    """

    def __init__(self, talk, router):
        self.talk = talk
        self.router = router
        self.runs = []

    async def say(self, text):
        """Run a turn and commit it; return the name of the service that answered, and the outcome."""
        turn = self.talk.turn(text)
        manifest = await self.router.route(turn)
        if (listener := self.router.listener(manifest)) is None:
            outcome = await manifest.flow.run(turn)
        elif not isinstance(outcome := await run_overheard(turn, manifest.flow, listener.hears), Outcome):
            manifest, outcome = listener, await outcome(turn)
        self.runs = turn.scope.ledger.runs
        self.talk.commit(turn, outcome)
        self.talk.set(answered_by=manifest.name)
        return manifest.name, outcome
