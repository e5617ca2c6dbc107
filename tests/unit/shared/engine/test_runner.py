import json

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
from tests.builders.small_service import scope_of
from tests.fakes.echo import ECHO, PROMPT, Echo, EchoInput
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

GIVEN = EchoInput(text="안녕")
JSON = '{"word": "네", "count": 0}'
YES = Echo(word="네", count=0)
SETTINGS = ModelSettings(model="m-1", timeout_s=6, first_token_s=4, price_in=1000, price_out=20000)
SECOND = SETTINGS.model_copy(update={"model": "m-2", "price_out": 1000})
CUT = {"prompt_tokens": 300, "output_tokens": 40}


class Desk:
    """An agent over a model that answers so, one answer after another, and what its listener heard."""

    def __init__(self, *script, seconds=45.0, model=None, **settings):
        self.clock = SettableClock()
        self.model = model or ScriptedModel()
        self.model.scripts["echo"] = list(script)
        self.runner = AgentRunner(self.model, {"echo": SETTINGS.model_copy(update=settings)}, self.clock)
        self.events = []
        self.scope = scope_of(self.clock, seconds, emit=self.events.append)
        self.scope.label = lambda agent, attempt: f"label of {agent}, {attempt}"

    async def ask(self, rule=None):
        return await self.runner.ask(ECHO, GIVEN, self.scope, rule)

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
    async def test_is_asked_for_returned_announced_and_entered_in_the_ledger(self):
        def slowly(request):
            desk.clock.advance(1.25)
            return YES

        desk = Desk(slowly)
        assert await desk.ask() == YES
        (request,) = desk.model.requests
        rendered = PROMPT.render(Locale.KO, GIVEN)
        assert request.system == rendered.system
        assert request.messages == (ModelMessage(role="user", text=rendered.user),)
        assert (request.settings, request.response_schema) == (SETTINGS, Echo)
        run = desk.run
        assert (run.agent, run.decided_by, run.attempts, run.error) == ("echo", DecidedBy.MODEL, 1, None)
        assert (run.prompt, run.input_digest, run.model) == ("echo/v1.ko", rendered.digest, "m-1")
        assert run.output == {"word": "네", "count": 0}
        assert (run.prompt_tokens, run.output_tokens, run.cost_krw) == (100, 10, 0.3)
        assert (run.latency_ms, desk.scope.ledger.waiting_seconds()) == (1250, 1.25)
        assert desk.events == [AgentStart(agent="echo", label="label of echo, 1"), AgentDone(agent="echo")]

    @pytest.mark.parametrize(
        "text", [JSON, f" \n{JSON} ", f"```json\n{JSON}\n```", f"```\n{JSON}\n```", '{"x": 1, ' + JSON[1:]]
    )
    async def test_may_come_with_blanks_or_in_a_fence_or_with_a_field_of_its_own(self, text):
        desk = Desk(text)
        assert (await desk.ask()).word == "네"
        assert desk.run.attempts == 1


class TestAnAnswerThatDoesNotFit:
    async def test_is_asked_for_once_more_with_the_answer_and_what_was_wrong_and_both_calls_are_paid(self):
        desk = Desk('{"count": "many"}', YES)
        assert await desk.ask() == YES
        first, second = desk.model.requests
        assert second.messages[: len(first.messages)] == first.messages
        answered, told = second.messages[len(first.messages) :]
        assert (answered.role, answered.text, told.role) == ("model", '{"count": "many"}', "user")
        assert "word: Field required" in told.text
        assert "count: Input should be a valid integer" in told.text
        run = desk.run
        assert (run.decided_by, run.attempts, run.prompt_tokens, run.output_tokens) == (DecidedBy.MODEL, 2, 200, 20)
        assert (run.cost_krw, run.error) == (0.6, None)

    async def test_twice_leaves_the_safe_default_and_no_third_call(self):
        desk = Desk(*["no json"] * 3)
        assert await desk.ask() is ECHO.safe_default
        run = desk.run
        assert len(desk.model.requests) == run.attempts == MAX_ASKS == 2
        assert (run.decided_by, run.output) == (DecidedBy.SAFE_DEFAULT, {"word": "default", "count": 0})
        assert run.error.startswith("model_schema_mismatch: ")

    async def test_may_be_refused_by_a_rule_though_it_fits_the_schema_and_the_rules_words_are_shown(self):
        desk = Desk(Echo(word="x", count=0), YES)
        answer = await desk.ask(lambda a: None if a.word == "네" else "word must be 네")
        assert answer.word == "네"
        assert desk.model.requests[1].messages[-1].text.endswith("word must be 네")
        assert await Desk(YES, YES, YES).ask(lambda a: "never") is ECHO.safe_default

    async def test_names_every_problem_but_no_value_of_the_user_and_no_more_than_a_re_ask_can_hold(self):
        with pytest.raises(ModelSchemaMismatch) as caught:
            parse(Echo, '{"word": 5, "count": "비밀"}', None)
        assert [problem.partition(":")[0] for problem in caught.value.problems.split("; ")] == ["word", "count"]
        assert "비밀" not in caught.value.problems

        class Words(AnswerSchema):
            words: tuple[str, ...]

        with pytest.raises(ModelSchemaMismatch) as caught:
            parse(Words, json.dumps({"words": [7] * 500}), None)
        assert caught.value.problems.count("; ") == MOST_PROBLEMS - 1


