"""The Counselor's prompt as a real turn renders it: what it always holds, sometimes holds, and must not hold."""

import pytest

from functions.chat.findings import Findings
from functions.chat.flows.counseling.directive import draw_up
from functions.chat.flows.counseling.prepared_reply import CounselorInput, speaker_of
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted, Supervised, WrapUpSuggested
from shared.domain.counseling.directive import Stance
from shared.domain.counseling.session import PlanStatus, WrapUpStage
from shared.domain.counseling.task import Part
from shared.locale import Locale
from tests.builders.answers import user_state_reading
from tests.builders.sessions import task
from tests.builders.talk import Talk
from tests.support.tags import element, elements

PLAIN = {Locale.KO: "오늘은 그냥 집에 있었어요", Locale.EN: "I just stayed at home all of today"}
HINT = {Locale.KO: "사는 게 의미가 없는 것 같아요", Locale.EN: "Sometimes I feel like I'm dying"}
STOP = {Locale.KO: " 오늘은 여기까지 할게요", Locale.EN: " Let's stop here for today"}
PARTS = {
    Locale.KO: {Part.OPENING: "여는 시간", Part.EXPLORATION: "깊이 나누는 시간", Part.CLOSING: "마무리하는 시간"},
    Locale.EN: {Part.OPENING: "The opening", Part.EXPLORATION: "The exploration", Part.CLOSING: "The closing"},
}
GOAL = "발표 앞의 밤을 이해한다"
TASK = {"title": "발표 앞의 밤", "target": "그 밤의 마음을 안다"}
PART_CHANGED = '<notice kind="part_changed">'


@pytest.fixture(params=Locale, ids=lambda locale: locale.value)
def locale(request):
    return request.param


@pytest.fixture
def talk(locale):
    return Talk(locale=locale.value)


def lead_to(talk, part):
    """Bring the session to the first turn of a Part."""
    if part >= Part.EXPLORATION:
        talk.plan(task("task_part2_1", Part.EXPLORATION, **TASK), goal=GOAL)
    if part is Part.CLOSING:
        talk.happen(ClosingStarted(tasks=(task("task_last_1", Part.CLOSING),)))


def module_of(locale, module_id):
    return next(one for one in content().modules(locale) if one.id == module_id)


def about_the_person(line):
    """Return a line of the content in the Counselor's terms."""
    return line.replace("내담자", "상대").replace("the client", "the person")


async def system_of(talk):
    """Take a turn and return its system prompt."""
    await talk.say(PLAIN[talk.state.locale])
    return talk.model.asked("counselor")[-1].system


@pytest.mark.parametrize("part", Part)
async def test_each_part_has_its_purpose_module_and_goal_and_is_announced_in_its_first_turn(talk, locale, part):
    lead_to(talk, part)
    system = await system_of(talk)
    assert f'<part number="{part.value}">' in system
    assert {one for one, words in PARTS[locale].items() if words in element(system, "part")} == {part}
    module = module_of(locale, talk.state.current_module)
    assert f'<module id="{module.id}" name="{module.name}">' in system
    assert element(system, "module").splitlines() == [f"- {about_the_person(line)}" for line in module.summary]
    assert len(module.summary) in (3, 4, 5)
    assert elements(system, "goal") == ([GOAL] if part is Part.EXPLORATION else [])
    assert (GOAL in system) == (part is Part.EXPLORATION)
    assert "<persona" not in system, "no persona is known"
    assert (PART_CHANGED in system, PART_CHANGED in await system_of(talk)) == (part is not Part.OPENING, False)


@pytest.mark.parametrize("part", Part)
async def test_the_prompt_holds_a_given_persona_from_the_start(locale, part):
    talk = Talk(locale=locale.value, persona="Type_A")
    lead_to(talk, part)
    shown = elements(await system_of(talk), "persona")
    description = content().personas.find("Type_A").description(locale)
    assert [description in one for one in shown] == [True]


async def test_the_counselors_prompt_never_has_the_analysts_word_for_the_client():
    talk = Talk()
    lead_to(talk, Part.EXPLORATION)
    talk.set(part2_goal="내담자가 덜 외롭기", summary_text="내담자가 회사 이야기를 함.")
    system = await system_of(talk)
    assert "내담자" not in system
    assert "상대가 덜 외롭기" in system
    assert "상대가 회사 이야기를 함." in system


@pytest.mark.parametrize("restrictions", [None, "해결책을 먼저 내지 않는다"])
async def test_the_prompt_holds_the_tasks_title_target_and_restrictions(talk, restrictions):
    talk.plan(task("task_part2_1", Part.EXPLORATION, restrictions=restrictions, **TASK))
    system = await system_of(talk)
    assert '<task id="task_part2_1">' in system
    shown = [line.partition(": ")[2] for line in element(system, "task").splitlines()]
    assert shown == [TASK["title"], TASK["target"], *([restrictions] if restrictions else [])]


