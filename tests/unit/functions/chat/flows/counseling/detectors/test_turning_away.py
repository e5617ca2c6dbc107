"""Words that turn to something else: what they complete, and what of them is a value."""

from functions.chat.flows.counseling.detectors.slot_reading import open_slots
from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from tests.fakes.answers import task_completion
from tests.fakes.counselling import task
from tests.fakes.talk import Talk

CHECKER = "task_completion_checker"


def found(complete=False, evidence="", **slots):
    """The checker's answer: each slot is (value, quote) or a value that is its own quote."""
    pairs = {name: value if isinstance(value, tuple) else (value, value) for name, value in slots.items()}
    return task_completion(
        complete=complete,
        evidence=evidence,
        slots=tuple(SlotFound(name=name, value=value, quote=quote) for name, (value, quote) in pairs.items()),
    )


class TestATurnToSomethingElse:
    async def test_completes_no_task_by_a_judgement(self, talk):
        talk.plan(task("p1", 2))
        await talk.say("발표가 걱정돼요")
        assert talk.state.current_task == "p1"
        talk.model.scripts[CHECKER] = found(complete=True, evidence="엄마랑 싸웠어요")
        await talk.say("그건 그렇고 엄마랑 싸웠어요")
        assert not talk.state.task("p1").covered
        talk.model.scripts[CHECKER] = found(complete=True, evidence="그날 많이 떨렸어요")
        await talk.say("그날 많이 떨렸어요")
        assert talk.state.task("p1").covered

    async def test_leaves_its_lead_in_out_of_a_text(self, subtests):
        cases = [
            ("그건 그렇고, 요즘 잠을 못 자요", "요즘 잠을 못 자요"),
            ("갑자기 생각난 건데 다른 얘기지만 엄마랑 싸웠어요", "엄마랑 싸웠어요"),
            ("그건 그렇고", "그건 그렇고"),
            ("다른 얘기를 못 해요", "다른 얘기를 못 해요"),
        ]
        for said, value in cases:
            with subtests.test(value=value):
                talk = Talk()
                (text_slot, *_) = (one for one in open_slots(talk.state) if one.kind == "text")
                talk.model.scripts[CHECKER] = found(**{text_slot.name: said})
                await talk.say(f"{said}.")
                assert talk.state.user_info[text_slot.name] == value
