"""A first session as a person types it, line by line (`tests/fixtures/stories`)."""

from collections.abc import Awaitable, Callable
from typing import Any

from cases.story import Story, load_story
from tests.support.chat_client import Person
from tests.support.polling import eventually
from tests.support.process import STORIES

STORY = load_story(STORIES / "first_session.yaml")
PART_1, BETWEEN, PART_2 = STORY.lines[:9], STORY.lines[9], STORY.lines[10:12]
"""What covers Part 1's five tasks, what is said before the plan is there, and the beginning of Part 2."""
NAME = str(STORY.lines[1].reading.values["name"][0])
SLOTS = {"name", "reason", "process_agreed", "prior_counseling", "support_people", "coping_style"}


async def play(story: Story, send: Callable[[str], Awaitable[Any]]) -> list[Any]:
    """Say all of the client's lines, and return what came back; `send` waits for the background work, if it has to."""
    return [await send(line.client) for line in story.lines]


async def await_the_plan(person: Person, conversation_id: str, reply: dict[str, Any]) -> None:
    """Where a plan is made after a reply, wait until it is there: a person types for longer."""

    async def planned() -> bool:
        return bool((await person.snapshot(conversation_id))["plan_status"] != "planning")

    if reply["state_snapshot"]["plan_status"] == "planning":
        await eventually(planned, what="the plan")
