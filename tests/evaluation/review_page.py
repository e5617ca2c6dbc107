"""The page on which a counsellor who knows no code can mark each line of a story right or wrong."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cases.story import Story

if TYPE_CHECKING:
    from tests.evaluation.baseline import Played

PARTS = {1: "opening: getting to know each other", 2: "exploration", 3: "closing"}
DANGERS = {"concern": "a concern, to be asked about", "crisis": "a crisis", "imminent": "imminent"}


def review_page(story: Story, played: Sequence["Played"]) -> str:
    """Return the page of a story, in Markdown."""
    head = (
        f"# {story.title}\n\n{story.about}\n\nFor each line: is what was shown right for this person, at this moment?\n"
    )
    lines = zip(story.lines, played, strict=True)
    return head + "".join("".join(_line(at, *one)) for at, one in enumerate(lines, start=1))


def _line(number: int, line, now: "Played") -> Iterator[str]:
    same = " ".join(now.shown.split()) == " ".join(line.reply.split())
    yield f"\n## {number}\n\n**Client**\n\n{_quoted(line.client)}"
    yield f"\n**Shown**\n\n{_quoted(now.shown or 'Nothing: the talk was over.')}"
    yield f"\n**A good counsellor**\n\n{_quoted('The same.' if same else line.reply)}"
    yield f"\n{'; '.join(_stands(now))}.\n\n- [ ] right  - [ ] wrong: \n"


def _stands(now: "Played") -> Iterator[str]:
    """Yield where the talk stands, in words."""
    yield f"Part {now.part} ({PARTS[now.part]})"
    yield f"working on: {now.task_title}" if now.task_title else "no task under way"
    known = [f"{now.labels.get(name, name)} = {_said(value)}" for name, value in now.slots.items()]
    yield f"known: {', '.join(known)}" if known else "nothing known yet"
    if now.declined:
        yield f"not to be asked: {', '.join(now.labels.get(name, name) for name in now.declined)}"
    if now.risk in DANGERS:
        yield f"danger: {DANGERS[now.risk]}"
    if now.ended:
        yield "the talk is over"


def _said(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    return "".join(f"> {line}\n" if line else ">\n" for line in text.splitlines())
