import json
from dataclasses import replace

import pytest
from pydantic import Field

from shared.contracts.events import AgentDone, AgentRetry, AgentStart
from shared.domain.errors import (
    ModelAccessDenied,
    ModelBlocked,
    ModelEmpty,
    ModelNotAllowed,
    ModelNotFound,
    ModelRateLimited,
    ModelResting,
    ModelSchemaMismatch,
    ModelStreamBroken,
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
from tests.builders.small_service import scope_of
from tests.fakes.echo import ECHO, PROMPT, Echo, EchoInput
from tests.fakes.scripted_model import ScriptedModel, Stream
from tests.fakes.settable_clock import SettableClock

GIVEN = EchoInput(text="안녕")
JSON = '{"word": "네", "count": 0}'
YES = Echo(word="네", count=0)
SETTINGS = ModelSettings(model="m-1", timeout_s=6, first_token_s=4, price_in=1000, price_out=20000)
SECOND = SETTINGS.model_copy(update={"model": "m-2", "price_out": 1000})
CUT = {"prompt_tokens": 300, "output_tokens": 40}


class Runner:
    """An agent over a model with a script of answers, and the events that its listener got."""

    def __init__(self, *script, seconds=45.0, model=None, **settings):
        self.clock = SettableClock()
        self.model = model or ScriptedModel()
        self.model.scripts["echo"] = list(script)
        self.runner = AgentRunner(self.model, {"echo": SETTINGS.model_copy(update=settings)}, self.clock)
        self.events = []
        self.scope = scope_of(self.clock, seconds, emit=self.events.append)
        self.scope.label = lambda agent, attempt: f"label of {agent}, {attempt}"

    async def ask(self, rule=None, agent=ECHO):
        return await self.runner.ask(agent, GIVEN, self.scope, rule)

    async def stream(self, agent=ECHO):
        """Ask by a stream; return the answer, and which calls were streamed."""
        ways, stream, generate = [], self.model.stream, self.model.generate

        def streamed(request):
            ways.append("stream")
            return stream(request)

        async def whole(request):
            ways.append("whole")
            return await generate(request)

        self.model.stream, self.model.generate = streamed, whole
        answer = await self.runner.ask(agent, GIVEN, self.scope, partial=lambda _: None)
        return answer, ways

    @property
    def run(self):
        (run,) = self.scope.ledger.runs
        return run

    @property
    def asked(self):
        return [request.settings.model for request in self.model.requests]

    @property
    def timeouts(self):
        return [request.settings.timeout_s for request in self.model.requests]


class TestAGoodAnswer:
    async def test_is_requested_returned_announced_and_recorded_in_the_ledger(self):
        def slowly(request):
            runner.clock.advance(1.25)
            return YES

        runner = Runner(slowly)
        assert await runner.ask() == YES
        (request,) = runner.model.requests
        rendered = PROMPT.render(Locale.KO, GIVEN)
        assert request.system == rendered.system
        assert request.messages == (ModelMessage(role="user", text=rendered.user),)
        assert (request.settings, request.response_schema) == (SETTINGS, Echo)
        run = runner.run
        assert (run.agent, run.decided_by, run.attempts, run.error) == ("echo", DecidedBy.MODEL, 1, None)
        assert (run.prompt, run.input_digest, run.model) == ("echo/v1.ko", rendered.digest, "m-1")
        assert run.output == {"word": "네", "count": 0}
        assert (run.prompt_tokens, run.output_tokens, run.cost_krw) == (100, 10, 0.3)
        assert (run.latency_ms, runner.scope.ledger.waiting_seconds()) == (1250, 1.25)
        assert runner.events == [AgentStart(agent="echo", label="label of echo, 1"), AgentDone(agent="echo")]

    @pytest.mark.parametrize(
        "text", [JSON, f" \n{JSON} ", f"```json\n{JSON}\n```", f"```\n{JSON}\n```", '{"x": 1, ' + JSON[1:]]
    )
    async def test_may_have_blanks_a_code_fence_or_an_unknown_field(self, text):
        runner = Runner(text)
        assert (await runner.ask()).word == "네"
        assert runner.run.attempts == 1


class TestAnAnswerThatDoesNotFit:
    async def test_is_requested_once_more_with_the_answer_and_its_problems_and_both_calls_are_billed(self):
        runner = Runner('{"count": "many"}', YES)
        assert await runner.ask() == YES
        first, second = runner.model.requests
        assert second.messages[: len(first.messages)] == first.messages
        answered, correction = second.messages[len(first.messages) :]
        assert (answered.role, answered.text, correction.role) == ("model", '{"count": "many"}', "user")
        assert "word: Field required" in correction.text
        assert "count: Input should be a valid integer" in correction.text
        run = runner.run
        assert (run.decided_by, run.attempts, run.prompt_tokens, run.output_tokens) == (DecidedBy.MODEL, 2, 200, 20)
        assert (run.cost_krw, run.error) == (0.6, None)

    async def test_twice_gives_the_safe_default_without_a_third_call(self):
        runner = Runner(*["no json"] * 3)
        assert await runner.ask() is ECHO.safe_default
        run = runner.run
        assert len(runner.model.requests) == run.attempts == MAX_ASKS == 2
        assert (run.decided_by, run.output) == (DecidedBy.SAFE_DEFAULT, {"word": "default", "count": 0})
        assert run.error.startswith("model_schema_mismatch: ")

    async def test_may_be_one_that_a_rule_refuses_and_the_rules_message_is_sent_back(self):
        runner = Runner(Echo(word="x", count=0), YES)
        answer = await runner.ask(lambda a: None if a.word == "네" else "word must be 네")
        assert answer.word == "네"
        assert runner.model.requests[1].messages[-1].text.endswith("word must be 네")
        assert await Runner(YES, YES, YES).ask(lambda a: "never") is ECHO.safe_default

    async def test_has_its_problems_listed_without_values_and_up_to_a_number(self):
        with pytest.raises(ModelSchemaMismatch) as caught:
            parse(Echo, '{"word": 5, "count": "비밀"}', None)
        assert [problem.partition(":")[0] for problem in caught.value.problems.split("; ")] == ["word", "count"]
        assert "비밀" not in caught.value.problems

        class Words(AnswerSchema):
            words: tuple[str, ...] = Field(max_length=500)

        with pytest.raises(ModelSchemaMismatch) as caught:
            parse(Words, json.dumps({"words": [7] * 500}), None)
        assert caught.value.problems.count("; ") == MOST_PROBLEMS - 1


class TestAModelThatFails:
    @pytest.mark.parametrize(
        "failure", [ModelUnavailable("503"), ModelTimeout("slow"), ModelRateLimited("429"), ModelTruncated("x")]
    )
    async def test_gives_the_safe_default_without_a_re_ask(self, failure):
        runner = Runner(failure, YES)
        assert await runner.ask() is ECHO.safe_default
        assert (len(runner.model.requests), runner.run.attempts) == (1, 1)
        assert (runner.run.decided_by, runner.run.error) == (
            DecidedBy.SAFE_DEFAULT,
            f"{failure.code}: {failure.reason}",
        )

    @pytest.mark.parametrize("failure", [ModelEmpty("blank"), ModelBlocked("SAFETY")])
    async def test_with_no_text_or_a_block_is_asked_once_more(self, failure):
        runner = Runner(failure, YES)
        assert await runner.ask() == YES
        assert (runner.run.attempts, runner.run.decided_by, runner.run.error) == (2, DecidedBy.MODEL, None)
        assert runner.model.requests[0].messages == runner.model.requests[1].messages
        runner = Runner(failure, failure, YES)
        assert await runner.ask() is ECHO.safe_default
        assert len(runner.model.requests) == 2, "once"

    @pytest.mark.parametrize(
        ("script", "tokens", "cost", "attempts"),
        [
            ([ModelTruncated("cut").billed(**CUT, sends=3)], (300, 40), 1.1, 3),
            (["no json", ModelTruncated("cut").billed(**CUT, sends=2)], (400, 50), 1.4, 3),
        ],
        ids=["at first", "at the re-ask"],
    )
    async def test_is_recorded_with_the_billed_tokens_and_every_request_sent(self, script, tokens, cost, attempts):
        runner = Runner(*script)
        await runner.ask()
        run = runner.run
        assert ((run.prompt_tokens, run.output_tokens), run.cost_krw, run.attempts) == (tokens, cost, attempts)
        assert runner.scope.ledger.spent().llm_calls == attempts


class TestTheDeadline:
    async def test_once_passed_prevents_every_call(self):
        runner = Runner(YES, seconds=0)
        assert await runner.ask() is ECHO.safe_default
        assert runner.model.requests == []
        assert (runner.run.attempts, runner.run.error) == (0, "model_timeout: the turn's deadline has passed")

    async def test_limits_a_call_to_the_remaining_time(self):
        runner = Runner(YES, seconds=3)
        await runner.ask()
        assert (runner.timeouts, runner.model.requests[0].settings.first_token_s) == ([3], 3)

    @pytest.mark.parametrize(("took", "timeouts"), [(5, [6, 3]), (9, [6])])
    async def test_limits_the_re_ask_to_the_remaining_time_and_prevents_it_without_any(self, took, timeouts):
        def slow_and_wrong(request):
            runner.clock.advance(took)
            return "no json"

        runner = Runner(slow_and_wrong, YES, seconds=8)
        assert await runner.ask() == (YES if len(timeouts) == 2 else ECHO.safe_default)
        assert runner.timeouts == timeouts
        assert [isinstance(event, AgentRetry) for event in runner.events].count(True) == len(timeouts) - 1

    async def test_of_the_analysis_is_separate_from_the_turns(self):
        runner = Runner(YES, YES)
        runner.scope.answers_by = runner.clock.monotonic() + 4.5
        await runner.ask()
        assert runner.timeouts == [4.5]
        runner.clock.advance(4.5)
        assert await runner.ask() is ECHO.safe_default
        assert runner.timeouts == [4.5]

    async def test_does_not_count_the_time_of_loading_the_client(self):
        async def loading():
            runner.clock.advance(0 if runner.model.requests else 4)

        runner = Runner(YES, YES)
        runner.model.warm = loading
        runner.scope.answers_by = runner.clock.monotonic() + 4.5
        for _ in range(2):
            assert await runner.ask() == YES
        assert runner.timeouts == [4.5, 4.5]


class TestAFallback:
    """Another model, asked when the first one is gone, and after other failures if the settings say so."""

    def runner(self, *script, **settings):
        return Runner(*script, fallback=SECOND, **settings)

    async def test_answers_for_a_missing_model_at_its_own_price(self):
        runner = self.runner(ModelNotFound("404"), YES)
        assert await runner.ask() == YES
        run = runner.run
        assert (run.decided_by, run.model, run.error) == (DecidedBy.FALLBACK_MODEL, "m-2", None)
        assert run.reason == "m-1 failed: model_not_found"
        assert (run.cost_krw, run.attempts) == (round((100 * 1000 + 10 * 1000) / 1_000_000, 4), 2)

    @pytest.mark.parametrize(
        "failure", [ModelEmpty("x"), ModelBlocked("x"), ModelRateLimited("429"), ModelResting("left alone")]
    )
    async def test_is_asked_by_every_agent_after_a_failure_that_it_can_repair(self, failure):
        runner = self.runner(failure, YES)
        assert await runner.ask() == YES
        assert runner.asked == ["m-1", "m-2"]

    @pytest.mark.parametrize(
        ("failure", "settings", "asked"),
        [
            (ModelUnavailable("503"), {}, 1),
            (ModelUnavailable("503"), {"fallback_on_failure": True}, 2),
            (ModelAccessDenied("403", Refusal.KEY), {"fallback_on_failure": True}, 1),
        ],
        ids=["not by default", "if the settings say so", "not when access is denied"],
    )
    async def test_is_asked_after_another_failure_only_if_the_settings_say_so_and_access_is_granted(
        self, failure, settings, asked
    ):
        runner = self.runner(failure, YES, **settings)
        assert await runner.ask() == (YES if asked == 2 else ECHO.safe_default)
        assert len(runner.model.requests) == asked


BEGUN = '{"word": "위험", '
BREAKS = [ModelStreamBroken("cut"), ModelTimeout("stalled"), ModelTruncated("MAX_TOKENS"), ModelUnavailable("dropped")]


class TestAStreamedAnswerThatBreaks:
    @pytest.mark.parametrize("failure", BREAKS)
    async def test_is_asked_for_once_more_without_streaming(self, failure):
        runner = Runner(Stream((BEGUN,), error=failure), YES)
        assert await runner.stream() == (YES, ["stream", "whole"])
        first, second = runner.model.requests
        assert first.messages == second.messages
        assert (runner.run.decided_by, runner.run.error) == (DecidedBy.MODEL, None)

    async def test_in_its_json_is_asked_for_once_more_without_streaming(self):
        assert await Runner(Stream((BEGUN, "oops")), YES).stream() == (YES, ["stream", "whole"])

    async def test_is_asked_for_only_once_more(self):
        runner = Runner(Stream((BEGUN,), error=ModelTimeout("stalled")), ModelTimeout("hung"), YES)
        assert await runner.stream() == (ECHO.safe_default, ["stream", "whole"])

    @pytest.mark.parametrize(
        "failure",
        [ModelNotAllowed("withdrawn"), ModelRateLimited("429"), ModelNotFound("404"), ModelUnavailable("503")],
    )
    async def test_is_not_asked_for_again_if_it_had_not_begun(self, failure):
        assert await Runner(failure, YES).stream() == (ECHO.safe_default, ["stream"])

    async def test_is_not_asked_for_again_after_the_deadline(self):
        def stalls(request):
            runner.clock.advance(9)
            return Stream((BEGUN,), error=ModelTimeout("stalled"))

        runner = Runner(stalls, YES, seconds=8)
        assert await runner.stream() == (ECHO.safe_default, ["stream"])


class TestWhatHadArrived:
    """The beginning of a broken answer, of which an agent may keep what must not be lost."""

    @staticmethod
    def keeping(kept):
        def keep(given, answer, beginning):
            kept.append((given, answer, beginning))
            return answer.model_copy(update={"count": answer.count + 1})

        return replace(ECHO, keep=keep)

    @pytest.mark.parametrize("failure", BREAKS)
    async def test_of_a_stream_is_kept_when_no_answer_comes(self, failure):
        kept = []
        runner = Runner(Stream((BEGUN,), error=failure), ModelUnavailable("503"))
        answer, _ = await runner.stream(self.keeping(kept))
        assert kept == [(GIVEN, ECHO.safe_default, BEGUN)]
        assert (answer.count, runner.run.output["count"]) == (1, 1)
        assert runner.run.decided_by is DecidedBy.SAFE_DEFAULT
        assert "echo" in runner.scope.ledger.errors

    async def test_is_held_against_the_answer_that_comes_after_it(self):
        kept = []
        runner = Runner(Stream((BEGUN,), error=ModelTimeout("stalled")), YES)
        answer, _ = await runner.stream(self.keeping(kept))
        assert kept == [(GIVEN, YES, BEGUN)]
        assert (answer.word, answer.count) == ("네", 1)

    async def test_of_a_whole_answer_that_is_cut_or_does_not_fit_is_kept_too(self):
        kept = []
        runner = Runner('{"word": "네", "count": "many"}', Stream((BEGUN,), error=ModelTruncated("MAX_TOKENS")))
        await runner.ask(agent=self.keeping(kept))
        assert [beginning for _, _, beginning in kept] == ['{"word": "네", "count": "many"}', BEGUN]

    async def test_is_not_looked_at_if_the_first_answer_is_good(self):
        kept = []
        assert await Runner(YES).ask(agent=self.keeping(kept)) == YES
        assert kept == []
