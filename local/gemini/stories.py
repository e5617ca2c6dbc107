"""Answers by the line of a story that the dialogue has reached; where none is reached, the fixed ones."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from cases.story import STORIES, StoryLine, load_stories
from local.gemini import neutral
from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.prompt import Prompt, Said
from local.gemini.protocol import Content
from local.gemini.story_answers import Offered, Place, Places, reading
from shared.prompts.data import decoded
from shared.services.counseling.evidence import is_verbatim_quote

AHEAD = 2
"""Lines before a story's proposal to close from which Part 2 is complete."""
_OPEN = ("pending", "in_progress")
_SHOWN_BY = {
    "information": "reason",
    "goal_setting": "session_goal",
    "trust": "process_agreed",
    "focus": "today_focus",
    "agreement": "agreed_outcome",
}
"""Goals of a session by the slot whose value shows them."""
_BY_FEELING = ("rapport", "present")
"""Goals that a feeling shows."""
_EXPLAINED = "trust"
"""The goal that the Counselor's words show, and the client's answer to them."""


class StoryAnswers:
    """Answers agents by the stories.

    Args:
        more: A folder with stories beside the product's.
    """

    def __init__(self, more: Path | None = None) -> None:
        self._folders = (STORIES, more) if more else (STORIES,)

    @cached_property
    def _places(self) -> Places:
        return Places(story for folder in self._folders for story in load_stories(folder))

    def read(self, prompt: Prompt) -> JsonObject:
        """Return the reader's answer."""
        offered = Offered.by(prompt.text)
        place = self._places.find(offered.said)
        if place is None:
            return neutral.read(prompt)
        answer: JsonObject = reading(place.line.reading, offered, place.story.plan).model_dump(mode="json")
        return answer

    def reply(self, system: str, contents: Sequence[Content]) -> str | None:
        """Return the Counselor's reply, or None; a booking's question is in the prompt."""
        place = self._places.find([decoded(one.text) for one in contents if one.role == "user"])
        if place is None or place.story.held(place.number).service != "counseling":
            return None
        return None if Prompt(system).tags("question") else place.line.reply

    def plan(self, prompt: Prompt) -> JsonObject:
        """Return the story's first plan; where there is one, its newest, else its open tasks and one that is fixed."""
        place, fixed, present = self._reached(prompt), neutral.plan(prompt), neutral.titles(prompt)
        if place is None or not place.story.plan:
            return fixed
        due = [one for one in place.story.plan if present and one.after <= place.number] or [place.story.plan[0]]
        chosen = due[-1]
        new = present.keys().isdisjoint(one.title for one in chosen.tasks)
        tasks: list[JsonValue] = [
            neutral.proposal(
                one.title, one.target, one.criteria, one.kind, one.pending().module_id, priority=one.priority
            )
            for one in chosen.tasks
            if new or present.get(one.title) in _OPEN
        ]
        added = fixed["tasks"] if isinstance(fixed["tasks"], list) and not new else []
        return {**fixed, "goal": chosen.goal, "tasks": [*tasks, *added]}

    def review(self, prompt: Prompt) -> JsonObject:
        """Return the session manager's answer: Part 2 is complete shortly before the story proposes to close."""
        place, fixed = self._reached(prompt), neutral.review(prompt)
        if place is None:
            return fixed
        proposed = next((at for at, line in enumerate(place.story.lines, start=1) if line.asks == "wrap_up"), None)
        in_part2 = prompt.attribute("session", "part") == "2"
        near = in_part2 and proposed is not None and place.number >= proposed - AHEAD
        heard = decoded(prompt.text)
        goals: list[JsonValue] = [
            _finding(tag.attributes.get("id", ""), place, heard) for tag in prompt.tags("session_goal")
        ]
        reason: JsonObject = {"reason": neutral.texts(prompt.language).reached} if near else {}
        return {**fixed, **reason, "goals": goals, "part2_completed": near, "wrap_up_advised": near}

    def summarize(self, prompt: Prompt) -> JsonObject:
        """Return the summary: what of the client's lines the story marks, in their words."""
        if self._reached(prompt) is None:
            return neutral.summarize(prompt)
        return {"sentences": neutral.summary(prompt, list(self._told(prompt)))}

    def _told(self, prompt: Prompt) -> Iterator[Said]:
        """Yield the words of the story's lines in the dialogue that say something."""
        for at, said in enumerate(prompt.said):
            place = self._places.find([one.text for one in prompt.said[: at + 1]])
            quotes = list(place.line.reading.quotes) if place else []
            if quotes and len(said.text) <= neutral.LONGEST_QUOTE and "\n" not in said.text:
                yield said
            else:
                yield from (Said(said.seq, neutral.bounded(one)) for one in _apart(quotes))

    def close(self, prompt: Prompt) -> JsonObject:
        """Return the story's closing as far as the client has said what it rests on."""
        place, fixed = self._reached(prompt), neutral.close(prompt)
        if place is None or place.story.closing is None:
            return fixed
        told, said = place.story.closing, decoded(prompt.text)
        sentences = [
            neutral.sentence(_seq(prompt, quote), quote, text)
            for quote, text in told.sentences
            if is_verbatim_quote(quote, said)
        ]
        goals: list[JsonValue] = [
            {"quote": quote, "goal": goal} for quote, goal in told.goals if is_verbatim_quote(quote, said)
        ]
        return neutral.closing(prompt, sentences, goals, told.next_session) if sentences else fixed

    def _reached(self, prompt: Prompt) -> Place | None:
        """Return the newest place of a story in the dialogue; its first line alone may be anybody's greeting."""
        said = [one.text for one in prompt.said]
        places = (self._places.find(said[:end]) for end in range(len(said), 0, -1))
        return next((place for place in places if place and place.number > 1), None)


def _finding(goal: str, place: Place, heard: str) -> JsonObject:
    """Return whether the story's lines show a goal, by the newest words of it that were heard."""
    for number in range(place.number, 0, -1):
        quote = _shows(place.story.lines[number - 1], goal)
        before = place.story.lines[number - 2].reply if number > 1 else ""
        if quote and is_verbatim_quote(quote, heard) and (goal != _EXPLAINED or is_verbatim_quote(before, heard)):
            shown = (before, quote) if goal == _EXPLAINED else (quote, "")
            return {"goal": goal, "evidence": shown[0], "answer": shown[1], "met": True}
    return {"goal": goal, "evidence": "", "answer": "", "met": False}


def _shows(line: StoryLine, goal: str) -> str:
    """Return the words of a line that show a goal, or ""."""
    if goal in _BY_FEELING:
        return line.reading.feeling[2] if line.reading.feeling else ""
    told = {**line.reading.values, **line.reading.corrects}.get(_SHOWN_BY.get(goal, ""))
    return told[1] if told and told[0] is not False else ""


def _apart(quotes: Sequence[str]) -> list[str]:
    """Return the quotes that are part of no other."""
    return [one for one in dict.fromkeys(quotes) if not any(one != other and one in other for other in quotes)]


def _seq(prompt: Prompt, quote: str) -> int:
    """Return the number of the newest message in the dialogue that has a quote, or 0."""
    return next((one.seq for one in reversed(prompt.said) if is_verbatim_quote(quote, one.text)), 0)
