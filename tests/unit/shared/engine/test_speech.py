import asyncio

import pytest

from shared.contracts.events import AgentDone, AgentRetry, AgentStart, Replace, Token
from shared.domain import errors
from shared.domain.turn import DecidedBy
from shared.engine.attempt import LONGEST_REPLY
from shared.engine.hedge_quota import HedgeQuota
from shared.engine.runner import AgentRunner
from shared.engine.send_budget import SendBudget
from shared.engine.speech import speak
from shared.ports.language_model import ModelMessage
from shared.ports.model_answers import ModelChunk, Usage
from shared.ports.model_settings import ModelSettings
from shared.safety.output_guard.guard import Guarded
from tests.builders.small_service import CONVERSATION, scope_of
from tests.fakes.echo import SPEAKER, EchoInput
from tests.fakes.scripted_model import USAGE, AlwaysThere, ScriptedModel, Stream
from tests.fakes.settable_clock import SettableClock

HISTORY = (ModelMessage(role="user", text="힘들어요"),)
SETTINGS = ModelSettings(model="m-1", timeout_s=25, price_in=1000, price_out=20000)
WHOLE = "많이 지치셨을 것 같아요. 어떤 점이 가장 힘드셨나요?"
SENTENCE = "그런 밤이 길게 느껴지셨겠어요. "
BROKEN, GONE = errors.ModelStreamBroken("cut"), errors.ModelUnavailable("503")
BILLED = {"prompt_tokens": 300, "output_tokens": 40, "sends": 3}
CUT_ENDING = "(그만)"
RESTING = errors.ModelResting("left alone")
LATE_S = 0.02


class Chunks(ScriptedModel):
    def __init__(self, *chunks):
        super().__init__()
        self.chunks = chunks

    async def stream(self, request):
        self.requests.append(request)
        for chunk in self.chunks:
            yield chunk


class Speech:
    """A speaker agent over a scripted model, with the events that its listener got."""

    def __init__(self, script, fallback=None, seconds=45.0, **settings):
        self.clock = SettableClock()
        self.model = script if isinstance(script, AlwaysThere) else ScriptedModel({"speaker": script})
        first = SETTINGS.model_copy(update=settings)
        second = fallback and first.model_copy(update={"model": fallback})
        settings = first.model_copy(update={"fallback": second, "fallback_on_failure": True})
        self.runner = AgentRunner(self.model, {"speaker": settings}, self.clock)
        self.events = []
        self.scope = scope_of(self.clock, seconds, emit=self.events.append)

    async def speak(self, *guard):
        async with asyncio.timeout(10):
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
        """The text on the user's screen after each event."""
        text = ""
        for event in self.events:
            text = event.text if isinstance(event, Replace) else text + getattr(event, "text", "")
            yield text

    @property
    def shown(self):
        return [*self.screens][-1]


class TestAWholeStream:
    async def test_is_requested_with_prompt_and_dialogue_and_reaches_the_listener_token_by_token(self):
        def late(request):
            speech.clock.advance(0.5)
            return Stream(("많이", " 힘드셨", "겠어요."))

        speech = Speech(late)
        spoken = await speech.speak()
        assert (spoken.text, spoken.shortened) == ("많이 힘드셨겠어요.", False)
        assert (speech.tokens, speech.replacements) == (["많이", " 힘드셨", "겠어요."], [])
        assert [type(event) for event in (speech.events[0], speech.events[-1])] == [AgentStart, AgentDone]
        (request,) = speech.model.requests
        assert (request.messages, request.response_schema) == (HISTORY, None)
        assert "<rule>r</rule>" in request.system
        (run,) = speech.runs
        assert (run.agent, run.decided_by, run.attempts, run.model) == ("speaker", DecidedBy.MODEL, 1, "m-1")
        assert (run.first_token_ms, run.latency_ms) == (500, 500)
        assert (run.prompt_tokens, run.output_tokens, run.cost_krw, run.error) == (100, 10, 0.3, None)
        assert run.prompt == "echo/v1.ko"