async def test_the_prompt_says_why_the_module_changed_in_the_turn_of_the_change_alone(talk):
    lead_to(talk, Part.EXPLORATION)
    await system_of(talk)
    same = await system_of(talk)
    talk.model.scripts["user_state_detector"] = user_state_reading(resistance="strong")
    changed, kept = await system_of(talk), await system_of(talk)
    assert talk.state.current_module == "resistance_handling"
    assert talk.state.module_change_code == "state:resistance"
    in_words = {Locale.KO: "사용자 저항 감지", Locale.EN: "Resistance detected"}
    assert talk.state.module_change_reason == in_words[talk.state.locale]
    reason = talk.content.state_words(talk.state.locale).module_change("state:resistance")
    assert reason in next(one for one in elements(changed, "notice"))
    assert "state:resistance" not in changed
    assert ['<notice kind="module_changed">' in one for one in (same, changed, kept)] == [False, True, False]


SECRETS = {
    "description": "설명은 상담사에게 가지 않는다",
    "completion_criteria": "완료 기준은 상담사에게 가지 않는다",
    "strengths": "잘한 점은 상담사에게 가지 않는다",
    "other task": "task_part2_other",
    "other title": "다른 과제의 제목",
    "persona": "Type_A",
    "user": "someone-else",
}
ALWAYS = ("<principles>", "<register>", "<stance>")
NOT_IN_CARE = ("<goal>", "<persona>", "<module ", "<part ", "<notice", "<carried>", "<supervision", "<task")


@pytest.mark.parametrize("part", Part)
async def test_the_prompt_of_no_stance_holds_internal_fields_or_other_tasks(locale, part):
    """The fields that prompt v4 marks "제거" (removed), and ids and words that do not belong to this turn."""
    talk = Talk(locale=locale.value, persona="Type_A")
    texts = {name: SECRETS[name] for name in ("description", "completion_criteria")}
    present = task("task_here", part, **texts)
    other = task(SECRETS["other task"], part, title=SECRETS["other title"], **texts)
    gist = {"total": 3.25, "improvements": ["물음은 하나만"], "scores": {"empathy": 2}}
    talk.happen(Supervised(seq=1, upto=1, gist=gist | {"strengths": [SECRETS["strengths"]]}))
    talk.set(tasks=(present, other), current_part=part, current_task=None, part2_goal=GOAL)
    talk.set(user_id=SECRETS["user"], conversation_id="conversation-id")
    talk.work_on("task_here")
    turn = talk.turn(PLAIN[locale])
    drawn = draw_up(turn, UserMessage(turn, content()), talk.state, Findings(), content())
    persona = content().personas.find("Type_A")
    forbidden = [*SECRETS.values(), persona.name(locale), persona.schema_frame, "3.25", "empathy", "conversation-id"]
    guidelines = module_of(locale, drawn.module_id).guidelines
    assert guidelines
    for stance in Stance:
        directive = drawn.model_copy(update={"stance": stance})
        given = CounselorInput(directive=directive, speech_register="존댓말", summary="요약.", first_turn=True)
        system = speaker_of(stance).prompt.render(locale, given).system
        assert [one for one in (*forbidden, *guidelines) if one in system] == [], stance
        assert [one for one in ALWAYS if one not in system] == [], stance
        if stance is Stance.CARE:
            assert [one for one in NOT_IN_CARE if one in system] == []
            continue
        assert f'<part number="{part.value}">' in system
        assert ("<task" in system) == (stance is Stance.WORK)
        assert ("<module " in system) == (stance in {Stance.WORK, Stance.GATHER, Stance.ACCOMPANY, Stance.BRIDGE})
        assert "<persona>" in system
        assert ("<goal>" in system) == (part is Part.EXPLORATION)


@pytest.mark.parametrize("lead", ["ask", "proposal", "end", "bridge", "part_changed"])
async def test_a_concern_is_the_only_question_in_the_prompt_and_makes_no_proposal(talk, locale, lead):
    if lead == "bridge":
        talk.set(plan_status=PlanStatus.PLANNING, planning_seq=0)
    elif lead != "ask":
        lead_to(talk, Part.EXPLORATION)
    if lead == "proposal":
        talk.happen(WrapUpSuggested(reason="session_manager"))
    await talk.say(HINT[locale] + (STOP[locale] if lead == "end" else ""))
    system = talk.model.asked("counselor")[-1].system
    assert '<notice kind="concern">' in system
    assert [one for one in ("<ask ", "<proposal>", PART_CHANGED, "<stance>bridge") if one in system] == []
    assert talk.state.wrap_up is None or talk.state.wrap_up.stage is not WrapUpStage.PROPOSED
    if lead == "part_changed":
        assert PART_CHANGED not in await system_of(talk), "the question was evaded and is asked once more"
        assert PART_CHANGED in await system_of(talk), "the new Part is announced afterwards"


async def test_the_care_prompt_points_to_no_home_that_the_user_fears(talk, locale):
    fears = {Locale.KO: ("죽고 싶어요", "집이 지옥 같아요"), Locale.EN: ("I want to die", "I'm scared to go home")}[
        locale
    ]
    told = {Locale.KO: "집이나 가족을 무서워합니다", Locale.EN: "They are afraid of their home or family"}[locale]
    await talk.say(fears[0])
    assert told not in await system_of(talk)
    await talk.say(fears[1])
    system = await system_of(talk)
    assert "<stance>care" in system
    assert told in system
