"""Reads plain answers, yes, no and "not known", by the lists in `data/answers.yaml`."""

import re
from functools import cached_property

from shared.lexicon.clause_text import LONGEST_CLAUSE
from shared.lexicon.lexicon_file import BilingualPhrases, ExemplifiedPhrases
from shared.lexicon.session_words_file import WordFile


class AnswersFile(WordFile):
    """All lists. The fragments are those of every word file."""

    says_yes: ExemplifiedPhrases
    says_no: ExemplifiedPhrases
    agrees: ExemplifiedPhrases
    opens_politely: BilingualPhrases
    says_none: ExemplifiedPhrases
    not_known: ExemplifiedPhrases
    declines: ExemplifiedPhrases
    declines_name: ExemplifiedPhrases
    declines_filler: BilingualPhrases


def _compiled(name: str) -> cached_property[re.Pattern[str]]:
    return cached_property(lambda self: re.compile(self._file.join(getattr(self._file, name)), re.IGNORECASE))


class PlainAnswers:
    """The lists, each compiled on first use; see `shared.domain.slots.AnswerWords`."""

    def __init__(self, file: AnswersFile) -> None:
        self._file = file

    def says_yes(self, text: str, *, proposed: bool = False) -> bool:
        """Return whether an answer begins with a yes; "괜찮아요" is one only to a proposal."""
        said = text.strip()
        return bool(self._yes.match(said) or (proposed and self._agrees.match(said)))

    def says_no(self, text: str) -> bool:
        """Return whether an answer begins with a no or says "none", also after a polite yes ("네, 처음이에요")."""
        answer = self._politely.sub("", text.strip())
        return bool(self._no.match(answer)) or self.says_none(answer)

    def says_none(self, text: str) -> bool:
        """Return whether an answer says "none" ("없어요"), which is a value."""
        return bool(self._none.match(text.strip()))

    def is_not_known(self, clause: str) -> bool:
        """Return whether a clause says only that the user has no answer."""
        return len(clause) <= LONGEST_CLAUSE and bool(self._not_known.fullmatch(clause))

    _yes = _compiled("says_yes")
    _no = _compiled("says_no")
    _agrees = _compiled("agrees")
    _politely = _compiled("opens_politely")
    _none = _compiled("says_none")
    _not_known = _compiled("not_known")
