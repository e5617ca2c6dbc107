import pytest

from shared.contracts.events import AgentDone, AgentRetry, AgentStart, Replace, Token
from shared.domain.errors import (
    ModelBlocked,
    ModelEmpty,
    ModelNotAllowed,
    ModelNotFound,
    ModelRejected,
    ModelSchemaMismatch,
    ModelStreamBroken,
    ModelTimeout,
    ModelTruncated,
    ModelUnavailable,
)
from shared.domain.turn import DecidedBy
from shared.engine.attempt import LONGEST_REPLY
from shared.engine.runner import AgentRunner
from shared.engine.speech import speak
from shared.ports.language_model import ModelMessage
from shared.ports.model_answers import ModelChunk, Usage
from shared.ports.model_settings import ModelSettings
from shared.safety.output_guard.guard import Guarded
from tests.builders.small_service import scope_of
from tests.fakes.echo import SPEAKER, EchoInput
from tests.fakes.scripted_model import USAGE, ScriptedModel, Stream
from tests.fakes.settable_clock import SettableClock

HISTORY = (ModelMessage(role="user", text="힘들어요"),)
SETTINGS = ModelSettings(model="m-1", timeout_s=25, price_in=1000, price_out=20000)
WHOLE = "많이 지치셨을 것 같아요. 어떤 점이 가장 힘드셨나요?"
SENTENCE = "그런 밤이 길게 느껴지셨겠어요. "
BROKEN, GONE = ModelStreamBroken("cut"), ModelUnavailable("503")
BILLED = {"prompt_tokens": 300, "output_tokens": 40, "sends": 3}
CUT_ENDING = "(그만)"


class Chunks(ScriptedModel):
    """A model that streams these."""

    def __init__(self, *chunks):
        super().__init__()
        self.chunks = chunks

    async def stream(self, request):
        self.requests.append(request)
        for chunk in self.chunks:
            yield chunk


class Studio:
    """A speaker over a scripted model, and what its listener heard."""

    def __init__(self, script, fallback=None, seconds=45.0):
        self.clock = SettableClock()
        self.model = script if isinstance(script, ScriptedModel) else ScriptedModel({"speaker": script})
        second = fallback and SETTINGS.model_copy(update={"model": fallback})
        settings = SETTINGS.model_copy(update={"fallback": second, "fallback_on_failure": True})
        self.runner = AgentRunner(self.model, {"speaker": settings}, self.clock)
        self.events = []
        self.scope = scope_of(self.clock, seconds, emit=self.events.append)

    async def speak(self, *guard):
        return await speak(self.runner, SPEAKER, EchoInput(text="", rule="r"), HISTORY, self.scope, *guard)

    @property
    def runs(self):
        return self.scope.ledger.runs

    @property
    def asked(self):
        return [request.settings.model for request in self.model.requests]

    @property
    def tokens(self):
        return [event.text for event in self.events if isinstance(event, Token)]

    @property
    def replacements(self):
        return [event.text for event in self.events if isinstance(event, Replace)]

    @property
    def screens(self):
        """What stood on the user's screen after each event."""
        text = ""
        for event in self.events:
            text = event.text if isinstance(event, Replace) else text + getattr(event, "text", "")
            yield text

    @property
    def shown(self):
        return [*self.screens][-1]


class TestAWholeStream:
    async def test_is_asked_for_with_prompt_and_dialogue_and_reaches_the_listener_token_by_token(self):
        def late(request):
            studio.clock.advance(0.5)
            return Stream(("많이 ", "힘드셨", "겠어요."))

        studio = Studio(late)
        spoken = await studio.speak()
        assert (spoken.text, spoken.shortened) == ("많이 힘드셨겠어요.", False)
        assert (studio.tokens, studio.replacements) == (["많이 ", "힘드셨", "겠어요."], [])
        assert [type(event) for event in (studio.events[0], studio.events[-1])] == [AgentStart, AgentDone]
        (request,) = studio.model.requests
        assert (request.messages, request.response_schema) == (HISTORY, None)
        assert "<rule>r</rule>" in request.system
        (run,) = studio.runs
        assert (run.agent, run.decided_by, run.attempts, run.model) == ("speaker", DecidedBy.MODEL, 1, "m-1")
        assert (run.first_token_ms, run.latency_ms) == (500, 500)
        assert (run.prompt_tokens, run.output_tokens, run.cost_krw, run.error) == (100, 10, 0.3, None)
        assert run.prompt == "echo/v1.ko"


