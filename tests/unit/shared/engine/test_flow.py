import pytest

from shared.domain.turn import Hook, TurnResult
from shared.engine.flow import Manifest, Turn
from shared.engine.hooks import HookContext, run_hooks
from shared.engine.router import FlowRouter
from tests.builders.sessions import session
from tests.builders.small_service import scope_of
from tests.fakes.settable_clock import SettableClock


def has(word):
    return (lambda text: word in text) if word else None


def manifest(name, word=None, unfinished=False, **more):
    return Manifest(name=name, flow=object(), claims=has(word), mid_flow=lambda _: unfinished, **more)


FLOWS = [manifest("counseling"), manifest("booking", word="예약"), manifest("agreement", word="비밀")]
UNFINISHED = [manifest("counseling"), manifest("booking", word="예약", unfinished=True), FLOWS[-1]]


class TestTheServiceOfAMessage:
    def routed(self, text="hi", meant=None, flows=FLOWS, **state):
        """Return the service and the reason."""
        clock = SettableClock()
        turn = Turn(
            state=session(**state),
            seq=1,
            message_id="m1",
            text=text,
            now=clock.now(),
            runner=None,
            scope=scope_of(clock),
        )
        manifest, reason = FlowRouter(flows).choose(turn, meant)
        return manifest.name, reason

    def test_is_the_only_one_or_the_conversations_without_a_cue(self):
        assert self.routed("예약할래요", "booking", FLOWS[:1]) == ("counseling", "one flow")
        assert self.routed("잠이 안 와요") == ("counseling", "no cue")
        assert self.routed("음", flow="agreement") == ("agreement", "no cue")

    def test_is_the_one_that_claims_the_words_whatever_else_was_read_also_in_mid_flow(self):
        assert self.routed("다음 예약을 바꾸고 싶어요", "agreement") == ("booking", "keyword")
        assert self.routed("비밀은 지켜 주나요?", flows=UNFINISHED) == ("agreement", "keyword")

    def test_is_the_one_that_waits_for_an_answer(self):
        assert self.routed("내일 오후 3시요", "counseling", UNFINISHED) == ("booking", "mid-flow")

    def test_is_the_one_that_was_read_in_it_if_there_is_such_a_service(self):
        assert self.routed("누가 봐요?", "agreement") == ("agreement", "meant")
        assert self.routed("누가 봐요?", "counseling", flow="agreement") == ("counseling", "meant")
        for nonsense in ("", "shop"):
            assert self.routed("누가 봐요?", nonsense) == ("counseling", "no cue")

    def test_is_the_conversations_again_after_a_digression(self):
        assert self.routed("그럼 얼마나요?", answered_by="agreement") == ("counseling", "no cue")

    def test_is_the_default_one_that_spoke_last_so_that_a_yes_to_it_confirms_nothing_elsewhere(self):
        for opened in ("booking", "agreement"):
            assert self.routed("네", flow=opened, answered_by="counseling") == ("counseling", "spoke last")


class TestServices:
    def test_have_names_of_their_own(self):
        with pytest.raises(ValueError, match="one name"):
            FlowRouter([manifest("a"), manifest("a")])

    def test_are_found_by_name(self):
        router = FlowRouter(FLOWS)
        assert router.named("booking") is FLOWS[1]
        assert router.named("shop") is None

    def test_give_their_hooks_and_no_two_handle_one(self):
        hooks = FlowRouter(
            [
                manifest("a", hook_handlers={"x": 1}, after_turn=[3]),
                manifest("b", hook_handlers={"y": 2}, after_turn=[4]),
            ]
        ).hooks
        assert (hooks.handlers, hooks.after_turn) == ({"x": 1, "y": 2}, (3, 4))
        with pytest.raises(ValueError, match="one hook"):
            FlowRouter([manifest("a", hook_handlers={"x": 1}), manifest("b", hook_handlers={"x": 2})])


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
