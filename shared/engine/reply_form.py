"""The form of a reply, held by rule while it streams: spoken sentences, and one question at most."""

import re

from shared.engine.asides import Asides
from shared.engine.mended import Mended
from shared.engine.one_question import OneQuestion
from shared.engine.plain_marks import PlainMarks

_LABELS = (
    *("cbot", "counselor", "counsellor", "assistant", "reply", "response", "answer", "final answer"),
    *("상담사", "상담자", "답변", "응답", "최종 답변"),
)
_COLON = re.compile("[:：]")
_MARKS = " \n*_#[]"


class SpeakerLabel:
    """Reads one reply.

    Attributes:
        left_out: A label was removed.
    """

    def __init__(self) -> None:
        self.left_out = False
        self._held = ""
        self._begun = False  # the words of the reply have begun

    def take(self, text: str) -> str:
        """Return the text that may be shown now."""
        if self._begun:
            return text
        self._held += text
        if not self.left_out:
            before, *behind = _COLON.split(self._held, maxsplit=1)
            begun = before.strip(_MARKS).casefold()
            if not behind and any(label.startswith(begun) for label in _LABELS):
                return ""
            if behind and begun in _LABELS:
                self._held, self.left_out = behind[0], True
        if self.left_out:
            self._held = self._held.lstrip(_MARKS)
        return self.end() if self._held else ""

    def end(self) -> str:
        """Return the rest."""
        rest, self._held, self._begun = self._held, "", True
        return rest


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
