"""What the other agents' models can get wrong, each through the real job or turn: corrected, counted, never trusted."""

from typing import Any

import pytest

from functions.chat.flows.counseling.detectors.task_completion import CHECKER
from functions.chat.flows.counseling.selectors.task_selector import SELECTOR
from functions.session_manager.findings import REVIEWER
from functions.session_manager.review import review
from functions.supervisor.judgement import SUPERVISOR
from functions.supervisor.supervise import supervise
from shared.contracts.tasks import TaskKind
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part, Task, TaskStatus
from shared.domain.errors import ModelTimeout, ModelUnavailable
from shared.domain.turn import DecidedBy
from shared.engine.jobs import JobResult
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.fakes.answers import as_text, scores
from tests.fakes.background_room import Room, payload
from tests.fakes.counselling import session, task
from tests.fakes.talk import Talk

SAID = ("저는 민지예요", "회사에서 발표가 너무 무서워요", "사람들 앞에만 서면 떨려요", "네", "덜 떨고 싶어요")
PART2 = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY, "part2_goal": "발표의 떨림을 이해한다"}
COVERED = task("task_part2_1", Part.EXPLORATION, status=TaskStatus.SUFFICIENT)
WAITS = task("task_part2_2", Part.EXPLORATION)
IN_CRISIS = {"risk": Risk(level=RiskLevel.CRISIS, since_seq=4, last_seq=4)}
BROKEN_JSON = ("네, 괜찮아 보입니다.", "{", "null", "[]", '{"part2_completed": "perhaps"}', '{"scores": 7}')


def finding(goal: str, evidence: str, *, met: bool = True) -> dict[str, object]:
    return {"goal": goal, "evidence": evidence, "answer": "", "met": met}


def found(**more: object) -> str:
    """Return a review in which no goal is met."""
    goals = [finding(goal, "", met=False) for goal in ("rapport", "information", "goal_setting", "trust")]
    return as_text(REVIEWER, **{"goals": goals, **more})


def of_goals(*findings: dict[str, object]) -> str:
    return found(goals=list(findings))


REVIEWS: dict[str, tuple[str, dict[str, object], tuple[Task, ...], set[str]]] = {
    "complete and out of reach at once": (
        found(part2_completed=True, feedback_to_task_planner="이 계획으로는 어려움"),
        PART2,
        (COVERED, WAITS),
        {"completed_with_feedback"},
    ),
    "complete with nothing covered": (
        found(part2_completed=True),
        PART2,
        (WAITS,),
        {"completed_with_nothing_covered"},
    ),
    "complete outside of Part 2": (found(part2_completed=True), {}, (task(),), {"completed_outside_part2"}),
    "another plan where there is none": (
        found(feedback_to_task_planner="다른 계획이 필요함"),
        {},
        (task(),),
        {"feedback_outside_part2"},
    ),
    "closing advised in a crisis": (
        found(wrap_up_advised=True),
        {**PART2, **IN_CRISIS},
        (COVERED, WAITS),
        {"wrap_up_in_risk"},
    ),
    "a goal that is none": (of_goals(finding("world_peace", "네")), {}, (task(),), {"unknown_goal", "goal_missing"}),
    "a goal twice": (
        of_goals(*(finding("rapport", SAID[0]) for _ in range(2))),
        {},
        (task(),),
        {"goal_twice", "goal_missing"},
    ),
    "words that nobody said": (
        found(goals=[finding("information", "아버지가 미워요"), finding("trust", "비밀은 지켜져요")]),
        {},
        (task(),),
        {"evidence_not_said", "goal_missing"},
    ),
}


async def test_a_contradictory_review_is_corrected_and_counted_and_moves_nobody(subtests: pytest.Subtests) -> None:
    for name, (answer, fields, tasks, corrected) in REVIEWS.items():
        with subtests.test(name=name):
            room = Room({"session_manager": answer})
            before = await room.open(session(*tasks, **fields), SAID)

            assert await review(room.bench, payload(TaskKind.REVIEW, 5)) is JobResult.DONE

            state = await room.session()
            assert untouched(state, before)
            record = await room.record("reviews", "5")
            assert set(record["corrected"]) >= corrected  # type: ignore[arg-type]
            assert not await room.records("planner_feedback")
            assert not await room.records("part_transitions"), "a Part is left by the user's word alone"


def judged(score: object = 8, **more: object) -> str:
    """Return a judgement with every score the same."""
    return as_text(SUPERVISOR, **{"scores": scores(score), "improvements": ["더 짧게 물어봐 주세요."], **more})


JUDGEMENTS: dict[str, tuple[str, set[str], float]] = {
    "scores off the scale": (judged(47), {"score_off_the_scale"}, 10.0),
    "scores below the scale": (judged(-3), {"score_off_the_scale"}, 1.0),
    "a red item beside the best scores": (judged(10, red_item=True), {"hard_fail_with_high_scores"}, 2.0),
    "improvement without a fault": (judged(10, needs_improvement=True), {"improvement_without_fault"}, 10.0),
    "an unknown module": (judged(suggested_module="hypnosis"), {"unknown_module"}, 8.0),
    "a strategy without words": (judged(strategy_change=True), {"strategy_without_words"}, 8.0),
    "a strategy where there is no plan": (
        judged(strategy_change=True, strategy="더 천천히"),
        {"strategy_not_possible"},
        8.0,
    ),
    "too many remarks": (judged(improvements=[f"{n}번째" for n in range(9)]), {"too_many_remarks"}, 8.0),
}


