"""Sessions that are reviewed by the session manager."""

from functions.session_manager.review import review
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.directive import Ask, Directive, Stance
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, Task, TaskKind, TaskStatus
from shared.engine.jobs import JobResult
from shared.locale import Locale, Register
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.builders.answers import session_review
from tests.builders.job_room import Room, payload
from tests.builders.sessions import session, task

VOICE = (Locale.KO, Register.FORMAL)
PROCESS = next(one for one in content().templates("first_session", *VOICE) if one.kind is TaskKind.ORIENTATION)
"""The task that explains how the counselling goes."""
EXPLAINED = PROCESS.required_slots[0].questions[0]
EXPLAINED_AT = 2
"""The turn whose reply explains it."""
SAID = ("저는 민지예요", "회사에서 발표가 너무 무서워요", "사람들 앞에만 서면 떨려요", "네", "덜 떨고 싶어요")
EVIDENCE = SAID[1]
JOB = payload(JobKind.REVIEW, 5)
COVERED = task("task_part2_1", Part.EXPLORATION, status=TaskStatus.SUFFICIENT)
PART2 = {"current_part": Part.EXPLORATION, "plan_status": "ready", "part2_goal": "발표의 떨림을 이해한다"}
CRISIS = Risk(level=RiskLevel.CRISIS, since_seq=4, last_seq=4)


def finding(met: dict[str, str] | bool = False, session_type: SessionType = SessionType.FIRST_SESSION, **more: object):
    """A review in which these goals are met with that evidence, or all, or none."""
    goals = content().goals(session_type, Locale.KO)
    ids, told = [goal.id for goal in goals], iter((EVIDENCE, SAID[2], SAID[0]))
    every = {goal.id: SAID[-1] if goal.wish else EXPLAINED if goal.told_in else next(told) for goal in goals}
    shown = met if isinstance(met, dict) else (every if met else {})
    found = [{"goal": one, "met": one in shown, "evidence": shown.get(one, ""), "answer": SAID[-1]} for one in ids]
    return session_review(**{"goals": found, **more})


async def to_review(answer: object, *tasks: Task, said: tuple[str, ...] = SAID, **fields: object) -> Room:
    """Return a room whose replies all explain how the counselling goes; one of them in the turn of that task."""
    room = Room({"session_manager": answer})
    room.reply = EXPLAINED
    explained = PROCESS.model_copy(update={"status": TaskStatus.SUFFICIENT})
    own = fields.pop("tasks", tasks or (COVERED,))
    given = {slot.name: True for slot in PROCESS.slots}
    await room.open(session(*own, explained, **{"user_info": given} | fields), said)
    await room.turn(EXPLAINED_AT, asking(PROCESS))
    return room


def asking(asked: Task) -> Directive:
    """Return the directive of a reply that asks a task's first question."""
    slot, *_ = asked.required_slots
    ask = Ask(slot=slot.name, question=slot.questions[0])
    module = {"module_id": asked.module_id, "module_name": "M", "module_summary": ("하나",)}
    return Directive(stance=Stance.WORK, part=asked.part, task_id=asked.id, ask=ask, **module)


async def reviewed(answer: object, *tasks: Task, **fields: object) -> tuple[Room, dict]:
    """Review a session, and return its room and the record."""
    room = await to_review(answer, *tasks, **fields)
    assert await review(room.context, JOB) is JobResult.DONE
    return room, await room.record("reviews", "5") or {}
