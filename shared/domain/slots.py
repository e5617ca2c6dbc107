"""Slots and the gate: code decides from the user's answers whether a task is complete, not a model."""

import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Protocol, TypeAlias, assert_never

from pydantic import Field

from shared.model import Model

SlotValue: TypeAlias = str | int | bool
"""A given value. A missing key means "not given"; `0`, `False` and `""` are values."""

MAX_TEXT = 500

_NAME = re.compile(r"^[^\W\d_](?:[^\W_]|[ .'’-]){0,29}$")


class AnswerWords(Protocol):
    """What a user's words answer to a question; the words stand in `shared/content/data/session_words.yaml`."""

    def says_yes(self, text: str, *, proposed: bool = False) -> bool:
        """Tell whether an answer begins with a yes; "괜찮아요" is one only to a proposal."""

    def says_no(self, text: str) -> bool:
        """Tell whether an answer begins with a no, also after a polite yes ("네, 처음이에요")."""

    def says_none(self, text: str) -> bool:
        """Tell whether the text says "none", which is an answer ("없어요")."""


class SlotKind(StrEnum):
    TEXT = "text"
    """Free text in the user's words."""
    NAME = "name"
    """What the user wants to be called."""
    BOOLEAN = "boolean"
    INTEGER = "integer"
    CHOICE = "choice"


class Slot(Model):
    """Something to learn from the user.

    Attributes:
        label: Its name in the session's language.
        questions: Wordings, gentlest first. Each is used once; then the slot is no longer asked for.
        error: Text for the user if a value is invalid.
        none_is_answer: "없어요" is a valid value of free text; for a wish it is not.
        agrees: A boolean that answers a proposal: "괜찮아요" and "그래요" are a yes, too.
        minimum, maximum: Bounds of an integer, both included.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    kind: SlotKind = SlotKind.TEXT
    label: str
    questions: tuple[str, ...] = Field(min_length=1)
    error: str
    choices: tuple[str, ...] = ()
    none_is_answer: bool = True
    agrees: bool = False
    minimum: int | None = None
    maximum: int | None = None

    def question(self, asked_before: int) -> str | None:
        """Return the wording of the n-th question (0 = first), or None after the last."""
        return self.questions[asked_before] if asked_before < len(self.questions) else None


class Invalid(Model):
    """An invalid value, with the text for the user."""

    slot: str
    reason: str


def validate(slot: Slot, raw: SlotValue, words: AnswerWords) -> SlotValue | Invalid:
    """Convert a raw value to the slot's type.

    Args:
        slot: The slot.
        raw: From the user or extracted by a model.
        words: Read a yes, a no and "none".

    Returns:
        The typed value, or `Invalid` with the slot's error text.
    """
    value: SlotValue | None
    match slot.kind:
        case SlotKind.TEXT:
            value = _text(raw)
        case SlotKind.NAME:
            value = _name(raw, words)
        case SlotKind.BOOLEAN:
            value = _boolean(slot, raw, words)
        case SlotKind.INTEGER:
            value = _integer(slot, raw, words)
        case SlotKind.CHOICE:
            value = _choice(slot, raw)
        case _:
            assert_never(slot.kind)
    return Invalid(slot=slot.name, reason=slot.error) if value is None else value


def missing(
    required: Sequence[Slot], values: Mapping[str, SlotValue], declined: Collection[str] = ()
) -> tuple[Slot, ...]:
    """Return the required slots that are neither given nor declined."""
    return tuple(slot for slot in required if slot.name not in values and slot.name not in declined)


def gate_open(required: Sequence[Slot], values: Mapping[str, SlotValue], declined: Collection[str] = ()) -> bool:
    """Tell whether every required slot is given or declined; False without required slots."""
    return bool(required) and not missing(required, values, declined)


def _text(raw: SlotValue) -> str | None:
    if isinstance(raw, str):
        text = " ".join(raw.split())
        return text[:MAX_TEXT] if text else None
    return str(raw)


def _name(raw: SlotValue, words: AnswerWords) -> str | None:
    if not isinstance(raw, str):
        return None
    name = " ".join(raw.split())
    return name if _NAME.match(name) and not words.says_none(name) else None


def _boolean(slot: Slot, raw: SlotValue, words: AnswerWords) -> bool | None:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, int):
        return bool(raw) if raw in (0, 1) else None
    if words.says_no(raw):
        return False
    return True if words.says_yes(raw, proposed=slot.agrees) else None


def _integer(slot: Slot, raw: SlotValue, words: AnswerWords) -> int | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, str):
        digits = re.fullmatch(r"\s*(-?\d{1,9})\s*\D{0,6}\s*", raw)
        if not digits:
            return 0 if words.says_none(raw) and (slot.minimum is None or slot.minimum <= 0) else None
        raw = int(digits.group(1))
    low_enough = slot.maximum is None or raw <= slot.maximum
    high_enough = slot.minimum is None or raw >= slot.minimum
    return raw if low_enough and high_enough else None


def _choice(slot: Slot, raw: SlotValue) -> str | None:
    text = str(raw).strip().casefold()
    return next((choice for choice in slot.choices if choice.casefold() == text), None)
