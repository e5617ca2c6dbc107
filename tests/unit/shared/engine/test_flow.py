"""Flows: which one is run, which agents it may have, and the hooks behind its turn."""

import pytest

from shared.domain.turn import Hook, TurnResult
from shared.engine.flow import Manifest, Turn
from shared.engine.hooks import HookContext, run_hooks
from shared.engine.router import FlowRouter
from tests.builders.sessions import session
from tests.builders.small_service import scope_of
from tests.fakes.settable_clock import SettableClock


def manifest(name, word=None):
    return Manifest(name=name, flow=object(), claims=(lambda text: word in text) if word else None)


FLOWS = [manifest("counseling"), manifest("booking", word="예약"), manifest("agreement")]


class TestTheFlow:
    async def routed(self, text="hi", *, flows=FLOWS, intent="agreement", mid_flow=False, agent=True):
        """Return the flow of a message, the names the intent agent was asked with, and the ledger."""
        asked, clock = [], SettableClock()

        async def ask(_turn, names):
            asked.append(names)
            return intent

        scope, state = scope_of(clock), session(flow="counseling", mid_flow=mid_flow)
        turn = Turn(state=state, seq=1, message_id="m1", text=text, now=clock.now(), runner=None, scope=scope)
        name = (await FlowRouter(flows, *[ask] * agent).route(turn)).name
        return name, asked, [(run.agent, run.output, run.reason) for run in scope.ledger.runs]

    async def test_is_kept_in_mid_flow_and_where_there_is_one_only(self):
        reached = [("intent", "counseling", "mid-flow")]
        assert await self.routed("예약할래요", mid_flow=True) == ("counseling", [], reached)
        assert await self.routed(flows=FLOWS[:1]) == ("counseling", [], [("intent", "counseling", "one flow")])

    async def test_is_the_one_that_claims_the_words_without_the_model(self):
        name, asked, ((_, output, _),) = await self.routed("다음 예약을 바꾸고 싶어요")
        assert (name, asked, output) == ("booking", [], "booking")

    async def test_is_told_by_the_intent_agent_otherwise_and_kept_where_that_fails(self):
        name, asked, _ = await self.routed()
        assert (name, asked) == ("agreement", [("counseling", "booking", "agreement")])
        for answer in (None, "", "nonsense"):
            assert (await self.routed(intent=answer))[0] == "counseling"

    async def test_is_kept_without_an_intent_agent_and_two_of_one_name_are_refused(self):
        assert (await self.routed(agent=False))[0] == "counseling"
        with pytest.raises(ValueError, match="one name"):
            FlowRouter([manifest("a"), manifest("a")])


class TestHooks:
    @pytest.fixture
    def calls(self):
        return []

    @pytest.fixture
    def handle(self, calls):
        async def handle(context, hook):
            calls.append((context.state, hook.type, hook.data))

        return handle

    @pytest.fixture
    def follow(self, calls):
        async def follow(context):
            calls.append(("after", context.result.reply))

        return follow

    def context(self, *hooks):
        result = TurnResult(message_id="m1", seq=1, reply="r", state_snapshot={}, hooks=hooks)
        return HookContext(state="the state", result=result)

    async def test_go_each_to_its_handler_with_the_committed_state_and_followers_run_behind(
        self, calls, handle, follow
    ):
        hooks = (Hook(type="a", data={"n": 1}), Hook(type="unheard"), Hook(type="a", data={"n": 2}))
        await run_hooks(self.context(*hooks), {"a": handle, "b": handle}, [follow])
        assert calls == [("the state", "a", {"n": 1}), ("the state", "a", {"n": 2}), ("after", "r")]
        await run_hooks(self.context(), {}, [follow])
        assert calls[3:] == [("after", "r")]

    async def test_that_fail_are_logged_and_the_rest_run(self, calls, handle, follow, caplog):
        quoted = "words of a person"

        async def fail(*_):
            raise RuntimeError(quoted)

        hooks = self.context(Hook(type="bad"), Hook(type="a"))
        await run_hooks(hooks, {"bad": fail, "a": handle}, [fail, follow])
        assert [call[0] for call in calls] == ["the state", "after"]
        assert "hook_failed hook=bad error=RuntimeError" in caplog.text
        assert "hook_failed hook=after_turn error=RuntimeError" in caplog.text
        assert quoted not in caplog.text, "a foreign error may quote what a person wrote"