class TestAFailureBeforeTheFirstToken:
    @pytest.mark.parametrize("failure", [GONE, Stream((), BROKEN), Stream((" ", "\n"), BROKEN)])
    async def test_returns_none_when_a_second_stream_of_the_same_model_fails_too(self, failure):
        speech = Speech(failure)
        assert await speech.speak() is None
        assert (speech.tokens, speech.replacements) == ([], [])
        first, second = speech.runs
        assert (first.decided_by, first.reason) == (DecidedBy.MODEL, "nothing kept; asked once more")
        assert (second.decided_by, second.reason) == (DecidedBy.SAFE_DEFAULT, "nothing kept; no model spoke")
        assert second.error.startswith("model_")
        assert second.first_token_ms is None
        assert speech.scope.ledger.failed("speaker")

    @pytest.mark.parametrize(
        "failure",
        [
            errors.ModelEmpty("blank"),
            errors.ModelBlocked("SAFETY"),
            '{"reply": "네."}',
            Stream(()),
            Stream((" ",), BROKEN),
        ],
    )
    async def test_is_repaired_by_a_second_stream_of_the_same_model(self, failure):
        speech = Speech([failure, WHOLE])
        assert (await speech.speak()).text == speech.shown == WHOLE
        assert speech.asked == ["m-1", "m-1"]
        assert [run.decided_by for run in speech.runs] == [DecidedBy.MODEL] * 2

    @pytest.mark.parametrize(
        "failure", [errors.ModelRejected("400"), errors.ModelNotFound("404"), errors.ModelNotAllowed("withdrawn")]
    )
    async def test_that_is_permanent_is_not_retried(self, failure):
        speech = Speech([failure, WHOLE])
        assert await speech.speak() is None
        assert speech.asked == ["m-1"]
        assert [type(event) for event in speech.events] == [AgentStart, AgentDone], "no retry is announced"

    async def test_is_repaired_by_the_fallback_model(self):
        speech = Speech([GONE, Stream(("네, ", "그래요."))], fallback="m-2")
        assert (await speech.speak()).text == "네, 그래요."
        assert (speech.asked, speech.replacements) == (["m-1", "m-2"], [])
        first, second = speech.runs
        assert (first.decided_by, first.error, first.model) == (DecidedBy.MODEL, "model_unavailable: 503", "m-1")
        assert first.reason == "nothing kept; the fallback model is asked"
        assert (second.decided_by, second.error, second.model) == (DecidedBy.FALLBACK_MODEL, None, "m-2")
        assert second.reason == ""
        assert not speech.scope.ledger.failed("speaker")


class TestTheCost:
    @pytest.mark.parametrize(
        "failure",
        [
            errors.ModelBlocked("SAFETY").billed(**BILLED),
            Stream((WHOLE, " 그"), errors.ModelTruncated("cut").billed(**BILLED)),
            Stream(("네",), errors.ModelStreamBroken("cut").billed(**BILLED)),
        ],
    )
    async def test_of_a_failure_is_what_the_provider_billed(self, failure):
        speech = Speech(failure)
        await speech.speak()
        run = speech.runs[0]
        assert (run.prompt_tokens, run.output_tokens, run.cost_krw, run.attempts) == (300, 40, 1.1, 3)

    async def test_counts_every_request_that_was_sent(self):
        speech = Speech(Chunks(ModelChunk(text="네.", sends=3), ModelChunk(text="", usage=USAGE, sends=3)))
        await speech.speak()
        assert speech.scope.ledger.spent().llm_calls == 3

    async def test_of_a_stream_closed_early_is_its_usage_so_far(self):
        used = [Usage(prompt_tokens=9, output_tokens=n) for n in range(90)]
        speech = Speech(Chunks(*(ModelChunk(text="네. 그랬군요. " * 20, usage=usage) for usage in used)))
        assert (await speech.speak()).shortened
        (run,) = speech.runs
        assert (run.prompt_tokens, run.output_tokens) == (9, 6)


async def test_a_mended_form_is_shown_mended_and_named_in_the_record():
    speech = Speech(Stream(("**네**, ", "그랬군요. 어땠어요? ", "언제부터요? 들을게요.")))
    spoken = await speech.speak()
    assert (spoken.text, speech.shown) == ("네, 그랬군요. 어땠어요? 언제부터요? 들을게요.",) * 2
    assert speech.replacements == []
    assert [run.output for run in speech.runs if run.agent == "reply_form"] == ["marks"]


