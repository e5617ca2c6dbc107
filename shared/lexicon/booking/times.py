"""Computes the time of day that a match of `times` in `booking.yaml` names."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from shared.domain.booking.slots import Problem
from shared.lexicon.booking.sino import sino_number
from shared.lexicon.booking.words_file import BookingWordsFile, Period, squeezed

NOON, MIDNIGHT = dt.time(12), dt.time(0)
_HALF_DAY = 12
_HOURS, _MINUTES = 24, 60


@dataclass(frozen=True)
class ReadTime:
    """The times that may be meant, at most two; or why there is none."""

    candidates: tuple[dt.time, ...] = ()
    problem: Problem | None = None


IMPOSSIBLE = ReadTime(problem=Problem.IMPOSSIBLE_TIME)


def resolve_time(words: BookingWordsFile, said: Mapping[str, str]) -> ReadTime:
    """Return the times of the named groups that matched.

    An hour above 12, and one with a leading zero, is of the 24-hour clock. Any other hour without a part of the day
    may be in the morning or in the afternoon.
    """
    if "fixed_noon" in said:
        return ReadTime((NOON,))
    if "fixed_midnight" in said:
        return ReadTime((MIDNIGHT,))
    written = _hour(words, said)
    minute = _minute(said)
    if written is None or minute is None or written[0] >= _HOURS or minute >= _MINUTES:
        return IMPOSSIBLE
    hour, on_24_hours = written
    period = _period(words, said)
    hours = (hour,) if on_24_hours and period is None else _hours(hour, period)
    earlier = "before" in said or "before_sino" in said
    return ReadTime(tuple(_time(one, minute, earlier=earlier) for one in hours)) if hours else IMPOSSIBLE


def in_period(words: BookingWordsFile, period: str, face: dt.time) -> ReadTime:
    """Return a time that was said before without its part of the day."""
    found = words.period_of.get(squeezed(period))
    hours = _hours((face.hour - 1) % _HALF_DAY + 1, found) if found else ()
    return ReadTime(tuple(face.replace(hour=one) for one in hours)) if hours else IMPOSSIBLE


def _hour(words: BookingWordsFile, said: Mapping[str, str]) -> tuple[int, bool] | None:
    """Return the hour as written, and whether it is of the 24-hour clock for sure."""
    for group in ("hour24", "hour"):
        if group in said and said[group].isdigit():
            hour = int(said[group])
            zero = group == "hour24" and said[group].startswith("0")
            return hour, hour > _HALF_DAY or hour == 0 or zero
    for group in ("hour_word", "english_hour"):
        if group in said:
            return words.number(group, said[group]), False
    return None


def _minute(said: Mapping[str, str]) -> int | None:
    if "half" in said:
        return 30
    if "minute_sino" in said:
        return sino_number(said["minute_sino"])
    return int(said.get("minute", "0"))


def _period(words: BookingWordsFile, said: Mapping[str, str]) -> Period | None:
    named = said.get("period") or said.get("period_after")
    return words.period_of[squeezed(named)] if named else None


def _hours(hour: int, period: Period | None) -> tuple[int, ...]:
    if hour > _HALF_DAY or hour == 0:
        # "오후 15시" says it twice; "오전 15시" contradicts itself.
        face = hour % _HALF_DAY or _HALF_DAY
        fits = period is None or face in (period.afternoon if hour else period.morning)
        return (hour,) if fits else ()
    morning, afternoon = hour % _HALF_DAY, hour % _HALF_DAY + _HALF_DAY
    if period is None:
        return (morning, afternoon)
    return (*((morning,) if hour in period.morning else ()), *((afternoon,) if hour in period.afternoon else ()))


def _time(hour: int, minute: int, *, earlier: bool) -> dt.time:
    whole = hour * _MINUTES + (-minute if earlier else minute)
    return dt.time(whole // _MINUTES % _HOURS, whole % _MINUTES)
