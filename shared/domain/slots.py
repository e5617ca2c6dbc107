"""Slots and the gate: code decides from the user's answers whether a task is complete, not a model."""

import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias, assert_never

from pydantic import Field

from shared.model import Model

SlotValue: TypeAlias = str | int | bool
"""A given value. A missing key means "not given"; `0`, `False` and `""` are values."""

MAX_TEXT = 500

_NAME = re.compile(r"^[^\W\d_](?:[^\W_]|[ .'’-]){0,29}$")
_YES = re.compile(
    r"^(네|예|응|어|있어요?|있습니다|있었어요|해 ?봤어요?|맞아요|yes|yeah|yep|true|i have)\b", re.IGNORECASE
)
_NO = re.compile(
    r"^(아니|아뇨|아녜|없(?!지는|진)|안 ?해|처음(?!에|부터)|no\b|nope|none|false|never|not really|i haven|first time)",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"^(?:(?:네|예|응|어|yes|yeah)[\s,.…!~]*)?(?:괜찮(?!지)|좋(?!지 ?않)|그래(?!도|서)|그렇게|그럴게|그러죠|알겠|알았"
    r"|상관 ?없|ok\b|okay|sure|fine|all right|alright|sounds (?:good|fine|right)"
    r"|that'?s (?:fine|ok|okay|good|all right))",
    re.IGNORECASE,
)
"""A yes to a proposal ("괜찮아요", "그래요")."""
_POLITE = re.compile(r"^(네|예|응|어|yes)[\s,.…!~]+", re.IGNORECASE)
"""A yes that only opens the answer ("네, 처음이에요")."""
_NONE = re.compile(
    r"^(음+[,. ]*)?(딱히 ?|별로 ?|아무도 ?|아무것도 ?|전혀 ?|특별히 ?)*"
    r"(없어요?|없습니다|없는데요?|없네요|없음|none|nobody|no one|nothing)(?![\w])",
    re.IGNORECASE,
)


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


def means_none(text: str) -> bool:
    """Tell whether the text says "none", which is an answer ("없어요")."""
    return bool(_NONE.match(text.strip()))


def validate(slot: Slot, raw: SlotValue) -> SlotValue | Invalid:
    """Convert a raw value to the slot's type.

    Args:
        slot: The slot.
        raw: From the user or extracted by a model.

    Returns:
        The typed value, or `Invalid` with the slot's error text.
    """
    value: SlotValue | None
    match slot.kind:
        case SlotKind.TEXT:
            value = _text(raw)
        case SlotKind.NAME:
            value = _name(raw)
        case SlotKind.BOOLEAN:
            value = _boolean(slot, raw)
        case SlotKind.INTEGER:
            value = _integer(slot, raw)
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


def _name(raw: SlotValue) -> str | None:
    if not isinstance(raw, str):
        return None
    name = " ".join(raw.split())
    return name if _NAME.match(name) and not means_none(name) else None


def _boolean(slot: Slot, raw: SlotValue) -> bool | None:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, int):
        return bool(raw) if raw in (0, 1) else None
    text = raw.strip()
    answer = _POLITE.sub("", text)
    if _NO.match(answer) or means_none(answer):
        return False
    return True if _YES.match(text) or (slot.agrees and _AGREES.match(text)) else None


def _integer(slot: Slot, raw: SlotValue) -> int | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, str):
        digits = re.fullmatch(r"\s*(-?\d{1,9})\s*\D{0,6}\s*", raw)
        if not digits:
            return 0 if means_none(raw) and (slot.minimum is None or slot.minimum <= 0) else None
        raw = int(digits.group(1))
    low_enough = slot.maximum is None or raw <= slot.maximum
    high_enough = slot.minimum is None or raw >= slot.minimum
    return raw if low_enough and high_enough else None


def _choice(slot: Slot, raw: SlotValue) -> str | None:
    text = str(raw).strip().casefold()
    return next((choice for choice in slot.choices if choice.casefold() == text), None)
