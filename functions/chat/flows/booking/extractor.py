"""The extractor: a model finds values that the rules did not read; code checks every one of them.

It decides nothing: whether something is missing, and whether to go on, is the gate's.
"""

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path

from pydantic import Field

from functions.chat.flows.booking.desk import Desk
from shared.content.booking import BookingVoice
from shared.domain.booking.readings import Reading, ReadRequest
from shared.domain.booking.slots import BookingSlots, Problem, SlotName, Way, valid_note
from shared.domain.booking.state import BookingState
from shared.domain.counseling.session import Session
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.evidence import is_verbatim_quote

PROMPTS = Path(__file__).parent / "prompts"
AGENT = "booking_extractor"
_NOTHING = "none"
_TIME = re.compile(r"\d\d:\d\d")


class ExtractedValues(AnswerSchema):
    """Each value after the user's own words for it; empty words mean that it was not said."""

    date_words: str = Field(description="The user's words that name one day, verbatim; empty if none do")
    date: str = Field(description="That day as YYYY-MM-DD; empty without words or if more than one day may be meant")
    time_words: str = Field(description="The user's words that name one starting time, verbatim; empty if none do")
    time: str = Field(description="That time as HH:MM in 24 hours; empty without words or if it is not one time")
    way_words: str = Field(description="The user's words for chat or phone, verbatim; empty if none do")
    way: str = Field(json_schema_extra={"enum": [_NOTHING, *(way.value for way in Way)]})
    note: str = Field(description="What the counsellor should know for the session, verbatim; empty if nothing")


class ExtractorInput(Model):
    """Prompt variables.

    Attributes:
        today: The day in the user's zone, as ISO date.
        weekday: Its weekday, in words.
        asked: The label of the slot that was asked for; empty if none.
    """

    today: str
    weekday: str
    now: str
    asked: str
    text: str


EXTRACTOR = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 1, ExtractorInput),
    answers=ExtractedValues,
    safe_default=ExtractedValues(date_words="", date="", time_words="", time="", way_words="", way=_NOTHING, note=""),
)


Rules = Callable[[str], Reading]
"""Reads words by rule, against the day and the open question of the turn."""


async def extracted(
    turn: Turn[Session], state: BookingState, desk: Desk, voice: BookingVoice, rules: Rules
) -> ReadRequest | None:
    """Return what the model found in the message, checked; None if it gave no usable answer (`parse_error`)."""
    now = desk.local_now
    given = ExtractorInput(
        today=now.date().isoformat(),
        weekday=voice.date(now.date()),
        now=f"{now:%H:%M}",
        asked=state.last_asked.value if state.last_asked else "",
        text=turn.text,
    )
    answer = await turn.runner.ask(EXTRACTOR, given, turn.scope)
    return None if AGENT in turn.scope.ledger.errors else checked(answer, turn.text, now.date(), rules)


def checked(answer: ExtractedValues, text: str, today: dt.date, rules: Rules) -> ReadRequest:
    """Return the values whose words stand in the message, and mean that value where the rules can read them.

    A value that its words contradict is left out, so that it is asked for; a date that has passed is an error.
    """
    slots: dict[str, object] = {}
    errors: dict[SlotName, Problem] = {}
    for slot, words, written, impossible in (
        (SlotName.DATE, answer.date_words, answer.date, Problem.IMPOSSIBLE_DATE),
        (SlotName.TIME, answer.time_words, answer.time, Problem.IMPOSSIBLE_TIME),
        (SlotName.WAY, answer.way_words, answer.way, Problem.WAY_NOT_OFFERED),
    ):
        if written in ("", _NOTHING) or not is_verbatim_quote(words, text):
            continue
        if (value := _value(slot, written)) is None:
            errors[slot] = impossible
        elif isinstance(value, dt.date) and value < today:
            errors[slot] = Problem.PAST
        elif _means(rules(words), slot, value):
            slots[slot.value] = value
    if answer.note and is_verbatim_quote(answer.note, text):
        slots[SlotName.NOTE.value] = valid_note(answer.note)
    return ReadRequest(slots=BookingSlots.model_validate(slots), errors=errors)


def _means(read: Reading, slot: SlotName, value: dt.date | dt.time | Way) -> bool:
    """Return whether words may mean a value; those in which the rules read nothing may: the user confirms it."""
    if len(read.requests) > 1:
        return False
    first = read.first
    if first.slots.given(slot):
        return bool(getattr(first.slots, slot.value) == value)
    if slot is SlotName.DATE and first.days:
        return value in first.days
    if isinstance(value, dt.time) and first.face is not None:
        return value in (first.face, first.face.replace(hour=(first.face.hour + 12) % 24))
    return read.empty


def _value(slot: SlotName, written: str) -> dt.date | dt.time | Way | None:
    try:
        if slot is SlotName.DATE:
            return dt.date.fromisoformat(written)
        if slot is SlotName.TIME:
            return dt.time.fromisoformat(written) if _TIME.fullmatch(written) else None
        return Way(written)
    except ValueError:
        return None
