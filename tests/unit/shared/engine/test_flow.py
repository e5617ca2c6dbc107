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

    async def test_is_kept_in_mid_flow_and_when_it_is_the_only_one(self):
        reached = [("intent", "counseling", "mid-flow")]
        assert await self.routed("예약할래요", mid_flow=True) == ("counseling", [], reached)
        assert await self.routed(flows=FLOWS[:1]) == ("counseling", [], [("intent", "counseling", "one flow")])

    async def test_is_the_one_that_claims_the_words_without_a_model(self):
        name, asked, ((_, output, _),) = await self.routed("다음 예약을 바꾸고 싶어요")
        assert (name, asked, output) == ("booking", [], "booking")

    async def test_is_otherwise_chosen_by_the_intent_agent_and_kept_if_that_fails(self):
        name, asked, _ = await self.routed()
        assert (name, asked) == ("agreement", [("counseling", "booking", "agreement")])
        for answer in (None, "", "nonsense"):
            assert (await self.routed(intent=answer))[0] == "counseling"

    async def test_is_kept_without_an_intent_agent_and_duplicate_names_are_refused(self):
        assert (await self.routed(agent=False))[0] == "counseling"
        with pytest.raises(ValueError, match="one name"):
            FlowRouter([manifest("a"), manifest("a")])


class TestHooks:
    @pytest.fixture(autouse=True)
    def no_calls(self):
        self.calls = []

    async def handle(self, context, hook):
        self.calls.append((context.state, hook.type, hook.data))

    async def follow(self, context):
        self.calls.append(("after", context.result.reply))

    async def run(self, hooks, handlers, followers):
        result = TurnResult(message_id="m1", seq=1, reply="r", state_snapshot={}, hooks=hooks)
        await run_hooks(HookContext(state="the state", result=result), handlers, followers)

    async def test_go_to_their_handlers_with_the_committed_state_and_followers_run_afterwards(self):
        hooks = (Hook(type="a", data={"n": 1}), Hook(type="unhandled"), Hook(type="a", data={"n": 2}))
        await self.run(hooks, {"a": self.handle, "b": self.handle}, [self.follow])
        assert self.calls == [("the state", "a", {"n": 1}), ("the state", "a", {"n": 2}), ("after", "r")]
        await self.run((), {}, [self.follow])
        assert self.calls[3:] == [("after", "r")]

    async def test_that_fail_are_logged_without_their_message_and_the_rest_run(self, caplog):
        quoted = "words of a person"

        async def fail(*_):
            raise RuntimeError(quoted)

        hooks = (Hook(type="bad"), Hook(type="a"))
        await self.run(hooks, {"bad": fail, "a": self.handle}, [fail, self.follow])
        assert [call[0] for call in self.calls] == ["the state", "after"]
        assert "hook_failed hook=bad error=RuntimeError" in caplog.text
        assert "hook_failed hook=after_turn error=RuntimeError" in caplog.text
        assert quoted not in caplog.text, "a foreign error may quote what a person wrote"
