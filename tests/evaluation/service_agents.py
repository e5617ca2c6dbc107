"""Has the intent agent and the extractor of a booking decide on the written cases, through the runner as in a turn."""

import datetime as dt
from functools import partial
from zoneinfo import ZoneInfo

from functions.chat.flows.booking.extractor import EXTRACTOR, ExtractorInput, checked
from functions.chat.flows.routing.intent import INTENT, ask_intent
from shared.content.catalogue import content
from shared.domain.booking.slots import BookingSlots
from shared.domain.ids import MessageId
from shared.engine.flow import Turn
from shared.engine.runner import AgentRunner
from tests.evaluation.agent_cases import ExtractionCase, IntentCase
from tests.evaluation.decisions import Decision, Group
from tests.evaluation.sessions import opened, scope_of

SERVICES = ("counseling", "agreement", "booking")
OTHERS = SERVICES[1:]
NOW = dt.datetime(2026, 11, 27, 10, 0, tzinfo=ZoneInfo("Asia/Seoul"))
READ = ("date", "time", "way", "note")


async def name_service(case: IntentCase, runner: AgentRunner) -> list[Decision]:
    """Have the agent name the service; only another service than the counselling counts as found."""
    scope = scope_of(case.id, runner)
    talk = {"answered_by": case.answered_by, "recent": case.talk(runner.clock.now())}
    session = opened(case.id, runner).model_copy(update=talk)
    turn = Turn(session, session.seq + 1, MessageId(case.id), case.text, runner.clock.now(), runner, scope)
    meant = await ask_intent(turn, SERVICES)
    answered = not scope.ledger.failed(INTENT.name)
    told = f"{meant or '·'} | {case.text}"
    return [
        Decision(
            Group.SERVICE, case.id, case.expected in OTHERS, meant in OTHERS, told, meant == case.expected, answered
        )
    ]


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
