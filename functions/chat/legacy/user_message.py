"""The message of a turn, read once."""

import re
from collections.abc import Iterator
from functools import cached_property

from functions.chat.legacy.voice import told_by_answer, voice_of
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.circular import Utterance, circles
from shared.domain.counseling.session import Session
from shared.domain.slots import SlotKind
from shared.engine.flow import Turn
from shared.lexicon.lexicon import Lexicon
from shared.lexicon.words import Words
from shared.safety.demands import Demand
from shared.safety.help_seeking import Circumstance
from shared.safety.levels import CrisisOutcome
from shared.safety.protocol_questions import ToldByAnswer, Topic
from shared.safety.screening import ScreenedMessage

_QUESTION = re.compile(r"[^.!?…\n]+\?")
_COMPANY = {
    ToldByAnswer.ALONE: Circumstance.ALONE,
    ToldByAnswer.WITH_SOMEBODY: Circumstance.WITH_SOMEBODY,
}
_NEAR = frozenset({Circumstance.ALONE, Circumstance.WITH_FAMILY, Circumstance.CONTACT})
MOST_HELD = 2
"""Messages in a row for which words of pain hold back what would be asked."""


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
    def repeats(self) -> bool:
        """Whether it repeats the user's earlier messages."""
        return said_in_circles(self.words, self._before, self._content)

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

    @cached_property
    def tells_hard_fact(self) -> bool:
        """Whether the user tells of a loss, a violence or another hard thing that happened in their life."""
        told = self.screened.abuse.outcome is CrisisOutcome.ABUSE_TOLD
        return told or self._session_words.tells_hard_fact(self.text)

    @cached_property
    def tells_pain_anew(self) -> bool:
        """Whether the user tells pain in words that the message before lacks, and not for some messages already."""
        said = [one.text for one in self._before.recent if one.role is Role.USER][-MOST_HELD:]
        earlier = [self._pain(self._content.lexicon.read(text), text) for text in said]
        known = earlier[-1] if earlier else frozenset()
        return bool(self._pain(self.words, self.text) - known) and not (len(earlier) == MOST_HELD and all(earlier))

    def _pain(self, words: Words, text: str) -> frozenset[str]:
        return words.painful_words | self._session_words.hard_words(text)

    @cached_property
    def opens_up(self) -> bool:
        """Whether the user tells what they hold back or never said."""
        return self._session_words.opens_up(self.text)

    @cached_property
    def says_wrong(self) -> bool:
        """Whether it says no to the question whether the counsellor heard the user right."""
        return self._session_words.says_wrong(self.text)

    @cached_property
    def wishes_to_stop(self) -> bool:
        """Whether the user wishes to stop without saying what; a request to end the session names it."""
        return self._session_words.wishes_to_stop(self.text)

    @cached_property
    def names_the_end(self) -> bool:
        """Whether an answer to the choice between staying and ending names the end, and not only a yes."""
        return self.words.asks_to_end or self._session_words.picks_the_end(self.text)

    @cached_property
    def leaves_now(self) -> bool:
        """Whether the user asks to end now, and not only to move on to the closing."""
        return self.words.asks_to_end and self._session_words.leaves_now(self.text)

    @cached_property
    def corrects_value(self) -> bool:
        """Whether the user corrects something that they told before."""
        return bool(self._session_words.corrections(self.text))

    @cached_property
    def wants_to_stay(self) -> bool:
        """Whether the user asks not to end, or to stay a little longer."""
        return self._session_words.wants_to_stay(self.text)


def said_in_circles(words: Words, state: Session, content: Content) -> bool:
    """Return whether the newest message repeats the user's earlier messages.

    Earlier messages that the user was asked to send again are ignored.
    """
    lexicon = content.lexicon
    unread = (text.partition("\n")[0] for text in content.crisis_replies.unread(voice_of(state)))
    degraded = (*content.messages(state.locale, state.register_).variants("degraded_reply"), *unread)
    asked = "" if not state.recent or state.recent[-1].role is Role.USER else state.recent[-1].text
    newest = Utterance(
        words=words.content_words,
        question=_question(asked, lexicon),
        answers_again=_asked_again(state),
    )
    return circles(newest, list(_earlier(state, lexicon, degraded)))


def _asked_again(state: Session) -> bool:
    slot = next((slot for task in state.tasks for slot in task.slots if slot.name == state.last_asked), None)
    return slot is not None and slot.kind is SlotKind.TEXT and state.asked.get(slot.name, 0) > 1


def _earlier(state: Session, lexicon: Lexicon, degraded: tuple[str, ...]) -> Iterator[Utterance]:
    asked, recent = "", state.recent
    for place, message in enumerate(recent):
        if message.role is not Role.USER:
            asked = message.text
            continue
        reply = recent[place + 1].text if place + 1 < len(recent) else ""
        if not reply.startswith(degraded) and message.seq != state.repeat_asked_seq:
            yield Utterance(words=lexicon.read(message.text).content_words, question=_question(asked, lexicon))


def _question(reply: str, lexicon: Lexicon) -> frozenset[str]:
    questions = _QUESTION.findall(reply)
    return lexicon.read(questions[-1]).content_words if questions else frozenset()
