"""The Counselor's prompt as a real turn renders it: what it must hold, what it holds at times, what it leaves out."""

import pytest

from functions.chat.flows.counseling.detectors.user_state import UserStateReading
from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted, Supervised
from shared.domain.counseling.task import Part
from shared.domain.locale import Locale
from tests.fakes.counselling import task
from tests.fakes.talk import Talk
from tests.support.tags import element, elements

PLAIN = {Locale.KO: "오늘은 그냥 집에 있었어요", Locale.EN: "I just stayed at home all of today"}
PARTS = {
    Locale.KO: {Part.OPENING: "여는 시간", Part.EXPLORATION: "깊이 나누는 시간", Part.CLOSING: "마무리하는 시간"},
    Locale.EN: {Part.OPENING: "The opening", Part.EXPLORATION: "The exploration", Part.CLOSING: "The closing"},
}
GOAL = "발표 앞의 밤을 이해한다"
TASK = {
    "title": "발표 앞의 밤",
    "target": "그 밤의 마음을 안다",
    "description": "그날 밤을 차례로 돌아본다",
    "completion_criteria": "감정을 하나 말했을 때",
}


@pytest.fixture(params=Locale, ids=lambda locale: locale.value)
def locale(request):
    return request.param


@pytest.fixture
def talk(locale):
    return Talk(locale=locale.value)


def lead_to(talk, part):
    """Put the session at the first turn of a Part."""
    if part >= Part.EXPLORATION:
        talk.plan(task("task_part2_1", Part.EXPLORATION, **TASK), goal=GOAL)
    if part is Part.CLOSING:
        talk.happen(ClosingStarted(tasks=(task("task_last_1", Part.CLOSING),)))


async def told(talk):
    """Take a turn and return what the Counselor was told in it."""
    await talk.say(PLAIN[talk.state.locale])
    return talk.model.asked("counselor")[-1].system


class TestAlways:
    @pytest.mark.parametrize("part", Part)
    async def test_the_part_and_what_it_is_for(self, talk, locale, part):
        lead_to(talk, part)
        system = await told(talk)
        assert f'<part number="{part.value}">' in system
        shown = element(system, "part")
        assert {one for one, words in PARTS[locale].items() if words in shown} == {part}

    async def test_the_title_and_target_of_the_task(self, talk):
        lead_to(talk, Part.EXPLORATION)
        system = await told(talk)
        assert '<task id="task_part2_1">' in system
        shown = [line.partition(": ")[2] for line in element(system, "task").splitlines()]
        assert shown == [TASK["title"], TASK["target"]]

    @pytest.mark.parametrize("part", Part)
    async def test_the_summary_of_the_module_in_its_three_to_five_lines(self, talk, locale, part):
        lead_to(talk, part)
        system = await told(talk)
        module = next(one for one in content().modules(locale) if one.id == talk.state.current_module)
        assert f'<module id="{module.id}" name="{module.name}">' in system
        assert element(system, "module").splitlines() == [f"- {line}" for line in module.summary]
        assert len(module.summary) in (3, 4, 5)


class TestOnlyWhenItIsSo:
    @pytest.mark.parametrize("part", Part)
    async def test_the_persona_from_part_2_on(self, locale, part):
        talk = Talk(locale=locale.value, persona="Type_A")
        lead_to(talk, part)
        shown = elements(await told(talk), "persona")
        description = content().personas.find("Type_A").description_ko
        assert [description in one for one in shown] == ([] if part is Part.OPENING else [True])

    @pytest.mark.parametrize("part", Part)
    async def test_no_persona_where_none_is_known(self, talk, part):
        lead_to(talk, part)
        assert "<persona" not in await told(talk)

    @pytest.mark.parametrize("part", Part)
    async def test_the_goal_of_part_2_in_part_2(self, talk, part):
        lead_to(talk, part)
        system = await told(talk)
        assert elements(system, "goal") == ([GOAL] if part is Part.EXPLORATION else [])
        assert (GOAL in system) == (part is Part.EXPLORATION)

    async def test_the_new_module_and_why_in_the_turn_in_which_it_changed(self, talk):
        lead_to(talk, Part.EXPLORATION)
        await told(talk)
        same = await told(talk)
        talk.model.scripts["user_state_detector"] = UserStateReading(resistance="strong")
        changed, kept = await told(talk), await told(talk)
        assert talk.state.current_module == "resistance_handling"
        assert "state:resistance" in next(one for one in elements(changed, "notice"))
        assert ['<notice kind="module_changed">' in one for one in (same, changed, kept)] == [False, True, False]

    @pytest.mark.parametrize("part", Part)
    async def test_the_lead_over_in_the_first_turn_of_a_new_part(self, talk, part):
        lead_to(talk, part)
        first, second = await told(talk), await told(talk)
        assert ('<notice kind="part_changed">' in first) == (part is not Part.OPENING)
        assert '<notice kind="part_changed">' not in second

    @pytest.mark.parametrize(("total", "there"), [(6.9, True), (7, False)])
    async def test_what_the_supervisor_wants_mended_below_seven(self, talk, total, there):
        talk.happen(Supervised(seq=1, upto=1, gist={"total": total, "improvements": ["물음은 하나만"]}))
        assert elements(await told(talk), "supervision") == (["- 물음은 하나만"] if there else [])

    @pytest.mark.parametrize("restrictions", [None, "해결책을 먼저 내지 않는다"])
    async def test_what_the_task_forbids(self, talk, restrictions):
        talk.plan(task("task_part2_1", Part.EXPLORATION, restrictions=restrictions))
        lines = element(await told(talk), "task").splitlines()[2:]
        assert [line.partition(": ")[2] for line in lines] == ([restrictions] if restrictions else [])


class TestNever:
    async def test_the_tasks_description_and_what_completes_it(self, talk):
        lead_to(talk, Part.EXPLORATION)
        system = await told(talk)
        assert TASK["title"] in system
        assert TASK["description"] not in system
        assert TASK["completion_criteria"] not in system

    async def test_what_the_supervisor_praised(self, talk):
        praise = "따뜻하게 받아 주었다"
        talk.happen(
            Supervised(seq=1, upto=1, gist={"total": 3, "improvements": ["물음은 하나만"], "strengths": [praise]})
        )
        system = await told(talk)
        assert "물음은 하나만" in system
        assert praise not in system

    @pytest.mark.parametrize("part", Part)
    async def test_the_full_guidelines_of_the_module(self, talk, locale, part):
        lead_to(talk, part)
        system = await told(talk)
        module = next(one for one in content().modules(locale) if one.id == talk.state.current_module)
        assert module.guidelines
        assert [line for line in module.guidelines if line in system] == []
