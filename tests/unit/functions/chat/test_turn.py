"""A counselling turn on one reading: what it must not do to a child, nor when a danger is heard late."""

import pytest

from functions.chat.reading import NOTHING_READ, DangerRead
from functions.chat.turn import CounselingTurn
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.session_events import WrapUpProposed
from shared.safety.ages import StatedAge
from tests.builders.talk import Talk
from tests.fakes.scripted_model import Stream


def talk_on_the_reading(*readings):
    talk = Talk()
    talk.flow = CounselingTurn(talk.content)
    talk.model.scripts["reader"] = list(readings) or NOTHING_READ
    return talk


@pytest.mark.parametrize(("answer", "ends"), [("아니요", False), ("네", True)])
async def test_a_child_under_14_who_answers_plainly_whether_to_end_is_answered_without_a_model(answer, ends):
    talk = talk_on_the_reading()
    child = talk.state.model_copy(update={"stated_age": StatedAge.UNDER_14, "seq": 3})
    talk.state = WrapUpProposed(aim=WrapUpAim.END, seq=3).apply(child, talk.clock.now())
    said = await talk.say(answer)
    assert talk.model.requests == []
    assert said.state.ended is ends


async def test_a_concern_that_only_the_second_answer_of_the_reader_finds_is_asked_about_though_a_reply_was_shown():
    begun = NOTHING_READ.model_dump_json()
    broken = Stream((begun[: begun.index('"feeling"')], "oh no"))
    found = NOTHING_READ.model_copy(update={"danger": (DangerRead(kind="own_concern", quote="다 놓아 버리고 싶어요"),)})
    talk = talk_on_the_reading(broken, found)
    said = await talk.say("요즘은 다 놓아 버리고 싶어요")
    assert said.state.risk.asked_seq == 1
    assert talk.content.crisis_answers.asks_directly(said.reply)
    assert said.shown == said.reply
