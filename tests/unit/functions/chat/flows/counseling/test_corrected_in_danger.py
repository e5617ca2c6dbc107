"""A user who says in a follow-through that they were misread is heard, asked directly once, and still followed up."""

import pytest

from shared.content.catalogue import content
from shared.safety.levels import CrisisOutcome
from tests.builders.answers import reads
from tests.builders.talk import EN, KO, after

REPLIES, ANSWERS = content().crisis_replies, content().crisis_answers
DANGER = "요즘 자꾸 죽고 싶어요"
CORRECTION = "죽고 싶다는 게 아니라 쉬고 싶다는 말이에요"


@pytest.mark.parametrize("model", [True, False])
async def test_is_heard_and_asked_directly_while_the_follow_through_goes_on(model):
    talk = await after(DANGER)
    if not model:
        talk.model.scripts = {}
    said = await talk.say(CORRECTION)
    assert "MisreadTold" in said.events
    assert said.reply.count("?") == 1
    assert ANSWERS.asks_directly(said.reply, last=True)
    assert model or REPLIES.corrected(KO) in said.reply
    assert talk.state.risk.follow_through


async def test_is_received_by_a_counsellor_who_is_told_to_apologise_though_the_reader_hears_no_correction():
    talk = await after(DANGER)
    await talk.say(CORRECTION)
    assert "짧게 사과한" in talk.model.asked("counselor")[-1].system


@pytest.mark.parametrize("heard", [reads("misread"), reads()])
async def test_is_counted_once_whoever_hears_it(heard):
    talk = await after(DANGER)
    talk.model.scripts["reader"] = heard
    assert (await talk.say(CORRECTION)).events.count("MisreadTold") == 1


async def test_is_asked_once_only():
    talk = await after(DANGER, "그게 아니라 그냥 지쳤다는 말이에요")
    assert not ANSWERS.asks_directly((await talk.say("제 말을 잘못 이해하신 것 같아요")).reply)


async def test_is_not_asked_again_after_a_plain_denial():
    talk = await after(DANGER, "죽을 생각은 없어요")
    said = await talk.say("그런 뜻이 아니었어요")
    assert "MisreadTold" in said.events
    assert not ANSWERS.asks_directly(said.reply)


async def test_a_yes_to_that_question_is_a_crisis_whose_reply_asks_something_else():
    talk = await after(DANGER, "집에 혼자 있어요", "그냥 힘들어요", CORRECTION)
    said = await talk.say("네")
    assert said.outcome.flags == ("crisis",)
    assert REPLIES.question_after_correction(KO) not in said.reply
    assert not ANSWERS.asks_directly(said.reply)


async def test_in_a_danger_to_others_is_not_asked_about_suicide():
    talk = await after("그 사람을 죽여버리고 싶어요")
    said = await talk.say("죽이고 싶다는 게 아니라 화가 난다는 말이에요")
    assert not ANSWERS.asks_directly(said.reply)
    assert talk.state.risk.found == (CrisisOutcome.HARM_TO_OTHERS,)


@pytest.mark.parametrize(("voice", "text"), [(KO, "제가 말씀을 다르게"), (EN, "differently from how you meant")])
def test_the_fixed_apology_takes_no_care_back(voice, text):
    words = REPLIES.corrected(voice)
    assert text in words
    assert "?" not in words
