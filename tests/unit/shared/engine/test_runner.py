import asyncio
import json
import re

import pytest

from shared.contracts.events import AgentDone, AgentRetry, AgentStart
from shared.domain.errors import (
    ModelAccessDenied,
    ModelBlocked,
    ModelEmpty,
    ModelNotFound,
    ModelRateLimited,
    ModelResting,
    ModelSchemaMismatch,
    ModelTimeout,
    ModelTruncated,
    ModelUnavailable,
    Refusal,
)
from shared.domain.turn import DecidedBy
from shared.engine.agent import AnswerSchema
from shared.engine.runner import MAX_ASKS, MOST_PROBLEMS, AgentRunner, parse
from shared.locale import Locale
from shared.ports.language_model import ModelMessage
from shared.ports.model_settings import ModelSettings
from tests.fakes.echo import ECHO, PROMPT, Echo, EchoInput
from tests.fakes.engine import scope_of
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

GIVEN = EchoInput(text="안녕")
JSON = '{"word": "네", "count": 0}'
SETTINGS = ModelSettings(model="m-1", timeout_s=6, first_token_s=4, price_in=1000, price_out=20000)


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def model():
    return ScriptedModel()


@pytest.fixture
def runner(model, clock):
    return AgentRunner(model, {"echo": SETTINGS}, clock)


@pytest.fixture
def scope(clock):
    return scope_of(clock)


def only(scope):
    (run,) = scope.ledger.runs
    return run


class TestAGoodAnswer:
    async def test_is_returned_as_the_agents_schema(self, runner, model, scope):
        model.scripts["echo"] = Echo(word="네", count=0)
        assert await runner.ask(ECHO, GIVEN, scope) == Echo(word="네", count=0)

    async def test_was_asked_for_with_the_rendered_prompt_the_settings_and_the_schema(self, runner, model, scope):
        model.scripts["echo"] = Echo(word="네", count=0)
        await runner.ask(ECHO, GIVEN, scope)
        (request,) = model.requests
        rendered = PROMPT.render(Locale.KO, GIVEN)
        assert (request.system, request.messages) == (
            rendered.system,
            (ModelMessage(role="user", text=rendered.user),),
        )
        assert (request.settings, request.response_schema) == (SETTINGS, Echo)

    async def test_stands_in_the_ledger_with_what_it_took(self, runner, model, scope, clock):
        def slowly(request):
            clock.advance(1.25)
            return Echo(word="네", count=0)

        model.scripts["echo"] = slowly
        await runner.ask(ECHO, GIVEN, scope)
        run = only(scope)
        rendered = PROMPT.render(Locale.KO, GIVEN)
        assert (run.agent, run.decided_by, run.attempts, run.error) == ("echo", DecidedBy.MODEL, 1, None)
        assert (run.prompt, run.input_digest, run.model) == ("echo/v1.ko", rendered.digest, "m-1")
        assert run.output == {"word": "네", "count": 0}
        assert (run.prompt_tokens, run.output_tokens, run.cost_krw) == (100, 10, 0.3)
        assert run.latency_ms == 1250
        assert scope.ledger.waiting_seconds() == 1.25

    async def test_may_come_with_blanks_or_in_a_fence_or_with_a_field_of_its_own(self, subtests):
        cases = [
            JSON,
            f" \n{JSON} ",
            f"```json\n{JSON}\n```",
            f"```\n{JSON}\n```",
            '{"word": "네", "count": 0, "more": 1}',
        ]
        for text in cases:
            with subtests.test(text=text):
                model = ScriptedModel()
                clock = SettableClock()
                runner = AgentRunner(model, {"echo": SETTINGS}, clock)
                scope = scope_of(clock)
                model.scripts["echo"] = text
                assert (await runner.ask(ECHO, GIVEN, scope)).word == "네"
                assert only(scope).attempts == 1

    async def test_is_announced_and_reported_done(self, runner, model, clock):
        events = []
        scope = scope_of(clock, emit=events.append)
        scope.label = lambda agent, attempt: f"label of {agent}, {attempt}"
        model.scripts["echo"] = Echo(word="네", count=0)
        await runner.ask(ECHO, GIVEN, scope)
        assert events == [AgentStart(agent="echo", label="label of echo, 1"), AgentDone(agent="echo")]


