"""The module of a reply: by the table of states, the supervisor's suggestion, the task, or the model's choice."""

import pytest

from functions.chat.flows.counseling.selectors.module_selector import AS_BEFORE, NEW_TASK
from shared.domain.counseling.background_events import Supervised
from shared.domain.counseling.module import ASKING
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.task import TaskKind
from shared.locale import Register
from tests.builders.answers import module_pick, user_state_reading
from tests.builders.sessions import task
from tests.builders.talk import Talk
from tests.support.tags import element

PICKER, DETECTOR = "module_selector", "user_state_detector"
PLAIN = "오늘은 그냥 집에 있었어요"
LOSS, MORE = "강아지가 간 지 이틀 됐어요. 밥그릇을 못 치우겠어요.", "아침마다 산책하던 길을 이제 혼자 걸어요."
CALM, SAD = user_state_reading(), user_state_reading(emotion="sadness", intensity=5)
STRONG, WEAK = {"emotion": "anger", "intensity": 8}, {"emotion": "anger", "intensity": 2}


async def spoken_before(talk):
    """Say something first: a first message is never circular."""
    await talk.say("어제는 바다에 다녀왔어요")
    return talk


async def in_a_circle(talk, pick=None):
    """Talk in circles, for which the table has several modules."""
    talk.model.scripts |= {DETECTOR: user_state_reading(circular=True)} | ({PICKER: pick} if pick else {})
    return await talk.say(PLAIN)


class TestTheModule:
    async def test_is_announced_when_it_changes_but_in_the_first_turn(self, talk):
        changed = []
        for reading in ({"topic_changed": True}, {"resistance": "strong"}):
            talk.model.scripts[DETECTOR] = user_state_reading(**reading)
            changed.append((await talk.say(PLAIN)).directive["module_changed"])
        assert changed == [False, True]

    @pytest.mark.parametrize("said", ["몰라요", "글쎄요 잘 모르겠어요", "네"])
    async def test_is_none_that_only_asks_where_the_user_says_little(self, talk, said):
        for current in ("questioning_technique", "information_gathering"):
            talk.work_on("task_persona_1", covered=["task_welcome_1", "task_info_1", "task_rapport_1"])
            talk.set(current_module=current)
            assert (await talk.say(said)).directive["module_id"] not in ASKING

    async def test_is_the_tasks_module_while_the_user_is_calm(self, talk):
        talk.work_on("task_persona_1", covered=["task_welcome_1", "task_info_1", "task_rapport_1"])
        said = await talk.say(PLAIN)
        assert (talk.state.current_module, said.run(PICKER).reason) == ("questioning_technique", "task")

    async def test_is_the_supervisors_suggestion_until_it_is_stale(self, planned):
        planned.happen(Supervised(seq=1, upto=1, gist={"suggested_module": "coping_strategy"}))
        planned.set(seq=3)
        modules = [(await planned.say(PLAIN)).directive["module_id"] for _ in range(2)]
        assert modules == ["coping_strategy", "information_gathering"]

    async def test_is_the_models_choice_when_the_table_has_several(self, planned):
        talk = await spoken_before(planned)
        said = await in_a_circle(talk, module_pick(module_id="reframing", reason="새로 보기"))
        assert (talk.state.current_module, said.run(PICKER).decided_by.value) == ("reframing", "model")
        request = talk.model.asked(PICKER)[-1]
        schema = request.response_schema.model_json_schema()
        ids = schema["properties"]["module_id"]["enum"]
        for module, there in (("pattern_exploration", True), ("reframing", True), ("emotion_regulation", False)):
            assert (f'id="{module}"' in request.messages[0].text, module in ids) == (there, there), module
        assert (schema["title"], list(schema["properties"])) == ("ModulePick", ["reason", "module_id"])
        reframing = next(one for one in talk.content.modules(talk.state.locale) if one.id == "reframing")
        assert reframing.when in request.messages[0].text
        assert reframing.when_not in request.messages[0].text

    async def test_is_the_tables_first_when_the_model_chooses_one_outside_the_table(self, planned):
        before = len((await spoken_before(planned)).model.asked(PICKER))
        said = await in_a_circle(planned, module_pick(module_id="hypnosis"))
        assert len(planned.model.asked(PICKER)) == before + 2
        assert planned.state.current_module == "pattern_exploration"
        assert said.run(PICKER).decided_by.value == "safe_default"

    async def test_is_not_chosen_again_while_the_state_is_unchanged(self, planned):
        await in_a_circle(await spoken_before(planned), module_pick(module_id="summarization"))
        asked = len(planned.model.asked(PICKER))
        said = await in_a_circle(planned, module_pick(module_id="reframing"))
        assert (planned.state.current_module, len(planned.model.asked(PICKER))) == ("summarization", asked)
        assert said.directive["module_changed"] is False

    async def test_is_not_chosen_again_for_a_feeling_that_returns_during_the_task(self, planned):
        planned.model.scripts[PICKER] = module_pick(module_id="grief_support")
        for message, reading in ((LOSS, SAD), (PLAIN, CALM), (MORE, SAD)):
            planned.model.scripts[DETECTOR] = reading
            said = await planned.say(message)
        assert (planned.state.current_module, said.run(PICKER).reason) == ("grief_support", AS_BEFORE)

    async def test_is_chosen_anew_after_a_new_topic(self, planned):
        planned.model.scripts |= {PICKER: module_pick(module_id="grief_support")}
        for message, reading in ((LOSS, SAD), (PLAIN, user_state_reading(topic_changed=True)), (MORE, SAD)):
            planned.model.scripts[DETECTOR] = reading
            said = await planned.say(message)
        assert (planned.state.current_module, said.run(PICKER).decided_by.value) == ("grief_support", "model")

    async def test_is_a_new_tasks_own_by_rule_and_in_the_next_turn_a_question_for_the_model(self, talk):
        talk.plan(task("a", 2, kind=TaskKind.EXPLORATION), task("b", 2, kind=TaskKind.EXPLORATION))
        first = await talk.say(PLAIN)
        assert (first.run(PICKER).decided_by.value, first.run(PICKER).reason) == ("rule", NEW_TASK)
        talk.model.scripts[PICKER] = module_pick(module_id="grief_support")
        then = await talk.say(LOSS)
        assert (talk.state.current_module, then.run(PICKER).decided_by.value) == ("grief_support", "model")

    async def test_is_the_tables_for_a_feeling_without_a_subject(self, planned):
        planned.model.scripts[DETECTOR] = user_state_reading(emotion="sadness", intensity=5)
        said = await planned.say("너무 슬퍼요")
        assert (planned.state.current_module, said.run(PICKER).decided_by.value) == ("empathy_expression", "rule")

    async def test_in_the_opening_is_a_question_for_the_model_only_if_the_user_asks_something(self, talk):
        talk.work_on("task_rapport_1", covered=["task_welcome_1", "task_info_1"])
        talk.model.scripts[PICKER] = module_pick(module_id="trust_building")
        assert (await talk.say("어제는 비가 와서 집에 있었어요")).run(PICKER).decided_by.value == "rule"
        asked = await talk.say("제가 쓴 글을 다른 분들도 읽으시나요?")
        assert (asked.directive["module_id"], asked.run(PICKER).decided_by.value) == ("trust_building", "model")

    @pytest.mark.parametrize(("register", "voice"), [("존댓말", Register.FORMAL), ("반말", Register.CASUAL)])
    async def test_has_examples_in_the_sessions_register(self, register, voice):
        talk = Talk(register=register)
        talk.model.scripts[DETECTOR] = user_state_reading(emotion="sadness", intensity=5)
        said = await talk.say(PLAIN)
        module = next(one for one in talk.content.modules(talk.state.locale) if one.id == "empathy_expression")
        assert tuple(said.directive["module_examples"]) == module.examples[voice]


