"""The reader beside today's agents: what it hears otherwise than they did goes into the turn's record alone.

It is asked once the reply is there. Neither reply nor session knows of it, and the listener is told nothing.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from pydantic import JsonValue

from functions.chat.findings import Findings
from functions.chat.reading import AGENT as READS
from functions.chat.reading import (
    CHOICE,
    NOTHING_READ,
    READER,
    DangerKind,
    Heard,
    ReaderInput,
    asked_last,
    ledger_entries,
    reader_input,
    trust,
    unquoted,
)
from shared.content.catalogue import Content
from shared.content.conditions import Effect
from shared.contracts.events import StreamEvent
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import (
    MoreWanted,
    WentBack,
    WrapUpAgreed,
    WrapUpDeclined,
    WrapUpProposed,
)
from shared.domain.counseling.task_events import SlotDeclined, SlotFilled, TaskSignSeen
from shared.domain.counseling.user_state import CLEAR_EMOTION, EmotionLabel
from shared.domain.slots import SlotKind
from shared.engine.flow import Turn
from shared.engine.runner import AgentRunner
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.safety.levels import CrisisOutcome

log = logging.getLogger(__name__)

AGENT = "reader_shadow"
"""Name in the turn record; its output holds what differs, by agent: `{"task_selector": {"today": …, "reader": …}}`."""

Verdicts: TypeAlias = Mapping[str, JsonValue]
"""What is compared, by the agent that decides it."""

_OUTCOMES = {
    DangerKind.OWN_CONCERN: CrisisOutcome.CONCERN,
    DangerKind.OWN_CRISIS: CrisisOutcome.CRISIS,
    DangerKind.OWN_IMMINENT: CrisisOutcome.IMMINENT,
    DangerKind.OTHER_CONCERN: CrisisOutcome.THIRD_PARTY,
    DangerKind.OTHER_CRISIS: CrisisOutcome.THIRD_PARTY,
    DangerKind.OTHER_IMMINENT: CrisisOutcome.THIRD_PARTY_NOW,
    DangerKind.HARM_CONCERN: CrisisOutcome.HARM_TO_OTHERS,
    DangerKind.HARM_CRISIS: CrisisOutcome.HARM_TO_OTHERS,
    DangerKind.HARM_IMMINENT: CrisisOutcome.HARM_TO_OTHERS,
    DangerKind.VIOLENCE_PAST: CrisisOutcome.ABUSE_TOLD,
    DangerKind.VIOLENCE_ONGOING: CrisisOutcome.ABUSE,
    DangerKind.VIOLENCE_NOW: CrisisOutcome.ABUSE_NOW,
}


async def read_beside(
    runner: AgentRunner, turn: Turn[Session], session: Session, found: Findings, content: Content
) -> None:
    """Ask the reader about the message of an answered turn, and enter what it heard otherwise.

    `session` and `found` are what the turn made. The reader reads the session before it, within a time and by requests
    that the turn has left. Whatever goes wrong stays in the ledger. A user under 14 is not read.
    """
    ledger = turn.scope.ledger
    if turn.state.under_14 or session.under_14:
        return
    try:
        until = runner.clock.monotonic() + runner.configured(READS).timeout_s
        scope = replace(turn.scope, emit=_unheard, answers_by=until, loading_s=0)
        # Appointments are part of every composition of the product.
        given = reader_input(turn.state, turn.text, content.modules(turn.state.locale), booking_offered=True)
        reading = await runner.ask(READER, given, scope, unquoted(given))
        if ledger.failed(READS) and reading == NOTHING_READ:
            return
        ledger.ruled(AGENT, differences(turn, session, found, trust(reading, given), given), "")
    except Exception as error:  # noqa: BLE001 - a reader on trial must not cost the person the answer
        log_event(log, LogEvent.FLOW_BROKE, error=error, flow=AGENT, conversation=session.conversation_id)
        ledger.ruled(AGENT, None, f"broke: {type(error).__name__}")


def _unheard(event: StreamEvent) -> None:
    """Tell the listener nothing: the reply is there."""


def differences(
    turn: Turn[Session], session: Session, found: Findings, heard: Heard, given: ReaderInput
) -> dict[str, JsonValue]:
    """Return what the reader hears otherwise than the turn decided, by agent; verdicts without the user's words."""
    today = {name: one for name, one in _today(turn, session, found, given).items() if one is not None}
    read = _read(turn.state, heard)
    apart: dict[str, JsonValue] = {
        name: _apart(decided, read[name])
        for name, decided in today.items()
        if read[name] is not None and decided != read[name]
    }
    return apart | _slots(turn, session, found, heard)


