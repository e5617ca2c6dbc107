"""Typed identifiers."""

from typing import NewType

UserId = NewType("UserId", str)
ConversationId = NewType("ConversationId", str)
MessageId = NewType("MessageId", str)
TaskId = NewType("TaskId", str)
ModuleId = NewType("ModuleId", str)


def as_message_id(uuid: str) -> MessageId:
    """Return a UUID in lower case: RFC 9562, section 4, reads both cases as one."""
    return MessageId(uuid.lower())
