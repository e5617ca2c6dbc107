"""Has the extractor of a booking decide on the written cases, through the runner as in a turn."""

import datetime as dt
from functools import partial
from zoneinfo import ZoneInfo

from functions.chat.flows.booking.extractor import EXTRACTOR, ExtractorInput, checked
from shared.content.catalogue import content
from shared.domain.booking.slots import BookingSlots
from shared.engine.runner import AgentRunner
from tests.evaluation.agent_cases import ExtractionCase
from tests.evaluation.decisions import Decision, Group
from tests.evaluation.sessions import scope_of

NOW = dt.datetime(2026, 11, 27, 10, 0, tzinfo=ZoneInfo("Asia/Seoul"))
READ = ("date", "time", "way", "note")


async def extract_values(case: ExtractionCase, runner: AgentRunner) -> list[Decision]:
    """Have the extractor read a message; a value without the user's words is not counted, as in a turn."""
    scope = scope_of(case.id, runner)
    given = ExtractorInput(
        today=NOW.date().isoformat(), weekday=f"{NOW:%A}", now=f"{NOW:%H:%M}", asked=case.slot, text=case.text
    )
    answer = await runner.ask(EXTRACTOR, given, scope)
    shipped = content()
    rules = partial(shipped.booking_reader.read, now=NOW, open_at=shipped.booking_calendar.open_at)
    values = _spelled(checked(answer, case.text, NOW.date(), rules).slots)
    answered = not scope.ledger.failed(EXTRACTOR.name)
    return [
        Decision(
            Group.EXTRACTED,
            case.id,
            wanted=name in case.expected,
            found=name in values,
            about=f"{name}: {values.get(name)} | {case.text}",
            right=any(one in values.get(name, "") for one in case.expected.get(name, ())),
            answered=answered,
        )
        for name in READ
    ]


def _spelled(slots: BookingSlots) -> dict[str, str]:
    """Return the values that were found, in the spelling of the cases."""
    found = {
        "date": slots.date.isoformat() if slots.date else "",
        "time": f"{slots.time:%H:%M}" if slots.time else "",
        "way": slots.way.value if slots.way else "",
        "note": slots.note or "",
    }
    return {name: value for name, value in found.items() if value}
