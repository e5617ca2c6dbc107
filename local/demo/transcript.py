"""A session as it is told: what was said, what happened between, and what is left at the end."""

from dataclasses import dataclass

from local.demo.background_notes import background_notes
from local.demo.notes import Note
from local.demo.session import Played
from local.demo.turn_notes import turn_notes
from local.demo.words import words
from shared.domain.conversation import Role


@dataclass(frozen=True)
class Said:
    """A message."""

    role: Role
    text: str


Entry = Said | Note


@dataclass(frozen=True)
class Transcript:
    """A session as it is told.

    Attributes:
        ending: Headings with what stands under them.
        problem: Why the session did not reach its end, or None.
    """

    name: str
    title: str
    about: str
    entries: tuple[Entry, ...]
    turns: int
    ending: tuple[tuple[str, str], ...]
    problem: str | None


def transcript(played: Played) -> Transcript:
    """Tell a session."""
    records = {record.seq: record for record in played.evidence.turns}
    entries: list[Entry] = [Said(Role.COUNSELOR, played.greeting)]
    for step in played.steps:
        entries.append(Said(Role.USER, step.text))
        entries.extend(turn_notes(step, records[step.seq]))
        entries.append(Said(Role.COUNSELOR, step.reply))
        entries.extend(background_notes(step, played.evidence))
    return Transcript(
        name=played.client.name,
        title=played.client.title,
        about=played.client.about,
        entries=tuple(entries),
        turns=len(played.steps),
        ending=_ending(played),
        problem=played.problem,
    )


def _ending(played: Played) -> tuple[tuple[str, str], ...]:
    heading, closing, spent = words().ending, played.evidence.closing, played.session.budget
    left = []
    if closing is not None:
        origin = words().name("origin", closing.origin.value)
        left = [
            (f"{heading.summary} ({origin})", closing.summary),
            (heading.goals, words().list_of(closing.goals)),
            (heading.next, closing.next_session or heading.nothing),
        ]
    cost = heading.spent.format(
        calls=spent.llm_calls,
        prompt=f"{spent.prompt_tokens:,}",
        output=f"{spent.output_tokens:,}",
        won=f"{spent.cost_krw:.1f}",
    )
    return (*left, (heading.cost, cost))
