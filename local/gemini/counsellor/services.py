"""Answers of the reader of values for a booking."""

import datetime as dt
import re

from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.service_data import service_data
from local.gemini.json_types import JsonObject

_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NO_DAY = ("", "")


def extract(prompt: Prompt) -> JsonObject:
    """Find a day, a time, a way and a note in the words of the message."""
    text, data = prompt.text_of("newest_message"), service_data()
    day_words, day = _day(prompt, text)
    time_words = _first(data.times, text)
    ways = {way: found[0] for way, pattern in data.ways.items() if (found := re.search(pattern, text, re.IGNORECASE))}
    way = next(iter(ways)) if len(ways) == 1 else "none"
    note = re.search(data.note, text)
    return {
        "date_words": day_words,
        "date": day,
        "time_words": time_words,
        "time": data.times.get(time_words.lower(), ""),
        "way_words": ways.get(way, ""),
        "way": way,
        "note": note[0].strip() if note else "",
    }


def _day(prompt: Prompt, text: str) -> tuple[str, str]:
    """Return the words for a day of the year with its next date from today, which the instructions name."""
    words, today = _first(service_data().days, text), _ISO_DAY.search(prompt.instructions)
    if not words or today is None:
        return _NO_DAY
    begins = dt.date.fromisoformat(today[0])
    month, day = map(int, service_data().days[words.lower()].split("-"))
    this_year = dt.date(begins.year, month, day)
    return words, (this_year if this_year >= begins else this_year.replace(year=begins.year + 1)).isoformat()


def _first(table: dict[str, str], text: str) -> str:
    """Return the first key of a table that stands in the text, as it is written there."""
    found = (re.search(re.escape(key), text, re.IGNORECASE) for key in table)
    return next((one[0] for one in found if one), "")
