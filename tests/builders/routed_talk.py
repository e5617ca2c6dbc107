"""A conversation whose turns are routed among services, as composed."""

from functions.chat.turn import ChatTurn


class RoutedTalk:
    """A talk with services beside the counselling.

    Attributes:
        runs: The ledger of the newest turn.
    """

    def __init__(self, talk, *services, early=False):
        self.talk = talk
        self.flow = ChatTurn(talk.content, services, early=early)
        self.runs = []

    async def say(self, text):
        """Run a turn and commit it; return the name of the service that answered, and the outcome."""
        turn = self.talk.turn(text)
        outcome = await self.flow.run(turn)
        self.runs = turn.scope.ledger.runs
        self.talk.commit(turn, outcome)
        self.talk.set(answered_by=outcome.flow)
        return outcome.flow, outcome
