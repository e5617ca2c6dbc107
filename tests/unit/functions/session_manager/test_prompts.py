"""The session manager's prompt as a real review renders it."""

import pytest

from functions.session_manager.findings import REVIEWER
from functions.session_manager.review import review
from shared.contracts.tasks import JobKind
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import Part, TaskStatus
from shared.locale import Locale
from tests.fakes.background_room import Room, payload
from tests.fakes.counselling import session, task
from tests.support.tags import element, elements

SAID = ("저는 민지예요", "회사에서 발표가 너무 무서워요", "사람들 앞에만 서면 떨려요", "네", "덜 떨고 싶어요")
SPEAKERS = {Locale.KO: ("내담자", "상담사"), Locale.EN: ("Client", "Counsellor")}
GOAL = "발표의 떨림을 이해한다"
TASKS = tuple(
    task(f"task_{part.value}_{status.value}", part, status=status)
    for part in Part
    for status in (TaskStatus.SUFFICIENT, TaskStatus.IN_PROGRESS, TaskStatus.PENDING)
)
COMPLETION = {
    Locale.KO: {Part.EXPLORATION: "<goal>이 내담자의 말로 이루어졌는가", None: "지금은 파트 2가 아니므로 false"},
    Locale.EN: {
        Part.EXPLORATION: "Has <goal> been reached in the client's own words",
        None: "This is not Part 2: false",
    },
}


@pytest.fixture(params=Locale, ids=lambda locale: locale.value)
def locale(request):
    return request.param


async def asked(locale, part, **more):
    """Review a session that stands in a Part, and return what the session manager was asked."""
    room = Room({"session_manager": REVIEWER.safe_default})
    planned = {} if part is Part.OPENING else {"plan_status": PlanStatus.READY, "part2_goal": GOAL}
    await room.open(session(*TASKS, current_part=part, locale=locale, **planned, **more), SAID)
    await review(room.context, payload(JobKind.REVIEW, 5))
    return room.model.asked("session_manager")[0]


async def test_the_part_and_what_completes_it(locale, subtests):
    for part in Part:
        with subtests.test(part=part):
            prompt = await asked(locale, part)
            assert f'<session type="first_session" part="{part.value}">' in prompt.messages[0].text
            expected = Part.EXPLORATION if part is Part.EXPLORATION else None
            assert {one for one, words in COMPLETION[locale].items() if words in prompt.system} == {expected}


async def test_the_tasks_of_the_part_with_their_status_and_no_others(locale, subtests):
    for part in Part:
        with subtests.test(part=part):
            text = (await asked(locale, part)).messages[0].text
            lines = [line for line in text.splitlines() if line.startswith("<task ")]
            assert lines == [
                f'<task status="{one.status.value}">{one.title} — {one.target}</task>'
                for one in TASKS
                if one.part is part
            ]


async def test_the_dialogue_in_order_by_whom(locale, subtests):
    for part in Part:
        with subtests.test(part=part):
            user, counselor = SPEAKERS[locale]
            shown = element((await asked(locale, part)).messages[0].text, "dialogue").splitlines()
            assert [line for line in shown if line.startswith(f"{user}: ")] == [f"{user}: {text}" for text in SAID]
            assert len([line for line in shown if line.startswith(f"{counselor}: ")]) >= len(SAID)


async def test_the_goal_of_part_2_in_part_2_only(locale):
    assert [
        ((part, goal), got)
        for part, goal in ((Part.OPENING, []), (Part.EXPLORATION, [GOAL]), (Part.CLOSING, []))
        if (got := elements((await asked(locale, part)).messages[0].text, "goal")) != goal
    ] == []


@pytest.mark.parametrize("summary", ["", "회사 일로 힘들어함"])
async def test_the_summary_of_what_left_the_window(locale, summary):
    text = (await asked(locale, Part.EXPLORATION, summary_text=summary)).messages[0].text
    assert elements(text, "summary") == ([summary] if summary else [])
