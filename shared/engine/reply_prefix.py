"""What a rule says before a model does, in one stream."""

from collections.abc import Callable

from shared.contracts.events import Replace, StreamEvent, Token

BETWEEN = "\n\n"
"""Stands between a rule's words and a model's."""


class ReplyPrefix:
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
        return BETWEEN.join(part for part in (self.text, reply) if part)

    def emit(self, event: StreamEvent) -> None:
        """Pass on what happens to the words behind it."""
        if isinstance(event, Replace):
            self._alone = not event.text
            event = Replace(text=self.before(event.text))
        elif isinstance(event, Token) and self._alone:
            self._alone = False
            event = Token(text=BETWEEN + event.text) if self.text else event
        self._emit(event)