class TestAnAnswerThatDoesNotFit:
    @pytest.mark.parametrize("second", ["no json again", Echo(word="네", count=0), ModelUnavailable("gone")])
    async def test_is_told_of_as_a_retry_once_whatever_comes_of_it(self, runner, model, clock, second):
        events = []
        scope = scope_of(clock, emit=events.append)
        scope.label = lambda agent, attempt: f"label of {agent}, {attempt}"
        model.scripts["echo"] = ["no json", second]
        await runner.ask(ECHO, GIVEN, scope)
        assert events == [
            AgentStart(agent="echo", label="label of echo, 1"),
            AgentRetry(agent="echo", label="label of echo, 2", attempt=2),
            AgentDone(agent="echo"),
        ]

    async def test_is_no_retry_when_there_is_no_time_left_to_ask(self, runner, model, clock):
        def late(_request):
            clock.advance(60)
            return "no json"

        events = []
        model.scripts["echo"] = late
        await runner.ask(ECHO, GIVEN, scope_of(clock, emit=events.append))
        assert [type(event) for event in events] == [AgentStart, AgentDone]

    async def test_is_asked_for_once_more_with_the_answer_and_what_was_wrong(self, runner, model, scope):
        model.scripts["echo"] = ['{"count": "many"}', Echo(word="네", count=0)]
        assert await runner.ask(ECHO, GIVEN, scope) == Echo(word="네", count=0)
        first, second = model.requests
        assert second.messages[: len(first.messages)] == first.messages
        answered, told = second.messages[len(first.messages) :]
        assert (answered.role, answered.text) == ("model", '{"count": "many"}')
        assert told.role == "user"
        assert "word: Field required" in told.text
        assert "count: Input should be a valid integer" in told.text

    @pytest.mark.parametrize("locale", list(Locale))
    async def test_is_asked_for_again_in_the_scopes_language(self, runner, model, clock, locale):
        model.scripts["echo"] = ["no json", Echo(word="네", count=0)]
        scope = scope_of(clock)
        scope.locale = locale
        await runner.ask(ECHO, GIVEN, scope, None)
        told = model.requests[1].messages[-1].text
        assert (re.search("[가-힣]", told) is not None) is (locale is Locale.KO)
        assert "JSON" in told
        assert "Invalid JSON" in told

    async def test_costs_both_calls(self, runner, model, scope):
        model.scripts["echo"] = ["no json", Echo(word="네", count=0)]
        await runner.ask(ECHO, GIVEN, scope)
        run = only(scope)
        assert (run.decided_by, run.attempts, run.prompt_tokens, run.output_tokens) == (DecidedBy.MODEL, 2, 200, 20)
        assert (run.cost_krw, run.error) == (0.6, None)

    async def test_twice_leaves_the_safe_default_and_no_third_call(self, runner, model, scope):
        model.scripts["echo"] = "no json"
        assert await runner.ask(ECHO, GIVEN, scope) is ECHO.safe_default
        run = only(scope)
        assert len(model.requests) == run.attempts == MAX_ASKS == 2
        assert (run.decided_by, run.output) == (DecidedBy.SAFE_DEFAULT, {"word": "default", "count": 0})
        assert run.error.startswith("model_schema_mismatch: ")

    async def test_a_rule_may_refuse_what_fits_the_schema_and_its_words_are_shown(self, runner, model, scope):
        model.scripts["echo"] = [Echo(word="x", count=0), Echo(word="네", count=0)]
        answer = await runner.ask(ECHO, GIVEN, scope, lambda a: None if a.word == "네" else "word must be 네")
        assert answer.word == "네"
        assert model.requests[1].messages[-1].text.endswith("word must be 네")

    async def test_a_rule_that_goes_on_refusing_leaves_the_safe_default(self, runner, model, scope):
        model.scripts["echo"] = Echo(word="x", count=0)
        assert await runner.ask(ECHO, GIVEN, scope, lambda a: "never") is ECHO.safe_default

    async def test_names_every_problem_and_no_value_of_the_user(self):
        with pytest.raises(ModelSchemaMismatch) as caught:
            parse(Echo, '{"word": 5, "count": "비밀"}', None)
        assert [problem.partition(":")[0] for problem in caught.value.problems.split("; ")] == ["word", "count"]
        assert "비밀" not in caught.value.problems

    async def test_names_no_more_problems_than_a_re_ask_can_hold(self):
        class Words(AnswerSchema):
            words: tuple[str, ...]

        with pytest.raises(ModelSchemaMismatch) as caught:
            parse(Words, json.dumps({"words": [7] * 500}), None)
        assert caught.value.problems.count("; ") == MOST_PROBLEMS - 1

    async def test_the_re_ask_after_a_mismatch_may_meet_a_failure(self, runner, model, scope):
        model.scripts["echo"] = ["no json", ModelUnavailable("gone")]
        assert await runner.ask(ECHO, GIVEN, scope) is ECHO.safe_default
        run = only(scope)
        assert (run.attempts, run.error, run.prompt_tokens) == (2, "model_unavailable: gone", 100)


