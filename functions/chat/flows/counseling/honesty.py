"""That it is an AI: said by rule when the user asks, and every three hours; no model is needed."""

from collections.abc import Callable
from datetime import timedelta

from functions.chat.flows.counseling.progress import Progress
from shared.content.catalogue import Content
from shared.content.crisis_protocol import MINOR
from shared.contracts.events import Replace, StreamEvent, Token
from shared.domain.counseling.session_events import AiNoticeGiven

NOTICE_EVERY = timedelta(hours=3)
"""California SB 243, Business and Professions Code 22602 (c)(2): at least every three hours of a continuing
interaction, and to minors with the reminder to take a break. The greeting is the first notice."""
_BETWEEN = "\n\n"


def notice(progress: Progress, content: Content) -> str:
    """Return what this turn must say about it, or nothing; who asks is answered, and needs no reminder besides."""
    turn, state = progress.turn, progress.state
    asked = content.lexicon.asks_if_human(turn.text)
    due = turn.now - (state.notified_at or state.created_at) >= NOTICE_EVERY
    if not asked and not due:
        return ""
    messages = content.messages(state.locale, state.register_)
    progress.note(AiNoticeGiven())
    said = messages.text("ai_notice" if asked else "ai_reminder")
    return f"{said} {messages.text('break_reminder')}" if due and state.age_band == MINOR else said


def behind(progress: Progress, content: Content, reply: str) -> str:
    """Return a fixed reply with the notice behind it: whoever is in danger is first answered."""
    said = notice(progress, content)
    if not said:
        return reply
    progress.turn.scope.emit(Token(text=_BETWEEN + said))
    return reply + _BETWEEN + said


class Foreword:
    """What a rule says before the model does; it stays when the stream after it is mended.

    Attributes:
        text: The words, or nothing.
    """

    def __init__(self, text: str, emit: Callable[[StreamEvent], None]) -> None:
        self.text = text
        self._emit = emit
        self._alone = True
        if text:
            emit(Token(text=text))

    def before(self, reply: str) -> str:
        """Return the whole reply."""
        return _BETWEEN.join(part for part in (self.text, reply) if part)

    def emit(self, event: StreamEvent) -> None:
        """Pass on what happens to the words behind it."""
        if isinstance(event, Replace):
            self._alone = not event.text
            event = Replace(text=self.before(event.text))
        elif isinstance(event, Token) and self._alone:
            self._alone = False
            event = Token(text=_BETWEEN + event.text) if self.text else event
        self._emit(event)
