"""A conversation whose turns are routed among services, as composed."""

from functions.chat.composition import keepers
from functions.chat.flows.routing.routed import RoutedFlow
from shared.engine.router import FlowRouter


class Reading(FlowRouter):
    """A router of messages of which each is read to mean one service."""

    def __init__(self, services, meant):
        super().__init__(services)
        self.meant = meant

    def route(self, turn, meant):
        return super().route(turn, self.meant)


class RoutedTalk:
    """A talk and its services, the counselling first; `meant` is the service that is read in every message.

    Attributes:
        runs: The ledger of the newest turn.
    """

    def __init__(self, talk, *services, meant=None):
        self.talk = talk
        self.flow = RoutedFlow(Reading(services, meant), services[0], keepers(talk.content))
        self.runs = []

    async def say(self, text):
        """Run a turn and commit it; return the name of the service that answered, and the outcome."""
        turn = self.talk.turn(text)
        outcome = await self.flow.run(turn)
        self.runs = turn.scope.ledger.runs
        self.talk.commit(turn, outcome)
        self.talk.set(answered_by=outcome.flow)
        return outcome.flow, outcome
