"""`python -m tests.unit.functions.supervisor.renew_prompts`: write the supervisor's prompt anew in each language."""

import asyncio

from functions.supervisor.supervise import supervise
from shared.contracts.tasks import JobKind
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import Part
from shared.locale import Locale
from tests.builders import answers
from tests.builders.job_room import Room, payload
from tests.builders.sessions import session, task
from tests.support.process import ROOT

FOLDER = ROOT / "tests/fixtures/prompts/supervisor"
SAID = {
    Locale.KO: ("발표가 다가오면 잠이 안 와요.", "네.", "다들 저만 보는 것 같아요."),
    Locale.EN: ("I lie awake before a talk.", "Yes.", "I feel that they all look at me."),
}


async def prompt(locale: Locale) -> str:
    """Return what the supervisor is told of three turns of Part 2."""
    room = Room({"supervisor": answers.judgement()})
    at_night = task(
        part=Part.EXPLORATION, restrictions={Locale.KO: "요령을 먼저 말하지 않는다.", Locale.EN: "No tips."}[locale]
    )
    plan = {
        "current_task": "task_a",
        "current_part": Part.EXPLORATION,
        "plan_status": PlanStatus.READY,
        "part2_goal": "-",
    }
    await room.open(session(tasks=(at_night,), locale=locale, **plan), SAID[locale])
    await supervise(room.context, payload(JobKind.SUPERVISE, 3))
    (asked,) = room.model.asked("supervisor")
    return f"{asked.system}\n\n{asked.messages[0].text}\n"


async def renew() -> None:
    """Write the prompt of every language."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for locale in Locale:
        (FOLDER / f"{locale.value}.txt").write_text(await prompt(locale), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(renew())
