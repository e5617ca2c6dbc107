"""What a story answers: the line that a dialogue has reached, and its reading in the form of the reader.

Nothing here reads meaning: a line is found by its letters, and of a reading counts what the prompt offers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cases.story import Gold, Plan, Story, StoryLine, letters
from functions.chat.reading import (
    MOST_SIGNS,
    NOTHING,
    NOTHING_READ,
    OTHER,
    DangerRead,
    FeelingRead,
    Reading,
    SignRead,
    ValueRead,
)
from shared.domain.ids import TaskId
from shared.domain.slots import SlotValue
from shared.prompts.data import decoded
from shared.services.counseling.evidence import plain

CLIENT = ("내담자: ", "client: ")
"""What begins the client's lines in the reader's prompt."""
TOLD_APART_BY = 3
"""Client lines by which a place in a story is known."""
ENOUGH = 8
"""Letters by which it is known from fewer lines, unless these are the session's first: a bare yes is anybody's."""
_ITEM = re.compile(r"^(?P<id>[\w:<>]+)(?: \((?P<mark>[^()]*)\))?(?:: (?P<text>.*?))?(?: \[[^\[\]]*\])?$")
"""`id (mark): text [wants]`."""
_QUESTION = re.compile(r"(?<=[.!?…])\s+[^.!?…]+\?\s*$")


@dataclass(frozen=True)
class Offered:
    """What a rendered prompt of the reader offers.

    Attributes:
        tasks: Titles by id.
        task: The current one, else the first that waits, or "".
        module: The current one, or "".
        said: The client's lines, oldest first; the newest message is the last.
    """

    conditions: frozenset[str]
    slots: frozenset[str]
    known: frozenset[str]
    asked: frozenset[str]
    tasks: Mapping[str, str]
    task: str
    modules: Sequence[str]
    module: str
    said: Sequence[str]

    @classmethod
    def by(cls, prompt: str) -> "Offered":
        """Read the tags of a prompt; text of people in it holds no angle brackets."""
        tasks, modules = _items(prompt, "tasks"), _items(prompt, "modules")
        open_ = sorted((one for one in tasks if one["mark"] != "covered"), key=lambda one: one["mark"] != "current")
        dialogue = [line for line in _section(prompt, "dialogue").splitlines() if line.startswith(CLIENT)]
        said = (*(line.partition(": ")[2] for line in dialogue), _section(prompt, "newest"))
        return cls(
            conditions=frozenset(one["id"] for one in _items(prompt, "conditions")),
            slots=frozenset(one["id"] for one in _items(prompt, "slots")),
            known=frozenset(one["id"] for one in _items(prompt, "known")),
            asked=frozenset(_section(prompt, "asked").split(", ")),
            tasks={one["id"]: decoded(one["text"] or "") for one in tasks},
            task=next((one["id"] for one in open_), ""),
            modules=[one["id"] for one in modules],
            module=next((one["id"] for one in modules if one["mark"] == "current"), ""),
            said=[decoded(text) for text in said],
        )


def _section(prompt: str, name: str) -> str:
    found = re.search(rf"^<{name}>([^<]*(?:<(?!/{name}>)[^<]*)*)</{name}>$", prompt, re.MULTILINE)
    return found[1].strip() if found else ""


def _items(prompt: str, name: str) -> list[re.Match[str]]:
    return [found for line in _section(prompt, name).splitlines() if (found := _ITEM.match(line))]


def without_question(reply: str) -> str:
    """Return a reply without the question at its end, in whose place code asks its own; a mere question stays."""
    return _QUESTION.sub("", reply)


def reading(gold: Gold, offered: Offered, plans: Sequence[Plan] = ()) -> Reading:
    """Return what the reader answers; an empty `Gold` finds nothing and stays with task and module.

    Args:
        gold: How the message is read.
        offered: What the prompt offers; the rest is left out.
        plans: The story's, whose tasks the product may know by other ids.
    """
    signs = [SignRead(id=name, quote=quote) for name, quote in gold.signs.items() if name in offered.conditions]
    told = {**gold.values, **gold.corrects}
    values = [_value(name, *one) for name, one in told.items() if name in offered.slots]
    corrections = [_value(name, *one) for name, one in told.items() if name in offered.known - offered.slots]
    signs += [SignRead(id=f"told:{one.slot}", quote=one.quote) for one in values]
    signs += [SignRead(id=f"corrects:{one.slot}", quote=one.quote) for one in corrections]
    felt = gold.feeling and FeelingRead(name=gold.feeling[0].value, intensity=gold.feeling[1], quote=gold.feeling[2])
    return NOTHING_READ.model_copy(
        update={
            "danger": tuple(DangerRead(kind=kind.value, quote=quote) for kind, quote in gold.dangers.items()),
            "signs": tuple(signs[:MOST_SIGNS]),
            "asked": _asked(gold, offered),
            "next_task": _next_task(gold, offered, plans),
            "module": next((one for one in gold.module if one in offered.modules), offered.module),
            "values": tuple(values),
            "corrections": tuple(corrections),
            "feeling": felt or NOTHING_READ.feeling,
        }
    )


def _value(name: str, value: SlotValue, quote: str) -> ValueRead:
    return ValueRead(slot=name, value=str(value).lower() if isinstance(value, bool) else str(value), quote=quote)


def _asked(gold: Gold, offered: Offered) -> str:
    if gold.asked is None:
        return NOTHING
    return gold.asked if gold.asked in offered.asked | offered.slots | offered.known else OTHER


def _next_task(gold: Gold, offered: Offered, plans: Sequence[Plan]) -> str:
    """Return the gold's task by its title or its id, else the one that stands."""
    if gold.next_task == NOTHING:
        return NOTHING
    titles = {one.id: plain(one.title) for plan in plans for one in plan.tasks}
    wanted = titles.get(TaskId(gold.next_task or ""))
    same = (name for name, title in offered.tasks.items() if wanted and plain(title) == wanted)
    stands = gold.next_task if gold.next_task in offered.tasks else offered.task
    return next(same, stands) or NOTHING


@dataclass(frozen=True)
class Place:
    """A line of a story.

    Attributes:
        number: Of the line; 1 is the first.
    """

    story: Story
    number: int

    @property
    def line(self) -> StoryLine:
        return self.story.lines[self.number - 1]


class Places:
    """All lines of some stories, by what the client said."""

    def __init__(self, stories: Iterable[Story]) -> None:
        self._places: dict[tuple[str, ...], list[Place]] = {}
        for story in stories:
            said = [letters(line.client) for line in story.lines]
            for number in range(1, len(said) + 1):
                for count in range(1, min(TOLD_APART_BY, number) + 1):
                    self._places.setdefault(tuple(said[number - count : number]), []).append(Place(story, number))

    def find(self, said: Sequence[str]) -> Place | None:
        """Return the place by the last three lines of the client, else two, else one, if it is the only one.

        Text that is no story's is passed over, unless it is the newest.
        """
        known = [one for one in map(letters, said) if (one,) in self._places]
        if not said or not known or letters(said[-1]) != known[-1]:
            return None
        newest = tuple(known[-TOLD_APART_BY:])
        for count in range(len(newest), 0, -1):
            lines = newest[-count:]
            places = self._places.get(lines, ())
            begins = [place for place in places if place.number == count == len(known)]
            if count == TOLD_APART_BY or len("".join(lines)) >= ENOUGH or begins:
                places = begins or places
                if len(places) == 1:
                    return places[0]
        return None
