"""What a session takes along from the one before it."""

from datetime import datetime

from shared.domain.ids import ConversationId
from shared.model import Model


class Carried(Model):
    """The gist of earlier sessions as the profile told it at the opening; it never grows with what is said later.

    Attributes:
        goals: The newest first.
        goals_from: The session of each goal, in the same order; empty in what was carried before it was kept.
        name: What the person likes to be called.
        conversation_id: The session that it was kept at the end of; where that is gone, the newest that a goal is from.
        ended_at: When that session ended; None where it is gone and only goals of others are left.
        in_danger: It ended, not long ago, while a danger to the person's own life was followed through.
    """

    summary: str = ""
    goals: tuple[str, ...] = ()
    goals_from: tuple[ConversationId, ...] = ()
    next_plan: str = ""
    name: str | None = None
    conversation_id: ConversationId
    ended_at: datetime | None = None
    in_danger: bool = False

    def without(self, conversation_id: ConversationId) -> "Carried | None":
        """Return what is left of it when a session was erased; the same object when nothing of it comes from there.

        Name stays, since it is the person's. Goals whose session nobody noted go with the session that told of them.
        """
        last = self.conversation_id == conversation_id
        origins = self.goals_from or (self.conversation_id,) * len(self.goals)
        pairs = tuple(zip(self.goals, origins, strict=True))
        left = tuple(pair for pair in pairs if pair[1] != conversation_id)
        if not last and left == pairs:
            return self
        if last and not left:
            return None
        kept: dict[str, object] = {"goals": tuple(goal for goal, _ in left), "goals_from": tuple(at for _, at in left)}
        if last:
            kept |= {
                "summary": "",
                "next_plan": "",
                "conversation_id": left[0][1],
                "ended_at": None,
                "in_danger": False,
            }
        return self.model_copy(update=kept)