class TestAFailureBeforeTheFirstToken:
    @pytest.mark.parametrize("failure", [GONE, Stream((), BROKEN), Stream((" ", "\n"), BROKEN)])
    async def test_is_none_where_one_more_stream_of_the_same_model_fails_as_well(self, failure):
        studio = Studio(failure)
        assert await studio.speak() is None
        assert (studio.tokens, studio.replacements) == ([], [])
        first, second = studio.runs
        assert (first.decided_by, first.reason) == (DecidedBy.MODEL, "nothing kept; asked once more")
        assert (second.decided_by, second.reason) == (DecidedBy.SAFE_DEFAULT, "nothing kept; no model spoke")
        assert second.error.startswith("model_")
        assert second.first_token_ms is None
        assert studio.scope.ledger.failed("speaker")

    @pytest.mark.parametrize(
        "failure", [ModelEmpty("blank"), ModelBlocked("SAFETY"), '{"reply": "네."}', Stream(()), Stream((" ",), BROKEN)]
    )
    async def test_is_mended_by_one_more_stream_of_the_same_model(self, failure):
        studio = Studio([failure, WHOLE])
        assert (await studio.speak()).text == studio.shown == WHOLE
        assert studio.asked == ["m-1", "m-1"]
        assert [run.decided_by for run in studio.runs] == [DecidedBy.MODEL] * 2

    @pytest.mark.parametrize("failure", [ModelRejected("400"), ModelNotFound("404"), ModelNotAllowed("withdrawn")])
    async def test_that_would_come_again_is_not_asked_for_again(self, failure):
        studio = Studio([failure, WHOLE])
        assert await studio.speak() is None
        assert studio.asked == ["m-1"]
        assert [type(event) for event in studio.events] == [AgentStart, AgentDone], "and told of as no retry"

    async def test_goes_to_the_fallback_model(self):
        studio = Studio([GONE, Stream(("네, ", "그래요."))], fallback="m-2")
        assert (await studio.speak()).text == "네, 그래요."
        assert (studio.asked, studio.replacements) == (["m-1", "m-2"], [])
        first, second = studio.runs
        assert (first.decided_by, first.error, first.model) == (DecidedBy.MODEL, "model_unavailable: 503", "m-1")
        assert first.reason == "nothing kept; the fallback model is asked"
        assert (second.decided_by, second.error, second.model) == (DecidedBy.FALLBACK_MODEL, None, "m-2")
        assert second.reason == ""
        assert not studio.scope.ledger.failed("speaker")


class TestTheCost:
    @pytest.mark.parametrize(
        "failure",
        [
            ModelBlocked("SAFETY").billed(**BILLED),
            Stream((WHOLE, " 그"), ModelTruncated("cut").billed(**BILLED)),
            Stream(("네",), ModelStreamBroken("cut").billed(**BILLED)),
        ],
    )
    async def test_of_a_failure_is_what_the_provider_counted_for_it(self, failure):
        studio = Studio(failure)
        await studio.speak()
        run = studio.runs[0]
        assert (run.prompt_tokens, run.output_tokens, run.cost_krw, run.attempts) == (300, 40, 1.1, 3)

    async def test_counts_every_request_that_was_sent(self):
        studio = Studio(Chunks(ModelChunk(text="네.", sends=3), ModelChunk(text="", usage=USAGE, sends=3)))
        await studio.speak()
        assert studio.scope.ledger.spent().llm_calls == 3

    async def test_of_a_stream_that_was_closed_early_is_what_it_had_used_by_then(self):
        used = [Usage(prompt_tokens=9, output_tokens=n) for n in range(90)]
        studio = Studio(Chunks(*(ModelChunk(text="네. 그랬군요. " * 20, usage=usage) for usage in used)))
        assert (await studio.speak()).shortened
        (run,) = studio.runs
        assert (run.prompt_tokens, run.output_tokens) == (9, 6)


