"""Notes on what another service than the counselling did in a turn: who answered and why, its sources, its bookings."""

import datetime as dt
from collections.abc import Iterator
from zoneinfo import ZoneInfo

from functions.chat.flows.booking.flow import CARD
from local.demo.notes import Note, cause, told
from local.demo.services import booking_hooks, citations
from local.demo.session import COUNSELING, Played, Step
from local.demo.words import words
from shared.content.catalogue import content
from shared.contracts.booking import BookingCard, BookingSlotsView, BookingView
from shared.domain.agreement.search_state import Decision
from shared.domain.turn import AgentRun, TurnRecord

ROUTER = "intent"
_WEEKDAYS = "월화수목금토일"


def opened_note(played: Played) -> Iterator[Note]:
    """Yield in which service a conversation was opened, if not in counselling."""
    if played.opened.flow != COUNSELING:
        yield Note("opened_in", {"service": words().name("services", played.opened.flow)})


def service_notes(step: Step, record: TurnRecord) -> Iterator[Note]:
    """Yield what happened between the client's message and the reply."""
    before = step.before.answered_by or step.before.flow
    if record.flow == COUNSELING and before == COUNSELING:
        return
    if record.flow == COUNSELING:
        yield Note("back", {}, told(*_route(record)))
        return
    yield Note("service", {"service": words().name("services", record.flow)}, told(*_route(record), *_stands(step)))
    yield from _search(record)
    yield from _booking(step, record)


def when(start: dt.datetime, minutes: int) -> str:
    """Return a time of a session in words."""
    local = start.astimezone(content().booking_calendar.tzinfo)
    return _spoken(local, minutes)


def _spoken(local: dt.datetime, minutes: int) -> str:
    return words().ending.booked.format(
        month=local.month,
        day=local.day,
        weekday=f"({_WEEKDAYS[local.weekday()]})",
        time=f"{local:%H:%M}",
        minutes=minutes,
    )


def _route(record: TurnRecord) -> Iterator[str]:
    """Yield who chose the service, and why."""
    run = next((run for run in record.agents if run.agent == ROUTER), None)
    if run is None:
        return
    who = words().name("decided_by", run.decided_by.value)
    quote = _quote(run)
    yield cause("routed_quote", who=who, quote=quote) or cause(
        "routed", who=who, reason=words().name("route", run.reason)
    )


def _quote(run: AgentRun) -> str:
    found = run.output.get("quote") if isinstance(run.output, dict) else None
    return found if isinstance(found, str) else ""


def _stands(step: Step) -> Iterator[str]:
    """Yield what the counselling keeps meanwhile."""
    if step.before.flow != COUNSELING:
        return
    task = step.before.task(step.before.current_task) if step.before.current_task else None
    yield cause("stands", task=task.title if task else "")
    slots = {slot.name: slot.label for each in step.before.tasks for slot in each.slots}
    asked = step.before.last_asked or ""
    yield cause("stands_asked", slot=slots.get(asked, asked))


def _search(record: TurnRecord) -> Iterator[Note]:
    """Yield the decision log of a search, and what the reply cites."""
    directive = record.directive or {}
    logged = directive.get("decisions")
    if isinstance(logged, list):
        decisions = [Decision.model_validate(each) for each in logged]
        reused = cause("from_cache") if directive.get("cache") == "hit" else ""
        rounds = str(max((one.round for one in decisions), default=0))
        yield Note("searched", {"rounds": rounds}, told(reused, *map(_decision, decisions)))
    cited = tuple(f"{one.label} {one.title}".strip() for one in citations(record))
    if cited:
        yield Note("cited", {"articles": words().list_of(cited)})


def _decision(one: Decision) -> str:
    named = {
        "node": words().name("nodes", one.node.value),
        "verdict": words().name("verdicts", one.verdict.value),
        "who": words().name("decided_by", one.by.value),
    }
    tools = dict.fromkeys(words().name("tools", signature.partition(":")[0]) for signature in one.what)
    return cause("node_with", **named, what=", ".join(tools)) or cause("node", **named)


def _booking(step: Step, record: TurnRecord) -> Iterator[Note]:
    """Yield what was booked, changed or cancelled, and the request in work or just ended."""
    for what, hook in booking_hooks(record):
        view = BookingView.model_validate(hook.data)
        yield Note(what, {"when": when(view.starts_at, view.length_minutes)})
    for hook in record.result.hooks:
        if hook.type == CARD:
            card = BookingCard.model_validate(hook.data)
            if card.stage.open or card.stage is not step.before.booking.stage:
                yield _card(card)


def _card(card: BookingCard) -> Note:
    lacks = ", ".join(words().name("slots", slot.value) for slot in card.missing)
    several = card.batch_total > 1 and card.stage.open
    return Note(
        "booking",
        {"stage": words().name("stages", card.stage.value)},
        told(
            cause("progress", total=str(card.batch_total), number=str(card.batch_progress)) if several else "",
            cause("request", kind=words().name("kinds", card.kind or ""), when=_requested(card)) if card.kind else "",
            cause("lacks", slots=lacks),
        ),
    )


def _requested(card: BookingCard) -> str:
    """Return the time that a request is about; "" while it is not known."""
    slots: BookingSlotsView | None = card.slots or card.before
    if slots is None or slots.date is None or slots.time is None:
        return ""
    local = dt.datetime.combine(slots.date, slots.time, ZoneInfo(card.zone))
    return _spoken(local, slots.length_minutes)
