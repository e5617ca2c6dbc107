"""A first session as a person types it, and what a good model finds in each message."""

from dataclasses import dataclass, field
from typing import Any

from tests.support.chat_client import Person
from tests.support.polling import eventually
from tests.support.simulator import Simulator

NAME = "지우"


@dataclass(frozen=True)
class Line:
    """One message, the values that it gives, and the words in it that show the task's goal reached."""

    text: str
    slots: dict[str, str] = field(default_factory=dict)
    complete: str = ""

    def finding(self) -> dict[str, Any]:
        known = {"quote": self.text, "corrects": False}
        found = [{"name": name, "value": value} | known for name, value in self.slots.items()]
        return {"complete": bool(self.complete), "evidence": self.complete, "slots": found}


PART_1 = (
    Line("안녕하세요, 상담은 처음이라 조금 떨려요."),
    Line(f"저는 {NAME}라고 해요."),
    Line(
        "요즘 회사에서 실수할까 봐 걱정돼서 밤에 잠이 안 와요.",
        slots={"reason": "회사에서 실수할까 봐 걱정돼서 잠이 안 와요"},
    ),
    Line(
        "어제는 팀장님이 다들 있는 데서 제 보고서를 하나하나 지적하셨어요.",
        complete="다들 있는 데서 제 보고서를 하나하나 지적하셨어요",
    ),
    Line(
        "네, 괜찮아요. 그 자리에서는 그냥 듣고만 있다가 나왔어요.",
        complete="그냥 듣고만 있다가 나왔어요",
    ),
    Line("네, 괜찮아요."),
    Line("언니한테는 가끔 얘기해요.", slots={"support_people": "언니"}),
    Line("보통은 음악을 들으면서 동네를 한 바퀴 걸어요.", slots={"coping_style": "음악을 들으면서 걸어요"}),
    Line("상담은 받아 본 적 없어요.", slots={"prior_counseling": "아니요"}),
)
"""Covers Part 1's five tasks."""
BETWEEN = Line("네, 맞게 들으셨어요. 이야기하니 조금 나아요.")
PART_2 = (
    Line("실수하면 다들 저를 못 미더워할 것 같아서 무서워요."),
    Line("어릴 때도 시험을 못 보면 엄마가 며칠 동안 말을 안 하셨어요."),
)
SLOTS = {"name", "reason", "process_agreed", "prior_counseling", "support_people", "coping_style"}


def coach(simulator: Simulator, line: Line) -> None:
    simulator.script({"TaskCompletion": [line.finding()]})


async def await_the_plan(person: Person, conversation_id: str, reply: dict[str, Any]) -> None:
    """Where a plan is made after a reply, wait until it is there: a person types for longer."""

    async def planned() -> bool:
        return bool((await person.snapshot(conversation_id))["plan_status"] != "planning")

    if reply["state_snapshot"]["plan_status"] == "planning":
        await eventually(planned, what="the plan")
