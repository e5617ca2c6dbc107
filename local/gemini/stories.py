"""The demo's model looks its answers up in the stories; what no story knows is read as nothing."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from cases.answers import Offered, Place, Places, reading
from cases.story import STORIES, Gold, load_stories
from local.gemini.counsellor.prompt import Prompt
from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.protocol import Content
from shared.prompts.data import decoded

_OTHER_SPEAKERS = ("passage", "question")
"""Tags of agents beside the Counselor that speak in prose: of an agreement's answer, and of a booking."""
AHEAD = 2
"""Lines before a story's proposal to close from which Part 2 is complete."""


class StoryAnswers:
    """Answers agents by the line of a story that the dialogue has reached.

    Args:
        more: A folder with stories beside the product's.
    """

    def __init__(self, more: Path | None = None) -> None:
        self._folders = (STORIES, more) if more else (STORIES,)

    @cached_property
    def _places(self) -> Places:
        return Places(story for folder in self._folders for story in load_stories(folder))

    def read(self, prompt: str) -> JsonObject:
        """Return the reader's answer."""
        offered = Offered.by(prompt)
        place = self._places.find(offered.said)
        found = reading(place.line.reading, offered, place.story.plan) if place else reading(Gold(), offered)
        answer: JsonObject = found.model_dump(mode="json")
        return answer

    def reply(self, system: str, contents: Sequence[Content]) -> str | None:
        """Return the Counselor's reply, or None."""
        place = self._places.find([decoded(one.text) for one in contents if one.role == "user"])
        if place is None or place.story.held(place.number).service != "counseling":
            return None
        return None if any(Prompt(system).tags(name) for name in _OTHER_SPEAKERS) else place.line.reply

    def planned(self, prompt: Prompt, plan: JsonObject) -> JsonObject:
        """Return the planner's answer with the story's first plan, or with its newest where the plan is changed."""
        place = self._reached(prompt)
        if place is None or not place.story.plan:
            return plan
        changed = [one for one in place.story.plan[1:] if one.after <= place.number]
        present = {decoded(task.title) for task in prompt.tags("task")}
        chosen = place.story.plan[0] if not present else changed[-1] if changed else None
        if chosen is None or not present.isdisjoint(one.title for one in chosen.tasks):
            return plan
        tasks: list[JsonValue] = [
            {
                "kind": one.kind.value,
                "priority": one.priority.value,
                "module_id": one.pending().module_id,
                "title": one.title,
                "description": one.target,
                "target": one.target,
                "completion_criteria": one.criteria,
                "restrictions": "",
                "slots": [],
            }
            for one in chosen.tasks
        ]
        return {**plan, "goal": chosen.goal, "tasks": tasks}

    def reviewed(self, prompt: Prompt, review: JsonObject) -> JsonObject:
        """Return the session manager's answer: Part 2 is complete shortly before the story proposes to close."""
        place = self._reached(prompt)
        if place is None:
            return review
        proposed = next((at for at, line in enumerate(place.story.lines, start=1) if line.asks == "wrap_up"), None)
        in_part2 = prompt.attribute("session", "part") == "2"
        near = in_part2 and proposed is not None and place.number >= proposed - AHEAD
        return {**review, "part2_completed": near, "wrap_up_advised": near}

    def _reached(self, prompt: Prompt) -> Place | None:
        return self._places.find([one.text for one in prompt.dialogue if one.by_user])
