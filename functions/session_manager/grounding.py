"""Checks that a text for the user names no number, name or person that they did not name."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from functions.session_manager.closing_words import GOAL_LENGTH, GOAL_SLOT
from functions.session_manager.facts import sentences
from functions.session_manager.figures import unfounded, values
from functions.session_manager.provenance import SpokenTurns, with_source
from functions.session_manager.summary_validation import has_unknown_name
from shared.content.catalogue import Content
from shared.content.schemas.people_words import PeopleWords
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import SourcedText
from shared.services.counseling.evidence import plain

_SAYS_NOTHING = (
    "오늘 이야기를 나누며 마음을 말로 들려주셨어요. 꺼내 주신 이야기를 함께한 시간 고마워요. "
    "다른 이야기가 떠오르면 그것부터 하셔도 괜찮아요. 못다 한 이야기에 대해 천천히 이어 가 볼 수 있어요. "
    "그 순간을 살펴보고 말해 주셨지요. 주셔서 나눠요. "
    "We talked together, you told me and shared it. If something else comes up, we can begin there and go on slowly "
    "from where we stopped. Thank you."
)
"""Words of every closing: they name nothing that needs a source."""
_STEM = 2
"""Syllables of a stem as the lexicon cuts it."""
_FIRST_SYLLABLE, _PER_CONSONANT, _SYLLABLES = ord("가"), 588, 11172
_MARKS = re.compile('["“”‘’]')


class Bearing:
    """Compares content words; a quotation counts as the words that it has."""

    def __init__(self, content: Content) -> None:
        self._lexicon = content.lexicon
        self._common = content.lexicon.read(_SAYS_NOTHING).content_words

    def names(self, text: str) -> frozenset[str]:
        """Return the content words that a text has beside those of every closing."""
        return self._lexicon.read(_MARKS.sub(" ", text)).content_words - self._common

    def bears(self, told: str, text: str) -> bool:
        """Return whether a text names nothing, or something that was told: a word, or the same feeling."""
        named = self.names(text)
        if not named:
            return True
        told_words, feeling = self.names(told), self._lexicon.read(_MARKS.sub(" ", text)).emotion
        if any(_same_word(one, other) for one in named for other in told_words):
            return True
        return feeling.intensity > 0 and self._lexicon.read(told).emotion.label is feeling.label

    def borne(self, told: str, text: str) -> str:
        """Return a text without the sentences that what was told does not bear."""
        return " ".join(sentence for sentence in sentences(text) if self.bears(told, sentence))

    def tells_little(self, messages: Iterable[Message]) -> bool:
        """Return whether the user said nothing but yes, no, "don't know" and goodbye."""
        said = (self._lexicon.read(one.text) for one in messages if one.role is Role.USER)
        return all(one.says_little or one.has_nothing_to_say or one.asks_to_end for one in said)


def _same_word(one: str, other: str) -> bool:
    """Return whether two stems are the same word, though an ending changed the last syllable (떨, 떨리; 혼나, 혼내)."""
    short, long = sorted((one, other), key=len)
    if one == other or (len(short) == 1 and long.startswith(short)):
        return True
    both = len(one) == len(other) == _STEM and one[0] == other[0]
    return both and _initial(one[1]) == _initial(other[1]) is not None


@dataclass(frozen=True)
class Grounds:
    """What the user told.

    Attributes:
        words: All their words of this session at hand.
        carried: What is known of earlier sessions.
        numbers: Numbers that may be named though the user did not: those of the help lines.
        people: Words for people.
    """

    words: str
    carried: str
    numbers: str
    people: PeopleWords

    @property
    def help_lines(self) -> tuple[str, ...]:
        return tuple(self.numbers.split())

    @property
    def told(self) -> str:
        """All words of this session and what is known of earlier ones."""
        return f"{self.words}\n{self.carried}"

    def hold(self, text: str) -> bool:
        """Return whether everything that the text names was told."""
        told = self.told
        if unfounded(text, values(f"{told}\n{self.numbers}")):
            return False
        return not has_unknown_name(text, plain(told)) and not self.people.unknown(text, told)


def grounds_of(content: Content, session: Session, words: str) -> Grounds:
    """Return what the user told in this session and what was carried over from earlier ones."""
    carried = (*session.carried.goals, session.carried.name or "") if session.carried else ()
    numbers = "\n".join(line.number for line in content.hotlines)
    return Grounds(words, "\n".join(carried), numbers, content.people_words)


def goal_sources(
    goals: Sequence[str],
    session: Session,
    own: str,
    spoken: SpokenTurns | None = None,
    quotes: Sequence[tuple[str, str]] = (),
) -> tuple[SourcedText, ...]:
    """Return the goals with their sources; one whose turn is not known is left out.

    Args:
        goals: The goals of the closing.
        session: The session.
        own: The goal that the user stated when asked.
        spoken: The user's words at hand.
        quotes: Goals that a model proposed, with the user's words for each.
    """
    found: list[SourcedText] = []
    for goal in goals:
        stated = session.info_sources.get(GOAL_SLOT) if _same(goal, own) else None
        said = (spoken.anywhere(quote) for proposed, quote in quotes if spoken and _same(goal, proposed))
        if source := stated or next(filter(None, said), None):
            found.append(with_source(goal[:GOAL_LENGTH], source))
    return tuple(found)


def _same(goal: str, other: str) -> bool:
    return goal[:GOAL_LENGTH] == " ".join(other.split())[:GOAL_LENGTH]


def _initial(syllable: str) -> int | None:
    """Return the number of a Korean syllable's first consonant."""
    place = ord(syllable) - _FIRST_SYLLABLE
    return place // _PER_CONSONANT if 0 <= place < _SYLLABLES else None
