"""Adds neutral clauses to statements and compares the levels."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from local.safety_metamorphic.messages import Clause, Clauses, Place, Statement
from shared.content.catalogue import content
from shared.locale import Locale
from shared.safety.levels import CrisisOutcome

_OTHERS = frozenset({CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW})


class Result(StrEnum):
    """The level of a statement with a clause, compared with the statement alone."""

    STAYS = "stays"
    """The same or a more pressing level."""
    LOWERED = "lowered"
    """A less pressing level."""
    THIRD_PARTY = "third_party"
    """The danger was attributed to another person."""
    NONE = "none"
    """No finding."""


@dataclass(frozen=True)
class Trial:
    """One statement with one clause.

    Attributes:
        alone: The statement's outcome alone.
        together: Its outcome with the clause.
    """

    statement: Statement
    place: Place
    clause: Clause
    alone: CrisisOutcome
    together: CrisisOutcome

    @property
    def text(self) -> str:
        """The screened message."""
        return added(self.statement, self.place, self.clause)

    @property
    def result(self) -> Result:
        """The comparison of the levels."""
        if self.together is CrisisOutcome.NONE:
            return Result.NONE
        if self.together in _OTHERS and self.alone not in _OTHERS:
            return Result.THIRD_PARTY
        return Result.STAYS if self.together.severity >= self.alone.severity else Result.LOWERED


@dataclass(frozen=True)
class Shares:
    """Counts of trials.

    Attributes:
        results: Number of trials by result.
    """

    results: Counter[Result]

    @property
    def trials(self) -> int:
        """Number of trials."""
        return self.results.total()

    @property
    def lost(self) -> int:
        """Number of trials that did not stay."""
        return self.trials - self.results[Result.STAYS]

    @property
    def share_lost(self) -> float:
        """Share of trials that did not stay; 0 without trials."""
        return self.lost / self.trials if self.trials else 0.0


def outcome_of(text: str) -> CrisisOutcome:
    """Return the outcome of the crisis rules for a text."""
    return content().screening.screen(text).crisis.outcome


def added(statement: Statement, place: Place, clause: Clause) -> str:
    """Return the statement with the clause before or after it."""
    return clause.text + statement.text if place is Place.BEFORE else statement.text + clause.text


def trials(statements: Iterable[Statement], clauses: Mapping[Locale, Clauses]) -> Iterator[Trial]:
    """Yield every statement with a finding, combined with every clause of its language."""
    for statement in statements:
        alone = outcome_of(statement.text)
        if alone is CrisisOutcome.NONE:
            continue
        for place, clause in _placed(clauses[statement.locale]):
            together = outcome_of(added(statement, place, clause))
            yield Trial(statement, place, clause, alone, together)


def shares(tried: Iterable[Trial]) -> Shares:
    """Count trials by result."""
    return Shares(Counter(trial.result for trial in tried))


def by_clause(tried: Sequence[Trial]) -> dict[tuple[Locale, Place, Clause], Shares]:
    """Count the trials of each clause by result, in the order of the clauses."""
    counted: dict[tuple[Locale, Place, str], tuple[Clause, Counter[Result]]] = {}
    for trial in tried:
        key = (trial.statement.locale, trial.place, trial.clause.text)
        counted.setdefault(key, (trial.clause, Counter()))[1][trial.result] += 1
    return {(locale, place, clause): Shares(found) for (locale, place, _), (clause, found) in counted.items()}


def _placed(clauses: Clauses) -> list[tuple[Place, Clause]]:
    return [*((Place.BEFORE, one) for one in clauses.before), *((Place.BEHIND, one) for one in clauses.behind)]
