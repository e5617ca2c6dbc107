"""Words what CBot says about bookings, in one voice."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from shared.content.schemas.booking import BookingReplies
from shared.content.schemas.voice import Voiced
from shared.domain.booking.appointment import MOST_OPEN, Appointment
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.readings import RequestKind
from shared.domain.booking.slots import BookingSlots, Problem, SlotName
from shared.domain.booking.state import BookingRequest, BookingState
from shared.domain.booking.validation import minutes_of, way_of
from shared.locale import Locale, Register

MOST_TIMES = 6
"""Free times named at once."""
MOST_DAYS = 3
"""Days named when one of them is meant."""
_NOON = 12


@dataclass(frozen=True)
class BookingVoice:
    """The texts of a conversation's language and register.

    Attributes:
        today: In the user's zone; dates of another year are spoken with it.
        zone: The user's zone.
    """

    written: BookingReplies
    calendar: Calendar
    locale: Locale
    register: Register
    today: dt.date
    zone: dt.tzinfo

    def say(self, entry: Voiced, **fields: object) -> str:
        return entry.at(self.locale, self.register).format(**fields)

    def question(self, slot: SlotName, asked: int, kind: RequestKind = RequestKind.BOOK) -> str:
        """Return the wording for the n-th time (1 = first) that a slot is asked for."""
        if slot is SlotName.DATE and kind is RequestKind.CHANGE and asked == 1:
            return self.say(self.written.move_to)
        wordings = self.written.questions[slot].at(self.locale, self.register)
        return wordings[min(max(asked, 1), len(wordings)) - 1]

    def problem(self, problem: Problem, day: dt.date | None = None) -> str:
        """Return why a value was not taken; `day` is the date that was not, if it is known."""
        if problem is Problem.CLOSED_DAY and day:
            return self.say(self.written.closed_on, day=self.date(day))
        calendar = self.calendar
        fields: dict[str, object] = {
            "lengths": self.say(self.written.joined).join(self._span(one) for one in calendar.lengths),
            "default": self._span(calendar.default_length),
            "every": calendar.every,
            "lead": self._span(calendar.lead_minutes),
            "horizon": calendar.horizon_days,
            "most": MOST_OPEN,
        }
        return self.say(self.written.problems[problem], **fields)

    @staticmethod
    def some_of(times: Sequence[dt.time]) -> Sequence[dt.time]:
        """Return a few times, spread over the day, if they are too many to name."""
        return times[:: max(1, -(-len(times) // MOST_TIMES))]

    def free_times(self, day: dt.date, times: Sequence[dt.time]) -> str:
        if not times:
            return self.say(self.written.day_full, day=self.date(day))
        shown = self.say(self.written.joined).join(map(self.time, times))
        return self.say(self.written.free_times, day=self.date(day), times=shown)

    def days_meant(self, days: Sequence[dt.date]) -> str:
        """Return the days of which one is meant; empty if they are too many to name."""
        if not days or len(days) > MOST_DAYS:
            return ""
        return self.say(self.written.days_meant, days=self.say(self.written.either).join(map(self.date, days)))

    def free_days(self, days: Sequence[dt.date]) -> str:
        """Return the next days with room; empty without any."""
        spoken = self.say(self.written.joined).join(map(self.date, days))
        return self.say(self.written.free_days, days=spoken) if days else ""

    def ready(self, state: BookingState) -> str:
        """Return the question whether to go through with the ready request."""
        request = state.request
        if request is None:
            return ""
        asked = self.say(self.written.ready[request.kind], **self._fields(request))
        note = self.say(self.written.noted, note=request.slots.note) if request.slots.note else ""
        told = [self.batch(state), asked, note, self.say(self.written.how_to_answer)]
        return " ".join(part for part in told if part)

    def batch(self, state: BookingState) -> str:
        """Return which of several requests is in work; empty for a single one."""
        if state.batch_total <= 1:
            return ""
        return self.say(self.written.batch, total=state.batch_total, progress=state.batch_progress)

    def done(self, request: BookingRequest) -> str:
        return self.say(self.written.done[request.kind], **self._fields(request))

    def listed(self, appointments: Sequence[Appointment]) -> str:
        """Return the user's bookings, numbered."""
        if not appointments:
            return self.say(self.written.list_empty)
        lines = [
            self.say(self.written.list_line, number=number, what=self.what(one.slots(self.zone)))
            for number, one in enumerate(appointments, 1)
        ]
        return "\n".join([self.say(self.written.list_head), *lines])

    def what(self, slots: BookingSlots) -> str:
        """Return a whole session in words, with the defaults that stand for what was not said."""
        way = self.written.ways[way_of(slots)].at(self.locale)
        length = self.say(self.written.minutes, minutes=minutes_of(slots, self.calendar))
        what = self.say(self.written.what, when=self.when(slots), length=length, way=way)
        if slots.phone_number is None or way_of(slots).value != "phone":
            return what
        return f"{what} {self.say(self.written.phone_at, number=slots.phone_number)}"

    def when(self, slots: BookingSlots) -> str:
        spoken = [self.date(slots.date) if slots.date else "", self.time(slots.time) if slots.time else ""]
        return (", " if self.locale is Locale.EN else " ").join(part for part in spoken if part)

    def date(self, day: dt.date) -> str:
        own_year = day.year == self.today.year
        if self.locale is Locale.EN:
            weekday = self.written.weekdays.en[day.weekday()]
            spoken = f"{weekday}, {self.written.months[day.month - 1]} {day.day}"
            return spoken if own_year else f"{spoken}, {day.year}"
        spoken = f"{day.month}월 {day.day}일 {self.written.weekdays.ko[day.weekday()]}"
        return spoken if own_year else f"{day.year}년 {spoken}"

    def time(self, time: dt.time) -> str:
        face = time.hour % _NOON or _NOON
        if self.locale is Locale.EN:
            return f"{face}:{time.minute:02} {self.written.halves.en[time.hour >= _NOON]}"
        minute = f" {time.minute}분" if time.minute else ""
        return f"{self.written.halves.ko[time.hour >= _NOON]} {face}시{minute}"

    def _fields(self, request: BookingRequest) -> dict[str, str]:
        fields = {"what": self.what(request.whole)}
        return {**fields, "before": self.when(request.base)} if request.base else fields

    def _span(self, minutes: int) -> str:
        if minutes % 60 == 0 and minutes > 60:
            return self.say(self.written.hours, hours=minutes // 60)
        return self.say(self.written.spans, minutes=minutes)