class TestAFailureInTheMiddle:
    async def test_keeps_the_whole_sentences_and_removes_the_rest(self):
        speech = Speech(Stream((SENTENCE, SENTENCE, "그리고 요", "즘"), BROKEN), fallback="m-2")
        spoken = await speech.speak()
        whole = (SENTENCE * 2).rstrip()
        assert (spoken.text, spoken.shortened) == (whole, True)
        assert (speech.replacements, speech.shown) == ([whole], whole)
        (run,) = speech.runs
        assert (run.error, len(speech.model.requests)) == ("model_stream_broken: cut", 1)

    @pytest.mark.parametrize(
        "cut",
        ["음…", "많이 지치셨을 것 같은데 혹시 요즘에", "네. 그런데 혹시 요즘 잠은 잘", "버전 2.5가 나온 뒤로 계속"],
    )
    async def test_without_enough_whole_sentences_restarts_with_the_fallback_and_announces_a_retry(self, cut):
        speech = Speech([Stream((cut,), BROKEN), WHOLE], fallback="m-2")
        assert (await speech.speak()).text == WHOLE
        assert (speech.replacements, speech.shown) == ([""], WHOLE)
        (place,) = [n for n, event in enumerate(speech.events) if isinstance(event, AgentRetry)]
        retry = AgentRetry(agent="speaker", label="speaker", attempt=2)
        assert speech.events[place : place + 2] == [retry, Replace(text="")]


class TestTheDeadline:
    async def test_once_passed_prevents_every_call(self):
        speech = Speech(WHOLE, fallback="m-2", seconds=0)
        assert await speech.speak() is None
        assert speech.model.requests == []
        assert speech.scope.ledger.spent().llm_calls == 0

    async def test_leaves_the_fallback_only_the_remaining_time(self):
        def slow(request):
            speech.clock.advance(25)
            return errors.ModelTimeout("slow")

        speech = Speech([slow, WHOLE], fallback="m-2", seconds=45)
        assert (await speech.speak()).text == WHOLE
        assert [request.settings.timeout_s for request in speech.model.requests] == [25, 20]


