"""The crisis reply is complete and immediate while the model fails, hangs or is empty (real engine and store)."""

import asyncio
import time
from itertools import pairwise

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.wordings import nth
from shared.domain.counseling.session import SessionStatus
from shared.domain.errors import ModelBlocked, ModelUnavailable
from shared.lexicon.session_words import without_questions
from shared.locale import Locale, Register
from shared.ports.model_answers import ModelChunk, ModelReply, Usage
from shared.safety.ages import StatedAge
from shared.safety.levels import CrisisOutcome, Danger
from shared.safety.protocol_questions import Topic
from tests.builders.service_world import ServiceWorld
from tests.builders.talk import Talk
from tests.fakes.scripted_model import AlwaysThere

OWN_TIME_S = 0.050
"""Processor time of a crisis reply (safety.md, Crisis); wall time would depend on the load of the machine."""
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


class StuckModel(AlwaysThere):
    """Raises an error, hangs (`None`) or answers with empty text, and records the agents that ask."""

    def __init__(self, does):
        self.does, self.asked = does, []

    async def generate(self, request):
        self.asked.append(request.agent)
        if isinstance(self.does, Exception):
            raise self.does
        await (asyncio.Event().wait() if self.does is None else asyncio.sleep(0))
        return ModelReply(text="", usage=Usage())

    async def stream(self, request):
        yield ModelChunk(text=(await self.generate(request)).text, usage=Usage())


async def answered(model, locale, *messages):
    """Send these messages to a service with this model; return the service and the replies."""
    world = ServiceWorld(model)
    await world.open(locale=locale.value)
    try:
        return world, [await world.say(text) for text in messages]
    finally:
        world.close()


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("does", [ModelUnavailable("503"), ModelBlocked("SAFETY"), None, ""], ids=repr)
async def test_the_reply_is_complete_and_no_model_is_asked(does, locale):
    model = StuckModel(does)
    _, (reply,) = await answered(model, locale, DANGER[locale])
    voice = Voice(locale=locale, register_=Register.FORMAL)
    replies = content().crisis_replies
    assert reply.reply.startswith(replies.reply(CrisisOutcome.CRISIS, voice, nth(0)))
    assert reply.reply.endswith(replies.questions(Topic.INTENT, voice)[0])
    assert reply.flags == ("crisis",)
    assert [hook.type for hook in reply.hooks] == ["crisis_detected"]
    assert reply.state_snapshot.risk.resources
    assert model.asked == []


async def test_twenty_crisis_messages_do_not_end_the_session_and_no_reply_is_repeated_in_a_row():
    model = StuckModel(ModelUnavailable("503"))
    world, replies = await answered(model, Locale.KO, *PARAPHRASES)
    assert [reply.seq for reply in replies] == list(range(1, 21))
    assert all(before.reply != after.reply for before, after in pairwise(replies))
    assert all("crisis" in reply.flags and "109" in reply.reply for reply in replies)
    assert model.asked == []
    assert world.session.status is SessionStatus.ACTIVE
    assert (world.session.seq, world.session.protocol_replies) == (20, 20)
    assert not world.broke


@pytest.mark.parametrize("locale", Locale)
async def test_the_reply_takes_less_than_fifty_milliseconds_of_processor_time(locale):
    talk = Talk(locale=locale.value)
    taken = []
    for _ in range(TRIES):
        turn = talk.turn(DANGER[locale])
        began = time.process_time()
        outcome = await talk.flow.run(turn)
        taken.append(time.process_time() - began)
        assert outcome.flags == ("crisis",)
    assert min(taken) < OWN_TIME_S


@pytest.mark.parametrize("age", [None, StatedAge.UNDER_14])
@pytest.mark.parametrize(
    ("text", "danger"),
    [
        (DANGER[Locale.KO], Danger.OWN_LIFE),
        ("남편이 때려서 지금 화장실에 숨어 있어요", Danger.VIOLENCE),
        ("그 사람을 죽여버리고 싶어요", Danger.OTHERS),
    ],
)
async def test_the_care_reply_fits_the_danger(text, danger, age):
    talk = Talk()
    talk.model.scripts = {}
    await talk.say(text)
    talk.set(stated_age=age)
    said = await talk.say("오늘은 그냥 집에 있었어요")
    young, hurt = age is not None, danger is Danger.VIOLENCE
    voice = Voice(locale=Locale.KO, register_=Register.FORMAL, minor=young, hurt_at_home=hurt)
    care = content().crisis_replies.care(voice, danger)[1]
    # Where a life is in danger, the question that is due takes the place of those in the text.
    assert said.reply.startswith(care if hurt else without_questions(care))
