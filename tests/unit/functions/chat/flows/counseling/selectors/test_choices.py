from functions.chat.flows.counseling.selectors.choices import among
from functions.chat.flows.counseling.selectors.module_selector import ModulePick
from functions.chat.flows.counseling.selectors.task_selector import TaskChoice
from tests.fakes.answers import module_pick


def test_the_schema_keeps_title_words_and_order_and_lists_the_choices():
    own, narrowed = TaskChoice.model_json_schema(), among(TaskChoice, "task_id", ("b", "a")).model_json_schema()
    assert (narrowed["properties"]["task_id"]["enum"], narrowed["required"]) == (["b", "a"], own["required"])
    assert narrowed["properties"]["task_id"]["description"] == own["properties"]["task_id"]["description"]
    assert (narrowed["title"], narrowed["description"]) == (own["title"], own["description"])
    assert list(narrowed["properties"]) == list(own["properties"])


def test_an_answer_is_still_one_of_the_agents_own():
    answer = among(ModulePick, "module_id", ("a",)).model_validate_json('{"reason": "", "module_id": "a"}')
    assert isinstance(answer, ModulePick)


def test_the_original_is_left_alone():
    among(ModulePick, "module_id", ("a",))
    assert module_pick().module_id == ""
    assert "enum" not in ModulePick.model_json_schema()["properties"]["module_id"]


def test_the_same_choices_are_the_same_schema():
    assert among(ModulePick, "module_id", ("a", "b")) is among(ModulePick, "module_id", ("a", "b"))
