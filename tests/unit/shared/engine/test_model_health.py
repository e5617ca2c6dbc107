import asyncio
import logging
from contextlib import suppress

import pytest

from shared.domain import errors
from shared.engine.circuit_breaker import FIRST_REST_S, OPENS_AFTER
from shared.engine.model_health import LOOK_AGAIN_S, REST_S, SILENT_FOR_S, UNANSWERED, ModelHealth
from shared.engine.watched_model import LOOK_S, PROBE_S, PROBES_APART_S, WatchedModel
from shared.ports.language_model import ModelMessage, ModelRequest
from shared.ports.model_settings import ModelSettings
from tests.fakes.scripted_model import ScriptedModel

GONE, REFUSED = errors.ModelNotFound("404 NOT_FOUND"), errors.ModelRejected("400 INVALID_ARGUMENT")
DENIED = errors.ModelAccessDenied("403 PERMISSION_DENIED", errors.Refusal.PERMISSION)
DOWN, SLOW, LIMITED = errors.ModelUnavailable("503"), errors.ModelTimeout("slow"), errors.ModelRateLimited("429")


@pytest.fixture
def health(clock):
    return ModelHealth(clock)


@pytest.fixture
def error_lines(caplog):
    return lambda: [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]


def request(agent="counselor", model="m-1", **more):
    words = (ModelMessage(role="user", text="안녕"),)
    return ModelRequest(agent=agent, system="", messages=words, settings=ModelSettings(model=model), **more)


def status(health):
    return health.status.state.value, health.status.reason


def silence(health, clock, error, seconds=SILENT_FOR_S):
    """Let calls fail over this many seconds."""
    for step in range(UNANSWERED):
        health.failed(error, "m-1", "counselor")
        if step + 1 < UNANSWERED:
            clock.advance(seconds / (UNANSWERED - 1))


class TestTheStatus:
    @pytest.mark.parametrize(
        ("error", "reason"),
        [(GONE, "m-1: model_not_found; m-2: model_not_found"), (DENIED, "access denied: permission")],
    )
    def test_is_degraded_while_one_model_is_dead_and_unreachable_when_all_are(self, health, error, reason):
        health.failed(error, "m-1", "counselor")
        health.answered("m-2", "counselor")
        assert status(health) == ("degraded", f"m-1: {error.code}")
        health.failed(error, "m-2", "counselor")
        assert status(health) == ("unreachable", reason)

    def test_is_degraded_while_one_agent_is_refused_and_unreachable_when_all_are(self, health):
        health.failed(REFUSED, "m-1", "counselor")
        health.answered("m-1", "closer")
        assert status(health) == ("degraded", "m-1 for counselor: model_rejected")
        health.failed(REFUSED, "m-1", "closer")
        assert status(health)[0] == "unreachable"

    @pytest.mark.parametrize("error", [DOWN, SLOW, LIMITED])
    def test_is_degraded_while_one_model_fails_and_another_answers(self, health, clock, error):
        for _ in range(UNANSWERED):
            health.failed(error, "m-1", "counselor")
            health.answered("m-2", "closer")
            clock.advance(SILENT_FOR_S)
        assert status(health) == ("degraded", f"m-1: {error.code}")

    @pytest.mark.parametrize(("seconds", "state"), [(SILENT_FOR_S, "unreachable"), (SILENT_FOR_S / 2, "ok")])
    def test_is_unreachable_when_all_calls_fail_for_long_enough(self, health, clock, seconds, state):
        health.answered("m-1", "counselor")
        silence(health, clock, DOWN, seconds)
        assert status(health)[0] == state

    def test_names_an_agent_whose_answers_are_always_truncated(self, health):
        for _ in range(UNANSWERED):
            health.failed(errors.ModelTruncated("MAX_TOKENS"), "m-1", "planner")
        assert status(health)[1] == "m-1 for planner: model_truncated"
        health.answered("m-1", "planner")
        assert status(health)[0] == "ok"

    @pytest.mark.parametrize("error", [GONE, REFUSED, DENIED, DOWN])
    def test_is_ok_again_once_the_model_answers(self, health, clock, error):
        silence(health, clock, error)
        assert status(health)[0] != "ok"
        health.answered("m-1", "counselor")
        assert (status(health), health.problems) == (("ok", None), ())


