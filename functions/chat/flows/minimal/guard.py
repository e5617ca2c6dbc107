"""The output guard of a turn: no service speaks without one."""

from shared.content.guard_rules import guard_rules, safe_ending
from shared.domain.conversation import Role, S
from shared.domain.locale import Locale
from shared.domain.safety.guard import OutputGuard
from shared.domain.safety.guard_rules import Category, Situation
from shared.engine.flow import Turn

AGENT = "output_guard"
"""Its name in the turn's record."""


def guard_of(turn: Turn[S], *, noticed: bool) -> OutputGuard:
    """Return the guard of this turn's reply.

    Args:
        turn: The turn.
        noticed: A rule has said in it that it is an AI.
    """
    state = turn.state
    said = [message.text for message in state.recent if message.role is Role.USER]
    situation = Situation(
        register=state.register_ if state.locale is Locale.KO else None,
        noticed=noticed,
        said="\n".join((*said, turn.text)),
    )

    def ending(category: Category) -> str:
        explained = None if noticed and category is Category.HUMAN else category
        return safe_ending(explained, state.locale, state.register_, turn.seq)

    return OutputGuard(guard_rules(), situation, ending)