class TestAFailureInTheMiddle:
    async def test_keeps_the_whole_sentences_and_takes_the_rest_back(self):
        studio = Studio(Stream((WHOLE, " 혹시 요", "즘"), BROKEN), fallback="m-2")
        spoken = await studio.speak()
        assert (spoken.text, spoken.shortened) == (WHOLE, True)
        assert (studio.replacements, studio.shown) == ([WHOLE], WHOLE)
        (run,) = studio.runs
        assert (run.error, len(studio.model.requests)) == ("model_stream_broken: cut", 1)

    @pytest.mark.parametrize(
        "cut",
        ["음…", "많이 지치셨을 것 같은데 혹시 요즘에", "네. 그런데 혹시 요즘 잠은 잘", "버전 2.5가 나온 뒤로 계속"],
    )
    async def test_without_enough_whole_sentences_begins_anew_with_the_fallback_and_tells_of_a_retry(self, cut):
        studio = Studio([Stream((cut,), BROKEN), WHOLE], fallback="m-2")
        assert (await studio.speak()).text == WHOLE
        assert (studio.replacements, studio.shown) == ([""], WHOLE)
        (place,) = [n for n, event in enumerate(studio.events) if isinstance(event, AgentRetry)]
        retry = AgentRetry(agent="speaker", label="speaker", attempt=2)
        assert studio.events[place : place + 2] == [retry, Replace(text="")]


class TestTheDeadline:
    async def test_passed_nothing_is_called(self):
        studio = Studio(WHOLE, fallback="m-2", seconds=0)
        assert await studio.speak() is None
        assert studio.model.requests == []
        assert studio.scope.ledger.spent().llm_calls == 0

    async def test_leaves_the_fallback_only_what_the_first_model_left(self):
        def slow(request):
            studio.clock.advance(25)
            return ModelTimeout("slow")

        studio = Studio([slow, WHOLE], fallback="m-2", seconds=45)
        assert (await studio.speak()).text == WHOLE
        assert [request.settings.timeout_s for request in studio.model.requests] == [25, 20]


