"""Checks that the user's words bear what a closing says of them, and tells whether there is anything to say."""

import re
from collections.abc import Iterable

from functions.session_manager.facts import sentences
from shared.content.catalogue import Content
from shared.domain.conversation import Message, Role

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
        if any(_same(one, other) for one in named for other in told_words):
            return True
        return feeling.intensity > 0 and self._lexicon.read(told).emotion.label is feeling.label

    def borne(self, told: str, text: str) -> str:
        """Return a text without the sentences that what was told does not bear."""
        return " ".join(sentence for sentence in sentences(text) if self.bears(told, sentence))

    def tells_little(self, messages: Iterable[Message]) -> bool:
        """Return whether the user said nothing but yes, no, "don't know" and goodbye."""
        said = (self._lexicon.read(one.text) for one in messages if one.role is Role.USER)
        return all(one.says_little or one.has_nothing_to_say or one.asks_to_end for one in said)


def _same(one: str, other: str) -> bool:
    """Return whether two stems are the same word, though an ending changed the last syllable (떨, 떨리; 혼나, 혼내)."""
    short, long = sorted((one, other), key=len)
    if one == other or (len(short) == 1 and long.startswith(short)):
        return True
    both = len(one) == len(other) == _STEM and one[0] == other[0]
    return both and _initial(one[1]) == _initial(other[1]) is not None


def _initial(syllable: str) -> int | None:
    """Return the number of a Korean syllable's first consonant."""
    place = ord(syllable) - _FIRST_SYLLABLE
    return place // _PER_CONSONANT if 0 <= place < _SYLLABLES else None
