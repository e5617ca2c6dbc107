"""Measures the safety rules on labelled messages: counts, shares and times."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from local.safety_report.rows import Category, Label, Row
from local.safety_report.wilson import Share
from shared.safety.levels import CrisisOutcome
from shared.safety.screening import ScreenedMessage

_CRISIS = CrisisOutcome.CRISIS.severity
_ALARM = CrisisOutcome.CONCERN.severity
_STEP = 10_000
_MUST_BE_HEARD = frozenset(Label) - {Label.AMBIGUOUS, Label.NON_CRISIS}
Screen = Callable[[str], ScreenedMessage]


@dataclass(frozen=True)
class Read:
    """One message with its findings and the time of the screening."""

    row: Row
    found: ScreenedMessage
    milliseconds: float


@dataclass(frozen=True)
class Group:
    """Messages that are counted together.

    Attributes:
        name: Label, category, language; "" means all.
        outcomes: Number of messages by outcome.
    """

    name: tuple[str, str, str]
    outcomes: Counter[CrisisOutcome]

    @property
    def rows(self) -> int:
        """Number of messages."""
        return self.outcomes.total()

    @property
    def at_crisis(self) -> float:
        """The share at crisis, harm_to_others, attempted, abuse_now or imminent."""
        return self._share(lambda outcome: outcome.severity >= _CRISIS)

    @property
    def alarmed(self) -> float:
        """The share from concern up, which gets a fixed reply or the question about suicide."""
        return self._share(lambda outcome: outcome.severity >= _ALARM)

    def _share(self, counts: Callable[[CrisisOutcome], bool]) -> float:
        return sum(number for outcome, number in self.outcomes.items() if counts(outcome)) / self.rows


@dataclass(frozen=True)
class Counted:
    """The messages of one category in one language.

    Attributes:
        at_crisis: At crisis, harm_to_others, attempted, abuse_now or imminent.
        any_alarm: From concern up; for violence abuse_told is enough.
        heard: Found as labelled (`Label.heard_in`).
    """

    language: str
    category: Category
    at_crisis: Share
    any_alarm: Share
    heard: Share


@dataclass(frozen=True)
class Measured:
    """All measurements.

    Attributes:
        first_ms: Time of the first screening, which compiles its rules.
    """

    reads: tuple[Read, ...]
    first_ms: float

    def total(self, label: Label) -> Group | None:
        """Return the messages of one label together; None if there are none."""
        reads = [read for read in self.reads if read.row.label is label]
        return _group((label.value, "", ""), reads) if reads else None

    def groups(self) -> list[Group]:
        """Return label × category × language: by label as declared, then by size."""
        return self._grouped(_name)

    def by_category(self) -> list[Group]:
        """Return label × category over all languages."""
        return self._grouped(lambda row: (row.label.value, row.category, ""))

    def by_language(self) -> list[Group]:
        """Return label × language over all categories."""
        return self._grouped(lambda row: (row.label.value, "", row.language))

    def _grouped(self, name_of: Callable[[Row], tuple[str, str, str]]) -> list[Group]:
        reads: dict[tuple[str, str, str], list[Read]] = {}
        for read in self.reads:
            reads.setdefault(name_of(read.row), []).append(read)
        labels = [label.value for label in Label]
        made = [_group(name, found) for name, found in reads.items()]
        return sorted(made, key=lambda group: (labels.index(group.name[0]), -group.rows, group.name))

    def categories(self) -> list[Counted]:
        """Return language × category of the rows with a `Category`, in its order."""
        reads: dict[tuple[str, Category], list[Read]] = {}
        for read in self.reads:
            if category := read.row.known_category:
                reads.setdefault((read.row.language, category), []).append(read)
        order = {category: place for place, category in enumerate(Category)}
        named = sorted(reads, key=lambda name: (name[0], order[name[1]]))
        return [_counted(language, category, reads[language, category]) for language, category in named]

    def misses(self) -> list[Read]:
        """Return messages that should be found but were not found as labelled, least severe first."""
        missed = [read for read in self.reads if read.row.label in _MUST_BE_HEARD and not _heard(read)]
        return sorted(missed, key=_severity)

    def false_alarms(self) -> list[Read]:
        """Return findings in messages to be left alone, most severe first."""
        found = [read for read in self.reads if read.row.label is Label.NON_CRISIS and _severity(read) >= _ALARM]
        return sorted(found, key=_severity, reverse=True)

    def milliseconds(self, share: float) -> float:
        """Return the quantile `share` of the times, in milliseconds."""
        times = sorted(read.milliseconds for read in self.reads)
        return times[min(int(share * len(times)), len(times) - 1)]


def measure(rows: Sequence[Row], screen: Screen, progress: Callable[[str], None]) -> Measured:
    """Screen every row twice: untimed, to compile the rules, then timed.

    Args:
        rows: The messages.
        screen: Screens one message.
        progress: Called every ten thousand messages.
    """

    def told(doing: str) -> Iterator[Row]:
        for number, row in enumerate(rows):
            if number and number % _STEP == 0:
                progress(f"{doing}: {number:,} of {len(rows):,} messages")
            yield row

    first_ms = _timed(rows[0], screen).milliseconds
    for row in told("warming up"):
        screen(row.text)
    return Measured(reads=tuple(_timed(row, screen) for row in told("measuring")), first_ms=first_ms)


def _timed(row: Row, screen: Screen) -> Read:
    began = time.perf_counter_ns()
    found = screen(row.text)
    return Read(row, found, (time.perf_counter_ns() - began) / 1e6)


def _group(name: tuple[str, str, str], reads: Iterable[Read]) -> Group:
    return Group(name, Counter(read.found.outcome for read in reads))


def _counted(language: str, category: Category, reads: Sequence[Read]) -> Counted:
    def share(counts: Callable[[Read], bool]) -> Share:
        return Share(sum(map(counts, reads)), len(reads))

    return Counted(
        language=language,
        category=category,
        at_crisis=share(lambda read: _severity(read) >= _CRISIS),
        any_alarm=share(_alarms),
        heard=share(_heard),
    )


def _alarms(read: Read) -> bool:
    return _severity(read) >= _ALARM or (read.row.label is Label.VIOLENCE and _heard(read))


def _heard(read: Read) -> bool:
    return read.row.label.heard_in(read.found.outcome)


def _name(row: Row) -> tuple[str, str, str]:
    return (row.label.value, row.category, row.language)


def _severity(read: Read) -> int:
    return read.found.outcome.severity