class TestAModelThatFails:
    @pytest.mark.parametrize(
        "failure", [ModelUnavailable("503"), ModelTimeout("slow"), ModelRateLimited("429"), ModelTruncated("x")]
    )
    async def test_leaves_the_safe_default_without_a_re_ask(self, failure):
        desk = Desk(failure, YES)
        assert await desk.ask() is ECHO.safe_default
        assert (len(desk.model.requests), desk.run.attempts) == (1, 1)
        assert (desk.run.decided_by, desk.run.error) == (DecidedBy.SAFE_DEFAULT, f"{failure.code}: {failure.reason}")

    @pytest.mark.parametrize("failure", [ModelEmpty("blank"), ModelBlocked("SAFETY")])
    async def test_to_say_anything_is_asked_once_more(self, failure):
        desk = Desk(failure, YES)
        assert await desk.ask() == YES
        assert (desk.run.attempts, desk.run.decided_by, desk.run.error) == (2, DecidedBy.MODEL, None)
        assert desk.model.requests[0].messages == desk.model.requests[1].messages
        desk = Desk(failure, failure, YES)
        assert await desk.ask() is ECHO.safe_default
        assert len(desk.model.requests) == 2, "once"

    @pytest.mark.parametrize(
        ("script", "tokens", "cost", "attempts"),
        [
            ([ModelTruncated("cut").billed(**CUT, sends=3)], (300, 40), 1.1, 3),
            (["no json", ModelTruncated("cut").billed(**CUT, sends=2)], (400, 50), 1.4, 3),
        ],
        ids=["at first", "at the re-ask"],
    )
    async def test_costs_what_the_provider_counted_and_every_request_that_was_sent(
        self, script, tokens, cost, attempts
    ):
        desk = Desk(*script)
        await desk.ask()
        run = desk.run
        assert ((run.prompt_tokens, run.output_tokens), run.cost_krw, run.attempts) == (tokens, cost, attempts)
        assert desk.scope.ledger.spent().llm_calls == attempts


class TestTheDeadline:
    async def test_passed_nothing_is_called(self):
        desk = Desk(YES, seconds=0)
        assert await desk.ask() is ECHO.safe_default
        assert desk.model.requests == []
        assert (desk.run.attempts, desk.run.error) == (0, "model_timeout: the turn's deadline has passed")

    async def test_near_it_a_call_gets_only_what_is_left(self):
        desk = Desk(YES, seconds=3)
        await desk.ask()
        assert (desk.timeouts, desk.model.requests[0].settings.first_token_s) == ([3], 3)

    @pytest.mark.parametrize(("took", "timeouts"), [(5, [6, 3]), (9, [6])])
    async def test_leaves_the_re_ask_what_the_first_call_left_and_without_any_there_is_no_retry(self, took, timeouts):
        def slow_and_wrong(request):
            desk.clock.advance(took)
            return "no json"

        desk = Desk(slow_and_wrong, YES, seconds=8)
        assert await desk.ask() == (YES if len(timeouts) == 2 else ECHO.safe_default)
        assert desk.timeouts == timeouts
        assert [isinstance(event, AgentRetry) for event in desk.events].count(True) == len(timeouts) - 1

    async def test_of_the_analysers_is_their_own(self):
        desk = Desk(YES, YES)
        desk.scope.answers_by = desk.clock.monotonic() + 4.5
        await desk.ask()
        assert desk.timeouts == [4.5]
        desk.clock.advance(4.5)
        assert await desk.ask() is ECHO.safe_default
        assert desk.timeouts == [4.5]

    async def test_does_not_count_the_time_that_loading_the_client_takes_us(self):
        async def loading():
            desk.clock.advance(0 if desk.model.requests else 4)

        desk = Desk(YES, YES)
        desk.model.warm = loading
        desk.scope.answers_by = desk.clock.monotonic() + 4.5
        for _ in range(2):
            assert await desk.ask() == YES
        assert desk.timeouts == [4.5, 4.5]


class TestAFallback:
    """Another model that is asked when the first one is gone; after other failures where the settings say so."""

    def desk(self, *script, **settings):
        return Desk(*script, fallback=SECOND, **settings)

    async def test_answers_for_a_model_that_is_gone_at_its_own_price(self):
        desk = self.desk(ModelNotFound("404"), YES)
        assert await desk.ask() == YES
        run = desk.run
        assert (run.decided_by, run.model, run.error) == (DecidedBy.FALLBACK_MODEL, "m-2", None)
        assert run.reason == "m-1 failed: model_not_found"
        assert (run.cost_krw, run.attempts) == (round((100 * 1000 + 10 * 1000) / 1_000_000, 4), 2)

    @pytest.mark.parametrize(
        "failure", [ModelEmpty("x"), ModelBlocked("x"), ModelRateLimited("429"), ModelResting("left alone")]
    )
    async def test_is_asked_by_every_agent_where_it_helps(self, failure):
        desk = self.desk(failure, YES)
        assert await desk.ask() == YES
        assert desk.asked == ["m-1", "m-2"]

    @pytest.mark.parametrize(
        ("failure", "settings", "asked"),
        [
            (ModelUnavailable("503"), {}, 1),
            (ModelUnavailable("503"), {"fallback_on_failure": True}, 2),
            (ModelAccessDenied("403", Refusal.KEY), {"fallback_on_failure": True}, 1),
        ],
        ids=["a failure of the moment", "where the settings say so", "where no model would be let in"],
    )
    async def test_is_asked_after_another_failure(self, failure, settings, asked):
        desk = self.desk(failure, YES, **settings)
        assert await desk.ask() == (YES if asked == 2 else ECHO.safe_default)
        assert len(desk.model.requests) == asked
