"""What the user gave, as prompts show it: by label, in words, and bounded however much was given."""

from shared.content.schemas.messages import Messages
from shared.domain.counseling.session import Session
from shared.domain.slots import SlotKind, SlotValue
from shared.engine.prose import excerpt

MOST_KNOWN = 20
"""Values in a prompt: names, and the newest of the others. A session's templates ask for fewer."""
LONGEST_VALUE = 200
"""Characters of a value in a prompt; of a longer one head and tail stand."""


def slots_for_prompt(session: Session, messages: Messages, longest: int = LONGEST_VALUE) -> dict[str, str]:
    """Return what the user gave, by label; a yes or no in the words that the user would say."""
    slots = {slot.name: slot for task in session.tasks for slot in task.slots}
    names = [name for name in session.user_info if name in slots and slots[name].kind is SlotKind.NAME]
    others = [name for name in session.user_info if name not in names]
    shown = [*names, *others][:MOST_KNOWN] if len(names) >= MOST_KNOWN else [*names, *others[len(names) - MOST_KNOWN :]]
    return {
        (slots[name].label if name in slots else name): excerpt(in_words(session.user_info[name], messages), longest)
        for name in shown
    }


def declined_labels(session: Session) -> tuple[str, ...]:
    """Return the labels of what the user does not want to tell: no values, and nothing to be named."""
    slots = {slot.name: slot for task in session.tasks for slot in task.slots}
    return tuple(slots[name].label for name in session.declined_slots if name in slots)


def in_words(value: SlotValue, messages: Messages) -> str:
    """Return a value as one says it."""
    if isinstance(value, bool):
        return messages.text("said_yes" if value else "said_no")
    return " ".join(str(value).split())