async def test_a_contradictory_judgement_is_corrected_and_counted_and_asks_for_no_plan(
    subtests: pytest.Subtests,
) -> None:
    for name, (answer, corrected, total) in JUDGEMENTS.items():
        with subtests.test(name=name):
            room = Room({"supervisor": answer})
            before = await room.open(session(task()), SAID)

            assert await supervise(room.bench, payload(TaskKind.SUPERVISE, 3)) is JobResult.DONE

            state = await room.session()
            assert untouched(state, before)
            record = await room.record("supervision", "3")
            assert set(record["corrected"]) == corrected  # type: ignore[arg-type]
            assert (record["total"], record["suggested_module"]) == (total, None)
            assert len(record["improvements"]) <= 3  # type: ignore[arg-type]
            assert not await room.records("planner_feedback")


async def test_what_breaks_the_schema_leaves_no_judgement_and_the_work_due(subtests: pytest.Subtests) -> None:
    for answer in (*BROKEN_JSON, ModelTimeout("late"), ModelUnavailable("503")):
        with subtests.test(answer=answer):
            room = Room({"session_manager": answer, "supervisor": answer})
            before = await room.open(session(COVERED, WAITS, **PART2), SAID)

            assert await review(room.bench, payload(TaskKind.REVIEW, 5)) is JobResult.RETRY
            assert await supervise(room.bench, payload(TaskKind.SUPERVISE, 3)) is JobResult.RETRY

            state = await room.session()
            assert untouched(state, before)
            assert (state.watermarks.reviewed, state.watermarks.supervised) == (0, 0)
            assert state.budget.background_calls >= 2, "what failed is paid for all the same"
            assert not {*await room.records("reviews"), *await room.records("supervision")}


CHOICES = {
    "a completed task": "task_part2_done",
    "an unknown task": "task_part2_77",
    "another Part's task": "task_welcome_1",
    "nothing at all": "",
    "a title for an id": "title of task_part2_2",
}


async def test_a_task_that_may_not_be_chosen_is_asked_again_and_the_rank_decides(subtests: pytest.Subtests) -> None:
    for name, chosen in CHOICES.items():
        with subtests.test(name=name):
            talk = Talk()
            talk.plan(
                task("task_part2_done", Part.EXPLORATION, status=TaskStatus.COMPLETED, completed_at=talk.clock.now()),
                task("task_part2_2", Part.EXPLORATION, priority="low"),
                task("task_part2_3", Part.EXPLORATION, priority="high"),
            )
            talk.model.scripts["task_selector"] = as_text(SELECTOR, task_id=chosen, selection_reason="맞아 보임")

            said = await talk.say("요즘 회사에서 발표가 너무 무서워요")

            assert said.state.current_task == "task_part2_3"
            assert [one.id for one in said.state.tasks if one.status is TaskStatus.IN_PROGRESS] == ["task_part2_3"]
            assert said.state.task("task_part2_done").status is TaskStatus.COMPLETED  # type: ignore[union-attr]
            run = said.run("task_selector")
            assert (run.decided_by, run.attempts) == (DecidedBy.SAFE_DEFAULT, 2)
            assert "model_schema_mismatch" in (run.error or "")


COMPLETIONS: dict[str, dict[str, Any]] = {
    "words that nobody said": {"complete": True, "evidence": "발표를 잘 마쳐서 후련해요"},
    "no words": {"complete": True, "evidence": ""},
    "a slot that is none": {"complete": False, "slots": [{"name": "password", "value": "1234", "quote": "무서워요"}]},
    "a value that nobody said": {
        "complete": False,
        "slots": [{"name": "session_goal", "value": "죽기", "quote": "죽고 싶다"}],
    },
}


async def test_a_task_is_not_covered_and_no_slot_filled_by_what_nobody_said(subtests: pytest.Subtests) -> None:
    for name, answer in COMPLETIONS.items():
        with subtests.test(name=name):
            talk = Talk()
            talk.plan(task("task_part2_2", Part.EXPLORATION))
            talk.work_on("task_part2_2")
            talk.model.scripts["task_completion_checker"] = as_text(CHECKER, **answer)
            given = dict(talk.state.user_info)

            said = await talk.say("요즘 회사에서 발표가 너무 무서워요")

            assert said.run("task_completion_checker").decided_by is DecidedBy.MODEL
            assert said.state.task("task_part2_2").status is TaskStatus.IN_PROGRESS  # type: ignore[union-attr]
            assert said.state.user_info == given


async def test_whatever_agent_breaks_in_a_turn_the_user_gets_a_reply_and_the_ledger_says_so(
    subtests: pytest.Subtests,
) -> None:
    cases = ["task_completion_checker", "user_state_detector", "task_selector", "module_selector"]
    for agent in cases:
        for answer in (BROKEN_JSON[0], "{", ModelTimeout("late")):
            with subtests.test(agent=agent, answer=answer):
                talk = Talk()
                talk.plan(task("task_part2_2", Part.EXPLORATION), task("task_part2_3", Part.EXPLORATION))
                talk.model.scripts[agent] = answer

                said = await talk.say("요즘 회사에서 발표가 너무 무서워요")

                failed = {run.agent for run in said.runs if run.decided_by is DecidedBy.SAFE_DEFAULT}
                asked = {run.agent for run in said.runs if run.attempts}
                assert failed == ({agent} & asked) | ({"task_selector"} if "task_selector" in asked else set())
                assert said.state.task_in_progress is not None


def untouched(state: Session, before: Session) -> bool:
    """Tell whether no job has changed where the session stands."""
    fields = ("status", "tasks", "current_task", "current_part", "plan_status", "wrap_up", "risk", "replans", "goals")
    return all(getattr(state, field) == getattr(before, field) for field in fields)