class TestTheOrder:
    """The order of rules in conflict: risk, then the user's state, then supervision, then the task."""

    @pytest.mark.parametrize(
        ("reading", "suggested", "module", "reason"),
        [
            ({"resistance": "strong"}, "coping_strategy", "resistance_handling", "state:resistance"),
            (
                {"resistance": "strong", "intensity": 9, "circular": True},
                None,
                "resistance_handling",
                "state:resistance",
            ),
            (STRONG, "reframing", "emotion_regulation", "state:strong_emotion"),
            ({"emotion": "anxiety", "intensity": 5}, None, "empathy_expression", "state:clear_emotion"),
            ({"topic_changed": True}, "reframing", "topic_redirection", "state:topic_change"),
            ({"emotion": "joy", "intensity": 9}, "reframing", "empathy_expression", "state:clear_emotion"),
            ({}, "coping_strategy", "coping_strategy", "supervision"),
            ({}, None, "information_gathering", "task"),
        ],
    )
    async def test_decides_by_rule_and_the_reason_is_stored_as_a_code_and_in_words(
        self, planned, reading, suggested, module, reason
    ):
        planned.happen(Supervised(seq=0, upto=1, gist={"suggested_module": suggested}))
        planned.model.scripts[DETECTOR] = user_state_reading(**reading)
        await planned.say(PLAIN)
        assert (planned.state.current_module, planned.state.module_change_code) == (module, reason)
        words = planned.content.state_words(planned.state.locale)
        assert planned.state.module_change_reason == words.module_reason(reason) != ""

    async def test_stores_the_state_that_has_a_module_instead_of_a_more_pressing_one_without(self, planned):
        for reading in (STRONG, WEAK):
            planned.model.scripts[DETECTOR] = user_state_reading(**reading)
            await planned.say(PLAIN)
        assert planned.state.module_change_code == "state:eased"
        assert planned.state.current_module == "empathy_expression"


@pytest.mark.parametrize("locale", ["ko", "en"])
@pytest.mark.parametrize("part", [1, 2])
async def test_the_models_prompt_holds_the_persona_in_the_sessions_language_in_every_part(locale, part):
    """Where the table leaves several, and none of them is the persona's own."""
    talk = Talk(locale=locale)
    talk.set(user_persona=persona_of(talk.content.personas, "Type_E"))
    if part == 2:
        talk.plan(task("a", 2), task("b", 2))
    else:
        talk.work_on("task_info_1", covered=["task_welcome_1"])
    said = {"ko": "상담은 처음이라 뭘 말해야 할지 모르겠어요", "en": "I have never had counselling, will this help"}
    await (talk.say(said[locale]) if part == 1 else in_a_circle(await spoken_before(talk)))
    text = talk.model.asked(PICKER)[0].messages[0].text
    persona = talk.content.personas.find("Type_E")
    told = element(text, "persona")
    assert persona.description(talk.state.locale) in told
    assert all(line in told for line in persona.how_to_talk(talk.state.locale))
