"""What a speaker must not say: the guard over a reply, and its reading of one stream."""

from typing import Protocol

from shared.safety.output_guard.guard import Guarded


class ReplyWatch(Protocol):
    """Reads one stream, and holds back what may have to be unsaid."""

    @property
    def caught(self) -> bool:
        """Whether the rest of the stream is of no use."""
        ...

    def take(self, text: str) -> str:
        """Take the next piece; return what may be shown now."""
        ...


class Guard(Protocol):
    """What a service forbids its speaker to say."""

    def watch(self) -> ReplyWatch:
        """Return a reading of a new stream."""
        ...

    def over(self, text: str) -> Guarded:
        """Return a whole reply as it may stand; it begins with whatever a watch let out of it."""
        ...


class _Unguarded:
    """Lets everything out at once."""

    caught = False

    def watch(self) -> ReplyWatch:
        return self

    def take(self, text: str) -> str:
        return text

    def over(self, text: str) -> Guarded:
        return Guarded(text=text)


UNGUARDED: Guard = _Unguarded()
