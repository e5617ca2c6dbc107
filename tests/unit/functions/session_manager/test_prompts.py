"""The session manager's prompt as a real review renders it."""

import pytest

from functions.session_manager.review_schema import REVIEWER
from shared.domain.counseling.task import Part, TaskStatus
from shared.locale import Locale
from tests.builders.reviews import PART2, PROCESS, SAID, reviewed
from tests.builders.sessions import task
from tests.support.tags import element, elements

SPEAKERS = {Locale.KO: ("내담자", "상담사"), Locale.EN: ("Client", "Counsellor")}
TASKS = tuple(
    task(f"task_{part.value}_{status.value}", part, status=status)
    for part in Part
    for status in (TaskStatus.SUFFICIENT, TaskStatus.IN_PROGRESS, TaskStatus.PENDING)
)
COMPLETION = {
    Locale.KO: ("지금은 파트 2가 아니므로 false", "<goal>이 내담자의 말로 이루어졌는가"),
    Locale.EN: ("This is not Part 2: false", "Has <goal> been reached in the client's own words"),
}


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("part", Part)
@pytest.mark.parametrize("summary", ["", "회사 일로 힘들어함"])
async def test_the_prompt_holds_part_completion_rule_tasks_goal_summary_and_dialogue(locale, part, summary):
    planned = {} if part is Part.OPENING else PART2
    fields = planned | {"current_part": part, "locale": locale, "summary_text": summary}
    room, _ = await reviewed(REVIEWER.safe_default, *TASKS, **fields)
    prompt = room.model.asked("session_manager")[0]
    text = prompt.messages[0].text
    assert f'<session type="first_session" part="{part.value}">' in text
    in_part_2 = part is Part.EXPLORATION
    assert [words in prompt.system for words in COMPLETION[locale]] == [not in_part_2, in_part_2]
    explained = PROCESS.model_copy(update={"status": TaskStatus.SUFFICIENT})
    assert [line for line in text.splitlines() if line.startswith("<task ")] == [
        f'<task status="{one.status.value}">{one.title} — {one.target}</task>'
        for one in (*TASKS, explained)
        if one.part is part
    ]
    assert elements(text, "goal") == ([PART2["part2_goal"]] if in_part_2 else [])
    assert elements(text, "summary") == ([summary] if summary else [])
    user, counselor = SPEAKERS[locale]
    shown = element(text, "dialogue").splitlines()
    assert [line for line in shown if line.startswith(f"{user}: ")] == [f"{user}: {said}" for said in SAID]
    assert len([line for line in shown if line.startswith(f"{counselor}: ")]) >= len(SAID)
