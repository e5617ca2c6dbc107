"""A client's sessions as transcripts: messages, decisions with reasons, and the results."""

from collections.abc import Iterator
from dataclasses import dataclass

from local.demo.course_notes import course_notes, ending_note, opening_notes
from local.demo.facts import facts, happened, otherwise
from local.demo.figures import Figures, broken, figures, over_all
from local.demo.judgement_notes import judgement_notes
from local.demo.notes import Note
from local.demo.planning_notes import planning_notes
from local.demo.service_notes import opened_note, when
from local.demo.services import standing
from local.demo.session import COUNSELING, Played
from local.demo.turn_notes import turn_notes
from local.demo.words import words
from shared.domain.conversation import Role


@dataclass(frozen=True)
class Said:
    """What one side said; the service is that of the reply."""

    role: Role
    text: str
    service: str = COUNSELING

    @property
    def speaker(self) -> str:
        """The name before it."""
        if self.role is Role.COUNSELOR and self.service != COUNSELING:
            return words().name("speakers", self.service)
        return words().roles[self.role.value]


Entry = Said | Note


@dataclass(frozen=True)
class Act:
    """One session of a transcript.

    Attributes:
        heading: Number of the session; "" if there is only one.
        happened: Summary in one line.
        ending: Headings with their texts.
        figures: What is counted of it.
    """

    heading: str
    happened: str
    entries: tuple[Entry, ...]
    turns: int
    ending: tuple[tuple[str, str], ...]
    figures: Figures


@dataclass(frozen=True)
class Transcript:
    """All sessions of a client.

    Attributes:
        failures: Why a session did not reach its end, unmet expectations, and what must not happen.
    """

    name: str
    title: str
    about: str
    acts: tuple[Act, ...]
    failures: tuple[str, ...] = ()

    @property
    def turns(self) -> int:
        """Turns of all sessions."""
        return sum(act.turns for act in self.acts)

    @property
    def figures(self) -> Figures:
        """What is counted of all sessions."""
        return over_all([act.figures for act in self.acts])


def transcript(played: Played) -> Transcript:
    """Return the transcript of a story's session."""
    story, found = played.story, figures(played)
    act = Act(
        heading="",
        happened=happened(facts(played)),
        entries=tuple(_entries(played)),
        turns=len(played.steps),
        ending=_ending(played),
        figures=found,
    )
    problem = (f"did not reach its end: {played.problem}",) if played.problem else ()
    failures = (*problem, *otherwise(played), *broken(found))
    return Transcript(story.id, story.title, story.about, (act,), failures)


def _entries(played: Played) -> Iterator[Entry]:
    records = {record.seq: record for record in played.evidence.turns}
    yield Said(Role.COUNSELOR, played.greeting, played.opened.flow)
    yield from opened_note(played)
    yield from opening_notes(played)
    for step in played.steps:
        yield Said(Role.USER, step.text)
        yield from turn_notes(step, records[step.seq], played.evidence)
        yield Said(Role.COUNSELOR, step.reply, records[step.seq].flow)
        yield from judgement_notes(step, played.evidence)
        yield from course_notes(step, played.evidence)
        yield from planning_notes(step, played.evidence)
    if played.session.ended:
        yield ending_note(played)


def _ending(played: Played) -> tuple[tuple[str, str], ...]:
    heading, closing, spent = words().ending, played.evidence.closing, played.session.budget
    left = []
    if closing is not None:
        origin = words().name("origin", closing.origin.value)
        left = [
            (f"{heading.summary} ({origin})", closing.summary),
            (heading.goals, words().list_of(closing.goals)),
            (heading.next, closing.next_session or heading.nothing),
            (heading.level, heading.suggested.format(level=closing.suggested_level)),
        ]
    if played.evidence.bookings:
        stand = tuple(when(one.starts_at, one.minutes) for one in standing(played))
        left.append((heading.bookings, words().list_of(stand)))
    cost = heading.spent.format(
        calls=spent.calls,
        prompt=f"{spent.prompt_tokens:,}",
        output=f"{spent.output_tokens:,}",
        won=f"{spent.cost_krw:.1f}",
    )
    return (*left, (heading.cost, cost))