class TestALook:
    @pytest.fixture
    def look(self, health):
        async def look(**found):
            model = ScriptedModel({"": lambda request: found[request.settings.model]})
            watched = WatchedModel(model, health, patience=3)
            await watched.look(tuple(found))
            limits = {(one.settings.max_output_tokens, one.settings.timeout_s) for one in model.requests}
            assert limits == {(1, 3 * LOOK_S)}
            return status(health)

        return look

    @pytest.mark.parametrize("error", [GONE, DENIED])
    async def test_reports_a_model_that_is_not_served_before_the_first_call(self, look, health, error_lines, error):
        assert await look(gone=error, served="1") == ("degraded", f"gone: {error.code}")
        assert len(error_lines()) == 1

    async def test_at_an_address_of_another_version_reports_the_status_and_the_variable_to_set(self, look, health):
        wrong = errors.ModelAccessDenied("405", errors.Refusal.ADDRESS)
        state, said = await look(a=wrong, b=wrong)
        assert state == "unreachable"
        assert all(word in said for word in ("(405)", "GOOGLE_GENAI_API_VERSION"))
        assert health.problems == (said,)

    async def test_takes_a_cut_or_blocked_answer_for_one(self, look):
        cut, blocked = errors.ModelTruncated("MAX_TOKENS"), errors.ModelBlocked("SAFETY")
        assert await look(late=SLOW, cut=cut, blocked=blocked, served="1") == ("ok", None)

    @pytest.mark.parametrize("error", [REFUSED, errors.ModelEmpty("no finished candidate")])
    async def test_reports_a_model_that_refuses_it_or_answers_in_another_form_until_it_answers_an_agent(
        self, look, health, error
    ):
        assert await look(strange=error) == ("unreachable", "strange: model_rejected")
        assert await look(strange=error, served="1") == ("degraded", "strange: model_rejected")
        health.answered("strange", "counselor")
        assert status(health) == ("ok", None)

    async def test_that_reaches_no_model_reports_unreachable_until_a_call_is_answered(self, look, health, clock):
        assert (await look(a=DOWN, b=SLOW))[0] == "unreachable"
        assert len(health.problems) == 1
        health.answered("a", "counselor")
        assert status(health)[0] == "ok"
        assert (await look(a=SLOW))[0] == "ok", "a late look does not override a call that was just answered"
        clock.advance(LOOK_AGAIN_S)
        assert (await look(a=SLOW))[0] == "unreachable"

    async def test_is_repeated_when_somebody_asks_and_no_model_has_answered_for_a_while(self, health, clock):
        model = ScriptedModel({"": "1"})
        watched = WatchedModel(model, health)
        watched.look_again()
        assert not model.requests, "nobody has looked yet: there is no key"
        await watched.look(("a",))
        for looks in (1, 2):
            for _ in range(3):
                watched.look_again()
                await asyncio.sleep(0.01)
                assert len(model.requests) == looks
            clock.advance(LOOK_AGAIN_S)
        health.answered("a", "counselor")
        watched.look_again()
        await asyncio.sleep(0.01)
        assert len(model.requests) == 2, "the answered call says it"


def test_a_problem_is_logged_once_at_error_with_the_setting_to_change(health, error_lines):
    for _ in range(5):
        health.failed(GONE, "m-1", "counselor")
    (line,) = error_lines()
    assert "m-1 is not served (404): set another in agents.yaml, CBOT_AGENTS_FILE" in line


both_ways = pytest.mark.parametrize("streamed", [False, True])


