"""The user's slot values as shown in prompts: labelled, in words and bounded."""

from collections.abc import Sequence

from shared.content.schemas.messages import Messages
from shared.domain.counseling.session import Session
from shared.domain.slots import SlotKind, SlotValue
from shared.engine.prose import excerpt

MOST_KNOWN = 20
"""Maximum values in a prompt: names, and the newest others. A session's templates ask for fewer."""
LONGEST_VALUE = 200
"""Maximum characters of a value; a longer one keeps head and tail."""


def slots_for_prompt(
    session: Session, messages: Messages, only: Sequence[str] | None = None, longest: int = LONGEST_VALUE
) -> dict[str, str]:
    """Return the values by label; a boolean as a spoken yes or no.

    Args:
        session: The session.
        messages: The fixed texts.
        only: Names of the slots to show; by default all.
        longest: Maximum characters of a value.
    """
    slots = {slot.name: slot for task in session.tasks for slot in task.slots}
    told = [name for name in session.user_info if only is None or name in only]
    names = [name for name in told if name in slots and slots[name].kind is SlotKind.NAME]
    others = [name for name in told if name not in names]
    shown = [*names, *others][:MOST_KNOWN] if len(names) >= MOST_KNOWN else [*names, *others[len(names) - MOST_KNOWN :]]
    return {
        (slots[name].label if name in slots else name): excerpt(in_words(session.user_info[name], messages), longest)
        for name in shown
    }


def declined_labels(session: Session) -> tuple[str, ...]:
    slots = {slot.name: slot for task in session.tasks for slot in task.slots}
    return tuple(slots[name].label for name in session.declined_slots if name in slots)


def in_words(value: SlotValue, messages: Messages) -> str:
    """Return a value as spoken text on one line."""
    if isinstance(value, bool):
        return messages.text("said_yes" if value else "said_no")
    return " ".join(str(value).split())
