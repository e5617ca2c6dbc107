"""`python -m tests.evaluation.baseline`: what the product makes of the stories if its agents answer by their gold.

The session goes on from what the code made of it; the model of a line answers from the story all the same.

    --write         writes `cases/baseline.yaml`
    --check         ends with 1 if the file holds something else
    --review DIR    writes a page for each story, on which a counsellor can mark each line
"""

import argparse
import asyncio
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cases.case import opened
from cases.story import STORIES, Holds, Story, StoryLine, load_stories
from shared.adapters.documents import paths
from shared.adapters.documents.mapping import from_document
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.counseling.directive import counselors
from shared.domain.counseling.session import Session, SessionType
from shared.domain.turn import TurnRecord
from shared.safety.levels import RiskLevel
from tests.builders.service_world import ServiceWorld
from tests.evaluation.gold_answers import GoldModel
from tests.evaluation.review_page import review_page

BASELINE = Path(__file__).parents[2] / "cases" / "baseline.yaml"
MOST_TOLD = 20
"""Differences from the file that `--check` prints."""
SHOWN_LENGTH = 200
"""Characters of another reply that the file holds; a digest stands for the rest."""
COMPARED = ("part", "task", "stance", "risk", "service", "ended", "slots", "shown")
"""Kinds of differences from what a story holds."""


@dataclass(frozen=True)
class Played:
    """A line as the product answered it.

    Attributes:
        task: A task of the story's plan has the story's id.
        labels: What people call the slots.
    """

    part: int
    task: str | None
    task_title: str
    stance: str
    module: str
    slots: Mapping[str, Any]
    declined: tuple[str, ...]
    risk: str
    wrap_up: str | None
    service: str
    ended: bool
    shown: str
    labels: Mapping[str, str]


def play(story: Story) -> list[Played]:
    """Play a story."""
    return asyncio.run(_play(story))


async def _play(story: Story) -> list[Played]:
    model = GoldModel(story)
    world = ServiceWorld(model)
    try:
        await world.open(locale=story.locale.value, session_type=story.opens.session_type.value)
        await _begin(world, story)
        played = []
        for number in range(1, len(story.lines) + 1):
            model.number = number
            played.append(await _turn(world, story, number))
            while waiting := [one for one in world.on_their_way if not _reminds(one)]:
                await world.deliver(waiting[0])
    finally:
        world.close()
    if world.broke:
        raise RuntimeError(f"{story.id}: {world.broke[0]}")
    return played


async def _begin(world: ServiceWorld, story: Story) -> None:
    """Bring in what the client told earlier."""
    begun = opened(story.id, story.locale, story.opens, content())
    if story.opens.session_type is not SessionType.FIRST_SESSION or begun.user_info:
        names = ("carried", "tasks", "user_info")
        await world.change(**{name: getattr(begun, name) for name in names})


def _reminds(delivery: Any) -> bool:
    """Return whether it is a reminder of an appointment, which comes days after the session."""
    return isinstance(delivery.job, TaskPayload) and delivery.job.kind is JobKind.REMIND


async def _turn(world: ServiceWorld, story: Story, number: int) -> Played:
    answered = await world.say(story.lines[number - 1].client)
    state: Session = world.session
    record = None
    if answered is not None:
        (found,) = await world.memory.get([paths.turn(state.conversation_id, answered.message_id)])
        record = from_document(TurnRecord, found)
    task = state.task_in_progress
    planned = {one.title: str(one.id) for plan in story.plan for one in plan.tasks}
    wrap_up = f"{state.wrap_up.stage.value} {state.wrap_up.aim.value}" if state.wrap_up else None
    return Played(
        part=int(state.current_part),
        task=planned.get(task.title, str(task.id)) if task else None,
        task_title=task.title if task else "",
        stance=_stance(record),
        module=state.current_module,
        slots=dict(state.user_info),
        declined=tuple(state.declined_slots),
        risk=state.risk.level.name.lower(),
        wrap_up=wrap_up,
        service=state.answered_by or "counseling",
        ended=state.ended,
        shown=answered.reply if answered is not None else "",
        labels={slot.name: slot.label for task in state.tasks for slot in task.slots},
    )


def _stance(record: TurnRecord | None) -> str:
    """Return the directive's stance, or what spoke instead of the Counselor."""
    if record is None:
        return "refused: the session has ended"
    if directive := counselors(record.directive):
        return directive.stance.value
    if record.directive and (service := record.directive.get("service")):
        return f"service {service}"
    fixed = [run.reason for run in record.agents if run.agent == "counselor" and run.output is None and run.reason]
    reason = fixed[-1] if fixed else ""
    return "protocol" if "protocol" in reason else f"fixed: {reason}"


# The file


def entry(line: StoryLine, held: Holds, told: Mapping[str, Any], now: Played, before: Played | None) -> dict[str, Any]:
    """Return what differs from what the story holds; of what it does not hold, what changed since the line before."""
    found = {name: getattr(now, name) for name in differing(line, held, told, now)}
    if "slots" in found:
        found["slots"] = _otherwise(now.slots, told)
    if "shown" in found:
        found["shown"] = _shortly(now.shown, line.reply)
    for name in ("module", "declined", "wrap_up"):
        value = getattr(now, name)
        if before is None or value != getattr(before, name):
            found[name] = list(value) if isinstance(value, tuple) else value
    if now.module in line.reading.module:
        found.pop("module", None)
    return found


