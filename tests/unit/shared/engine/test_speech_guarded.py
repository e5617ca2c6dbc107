"""Speaking under a guard: nothing that it cuts reaches the listener, and what stands is what was shown."""

import pytest

from shared.contracts.events import Replace, Token
from shared.domain.errors import ModelStreamBroken
from shared.engine.attempt import LONGEST_REPLY
from shared.engine.runner import AgentRunner
from shared.engine.speech import speak
from shared.ports.language_model import ModelSettings
from shared.safety.output_guard.guard import Guarded
from tests.fakes.echo import SPEAKER, EchoInput
from tests.fakes.engine import scope_of
from tests.fakes.scripted_model import ScriptedModel, Stream
from tests.fakes.settable_clock import SettableClock

WHOLE = "많이 지치셨을 것 같아요. 어떤 점이 가장 힘드셨나요?"
ENDING = "(그만)"


class NoStars:
    """Lets out whole words and cuts before a star."""

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
        return Guarded(text=head.rstrip() + ENDING, category="means", rule="star") if star else Guarded(text=text)


async def spoken_of(*scripts, fallback=None):
    clock = SettableClock()
    events = []
    model = ScriptedModel({"speaker": list(scripts)})
    second = ModelSettings(model=fallback, timeout_s=25) if fallback else None
    settings = ModelSettings(model="m-1", timeout_s=25, fallback=second, fallback_on_failure=True)
    scope = scope_of(clock, 45, emit=events.append)
    runner = AgentRunner(model, {"speaker": settings}, clock)
    spoken = await speak(runner, SPEAKER, EchoInput(text="", rule="r"), (), scope, NoStars())
    shown = ""
    for event in events:
        shown = event.text if isinstance(event, Replace) else shown + event.text if isinstance(event, Token) else shown
        assert "*" not in shown
    return spoken, shown, [event for event in events if isinstance(event, Replace)], scope.ledger


async def test_a_hit_ends_the_reply_without_taking_anything_back():
    spoken, shown, replaced, ledger = await spoken_of(Stream(("네, 그", "래요. 약 *", "은 더", " 드세요.")))
    assert (spoken.text, spoken.guarded.rule, spoken.shortened) == (f"네, 그래요. 약{ENDING}", "star", False)
    assert (shown, replaced) == (spoken.text, [])
    assert ledger.runs[0].reason == "ended by the guard"


async def test_what_was_held_back_comes_out_at_the_end():
    spoken, shown, replaced, _ = await spoken_of(Stream(("네, 그", "래요")))
    assert spoken.text == shown == "네, 그래요"
    assert replaced == []


async def test_a_broken_stream_keeps_its_whole_sentences():
    spoken, shown, _, _ = await spoken_of(Stream((WHOLE, " 혹시 요"), ModelStreamBroken("cut")))
    assert (spoken.text, spoken.shortened, shown) == (WHOLE, True, WHOLE)


async def test_the_fallback_is_watched_anew():
    spoken, shown, _, _ = await spoken_of(Stream(("네 그",), ModelStreamBroken("cut")), f"{WHOLE} *", fallback="m-2")
    assert spoken.text == shown == WHOLE + ENDING


@pytest.mark.parametrize("hit", ["", "*"])
async def test_a_reply_that_does_not_end_is_guarded_as_far_as_it_is_kept(hit):
    sentence = "그런 밤이 길게 느껴지셨겠어요. "
    spoken, shown, _, _ = await spoken_of(Stream((sentence * 20 + hit, sentence * 200)))
    assert spoken.text == shown
    assert len(spoken.text) <= LONGEST_REPLY
    assert spoken.text.endswith(ENDING if hit else ".")
