"""Readings of the user's state over time, and the changes that their comparison shows."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field

from shared.domain.counseling.user_state import (
    CLEAR_EMOTION,
    STRONG_EMOTION,
    EmotionChange,
    Resistance,
    StateSignal,
    UserState,
)

KEPT_READINGS = 5
"""Readings kept in the session."""
SHARP_CHANGE = 3
"""Change of intensity (0-10) that counts as a sharp rise or fall."""
JUST_BEFORE = 2
"""Readings that a rise must exceed: one calm sentence between two strong ones is not calm."""
SUSTAINED_READINGS = 3
"""Readings in a row, the current one included, from which a strong emotion is sustained."""
PERSISTING_READINGS = 3
"""Readings with resistance, the current one included, from which mild resistance persists."""
PERSISTING_WITHIN = 4
"""Newest readings that are checked for it, the current one included."""


class StateReading(UserState):
    """A reading with its turn, stored without the user's words; one that is `unread` has only what rules read."""

    seq: int = Field(ge=1)
    unread: bool = False

    @classmethod
    def of(cls, state: UserState, seq: int, *, unread: bool = False) -> Self:
        """Convert a reading for storage."""
        kept = {name: getattr(state, name) for name in UserState.model_fields if name != "evidence"}
        return cls(seq=seq, unread=unread, **kept)


def keep(readings: Sequence[StateReading], newest: StateReading) -> tuple[StateReading, ...]:
    """Add a reading in turn order and drop the oldest; each turn has one."""
    others = [one for one in readings if one.seq != newest.seq]
    return tuple(sorted((*others, newest), key=lambda one: one.seq)[-KEPT_READINGS:])


def before(readings: Sequence[StateReading], seq: int) -> tuple[StateReading, ...]:
    """Return the readings of the turns before turn `seq`, oldest first."""
    return tuple(one for one in readings if one.seq < seq)


def compare(now: UserState, earlier: Sequence[UserState]) -> UserState:
    """Return the reading with the changes against the earlier ones, oldest first.

    A change that the numbers show overrides the model's proposal; a proposal that contradicts the numbers is dropped.
    """
    found = _change(now, earlier)
    if found is EmotionChange.NONE and _plausible(now.emotion_change, now, earlier):
        found = now.emotion_change
    persists = now.resistance is not Resistance.NONE and resisting((*earlier, now)) >= PERSISTING_READINGS
    return now.model_copy(update={"emotion_change": found, "resistance_persists": persists})


def appeared(signal: StateSignal, now: UserState, earlier: Sequence[UserState]) -> bool:
    """Tell whether a signal is new: in this reading, but not in the previous one."""
    return signal in now.signals() and not (earlier and signal in earlier[-1].signals())


def newly_named(now: UserState, earlier: Sequence[UserState]) -> bool:
    """Tell whether the user names a clear painful feeling that none of the kept readings has.

    A feeling to which the user comes back after some turns was received already.
    """
    return now.troubled and not any(one.troubled and one.emotion is now.emotion for one in earlier)


def resisting(readings: Sequence[UserState]) -> int:
    """Return how many of the newest `PERSISTING_WITHIN` readings show resistance."""
    return sum(one.resistance is not Resistance.NONE for one in readings[-PERSISTING_WITHIN:])


def _change(now: UserState, earlier: Sequence[UserState]) -> EmotionChange:
    if not earlier:
        return EmotionChange.NONE
    if now.troubled and earlier[-1].pleasant and earlier[-1].intensity >= CLEAR_EMOTION:
        return EmotionChange.TURNED
    if now.distressed and now.intensity - max(_distress(one) for one in earlier[-JUST_BEFORE:]) >= SHARP_CHANGE:
        return EmotionChange.RISE
    run = (*earlier, now)[-SUSTAINED_READINGS:]
    if len(run) == SUSTAINED_READINGS and all(one.distressed for one in run):
        return EmotionChange.SUSTAINED
    return EmotionChange.EASED if _eased(now, earlier[-1]) else EmotionChange.NONE


def _eased(now: UserState, last: UserState) -> bool:
    if now.pleasant and now.intensity >= CLEAR_EMOTION:
        return last.troubled
    named = now.intensity > 0
    return last.distressed and named and _distress(now) <= STRONG_EMOTION - SHARP_CHANGE


def _plausible(proposed: EmotionChange, now: UserState, earlier: Sequence[UserState]) -> bool:
    if not earlier:
        return False
    last = earlier[-1]
    match proposed:
        case EmotionChange.NONE:
            return False
        case EmotionChange.TURNED | EmotionChange.RISE:
            return now.troubled and _distress(now) > _distress(last)
        case EmotionChange.SUSTAINED:
            return now.troubled and last.troubled
        case EmotionChange.EASED:
            return last.troubled and _distress(now) < _distress(last)


def _distress(state: UserState) -> int:
    """Return the intensity of an unpleasant emotion; 0 for a pleasant one."""
    return 0 if state.pleasant else state.intensity
