"""The words of a closing that no model made: what the user gave, in order, and that nobody has put it into words."""

from collections.abc import Iterator

from shared.content.catalogue import Content
from shared.content.crisis_rules import alarming
from shared.content.schemas.messages import Messages
from shared.domain.counseling.session import Session
from shared.domain.slots import SlotValue

GOAL_SLOT = "session_goal"
"""The slot in which every template keeps the user's goal (`shared/content/data/tasks_*.yaml`)."""


def summary_by_rule(content: Content, session: Session, limit: int) -> str:
    """Return what the user gave, by label, behind a sentence that says who put it together; at most `limit` long."""
    messages = content.messages(session.locale, session.register_)
    before = session.summary_text.strip()
    gathered = [*_given(session, messages), *([before] if before else [])]
    opening = messages.text("closing_by_rule" if gathered else "closing_by_rule_without_words")
    return "\n".join([opening, *gathered])[:limit].rstrip()


def goals_by_rule(session: Session) -> tuple[str, ...]:
    """Return the goals kept so far, and the one that the user put into words; a wish to die is none."""
    voiced = session.user_info.get(GOAL_SLOT)
    own = (" ".join(voiced.split()),) if isinstance(voiced, str) else ()
    return tuple(dict.fromkeys(goal for goal in (*session.goals, *own) if goal and not alarming(goal)))


def _given(session: Session, messages: Messages) -> Iterator[str]:
    labels = {slot.name: slot.label for task in session.tasks for slot in task.slots}
    for name, value in session.user_info.items():
        said = _said(value, messages)
        no_goal = name == GOAL_SLOT and alarming(said)
        if name in labels and said and not no_goal:
            yield f"{labels[name]}: {said}"


def _said(value: SlotValue, messages: Messages) -> str:
    if isinstance(value, bool):
        return messages.text("said_yes" if value else "said_no")
    return " ".join(str(value).split())
