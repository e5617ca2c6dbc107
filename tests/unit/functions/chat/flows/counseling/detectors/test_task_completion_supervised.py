"""The effect of the supervisor's judgement on the Task Completion Checker."""

import pytest

from shared.domain.counseling.background_events import Supervised
from shared.domain.counseling.task import TaskStatus
from tests.builders.answers import task_completion
from tests.builders.sessions import task
from tests.builders.talk import Talk
from tests.support.tags import element, elements

CHECKER = "task_completion_checker"
EARLIER = "회사에서 매일 혼나서 아침이 무서워요"
NOW = "오늘은 그냥 집에 있었어요"
REMARK = "과제를 건너뛰고 해결책부터 물었어요"
ASTRAY = {"total": 8.0, "scores": {"task_adherence": 3, "information_stage": 8}}
LOW = {"total": 8.0, "scores": {"task_adherence": 6, "information_stage": 8}}
GOOD = {"total": 8.0, "scores": {"task_adherence": 8, "information_stage": 8}}


@pytest.fixture(params=["ko", "en"])
def talk(request):
    """Part 2 with a judged task in progress."""
    talk = Talk(locale=request.param)
    talk.plan(task("a", 2), task("b", 2))
    talk.work_on("a")
    return talk


async def judged(talk, gist, *, evidence):
    """Take a turn, a supervision, and a turn in which the model judges the task complete; return the task's status."""
    await talk.say(EARLIER)
    talk.happen(Supervised(seq=1, upto=1, gist={"improvements": [REMARK], **gist}))
    talk.model.scripts[CHECKER] = task_completion(complete=True, evidence=evidence)
    await talk.say(NOW)
    return talk.state.task("a").status


@pytest.mark.parametrize(
    ("gist", "evidence", "covered"),
    [
        (GOOD, EARLIER, True),
        (LOW, EARLIER, True),
        (ASTRAY, EARLIER, False),
        (ASTRAY, "집에 있었어요", True),
        (ASTRAY, "", False),
        (GOOD, "", False),
    ],
)
async def test_after_low_task_adherence_only_the_newest_message_is_evidence(talk, gist, evidence, covered):
    assert await judged(talk, gist, evidence=evidence) is (TaskStatus.SUFFICIENT if covered else TaskStatus.IN_PROGRESS)


@pytest.mark.parametrize(("gist", "shown"), [(GOOD, []), (LOW, [f"- {REMARK}"]), (ASTRAY, [f"- {REMARK}"])])
async def test_improvements_are_in_the_checkers_prompt_after_a_low_score(talk, gist, shown):
    await judged(talk, gist, evidence="")
    before, after = (one.messages[0].text for one in talk.model.asked(CHECKER))
    assert elements(before, "supervision") == []
    assert elements(after, "supervision") == shown


async def test_a_stale_supervision_is_not_in_the_checkers_prompt(talk):
    talk.happen(Supervised(seq=1, upto=1, gist={"improvements": [REMARK], **ASTRAY}))
    talk.set(seq=20)
    await talk.say(NOW)
    assert element(talk.model.asked(CHECKER)[0].messages[0].text, "newest_message") == NOW
    assert elements(talk.model.asked(CHECKER)[0].messages[0].text, "supervision") == []