class TestAModelThatFails:
    async def test_leaves_the_safe_default_without_a_re_ask(self, subtests):
        for failure in (ModelUnavailable("503"), ModelTimeout("slow"), ModelRateLimited("429"), ModelTruncated("x")):
            with subtests.test(failure=failure):
                model = ScriptedModel()
                clock = SettableClock()
                runner = AgentRunner(model, {"echo": SETTINGS}, clock)
                scope = scope_of(clock)
                model.scripts["echo"] = failure
                assert await runner.ask(ECHO, GIVEN, scope) is ECHO.safe_default
                run = only(scope)
                assert (len(model.requests), run.attempts, run.decided_by) == (1, 1, DecidedBy.SAFE_DEFAULT)
                assert run.error == f"{failure.code}: {failure.reason}"

    @pytest.mark.parametrize("failure", [ModelEmpty("blank"), ModelBlocked("SAFETY")])
    async def test_to_say_anything_is_asked_once_more(self, runner, model, scope, failure):
        model.scripts["echo"] = [failure, Echo(word="네", count=1)]
        assert (await runner.ask(ECHO, GIVEN, scope)).word == "네"
        run = only(scope)
        assert (run.attempts, run.decided_by, run.error) == (2, DecidedBy.MODEL, None)
        assert model.requests[0].messages == model.requests[1].messages
        model.scripts["echo"] = failure
        assert await runner.ask(ECHO, GIVEN, scope) is ECHO.safe_default
        assert len(model.requests) == 4, "once"

    async def test_costs_what_the_provider_counted_and_every_request_that_was_sent(self, runner, model, scope):
        model.scripts["echo"] = ModelTruncated("cut").billed(prompt_tokens=300, output_tokens=40, sends=3)
        await runner.ask(ECHO, GIVEN, scope)
        run = only(scope)
        assert (run.prompt_tokens, run.output_tokens, run.cost_krw, run.attempts) == (300, 40, 1.1, 3)
        assert scope.ledger.spent().llm_calls == 3

    async def test_at_the_re_ask_costs_both(self, runner, model, scope):
        model.scripts["echo"] = ["no json", ModelTruncated("cut").billed(prompt_tokens=300, output_tokens=40, sends=2)]
        await runner.ask(ECHO, GIVEN, scope)
        run = only(scope)
        assert (run.prompt_tokens, run.output_tokens, run.attempts) == (400, 50, 3)

    async def test_at_first_and_answers_a_retry_counts_every_request(self, runner, scope, model):
        class Retried(ScriptedModel):
            async def generate(self, request):
                return (await super().generate(request)).model_copy(update={"sends": 3})

        retried = AgentRunner(Retried({"echo": Echo(word="네", count=0)}), {"echo": SETTINGS}, runner.clock)
        await retried.ask(ECHO, GIVEN, scope)
        assert (only(scope).attempts, scope.ledger.spent().llm_calls) == (3, 3)

    async def test_a_cancelled_turn_is_let_through(self, runner, model, scope):
        model.scripts["echo"] = asyncio.CancelledError()
        with pytest.raises(asyncio.CancelledError):
            await runner.ask(ECHO, GIVEN, scope)


class TestTheDeadline:
    async def test_passed_nothing_is_called(self, runner, model, clock):
        model.scripts["echo"] = Echo(word="네", count=0)
        scope = scope_of(clock, seconds=0)
        assert await runner.ask(ECHO, GIVEN, scope) is ECHO.safe_default
        assert model.requests == []
        assert only(scope).error == "model_timeout: the turn's deadline has passed"
        assert only(scope).attempts == 0

    async def test_near_it_a_call_gets_only_what_is_left(self, runner, model, clock):
        model.scripts["echo"] = Echo(word="네", count=0)
        await runner.ask(ECHO, GIVEN, scope_of(clock, seconds=3))
        assert (model.requests[0].settings.timeout_s, model.requests[0].settings.first_token_s) == (3, 3)

    async def test_the_re_ask_gets_only_what_the_first_call_left(self, runner, model, clock):
        def slow_and_wrong(request):
            clock.advance(5)
            return "no json"

        model.scripts["echo"] = [slow_and_wrong, Echo(word="네", count=0)]
        await runner.ask(ECHO, GIVEN, scope_of(clock, seconds=8))
        assert [request.settings.timeout_s for request in model.requests] == [6, 3]

    async def test_of_the_analysers_is_their_own(self, runner, model, clock):
        model.scripts["echo"] = Echo(word="네", count=0)
        scope = scope_of(clock)
        scope.answers_by = clock.monotonic() + 4.5
        await runner.ask(ECHO, GIVEN, scope)
        assert model.requests[0].settings.timeout_s == 4.5
        clock.advance(4.5)
        assert await runner.ask(ECHO, GIVEN, scope) is ECHO.safe_default
        assert len(model.requests) == 1

    async def test_does_not_count_the_time_that_loading_the_client_takes_us(self, runner, model, clock):
        async def loading():
            clock.advance(0 if model.requests else 4)

        model.warm = loading
        model.scripts["echo"] = Echo(word="네", count=0)
        scope = scope_of(clock)
        scope.answers_by = clock.monotonic() + 4.5
        for _ in range(2):
            assert (await runner.ask(ECHO, GIVEN, scope)).word == "네"
        assert [request.settings.timeout_s for request in model.requests] == [4.5, 4.5]

    async def test_passed_during_the_first_call_there_is_no_re_ask(self, runner, model, clock):
        def late_and_wrong(request):
            clock.advance(9)
            return "no json"

        model.scripts["echo"] = late_and_wrong
        assert await runner.ask(ECHO, GIVEN, scope_of(clock, seconds=8)) is ECHO.safe_default
        assert len(model.requests) == 1