class TestAReplyThatDoesNotEnd:
    async def test_ends_with_the_last_whole_sentence_that_fits_and_the_stream_is_closed(self):
        studio = Studio(Chunks(*(ModelChunk(text=SENTENCE) for _ in range(10_000))))
        spoken = await studio.speak()
        assert spoken.shortened
        assert LONGEST_REPLY - len(SENTENCE) <= len(spoken.text) <= LONGEST_REPLY
        assert spoken.text == (SENTENCE * (len(spoken.text) // len(SENTENCE) + 1)).rstrip()
        assert studio.shown == spoken.text
        (run,) = studio.runs
        assert (run.decided_by, run.error, run.reason) == (DecidedBy.MODEL, None, "ended at 1200 characters")

    @pytest.mark.parametrize("length", [30, 170, 355, 890, 1100])
    async def test_takes_nothing_back_of_what_was_shown(self, length):
        sentence = f"{'그런 밤이 길게 느껴지고 ' * 100}"[: length - 3] + "요. "
        studio = Studio(Chunks(*(ModelChunk(text=piece) for piece in (sentence * 80))))
        spoken = await studio.speak()
        assert (studio.replacements, studio.shown) == ([], spoken.text)
        assert LONGEST_REPLY // 2 < len(spoken.text) <= LONGEST_REPLY

    @pytest.mark.parametrize("text", ["아" * 5000, "그리고 " * 2000])
    async def test_nor_a_sentence_says_that_it_goes_on(self, text):
        studio = Studio(text)
        spoken = await studio.speak()
        assert spoken.text.endswith("…")
        assert LONGEST_REPLY // 2 < len(spoken.text) <= LONGEST_REPLY
        assert studio.shown == spoken.text


class TestWhatIsNoProse:
    @pytest.mark.parametrize(
        "pieces",
        [
            ('{"reply": "네."}',),
            ("{", '"reply"'),
            (" \n", "```json\n{}", "\n```"),
            ("`", "`", "`\n네, 그랬군요. 많이 힘드셨겠어요."),
            ("\u200b{", "}"),
        ],
    )
    async def test_is_a_failure_to_speak_of_which_nothing_is_shown(self, pieces):
        studio = Studio(Stream(pieces))
        assert await studio.speak() is None
        assert (studio.tokens, studio.replacements) == ([], [])
        assert all(run.error.startswith(ModelSchemaMismatch.code) for run in studio.runs)
        assert {run.first_token_ms for run in studio.runs} == {None}
        studio = Studio([Stream(pieces), WHOLE], fallback="m-2")
        assert (await studio.speak()).text == studio.shown == WHOLE
        assert studio.replacements == []

    @pytest.mark.parametrize("pieces", [("`네`", "라고 하셨군요."), ("네", " {그", "}"), ("그", "```")])
    async def test_is_not_seen_in_prose_which_is_shown_from_its_first_piece(self, pieces):
        studio = Studio(Stream(pieces))
        assert (await studio.speak()).text == "".join(pieces)
        assert studio.tokens == list(pieces)


class NoStars:
    """A guard that lets out whole words and cuts before a star."""

    def __init__(self):
        self.text = ""
        self.out = 0

    @property
    def caught(self):
        return "*" in self.text

    def watch(self):
        return NoStars()

    def take(self, text):
        self.text += text
        end = self.text.partition("*")[0].rfind(" ")
        fresh, self.out = self.text[self.out : max(end, self.out)], max(end, self.out)
        return fresh

    def over(self, text):
        head, star, _ = text.partition("*")
        return Guarded(text=head.rstrip() + CUT_ENDING, category="means", rule="star") if star else Guarded(text=text)


class TestUnderAGuard:
    """Nothing that it cuts reaches the listener, and what stands is what was shown."""

    async def spoken(self, *script, fallback=None):
        studio = Studio(list(script), fallback)
        spoken = await studio.speak(NoStars())
        assert not any("*" in screen for screen in studio.screens)
        assert studio.shown == spoken.text
        return spoken, studio

    async def test_a_hit_ends_the_reply_without_taking_anything_back(self):
        spoken, studio = await self.spoken(Stream(("네, 그", "래요. 약 *", "은 더", " 드세요.")))
        assert (spoken.text, spoken.guarded.rule, spoken.shortened) == (f"네, 그래요. 약{CUT_ENDING}", "star", False)
        assert (studio.replacements, studio.runs[0].reason) == ([], "ended by the guard")

    async def test_what_was_held_back_comes_out_at_the_end(self):
        spoken, studio = await self.spoken(Stream(("네, 그", "래요")))
        assert (spoken.text, studio.replacements) == ("네, 그래요", [])

    async def test_a_broken_stream_keeps_its_whole_sentences_and_the_fallback_is_watched_anew(self):
        spoken, _ = await self.spoken(Stream((WHOLE, " 혹시 요"), BROKEN))
        assert (spoken.text, spoken.shortened) == (WHOLE, True)
        spoken, _ = await self.spoken(Stream(("네 그",), BROKEN), f"{WHOLE} *", fallback="m-2")
        assert spoken.text == WHOLE + CUT_ENDING

    @pytest.mark.parametrize("hit", ["", "*"])
    async def test_a_reply_that_does_not_end_is_guarded_as_far_as_it_is_kept(self, hit):
        spoken, _ = await self.spoken(Stream((SENTENCE * 20 + hit, SENTENCE * 200)))
        assert len(spoken.text) <= LONGEST_REPLY
        assert spoken.text.endswith(CUT_ENDING if hit else ".")
