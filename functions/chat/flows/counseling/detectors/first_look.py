"""The words in which the analyst says first what stands out in a message; all else in its answer is detail."""

from collections.abc import Collection, Iterable

from pydantic import ValidationError

from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from shared.domain.counseling.user_state import CLEAR_EMOTION, STRONG_EMOTION, EmotionChange, EmotionLabel, Resistance
from shared.engine.partial_json import so_far
from shared.model import Model

DANGERS = ("imminent", "crisis", "concern")
"""Levels of danger to the user's life, the greatest first."""
VIOLENCE = {f"violence_{when}": when for when in ("now", "ongoing", "past")}
"""Times of violence against the user by the word for them, the nearest first."""
BY_FAMILY = "by_family"
DENIES_DANGER = "denies_danger"
COMPLETE = "complete"
VALUE = "value:"
"""Precedes the name of a slot whose value the user gave."""
RESISTANCE = {f"{each.value}_resistance": each for each in (Resistance.STRONG, Resistance.MILD)}
TOPIC_CHANGED, CIRCULAR = "topic_changed", "circular"
CHANGES = {each.value: each for each in EmotionChange if each is not EmotionChange.NONE}
EMOTIONS = {each.value: each for each in EmotionLabel if each is not EmotionLabel.NEUTRAL}
STRENGTHS = {"strong_feeling": range(STRONG_EMOTION, 11), "clear_feeling": range(CLEAR_EMOTION, STRONG_EMOTION)}
"""Intensities by the word for them, the strongest first."""
WEAK = range(1, CLEAR_EMOTION)
MOST_IN_LOOK = 16
"""Words of a look: one of each kind, and the names of a few slots."""
PRESSING = (*DANGERS, *VIOLENCE, BY_FAMILY)
"""What a look that is too long keeps."""
WORDS = (*PRESSING, DENIES_DANGER, COMPLETE, *RESISTANCE, TOPIC_CHANGED, CIRCULAR, *CHANGES, *EMOTIONS, *STRENGTHS)
"""Every word but the names of slots."""


def first(words: Iterable[str], look: tuple[str, ...]) -> str | None:
    return next((word for word in words if word in look), None)


def intensity(look: tuple[str, ...], stated: int | None) -> int:
    """Return the intensity of the feeling: the stated one as far as it fits the word for it."""
    if first(EMOTIONS, look) is None:
        return 0
    band = STRENGTHS.get(first(STRENGTHS, look) or "", WEAK)
    middle = band[len(band) // 2]
    return middle if stated is None else min(max(stated, band[0]), band[-1])


class FirstLook(Model):
    """What the beginning of an analysis says: what stands out, and the values that the user gave."""

    look: tuple[str, ...]
    slots: tuple[SlotFound, ...] = ()

    def named_slots(self) -> tuple[str, ...]:
        """Return the names of the slots whose value the user gave."""
        return tuple(word.removeprefix(VALUE) for word in self.look if word.startswith(VALUE))

    @property
    def in_danger(self) -> bool:
        return first(PRESSING, self.look) is not None


def look_in(text: str, *, by_name: Collection[str]) -> FirstLook | None:
    """Return the first look from the beginning of an analysis; None before it is whole.

    It ends with its list; if that names other slots than `by_name`, with the list of values, which the next field ends.

    Args:
        text: What has arrived.
        by_name: Slots of which it is enough to know that there is a value; of others the value decides what follows.
    """
    if "]" not in text:
        return None
    fields = so_far(text)
    words = fields.get("look")
    if not isinstance(words, list):
        return None
    look = FirstLook(look=tuple(map(str, words)))
    if set(look.named_slots()) <= set(by_name):
        return look
    if len(fields) <= len(FirstLook.model_fields):
        return None
    try:
        return FirstLook.model_validate({"look": look.look, "slots": fields.get("slots")})
    except ValidationError:
        return look
