"""The output guard of a speaker: checks a reply as it streams and as a whole."""

from typing import Protocol

from shared.safety.output_guard.guard import Guarded


class ReplyWatch(Protocol):
    """Checks one stream and holds back text that may have to be replaced."""

    @property
    def caught(self) -> bool: ...

    def take(self, text: str) -> str:
        """Add the next piece; return the text that may be shown now."""
        ...


class Guard(Protocol):
    """A service's rules for its speaker's replies."""

    def watch(self) -> ReplyWatch:
        """Return a watch for a new stream."""
        ...

    def over(self, text: str) -> Guarded:
        """Return a checked whole reply; it begins with the text that a watch released."""
        ...


class _Unguarded:
    """Allows everything."""

    caught = False

    def watch(self) -> ReplyWatch:
        return self

    def take(self, text: str) -> str:
        return text

    def over(self, text: str) -> Guarded:
        return Guarded(text=text)


UNGUARDED: Guard = _Unguarded()
