"""What is said to a user under 14. How users state their age: shared/safety/rules."""

from collections.abc import Iterable

from shared.content.crisis_protocol import CrisisReplies, Voice
from shared.content.schemas.age_replies import AgeReplies
from shared.content.schemas.crisis import RESOURCE_SLOT
from shared.safety.needs import Need


class Under14Replies:
    """The fixed replies, in every voice.

    Attributes:
        written: The replies as written.
    """

    def __init__(self, written: AgeReplies, crisis: CrisisReplies) -> None:
        """Take the replies, and where the help lines come from."""
        self.written = written
        self._crisis = crisis

    def reply(self, voice: Voice, variant: int, needs: Iterable[Need], *, first: bool = False) -> str:
        """Return what is said where nothing is being followed through.

        Args:
            voice: How this conversation speaks.
            variant: A counter; two neighbours never give the same text.
            needs: What all findings call for.
            first: They have just told their age: the first text thanks them for it, and no other.
        """
        every: tuple[str, ...] = dict(self.written.replies)[voice.key]
        texts = every[:1] if first else every[1:]
        return texts[variant % len(texts)].replace(RESOURCE_SLOT, self._crisis.resource_lines(voice, needs))

    def addition(self, voice: Voice) -> str:
        """Return what follows the words that a crisis calls for."""
        said: str = dict(self.written.behind)[voice.key]
        return said