def _apart(today: JsonValue, reader: JsonValue) -> JsonValue:
    """Return both, of several fields those that differ."""
    if isinstance(today, dict) and isinstance(reader, dict):
        names = [name for name in today if today[name] != reader[name]]
        today, reader = ({name: one[name] for name in names} for one in (today, reader))
    return {"today": today, "reader": reader}


def _read(before: Session, heard: Heard) -> Verdicts:
    entries = ledger_entries(heard)
    state, task, module = (entries[name] for name in ("user_state_detector", "task_selector", "module_selector"))
    clear = heard.feeling is not None and heard.feeling.intensity >= CLEAR_EMOTION
    return {
        "task_completion_checker": entries["task_completion_checker"]["complete"],
        "user_state_detector": {
            "resistance": state["resistance"],
            "feeling": state["feeling"] if clear else None,
            "new_topic": state["new_topic"],
            "circular": state["circular"],
        },
        "task_selector": task["task_id"],
        "module_selector": module["module_id"],
        "danger": [*sorted(_worst(heard))],
        "ending": _ending_read(before, heard),
    }


def _worst(heard: Heard) -> set[str]:
    """Return the outcome of the highest level of each danger."""
    highest = {kind.value.partition("_")[0]: kind for kind in DangerKind if kind in heard.danger}
    return {_OUTCOMES[kind].value for kind in highest.values()}


def _today(turn: Turn[Session], session: Session, found: Findings, given: ReaderInput) -> Verdicts:
    """Return what the turn decided; None for what it did not look at."""
    ledger, state = turn.scope.ledger, session.user_state
    clear = state.intensity >= CLEAR_EMOTION and state.emotion is not EmotionLabel.NEUTRAL
    judged = given.task is not None and given.task.judged and ledger.decided_by("task_completion_checker") is not None
    observed = ledger.decided_by("user_state_detector") is not None
    return {
        "task_completion_checker": bool(found.of(TaskSignSeen)) if judged else None,
        "user_state_detector": {
            "resistance": state.resistance.value,
            "feeling": state.emotion.value if clear else None,
            "new_topic": state.topic_changed,
            "circular": state.circular,
        }
        if observed
        else None,
        "task_selector": session.current_task if ledger.decided_by("task_selector") else None,
        "module_selector": session.current_module if ledger.decided_by("module_selector") else None,
        "danger": [*sorted({raised.outcome.value for raised in found.of(RiskRaised)})],
        "ending": _ending_today(turn, session, found),
    }


def _ending_today(turn: Turn[Session], session: Session, found: Findings) -> str:
    if session.ended and not turn.state.ended:
        return "ended"
    if found.of(WrapUpAgreed):
        return "agreed"
    if any(isinstance(event, WrapUpDeclined | WentBack | MoreWanted) for event in found.events):
        return "declined"
    return "asked" if found.of(WrapUpProposed) else "none"


def _ending_read(before: Session, heard: Heard) -> str:
    asked, effects = asked_last(before), heard.effects
    about_it = bool({"wrap_up", "end", CHOICE} & set(asked))
    if about_it and Effect.TAKE_AS_YES in effects:
        return "none" if CHOICE in asked else "ended" if "end" in asked else "agreed"
    if about_it and Effect.TAKE_AS_NO in effects:
        return "declined"
    return "asked" if {Effect.ASK_END, Effect.PROPOSE_END} & effects else "none"


def _slots(turn: Turn[Session], session: Session, found: Findings, heard: Heard) -> dict[str, JsonValue]:
    """Return by slot what only one of the two took, or took with another value; free text has no equal."""
    read = {**heard.values, **heard.corrections}
    filled = {event.slot: event.value for event in found.of(SlotFilled)}
    today = {event.slot: "declined" for event in found.of(SlotDeclined)} | dict.fromkeys(filled, "filled")
    asked = turn.state.last_asked
    declined = {asked: "declined"} if asked and Effect.DECLINE in heard.effects else {}
    reader = declined | dict.fromkeys(read, "filled")
    kinds = {slot.name: slot.kind for task in session.tasks for slot in task.slots}

    def differing() -> Iterator[tuple[str, str | None, str | None]]:
        for name in sorted(today.keys() | reader.keys()):
            both = name in filled and name in read and kinds.get(name) is not SlotKind.TEXT
            if today.get(name) != reader.get(name):
                yield name, today.get(name), reader.get(name)
            elif both and filled[name] != read[name].value:
                yield name, "filled", "filled otherwise"

    each = list(differing())
    if not each:
        return {}
    return {"slots": {"today": {name: ours for name, ours, _ in each}, "reader": {name: its for name, _, its in each}}}
