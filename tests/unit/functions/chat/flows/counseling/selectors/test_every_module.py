"""Every technique is chosen in a situation of its own, through a whole turn: what there is, is used."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.persona import persona_of
from shared.locale import Locale
from tests.builders.answers import module_pick, user_state_reading
from tests.builders.sessions import task
from tests.builders.talk import Talk

PICKER, DETECTOR = "module_selector", "user_state_detector"
PART1 = ("task_welcome_1", "task_info_1", "task_rapport_1", "task_persona_1")


class Scene(NamedTuple):
    """One turn.

    Attributes:
        said: The user's words; with a circular reading, those of the second turn.
        reading: What the detector reads in them.
        works_on: A task of the template, with Part 1's tasks before it covered; None for Part 2.
        planned: Kind and module of the task in Part 2, or none, and who made it.
    """

    said: str
    reading: Mapping[str, object] = MappingProxyType({})
    works_on: str | None = None
    planned: dict | None = None
    persona: str | None = None


def of_kind(kind, module_id="information_gathering", origin="template"):
    return {"kind": kind, "module_id": module_id, "origin": origin}


SAD = {"emotion": "sadness", "intensity": 5}
EXPLORE, COPE = of_kind("exploration", "questioning_technique"), of_kind("coping", "coping_strategy")
SCENES = {
    "trust_building": Scene("AI한테 이런 얘기를 해도 되나요", works_on="task_info_1"),
    "process_orientation": Scene("상담은 처음이라 뭘 말해야 할지 모르겠어요", works_on="task_info_1"),
    "information_gathering": Scene("요즘 회사 일이 많아요", works_on="task_info_1"),
    "rapport_building": Scene("오늘은 집에 있었어요", works_on="task_rapport_1"),
    "questioning_technique": Scene("그냥 평범하게 지내요", works_on="task_persona_1"),
    "empathy_expression": Scene("그 말을 듣고 눈물이 났어요", SAD),
    "resistance_handling": Scene("말하기 싫어요", {"resistance": "strong"}),
    "emotion_regulation": Scene("너무 서러워서 말이 안 나와요", {"emotion": "sadness", "intensity": 9}),
    "grounding_breathing": Scene("심장이 빨리 뛰고 손이 떨려요", {"emotion": "anxiety", "intensity": 9}),
    "topic_redirection": Scene("그건 그렇고 동생 얘기를 하고 싶어요", {"topic_changed": True}),
    "pattern_exploration": Scene("또 그랬어요", planned=of_kind("pattern", "pattern_exploration")),
    "cbt_basics": Scene(
        "답장이 없으니까 제가 뭘 잘못했나 싶더라고요", planned=of_kind("pattern", "pattern_exploration")
    ),
    "thought_record": Scene("저는 항상 모자라요. 다들 저를 무능하다고 볼 거예요", {"circular": True}, persona="Type_A"),
    "reframing": Scene("아무리 생각해도 똑같아요", {"circular": True}, persona="Type_N"),
    "summarization": Scene("계속 같은 얘기네요", {"circular": True}, persona="Type_M"),
    "coping_strategy": Scene("어떻게 해야 할까요", planned=COPE),
    "problem_solving": Scene("조별 과제를 어떻게 나눌지 모르겠어요", planned=COPE, persona="Type_P"),
    "behavioral_activation": Scene("아무것도 하기 싫고 누워만 있어요", planned=COPE, persona="Type_J"),
    "sleep_support": Scene("새벽까지 잠을 못 자요", planned=COPE),
    "motivational_interviewing": Scene("끊어야 하는 건 아는데 막상 손이 가요", planned=EXPLORE),
    "scaling_and_balance": Scene("할지 말지 갈팡질팡해요", planned=of_kind("goal_setting", "goal_setting")),
    "goal_setting": Scene("제가 바라는 건요", planned=of_kind("goal_setting", "goal_setting", "planner")),
    "grief_support": Scene("작년에 할머니가 돌아가셨어요", SAD),
    "face_and_family": Scene("명절마다 시댁 눈치를 봐요", SAD, persona="Type_E"),
    "school_army_work": Scene("선임이 매일 괴롭혀요", SAD),
    "self_compassion": Scene("다 제 탓이에요. 한심해요", {"emotion": "shame", "intensity": 5}, persona="Type_I"),
    "wrap_up": Scene("네", works_on="task_next_1"),
    "crisis_support": Scene("죽고 싶어요"),
}


def begun(scene):
    talk = Talk()
    talk.set(user_persona=persona_of(talk.content.personas, scene.persona))
    if scene.works_on is None:
        planned = scene.planned or of_kind("information", origin="planner")
        talk.plan(task("a", 2, **planned))
        talk.work_on("a")
    elif scene.works_on in PART1:
        talk.work_on(scene.works_on, covered=PART1[: PART1.index(scene.works_on)])
    else:
        closing = content().templates("first_session", Locale.KO, talk.state.register_)
        talk.set(current_part=3, announced_part=3, tasks=tuple(one for one in closing if one.part == 3))
        talk.work_on(scene.works_on, covered=("task_summary_1", "task_goal_1"))
    return talk


async def played(module_id):
    """Play the scene of a module, for which the model is."""
    scene = SCENES[module_id]
    talk = begun(scene)
    if scene.reading.get("circular"):
        await talk.say("어제는 바다에 다녀왔어요")
    talk.model.scripts |= {DETECTOR: user_state_reading(**scene.reading), PICKER: module_pick(module_id=module_id)}
    return talk, await talk.say(scene.said)


@pytest.mark.parametrize("module_id", SCENES)
async def test_each_is_chosen_where_it_fits(module_id):
    talk, said = await played(module_id)
    assert talk.state.current_module == module_id
    if module_id != "crisis_support":
        assert said.run(PICKER).decided_by.value in ("rule", "model")
        assert said.directive["module_summary"]
        assert len(said.directive["module_examples"]) == 2


def test_there_is_a_scene_for_each_module():
    assert set(SCENES) == {module.id for module in content().modules(Locale.KO)}


@pytest.mark.parametrize(
    ("summary", "module_id"), [("작년에 할머니가 돌아가셨다고 했다.", "grief_support"), ("", "empathy_expression")]
)
async def test_the_planners_grief_task_needs_a_loss_that_was_told_also_long_ago(summary, module_id):
    talk = begun(Scene("", planned=of_kind("emotion", "grief_support", "planner")))
    talk.set(summary_text=summary)
    await talk.say("오늘은 집에 있었어요")
    assert talk.state.current_module == module_id
