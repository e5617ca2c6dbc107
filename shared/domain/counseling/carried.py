"""What a session takes along from the one before it."""

from datetime import datetime

from shared.domain.ids import ConversationId
from shared.domain.model import Model


class Carried(Model):
    """The gist of earlier sessions as the profile told it at the opening; it never grows with what is said later.

    Attributes:
        goals: The newest first.
        name: What the person likes to be called.
        conversation_id: The session that it was kept at the end of; where that is gone, the newest that a goal is from.
        ended_at: When that session ended; None where it is gone and only goals of others are left.
    """

    summary: str = ""
    goals: tuple[str, ...] = ()
    next_plan: str = ""
    name: str | None = None
    conversation_id: ConversationId
    ended_at: datetime | None = None
