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


def manifest(name, word=None, hint=None, kept=None, unfinished=False):
    return Manifest(
        name=name,
        flow=object(),
        keeps=(lambda turn: kept in turn.text) if kept else None,
        claims=has(word),
        hints=has(hint),
        mid_flow=lambda _: unfinished,
    )


COUNSELING, AGREEMENT = manifest("counseling", kept="죽고"), manifest("agreement", word="비밀", hint="누가")
FLOWS = [COUNSELING, manifest("booking", word="예약"), AGREEMENT]
UNFINISHED = [COUNSELING, manifest("booking", word="예약", unfinished=True), AGREEMENT]


class TestTheFlow:
    async def routed(self, text="hi", *, flows=FLOWS, intent="agreement", agent=True, **state):
        """Return the flow of a message, the names the intent agent was asked with, and the rule in the ledger."""
        asked, clock = [], SettableClock()

        async def ask(_turn, names):
            asked.append(names)
            return intent

        scope = scope_of(clock)
        turn = Turn(
            state=session(**state), seq=1, message_id="m1", text=text, now=clock.now(), runner=None, scope=scope
        )
        name = (await FlowRouter(flows, *[ask] * agent).route(turn)).name
        assert bool(asked) is not bool(scope.ledger.runs) or not agent, "either a rule or the agent decides"
        return name, asked, next((run.reason for run in scope.ledger.runs), None)

    async def test_is_the_only_one_or_the_conversations_without_a_cue(self):
        assert await self.routed("예약할래요", flows=FLOWS[:1]) == ("counseling", [], "one flow")
        assert await self.routed("잠이 안 와요") == ("counseling", [], "no cue")

    async def test_is_the_one_that_claims_the_words_also_in_mid_flow(self):
        assert await self.routed("다음 예약을 바꾸고 싶어요") == ("booking", [], "keyword")
        assert await self.routed("비밀은 지켜 주나요?", flows=UNFINISHED) == ("agreement", [], "keyword")

    async def test_is_kept_in_mid_flow_without_a_model(self):
        assert await self.routed("누가 내일 오후 3시래요", flows=UNFINISHED) == ("booking", [], "mid-flow")

    async def test_of_somebody_in_danger_is_the_one_that_keeps_them(self):
        assert await self.routed("예약이고 뭐고 죽고 싶어요", flows=UNFINISHED) == ("counseling", [], "kept")

    @pytest.mark.parametrize(
        ("text", "state"),
        [("누가 봐요?", {}), ("그럼 얼마나요?", {"answered_by": "agreement"}), ("음", {"flow": "agreement"})],
        ids=["a hint", "after a digression", "opened in a service"],
    )
    async def test_is_chosen_by_the_intent_agent_in_doubt_and_the_conversations_if_that_fails(self, text, state):
        assert await self.routed(text, intent="booking", **state) == ("booking", [tuple(m.name for m in FLOWS)], None)
        kept = state.get("flow", "counseling")
        for answer in (None, "", "nonsense"):
            assert (await self.routed(text, intent=answer, **state))[0] == kept
        assert (await self.routed(text, agent=False, **state))[0] == kept

    async def test_stays_with_the_default_that_spoke_last_in_doubt_so_that_a_yes_to_it_confirms_nothing(self):
        for opened in ("booking", "agreement"):
            kept = await self.routed("네", intent=None, flow=opened, answered_by="counseling")
            assert kept[0] == "counseling"

    async def test_has_a_name_of_its_own(self):
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