class TestAReplyThatDoesNotEnd:
    async def test_is_cut_after_the_last_whole_sentence_that_fits(self):
        speech = Speech(Chunks(*(ModelChunk(text=SENTENCE) for _ in range(10_000))))
        spoken = await speech.speak()
        assert spoken.shortened
        assert LONGEST_REPLY - len(SENTENCE) <= len(spoken.text) <= LONGEST_REPLY
        assert spoken.text == (SENTENCE * (len(spoken.text) // len(SENTENCE) + 1)).rstrip()
        assert speech.shown == spoken.text
        (run,) = speech.runs
        assert (run.decided_by, run.error, run.reason) == (DecidedBy.MODEL, None, "ended at 1200 characters")

    @pytest.mark.parametrize("length", [30, 170, 355, 890, 1100])
    async def test_is_cut_without_replacing_shown_text(self, length):
        sentence = f"{'그런 밤이 길게 느껴지고 ' * 100}"[: length - 3] + "요. "
        speech = Speech(Chunks(*(ModelChunk(text=piece) for piece in (sentence * 80))))
        spoken = await speech.speak()
        assert (speech.replacements, speech.shown) == ([], spoken.text)
        assert LONGEST_REPLY // 2 < len(spoken.text) <= LONGEST_REPLY

    @pytest.mark.parametrize("text", ["아" * 5000, "그리고 " * 2000])
    async def test_and_has_no_sentence_end_is_cut_with_an_ellipsis(self, text):
        speech = Speech(text)
        spoken = await speech.speak()
        assert spoken.text.endswith("…")
        assert LONGEST_REPLY // 2 < len(spoken.text) <= LONGEST_REPLY
        assert speech.shown == spoken.text


class TestTextThatIsNotProse:
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
    async def test_counts_as_a_failure_and_is_never_shown(self, pieces):
        speech = Speech(Stream(pieces))
        assert await speech.speak() is None
        assert (speech.tokens, speech.replacements) == ([], [])
        assert all(run.error.startswith(errors.ModelSchemaMismatch.code) for run in speech.runs)
        assert {run.first_token_ms for run in speech.runs} == {None}
        speech = Speech([Stream(pieces), WHOLE], fallback="m-2")
        assert (await speech.speak()).text == speech.shown == WHOLE
        assert speech.replacements == []

    @pytest.mark.parametrize(
        "pieces", [("네라고", " 하셨군요."), ("네", " {그", "}"), ("`네`라고", " 하셨군요."), ("그", "```")]
    )
    async def test_is_not_mistaken_in_prose_with_a_brace_or_backtick(self, pieces):
        speech = Speech(Stream(pieces))
        plain = [piece.replace("`", "") for piece in pieces]
        assert (await speech.speak()).text == "".join(plain)
        assert speech.tokens == [piece for piece in plain if piece]


class NoPercent:
    """A guard that releases whole words and cuts before a per cent sign."""

    def __init__(self):
        self.text = ""
        self.out = 0

    @property
    def caught(self):
        return "%" in self.text

    def watch(self):
        return NoPercent()

    def take(self, text):
        self.text += text
        end = self.text.partition("%")[0].rfind(" ")
        fresh, self.out = self.text[self.out : max(end, self.out)], max(end, self.out)
        return fresh

    def over(self, text):
        head, percent, _ = text.partition("%")
        return (
            Guarded(text=head.rstrip() + CUT_ENDING, category="means", rule="percent")
            if percent
            else Guarded(text=text)
        )


class TestUnderAGuard:
    """No cut text reaches the listener, and the final text is the shown text."""

    async def spoken(self, *script, fallback=None):
        speech = Speech(list(script), fallback)
        spoken = await speech.speak(NoPercent())
        assert not any("%" in screen for screen in speech.screens)
        assert speech.shown == spoken.text
        return spoken, speech

    async def test_a_hit_ends_the_reply_without_replacing_shown_text(self):
        spoken, speech = await self.spoken(Stream(("네, 그", "래요. 약 %", "은 더", " 드세요.")))
        assert (spoken.text, spoken.guarded.rule, spoken.shortened) == (f"네, 그래요. 약{CUT_ENDING}", "percent", False)
        assert (speech.replacements, speech.runs[0].reason) == ([], "ended by the guard")

    async def test_text_that_was_held_back_is_released_at_the_end(self):
        spoken, speech = await self.spoken(Stream(("네, 그", "래요")))
        assert (spoken.text, speech.replacements) == ("네, 그래요", [])

    async def test_a_broken_stream_keeps_its_whole_sentences_and_the_fallback_has_a_fresh_watch(self):
        spoken, _ = await self.spoken(Stream((WHOLE, " 혹시 요"), BROKEN))
        assert (spoken.text, spoken.shortened) == (WHOLE, True)
        spoken, _ = await self.spoken(Stream(("네 그",), BROKEN), f"{WHOLE} %", fallback="m-2")
        assert spoken.text == WHOLE + CUT_ENDING

    @pytest.mark.parametrize("hit", ["", "%"])
    async def test_an_endless_reply_is_guarded_up_to_its_cut(self, hit):
        spoken, _ = await self.spoken(Stream((SENTENCE * 20 + hit, SENTENCE * 200)))
        assert len(spoken.text) <= LONGEST_REPLY
        assert spoken.text.endswith(CUT_ENDING if hit else ".")


class Streams(AlwaysThere):
    """The script of each stream in turn: `hang` sends nothing, an error is raised, a text is streamed.

    Attributes:
        closed: The numbers of the streams closed before their end.
    """

    def __init__(self, *acts, thinks=False):
        self.acts = acts
        self.thinks = thinks
        self.requests = []
        self.closed = []
        self.hanging = asyncio.Event()

    async def stream(self, request):
        number = len(self.requests)
        self.requests.append(request)
        assert request.attempts == 1, "the SDK retries no stream"
        act = self.acts[number]
        try:
            if isinstance(act, Exception):
                raise act
            if act == "hang":
                if self.thinks:
                    yield ModelChunk(text="", usage=Usage(prompt_tokens=90, output_tokens=4))
                self.hanging.set()
                await asyncio.Event().wait()
            for letter in act:
                yield ModelChunk(text=letter, usage=USAGE)
        except (asyncio.CancelledError, GeneratorExit):
            self.closed.append(number)
            raise


class TestALateStream:
    """A late stream is raced by a second one: the first with a token is shown, the other is closed and billed."""

    def race(self, *acts, fallback="m-2", thinks=False):
        return Speech(Streams(*acts, thinks=thinks), fallback, hedge_s=LATE_S)

    async def break_off_when_late(self, race):
        """Cancel a turn whose first stream still hangs after a second one could have been requested."""
        speaking = asyncio.create_task(race.speak())
        await race.model.hanging.wait()
        await asyncio.sleep(4 * LATE_S)
        assert not speaking.done()
        speaking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await speaking

    @pytest.mark.parametrize(("fallback", "asked"), [("m-2", "m-2"), (None, "m-1")])
    async def test_is_replaced_by_a_second_one_and_is_closed_and_billed(self, fallback, asked):
        race = self.race("hang", WHOLE, fallback=fallback, thinks=True)
        assert (await race.speak()).text == race.shown == WHOLE
        assert (race.asked, race.model.closed, race.replacements) == (["m-1", asked], [0], [])
        lost, won = race.runs
        assert lost.reason == "cancelled: another stream spoke first"
        assert (lost.model, lost.attempts) == ("m-1", 1)
        assert (lost.prompt_tokens, lost.output_tokens, lost.cost_krw) == (90, 4, 0.17)
        assert (won.model, won.error) == (asked, None)
        assert won.decided_by is (DecidedBy.FALLBACK_MODEL if fallback else DecidedBy.MODEL)
        assert race.scope.ledger.spent().llm_calls == 2
        assert not race.scope.ledger.failed("speaker")

    @pytest.mark.parametrize("second", [GONE, errors.ModelEmpty("blank")])
    async def test_goes_on_when_the_second_one_fails(self, second):
        race = self.race("hang", second)
        await self.break_off_when_late(race)
        assert race.model.closed == [0], "a turn that is broken off closes its streams"
        assert race.asked == ["m-1", "m-2"]

    async def test_is_raced_by_one_of_the_same_model_while_the_fallback_rests(self):
        race = self.race("hang", RESTING, WHOLE)
        assert (await race.speak()).text == WHOLE
        assert race.asked == ["m-1", "m-2", "m-1"]
        assert [run.model for run in race.runs] == ["m-1", "m-1"]

    @pytest.mark.parametrize(
        ("acts", "sends", "asked", "left"),
        [([errors.ModelEmpty("blank")], 1, ["m-1"], 0), ([RESTING] * 2, 2, ["m-1", "m-2"], 2)],
        ids=["no request is left for a second stream", "a resting model costs nothing"],
    )
    async def test_and_the_second_one_are_taken_from_the_turns_send_budget(self, acts, sends, asked, left):
        race = self.race(*acts)
        race.scope.sends = SendBudget(sends)
        assert await race.speak() is None
        assert (race.asked, race.scope.sends.left) == (asked, left)

    async def test_is_waited_for_until_the_turns_first_word_deadline(self):
        def late(request):
            speech.clock.advance(3)
            return errors.ModelTimeout("late")

        speech = Speech(late, fallback="m-2")
        speech.scope.first_word_by = speech.clock.monotonic() + 3
        assert await speech.speak() is None
        assert [request.settings.first_token_s for request in speech.model.requests] == [3], "and no second stream"

    async def test_is_closed_when_the_lease_is_lost_before_the_second_one(self):
        async def refused():
            if race.asked:
                raise errors.LeaseLost(CONVERSATION, 1)

        race = self.race("hang", WHOLE)
        race.scope.permit = refused
        with pytest.raises(errors.LeaseLost):
            await race.speak()
        assert (race.asked, race.model.closed) == (["m-1"], [0])

    async def test_is_waited_for_without_a_second_one_when_the_quota_is_used_up(self):
        quota, hedged = HedgeQuota(), 0
        for _ in range(200):
            quota.opened()
            hedged += quota.take()
        assert hedged <= 200 * 0.1 + 5
        race = self.race("hang")
        while race.runner.hedges.take():
            pass
        await self.break_off_when_late(race)
        assert race.asked == ["m-1"]
