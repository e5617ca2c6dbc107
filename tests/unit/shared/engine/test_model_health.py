import logging

import pytest

from shared.domain.errors import (
    ModelAccessDenied,
    ModelBlocked,
    ModelError,
    ModelNotAllowed,
    ModelNotFound,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    Refusal,
)
from shared.engine.model_health import REST_S, TELL_AGAIN_S, UNANSWERED, ModelHealth, ModelState, WatchedModel
from shared.ports.language_model import ModelMessage, ModelRequest, ModelSettings
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

GONE = ModelNotFound("404 NOT_FOUND")
REFUSED = ModelRejected("400 INVALID_ARGUMENT")
DENIED = ModelAccessDenied("403 PERMISSION_DENIED", Refusal.PERMISSION)


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def health(clock):
    return ModelHealth(clock)


def request(agent="counselor", model="m-1"):
    words = (ModelMessage(role="user", text="안녕"),)
    return ModelRequest(agent=agent, system="", messages=words, settings=ModelSettings(model=model))


class Errors:
    """The lines that were logged at ERROR."""

    def __init__(self, caplog):
        self._caplog = caplog

    @property
    def lines(self):
        return [one.getMessage() for one in self._caplog.records if one.levelno == logging.ERROR]


@pytest.fixture
def errors(caplog):
    return Errors(caplog)


class TestTheStatus:
    def test_is_ok_as_long_as_nothing_failed(self, health):
        assert health.status.state is ModelState.OK
        assert health.status.reason is None
        assert health.problems == ()

    def test_is_degraded_while_one_model_is_dead_and_another_answers(self, health):
        health.answered("m-2", "closer")
        health.failed(GONE, "m-1", "counselor")
        assert health.status.state is ModelState.DEGRADED
        assert health.status.reason == "m-1: model_not_found"

    def test_is_unreachable_when_every_model_is_dead(self, health):
        health.failed(GONE, "m-1", "counselor")
        health.failed(GONE, "m-2", "counselor")
        assert health.status.state is ModelState.UNREACHABLE

    def test_is_degraded_while_one_agents_requests_are_refused(self, health):
        health.answered("m-1", "closer")
        health.failed(REFUSED, "m-1", "counselor")
        health.answered("m-1", "closer")
        assert health.status.state is ModelState.DEGRADED
        assert health.status.reason == "m-1 for counselor: model_rejected"

    def test_is_unreachable_when_every_request_is_refused_though_the_models_are_served(self, health):
        health.answered("m-1")
        health.failed(REFUSED, "m-1", "counselor")
        health.failed(REFUSED, "m-1", "closer")
        assert health.status.state is ModelState.UNREACHABLE

    @pytest.mark.parametrize("refusal", list(Refusal))
    def test_is_unreachable_without_access_and_says_why(self, health, refusal):
        health.answered("m-1", "counselor")
        health.failed(ModelAccessDenied("403", refusal), "m-1", "counselor")
        assert health.status.state is ModelState.UNREACHABLE
        assert refusal.value in health.status.reason

    @pytest.mark.parametrize("error", [ModelUnavailable("503"), ModelTimeout("slow")])
    def test_is_unreachable_only_after_several_calls_without_an_answer(self, health, error):
        for _ in range(UNANSWERED - 1):
            health.failed(error, "m-1", "counselor")
        assert health.status.state is ModelState.OK
        health.failed(error, "m-1", "counselor")
        assert health.status.state is ModelState.UNREACHABLE
        assert health.status.reason == error.code

    @pytest.mark.parametrize("error", [GONE, REFUSED, DENIED, *[ModelUnavailable("503")] * UNANSWERED])
    def test_is_ok_again_once_the_model_answers(self, health, error):
        for _ in range(UNANSWERED):
            health.failed(error, "m-1", "counselor")
        health.answered("m-1", "counselor")
        assert health.status.state is ModelState.OK
        assert health.problems == ()

    def test_takes_no_offence_at_an_answer_of_no_use(self, health):
        for _ in range(UNANSWERED):
            health.failed(ModelBlocked("SAFETY"), "m-1", "counselor")
        assert health.status.state is ModelState.OK


