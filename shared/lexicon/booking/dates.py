"""Computes the date that a match of `dates` in `booking.yaml` names."""

import calendar
import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shared.domain.booking.slots import Problem
from shared.lexicon.booking.sino import sino_number
from shared.lexicon.booking.words_file import BookingWordsFile

LATELY = 60
"""Days: a date without a year that lies so little back is a mistake, not next year's."""
_CENTURY = 2000
_WEEK = 7
_DECEMBER = 12


@dataclass(frozen=True)
class ReadDate:
    """A date, or why there is none.

    Attributes:
        days: The days that may be meant.
    """

    value: dt.date | None = None
    problem: Problem | None = None
    days: tuple[dt.date, ...] = ()


@dataclass(frozen=True)
class DateResolver:
    """Resolves dates against a day.

    Attributes:
        pending: The days that the last answer left open; a weekday or a day alone is one of them.
        after: The date before it in the message: a weekday alone is the next one after it.
        same_week: That date was named with its week, in which the weekday is, too.
        base: The date of the booking that is moved: a weekday alone is in its week, unless that has passed.
    """

    words: BookingWordsFile
    today: dt.date
    pending: tuple[dt.date, ...] = ()
    after: dt.date | None = None
    same_week: bool = False
    base: dt.date | None = None

    def resolve(self, said: Mapping[str, str]) -> ReadDate:
        """Return the date of the named groups that matched."""
        found = self._resolve(said)
        if found.value is None:
            return found
        if (weekday := self._check(said)) is not None and weekday != found.value.weekday():
            return ReadDate(problem=Problem.WEEKDAY_MISMATCH)
        return ReadDate(problem=Problem.PAST) if found.value < self.today else found

    def _resolve(self, said: Mapping[str, str]) -> ReadDate:
        if "past" in said:
            return ReadDate(problem=Problem.PAST)
        if "open" in said or "open_week" in said:
            return self._open(said)
        if "weekday" in said or "weekday_short" in said:
            return self._weekday(said)
        if "day_word" in said:
            return self._after(self._number("day_word", said))
        if "native_days" in said:
            return self._after(self._number("native_days", said))
        if "count" in said:
            return self._counted(self.words.number("count_word", said["count"]), said["unit"])
        return self._day_of_month(said)

    def _open(self, said: Mapping[str, str]) -> ReadDate:
        """Return the days of a week or month that is named without a day; the one of them that was left open."""
        days = self._days_of(said.get("open_week") or said["open"])
        left = [day for day in self.pending if day in days]
        if len(left) == 1 and len(self.pending) < _WEEK:
            return ReadDate(value=left[0])
        if days and max(days) < self.today:
            return ReadDate(problem=Problem.PAST)
        return ReadDate(problem=Problem.WHICH_DAY, days=tuple(day for day in days if day >= self.today))

    def _days_of(self, word: str) -> tuple[dt.date, ...]:
        for name in ("week_word", "month_word"):
            for written, number in self.words.tables[name].items():
                if word.replace(" ", "").casefold() == written.replace(" ", ""):
                    return self._week(number) if name == "week_word" else self._month(number)
        return ()

    def _week(self, weeks: int) -> tuple[dt.date, ...]:
        monday = self.today - dt.timedelta(days=self.today.weekday()) + dt.timedelta(weeks=weeks)
        return tuple(monday + dt.timedelta(days=day) for day in range(_WEEK))

    def _month(self, months: int) -> tuple[dt.date, ...]:
        first = _months_after(self.today.replace(day=1), months)
        return tuple(first.replace(day=day + 1) for day in range(calendar.monthrange(first.year, first.month)[1]))

    def _weekday(self, said: Mapping[str, str]) -> ReadDate:
        weekday = self._number("weekday" if "weekday" in said else "weekday_short", said)
        if "week_word" in said or "weeks" in said:
            by_word = "week_word" in said
            weeks = self._number("week_word", said) if by_word else self.words.number("count_word", said["weeks"])
            return ReadDate(value=self._week(weeks)[weekday])
        if (known := self._known_by(weekday, said)) is not None:
            return ReadDate(value=known)
        coming = self.today + dt.timedelta(days=(weekday - self.today.weekday()) % _WEEK)
        following = coming + dt.timedelta(days=_WEEK)
        if coming == self.today and "next" in said:
            return ReadDate(value=following)
        if coming == self.today:
            return ReadDate(problem=Problem.WHICH_DAY, days=(coming, following))
        if "next" in said and coming in self._week(0):
            return ReadDate(problem=Problem.WHICH_DAY, days=(coming, following))
        return ReadDate(value=coming)

    def _known_by(self, weekday: int, said: Mapping[str, str]) -> dt.date | None:
        """Return the weekday that the talk makes clear: by the date before it, by those left open, by the booking."""
        if self.after is not None:
            return self._behind(self.after, weekday)
        left = [day for day in self.pending if day.weekday() == weekday]
        if len(left) == 1:
            return left[0]
        if self.base is None or "next" in said:
            return None
        moved = self.base + dt.timedelta(days=weekday - self.base.weekday())
        return moved if moved >= self.today and moved != self.base else None

    def _behind(self, date: dt.date, weekday: int) -> dt.date:
        if self.same_week:
            return date + dt.timedelta(days=weekday - date.weekday())
        return date + dt.timedelta(days=(weekday - date.weekday()) % _WEEK or _WEEK)

    def _counted(self, count: int, unit: str) -> ReadDate:
        if unit.startswith(("주", "week")):
            return self._after(count * _WEEK)
        if unit.startswith(("달", "개월", "month")):
            return self._within(lambda: _months_after(self.today, count))
        if unit == "년":
            return self._within(lambda: _months_after(self.today, count * _DECEMBER))
        return self._after(count)

    def _day_of_month(self, said: Mapping[str, str]) -> ReadDate:
        day = sino_number(said["day_sino"]) or 0 if "day_sino" in said else int(said["day"])
        if "month_word" in said:
            first = self._month(self._number("month_word", said))[0]
            return _date(first.year, first.month, day)
        month = self._month_number(said)
        if month == 0:
            return ReadDate(problem=Problem.IMPOSSIBLE_DATE)
        if month is None:
            return self._next_day(day)
        year = self._year(said)
        return self._next_date(month, day) if year is None else _date(year, month, day)

    def _month_number(self, said: Mapping[str, str]) -> int | None:
        """Return the month; None without one, 0 for one that does not exist."""
        if "month_name" in said:
            return self._number("month_name", said)
        if "month_sino" in said:
            return sino_number(said["month_sino"]) or 0
        return int(said["month"]) if "month" in said else None

    def _year(self, said: Mapping[str, str]) -> int | None:
        if "year" in said:
            year = int(said["year"])
            return year if year >= _CENTURY else _CENTURY + year
        if "year_word" in said:
            return self.today.year + self._number("year_word", said)
        return None

    def _next_day(self, day: int) -> ReadDate:
        left = [one for one in self.pending if one.day == day]
        if len(left) == 1:
            return ReadDate(value=left[0])
        first = self.today.replace(day=1)
        first = first if day >= self.today.day else _months_after(first, 1)
        return _date(first.year, first.month, day)

    def _next_date(self, month: int, day: int) -> ReadDate:
        this_year = _date(self.today.year, month, day)
        if this_year.value is not None and (self.today - this_year.value).days <= LATELY:
            return this_year
        next_year = _date(self.today.year + 1, month, day)
        return this_year if next_year.value is None else next_year

    def _after(self, days: int) -> ReadDate:
        return self._within(lambda: self.today + dt.timedelta(days=days))

    @staticmethod
    def _within(compute: Callable[[], dt.date]) -> ReadDate:
        try:
            return ReadDate(value=compute())
        except (OverflowError, ValueError):
            return ReadDate(problem=Problem.TOO_FAR)

    def _check(self, said: Mapping[str, str]) -> int | None:
        for group, table in (("check", "weekday"), ("check_short", "weekday_short")):
            if group in said:
                return self.words.number(table, said[group])
        return None

    def _number(self, table: str, said: Mapping[str, str]) -> int:
        return self.words.number(table, said[table])


def _date(year: int, month: int, day: int) -> ReadDate:
    try:
        return ReadDate(value=dt.date(year, month, day))
    except ValueError:
        return ReadDate(problem=Problem.IMPOSSIBLE_DATE)


def _months_after(day: dt.date, months: int) -> dt.date:
    index = day.year * _DECEMBER + day.month - 1 + months
    year, month = divmod(index, _DECEMBER)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
