"""What a session takes over from earlier sessions."""

from datetime import datetime

from shared.domain.ids import ConversationId
from shared.model import Model


class Carried(Model):
    """The gist of earlier sessions, copied from the profile at the opening; it does not change later.

    Attributes:
        goals: Newest first.
        goals_from: The session of each goal, in the same order; empty in older documents.
        name: What the user likes to be called.
        conversation_id: The session it comes from; if that was erased, the session of the newest goal.
        ended_at: When that session ended; None if it was erased.
        in_danger: That session ended recently, during a follow-up of a danger to the user's own life.
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
        """Return it without what an erased session told; the same object if nothing came from there.

        The name stays, since it is the user's. Goals without a recorded session go with the last session.
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
