"""The message of a turn, read once."""

from functools import cached_property

from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.engine.flow import Turn
from shared.lexicon.words import Words
from shared.safety.screening import ScreenedMessage


class UserMessage:
    """What the user sent, and what rules read in it; a step that needs the user's words takes it.

    Attributes:
        text: As written.
        screened: The safety findings.
        words: What the word lists find.
        answers: Whether it was sent after the newest reply, so that it can be an answer to it.
        declines: The slot that the user declines to fill, by the client's button.
    """

    def __init__(self, turn: Turn[Session], content: Content) -> None:
        self.text = turn.text
        # One that was not screened at the edge is screened here.
        self.screened: ScreenedMessage = turn.screened or content.screening.screen(turn.text)
        self.words: Words = content.lexicon.read(turn.text)
        self.answers = turn.answers
        self.declines = turn.declines
        self._session_words = content.session_words

    @cached_property
    def wants_more(self) -> bool:
        """Whether the user wants to go on talking here and now, or not to end."""
        return self._session_words.wants_more(self.text)

    @cached_property
    def wants_to_stay(self) -> bool:
        """Whether the user asks not to end, or to stay a little longer."""
        return self._session_words.wants_to_stay(self.text)
