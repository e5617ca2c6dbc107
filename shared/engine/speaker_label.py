"""Removes the label of the speaker ("상담사:", "CBot:", "Answer:") before a reply while it streams."""

import re

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
