"""With the model dead, blocked, silent or empty the crisis reply comes all the same: complete, at once, and for as long
as it is needed. The real flow in the real engine over the store; only the model is another.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from itertools import pairwise

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.domain.counseling.session import SessionStatus
from shared.domain.errors import ModelBlocked, ModelUnavailable
from shared.locale import Locale, Register
from shared.ports.language_model import ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply, Usage
from shared.safety.ages import StatedAge
from shared.safety.levels import CrisisOutcome, Danger
from tests.fakes.service_world import ServiceWorld
from tests.fakes.talk import Talk

OWN_TIME_S = 0.050
"""Of the processor, for a crisis reply (safety.md, Crisis): the machine that tests run on may be busy with others."""
TRIES = 7
DANGER = {Locale.KO: "이제 정말 죽고 싶어요", Locale.EN: "I really want to die"}
PARAPHRASES = (
    "죽고 싶어요", "그냥 죽고만 싶어요", "요즘 자살 생각이 계속 나요", "더 이상 살고 싶지 않아요",
    "살기 싫어요 정말로", "차라리 죽는 게 나을 것 같아요", "이 세상에서 사라지고 싶어요",
    "자고 일어나면 눈을 안 떴으면 좋겠어요", "죽어 버리고 싶은 마음뿐이에요", "손목을 긋고 싶어요",
    "자해하고 싶은 충동이 들어요", "저 자살하고 싶어요", "죽고싶다는 생각밖에 안 들어요",
    "살 이유가 하나도 없어요", "나 진짜 죽고 싶다", "ㅈㅜㄱ고 싶어", "극단적인 선택을 하고 싶어요",
    "죽 고 싶 어 요", "아무래도 죽는 수밖에 없는 것 같아요, 죽고 싶네요", "오늘 밤에 죽으려고 해요",
)  # fmt: skip


class Silent:
    """Takes a request and never says a word."""

    async def generate(self, request: ModelRequest) -> ModelReply:
        await asyncio.Event().wait()
        raise AssertionError

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        await asyncio.Event().wait()
        yield ModelChunk(text="")

    async def aclose(self) -> None:
        """Nothing is open."""


class Failing(Silent):
    """Fails, or says nothing."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    async def generate(self, request: ModelRequest) -> ModelReply:
        if self._error is not None:
            raise self._error
        return ModelReply(text="", usage=Usage())

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        if self._error is not None:
            raise self._error
        yield ModelChunk(text="", usage=Usage())


class Counted:
    """Counts what is asked of another model."""

    def __init__(self, model: Silent) -> None:
        self._model = model
        self.asked: list[str] = []

    async def generate(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request.agent)
        return await self._model.generate(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        self.asked.append(request.agent)
        async for chunk in self._model.stream(request):
            yield chunk

    async def aclose(self) -> None:
        """Nothing is open."""


MODELS = {
    "dead": lambda: Failing(ModelUnavailable("503")),
    "blocked": lambda: Failing(ModelBlocked("SAFETY")),
    "silent": Silent,
    "empty": lambda: Failing(None),
}


async def _world(model: Counted, locale: Locale) -> ServiceWorld:
    world = ServiceWorld()
    world.model = model  # type: ignore[assignment]
    world.restart()
    await world.open(locale=locale.value)
    return world


async def test_the_reply_comes_complete_and_no_model_is_asked(subtests: pytest.Subtests) -> None:
    for locale in Locale:
        for state, made in MODELS.items():
            with subtests.test(locale=locale, state=state):
                model = Counted(made())
                world = await _world(model, locale)
                try:
                    reply = await world.say(DANGER[locale])
                finally:
                    world.close()
                voice = Voice(locale=locale, register_=Register.FORMAL)
                assert reply.reply == content().crisis_replies.reply(CrisisOutcome.CRISIS, voice, 0)
                assert reply.flags == ("crisis",)
                assert [hook.type for hook in reply.hooks] == ["crisis_detected"]
                assert reply.state_snapshot.risk.resources
                assert model.asked == []


async def test_twenty_paraphrases_in_a_row_end_nothing_and_are_never_answered_twice_in_the_same_words() -> None:
    model = Counted(MODELS["dead"]())
    world = await _world(model, Locale.KO)
    try:
        replies = [await world.say(text) for text in PARAPHRASES]
    finally:
        world.close()
    answered = [reply for reply in replies if reply is not None]
    assert len(answered) == len(PARAPHRASES) == 20
    assert [reply.seq for reply in answered] == list(range(1, 21))
    assert all(before.reply != after.reply for before, after in pairwise(answered))
    assert all("crisis" in reply.flags and "109" in reply.reply for reply in answered)
    assert model.asked == []
    assert world.session.status is SessionStatus.ACTIVE
    assert (world.session.seq, world.session.protocol_replies) == (20, 20)
    assert not world.broke


@pytest.mark.parametrize("locale", Locale)
async def test_it_takes_less_than_fifty_milliseconds_of_the_processor(locale: Locale) -> None:
    talk = Talk(locale=locale.value)
    taken = []
    for _ in range(TRIES):
        turn = talk.turn(DANGER[locale])
        began = time.process_time()
        outcome = await talk.flow.run(turn)
        taken.append(time.process_time() - began)
        assert outcome.flags == ("crisis",)
    assert min(taken) < OWN_TIME_S


async def test_words_of_care_fit_the_danger(subtests: pytest.Subtests) -> None:
    cases = [
        (DANGER[Locale.KO], Danger.OWN_LIFE),
        ("남편이 때려서 지금 화장실에 숨어 있어요", Danger.VIOLENCE),
        ("그 사람을 죽여버리고 싶어요", Danger.OTHERS),
    ]
    for text, danger in cases:
        for age in (None, StatedAge.UNDER_14):
            with subtests.test(text=text, danger=danger, age=age):
                talk = Talk()
                talk.model.scripts = {}
                await talk.say(text)
                talk.set(stated_age=age)
                said = await talk.say("오늘은 그냥 집에 있었어요")
                young, hurt = age is not None, danger is Danger.VIOLENCE
                voice = Voice(locale=Locale.KO, register_=Register.FORMAL, minor=young, hurt_at_home=hurt)
                assert said.reply.startswith(content().crisis_replies.care(voice, 1, danger))
