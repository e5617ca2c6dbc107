"""Each type of session is reviewed by its own goals; what follows stands in the record."""

import pytest

from functions.session_manager.review import review
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.records import FeedbackKind, FeedbackSource, FeedbackStatus, PlannerFeedback
from shared.domain.counseling.session import SessionType, Watermarks, WrapUp, WrapUpStage
from shared.domain.counseling.task import TaskStatus
from shared.engine.jobs import JobResult
from shared.locale import Locale
from tests.fakes.answers import session_review
from tests.fakes.background_room import Room, payload
from tests.fakes.counselling import NOW, session, task
from tests.support.tags import element, elements

SAID = (
    "지난번에 정한 산책은 세 번 했어요",
    "요즘은 조금 덜 불안해요",
    "오늘은 동생 얘기를 하고 싶어요",
    "네",
    "산책을 계속하고 싶어요",
)
JOB = payload(JobKind.REVIEW, 5)
PART2 = {"current_part": 2, "plan_status": "ready", "part2_goal": "동생과의 일을 이해한다"}
COVERED = task("task_part2_1", 2, status=TaskStatus.SUFFICIENT)
WRAP_UP = [
    ("task_summary_1", "오늘 나눈 이야기 돌아보기"),
    ("task_next_1", "다음 상담 안내"),
    ("task_questions_1", "더 하고 싶은 말 확인하기"),
]


def found(session_type, *, met=True, **more):
    goals = content().goals(session_type, Locale.KO)
    findings = [{"goal": goal.id, "met": met, "evidence": SAID[0] if met else "", "answer": ""} for goal in goals]
    return session_review(goals=findings, **more)


async def reviewed(answer, session_type=SessionType.FIRST_SESSION, *tasks, **fields):
    room = Room({"session_manager": answer})
    await room.open(session(*(tasks or (COVERED,)), session_type=session_type, **(PART2 | fields)), SAID)
    assert await review(room.context, JOB) is JobResult.DONE
    return room, await room.record("reviews", "5")


async def test_the_prompt_holds_the_goals_of_the_type_in_its_language(subtests):
    for session_type in SessionType:
        for locale in Locale:
            with subtests.test(session_type=session_type, locale=locale):
                room = Room({"session_manager": found(session_type, met=False)})
                await room.open(session(COVERED, session_type=session_type, locale=locale, **PART2), SAID)
                await review(room.context, JOB)
                (asked,) = room.model.asked("session_manager")
                goals = content().goals(session_type, locale)
                assert elements(asked.messages[0].text, "session_goal") == [
                    f"{goal.title}: {goal.description}" for goal in goals
                ]
                tags = [line for line in asked.messages[0].text.splitlines() if line.startswith("<session_goal")]
                assert [tag.split(">")[0] for tag in tags] == [
                    f'<session_goal id="{goal.id}" evidence="{goal.evidence.value}"' for goal in goals
                ]


@pytest.mark.parametrize("session_type", SessionType)
async def test_all_goals_met_recommend_the_wrap_up_by_rule(session_type):
    room, record = await reviewed(found(session_type), session_type)
    assert (record["recommendation"], record["completion_score"], record["missing_goals"]) == ("wrap_up", 1, [])
    first = True if session_type is SessionType.FIRST_SESSION else None
    assert (record["goals_met"], record["first_session_goals_met"]) == (True, first)
    assert set(record["goals"]) == {goal.id for goal in content().goals(session_type, Locale.KO)}
    wrap_up = (await room.session()).wrap_up
    assert (wrap_up.stage, wrap_up.reason, wrap_up.seq) == (WrapUpStage.SUGGESTED, "goals_met", 5)


async def test_the_record_names_the_wrap_up_tasks_and_the_sessions_status():
    _, record = await reviewed(found(SessionType.FIRST_SESSION))
    assert [(one["id"], one["title"]) for one in record["wrap_up_tasks"]] == WRAP_UP
    assert record["session_status"] == "active"
    _, record = await reviewed(found(SessionType.FIRST_SESSION, met=False))
    assert (record["wrap_up_tasks"], record["recommendation"]) == ([], "continue")


@pytest.mark.parametrize("met", [False, True])
async def test_a_reached_part_2_leads_to_the_question_whether_to_close_and_no_further(met):
    room, record = await reviewed(found(SessionType.FIRST_SESSION, met=met, part2_completed=True))
    assert len(record["wrap_up_tasks"]) == 3
    assert not await room.records("part_transitions")
    suggested = (await room.session()).wrap_up
    assert (suggested.stage, suggested.reason) == (WrapUpStage.SUGGESTED, "goal_reached")


