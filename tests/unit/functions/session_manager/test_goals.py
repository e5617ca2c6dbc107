"""Each type of session is reviewed by its own goals; the record names the consequences."""

import pytest

from functions.session_manager.review import review
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.records import FeedbackKind, FeedbackSource, FeedbackStatus, PlannerFeedback
from shared.domain.counseling.session import SessionType, Watermarks, WrapUp, WrapUpStage
from shared.domain.counseling.task import TaskStatus
from shared.engine.jobs import JobResult
from shared.locale import Locale
from tests.builders.answers import session_review
from tests.builders.job_room import payload
from tests.builders.reviews import COVERED, EVIDENCE, EXPLAINED, PART2, SAID, finding, reviewed, to_review
from tests.builders.sessions import NOW, task
from tests.support.tags import element, elements

WRAP_UP = [
    ("task_summary_1", "오늘 나눈 이야기 돌아보기"),
    ("task_next_1", "다음 상담 안내"),
    ("task_questions_1", "더 하고 싶은 말 확인하기"),
]
BROAD = {"feedback_to_task_planner": "너무 넓다"}


@pytest.mark.parametrize("session_type", SessionType)
@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_holds_the_goals_of_the_session_type_in_the_sessions_language(session_type, locale):
    room, _ = await reviewed(finding(False, session_type), session_type=session_type, locale=locale, **PART2)
    text = room.model.asked("session_manager")[0].messages[0].text
    goals = content().goals(session_type, locale)
    assert elements(text, "session_goal") == [f"{goal.title}: {goal.description}" for goal in goals]
    tags = [line.split(">")[0] for line in text.splitlines() if line.startswith("<session_goal")]
    assert tags == [f'<session_goal id="{goal.id}" evidence="{goal.evidence.value}"' for goal in goals]


@pytest.mark.parametrize("session_type", SessionType)
async def test_a_wrap_up_is_recommended_by_rule_when_all_goals_are_met(session_type):
    room, record = await reviewed(finding(True, session_type), session_type=session_type, **PART2)
    assert (record["recommendation"], record["completion_score"], record["missing_goals"]) == ("wrap_up", 1, [])
    first = True if session_type is SessionType.FIRST_SESSION else None
    assert (record["goals_met"], record["first_session_goals_met"]) == (True, first)
    assert set(record["goals"]) == {goal.id for goal in content().goals(session_type, Locale.KO)}
    wrap_up = (await room.session()).wrap_up
    assert (wrap_up.stage, wrap_up.reason, wrap_up.seq) == (WrapUpStage.SUGGESTED, "goals_met", 5)


async def test_the_record_names_the_wrap_up_tasks_and_the_sessions_status():
    _, record = await reviewed(finding(True), **PART2)
    assert [(one["id"], one["title"]) for one in record["wrap_up_tasks"]] == WRAP_UP
    assert record["session_status"] == "active"
    _, record = await reviewed(finding(False), **PART2)
    assert (record["wrap_up_tasks"], record["recommendation"]) == ([], "continue")


async def test_met_goals_recommend_no_wrap_up_soon_after_the_user_declined():
    declined = WrapUp(stage=WrapUpStage.DECLINED, seq=3, declined=1)
    room, record = await reviewed(finding(True), wrap_up=declined, **PART2)
    assert (record["recommendation"], record["goals_met"], record["wrap_up_tasks"]) == ("continue", True, [])
    assert (await room.session()).wrap_up == declined


@pytest.mark.parametrize(
    ("answer", "corrected", "recommendation"),
    [
        (finding(False, part2_completed=True, **BROAD), "completed_with_feedback", None),
        (finding(True, **BROAD), "feedback_at_wrap_up", "wrap_up"),
        (finding(False, wrap_up_advised=True, **BROAD), "feedback_at_wrap_up", "wrap_up"),
    ],
)
async def test_a_suggested_wrap_up_overrides_planner_feedback_and_the_record_names_it(
    answer, corrected, recommendation
):
    room, record = await reviewed(answer, **PART2)
    assert (record["corrected"], record["feedback_to_task_planner"]) == ([corrected], "")
    assert recommendation is None or record["recommendation"] == recommendation
    assert not await room.records("planner_feedback")
    state = await room.session()
    assert (state.wrap_up.stage, state.replans) == (WrapUpStage.SUGGESTED, 0)


async def test_a_goal_that_stays_met_keeps_its_evidence():
    silent = session_review(part2_completed=False, wrap_up_advised=False)
    room, _ = await reviewed([finding(True), silent], said=(*SAID, "산책이 좋아요"), **PART2)
    assert await review(room.context, payload(JobKind.REVIEW, 6)) is JobResult.DONE
    record = await room.record("reviews", "6")
    assert {goal["evidence"] for goal in record["goals"].values()} == {EVIDENCE, SAID[2], SAID[4], EXPLAINED}
    assert record["completion_score"] == 1


class TestAReviewAfterAReplan:
    applied = PlannerFeedback(
        record_id="4-user_state",
        created_at=NOW,
        expire_at=NOW,
        source=FeedbackSource.USER_STATE,
        kind=FeedbackKind.TOPIC_CHANGE.value,
        reason="내담자가 동생 이야기로 <옮겨> 갔다",
        seq=4,
        status=FeedbackStatus.APPLIED.value,
    )

    async def asked(self, *records, **more):
        fields = {"replanned_seq": 5, "watermarks": Watermarks(reviewed=5), **PART2, **more}
        room = await to_review(finding(False), said=(*SAID, "동생이 자꾸 생각나요", "미안해서요"), **fields)
        await room.add(*records)
        assert await review(room.context, payload(JobKind.REVIEW, 7)) is JobResult.DONE
        return room, room.model.asked("session_manager")[0]

    @pytest.mark.parametrize(
        ("locale", "words"), [(Locale.KO, "계획이 얼마 전에 바뀌었습니다"), (Locale.EN, "The plan was changed")]
    )
    async def test_names_the_reason_of_the_replan_in_its_prompt_once(self, locale, words):
        room, prompt = await self.asked(self.applied, locale=locale)
        text = prompt.messages[0].text
        assert words in prompt.system
        assert element(text, "replanned") == "내담자가 동생 이야기로 ‹옮겨› 갔다"
        assert element(text, "goal") == PART2["part2_goal"]
        assert (await room.session()).watermarks.reviewed == 7
        _, without_reason = await self.asked(locale=locale)
        assert words in without_reason.system
        assert elements(without_reason.messages[0].text, "replanned") == []
        _, later = await self.asked(self.applied, locale=locale, watermarks=Watermarks(reviewed=6))
        assert words not in later.system

    async def test_shows_the_new_plan_without_the_replaced_tasks(self):
        gone = task("gone", 2, status=TaskStatus.COMPLETED, completed_at=NOW)
        _, prompt = await self.asked(self.applied, tasks=(COVERED, gone, task("task_part2_r1_1", 2)))
        shown = [line for line in prompt.messages[0].text.splitlines() if line.startswith("<task ")]
        assert [("gone" in line, "task_part2_r1_1" in line) for line in shown] == [(False, False), (False, True)]
