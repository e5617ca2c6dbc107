"""The composed chat function: danger that only the model hears, in the middle of a booking."""

from tests.builders.answers import reads
from tests.builders.service_world import ServiceWorld
from tests.fakes.scripted_model import ScriptedModel

SAID = "오늘 밤에 다 삼키면 편해질 거예요"


async def test_danger_in_the_middle_of_a_booking_is_answered_flagged_and_logged_as_in_counselling(caplog):
    model = ScriptedModel({"reader": reads()})
    world = ServiceWorld(model)
    try:
        await world.open(service="booking")
        asked = await world.say("다음 상담 예약하고 싶어요")
        assert asked.state_snapshot.service == "booking"
        model.scripts["reader"] = reads(danger="own_imminent", quote=SAID)
        heard = await world.say(SAID)
    finally:
        world.close()
    assert (heard.flags, heard.state_snapshot.service) == (("crisis",), "counseling")
    assert "119" in heard.reply
    assert "crisis_detected level=imminent" in caplog.text
    assert (world.session.answered_by, world.session.booking.stage) == ("counseling", "FILLING")
    record = (await world.documents())["turns"][-1].data
    agents = [run["agent"] for run in record["agents"]]
    assert ("safety_gate" in agents, "reader" in agents) == (True, True)