async def test_goals_met_soon_after_a_no_recommend_nothing():
    declined = WrapUp(stage=WrapUpStage.DECLINED, seq=3, declined=1)
    room, record = await reviewed(found(SessionType.FIRST_SESSION), wrap_up=declined)
    assert (record["recommendation"], record["goals_met"], record["wrap_up_tasks"]) == ("continue", True, [])
    assert (await room.session()).wrap_up == declined


async def test_what_was_put_right_is_named_in_the_record():
    answer = found(SessionType.FIRST_SESSION, met=False, part2_completed=True, feedback_to_task_planner="너무 넓다")
    room, record = await reviewed(answer)
    assert (record["corrected"], record["feedback_to_task_planner"]) == (["completed_with_feedback"], "")
    assert not await room.records("planner_feedback")


async def test_a_suggested_wrap_up_goes_before_another_plan():
    for answer in (
        found(SessionType.FIRST_SESSION, feedback_to_task_planner="너무 넓다"),
        found(SessionType.FIRST_SESSION, met=False, wrap_up_advised=True, feedback_to_task_planner="너무 넓다"),
    ):
        room, record = await reviewed(answer)
        assert (record["recommendation"], record["feedback_to_task_planner"]) == ("wrap_up", "")
        assert record["corrected"] == ["feedback_at_wrap_up"]
        assert not await room.records("planner_feedback")
        state = await room.session()
        assert (state.wrap_up.stage, state.replans) == (WrapUpStage.SUGGESTED, 0)


async def test_a_goal_that_stays_met_keeps_the_words_that_showed_it():
    once, silent = found(SessionType.FIRST_SESSION), session_review(part2_completed=False, wrap_up_advised=False)
    room = Room({"session_manager": [once, silent]})
    await room.open(session(COVERED, **PART2), (*SAID, "산책이 좋아요"))
    assert await review(room.context, JOB) is JobResult.DONE
    await room.change(session_manager_log=(await room.session()).session_manager_log)
    assert await review(room.context, payload(JobKind.REVIEW, 6)) is JobResult.DONE
    record = await room.record("reviews", "6")
    assert {goal["evidence"] for goal in record["goals"].values()} == {SAID[0]}
    assert record["completion_score"] == 1


class TestBehindAReplan:
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

    async def asked(self, *records, locale=Locale.KO, **more):
        room = Room({"session_manager": found(SessionType.FIRST_SESSION, met=False)})
        fields = {"replanned_seq": 5, "watermarks": Watermarks(reviewed=5), **PART2, **more}
        said = (*SAID, "동생이 자꾸 생각나요", "미안해서요")
        await room.open(session(COVERED, locale=locale, **fields), said, records)
        assert await review(room.context, payload(JobKind.REVIEW, 7)) is JobResult.DONE
        return room, room.model.asked("session_manager")[0]

    async def test_the_prompt_says_that_and_why_the_plan_was_changed(self, subtests):
        for locale, told in ((Locale.KO, "계획이 얼마 전에 바뀌었습니다"), (Locale.EN, "The plan was changed")):
            with subtests.test(locale=locale):
                room, prompt = await self.asked(self.applied, locale=locale)
                assert told in prompt.system
                assert element(prompt.messages[0].text, "replanned") == "내담자가 동생 이야기로 ‹옮겨› 갔다"
                assert element(prompt.messages[0].text, "goal") == PART2["part2_goal"]
                assert (await room.session()).watermarks.reviewed == 7

    async def test_without_a_known_reason_it_says_only_that(self):
        _, prompt = await self.asked()
        assert "계획이 얼마 전에 바뀌었습니다" in prompt.system
        assert elements(prompt.messages[0].text, "replanned") == []

    async def test_once_reviewed_it_is_said_no_more(self):
        _, prompt = await self.asked(self.applied, watermarks=Watermarks(reviewed=6))
        assert "계획이 얼마 전에 바뀌었습니다" not in prompt.system

    async def test_the_new_plan_is_shown_without_what_it_replaced(self):
        tasks = (
            COVERED,
            task("gone", 2, status=TaskStatus.COMPLETED, completed_at=NOW),
            task("task_part2_r1_1", 2),
        )
        _, prompt = await self.asked(self.applied, tasks=tasks)
        shown = [line for line in prompt.messages[0].text.splitlines() if line.startswith("<task ")]
        assert [("gone" in line, "task_part2_r1_1" in line) for line in shown] == [(False, False), (False, True)]

    async def test_twice_delivered_it_is_made_once(self):
        room, _ = await self.asked()
        before = await room.documents()
        assert await review(room.context, payload(JobKind.REVIEW, 7)) is JobResult.MOOT
        assert await room.documents() == before