class TestAFallback:
    """Another model that is asked when the first one is gone; after other failures where the settings say so."""

    SECOND = SETTINGS.model_copy(update={"model": "m-2", "price_out": 1000})

    def runner(self, model, clock, **settings):
        return AgentRunner(model, {"echo": SETTINGS.model_copy(update={"fallback": self.SECOND, **settings})}, clock)

    async def test_answers_for_a_model_that_is_gone_at_its_own_price(self, model, clock, scope):
        model.scripts["echo"] = [ModelNotFound("404"), Echo(word="네", count=1)]
        assert (await self.runner(model, clock).ask(ECHO, GIVEN, scope)).word == "네"
        run = only(scope)
        assert (run.decided_by, run.model, run.error) == (DecidedBy.FALLBACK_MODEL, "m-2", None)
        assert run.reason == "m-1 failed: model_not_found"
        assert (run.cost_krw, run.attempts) == (round((100 * 1000 + 10 * 1000) / 1_000_000, 4), 2)

    async def test_still_gets_its_re_ask(self, model, clock, scope):
        model.scripts["echo"] = [ModelNotFound("404"), "{}", Echo(word="네", count=1)]
        assert (await self.runner(model, clock).ask(ECHO, GIVEN, scope)).word == "네"

    async def test_is_not_asked_after_a_failure_of_the_moment_unless_the_settings_say_so(self, model, clock, scope):
        model.scripts["echo"] = [ModelUnavailable("503"), Echo(word="네", count=1)]
        assert await self.runner(model, clock).ask(ECHO, GIVEN, scope) == ECHO.safe_default
        model.scripts["echo"] = [ModelUnavailable("503"), Echo(word="네", count=1)]
        assert (await self.runner(model, clock, fallback_on_failure=True).ask(ECHO, GIVEN, scope)).word == "네"

    async def test_is_asked_by_every_agent_where_it_helps(self, subtests):
        for failure in (ModelEmpty("x"), ModelBlocked("x"), ModelRateLimited("429"), ModelResting("left alone")):
            with subtests.test(failure=failure):
                model = ScriptedModel()
                clock = SettableClock()
                scope = scope_of(clock)
                model.scripts["echo"] = [failure, Echo(word="네", count=1)]
                assert (await self.runner(model, clock).ask(ECHO, GIVEN, scope)).word == "네"
                assert [request.settings.model for request in model.requests] == ["m-1", "m-2"]

    async def test_is_not_asked_where_no_model_would_be_let_in(self, model, clock, scope):
        model.scripts["echo"] = [ModelAccessDenied("403", Refusal.KEY), Echo(word="네", count=1)]
        runner = self.runner(model, clock, fallback_on_failure=True)
        assert await runner.ask(ECHO, GIVEN, scope) == ECHO.safe_default
        assert len(model.requests) == 1

    async def test_that_is_gone_as_well_leaves_the_safe_default(self, model, clock, scope):
        model.scripts["echo"] = ModelNotFound("404")
        assert await self.runner(model, clock).ask(ECHO, GIVEN, scope) == ECHO.safe_default
        assert len(model.requests) == 2
        assert only(scope).decided_by is DecidedBy.SAFE_DEFAULT

    async def test_is_announced_once_an_attempt(self, model, clock):
        told = []
        scope = scope_of(clock, emit=told.append)
        model.scripts["echo"] = ["{}", ModelNotFound("404"), Echo(word="네", count=1)]
        await self.runner(model, clock).ask(ECHO, GIVEN, scope)
        assert [event.attempt for event in told if isinstance(event, AgentRetry)] == [2, 3]

    async def test_of_a_model_that_rests_is_no_retry(self, model, clock):
        told = []
        scope = scope_of(clock, emit=told.append)
        model.scripts["echo"] = [ModelNotFound("404").billed(sends=0), Echo(word="네", count=1)]
        await self.runner(model, clock).ask(ECHO, GIVEN, scope)
        assert [event for event in told if isinstance(event, AgentRetry)] == []
