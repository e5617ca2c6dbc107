"""The message of a turn, read once."""

import re
from functools import cached_property

from functions.chat.legacy.voice import told_by_answer
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.domain.slots import SlotKind
from shared.engine.flow import Turn
from shared.lexicon.words import Words
from shared.safety.demands import Demand
from shared.safety.help_seeking import Circumstance
from shared.safety.protocol_questions import ToldByAnswer, Topic
from shared.safety.screening import ScreenedMessage

_QUESTION = re.compile(r"[^.!?…\n]+\?")
_COMPANY = {ToldByAnswer.ALONE: Circumstance.ALONE, ToldByAnswer.WITH_SOMEBODY: Circumstance.WITH_SOMEBODY}
_NEAR = frozenset({Circumstance.ALONE, Circumstance.WITH_FAMILY, Circumstance.CONTACT})


class UserMessage:
    """What the user sent, and what rules read in it; a step that needs the user's words takes it.

    Attributes:
        text: As written.
        screened: The safety findings.
        answers: Whether it was sent after the newest reply, so that it can be an answer to it.
        declines: The slot that the user declines to fill, by the client's button.
    """

    def __init__(self, turn: Turn[Session], content: Content) -> None:
        self.text = turn.text
        # One that was not screened at the edge is screened here.
        self.screened: ScreenedMessage = turn.screened or content.screening.screen(turn.text)
        self.answers = turn.answers
        self.declines = turn.declines
        self._before = turn.state
        self._content = content
        self._session_words = content.session_words
        self._help_seeking = content.help_seeking

    @cached_property
    def words(self) -> Words:
        """What the word lists find."""
        return self._content.lexicon.read(self.text)

    @cached_property
    def answers_if_urgent(self) -> bool:
        """Whether it follows a failed reply, which asks whether the user needs help at once."""
        newest = self._before.recent[-1] if self._before.recent else None
        if newest is None or newest.role is not Role.COUNSELOR:
            return False
        return self.answers and self._content.crisis_replies.asks_if_urgent(newest.text)

    @cached_property
    def wants_more(self) -> bool:
        """Whether the user wants to go on talking here and now, or not to end."""
        return self._session_words.wants_more(self.text)

    @cached_property
    def circumstances(self) -> tuple[Circumstance, ...]:
        """What the user tells of their situation, such as being in treatment, or alone."""
        heard = self._help_seeking.circumstances(self.screened.readings)
        if self.told_by_answer in _COMPANY and _NEAR.isdisjoint(heard):
            heard = (*heard, _COMPANY[self.told_by_answer])
        return (*heard, Circumstance.UNSAFE_HOME) if self.screened.abuse.unsafe_home else heard

    @cached_property
    def told_by_answer(self) -> ToldByAnswer | None:
        """What a yes or no to the closed question of the newest reply tells."""
        return told_by_answer(self.screened, self._before, self._content) if self.answers else None

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """What the user asks of the AI that it is not or cannot do."""
        return self._content.demands.heard(self.screened.readings)

    @cached_property
    def told(self) -> tuple[Topic, ...]:
        """What the message tells that a question about danger would ask."""
        return self._help_seeking.told(self.screened.readings)

    @cached_property
    def skips(self) -> bool:
        """Whether the user declines to answer and says nothing else."""
        return self._session_words.declines(self.text, SlotKind.TEXT)

    @cached_property
    def refuses(self) -> bool:
        """Whether the user declines to answer, whatever else they say."""
        return self._session_words.refuses(self.text, SlotKind.TEXT)

    @cached_property
    def corrects(self) -> bool:
        """Whether the user says that the counsellor misread them."""
        return self._session_words.says_misread(self.text)

    @cached_property
    def denies_wish_to_die(self) -> bool:
        """Whether the user says that no wish to die was meant, and nothing else."""
        return self._session_words.denies_wish_to_die(self.text)

    @cached_property
    def speaks_of_a_work(self) -> bool:
        """Whether the user says that their words were about a game, a film or a song."""
        return self._session_words.says_of_a_work(self.text)
