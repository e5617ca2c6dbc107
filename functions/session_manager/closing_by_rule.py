"""Fallback closing without a model, built from slot values."""

from collections.abc import Iterator

from functions.session_manager.closing_words import ClosingWords
from functions.session_manager.provenance import still_in, with_source
from shared.content.catalogue import Content
from shared.content.schemas.messages import Messages
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import SourcedText
from shared.domain.slots import SlotValue
from shared.safety.text_rules import TextRules

_STANDS_IN = ("closing_to_follow", "closing_to_follow_without_words")
_FOR_GOOD = ("closing_by_rule", "closing_by_rule_without_words")
"""Opening messages of the summary: with and without values from the user."""


def summary_by_rule(content: Content, session: Session, limit: int, *, stands_in: bool = False) -> str:
    """Return the user's values by label after an opening sentence, at most `limit` characters.

    A stand-in says that another summary follows. Alarming words are left out, so that the user does not read them.
    """
    messages = content.messages(session.locale, session.register_)
    before = ClosingWords(content).calm(content.text_rules.without_instructions(session.summary_text).text)
    given = (line for _, line in _given(session, messages, content.text_rules))
    gathered = [*given, *([before] if before else [])]
    with_words, without = _STANDS_IN if stands_in else _FOR_GOOD
    opening = messages.text(with_words if gathered else without)
    return "\n".join([opening, *gathered])[:limit].rstrip()


def sources_by_rule(content: Content, session: Session, summary: str) -> tuple[SourcedText, ...]:
    """Return the lines and sentences of a summary by rule with the user's words for them."""
    messages = content.messages(session.locale, session.register_)
    values = (
        with_source(line, session.info_sources[name])
        for name, line in _given(session, messages, content.text_rules)
        if name in session.info_sources
    )
    return still_in(summary, (*values, *session.summary_sources))


def goals_by_rule(content: Content, session: Session) -> tuple[str, ...]:
    """Return the session's goals and the user's stated goal, without alarming and instructive ones."""
    goals = (*session.goals, ClosingWords(content).own_goal(session))
    return tuple(dict.fromkeys(goal for goal in goals if goal and not _unfit(goal, content.text_rules)))


def _given(session: Session, messages: Messages, rules: TextRules) -> Iterator[tuple[str, str]]:
    """Yield the slots that may be shown, each with its line."""
    slots = (slot for task in session.tasks for slot in task.slots)
    labels = {slot.name: slot.label for slot in slots if not slot.agrees}
    for name, value in session.user_info.items():
        said = _said(value, messages)
        if name in labels and said and not _unfit(said, rules):
            yield name, f"{labels[name]}: {said}"


def _unfit(text: str, rules: TextRules) -> bool:
    return rules.alarming(text) or rules.instructive(text)


def _said(value: SlotValue, messages: Messages) -> str:
    if isinstance(value, bool):
        return messages.text("said_yes" if value else "said_no")
    return " ".join(str(value).split())
