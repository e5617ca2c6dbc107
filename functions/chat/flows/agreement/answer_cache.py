"""Answers given within the last hour, so that the same question on the same text asks no model again.

Kept in this instance's memory: a store would hold users' questions longer than their conversations, and one hour of
one instance is where repetition is (docs/decisions/0051). The key is a digest; uploads are kept per user.
"""

import hashlib
import unicodedata
from collections import OrderedDict
from collections.abc import Hashable

from functions.chat.flows.agreement.question import Question
from shared.domain.agreement.search_state import SearchState
from shared.domain.agreement.state import SERVICE_AGREEMENT
from shared.ports.clock import Clock

KEPT_SECONDS = 3600.0
MOST_ANSWERS = 500
"""Answers per instance, a few kilobytes each; the least recently used is dropped."""

_MARKS = str.maketrans("", "", " \t\n.!?~…。？！,")


class AnswerCache:
    """Finished searches by question, document, language and register."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, SearchState]] = OrderedDict()

    def get(self, question: Question) -> SearchState | None:
        """Return the finished search of an equal question, if it is no older than an hour."""
        if question.follows:
            return None
        key = _key(question)
        kept = self._kept.get(key)
        if kept is None:
            return None
        if self._clock.monotonic() >= kept[0]:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return kept[1]

    def put(self, question: Question, state: SearchState) -> None:
        """Keep an answer that a model gave in full; others are tried again the next time."""
        if question.follows or state.flags or state.answer is None or not state.cited:
            return
        self._kept[_key(question)] = (self._clock.monotonic() + KEPT_SECONDS, state)
        while len(self._kept) > MOST_ANSWERS:
            self._kept.popitem(last=False)


def normalised(text: str) -> str:
    """Return a question without what makes no difference: blanks, marks, case, spelling of letters."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_MARKS)


def _key(question: Question) -> Hashable:
    state, document = question.turn.state, question.library.document
    reader = "" if document.id == SERVICE_AGREEMENT else state.user_id
    digest = hashlib.sha256(normalised(question.text).encode(errors="surrogatepass")).hexdigest()
    return digest, document.id, document.version, reader, state.locale, state.register_
