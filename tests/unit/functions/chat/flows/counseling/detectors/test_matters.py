"""A question asks for the slot of its matter, and a bare name answers the question for it."""

import pytest

from functions.chat.flows.counseling.detectors.matters import asks_for

FELT = "그분이 어떤 마음을 알아주면 좋겠어요?"


@pytest.fixture
def slots(talk):
    return {slot.name: slot for task in talk.state.tasks for slot in task.slots}


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("속상할 때 누구한테 털어놓으세요?", {"support_people"}),
        ("마음이 힘들 때 하는 것이 있으세요?", {"coping_style"}),
        ("오늘은 어떤 마음으로 찾아오셨어요?", {"reason"}),
        ("이런 순서로 진행해도 괜찮을까요?", {"process_agreed"}),
        (FELT, set()),
        ("지금은 마음이 좀 괜찮으세요?", set()),
        ("그 말을 누구에게 들으셨어요?", set()),
        ("조금 더 들려주시겠어요?", set()),
    ],
)
def test_a_question_asks_for_the_slot_of_its_matter_and_common_words_for_none(talk, slots, reply, asked):
    opening = {"reason", "process_agreed", "prior_counseling", "support_people", "coping_style"}
    assert {name for name in opening if asks_for(slots[name], reply, talk.content)} == asked


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("저는 지은이에요", "지은"),
        ("안녕하세요, 은채예요. 회사 때문에 왔어요", "은채"),
        ("충성! 박준호입니다. 잘 부탁드립니다", "박준호"),
        ("최 영감이라고 부르쇼", "최 영감"),
        ("강 상병입니다", "강 상병"),
        ("우울증이라고 합니다", None),
        ("늘 힘듭니다", None),
        ("처음이에요", None),
        ("고민이요", None),
        ("엄마예요", None),
    ],
)
async def test_a_bare_name_answers_the_greeting_without_a_model(talk, text, name):
    talk.model.scripts.pop("task_completion_checker")
    await talk.say(text)
    assert talk.state.user_info.get("name") == name
