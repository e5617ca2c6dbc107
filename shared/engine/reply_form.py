"""The form of a reply, held by rule while it streams: spoken sentences, and one question at most."""

from shared.engine.asides import Asides
from shared.engine.mended import Mended
from shared.engine.one_question import OneQuestion
from shared.engine.plain_marks import PlainMarks
from shared.engine.speaker_label import SpeakerLabel


class ReplyForm:
    """Mends the form of one reply.

    Args:
        every: Every question stays.
    """

    def __init__(self, *, every: bool = False) -> None:
        self._label = SpeakerLabel()
        self._asides = Asides()
        self._marks = PlainMarks()
        self._question = OneQuestion(every=every)

    @property
    def mended(self) -> tuple[Mended, ...]:
        """What was mended so far."""
        found = self._marks.mended | ({Mended.MARKS} if self._asides.left_out or self._label.left_out else set())
        found |= {Mended.QUESTION} if self._question.left_out else set()
        return tuple(each for each in Mended if each in found)

    def take(self, text: str) -> str:
        """Add the next piece; return the text that may be shown now."""
        return self._question.take(self._marks.take(self._asides.take(self._label.take(text))))

    def end(self) -> str:
        """Return the rest."""
        labelled = self._asides.take(self._label.end()) + self._asides.end()
        rest = self._marks.take(labelled) + self._marks.end()
        return self._question.take(rest) + self._question.end()
