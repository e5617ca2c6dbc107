"""Figures of a session, from its turn records and replies; some must be 0, whatever a client says."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean
from typing import TypeVar

from functions.supervisor.judgement import questions_of
from local.demo.facts import DECLINED, KEPT_OPEN, MISREAD, PASSED, directive_of, proposed
from local.demo.services import citations, is_written, moved, unasked
from local.demo.session import Played, Step
from shared.domain.counseling.directive import counselors
from shared.domain.counseling.readings import before, newly_named
from shared.domain.turn import TurnRecord

T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """A question of the counsellor, or other words to be named with their turn."""

    seq: int
    words: str


@dataclass(frozen=True)
class Figures:
    """What is counted of one session or of several.

    Attributes:
        services: Turns by the service that answered.
        modules: Turns by module.
        tasks: Turns by the task's title; "" without a task.
        questions: Number of questions of each reply.
        repeated: Questions that were asked before in the same words.
        intake_after_feeling: Slots that were asked for in the turn of a feeling, newly read.
        bare: Questions whether to close with nothing said before them.
        together: Replies that ask more than one thing.
        unwritten: Citations of what no document has, or without their label in the reply.
        moved: What another service's answer changed of the counselling.
        unasked: Bookings made, changed or cancelled without a question to confirm before.
        kept_open: Proposals to close that got an unclear answer.
        circles: Turns in which the client went round in circles.
        misreads: Turns in which the client corrected the counsellor.
    """

    turns: int
    services: tuple[tuple[str, int], ...]
    modules: tuple[tuple[str, int], ...]
    tasks: tuple[tuple[str, int], ...]
    questions: tuple[int, ...]
    repeated: tuple[Asked, ...]
    intake_after_feeling: tuple[Asked, ...]
    bare: tuple[Asked, ...]
    together: tuple[Asked, ...]
    unwritten: tuple[Asked, ...]
    moved: tuple[Asked, ...]
    unasked: tuple[Asked, ...]
    proposed: int
    declined: int
    kept_open: int
    circles: int
    misreads: int

    @property
    def most_questions(self) -> int:
        """Questions of the reply that has most."""
        return max(self.questions, default=0)

    @property
    def mean_questions(self) -> float:
        return fmean(self.questions) if self.questions else 0.0


def figures(played: Played) -> Figures:
    """Count a session."""
    records = {record.seq: record for record in played.evidence.turns}
    turns = [(step, records[step.seq]) for step in played.steps]
    told = [directive_of(record) for _, record in turns if counselors(record.directive)]
    titles = {task.id: task.title for task in played.session.tasks}
    events = Counter(event for _, record in turns for event in record.events)
    return Figures(
        turns=len(turns),
        services=_counted(record.flow for _, record in turns),
        modules=_counted(str(one.module_id) for one in told),
        tasks=_counted(titles.get(one.task_id, "") if one.task_id else "" for one in told),
        questions=tuple(len(questions_of(step.reply)) for step in played.steps),
        repeated=tuple(_repeated(played)),
        intake_after_feeling=tuple(one for step, record in turns for one in _intake_after_feeling(step, record)),
        bare=tuple(one for step, record in turns for one in _bare_proposals(step, record)),
        together=tuple(one for step, _ in turns for one in _together(step)),
        unwritten=tuple(one for step, record in turns for one in _unwritten(step, record)),
        moved=tuple(Asked(step.seq, name) for step, record in turns for name in moved(step, record)),
        unasked=tuple(Asked(step.seq, what) for step, record in turns for what in unasked(step, record)),
        proposed=sum(one.proposes is not None for one in told),
        declined=events[DECLINED],
        kept_open=events[KEPT_OPEN] + events[PASSED],
        circles=sum(_is_new(step) and step.after.user_state.circular for step, _ in turns),
        misreads=events[MISREAD],
    )


def over_all(each: Sequence[Figures]) -> Figures:
    """Add up the figures of several sessions."""
    return Figures(
        turns=sum(one.turns for one in each),
        services=_summed(one.services for one in each),
        modules=_summed(one.modules for one in each),
        tasks=_summed(one.tasks for one in each),
        questions=_joined(one.questions for one in each),
        repeated=_joined(one.repeated for one in each),
        intake_after_feeling=_joined(one.intake_after_feeling for one in each),
        bare=_joined(one.bare for one in each),
        together=_joined(one.together for one in each),
        unwritten=_joined(one.unwritten for one in each),
        moved=_joined(one.moved for one in each),
        unasked=_joined(one.unasked for one in each),
        proposed=sum(one.proposed for one in each),
        declined=sum(one.declined for one in each),
        kept_open=sum(one.kept_open for one in each),
        circles=sum(one.circles for one in each),
        misreads=sum(one.misreads for one in each),
    )


def broken(found: Figures) -> Iterator[str]:
    """Yield what must not happen in any session, with its turn."""
    for one in found.repeated:
        yield f"asked twice in the same words, in turn {one.seq}: {one.words}"
    for one in found.intake_after_feeling:
        yield f"asked for {one.words} in the turn of a feeling, {one.seq}"
    for one in found.bare:
        yield f"asked whether to close with nothing said before it, in turn {one.seq}: {one.words}"
    for one in found.together:
        yield f"asked more than one thing, in turn {one.seq}: {one.words}"
    for one in found.unwritten:
        yield f"cited what is not written, in turn {one.seq}: {one.words}"
    for one in found.moved:
        yield f"another service's answer changed the counselling's {one.words}, in turn {one.seq}"
    for one in found.unasked:
        yield f"{one.words} a session without a question before, in turn {one.seq}"


def _repeated(played: Played) -> Iterator[Asked]:
    heard = {*questions_of(played.greeting)}
    for step in played.steps:
        asked = questions_of(step.reply)
        yield from (Asked(step.seq, words) for words in asked if words in heard)
        heard.update(asked)


def _together(step: Step) -> Iterator[Asked]:
    asks = questions_of(step.reply)
    if len(asks) > 1:
        yield Asked(step.seq, " / ".join(asks))


def _unwritten(step: Step, record: TurnRecord) -> Iterator[Asked]:
    """Yield the citations that a reader cannot follow."""
    for one in citations(record):
        if not is_written(one) or one.label not in step.reply:
            yield Asked(step.seq, one.label)


def _bare_proposals(step: Step, record: TurnRecord) -> Iterator[Asked]:
    """Yield the question of a proposal to close if the reply says nothing before it."""
    question = next(iter(questions_of(step.reply)), step.reply)
    if proposed(record) and step.reply.startswith(question):
        yield Asked(step.seq, question)


def _intake_after_feeling(step: Step, record: TurnRecord) -> Iterator[Asked]:
    """Yield the slots asked for, by the instructions or in the reply's own words, when a feeling is named.

    It is one that the reading newly names.
    """
    read = _is_new(step) and newly_named(step.after.user_state, before(step.before.readings, step.seq))
    if not read:
        return
    wordings = {words: slot.name for task in step.after.tasks for slot in task.slots for words in slot.questions}
    said = {wordings[words] for words in questions_of(step.reply) if words in wordings}
    directive = counselors(record.directive)
    ordered = {directive.ask.slot} if directive and directive.ask else set()
    yield from (Asked(step.seq, slot) for slot in sorted(said | ordered))


def _is_new(step: Step) -> bool:
    """Tell whether the client's state was read in this turn; a fixed reply leaves the reading before."""
    return any(reading.seq == step.seq for reading in step.after.readings)


def _counted(found: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(found).items())


def _joined(found: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(chain.from_iterable(found))


def _summed(found: Iterable[tuple[tuple[str, int], ...]]) -> tuple[tuple[str, int], ...]:
    total: Counter[str] = Counter()
    for counted in found:
        total.update(dict(counted))
    return tuple(total.items())
