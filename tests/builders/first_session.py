"""A first session as a person types it (`tests/fixtures/stories`), and what a good model finds in each message."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from cases.story import Story, StoryLine, load_story
from tests.support.chat_client import Person
from tests.support.polling import eventually
from tests.support.process import STORIES
from tests.support.simulator import Simulator


@dataclass(frozen=True)
class Line:
    """One message, and how it is read."""

    line: StoryLine

    @property
    def text(self) -> str:
        return self.line.client

    @property
    def complete(self) -> str:
        """The words that show the task's goal reached."""
        return self.line.reading.signs.get("complete", "")

    def finding(self) -> dict[str, Any]:
        known = {"quote": self.text, "corrects": False}
        told = {name: value for name, (value, _) in self.line.reading.values.items() if value is not True}
        found = [{"name": name, "value": str(value).lower()} | known for name, value in told.items()]
        return {"complete": bool(self.complete), "evidence": self.complete, "slots": found}


STORY = load_story(STORIES / "first_session.yaml")
LINES = tuple(map(Line, STORY.lines))
PART_1, BETWEEN, PART_2 = LINES[:9], LINES[9], LINES[10:12]
"""What covers Part 1's five tasks, what is said before the plan is there, and the beginning of Part 2."""
NAME = str(STORY.lines[1].reading.values["name"][0])
SLOTS = {"name", "reason", "process_agreed", "prior_counseling", "support_people", "coping_style"}


def coach(simulator: Simulator, line: Line) -> None:
    simulator.script({"TaskCompletion": [line.finding()]})


async def play(story: Story, send: Callable[[str], Awaitable[Any]]) -> list[Any]:
    """Say all of the client's lines, and return what came back; `send` waits for the background work, if it has to."""
    return [await send(line.client) for line in story.lines]


async def await_the_plan(person: Person, conversation_id: str, reply: dict[str, Any]) -> None:
    """Where a plan is made after a reply, wait until it is there: a person types for longer."""

    async def planned() -> bool:
        return bool((await person.snapshot(conversation_id))["plan_status"] != "planning")

    if reply["state_snapshot"]["plan_status"] == "planning":
        await eventually(planned, what="the plan")
