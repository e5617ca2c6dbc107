"""A counselling turn on one reading: what it must not do to a child, nor when a danger is heard late."""

from functions.chat.reading import NOTHING_READ, DangerRead
from functions.chat.turn import CounselingTurn
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.session_events import WrapUpProposed
from shared.safety.ages import StatedAge
from tests.builders.talk import Talk
from tests.fakes.scripted_model import Stream

LOST = "요즘은 다 놓아 버리고 싶어요"


def talk_on_the_reading(*readings, **more):
    talk = Talk(**more)
    talk.flow = CounselingTurn(talk.content)
    talk.model.scripts["reader"] = list(readings) or NOTHING_READ
    return talk


async def test_a_child_under_14_who_wants_to_stay_is_answered_without_a_model():
    talk = talk_on_the_reading()
    child = talk.state.model_copy(update={"stated_age": StatedAge.UNDER_14, "seq": 3})
    talk.state = WrapUpProposed(aim=WrapUpAim.END, seq=3).apply(child, talk.clock.now())
    said = await talk.say("아니요")
    assert talk.model.requests == []
    assert not said.state.ended
    assert said.reply


async def test_a_child_under_14_leaves_on_a_plain_yes():
    talk = talk_on_the_reading()
    child = talk.state.model_copy(update={"stated_age": StatedAge.UNDER_14, "seq": 3})
    talk.state = WrapUpProposed(aim=WrapUpAim.END, seq=3).apply(child, talk.clock.now())
    said = await talk.say("네")
    assert talk.model.requests == []
    assert said.state.ended


async def test_a_concern_that_only_the_second_answer_of_the_reader_finds_is_asked_about_though_a_reply_was_shown():
    begun = NOTHING_READ.model_dump_json()
    broken = Stream((begun[: begun.index('"feeling"')], "oh no"))
    found = NOTHING_READ.model_copy(update={"danger": (DangerRead(kind="own_concern", quote="다 놓아 버리고 싶어요"),)})
    talk = talk_on_the_reading(broken, found)
    said = await talk.say(LOST)
    assert said.state.risk.asked_seq == 1
    assert talk.content.crisis_answers.asks_directly(said.reply)
    assert said.shown == said.reply
