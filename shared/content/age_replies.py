"""Fixed replies to users under 14. The rules that find a stated age are in shared/safety/rules."""

from collections.abc import Iterable

from shared.content.crisis_protocol import CrisisReplies, Voice
from shared.content.schemas.crisis import RESOURCE_SLOT, CrisisText, Variants
from shared.content.wordings import Pick
from shared.model import Model
from shared.safety.needs import Need


class AgeReplies(Model):
    """The file.

    Attributes:
        replies: Outside a follow-through.
        behind: Follows a crisis reply.
    """

    replies: Variants
    behind: CrisisText


class Under14Replies:
    """The fixed replies, in every voice.

    Attributes:
        written: The replies as written.
    """

    def __init__(self, written: AgeReplies, crisis: CrisisReplies) -> None:
        self.written = written
        self._crisis = crisis

    def reply(self, voice: Voice, pick: Pick, needs: Iterable[Need], *, first: bool = False) -> str:
        """Return the reply outside a follow-through, with the help lines for `needs`.

        `first` is the turn in which the user states the age: only its text thanks them for that.
        """
        every = self.every_wording(voice)
        return pick(every[:1] if first else every[1:]).replace(RESOURCE_SLOT, self._crisis.resource_lines(voice, needs))

    def every_wording(self, voice: Voice) -> tuple[str, ...]:
        """Return the wordings of the reply, that for the turn of the stated age first."""
        every: tuple[str, ...] = dict(self.written.replies)[voice.key]
        return every

    def addition(self, voice: Voice) -> str:
        """Return the text that follows a crisis reply."""
        said: str = dict(self.written.behind)[voice.key]
        return said