def differing(line: StoryLine, held: Holds, told: Mapping[str, Any], now: Played) -> list[str]:
    """Return the kinds in which a line differs from what the story holds."""
    stance = held.stance.value if held.stance else None
    wanted = {
        "part": int(held.part or 1),
        "task": None if held.task == "none" else held.task,
        "stance": f"service {held.service}" if held.service != "counseling" else stance,
        "risk": (held.risk or RiskLevel.NONE).name.lower(),
        "service": held.service,
        "ended": held.ended,
        "slots": dict(told),
        "shown": " ".join(line.reply.split()),
    }
    found = {name: getattr(now, name) for name in COMPARED} | {"shown": " ".join(now.shown.split())}
    if held.ended:
        wanted["stance"], wanted["task"] = found["stance"], found["task"]
    return [name for name in COMPARED if wanted[name] != found[name]]


def _shortly(shown: str, reply: str) -> str:
    """Return what was shown, with `…` for the story's reply; long words are cut, and a digest stands for the rest."""
    shown, reply = " ".join(shown.split()), " ".join(reply.split())
    text = shown.replace(reply, "…") if reply in shown else shown
    if len(text) <= SHOWN_LENGTH:
        return text
    return f"{text[:SHOWN_LENGTH]}~{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def lines_of(story: Story) -> Iterator[tuple[int, StoryLine, Holds, dict[str, Any]]]:
    """Yield each line with its number, what the story holds after it, and what the client has told by then."""
    told: dict[str, Any] = {"name": story.opens.name} if story.opens.name else {}
    for number, line in enumerate(story.lines, start=1):
        told |= {name: value for name, (value, _) in (*line.reading.values.items(), *line.reading.corrects.items())}
        yield number, line, story.held(number), dict(told)


def entries(story: Story, played: Sequence[Played]) -> list[list[Any]]:
    """Return the file's lines for a story; slots that stay otherwise are named once."""
    found, slots = list[list[Any]](), None
    before = [None, *played]
    for number, line, held, told in lines_of(story):
        one = entry(line, held, told, played[number - 1], before[number - 1])
        if one.get("slots") == slots:
            one.pop("slots", None)
        else:
            slots = one.get("slots")
        if one:
            found.append([number, one])
    return found


def _otherwise(slots: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the slots that have another value than the client told."""
    return {name: slots.get(name) for name in sorted({*slots, *told}) if slots.get(name) != told.get(name)}


def as_text(baseline: Mapping[str, Sequence[Sequence[Any]]]) -> str:
    """Return the file's text: one line for each entry."""
    out = [
        "# What the product shows of the stories with their gold as the model's answers: where it differs from them.\n"
    ]
    for name, found in baseline.items():
        out.append(f"{name}:\n")
        for one in found:
            text = yaml.safe_dump(one, allow_unicode=True, default_flow_style=True, width=10**6, sort_keys=False)
            out.append(f"  - {text}")
    return "".join(out)


def changes(kept: str, now: str) -> str:
    """Return by line and field what the file holds otherwise, `·` where it holds nothing."""

    def fields(text: str) -> dict[str, Any]:
        found = (yaml.safe_load(text) or {}).items()
        lines = ((f"{story}/{number}", one) for story, entries in found for number, one in entries)
        return {f"{at}: {field}": value for at, one in lines for field, value in one.items()}

    old, new = fields(kept), fields(now)
    names = [name for name in {**old, **new} if (name in old, old.get(name)) != (name in new, new.get(name))]
    told = [f"  {name}: {old.get(name, '·')} → {new.get(name, '·')}\n" for name in names[:MOST_TOLD]]
    return "".join([f"the baseline is another: {len(names)} fields differ (file → now)\n", *told])


# The command


def table(stories: Sequence[Story], played: Mapping[str, Sequence[Played]]) -> str:
    """Return how many lines differ, by kind, and the lines at which a difference begins."""
    kinds: Counter[str] = Counter()
    begins: dict[str, list[str]] = {name: [] for name in COMPARED}
    for story in stories:
        before: list[str] = []
        for number, line, held, told in lines_of(story):
            now = differing(line, held, told, played[story.id][number - 1])
            for kind in now:
                kinds[kind] += 1
                if kind not in before:
                    begins[kind].append(f"{story.id}/{number}")
            before = now
    count = sum(len(story.lines) for story in stories)
    out = [
        f"{len(stories)} stories, {count} lines; lines that differ from what the story holds, and where it begins:\n"
    ]
    return "".join([*out, *(f"  {kind:<8} {kinds[kind]:>4}  {' '.join(begins[kind])}\n" for kind in COMPARED)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, and print, write or check."""
    parser = argparse.ArgumentParser(prog="python -m tests.evaluation.baseline")
    parser.add_argument("--folder", type=Path, default=STORIES)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--review", type=Path, metavar="DIR")
    given = parser.parse_args(arguments)
    stories = load_stories(given.folder)
    played = {story.id: play(story) for story in stories}
    text = as_text({story.id: entries(story, played[story.id]) for story in stories})
    if given.review is not None:
        given.review.mkdir(parents=True, exist_ok=True)
        for story in stories:
            page = review_page(story, played[story.id])
            (given.review / f"{story.id}.md").write_text(page, encoding="utf-8")
    if given.write:
        BASELINE.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{BASELINE}: {len(text.encode())} bytes\n")
    elif given.check:
        kept = BASELINE.read_text(encoding="utf-8") if BASELINE.exists() else ""
        sys.stdout.write("the baseline holds\n" if kept == text else changes(kept, text))
        return 0 if kept == text else 1
    else:
        sys.stdout.write(table(stories, played))
    return 0


if __name__ == "__main__":
    sys.exit(main())
