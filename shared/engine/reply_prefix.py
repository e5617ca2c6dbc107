"""Text by a rule that precedes a model's reply in one stream."""

from collections.abc import Callable

from shared.contracts.events import Replace, StreamEvent, Token

BETWEEN = "\n\n"
"""Separates the prefix from the model's reply."""


class ReplyPrefix:
    """A prefix that stays when the reply after it is replaced.

    Attributes:
        text: The prefix; may be empty.
    """

    def __init__(self, text: str, emit: Callable[[StreamEvent], None]) -> None:
        self.text = text
        self._emit = emit
        self._alone = True
        if text:
            emit(Token(text=text))

    def before(self, reply: str) -> str:
        return BETWEEN.join(part for part in (self.text, reply) if part)

    def emit(self, event: StreamEvent) -> None:
        """Forward an event of the reply, so that a replacement keeps the prefix."""
        if isinstance(event, Replace):
            self._alone = not event.text
            event = Replace(text=self.before(event.text))
        elif isinstance(event, Token) and self._alone:
            self._alone = False
            event = Token(text=BETWEEN + event.text) if self.text else event
        self._emit(event)