class TestAWatchedModel:
    @pytest.fixture
    def model(self):
        return ScriptedModel({"counselor": "네."})

    @pytest.fixture
    def watched(self, model, health):
        return WatchedModel(model, health)

    async def test_of_a_slow_model_is_probed_with_patience(self, model, health, clock):
        watched = WatchedModel(model, health, patience=10)
        model.scripts["counselor"] = [*[DOWN] * OPENS_AFTER, "네."]
        await self.fails(watched, times=OPENS_AFTER)
        clock.advance(FIRST_REST_S)
        slow = ModelSettings(model="m-1").patient(10)
        [_ async for _ in watched.stream(request().model_copy(update={"settings": slow}))]
        assert model.requests[-1].settings.first_token_s == 10 * PROBE_S

    async def ask(self, watched, *, streamed=True, **asked):
        if not streamed:
            return (await watched.generate(request(**asked))).text
        return "".join([chunk.text async for chunk in watched.stream(request(**asked))])

    async def fails(self, watched, error=errors.ModelError, *, times=1, **asked):
        for _ in range(times):
            with pytest.raises(error):
                await self.ask(watched, **asked)

    @both_ways
    async def test_passes_answers_and_failures_on(self, watched, model, health, streamed):
        assert await self.ask(watched, streamed=streamed) == "네."
        model.scripts["counselor"] = errors.ModelAccessDenied("400", errors.Refusal.KEY)
        await self.fails(watched, errors.ModelAccessDenied, streamed=streamed)
        assert status(health) == ("unreachable", f"access denied: {errors.Refusal.KEY}")

    @both_ways
    async def test_does_not_ask_a_dead_model_for_a_while_and_still_asks_another(self, watched, model, clock, streamed):
        model.scripts["counselor"] = [GONE, "네.", "네."]
        await self.fails(watched, errors.ModelNotFound, streamed=streamed)
        await self.fails(watched, errors.ModelResting, streamed=streamed, times=2)
        assert len(model.requests) == 1
        assert await self.ask(watched, streamed=streamed, model="m-2") == "네."
        clock.advance(REST_S)
        assert await self.ask(watched, streamed=streamed) == "네."
        assert status(watched.health)[0] == "ok"

    async def test_does_not_count_a_call_that_was_never_sent(self, watched, model, health):
        for error in (errors.ModelNotAllowed("withdrawn"), *[errors.ModelTimeout("late").billed(sends=0)] * UNANSWERED):
            model.scripts["counselor"] = error
            await self.fails(watched, streamed=False)
        assert status(health)[0] == "ok"

    @both_ways
    @pytest.mark.parametrize(
        ("error", "calls"), [(DOWN, OPENS_AFTER), (SLOW, 2), (errors.ModelStreamBroken("cut"), OPENS_AFTER)]
    )
    async def test_rests_a_model_that_does_not_answer_and_then_probes_it(
        self, watched, model, clock, streamed, error, calls
    ):
        model.scripts["counselor"] = error
        await self.fails(watched, (type(error), errors.ModelResting), streamed=streamed, times=OPENS_AFTER + 2)
        assert len(model.requests) == calls
        clock.advance(FIRST_REST_S)
        model.scripts["counselor"] = "네."
        assert await self.ask(watched, streamed=streamed) == "네."
        probe = model.requests[-1]
        patience = probe.settings.first_token_s if streamed else probe.settings.timeout_s
        assert (probe.attempts, patience) == (1, PROBE_S), "a user may be waiting for it"
        await self.ask(watched, streamed=streamed)
        assert model.requests[-1].settings == request().settings

    async def test_after_a_failed_probe_no_other_model_is_probed_for_a_while(self, watched, model, clock):
        names = ("gemini-3.6-flash", "gemini-3.5-flash-lite")
        model.scripts["counselor"] = DOWN
        for name in names * OPENS_AFTER:
            await self.fails(watched, streamed=False, model=name)
        clock.advance(FIRST_REST_S)
        sent = len(model.requests)
        for name in names:
            await self.fails(watched, streamed=False, model=name)
        assert len(model.requests) == sent + 1
        clock.advance(PROBES_APART_S)
        await self.fails(watched, errors.ModelUnavailable, streamed=False, model=names[1])
        assert len(model.requests) == sent + 2

    async def test_waits_for_the_pause_that_a_429_asks_for(self, watched, model, clock):
        model.scripts["counselor"] = [errors.ModelRateLimited("429", retry_after_s=40), "네."]
        for expected in (errors.ModelRateLimited, errors.ModelResting):
            await self.fails(watched, expected)
        clock.advance(40)
        assert await self.ask(watched) == "네."

    @pytest.mark.parametrize("error", [errors.ModelBlocked("SAFETY"), errors.ModelRejected("400"), DENIED])
    async def test_takes_a_refused_probe_as_a_sign_that_the_provider_answers(self, watched, model, clock, error):
        model.scripts["counselor"] = [*[DOWN] * OPENS_AFTER, error, "네.", "네."]
        for _ in range(OPENS_AFTER + 1):
            await self.fails(watched)
            clock.advance(FIRST_REST_S)
        for _ in range(2):
            assert await self.ask(watched) == "네."

    @pytest.mark.parametrize(("silent_s", "rests"), [(2.0, True), (1.9, False)])
    async def test_counts_a_stream_cancelled_after_its_hedge_delay_as_unanswered(
        self, watched, model, clock, silent_s, rests
    ):
        async def hang(_request):
            clock.advance(silent_s)
            await asyncio.Event().wait()
            yield

        model.stream = hang
        settings = ModelSettings(model="m-1", hedge_s=2)
        for _ in range(OPENS_AFTER):
            assert not watched.health.breaker("m-1", streamed=True).rests, "it might have spoken yet"
            stream = watched.stream(request().model_copy(update={"settings": settings}))
            calling = asyncio.ensure_future(anext(stream))
            for _ in range(5):
                await asyncio.sleep(0)
            assert not calling.done()
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)
        assert watched.health.breaker("m-1", streamed=True).rests is rests

    @pytest.mark.parametrize("others_hang", [True, False])
    async def test_opens_the_breakers_of_streams_cut_short_in_two_turns_only_if_every_model_hangs(
        self, watched, model, others_hang
    ):
        model.scripts = {"checker": SLOW if others_hang else "{}", "counselor": SLOW}
        for turn in range(2):
            for _ in range(2):
                with suppress(errors.ModelTimeout):
                    await watched.generate(request(agent="checker", model=f"analysers-{turn}"))
            for name in ("m-1", "m-2"):
                await self.fails(watched, errors.ModelTimeout, model=name, cut_short=True)
        for name in ("m-1", "m-2"):
            assert watched.health.breaker(name, streamed=True).rests is others_hang

    @pytest.fixture
    async def half_open(self, watched, model, clock):
        """A model whose breakers let one probe through."""
        model.scripts["counselor"] = DOWN
        for streamed in (False, True):
            await self.fails(watched, errors.ModelUnavailable, streamed=streamed, times=OPENS_AFTER)
        clock.advance(FIRST_REST_S)
        return model

    @both_ways
    @pytest.mark.parametrize("ends", [ValueError, errors.ModelNotAllowed, asyncio.CancelledError])
    async def test_lets_the_next_call_probe_however_a_probe_ends(self, watched, half_open, ends, streamed):
        half_open.scripts["counselor"] = [ends("unforeseen"), "네."]
        await self.fails(watched, ends, streamed=streamed)
        assert await self.ask(watched, streamed=streamed) == "네."
