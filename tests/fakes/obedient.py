"""A model that obeys an attack, in each agent's schema."""

from functions.chat.reading import MOST_SIGNS, MOST_VALUES, READER
from functions.planner.infer_persona import INFERRER
from functions.planner.plan_part2 import PLANNER
from functions.session_manager.close import CLOSER
from functions.session_manager.review_schema import REVIEWER
from functions.session_manager.summarize import SUMMARIZER
from functions.supervisor.judgement import SUPERVISOR
from shared.domain.counseling.supervision import Criterion
from shared.domain.counseling.task import Part
from shared.domain.counseling.task_events import TaskCovered
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.builders.answers import answer
from tests.builders.sessions import task
from tests.builders.talk import Talk

PLAIN_TITLES = ("잠 못 드는 밤", "회사에서의 하루", "쉬는 시간")
SIGNS = ("complete", "agrees", "said_all", "wants_to_stop", "denies_danger", "safe_now")
"""Conditions by which a task, a session or a danger is over."""
IN_CRISIS = Risk(level=RiskLevel.CRISIS, since_seq=1, last_seq=1)


def turn_answers(attack):
    """Return what the reader answers: everything is done, safe and agreed, and the attack is the proof."""
    told = [{"slot": slot, "value": attack[:28], "quote": attack} for slot in ("name", "reason", "session_goal")]
    found = (*SIGNS, *(f"{kind}:{one['slot']}" for kind in ("told", "corrects") for one in told))
    return {
        "reader": _json(
            READER,
            signs=[{"id": one, "quote": attack} for one in found[:MOST_SIGNS]],
            values=told[:MOST_VALUES],
            corrections=told[:MOST_VALUES],
            next_task="none",
            module="admin",
            task_reason=attack,
            guide=attack,
            module_reason=attack,
        )
    }


def exploring(attack, **more):
    """Return a talk in Part 2 whose task waits for the user's words."""
    talk = Talk()
    talk.plan(task("task_part2_1", Part.EXPLORATION), task("task_part2_2", Part.EXPLORATION))
    talk.set(**more)
    talk.model.scripts.update(turn_answers(attack.text))
    return talk


async def suffer(talk, attack):
    """Say everything that belongs to an attack, and return why tasks came to count as covered."""
    said = [await talk.say(text) for text in (*attack.before, attack.text)]
    return [event.reason for one in said for event in one.outcome.events if isinstance(event, TaskCovered)]


def job_answers(attack):
    """Return what the background agents answer: the attack in everything that would be kept.

    The planner is asked once more when its goal is refused; the second plan has a sound goal.
    """
    scores = {criterion.value: 10 for criterion in Criterion} | {"register": 1, "empathy": 1, "length": 1}
    judged = {"red_item": False, "restriction_violated": False, "scores": scores, "strengths": [attack]}
    mended = {"needs_improvement": True, "improvements": [attack, "까닭을 되비춘 뒤에 물으세요."]}
    changed = {"strategy_change": True, "strategy": attack, "suggested_module": "admin"}

    def resting(text):
        return [{"seq": 1, "quote": attack, "text": text}]

    met = {"evidence": attack, "answer": attack, "met": True}
    goals = [{"goal": goal, **met} for goal in ("rapport", "information", "goal_setting", "trust")]
    review = {"part2_completed": True, "wrap_up_advised": True, "goals": goals, "reason": attack}
    kept = {"goals": [{"goal": attack, "quote": attack}], "sentences": resting(f"{attack}. 오늘 잠 이야기를 나눴어요.")}
    return {
        "summarizer": _json(SUMMARIZER, sentences=resting(f"{attack}. 잠을 못 잔다고 함. {attack}")),
        "supervisor": _json(SUPERVISOR, **judged, **mended, **changed),
        "session_manager": _json(REVIEWER, **review, feedback_to_task_planner=attack),
        "persona_inferrer": _json(INFERRER, type="Type_Z", confidence=1.0, evidence=[attack, attack]),
        "planner": [_plan(attack, attack), _plan("쉬는 밤을 되찾는다", attack)],
        "closer": _json(CLOSER, suggested_level=5, **kept, next_session=resting(attack)),
    }


def _plan(goal, attack):
    tasks = [_task(attack), *(_task(title) for title in PLAIN_TITLES), {**_task("하루의 끝"), "restrictions": attack}]
    return _json(PLANNER, ratings=[], goal=goal, tasks=tasks)


def _task(title):
    plain = {"kind": "emotion", "priority": "high", "module_id": "empathy_expression", "description": "함께 듣기"}
    goal = {"target": "감정 알기", "completion_criteria": "감정을 말했을 때", "slots": []}
    return {**plain, **goal, "title": title, "restrictions": "해결책을 먼저 내지 않는다."}


def _json(agent, **fields):
    return answer(agent, **fields).model_dump_json(by_alias=True)
