"""`booking_replies.yaml`: what CBot says about bookings."""

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from shared.content.schemas.voice import Voiced, VoicedVariants, placeholders
from shared.domain.booking.readings import RequestKind
from shared.domain.booking.slots import Problem, SlotName, Way
from shared.domain.booking.state import MOST_ASKS
from shared.locale import Localized
from shared.model import Model

ASKED = (SlotName.DATE, SlotName.TIME, SlotName.PHONE_NUMBER, SlotName.TARGET)
"""Slots that are asked for."""
_PROBLEM_FIELDS = {
    Problem.LENGTH_NOT_OFFERED: {"lengths", "default"},
    Problem.OFF_GRID: {"every"},
    Problem.TOO_SOON: {"lead"},
    Problem.TOO_FAR: {"horizon"},
    Problem.TOO_MANY: {"most"},
}
_KIND_FIELDS = {RequestKind.BOOK: {"what"}, RequestKind.CHANGE: {"what", "before"}, RequestKind.CANCEL: {"before"}}
_FIELDS = {
    "free_times": {"day", "times"},
    "free_days": {"days"},
    "day_full": {"day"},
    "closed_on": {"day"},
    "stays": {"what"},
    "days_meant": {"days"},
    "what": {"when", "length", "way"},
    "phone_at": {"number"},
    "noted": {"note"},
    "batch": {"total", "progress"},
    "list_line": {"number", "what"},
    "minutes": {"minutes"},
    "spans": {"minutes"},
    "hours": {"hours"},
}


class Words(Model):
    """A list of words in each language."""

    ko: tuple[str, ...]
    en: tuple[str, ...]


class BookingReplies(Model):
    """The file.

    Attributes:
        what: A whole session: when, how long, by which way.
        waits: Nothing is confirmed, and the conversation goes on.
        gave_up: Asked often enough; nothing is booked.
    """

    weekdays: Words
    months: tuple[str, ...] = Field(min_length=12, max_length=12)
    halves: Words
    ways: Mapping[Way, Localized]
    questions: Mapping[SlotName, VoicedVariants]
    move_to: Voiced
    problems: Mapping[Problem, Voiced]
    free_times: Voiced
    free_days: Voiced
    day_full: Voiced
    closed_on: Voiced
    days_meant: Voiced
    ready: Mapping[RequestKind, Voiced]
    how_to_answer: Voiced
    still_open: Voiced
    waits: Voiced
    what: Voiced
    phone_at: Voiced
    batch: Voiced
    noted: Voiced
    by_chat_then: Voiced
    done: Mapping[RequestKind, Voiced]
    called_off: Voiced
    kept_as_it_was: Voiced
    gave_up: Voiced
    not_saved: Voiced
    not_readable: Voiced
    list_head: Voiced
    list_line: Voiced
    list_empty: Voiced
    idle: Voiced
    stays: Voiced
    looks_forward: Voiced
    welcome: Voiced
    wish_question: Voiced
    wish_told: Voiced
    wish_left: Voiced
    minutes: Voiced
    spans: Voiced
    hours: Voiced
    joined: Voiced
    either: Voiced
    event_title: Localized

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if set(self.problems) != set(Problem):
            raise ValueError(f"problems: {sorted(set(Problem) ^ set(self.problems))} missing or unknown")
        for name, kinds in (("ready", self.ready), ("done", self.done)):
            if set(kinds) != set(RequestKind):
                raise ValueError(f"{name} needs a text for every kind of request")
        if set(self.questions) != set(ASKED):
            raise ValueError(f"questions are for {[slot.value for slot in ASKED]}")
        if any(len(one.ko) < MOST_ASKS for one in self.questions.values()):
            raise ValueError(f"every question needs {MOST_ASKS} wordings")
        return self

    @model_validator(mode="after")
    def _knows_its_placeholders(self) -> Self:
        texts = {name: (entry, _FIELDS.get(name, set())) for name, entry in self if isinstance(entry, Voiced)}
        texts |= {f"problems.{key}": (one, _PROBLEM_FIELDS.get(key, set())) for key, one in self.problems.items()}
        texts |= {f"ready.{kind}": (one, _KIND_FIELDS[kind]) for kind, one in self.ready.items()}
        for name, (entry, fields) in texts.items():
            if any(placeholders(text) != fields for text in entry.all):
                raise ValueError(f"{name} needs exactly the placeholders {sorted(fields)}")
        if any(placeholders(text) - _KIND_FIELDS[kind] for kind, one in self.done.items() for text in one.all):
            raise ValueError("done has a placeholder that its kind does not fill")
        return self