class TestAProblem:
    def test_is_told_once_at_error_with_what_to_change(self, health, errors):
        for _ in range(5):
            health.failed(GONE, "m-1", "counselor")
        (line,) = errors.lines
        assert "m-1 is not served (404): set another in CBOT_AGENTS_FILE" in line

    @pytest.mark.parametrize(
        ("refusal", "change"),
        [
            (Refusal.KEY, "GEMINI_API_KEY"),
            (Refusal.PERMISSION, "billing"),
            (Refusal.LOCATION, "region"),
            (Refusal.CREDENTIALS, "roles/aiplatform.user"),
        ],
    )
    def test_of_access_names_what_to_change(self, health, errors, refusal, change):
        health.failed(ModelAccessDenied("403", refusal), "m-1")
        assert change in errors.lines[0]
        assert change in health.problems[0]

    def test_that_comes_and_goes_is_told_once_an_hour(self, health, errors, clock):
        for _ in range(3):
            health.failed(GONE, "m-1")
            health.answered("m-1", "counselor")
        assert len(errors.lines) == 1
        clock.advance(TELL_AGAIN_S)
        health.failed(GONE, "m-1")
        assert len(errors.lines) == 2

    def test_of_the_moment_is_no_error_of_the_operator(self, health, errors):
        for _ in range(9):
            health.failed(ModelUnavailable("503"), "m-1")
        assert errors.lines == []
        assert "cannot be reached" in health.problems[0]


class TestAWatchedModel:
    @pytest.fixture
    def model(self):
        return ScriptedModel({"counselor": "네, 그래요."})

    @pytest.fixture
    def watched(self, model, health):
        return WatchedModel(model, health)

    async def ask(self, watched, *, streamed, **asked):
        if not streamed:
            return (await watched.generate(request(**asked))).text
        return "".join([chunk.text async for chunk in watched.stream(request(**asked))])

    @pytest.mark.parametrize("streamed", [False, True])
    async def test_hands_answers_and_failures_on(self, watched, model, health, streamed):
        assert await self.ask(watched, streamed=streamed) == "네, 그래요."
        model.scripts["counselor"] = DENIED
        with pytest.raises(ModelAccessDenied):
            await self.ask(watched, streamed=streamed)
        assert health.status.state is ModelState.UNREACHABLE

    @pytest.mark.parametrize("streamed", [False, True])
    async def test_does_not_ask_a_dead_model_again_for_a_while(self, watched, model, clock, streamed):
        model.scripts["counselor"] = GONE
        for _ in range(3):
            with pytest.raises(ModelNotFound):
                await self.ask(watched, streamed=streamed)
        assert len(model.requests) == 1
        clock.advance(REST_S)
        model.scripts["counselor"] = "네."
        assert await self.ask(watched, streamed=streamed) == "네."
        assert watched.health.status.state is ModelState.OK

    async def test_lets_another_model_answer_meanwhile(self, watched, model):
        model.scripts["counselor"] = [GONE, "네."]
        with pytest.raises(ModelNotFound):
            await self.ask(watched, streamed=False)
        assert await self.ask(watched, streamed=False, model="m-2") == "네."

    async def test_holds_nothing_against_a_call_that_was_never_sent(self, watched, model, health):
        for error in (ModelNotAllowed("withdrawn"), *[ModelTimeout("late").billed(sends=0)] * UNANSWERED):
            model.scripts["counselor"] = error
            with pytest.raises(ModelError):
                await self.ask(watched, streamed=False)
        assert health.status.state is ModelState.OK

    async def test_a_look_says_before_the_first_call_what_is_not_served(self, watched, health, model, errors):
        class Half(ScriptedModel):
            async def check(self, model):
                if model == "m-1":
                    raise GONE

        await health.look(Half(), {"m-1", "m-2"})
        assert health.status.state is ModelState.DEGRADED
        assert len(errors.lines) == 1
        assert not health.rests("m-1"), "a gateway may answer calls and know no list of models"
