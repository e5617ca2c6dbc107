"""One flow answers while another hears the message."""

import asyncio

import pytest

from shared.contracts.events import Token
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.flow import Outcome, Turn
from shared.engine.turn_worker import run_overheard
from tests.builders.sessions import session
from tests.builders.small_service import scope_of
from tests.fakes.settable_clock import SettableClock

ANSWER, CARE = Outcome(reply="booked"), Outcome(reply="are you safe?")
ASKED = AgentRun(agent="asker", decided_by=DecidedBy.MODEL, attempts=1)


class TestAMessage:
    """A flow that shows a word, asks a model, waits for its clearance and then acts."""

    @pytest.fixture(autouse=True)
    def both(self):
        self.shown, self.acts, self.verdict = [], [], asyncio.Event()
        clock = SettableClock()
        scope = scope_of(clock, emit=self.shown.append)
        self.turn = Turn(state=session(), seq=1, message_id="m1", text="hi", now=clock.now(), runner=None, scope=scope)

    async def run(self, turn):
        turn.scope.emit(Token(text="a"))
        turn.scope.ledger.ruled("gate", None, "")
        turn.scope.ledger.runs.append(ASKED)
        self.verdict.set()
        await turn.cleared()
        self.acts.append("booked")
        turn.scope.emit(Token(text="b"))
        return ANSWER

    async def answered(self, instead):
        async def hears(turn):
            await self.verdict.wait()
            assert (self.shown, self.acts) == ([], []), "nothing is shown or done before the verdict is in"
            turn.scope.ledger.ruled("hearing", None, "")
            return instead

        return await run_overheard(self.turn, self, hears)

    async def test_that_passes_is_answered_by_its_flow_which_worked_meanwhile(self):
        assert await self.answered(None) is ANSWER
        assert ([one.text for one in self.shown], self.acts) == (["a", "b"], ["booked"])
        assert [run.agent for run in self.turn.scope.ledger.runs] == ["hearing", "gate", "asker"]

    async def test_that_nobody_could_read_is_answered_by_its_flow_behind_the_words_of_the_hearing(self):
        assert (await self.answered("call 119")).reply == "call 119\n\nbooked"
        assert "".join(one.text for one in self.shown) == "call 119\n\nab"
        assert self.acts == ["booked"]

    async def test_that_is_taken_shows_and_does_nothing_of_the_flow_and_counts_its_tokens_as_wasted(self):
        async def care(_turn):
            return CARE

        answer = await self.answered(care)
        assert await answer(self.turn) is CARE
        assert (self.shown, self.acts) == ([], [])
        assert [(run.agent, run.cancelled) for run in self.turn.scope.ledger.runs] == [
            ("hearing", False),
            ("asker", True),
        ]

    async def test_that_cannot_be_heard_is_not_answered_by_the_flow(self):
        async def fails(_turn):
            raise RuntimeError

        with pytest.raises(RuntimeError):
            await run_overheard(self.turn, self, fails)
        assert (self.shown, self.acts) == ([], [])
