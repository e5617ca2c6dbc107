"""Fallback closing, made without a model: the values that the user gave, in order."""

from collections.abc import Iterator

from functions.session_manager.closing_words import ClosingWords
from shared.content.catalogue import Content
from shared.content.schemas.messages import Messages
from shared.domain.counseling.session import Session
from shared.domain.slots import SlotValue
from shared.safety.text_rules import TextRules

_STANDS_IN = ("closing_to_follow", "closing_to_follow_without_words")
_FOR_GOOD = ("closing_by_rule", "closing_by_rule_without_words")
"""Messages that open the summary: where the user gave something, and where they gave nothing."""


def summary_by_rule(content: Content, session: Session, limit: int, *, stands_in: bool = False) -> str:
    """Return what the user gave, by label, after a sentence that says who put it together; at most `limit` long.

    One that stands in says that another one follows.

    Words of danger stay in the session's memory for its counsellor; the user is not given them to read.
    """
    messages = content.messages(session.locale, session.register_)
    before = ClosingWords(content).calm(content.text_rules.without_instructions(session.summary_text).text)
    gathered = [*_given(session, messages, content.text_rules), *([before] if before else [])]
    with_words, without = _STANDS_IN if stands_in else _FOR_GOOD
    opening = messages.text(with_words if gathered else without)
    return "\n".join([opening, *gathered])[:limit].rstrip()


def goals_by_rule(content: Content, session: Session) -> tuple[str, ...]:
    """Return the goals kept so far, and the one that the user put into words; a wish to die is none."""
    goals = (*session.goals, ClosingWords(content).own_goal(session))
    return tuple(dict.fromkeys(goal for goal in goals if goal and not _unfit(goal, content.text_rules)))


def _given(session: Session, messages: Messages, rules: TextRules) -> Iterator[str]:
    labels = {slot.name: slot.label for task in session.tasks for slot in task.slots}
    for name, value in session.user_info.items():
        said = _said(value, messages)
        if name in labels and said and not _unfit(said, rules):
            yield f"{labels[name]}: {said}"


def _unfit(text: str, rules: TextRules) -> bool:
    return rules.alarming(text) or rules.instructive(text)


def _said(value: SlotValue, messages: Messages) -> str:
    if isinstance(value, bool):
        return messages.text("said_yes" if value else "said_no")
    return " ".join(str(value).split())
