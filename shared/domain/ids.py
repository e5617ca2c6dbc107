"""Typed identifiers."""

from typing import NewType

UserId = NewType("UserId", str)
ConversationId = NewType("ConversationId", str)
MessageId = NewType("MessageId", str)
TaskId = NewType("TaskId", str)
ModuleId = NewType("ModuleId", str)
